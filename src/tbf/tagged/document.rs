//! Layout T: one value in which everything carries a tag.
//!
//! A [`Document`] is checked once, whole, and then read where it stands: no tree is built, so a large document
//! costs no memory but its dictionary.

use bytes::Bytes;

use crate::{
    cursor::Cursor,
    error::{Error, Result},
    limits::Limits,
    table::{DataType, JsonStyle, Strings, Value},
    tbf::{codes, raw},
};

/// The bytes in front of the dictionary.
pub const HEADER: usize = 8;

/// A checked document of layout T.
#[derive(Clone, Debug)]
pub struct Document {
    pub(super) body: Bytes,
    /// Where `body` begins in the file.
    pub(super) base: u64,
    pub(super) strings: Strings,
}

/// One value's tag with what follows it; of lists and maps only the count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    Null,
    Bool(bool),
    Int(i64, u8),
    UInt(u64, u8),
    I128(i128),
    U128(u128),
    F32(f32),
    F64(f64),
    Str(usize),
    Bytes(&'a [u8]),
    Char(char),
    Seq(usize),
    Map(usize),
}

pub(in crate::tbf) mod tag {
    #![allow(missing_docs)]
    pub const NULL: u8 = 0x00;
    pub const BOOL: u8 = 0x01;
    pub const INT: u8 = 0x02;
    pub const FLOAT: u8 = 0x03;
    pub const STRING: u8 = 0x04;
    pub const BYTES: u8 = 0x05;
    pub const SEQ: u8 = 0x06;
    pub const MAP: u8 = 0x07;
    pub const UNIT: u8 = 0x08;
    pub const NONE: u8 = 0x09;
    pub const SOME: u8 = 0x0a;
    pub const I8: u8 = 0x0b;
    pub const I16: u8 = 0x0c;
    pub const I32: u8 = 0x0d;
    pub const I64: u8 = 0x0e;
    pub const I128: u8 = 0x0f;
    pub const U8: u8 = 0x10;
    pub const U16: u8 = 0x11;
    pub const U32: u8 = 0x12;
    pub const U64: u8 = 0x13;
    pub const U128: u8 = 0x14;
    pub const F32: u8 = 0x15;
    pub const F64: u8 = 0x16;
    pub const CHAR: u8 = 0x17;
}

/// The next token. `entries` is the size of the dictionary.
pub(super) fn token<'a>(c: &mut Cursor<'a>, entries: usize) -> Result<Token<'a>> {
    let before = c.clone();
    let mut kind = c.u8()?;
    // A present optional value is the value. Runs of the tag are as long as the file at most.
    while kind == tag::SOME {
        kind = c.u8()?;
    }
    let narrow = |n: i64, low: i64, high: i64| {
        let ok = (low..=high).contains(&n);
        if ok {
            Ok(Token::Int(n, kind))
        } else {
            Err(before.error(&codes::VALUE, format!("{n} is outside of its tag's type")))
        }
    };
    let narrow_unsigned = |n: u64, high: u64| {
        if n <= high {
            Ok(Token::UInt(n, kind))
        } else {
            Err(before.error(&codes::VALUE, format!("{n} is outside of its tag's type")))
        }
    };
    match kind {
        tag::NULL | tag::UNIT | tag::NONE => Ok(Token::Null),
        tag::BOOL => Ok(Token::Bool(c.u8()? != 0)),
        tag::INT | tag::I64 => Ok(Token::Int(raw::unzigzag(raw::varint(c)?), tag::I64)),
        tag::FLOAT | tag::F64 => Ok(Token::F64(c.f64()?)),
        tag::STRING => match raw::varint(c)? {
            n if n < entries as u64 => Ok(Token::Str(n as usize)),
            n => Err(before.error(&codes::INDEX, format!("text {n} of a dictionary of {entries}"))),
        },
        tag::BYTES => {
            let n = raw::varint(c)?;
            Ok(Token::Bytes(c.take_u64(n)?))
        }
        tag::SEQ => Ok(Token::Seq(raw::count(c, 1, 0, "items")?)),
        tag::MAP => Ok(Token::Map(raw::count(c, 2, 0, "pairs")?)),
        tag::I8 => Ok(Token::Int(c.i8()?.into(), kind)),
        tag::I16 => narrow(raw::unzigzag(raw::varint(c)?), i16::MIN.into(), i16::MAX.into()),
        tag::I32 => narrow(raw::unzigzag(raw::varint(c)?), i32::MIN.into(), i32::MAX.into()),
        tag::I128 => {
            let n = raw::varint128(c)?;
            Ok(Token::I128((n >> 1) as i128 ^ -((n & 1) as i128)))
        }
        tag::U8 => Ok(Token::UInt(c.u8()?.into(), kind)),
        tag::U16 => narrow_unsigned(raw::varint(c)?, u16::MAX.into()),
        tag::U32 => narrow_unsigned(raw::varint(c)?, u32::MAX.into()),
        tag::U64 => Ok(Token::UInt(raw::varint(c)?, kind)),
        tag::U128 => Ok(Token::U128(raw::varint128(c)?)),
        tag::F32 => Ok(Token::F32(c.f32()?)),
        tag::CHAR => match u32::try_from(raw::varint(c)?).ok().and_then(char::from_u32) {
            Some(ch) => Ok(Token::Char(ch)),
            None => Err(before.error(&codes::VALUE, "a number that is not a character")),
        },
        other => Err(before.error(&codes::TAG, format!("there is no tag {other:#04x}"))),
    }
}

/// Passes over one value, checking it.
pub(super) fn skip(c: &mut Cursor<'_>, entries: usize, depth: u32, limits: &Limits) -> Result<()> {
    limits.depth(depth).map_err(|e| e.offset(c.offset()))?;
    match token(c, entries)? {
        Token::Seq(n) => (0..n).try_for_each(|_| skip(c, entries, depth + 1, limits)),
        Token::Map(n) => (0..n).try_for_each(|_| {
            let before = c.clone();
            if matches!(token(c, entries)?, Token::Seq(_) | Token::Map(_)) {
                return Err(before.error(&codes::TAG, "a list or a map as the key of a map"));
            }
            skip(c, entries, depth + 1, limits)
        }),
        _ => Ok(()),
    }
}

/// True if the bytes are those of layout T (or U, which looks the same) rather than D.
pub fn has_header(first: &[u8]) -> bool {
    matches!(first, [b'T', b'B', b'F', 1, 1, _, 0, 0, ..])
}

impl Document {
    /// Reads and checks a whole file.
    pub fn read(file: &Bytes, limits: &Limits) -> Result<Self> {
        if !has_header(file) {
            return Err(Error::new(&codes::MAGIC, "the first bytes are not those of a tagged document").offset(0));
        }
        let flags = file.get(5).copied().unwrap_or_default();
        let mut c = Cursor::new(file, 0, "document", &codes::TRUNCATED);
        c.take(HEADER)?;
        let strings = raw::dictionary(&mut c)?;
        if flags & 0x10 != 0 {
            return Err(c.error(&codes::VERSION, "the file has a schema section, which no writer has ever written"));
        }
        if flags & 0x04 != 0 {
            skip_codecs(&mut c)?;
        }
        let start = c.position();
        skip(&mut c, strings.len(), 1, limits)?;
        let end = c.position();
        if !c.is_empty() && !is_statistics(c.rest(), end as u64) {
            let message = "bytes follow the value; a file that holds an enum cannot be read without its Rust type";
            return Err(c.error(&codes::TRAILING, message));
        }
        Ok(Document { body: file.slice(start..end), base: start as u64, strings })
    }

    /// A document whose body was made here and is known to be right.
    pub(super) fn from_parts(body: Vec<u8>, strings: Strings) -> Self {
        Document { body: body.into(), base: 0, strings }
    }

    pub(super) fn cursor(&self) -> Cursor<'_> {
        Cursor::new(&self.body, self.base, "document", &codes::TRUNCATED)
    }

    /// The dictionary: keys and texts, each once.
    pub fn strings(&self) -> &Strings {
        &self.strings
    }

    /// Appends the document as JSON. Numbers keep all digits, NaN and infinities are strings, bytes are base64.
    pub fn write_json(&self, out: &mut String) -> Result<()> {
        self.value_json(&mut self.cursor(), out)
    }

    /// The document as JSON.
    pub fn to_json(&self) -> Result<String> {
        let mut out = String::new();
        self.write_json(&mut out)?;
        Ok(out)
    }

    /// Appends the value at the cursor.
    pub(super) fn value_json(&self, c: &mut Cursor<'_>, out: &mut String) -> Result<()> {
        match token(c, self.strings.len())? {
            Token::Seq(n) => {
                out.push('[');
                for i in 0..n {
                    if i > 0 {
                        out.push(',');
                    }
                    self.value_json(c, out)?;
                }
                out.push(']');
            }
            Token::Map(n) => {
                out.push('{');
                for i in 0..n {
                    if i > 0 {
                        out.push(',');
                    }
                    let mut key = String::new();
                    self.scalar_json(token(c, self.strings.len())?, &mut key);
                    if !key.starts_with('"') {
                        key = format!("\"{key}\"");
                    }
                    out.push_str(&key);
                    out.push(':');
                    self.value_json(c, out)?;
                }
                out.push('}');
            }
            scalar => self.scalar_json(scalar, out),
        }
        Ok(())
    }

    fn scalar_json(&self, token: Token<'_>, out: &mut String) {
        match token {
            Token::I128(n) => out.push_str(&n.to_string()),
            Token::U128(n) => out.push_str(&n.to_string()),
            Token::Char(ch) => Value::Str(ch.encode_utf8(&mut [0; 4])).write_json(out, JsonStyle::default()),
            other => self.cell(other).write_json(out, JsonStyle::default()),
        }
    }

    /// A scalar as a cell; what cells cannot hold is `Null`, and is asked for as JSON.
    pub(super) fn cell<'a>(&'a self, token: Token<'a>) -> Value<'a> {
        match token {
            Token::Bool(b) => Value::Bool(b),
            Token::Int(n, _) => Value::Int(n),
            Token::UInt(n, _) => Value::UInt(n),
            Token::F32(x) => Value::F32(x),
            Token::F64(x) => Value::F64(x),
            Token::Str(i) => Value::Str(self.strings.get(i)),
            Token::Bytes(b) => Value::Bytes(b),
            _ => Value::Null,
        }
    }
}

/// The section of codec metadata, which describes nothing: its entries are passed over by their lengths.
fn skip_codecs(c: &mut Cursor<'_>) -> Result<()> {
    let n = raw::count(c, 1, 0, "codec entries")?;
    (0..n).try_for_each(|_| {
        let length = raw::varint(c)?;
        c.take_u64(length).map(|_| ())
    })
}

/// True for a statistics footer: a mark, anything, and the position of the mark.
fn is_statistics(rest: &[u8], position: u64) -> bool {
    rest.starts_with(&[0xf1, 1])
        && rest.len() >= 11
        && rest.last_chunk::<8>().is_some_and(|at| u64::from_le_bytes(*at) == position)
}

/// The column type of a scalar's tag.
pub(super) fn type_of(token: &Token<'_>) -> Option<DataType> {
    Some(match token {
        Token::Bool(_) => DataType::Bool,
        Token::Int(_, tag::I8) => DataType::I8,
        Token::Int(_, tag::I16) => DataType::I16,
        Token::Int(_, tag::I32) => DataType::I32,
        Token::Int(..) => DataType::I64,
        Token::UInt(_, tag::U8) => DataType::U8,
        Token::UInt(_, tag::U16) => DataType::U16,
        Token::UInt(_, tag::U32) => DataType::U32,
        Token::UInt(..) => DataType::U64,
        Token::F32(_) => DataType::F32,
        Token::F64(_) => DataType::F64,
        Token::Str(_) => DataType::String,
        Token::Bytes(_) => DataType::Bytes,
        _ => return None,
    })
}
