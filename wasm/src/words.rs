//! Choices that JavaScript makes by a word, which are the core's.

use forebay::{Error, Result, error::codes::ARGUMENT, words::Word};

/// The choice with this word; `default` without one.
pub(crate) fn chosen<T: Word>(what: &str, word: Option<&str>, default: T) -> Result<T> {
    word.map_or(Ok(default), |word| T::from_word(word).ok_or_else(|| unknown(what, word)))
}

/// That there is no such choice.
pub(crate) fn unknown(what: &str, word: &str) -> Error {
    Error::new(&ARGUMENT, format!("there is no {what} {word:?}"))
}
