//! Where in a text something is wrong.

use crate::error::{Code, Error};

/// A place in a text, as people count it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spot {
    /// The line, from 1; 0 where it is not known.
    pub line: u64,
    /// The character in the line, from 1; 0 where it is not known.
    pub character: u64,
    /// The way from the outermost value to the one that is meant, such as `annotations[1].bbox`; empty where there is
    /// none.
    pub path: String,
}

impl Spot {
    /// The beginning of a line.
    pub fn line(line: u64) -> Spot {
        Spot { line, ..Spot::default() }
    }

    /// Where a byte of a text lies. Looks at all bytes before it: for errors, of which there is one.
    pub fn of(text: &[u8], offset: usize) -> Spot {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        // Characters, not bytes: a byte that goes on with one begins none.
        let character = before[start..].iter().filter(|byte| **byte & 0xc0 != 0x80).count() as u64 + 1;
        Spot { line, character, path: String::new() }
    }

    /// The same place with the way to the value.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Spot {
        self.path = path.into();
        self
    }

    /// An error that lies here.
    pub fn fault(&self, code: &'static Code, message: impl Into<String>) -> Error {
        let mut error = Error::new(code, message);
        if self.line > 0 {
            error = error.line(self.line, self.character);
        }
        if self.path.is_empty() { error } else { error.path(self.path.clone()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_counted_in_lines_and_characters() {
        let spot = Spot::of("{\n \"é\": x".as_bytes(), 9);
        assert_eq!((spot.line, spot.character), (2, 7));
        let error = spot.path("a[1].b").fault(&super::super::codes::NUMBER, "x is not a number");
        assert_eq!(error.to_string(), "line 2, character 7, a[1].b: x is not a number [label.number]");
    }
}
