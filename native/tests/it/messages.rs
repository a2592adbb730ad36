//! What the libraries say is read in Rust, Python and browsers too: no text of theirs names an option of the command.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a test of files")]

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Every source of the libraries.
fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut waiting: Vec<_> = ["src", "native/src", "wasm/src"].map(|folder| root.join(folder)).into();
    let mut found = Vec::new();
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => waiting.push(path),
                false => found.push(path),
            }
        }
    }
    found
}

/// The word behind two dashes, if a line has one that is not a variable of a style sheet.
fn option(line: &str) -> Option<&str> {
    let words = line.match_indices("--").filter(|(at, _)| !line[..*at].ends_with("var("));
    words.map(|(at, _)| &line[at + 2..]).find(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(rest.len());
        end > 1 && !rest[end..].starts_with(':')
    })
}

#[test]
fn no_source_of_a_library_names_an_option_of_the_command() {
    assert!(option("the output exists; --force replaces it").is_some() && option("a -- b, x--, -->").is_none());
    assert!(option("{--bg:#fff}.bg{fill:var(--bg)}").is_none());
    let sources = sources();
    assert!(sources.iter().any(|path| path.ends_with("native/src/output/mod.rs")));
    let named: Vec<String> = sources
        .iter()
        .flat_map(|path| {
            let bytes = fs::read(path).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            let lines = text.lines().enumerate().filter(|(_, line)| option(line).is_some());
            lines.map(|(n, line)| format!("{}:{}: {line}", path.display(), n + 1)).collect::<Vec<_>>()
        })
        .collect();
    assert!(named.is_empty(), "{}", named.join("\n"));
}
