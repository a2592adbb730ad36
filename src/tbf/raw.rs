//! The pieces that all layouts share: variable-length integers, and dictionaries of strings.

use std::ops::Range;

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

/// The integer at `at`, which moves past it; `None` if there is none.
#[inline]
pub(crate) fn read_varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
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

/// Reads as many integers as `out` has room for and says how many there were, which is fewer only if one cannot be
/// read; `at` moves past them. Neighbors mostly have the same length, so whole groups of one length are tried first.
pub(super) fn read_varints(bytes: &[u8], at: &mut usize, out: &mut [u64]) -> usize {
    let mut done = 0;
    while let Some(rest) = out.get_mut(done..).filter(|rest| !rest.is_empty()) {
        let length = bytes.get(*at..).map_or(0, |b| b.iter().take(6).take_while(|b| **b >= 0x80).count());
        let run = match length {
            0 => equal_lengths::<1>(bytes, at, rest),
            1 => equal_lengths::<2>(bytes, at, rest),
            2 => equal_lengths::<3>(bytes, at, rest),
            3 => equal_lengths::<4>(bytes, at, rest),
            4 => equal_lengths::<5>(bytes, at, rest),
            5 => equal_lengths::<6>(bytes, at, rest),
            _ => 0,
        };
        done += run;
        if run >= GROUP {
            continue;
        }
        // Mixed lengths: some one by one before the next try.
        for slot in rest.iter_mut().take(2 * GROUP) {
            match read_varint(bytes, at) {
                Some(n) => *slot = n,
                None => return done,
            }
            done += 1;
        }
    }
    done
}

/// Integers that are looked at together.
const GROUP: usize = 8;

/// Integers of `W` bytes each, in whole groups, as long as they come.
fn equal_lengths<const W: usize>(bytes: &[u8], at: &mut usize, out: &mut [u64]) -> usize {
    // As many as fit a word are read at once; in each, all bytes but the last have their top bit set.
    let per_word = 8 / W;
    let tops = in_each::<W>(0..per_word, 0..W, 0x80);
    let more = in_each::<W>(0..per_word, 0..W - 1, 0x80);
    let one = u64::MAX >> (64 - 8 * W);
    let mut done = 0;
    for group in out.as_chunks_mut::<GROUP>().0 {
        let Some(window) = bytes.get(*at..*at + GROUP * W + 8) else { break };
        let mut wrong = 0;
        for (slots, k) in group.chunks_exact_mut(per_word).zip(0..) {
            let Some(word) = window.get(k * per_word * W..).and_then(|w| w.first_chunk::<8>()) else { break };
            let word = u64::from_le_bytes(*word);
            wrong |= (word & tops) ^ more;
            // The seven bits of each byte move next to those below them, in all integers of the word at once.
            let close = |b: usize| (word & in_each::<W>(0..per_word, b..b + 1, 0x7f)) >> b;
            let together = (0..W).fold(0, |bits, b| bits | close(b));
            for (i, slot) in slots.iter_mut().enumerate() {
                *slot = together >> (8 * W * i) & one;
            }
        }
        if wrong != 0 {
            break;
        }
        *at += GROUP * W;
        done += GROUP;
    }
    done
}

/// A word with `bits` in some bytes of each of some integers, which have `W` bytes.
#[inline]
fn in_each<const W: usize>(integers: Range<usize>, bytes: Range<usize>, bits: u64) -> u64 {
    integers.fold(0, |word, i| bytes.clone().fold(word, |word, b| word | bits << (8 * (W * i + b))))
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
pub(crate) fn varint128(c: &mut Cursor<'_>) -> Result<u128> {
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
pub(crate) fn put_varint(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// The most bytes of an unsigned LEB128 of 64 bits.
pub(super) const LONGEST_VARINT: usize = 10;

/// Appends an unsigned LEB128 that is this many bytes longer than it must be.
pub(super) fn put_long_varint(out: &mut Vec<u8>, n: u64, padding: usize) {
    put_varint(out, n);
    if let (1.., Some(last)) = (padding, out.last_mut()) {
        *last |= 0x80;
        out.resize(out.len() + padding - 1, 0x80);
        out.push(0);
    }
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
pub(crate) const fn varint_len(n: u64) -> usize {
    ((64 - (n | 1).leading_zeros()) as usize).div_ceil(7)
}

/// Signed integers with small magnitudes as small unsigned ones.
#[inline]
pub const fn zigzag(n: i64) -> u64 {
    (n << 1 ^ n >> 63) as u64
}

/// The inverse of [`zigzag`].
#[inline]
pub(crate) const fn unzigzag(n: u64) -> i64 {
    (n >> 1) as i64 ^ -((n & 1) as i64)
}

/// Reads a count of things that take at least `least` bytes each (0 if they may take none, which is then
/// checked against `most`).
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
pub(crate) fn put_bytes(out: &mut Vec<u8>, s: &[u8]) {
    put_varint(out, s.len() as u64);
    out.extend_from_slice(s);
}

/// Appends a dictionary.
pub(crate) fn put_dictionary<'a>(out: &mut Vec<u8>, entries: impl ExactSizeIterator<Item = &'a [u8]>) {
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
                    let longer = padding.min(LONGEST_VARINT - varint_len(n));
                    let mut long = Vec::new();
                    put_long_varint(&mut long, n, longer);
                    assert_eq!((read(&long).unwrap(), long.len()), (n, varint_len(n) + longer));
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
    fn many_at_once_are_what_they_are_one_by_one() {
        let mut state = 9u64;
        let mut dice = |n: u64| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 33) % n
        };
        for round in 0..300 {
            // Runs of one length, of several lengths, and a cut at the end.
            let mut numbers: Vec<u64> = Vec::new();
            while numbers.len() < 200 {
                let bits = dice(65) as u32;
                let run = if round % 2 == 0 { dice(40) } else { dice(4) };
                numbers.extend((0..run).map(|i| u64::MAX.checked_shr(64 - bits).unwrap_or(0) ^ i));
            }
            let mut bytes = Vec::new();
            numbers.iter().for_each(|n| put_varint(&mut bytes, *n));
            let mut out = vec![0; numbers.len() + 1];
            let mut at = 0;
            assert_eq!(read_varints(&bytes, &mut at, &mut out), numbers.len());
            assert_eq!((at, &out[..numbers.len()]), (bytes.len(), &numbers[..]));
            bytes.pop();
            at = 0;
            assert_eq!(read_varints(&bytes, &mut at, &mut out), numbers.len() - 1);
            assert_eq!(out[..numbers.len() - 1], numbers[..numbers.len() - 1]);
        }
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
