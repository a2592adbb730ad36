//! Why reading stopped: more bytes are needed, or something is wrong.

use std::fmt::Display;

use crate::{
    Spot, codes,
    error::{Code, Error},
};

/// What reading gives.
pub(crate) type Got<T> = Result<T, Stop>;

/// Why reading stopped.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The bytes end, and more may come.
    More,
    /// Something is wrong.
    Wrong(Box<Wrong>),
}

/// What is wrong, and where in the bytes in memory.
#[derive(Debug)]
pub(crate) struct Wrong {
    /// The byte.
    pub at: usize,
    path: String,
    code: &'static Code,
    message: String,
    options: &'static [&'static str],
}

impl Stop {
    /// Something is wrong at a byte.
    #[cold]
    pub fn wrong(at: usize, code: &'static Code, message: impl Into<String>) -> Stop {
        Stop::Wrong(Box::new(Wrong { at, path: String::new(), code, message: message.into(), options: &[] }))
    }

    /// The text breaks JSON's rules at a byte.
    #[cold]
    pub fn syntax(at: usize, message: impl Into<String>) -> Stop {
        Stop::wrong(at, &codes::SYNTAX, message)
    }

    /// Names the options that let it go on.
    #[cold]
    pub fn options(mut self, names: &'static [&'static str]) -> Stop {
        if let Stop::Wrong(wrong) = &mut self {
            wrong.options = names;
        }
        self
    }

    /// The same with one more step of the way in front: a key, or an index as `[3]`.
    #[cold]
    pub fn inside(mut self, step: impl Display) -> Stop {
        if let Stop::Wrong(wrong) = &mut self {
            let dot = if wrong.path.is_empty() || wrong.path.starts_with('[') { "" } else { "." };
            wrong.path = format!("{step}{dot}{}", wrong.path);
        }
        self
    }
}

impl Wrong {
    /// As an error, told where the byte lies.
    pub fn error(self, spot: Spot) -> Error {
        spot.path(self.path).fault(self.code, self.message).with_options(self.options)
    }
}

/// Adds a step of the way to what is wrong.
pub(crate) fn within<T>(got: Got<T>, step: impl Display) -> Got<T> {
    match got {
        Ok(value) => Ok(value),
        Err(stop) => Err(stop.inside(step)),
    }
}
