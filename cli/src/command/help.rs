//! What `--help` adds to the options: commands in groups, and examples of each.

use clap::ArgMatches;
use forebay::filter::Filter;
use forebay_native::tables::TableCompression;

use crate::words::word_of;

/// A command with its examples.
type Shown = (&'static str, &'static [&'static str]);

/// The groups of commands, and examples of each command.
const GROUPS: [(&str, &[Shown]); 6] = [
    (
        "Look at data",
        &[
            ("inspect", &["forebay inspect train.tbl", "forebay inspect --json images/ table.parquet"]),
            ("head", &["forebay head train.tbl -n 5", "forebay head train.tbl --where 'width >= 224 && cls == 3'"]),
            ("stats", &["forebay stats train.tbl", "forebay stats train.tbl --label json.label"]),
            ("check", &["forebay check train.tbl", "forebay check --decode train.tar"]),
            ("diff", &["forebay diff old.tbl new.tbl", "forebay diff train.tar train.tbl --payloads"]),
            ("serve", &["forebay serve train.tbl", "forebay serve datasets/"]),
        ],
    ),
    (
        "Make files",
        &[
            (
                "convert",
                &[
                    "forebay convert train.tar train.tbl",
                    "forebay convert images/ train.tbl --labels coco.json",
                    "forebay convert table.csv table.parquet --where 'price > 10'",
                ],
            ),
            ("extract", &["forebay extract train.tbl -i 17 -o 17.jpg", "forebay extract train.tbl --all --to folder"]),
            ("concat", &["forebay concat a.tbl b.tbl -o all.tbl", "forebay concat 'shards/*.tar' -o all.tbl"]),
            (
                "split",
                &[
                    "forebay split train.tbl --shards 8 -o shards",
                    "forebay split all.tbl --train 0.8 --val 0.1 --test 0.1 --by class -o parts",
                ],
            ),
            (
                "shards",
                &[
                    "forebay shards 'raw/*.tar' -o shards --shards 64 --shuffle 7",
                    "forebay shards a.tbl -o shards --shards 8 --dry-run",
                ],
            ),
            ("thumbs", &["forebay thumbs train.tbl"]),
            (
                "apply",
                &["forebay apply train.tbl edits.jsonl -o edited.tbl", "forebay apply train.tbl edits.jsonl --dry-run"],
            ),
            (
                "edits",
                &[
                    "forebay edits check edits.jsonl --of train.tbl",
                    "forebay edits merge a.jsonl b.jsonl -o both.jsonl",
                ],
            ),
        ],
    ),
    (
        "Labels and curation",
        &[
            ("labels", &["forebay labels check coco.json", "forebay labels convert coco.json yolo --to yolo"]),
            ("duplicates", &["forebay duplicates train.tbl", "forebay duplicates train.tbl --where 'cls == 3'"]),
            ("outliers", &["forebay outliers train.tbl", "forebay outliers train.tbl --where 'cls == 3'"]),
        ],
    ),
    (
        "Train",
        &[
            (
                "plan",
                &["forebay plan train.tbl --batch 256 --world 8", "forebay plan 'shards/*.tbl' --batch 64 --json"],
            ),
            ("bench", &["forebay bench train.tbl", "forebay bench train.tbl --image 224 --workers 4"]),
            ("warehouse", &["forebay warehouse build captures -o warehouse", "forebay warehouse list warehouse"]),
        ],
    ),
    (
        "Files elsewhere (s3://, gs://, az://, https://)",
        &[("cache", &["forebay cache list"]), ("parts", &["forebay parts list s3://bucket/folder"])],
    ),
    (
        "The shell",
        &[
            ("completions", &["forebay completions bash > /etc/bash_completion.d/forebay"]),
            ("man", &["forebay man > forebay.1"]),
            ("help", &[]),
        ],
    ),
];

const WORDS: &str = "\
TBL is Forebay's file of samples: images or other files with their metadata, and an index, so
that each is read without the others; it is made of a TAR, a ZIP or a folder. TBF is its file of
tables, rows and columns in binary; IDV is that of ML.NET.";
const PAGES: &str = "Each command has examples: forebay convert --help. All of it: https://github.com/forebay/forebay";

/// Columns that a line of the list has at most, and where its text begins.
const WIDTH: usize = 98;
const INDENT: usize = 15;

/// The command with its groups and examples.
pub(super) fn with_help(command: clap::Command) -> clap::Command {
    let mut list = String::new();
    for (title, commands) in GROUPS {
        list.push_str(&format!(" {title}:\n"));
        for (name, _) in commands {
            let about = command.find_subcommand(name).and_then(|c| c.get_about()).map(ToString::to_string);
            let about = about.unwrap_or_else(|| "Print this, or the help of a command".to_owned());
            let mut line = format!("  {name:<width$}", width = INDENT - 3);
            for word in about.split(' ') {
                if line.chars().count() + 1 + word.chars().count() > WIDTH {
                    list.push_str(&format!("{line}\n"));
                    line = " ".repeat(INDENT - 1);
                }
                line.push_str(&format!(" {word}"));
            }
            list.push_str(&format!("{line}\n"));
        }
    }
    let template = format!(
        "{{about-with-newline}}\n{WORDS}\n\n{{usage-heading}} {{usage}}\n\nCommands:\n{list}\nOptions:\n{{options}}\n\n{PAGES}{{after-help}}"
    );
    let command = command.help_template(template);
    // What they write has samples alone.
    let command = ["concat", "split", "shards"].into_iter().fold(command, |command, name| {
        let codecs = word_of(&[TableCompression::None, TableCompression::Lz4, TableCompression::Zstd]);
        let help = "How payloads that can shrink are compressed, by default not at all";
        command.mut_subcommand(name, |c| {
            let c = c.mut_arg("compression", |arg| arg.value_parser(codecs).help(help).long_help(None::<&str>));
            c.mut_arg("level", |arg| arg.help("LZ4: 1 (fast) to 12; Zstandard: 1 to 22"))
        })
    });
    GROUPS.iter().flat_map(|(_, commands)| *commands).filter(|(_, examples)| !examples.is_empty()).fold(
        command,
        |command, (name, examples)| {
            let examples: String = examples.iter().map(|example| format!("\n  {example}")).collect();
            command.mut_subcommand(name, |c| c.after_help(format!("Examples:{examples}")))
        },
    )
}

/// Text with a star that the filter of a command compares as it is.
pub(super) fn compared_pattern(matches: &ArgMatches) -> Option<String> {
    let (_, of_command) = matches.subcommand()?;
    let text = of_command.try_get_one::<String>("filter").ok()??;
    Filter::parse(text).ok()?.compared_pattern().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::{
        command::{Cli, understand},
        meant::{meant, meant_by_file},
    };

    #[test]
    fn every_command_is_in_a_group_and_every_example_is_understood() {
        let command = Cli::command();
        let mut listed: Vec<_> = GROUPS.iter().flat_map(|(_, commands)| *commands).map(|(name, _)| *name).collect();
        listed.retain(|name| *name != "help");
        listed.sort_unstable();
        let mut there: Vec<_> = command.get_subcommands().map(clap::Command::get_name).collect();
        there.sort_unstable();
        assert_eq!(listed, there);
        for example in GROUPS.iter().flat_map(|(_, commands)| *commands).flat_map(|(_, examples)| *examples) {
            let mut words = Vec::new();
            // As a shell cuts them, of what stands here.
            for (i, part) in example.split('\'').enumerate() {
                match i % 2 {
                    0 => words.extend(part.split_whitespace()),
                    _ => words.push(part),
                }
            }
            let end = words.iter().position(|word| *word == ">").unwrap_or(words.len());
            if let Err(e) = understand(words[1..end].iter().copied()) {
                assert!(e.is_empty(), "{example}: {e}");
            }
        }
    }

    #[test]
    fn a_mistake_is_answered_by_what_was_meant() {
        let meant = |words: &[&str]| {
            let e = Cli::try_parse_from(std::iter::once(&"forebay").chain(words)).unwrap_err();
            meant(&e).unwrap_or_default()
        };
        assert!(meant(&["p.tar"]).ends_with("forebay inspect p.tar"));
        assert!(meant(&["inspekt"]).is_empty());
        assert!(meant(&["head", "p.tbl", "-5"]).ends_with("-n 5"));
        assert!(meant(&["convert", "-i", "p.tar", "p.tbl"]).contains("without an option"));
        assert!(meant(&["head", "p.tbl", "-n", "all"]).contains("large enough"));
        for (name, word) in
            [("5", "-n 5"), ("www.x.com/a.tbl", "https://"), ("http//x/a.tbl", "https://"), ("s3/b", "s3://")]
        {
            assert!(meant_by_file(name).is_some_and(|said| said.contains(word)), "{name}");
        }
        assert_eq!(meant_by_file("5.tbl"), None);
    }
}
