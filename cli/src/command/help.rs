//! Help: the usual commands and options with `-h`, all of them with `--help`, in groups and with examples.

use std::ffi::OsStr;

use clap::{Arg, ArgMatches, Command, builder::PossibleValue};
use forebay::filter::Filter;
use forebay_native::tables::TableCompression;

use crate::words::word_of;

use super::convert;

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
            ("demo", &["forebay demo", "forebay demo images --images 24 --no-open"]),
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
        "Remote files (s3://, gs://, az://, hf://, https://)",
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

/// Options that `-h` of `convert` leaves out and that of other commands has.
const RARE: [&str; 5] = ["verify", "types", "no_header", "delimiter", "lossy"];

/// The commands that `-h` describes; it only names the others.
const USUAL: [&str; 11] =
    ["inspect", "head", "stats", "check", "serve", "convert", "split", "labels", "duplicates", "outliers", "bench"];

const WORDS: &str = "\
TBL is Forebay's sample format: images or other files with metadata and an
index, made from a TAR, a ZIP or a folder. TBF is its binary table format; IDV
is ML.NET's.";
const PAGES: &str = "\
Examples of a command: forebay convert --help
Documentation: https://github.com/forebay/forebay";
const OPTIONS: &str = "\
Options: --json, -q/--quiet, -v/--verbose, -h/--help, -V/--version
Options of a command: forebay convert -h; all of them, with details: --help";

/// Columns that a line of the list has at most, and where its text begins.
const WIDTH: usize = 80;
const INDENT: usize = 14;

/// Whether the arguments ask for all help: `--help` or the command `help`.
pub(super) fn asks_for_all(mut arguments: impl Iterator<Item = impl AsRef<OsStr>>) -> bool {
    arguments.any(|argument| ["--help", "help"].map(OsStr::new).contains(&argument.as_ref()))
}

/// The command with its groups and examples; `all` is for `--help`.
pub(super) fn with_help(command: Command, all: bool) -> Command {
    let listed = GROUPS.iter().flat_map(|(_, commands)| *commands);
    let template = if all { long(&command) } else { short(&command) };
    let command = command.help_template(template);
    // These write samples alone.
    let command = ["concat", "split", "shards"].into_iter().fold(command, |command, name| {
        let codecs =
            word_of(&[TableCompression::None, TableCompression::Lz4, TableCompression::Zstd, TableCompression::Packed]);
        command.mut_subcommand(name, |c| {
            let c = c.mut_arg("compression", |arg| {
                arg.value_parser(codecs).help("Compression of the payloads [default: none]").long_help(None::<&str>)
            });
            c.mut_arg("level", |arg| arg.help("LZ4: 1 (fast) to 12; Zstandard: 1 to 22").long_help(None::<&str>))
        })
    });
    let command = listed.filter(|(_, examples)| !examples.is_empty()).fold(command, |command, (name, examples)| {
        let examples: String = examples.iter().map(|example| format!("\n  {example}")).collect();
        command.mut_subcommand(name, |c| c.after_help(format!("Examples:{examples}")))
    });
    let rare = |arg: Arg| {
        let id = arg.get_id().as_str();
        let hide = arg.is_hide_short_help_set() || convert::OF_LABELS.contains(&id) || RARE.contains(&id);
        arg.hide_short_help(hide)
    };
    if all { in_full(command) } else { command.mut_subcommand("convert", |c| c.mut_args(rare)) }
}

/// The help with all commands in groups.
fn long(command: &Command) -> String {
    let mut list = String::new();
    for (title, commands) in GROUPS {
        list.push_str(&format!(" {title}:\n"));
        commands.iter().for_each(|(name, _)| list.push_str(&described(command, name)));
    }
    format!(
        "{{about-with-newline}}\n{WORDS}\n\n{{usage-heading}} {{usage}}\n\nCommands:\n{list}\nOptions:\n{{options}}\n\n{PAGES}{{after-help}}"
    )
}

/// The help that fits a small terminal.
fn short(command: &Command) -> String {
    let list: String = USUAL.iter().map(|name| described(command, name)).collect();
    let others = GROUPS.iter().flat_map(|(_, commands)| *commands).map(|(name, _)| *name);
    let others: Vec<_> = others.filter(|name| !USUAL.contains(name) && *name != "help").collect();
    let others = wrapped("More commands (forebay --help):".to_owned(), &others.join(", "), 0);
    format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\nCommands:\n{list}\n{others}\n{OPTIONS}")
}

/// A command's line in the list.
fn described(command: &Command, name: &str) -> String {
    let about = command.find_subcommand(name).and_then(|c| c.get_about()).map(ToString::to_string);
    let about = about.unwrap_or_else(|| "Print this, or the help of a command".to_owned());
    wrapped(format!("  {name:<width$}", width = INDENT - 3), &about, INDENT - 1)
}

/// `line` followed by words, in lines that fit, the later ones indented.
fn wrapped(mut line: String, words: &str, indent: usize) -> String {
    let mut lines = String::new();
    for word in words.split(' ') {
        if line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push_str(&format!("{line}\n"));
            line = " ".repeat(indent);
        }
        let space = if line.is_empty() { "" } else { " " };
        line.push_str(&format!("{space}{word}"));
    }
    format!("{lines}{line}\n")
}

/// Lists all options with their details, in the compact form that clap has for `-h`: its own for `--help` takes three
/// lines and more for each.
fn in_full(command: Command) -> Command {
    let arg = |arg: Arg| {
        let text = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
        let mut text = text.replace("\n\n", " ").trim_end_matches('.').to_owned();
        let values = arg.get_possible_values();
        // Values with a meaning would make clap choose its own form.
        let explained = values.iter().any(|value| value.get_help().is_some());
        if explained {
            let names: Vec<_> = values.iter().map(PossibleValue::get_name).collect();
            text.push_str(&format!(" [possible values: {}]", names.join(", ")));
        }
        let hidden = explained || arg.is_hide_possible_values_set();
        arg.help(text).long_help(None::<&'static str>).hide_short_help(false).hide_possible_values(hidden)
    };
    command.mut_args(arg).mut_subcommands(in_full)
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
        hints::{hint, hint_by_file},
        words::setting_of,
    };

    /// Options of `bench` and `plan` with the name of a setting of the loader, which mean it in a form of their own.
    const OWN: [&str; 9] =
        ["augment", "mosaic", "labels", "decoded_cache", "timeline", "weights", "epoch_samples", "rank", "workers"];

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
    fn options_of_loaders_are_its_settings() {
        let root = Cli::command();
        for command in ["bench", "plan"].map(|name| root.find_subcommand(name).unwrap()) {
            let mut settings = 0;
            for arg in command.get_arguments() {
                let Some(setting) = arg.get_long().and_then(|long| setting_of(&long.replace('-', "_"))) else {
                    continue;
                };
                let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
                assert!(OWN.contains(&setting.name) || help == setting.help(), "{}: {help}", setting.name);
                let [usual] = arg.get_default_values() else { continue };
                let known = setting.usual.rsplit("::").next().unwrap_or_default().to_lowercase();
                // Commands measure and plan larger batches than a loader has unless it is told.
                let other = setting.name == "batch" || known.contains("()") || known == "none";
                assert!(other || known == usual.to_string_lossy(), "{}: {usual:?}", setting.name);
                settings += 1;
            }
            assert!(settings > 3);
        }
    }

    /// The help of a command and of all commands in it, as a terminal of 80 columns shows it.
    fn printed(command: &mut Command, texts: &mut Vec<(String, String)>) {
        texts.push((command.get_name().to_owned(), command.render_help().to_string()));
        command.get_subcommands_mut().filter(|c| c.get_name() != "help").for_each(|c| printed(c, texts));
    }

    #[test]
    fn short_help_fits_a_terminal_and_all_help_is_compact() {
        for (all, width, most, most_of_root) in [(false, 80, 40, 24), (true, 100, 149, 65)] {
            let mut command = with_help(Cli::command().term_width(width), all);
            command.build();
            let mut texts = Vec::new();
            printed(&mut command, &mut texts);
            for (name, text) in &texts {
                let most = if name == "forebay" { most_of_root } else { most };
                let lines = text.lines().count();
                assert!(lines <= most, "{name}: {lines} lines:\n{text}");
                let wide = text.lines().find(|line| line.chars().count() > width);
                assert!(wide.is_none(), "{name}: {wide:?}");
            }
        }
        let all = with_help(Cli::command().term_width(100), true);
        let convert = all.try_get_matches_from(["forebay", "convert", "--help"]).unwrap_err().to_string();
        assert!(convert.lines().count() < 150, "{convert}");
        assert!(convert.contains("--voc-base") && convert.contains("Several inputs become one"), "{convert}");
    }

    #[test]
    fn a_mistake_is_answered_by_what_was_meant() {
        let hint = |words: &[&str]| {
            let e = Cli::try_parse_from(std::iter::once(&"forebay").chain(words)).unwrap_err();
            hint(&e).unwrap_or_default()
        };
        assert!(hint(&["p.tar"]).ends_with("forebay inspect p.tar"));
        assert!(hint(&["inspekt"]).is_empty());
        assert!(hint(&["head", "p.tbl", "-5"]).ends_with("-n 5"));
        assert!(hint(&["convert", "-i", "p.tar", "p.tbl"]).contains("without an option"));
        assert!(hint(&["head", "p.tbl", "-n", "all"]).contains("large enough"));
        for (name, word) in
            [("5", "-n 5"), ("www.x.com/a.tbl", "https://"), ("http//x/a.tbl", "https://"), ("s3/b", "s3://")]
        {
            assert!(hint_by_file(name).is_some_and(|said| said.contains(word)), "{name}");
        }
        assert_eq!(hint_by_file("5.tbl"), None);
    }
}
