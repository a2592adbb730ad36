//! docs/errors.md lists every code there is, and nothing else.
//!
//! `UPDATE_DOCS=1 cargo test -p forebay-cli --test it errors_doc` writes the table anew.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they read and write files")]

use std::{fmt::Write, fs};

use forebay::error::Code;

const DOC: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/errors.md");
const BEGIN: &str = "<!-- codes: made by the test errors_doc -->\n";
const END: &str = "<!-- end of codes -->";

fn codes() -> Vec<&'static Code> {
    let mut codes: Vec<_> =
        forebay::catalog::codes().chain(forebay_native::codes()).chain(forebay_cli::codes()).collect();
    codes.sort_by_key(|c| c.id());
    codes
}

fn table() -> String {
    let mut text = String::from("| code | kind | exit code | meaning |\n|---|---|---|---|\n");
    for code in codes() {
        let (id, kind) = (code.id(), code.kind());
        writeln!(
            text,
            "| `{id}` | {} | {} | {} |",
            kind.name(),
            forebay_cli::exit_code(kind),
            code.meaning().replace('|', "\\|")
        )
        .unwrap();
    }
    text
}

#[test]
fn the_table_of_errors_is_complete() {
    let doc = fs::read_to_string(DOC).unwrap();
    let start = doc.find(BEGIN).unwrap() + BEGIN.len();
    let end = doc.find(END).unwrap();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(DOC, format!("{}{}{}", &doc[..start], table(), &doc[end..])).unwrap();
        return;
    }
    let hint = "docs/errors.md is out of date: run UPDATE_DOCS=1 cargo test -p forebay-cli --test it errors_doc";
    assert_eq!(&doc[start..end], table(), "{hint}");
}

#[test]
fn no_code_stands_twice() {
    let codes = codes();
    for pair in codes.windows(2) {
        assert_ne!(pair[0].id(), pair[1].id());
    }
}
