//! Every command that reads files, and what it needs to be told.

use std::collections::BTreeSet;

use crate::common::forebay;

/// A command on a file, by its arguments: `FILE` is the file, `OUT` is a name for what is written.
pub struct Case {
    pub arguments: &'static str,
    /// Every byte of the file is read, so that a fault cannot go unseen. Not so for archives, of which parts tell nothing.
    pub whole: bool,
}

const fn case(arguments: &'static str) -> Case {
    Case { arguments, whole: false }
}
const fn whole(arguments: &'static str) -> Case {
    Case { arguments, whole: true }
}

pub const OF_SAMPLES: &[Case] = &[
    case("inspect FILE"),
    case("head FILE -n 3"),
    whole("head FILE -n 1000 --hash"),
    case("check FILE"),
    whole("check FILE --decode"),
    case("stats FILE"),
    whole("convert FILE OUT.tbl"),
    whole("convert FILE OUT.tbl --layout turboloader --compression lz4 --verify"),
    whole("convert FILE OUT.tar"),
    case("convert FILE OUT.csv"),
    case("convert FILE OUT.tbl --decode 32"),
    whole("extract FILE --all --to OUT"),
    case("extract FILE -i 299 -o OUT.bmp"),
    whole("diff FILE FILE"),
    whole("concat FILE FILE -o OUT.tbl"),
    whole("split FILE --shards 3 -o OUT"),
    whole("split FILE --train 0.5 --test 0.5 -o OUT"),
    case("duplicates FILE --exact"),
    case("duplicates FILE"),
    case("outliers FILE"),
    case("thumbs FILE -o OUT.thumbs"),
    case("plan FILE --batch 8 --shuffle 1"),
    case("bench FILE --batch 8 --image 16 --workers 2 --decode-alone 5 --labels cls"),
];

pub const OF_TABLES: &[Case] = &[
    case("inspect FILE"),
    case("head FILE -n 3"),
    whole("head FILE -n 100000"),
    whole("check FILE"),
    whole("stats FILE"),
    whole("convert FILE OUT.csv"),
    whole("convert FILE OUT.parquet --verify"),
    whole("convert FILE OUT.tbf --where 'id >= 0'"),
    case("convert FILE OUT.jsonl --columns score"),
];

impl Case {
    pub fn arguments(&self, file: &str, out: &str) -> Vec<String> {
        let mut arguments: Vec<String> = Vec::new();
        for (i, part) in self.arguments.split('\'').enumerate() {
            match i % 2 {
                0 => {
                    arguments.extend(part.split_whitespace().map(|word| word.replace("FILE", file).replace("OUT", out)))
                }
                _ => arguments.push(part.to_owned()),
            }
        }
        arguments.push("--json".to_owned());
        arguments
    }
    fn command(&self) -> &str {
        self.arguments.split(' ').next().unwrap_or_default()
    }
}

/// Commands that read no file, or that have a test of their own.
const OTHERS: [&str; 12] = [
    "apply",
    "demo",
    "edits",
    "serve",
    "cache",
    "parts",
    "shards",
    "labels",
    "warehouse",
    "completions",
    "man",
    "help",
];

#[test]
fn every_command_is_here() {
    let help = String::from_utf8(forebay(["--help"]).stdout).unwrap();
    let list = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    let there: BTreeSet<&str> = list
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let known = OF_SAMPLES.iter().chain(OF_TABLES).map(Case::command).chain(OTHERS);
    assert_eq!(there, known.collect(), "a command that is new needs a line in OF_SAMPLES or OF_TABLES");
}
