//! Writes what is made from the Rust types of reports and options: JSON Schemas, and types of TypeScript and Python.

#![allow(clippy::disallowed_methods, clippy::print_stderr, reason = "a program of the project: files are its work")]

use std::{fs, path::Path, process::ExitCode};

use forebay_tools::types::{ROOT, made};

fn main() -> ExitCode {
    let root = Path::new(ROOT);
    for file in made() {
        let path = root.join(&file.path);
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, file.text));
        if let Err(e) = written {
            eprintln!("error: {}: {e}", file.path);
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
