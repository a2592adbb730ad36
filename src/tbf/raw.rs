//! The pieces that all layouts share: variable-length integers, and dictionaries of strings.

use bytes::Bytes;

use super::codes;
use crate::{
    cursor::Cursor,
    error::{Error, Result},
    table::{Buffer, Strings},
};

/// The first bytes of layouts D, T and U.
pub const MAGIC_TBF: [u8; 4] = *b"TBF\x01";
/// The first bytes of layout C.
pub const MAGIC_COLUMNAR: [u8; 4] = *b"TBC\x01";
/// The first bytes of layout S.
pub const MAGIC_SCHEMA: [u8; 4] = *b"SCH\x01";
/// The first bytes of layout L.
pub const MAGIC_ULTRA: [u8; 4] = *b"ULT\x01";

/// Reads an unsigned LEB128 of 64 bits: at most 10 bytes, and no bits beyond the 64th.
pub fn varint(c: &mut Cursor<'_>) -> Result<u64> {
    let before = c.clone();
    let mut at = 0;
    match read_varint(c.rest(), &mut at) {
        Some(n) => {
            c.take(at)?;
            Ok(n)
        }
        None => Err(bad_varint(&before)),
    }
}

/// Why no integer could be read.
pub(super) fn bad_varint(c: &Cursor<'_>) -> Error {
    if c.rest().iter().take(10).all(|b| b & 0x80 != 0) && c.remaining() < 10 {
        return c.error(&codes::TRUNCATED, "the file ends inside of a number");
    }
    c.error(&codes::VARINT, "a number of more than 64 bits")
}

/// The integer at `at`, which moves past it; `None` where there is none.
#[inline]
pub fn read_varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let rest = bytes.get(*at..)?;
    let (&first, _) = rest.split_first()?;
    if first < 0x80 {
        *at += 1;
        return Some(first.into());
    }
    if let Some(chunk) = rest.first_chunk::<8>() {
        // Eight bytes at once: the lowest clear top bit is the end.
        let word = u64::from_le_bytes(*chunk);
        let ends = !word & 0x8080_8080_8080_8080;
        if ends != 0 {
            let bits = ends.trailing_zeros() + 1;
            *at += (bits / 8) as usize;
            return Some(gather(word & (u64::MAX >> (64 - bits))));
        }
    }
    slow_varint(rest, at)
}

/// Eight groups of seven bits, put together.
#[inline]
fn gather(word: u64) -> u64 {
    let w = word & 0x7f7f_7f7f_7f7f_7f7f;
    let w = (w & 0x007f_007f_007f_007f) | (w & 0x7f00_7f00_7f00_7f00) >> 1;
    let w = (w & 0x0000_3fff_0000_3fff) | (w & 0x3fff_0000_3fff_0000) >> 2;
    (w & 0x0fff_ffff) | (w & 0x0fff_ffff_0000_0000) >> 4
}

#[cold]
fn slow_varint(rest: &[u8], at: &mut usize) -> Option<u64> {
    let mut n = 0u64;
    for (i, &b) in rest.iter().take(10).enumerate() {
        let group = u64::from(b & 0x7f);
        if i == 9 && group > 1 {
            return None;
        }
        n |= group << (7 * i);
        if b < 0x80 {
            *at += i + 1;
            return Some(n);
        }
    }
    None
}

/// Reads an unsigned LEB128 of 128 bits.
pub fn varint128(c: &mut Cursor<'_>) -> Result<u128> {
    let before = c.clone();
    let mut n = 0u128;
    for i in 0..19 {
        let b = c.u8()?;
        let group = u128::from(b & 0x7f);
        if i == 18 && group > 3 {
            break;
        }
        n |= group << (7 * i);
        if b < 0x80 {
            return Ok(n);
        }
    }
    Err(before.error(&codes::VARINT, "a number of more than 128 bits"))
}

/// Appends an unsigned LEB128, as short as it can be.
#[inline]
pub fn put_varint(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// Appends many, several times as fast as one by one.
pub(super) fn put_varints(out: &mut Vec<u8>, numbers: impl Iterator<Item = u64>) {
    const ROOM: usize = 4096;
    let mut scratch = [0u8; ROOM];
    let mut at = 0;
    for n in numbers {
        if at + 10 > ROOM {
            out.extend_from_slice(&scratch[..at]);
            at = 0;
        }
        let len = varint_len(n);
        if let (0..=8, Some(slot)) = (len, scratch.get_mut(at..at + 8)) {
            // All bytes at once; those past the end are overwritten by the next number.
            let more = 0x8080_8080_8080_8080 & !(u64::MAX << (8 * (len - 1)));
            slot.copy_from_slice(&(spread(n) | more).to_le_bytes());
            at += len;
        } else {
            out.extend_from_slice(&scratch[..at]);
            at = 0;
            put_varint(out, n);
        }
    }
    out.extend_from_slice(&scratch[..at]);
}

/// The inverse of [`gather`].
#[inline]
fn spread(n: u64) -> u64 {
    let w = (n & 0x0fff_ffff) | (n & 0x00ff_ffff_f000_0000) << 4;
    let w = (w & 0x0000_3fff_0000_3fff) | (w & 0x0fff_c000_0fff_c000) << 2;
    (w & 0x007f_007f_007f_007f) | (w & 0x3f80_3f80_3f80_3f80) << 1
}

/// How many bytes [`put_varint`] appends.
#[inline]
pub const fn varint_len(n: u64) -> usize {
    ((64 - (n | 1).leading_zeros()) as usize).div_ceil(7)
}

/// Signed integers with small magnitudes as small unsigned ones.
#[inline]
pub const fn zigzag(n: i64) -> u64 {
    (n << 1 ^ n >> 63) as u64
}

/// The inverse of [`zigzag`].
#[inline]
pub const fn unzigzag(n: u64) -> i64 {
    (n >> 1) as i64 ^ -((n & 1) as i64)
}

/// Reads a count of things that take at least `least` bytes each (0 where they may take none, which is then
/// held against `most`).
pub fn count(c: &mut Cursor<'_>, least: usize, most: u64, what: &str) -> Result<usize> {
    let before = c.clone();
    let n = varint(c)?;
    let possible = if least == 0 { most } else { c.remaining() as u64 / least as u64 };
    match usize::try_from(n) {
        Ok(count) if n <= possible => Ok(count),
        _ => Err(before.error(&codes::COUNT, format!("{n} {what}, where {} bytes are left", c.remaining()))),
    }
}

/// Reads `n` strings with their lengths. The bytes are copied once, so that they stand together.
pub fn strings(c: &mut Cursor<'_>, n: usize) -> Result<(Buffer<u32>, Bytes)> {
    if n > c.remaining() {
        return Err(c.error(&codes::COUNT, format!("{n} strings, where {} bytes are left", c.remaining())));
    }
    let bytes = c.rest();
    let mut offsets = Vec::with_capacity(n + 1);
    // What follows the strings may be large, so the room is not guessed from it.
    let mut data = Vec::with_capacity(bytes.len().min(n.saturating_mul(16)));
    offsets.push(0);
    let mut at = 0;
    for i in 0..n {
        let start = at;
        let len = read_varint(bytes, &mut at);
        let text = len.and_then(|len| bytes.get(at..at.checked_add(usize::try_from(len).ok()?)?));
        let (Some(text), true) = (text, data.len() < i32::MAX as usize) else {
            let mut c = c.clone();
            c.take(start)?;
            let message = format!("string {i} of {n} is longer than the bytes left");
            return Err(if len.is_none() { bad_varint(&c) } else { c.error(&codes::TRUNCATED, message) });
        };
        at += text.len();
        data.extend_from_slice(text);
        offsets.push(data.len() as u32);
    }
    c.take(at)?;
    Ok((offsets.into(), data.into()))
}

/// Reads a dictionary: a count, then the strings.
pub fn dictionary(c: &mut Cursor<'_>) -> Result<Strings> {
    let n = count(c, 1, 0, "dictionary entries")?;
    let at = c.offset();
    let (offsets, data) = strings(c, n)?;
    Strings::new(offsets, data).map_err(|e| e.section("dictionary").offset(at))
}

/// Appends a string with its length.
#[inline]
pub fn put_bytes(out: &mut Vec<u8>, s: &[u8]) {
    put_varint(out, s.len() as u64);
    out.extend_from_slice(s);
}

/// Appends a dictionary.
pub fn put_dictionary<'a>(out: &mut Vec<u8>, entries: impl ExactSizeIterator<Item = &'a [u8]>) {
    put_varint(out, entries.len() as u64);
    entries.for_each(|e| put_bytes(out, e));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<u64> {
        varint(&mut Cursor::new(bytes, 0, "test", &codes::TRUNCATED))
    }

    #[test]
    fn integers_of_every_length_come_back() {
        for bits in 0..64 {
            for n in [1u64 << bits, (1u64 << bits) - 1, u64::MAX >> bits] {
                for padding in [0, 1, 9] {
                    let mut out = Vec::new();
                    put_varint(&mut out, n);
                    assert_eq!(out.len(), varint_len(n));
                    out.resize(out.len() + padding, 0xff);
                    assert_eq!(read(&out).unwrap(), n);
                    let (mut one, mut many) = (Vec::new(), Vec::new());
                    (0..1000).for_each(|i| put_varint(&mut one, n ^ i));
                    put_varints(&mut many, (0..1000).map(|i| n ^ i));
                    assert_eq!(one, many);
                }
                assert_eq!(unzigzag(zigzag(n as i64)), n as i64);
            }
        }
        assert_eq!(zigzag(-1), 1);
        assert_eq!(zigzag(i64::MIN), u64::MAX);
    }

    #[test]
    fn integers_of_too_many_bits_are_refused() {
        assert_eq!(read(&[0x80, 0x80, 0]).unwrap(), 0);
        assert_eq!(read(&[0xff; 9]).unwrap_err().code().id(), "tbf.truncated");
        assert_eq!(
            read(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2]).unwrap_err().code().id(),
            "tbf.varint"
        );
        assert_eq!(read(&[0x80; 11]).unwrap_err().code().id(), "tbf.varint");
        assert!(read(&[]).is_err());
    }

    #[test]
    fn counts_are_held_against_the_bytes() {
        let mut c = Cursor::new(&[0xff, 0xff, 0xff, 0xff, 0x0f, 1], 0, "test", &codes::TRUNCATED);
        assert_eq!(count(&mut c, 1, 0, "things").unwrap_err().code().id(), "tbf.count");
        let mut c = Cursor::new(&[2, 1, b'a', 5, b'b'], 0, "test", &codes::TRUNCATED);
        assert_eq!(dictionary(&mut c).unwrap_err().code().id(), "tbf.truncated");
        let mut c = Cursor::new(&[1, 1, 0xc3], 0, "test", &codes::TRUNCATED);
        assert_eq!(dictionary(&mut c).unwrap_err().code().id(), "table.utf8");
    }
}
