//! What was done in this run with the files of other programs, for the table that `scripts/conformance.mjs` prints: a line
//! for each file, written once a test has compared what it found. Without `FOREBAY_CONFORMANCE`, which names the file to
//! append to, nothing is written.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests are hosts: they write files")]

use std::{env, fs::OpenOptions, io::Write, path::Path};

/// A file of the corpus holds what its twin says.
pub fn read(file: &Path) {
    done("read", file);
}

/// A file of the corpus is refused, and the error says where.
pub fn refused(file: &Path) {
    done("refused", file);
}

/// What a file of the corpus holds was written in its format and read again without a difference.
pub fn written(file: &Path) {
    done("written", file);
}

/// A program opened a file of Forebay's and found in it what it should; `folder` is that program's in the corpus.
pub fn read_back(folder: &str, program: &str, file: &str) {
    record(serde_json::json!({"did": "read back", "folder": folder, "program": program, "file": file}));
}

fn done(did: &str, file: &Path) {
    let parts = file.iter().map(|part| part.to_str().expect("a name of the corpus")).collect::<Vec<_>>();
    let at = parts.iter().rposition(|part| *part == "corpus").expect("a file of the corpus");
    record(serde_json::json!({"did": did, "file": parts[at + 1..].join("/")}));
}

fn record(line: serde_json::Value) {
    let Some(path) = env::var_os("FOREBAY_CONFORMANCE") else { return };
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    // In one piece: other tests write at the same time.
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
}
