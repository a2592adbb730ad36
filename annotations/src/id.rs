//! Identifiers in label files.

use std::fmt;

/// An identifier: numbers are kept to the last digit, which a floating-point number would not do.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Id {
    /// A number.
    Number(i64),
    /// A text.
    Text(Box<str>),
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Id::Number(n) => write!(f, "{n}"),
            Id::Text(text) => write!(f, "{text:?}"),
        }
    }
}

impl From<i64> for Id {
    fn from(n: i64) -> Id {
        Id::Number(n)
    }
}
