//! What the command prints, and where: results on standard output, the rest on standard error.
//!
//! Printing never ends work. Where standard output is closed or full, nothing more is printed and the work goes on; the
//! exit code says what became of it, and a full one, or any other failure but a reader who left, makes a 0 a 2. Where
//! standard error is closed or full there is nobody to tell, and that is all.

use std::{
    io::{self, IsTerminal, Write},
    sync::OnceLock,
};

use forebay::{Error, Result, check::Fault};
use forebay_native::input::io_error;
use serde::Serialize;

use crate::hints::hint_by_file;

/// How much is said, and in which form.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Talk {
    /// Print JSON instead of text.
    #[arg(long, global = true)]
    pub json: bool,
    /// Print only results and errors.
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Report progress line by line.
    #[arg(long, short, global = true)]
    pub verbose: bool,
}

/// Printing, in the form that the user asked for.
#[derive(Debug)]
pub(crate) struct Output {
    talk: Talk,
    terminal: bool,
    /// Why nothing more can be printed.
    failed: OnceLock<io::Error>,
    /// There is nothing to do but print.
    only_prints: bool,
}

impl Output {
    pub fn new(talk: Talk) -> Output {
        Output { talk, terminal: io::stderr().is_terminal(), failed: OnceLock::new(), only_prints: false }
    }
    /// For a command that has nothing to do but print: it ends where that ends.
    pub fn only_prints(mut self, only: bool) -> Output {
        self.only_prints = only;
        self
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

    /// A line of the result for a person. What came from a file must not steer the terminal, wherever it stands.
    pub fn line(&self, text: impl AsRef<str>) {
        self.raw(text.as_ref().split('\n').map(printable).collect::<Vec<_>>().join("\n"));
    }
    /// A line of the result for a program, as it is.
    pub fn raw(&self, text: impl AsRef<str>) {
        if self.failed.get().is_some() {
            return;
        }
        let mut out = io::stdout().lock();
        let text = text.as_ref().as_bytes();
        let printed = out.write_all(text).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
        drop(out);
        if let Err(e) = printed {
            let _ = self.failed.set(e);
            if self.only_prints {
                std::process::exit(self.end(0).into());
            }
        }
    }

    /// The exit code of work that ended with `code`. Says on standard error why nothing was printed.
    pub fn end(&self, code: u8) -> u8 {
        match self.failed.get() {
            Some(e) if e.kind() != io::ErrorKind::BrokenPipe => {
                say(&format!("error: standard output: {e}"));
                if code == 0 { 2 } else { code }
            }
            _ => code,
        }
    }
    /// A result as one line of JSON.
    pub fn value(&self, value: &impl Serialize) {
        // A struct of our own always serializes.
        self.raw(serde_json::to_string(value).unwrap_or_default());
    }
    /// Something to know that is not the result.
    pub fn note(&self, text: impl AsRef<str>) {
        if !self.talk.quiet {
            say(&printable(text.as_ref()));
        }
    }

    /// An error: JSON on standard output, or a sentence on standard error.
    pub fn error(&self, e: Error) {
        let options: Vec<_> = e.options().iter().map(|name| option(name)).collect();
        let e = if options.is_empty() { e } else { e.more(&format!("see {}", options.join(", "))) };
        let is_missing = |e: &Error| {
            let cause = std::error::Error::source(e).and_then(|cause| cause.downcast_ref::<io::Error>());
            cause.is_some_and(|cause| cause.kind() == io::ErrorKind::NotFound)
        };
        let hint = e.place().file.as_deref().filter(|_| is_missing(&e)).and_then(hint_by_file);
        let e = if let Some(hint) = hint { e.more(&hint) } else { e };
        if self.json() {
            let fault = Fault::from(&e);
            self.value(&Failed { error: Named { file: e.place().file.as_deref(), fault } });
        } else {
            say(&format!("error: {}", printable(&e.to_string())));
        }
    }
}

/// What the command calls an option of the libraries.
fn option(name: &str) -> String {
    let name = match name {
        "format" => "from",
        "spec" => "schema",
        same => same,
    };
    format!("--{}", name.replace('_', "-"))
}

/// A line on standard error. If it cannot be written, there is nobody to tell.
pub(super) fn say(line: &str) {
    let _ = io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}

/// Prints a whole text that is the command's only result. A reader who has enough is content.
pub(super) fn print_all(text: &[u8]) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(io_error("standard output", "write", e)),
        _ => Ok(()),
    }
}

/// What every command prints instead of a report if it fails.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Error"))]
pub(crate) struct Failed<'a> {
    /// What went wrong.
    error: Named<'a>,
}

/// An error, and where it is.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "NamedError"))]
struct Named<'a> {
    /// The file.
    file: Option<&'a str>,
    #[serde(flatten)]
    fault: Fault,
}

/// Text from a file, made safe for a terminal: what would steer it or reorder the line is shown by its number.
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_control() || reorders(c) {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
    }
    out
}

/// Whether a character, itself unseen, turns the direction of what stands around it (`photo\u{202e}gpj.exe` looks
/// like an image) or ends the line.
fn reorders(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A fault in one line.
pub(crate) fn describe(fault: &Fault) -> String {
    let mut place = Vec::new();
    place.extend(fault.file.as_ref().map(|name| printable(name).to_string()));
    place.extend(fault.section.map(str::to_owned));
    place.extend(fault.member.as_ref().map(|m| format!("member {}", printable(m))));
    place.extend(fault.sample.map(|i| format!("sample {i}")));
    place.extend(fault.column.as_ref().map(|name| format!("column {}", printable(name))));
    place.extend(fault.block.map(|i| format!("block {i}")));
    place.extend(fault.row.map(|i| format!("row {i}")));
    place.extend(fault.offset.map(|at| format!("byte {at}")));
    let place = if place.is_empty() { String::new() } else { format!("{}: ", place.join(", ")) };
    format!("{place}{} [{}]", printable(&fault.message), fault.code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_or_turns_text_is_shown_by_its_number() {
        assert_eq!(printable("a\u{1b}[2Jb\rc\u{9b}d\n"), "a\\u{1b}[2Jb\\rc\\u{9b}d\\n");
        assert_eq!(printable("photo\u{202e}gpj.exe"), "photo\\u{202e}gpj.exe");
        assert_eq!(printable("\u{2067}\u{2069}\u{200f}\u{61c}\u{2028}"), r"\u{2067}\u{2069}\u{200f}\u{61c}\u{2028}");
        for plain in ["日本 é שלום مرحبا", "👩\u{200d}🚀", "a\\b"] {
            assert_eq!(printable(plain), plain);
        }
    }
}
