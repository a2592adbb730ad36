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
    match value {
        _ if !value.is_finite() => out.push_str("null"),
        _ if value.fract() == 0.0 && value.abs() < 1e15 => whole(out, value as i64),
        // Writing to a `String` cannot fail.
        _ => drop(write!(out, "{value:?}")),
    }
}

/// Appends a whole number: there are many, and most have few digits.
pub(crate) fn whole(out: &mut String, value: i64) {
    let mut left = value.unsigned_abs();
    let mut digits = [b'0'; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (left % 10) as u8;
        left /= 10;
        if left == 0 {
            break;
        }
    }
    if value < 0 {
        out.push('-');
    }
    // Digits are text.
    out.push_str(std::str::from_utf8(&digits[at..]).unwrap_or_default());
}

/// Appends a text in quotation marks.
pub(crate) fn string(out: &mut String, text: &str) {
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn whole_numbers_are_written_as_others_write_them(value in prop_oneof![any::<i64>(), -2000..2000_i64]) {
            let mut out = String::from("x");
            whole(&mut out, value);
            prop_assert_eq!(out, format!("x{value}"));
        }
    }
}
