//! What comes from files and their names must not steer the terminal of who looks at them.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read and write files")]

use std::{fs, process::Command};

use crate::common::{FOREBAY, Folder, bmp, tar};

/// Clears the screen, sets the title, rings, returns the carriage, and turns the text around.
const EVIL: &str = "x\u{1b}[2J\u{1b}]0;t\u{7}\r\u{9b}1m\u{202e}\u{2066}\u{200f}y";

/// Runs the command for a person; fails where anything that steers comes out. Gives what was said.
fn said(folder: &Folder, args: &[&str]) -> String {
    run(folder, args).1
}

/// The same, of what must work.
fn fine(folder: &Folder, args: &[&str]) -> String {
    let (code, text) = run(folder, args);
    assert_eq!(code, 0, "{args:?}: {text}");
    text
}

fn run(folder: &Folder, args: &[&str]) -> (i32, String) {
    let out = Command::new(FOREBAY).args(args).current_dir(folder.path()).output().unwrap();
    let text = format!("{}{}", String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap());
    let steers = |c: char| {
        (c.is_control() && c != '\n')
            || ('\u{2028}'..='\u{202e}').contains(&c)
            || ('\u{2066}'..='\u{2069}').contains(&c)
    };
    assert!(!text.contains(|c| steers(c) || c == '\u{200f}'), "{args:?}: {text:?}");
    (out.status.code().unwrap(), text)
}

#[test]
fn no_command_on_samples_passes_on_what_steers_a_terminal() {
    let folder = Folder::new();
    let json = serde_json::json!({ "label": EVIL, EVIL: EVIL }).to_string();
    let members: Vec<(String, Vec<u8>)> = (0..4)
        .flat_map(|i| {
            let name = format!("d/{i}{EVIL}");
            [(format!("{name}.bmp"), bmp(8 + i, i)), (format!("{name}.json"), json.clone().into_bytes())]
        })
        .collect();
    let (a, b) = (format!("a{EVIL}.tar"), format!("b{EVIL}.tbl"));
    fs::write(folder.at(&a), tar(&members)).unwrap();
    fs::write(folder.at("cut.tar"), &tar(&members)[..3000]).unwrap();
    fine(&folder, &["convert", &a, &b, "--verbose", "--verify"]);
    assert!(folder.at(&b).exists());
    for file in [a.as_str(), b.as_str()] {
        for command in ["inspect", "head", "check", "stats", "plan"] {
            let text = fine(&folder, &[command, file, "--verbose"]);
            assert!(text.contains("\\u{1b}[2J") || command == "plan" || command == "stats", "{command}: {text}");
        }
    }
    fine(&folder, &["extract", &b, "--all", "--to", &format!("out{EVIL}"), "--verbose"]);
    fine(&folder, &["extract", &b, "-i", "0", "--verbose", "-o", &format!("o{EVIL}.bmp")]);
    fine(&folder, &["split", &b, "-o", &format!("shards{EVIL}"), "--shards", "2", "--verbose"]);
    fine(&folder, &["concat", &a, &b, "-o", &format!("both{EVIL}.tbl"), "--verbose"]);
    fine(&folder, &["convert", &b, "two.tar", "--where", "id < 2"]);
    said(&folder, &["diff", "two.tar", &b]);
    said(&folder, &["check", "cut.tar"]);
}

#[test]
fn no_command_on_tables_passes_on_what_steers_a_terminal() {
    let folder = Folder::new();
    let line = format!("{{{key}:{key},\"n\":1}}\n", key = serde_json::to_string(EVIL).unwrap());
    let (a, b) = (format!("a{EVIL}.jsonl"), format!("b{EVIL}.tbf"));
    fs::write(folder.at(&a), line.repeat(3)).unwrap();
    fs::write(folder.at("bad.jsonl"), format!("{line}{{\"n\":{}}}\n", serde_json::to_string(EVIL).unwrap())).unwrap();
    fine(&folder, &["convert", &a, &b, "--verbose", "--verify"]);
    assert!(folder.at(&b).exists());
    for file in [a.as_str(), b.as_str(), "bad.jsonl"] {
        for command in ["inspect", "head", "check", "stats"] {
            said(&folder, &[command, file, "--verbose"]);
        }
    }
    fine(&folder, &["convert", &a, "out.idv", "--columns", EVIL]);
    said(&folder, &["convert", "bad.jsonl", "out.tbf"]);
}

#[test]
fn errors_show_what_steers_a_terminal_by_its_number() {
    let folder = Folder::new();
    let missing = format!("no{EVIL}\nerror: fine.tbl");
    for command in ["inspect", "head", "check", "stats", "serve", "plan"] {
        let text = said(&folder, &[command, &missing]);
        assert_eq!(text.lines().count(), 1, "a name must not look like a line of the command's own: {text}");
    }
    fs::write(folder.at("a.csv"), "n\n1\n").unwrap();
    assert!(said(&folder, &["head", "a.csv", "--columns", EVIL]).contains("\\u{1b}[2J"));
    said(&folder, &["head", "a.csv", "--where", &format!("n == \"{EVIL}\" &&")]);
    said(&folder, &["head", "a.csv", "--where", &format!("`{EVIL}` == 1")]);
}

#[test]
fn what_the_core_cannot_do_names_the_options_of_the_command() {
    let folder = Folder::new();
    fs::write(folder.at("a.csv"), "s,n\na,1\n,2\n").unwrap();
    fs::write(folder.at("a.jsonl"), "{\"a\":1}\n{\"b\":2}\n").unwrap();
    let cut = said(&folder, &["convert", "a.csv", "a.idv"]);
    assert!(cut.contains("converting with losses writes a default; see --lossy [table.target]"), "{cut}");
    let cut = said(&folder, &["convert", "a.jsonl", "a.tbf", "--sniff-rows", "1"]);
    assert!(cut.contains("look at more rows first; see --types, --sniff-rows [table.row]"), "{cut}");
}

#[test]
fn the_short_help_fits_a_terminal_of_80_columns() {
    let mut waiting = vec![Vec::<String>::new()];
    let mut shown = 0;
    while let Some(words) = waiting.pop() {
        let ask = |last: &str| {
            let out = Command::new(FOREBAY).args(&words).arg(last).env("COLUMNS", "80").output().unwrap();
            String::from_utf8(out.stdout).unwrap()
        };
        let (short, long) = (ask("-h"), ask("--help"));
        let lines = short.lines().count();
        assert!(lines <= if words.is_empty() { 24 } else { 40 }, "{words:?}: {lines} lines");
        assert!(short.lines().all(|line| line.chars().count() <= 80), "{words:?}: {short}");
        shown += 1;
        // Some commands have commands of their own.
        let list = long.split("Commands:\n").nth(1).unwrap_or_default().split("\nOptions:").next().unwrap_or_default();
        let names = list.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
        let inner = names.filter(|name| !name.is_empty() && *name != "help");
        waiting.extend(inner.map(|name| [&words[..], &[name.to_owned()]].concat()));
    }
    assert!(shown > 35, "{shown} commands");
}
