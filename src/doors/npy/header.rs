//! The type and shape of an array, which precede it as a literal of Python.

use super::MAGIC;
use crate::{
    doors::codes,
    error::{Error, Result},
};

/// The most dimensions that NumPy has.
const DIMENSIONS: usize = 64;

/// The kind of an array's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Unsigned,
    Signed,
    Float,
    /// Texts, dates, complex numbers, records: shown by their type.
    Other,
}

/// The header before the values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The type as the file writes it: `<f4`.
    pub descr: String,
    pub kind: Kind,
    /// Bytes of a value.
    pub size: u64,
    pub is_big: bool,
    pub is_fortran: bool,
    pub shape: Vec<u64>,
    /// Bytes of the header, with all that precedes it.
    pub len: u64,
}

impl Header {
    /// How many bytes the values have; `None` if they are too many for 64 bits.
    pub fn bytes(&self) -> Option<u64> {
        self.shape.iter().try_fold(self.size, |all, &n| all.checked_mul(n))
    }
}

fn wrong(message: impl Into<String>) -> Error {
    Error::new(&codes::NPY_HEADER, message).section("header")
}

/// How many bytes a header has, by its first twelve.
pub(super) fn len(head: &[u8]) -> Result<u64> {
    let rest = head.strip_prefix(MAGIC).ok_or_else(|| wrong("the array does not begin as one of NumPy does"))?;
    let short = || wrong("the array ends inside its header");
    match rest {
        [1, _, rest @ ..] => {
            let len = rest.first_chunk::<2>().ok_or_else(short)?;
            Ok(10 + u64::from(u16::from_le_bytes(*len)))
        }
        [2 | 3, _, rest @ ..] => {
            let len = rest.first_chunk::<4>().ok_or_else(short)?;
            Ok(12 + u64::from(u32::from_le_bytes(*len)))
        }
        [major, ..] => Err(wrong(format!("version {major} of the format is not known"))),
        [] => Err(short()),
    }
}

/// Reads a header, all of its bytes.
pub(super) fn read(bytes: &[u8]) -> Result<Header> {
    let len = len(bytes)?;
    let start = if bytes.get(6) == Some(&1) { 10 } else { 12 };
    let text = usize::try_from(len).ok().and_then(|len| bytes.get(start..len));
    let text = text.ok_or_else(|| wrong("the array ends inside its header"))?;
    let text = std::str::from_utf8(text).map_err(|_| wrong("the header is not UTF-8"))?;
    let mut literal = Literal(text);
    let (mut descr, mut is_fortran, mut shape) = (None, None, None);
    literal.expect('{')?;
    while !literal.accept('}') {
        let key = literal.text()?;
        literal.expect(':')?;
        match key {
            "descr" => descr = Some(literal.descr()?),
            "fortran_order" => is_fortran = Some(literal.truth()?),
            "shape" => shape = Some(literal.shape()?),
            other => return Err(wrong(format!("the header has a field {other:?}, which is not known"))),
        }
        if !literal.accept(',') {
            literal.expect('}')?;
            break;
        }
    }
    let all = descr.zip(is_fortran).zip(shape);
    let ((descr, is_fortran), shape) = all.ok_or_else(|| wrong("the header lacks descr, fortran_order or shape"))?;
    let (kind, size, is_big) = dtype(&descr)?;
    let header = Header { descr, kind, size, is_big, is_fortran, shape, len };
    match header.bytes() {
        Some(_) => Ok(header),
        None => Err(wrong("the array has more bytes than there are")),
    }
}

/// A type: its kind, its bytes, and whether the highest of them is the first.
fn dtype(descr: &str) -> Result<(Kind, u64, bool)> {
    // A type of several fields.
    if descr.starts_with('[') {
        return match descr.contains("|O") || descr.contains("'O") {
            true => Err(pickle()),
            false => Ok((Kind::Other, 0, false)),
        };
    }
    let unknown = || wrong(format!("the type {descr:?} is not known"));
    let (order, rest) = descr.split_at_checked(1).ok_or_else(unknown)?;
    let (code, size) = match order {
        "<" | ">" | "|" | "=" => rest.split_at_checked(1).ok_or_else(unknown)?,
        _ => descr.split_at_checked(1).ok_or_else(unknown)?,
    };
    let digits: String = size.chars().take_while(char::is_ascii_digit).collect();
    let size = digits.parse::<u64>().ok();
    if code == "O" {
        return Err(pickle());
    }
    let size = size.ok_or_else(unknown)?;
    let kind = match (code, size) {
        ("b", 1) => Kind::Bool,
        ("u", 1 | 2 | 4 | 8) => Kind::Unsigned,
        ("i", 1 | 2 | 4 | 8) => Kind::Signed,
        ("f", 2 | 4 | 8) => Kind::Float,
        ("U", _) => return Ok((Kind::Other, size.checked_mul(4).ok_or_else(unknown)?, order == ">")),
        ("f" | "c" | "S" | "a" | "V" | "M" | "m", _) => Kind::Other,
        _ => return Err(unknown()),
    };
    Ok((kind, size, order == ">"))
}

fn pickle() -> Error {
    let message =
        "the array holds objects, which is a pickle: code, which is not run here; write it again as numbers or texts";
    Error::new(&codes::PICKLE, message)
}

/// The rest of a literal.
struct Literal<'a>(&'a str);

impl<'a> Literal<'a> {
    fn accept(&mut self, c: char) -> bool {
        self.0 = self.0.trim_start();
        match self.0.strip_prefix(c) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }
    fn expect(&mut self, c: char) -> Result<()> {
        if self.accept(c) { Ok(()) } else { Err(wrong(format!("the header is no dictionary: {c:?} is missing"))) }
    }
    /// A text between quotes, in which nothing is escaped.
    fn text(&mut self) -> Result<&'a str> {
        let quote = if self.accept('\'') { '\'' } else { self.expect('"').map(|()| '"')? };
        let (text, rest) = self.0.split_once(quote).ok_or_else(|| wrong("a text of the header has no end"))?;
        self.0 = rest;
        Ok(text)
    }
    /// A type: a text, or a list of fields, which is kept as it is written.
    fn descr(&mut self) -> Result<String> {
        self.0 = self.0.trim_start();
        if !self.0.starts_with('[') {
            return self.text().map(str::to_owned);
        }
        let mut depth = 0_usize;
        for (at, c) in self.0.char_indices() {
            match c {
                '[' | '(' => depth += 1,
                ']' | ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                let (descr, rest) = self.0.split_at(at + 1);
                self.0 = rest;
                return Ok(descr.to_owned());
            }
        }
        Err(wrong("a type of the header has no end"))
    }
    fn truth(&mut self) -> Result<bool> {
        self.0 = self.0.trim_start();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.0.strip_prefix(word) {
                self.0 = rest;
                return Ok(value);
            }
        }
        Err(wrong("fortran_order is neither True nor False"))
    }
    fn shape(&mut self) -> Result<Vec<u64>> {
        self.expect('(')?;
        let mut shape = Vec::new();
        while !self.accept(')') {
            let digits = self.0.bytes().take_while(u8::is_ascii_digit).count();
            let (number, rest) = self.0.split_at(digits);
            shape.push(number.parse::<u64>().map_err(|_| wrong("a size of the shape is no number"))?);
            // Python 2 wrote long numbers so.
            self.0 = rest.strip_prefix('L').unwrap_or(rest);
            if shape.len() > DIMENSIONS {
                return Err(wrong(format!("an array has at most {DIMENSIONS} dimensions")));
            }
            if !self.accept(',') {
                self.expect(')')?;
                break;
            }
            self.0 = self.0.trim_start();
        }
        Ok(shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Vec<u8> {
        [b"\x93NUMPY\x01\0", &(text.len() as u16).to_le_bytes()[..], text.as_bytes()].concat()
    }

    #[test]
    fn headers_are_read_and_what_is_wrong_is_said() {
        let found = read(&file("{'descr': '>f4', 'fortran_order': False, 'shape': (2, 3L,), }   \n")).unwrap();
        assert_eq!((found.kind, found.size, found.is_big, &found.shape[..]), (Kind::Float, 4, true, &[2, 3][..]));
        assert_eq!(found.bytes(), Some(24));
        assert!(read(&file("{'shape':(),'descr':'|b1','fortran_order':True}")).unwrap().shape.is_empty());
        let code = |text: &str| read(&file(text)).unwrap_err().code().id();
        assert_eq!(code("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }"), "record.pickle");
        assert_eq!(code("{'descr': [('a', '|O')], 'fortran_order': False, 'shape': (2,), }"), "record.pickle");
        for text in [
            "",
            "{",
            "{'descr': '<f4'}",
            "{'descr': '<q9', 'fortran_order': False, 'shape': (2,), }",
            "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (18446744073709551615, 2), }",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
            "{'x': '<f8'}",
        ] {
            assert_eq!(code(text), "npy.header", "{text}");
        }
    }
}
