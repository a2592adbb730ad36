//! Numbers of variable length and strings, of which everything else in the file is made.

use std::borrow::Cow;

use super::codes;
use crate::{cursor::Cursor, error::Result};

/// An unsigned number in groups of seven bits, the lowest first. Longer forms than needed are taken.
pub fn leb(c: &mut Cursor<'_>) -> Result<u64> {
    let before = c.clone();
    let mut n = 0u64;
    for shift in (0..).step_by(7) {
        let byte = c.u8()?;
        if shift == 63 && byte > 1 {
            break;
        }
        n |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(n);
        }
    }
    Err(before.error(&codes::STRING, "a number of variable length has more than 64 bits"))
}

/// Appends a number in groups of seven bits.
pub fn put_leb(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// A string: its length in bytes, then UTF-8. Malformed UTF-8 is replaced as ML.NET replaces it.
pub fn string<'a>(c: &mut Cursor<'a>) -> Result<Cow<'a, str>> {
    let n = string_bytes(c)?;
    Ok(lossy(c.take(n)?))
}

/// The length in front of a string: 31 bits in at most five bytes.
pub fn string_bytes(c: &mut Cursor<'_>) -> Result<usize> {
    let before = c.clone();
    let mut n = 0u64;
    for shift in (0..35).step_by(7) {
        let byte = c.u8()?;
        n |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return usize::try_from(n).ok().filter(|&n| n <= i32::MAX as usize).ok_or_else(|| {
                before.error(&codes::STRING, format!("a string of {n} bytes is longer than the format can hold"))
            });
        }
    }
    Err(before.error(&codes::STRING, "the length of a string has more than five bytes"))
}

/// Appends a string with its length.
pub fn put_string(out: &mut Vec<u8>, s: &str) {
    put_leb(out, s.len() as u64);
    out.extend(s.as_bytes());
}

/// UTF-8 as .NET reads it: each maximal malformed part becomes U+FFFD, but a character that the end of the
/// string cuts off is dropped.
pub fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(s) => Cow::Borrowed(s),
        Err(e) => {
            let mut out = String::with_capacity(bytes.len());
            let mut rest = bytes;
            let mut error = Some(e);
            while let Some(e) = error {
                let (good, bad) = rest.split_at(e.valid_up_to());
                out.push_str(&String::from_utf8_lossy(good));
                let Some(skip) = e.error_len() else { return Cow::Owned(out) };
                out.push('\u{fffd}');
                rest = bad.get(skip..).unwrap_or_default();
                error = std::str::from_utf8(rest).err();
            }
            out.push_str(&String::from_utf8_lossy(rest));
            Cow::Owned(out)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cursor(bytes: &[u8]) -> Cursor<'_> {
        Cursor::new(bytes, 0, "test", &codes::TRUNCATED)
    }

    #[test]
    fn numbers_of_variable_length_come_back_and_end() {
        for n in [0, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut out = Vec::new();
            put_leb(&mut out, n);
            assert_eq!(leb(&mut cursor(&out)).unwrap(), n);
        }
        assert_eq!(leb(&mut cursor(&[0x80, 0x80, 0])).unwrap(), 0);
        assert!(leb(&mut cursor(&[0xff; 10])).is_err());
        assert!(string_bytes(&mut cursor(&[0x80; 6])).is_err());
        assert!(string_bytes(&mut cursor(&[0xff, 0xff, 0xff, 0xff, 0x0f])).is_err());
    }

    #[test]
    fn malformed_utf8_reads_as_dotnet_reads_it() {
        assert_eq!(lossy(b"a\xed\xa0\x80b"), "a\u{fffd}\u{fffd}\u{fffd}b");
        assert_eq!(lossy(b"ab\xf0\x9f\x98"), "ab");
        assert_eq!(lossy(b"\xff"), "\u{fffd}");
        assert_eq!(lossy("\u{feff}x".as_bytes()), "\u{feff}x");
    }
}
