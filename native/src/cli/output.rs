//! What the command prints, and where: results on standard output, the rest on standard error.

use std::io::{self, IsTerminal, Write};

use forebay::{Error, check::Fault};
use serde::Serialize;
use serde_json::json;

use super::Talk;

/// Printing, in the form that the user asked for.
#[derive(Debug)]
pub(crate) struct Output {
    talk: Talk,
    terminal: bool,
}

impl Output {
    pub fn new(talk: Talk) -> Output {
        Output { talk, terminal: io::stderr().is_terminal() }
    }
    pub fn json(&self) -> bool {
        self.talk.json
    }
    pub fn verbose(&self) -> bool {
        self.talk.verbose
    }
    /// A progress bar is for a person who looks.
    pub fn bar(&self) -> bool {
        self.terminal && !self.talk.quiet && !self.talk.verbose
    }

    /// A line of the result. A reader that has gone away, such as `head`, ends the command quietly; a full disk
    /// does not.
    pub fn line(&self, text: impl AsRef<str>) {
        let mut out = io::stdout().lock();
        match writeln!(out, "{}", text.as_ref()) {
            Ok(()) => {}
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
            Err(e) => {
                eprintln!("error: standard output: {e}");
                std::process::exit(2);
            }
        }
    }
    /// A result as one line of JSON.
    pub fn value(&self, value: &impl Serialize) {
        // A struct of our own always serialises.
        self.line(serde_json::to_string(value).unwrap_or_default());
    }
    /// Something to know that is not the result.
    pub fn note(&self, text: impl AsRef<str>) {
        if !self.talk.quiet {
            eprintln!("{}", text.as_ref());
        }
    }

    /// An error: JSON on standard output, or a sentence on standard error.
    pub fn error(&self, e: &Error) {
        if self.json() {
            let fault = Fault::from(e);
            self.value(&json!({ "error": Named { file: e.place().file.as_deref(), kind: e.kind().name(), fault } }));
        } else {
            eprintln!("error: {e}");
        }
    }
}

#[derive(Serialize)]
struct Named<'a> {
    file: Option<&'a str>,
    kind: &'static str,
    #[serde(flatten)]
    fault: Fault,
}

/// Text from a file, made safe for a terminal: control characters are shown, not obeyed.
pub(crate) fn printable(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect::<Vec<_>>() } else { vec![c] }).collect()
}
