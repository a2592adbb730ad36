//! What the tests of the command share: its program, and what the library's tests share.
#![allow(dead_code, unused_imports, reason = "each test file uses its own part")]

use std::process::{Command, Output};

#[path = "../../../native/tests/common/mod.rs"]
mod native;

pub use native::*;

/// The command under test.
pub const FOREBAY: &str = env!("CARGO_BIN_EXE_forebay");

/// Runs the command to its end.
pub fn forebay<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Output {
    Command::new(FOREBAY).args(arguments).output().unwrap()
}

/// The one error that a command with `--json` gave, and that nothing else was said on stdout.
pub fn error_of(output: &Output) -> serde_json::Value {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let value: serde_json::Value =
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("no single JSON value ({e}): {text:?}"));
    assert!(value["error"]["code"].is_string(), "{text}");
    assert!(value["error"]["message"].as_str().is_some_and(|m| !m.is_empty()), "{text}");
    value["error"].clone()
}
