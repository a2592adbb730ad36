//! What the process answers with when it ends: 0 fine, 1 the file is damaged, 2 usage or I/O, 3 not supported.

use std::{ffi::OsString, io::Write};

use forebay::{Error, Result, error::Kind};

use crate::{
    hints::hint,
    output::{self, Output, Talk},
};

/// The exit code for an error of this kind.
pub fn exit_code(kind: Kind) -> u8 {
    match kind {
        Kind::Damaged | Kind::Limit => 1,
        Kind::Unsupported => 3,
        // Usage, the system, and what is new in the library.
        _ => 2,
    }
}

/// What a command that did its work has to say about the files; what is worse comes later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// All is well.
    Fine,
    /// Of several files one is not supported.
    Unsupported,
    /// A file is damaged, or two files differ.
    Damaged,
    /// Of several files one could not be looked at.
    Failed,
}

impl Outcome {
    /// What an error makes of the work, where others go on.
    pub fn of(e: &Error) -> Outcome {
        match e.kind() {
            Kind::Damaged | Kind::Limit => Outcome::Damaged,
            Kind::Unsupported => Outcome::Unsupported,
            _ => Outcome::Failed,
        }
    }

    fn exit_code(self) -> u8 {
        match self {
            Outcome::Fine => 0,
            Outcome::Damaged => exit_code(Kind::Damaged),
            Outcome::Failed => exit_code(Kind::Io),
            Outcome::Unsupported => exit_code(Kind::Unsupported),
        }
    }
}

pub(crate) fn finish(outcome: Result<Outcome>, out: &Output) -> u8 {
    match outcome {
        Ok(outcome) => out.end(outcome.exit_code()),
        Err(e) => {
            let exit = exit_code(e.kind());
            out.error(e);
            out.end(exit)
        }
    }
}

/// What clap says: help and version are not errors, unless nobody can read them; with `--json` a wrong argument is an
/// error like any other.
pub(crate) fn usage(e: &clap::Error, words: &[OsString]) -> u8 {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    let help = matches!(e.kind(), DisplayHelp | DisplayVersion | DisplayHelpOnMissingArgumentOrSubcommand);
    if !help && words.iter().any(|word| word == "--json") {
        let text = e.to_string();
        let text = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default().trim();
        let mut error = Error::new(&forebay::error::codes::ARGUMENT, text);
        if let Some(hint) = hint(e) {
            error = error.more(&hint);
        }
        return finish(Err(error), &Output::new(Talk { json: true, ..Talk::default() }));
    }
    let printed = e.print().and_then(|()| std::io::stdout().flush());
    if let Some(hint) = hint(e) {
        output::say(&format!("\n  {hint}"));
    }
    let code = e.exit_code() as u8;
    match printed {
        Err(e) if code == 0 && e.kind() != std::io::ErrorKind::BrokenPipe => {
            output::say(&format!("error: standard output: {e}"));
            2
        }
        // If a mistake cannot be told there is nobody to tell.
        _ => code,
    }
}
