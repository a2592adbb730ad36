//! Outputs that are there already, or came meanwhile.

use forebay::{Error, error::codes};

pub(super) fn exists() -> Error {
    Error::new(&codes::ARGUMENT, "the output exists already, and is left as it is").with_options(&["force"])
}

const APPEARED: &str = "the output exists since this began, and is left as it is";
pub(super) const CHANGED: &str =
    "the object changed while this was written, and is left as it is; run the command again";

pub(super) fn appeared() -> Error {
    Error::new(&codes::ARGUMENT, APPEARED).with_options(&["force"])
}

/// Whether an error says that somebody else wrote the output meanwhile.
pub(crate) fn is_overtaken(e: &Error) -> bool {
    e.code() == &codes::ARGUMENT && [APPEARED, CHANGED].contains(&e.message())
}
