//! JSON outwards, piece by piece.

use std::fmt::Write;

use crate::error::Result;

/// Bytes that are gathered before they go out.
const PIECE: usize = 64 << 10;

/// What was written and has not gone out yet.
pub(crate) struct Pieces<'p> {
    pub text: String,
    put: &'p mut dyn FnMut(&[u8]) -> Result<()>,
}

impl<'p> Pieces<'p> {
    pub fn new(put: &'p mut dyn FnMut(&[u8]) -> Result<()>) -> Pieces<'p> {
        Pieces { text: String::new(), put }
    }

    /// Lets it go out, if there is enough of it.
    pub fn flow(&mut self) -> Result<()> {
        if self.text.len() < PIECE { Ok(()) } else { self.flush() }
    }

    /// Lets it go out.
    pub fn flush(&mut self) -> Result<()> {
        (self.put)(self.text.as_bytes())?;
        self.text.clear();
        Ok(())
    }
}

/// Appends a number: whole ones without a point, others with as many digits as tell them from their neighbors.
pub(crate) fn number(out: &mut String, value: f64) {
    // Writing to a `String` cannot fail.
    let _ = match value {
        _ if !value.is_finite() => write!(out, "null"),
        _ if value.fract() == 0.0 && value.abs() < 1e15 => write!(out, "{}", value as i64),
        _ => write!(out, "{value:?}"),
    };
}

/// Appends a text in quotation marks.
pub(crate) fn string(out: &mut String, text: &str) {
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}
