//! Text in a block: all texts as one string, cut by boundaries that count UTF-16 units.
//!
//! Forebay's text is UTF-8. A boundary may fall inside a surrogate pair, and the file's UTF-8 may be malformed;
//! both are read with U+FFFD in place of what UTF-8 cannot hold, and counted.

use std::borrow::Cow;

use super::{
    codes,
    primitives::{lossy, string_bytes},
    source::{Losses, Source},
};
use crate::{error::Result, table::Strings};

/// The bit of a boundary that says "missing", in files up to 1.1.1.5.
const MISSING: u32 = 1 << 31;

/// Reads `n` texts.
pub(super) fn read(source: &mut Source<'_>, n: usize) -> Result<Strings> {
    let c = &mut source.cursor;
    let before = c.clone();
    let announced = c.i32()?;
    if usize::try_from(announced) != Ok(n) {
        return Err(before.error(&codes::COUNT, format!("{announced} texts announced, {n} expected")));
    }
    let boundaries_at = c.clone();
    let boundaries = c.take_u64(n as u64 * 4)?.as_chunks::<4>().0;
    let bytes = string_bytes(c)?;
    let stored = source.take_shared(bytes)?;
    let data = lossy(&stored);
    let mut losses = Losses { malformed: matches!(data, Cow::Owned(_)), ..source.losses };

    // First the units, which for ASCII are already the bytes.
    let mut offsets = Vec::with_capacity(n + 1);
    let mut last = 0u32;
    offsets.push(last);
    for (i, raw) in boundaries.iter().enumerate() {
        let raw = u32::from_le_bytes(*raw);
        let end = raw & !MISSING;
        if end < last || raw != end && end != last {
            let message = format!("text {i} ends at {end}, after one that ends at {last}");
            let mut at = boundaries_at.clone();
            at.take(i * 4)?;
            return Err(at.error(&codes::TEXT, message));
        }
        losses.missing += u64::from(raw != end);
        last = end;
        offsets.push(end);
    }
    let units = utf16_units(&data);
    if u64::from(last) != units {
        return Err(boundaries_at.error(&codes::TEXT, format!("the last text ends at {last} of {units} UTF-16 units")));
    }
    let cut = match units == data.len() as u64 {
        true => None,
        false => to_bytes(&data, &mut offsets).err().map(|SplitPair| cut_by_units(&data, &mut offsets, &mut losses)),
    };
    let data = match (cut, data) {
        (Some(cut), _) => cut.into(),
        (None, Cow::Owned(replaced)) => replaced.into(),
        (None, Cow::Borrowed(_)) => stored.clone(),
    };
    if data.len() > i32::MAX as usize {
        return Err(before.error(&codes::TEXT, format!("{} bytes of text in one block", data.len())));
    }
    source.losses = losses;
    Strings::new(offsets.into(), data).map_err(|e| before.error(&codes::TEXT, e.message()))
}

/// How many UTF-16 units a text has.
pub fn utf16_units(s: &str) -> u64 {
    // Every byte but continuations begins a character; those of four bytes are two units.
    let count = |chunk: &[u8]| chunk.iter().map(|&b| u64::from((b as i8) >= -64) + u64::from(b >= 0xf0)).sum::<u64>();
    if s.is_ascii() { s.len() as u64 } else { s.as_bytes().chunks(1 << 16).map(count).sum() }
}

struct SplitPair;

/// Turns offsets in UTF-16 units, which are known to be in order and to fit, into offsets in bytes.
fn to_bytes(s: &str, ends: &mut [u32]) -> Result<(), SplitPair> {
    let bytes = s.as_bytes();
    let (mut at, mut unit) = (0usize, 0u32);
    let mut out = Vec::with_capacity(ends.len());
    for &end in ends.iter() {
        let short = (end - unit) as usize;
        if bytes.get(at..at + short).is_some_and(<[u8]>::is_ascii) {
            (at, unit) = (at + short, end);
        }
        while unit < end {
            let (width, units) = match bytes.get(at) {
                Some(0..0x80) => (1, 1),
                Some(0x80..0xe0) => (2, 1),
                Some(0xe0..0xf0) => (3, 1),
                _ => (4, 2),
            };
            at += width;
            unit += units;
        }
        if unit > end {
            return Err(SplitPair);
        }
        out.push(at as u32);
    }
    ends.copy_from_slice(&out);
    Ok(())
}

/// The slow way, for boundaries inside of surrogate pairs: each half becomes U+FFFD.
fn cut_by_units(s: &str, ends: &mut [u32], losses: &mut Losses) -> String {
    let units: Vec<u16> = s.encode_utf16().collect();
    let mut out = String::with_capacity(s.len() + 64);
    let mut start = 0;
    // The first offset is 0 and gives an empty value, which does no harm.
    for end in ends {
        let stop = *end as usize;
        let value = units.get(start..stop).unwrap_or_default();
        losses.split_pairs += u64::from(value.last().is_some_and(|u| (0xd800..0xdc00).contains(u)));
        out.extend(char::decode_utf16(value.iter().copied()).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
        start = stop;
        *end = out.len() as u32;
    }
    out
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn block(ends: &[u32], data: &[u8]) -> Vec<u8> {
        let mut out = (ends.len() as u32).to_le_bytes().to_vec();
        ends.iter().for_each(|e| out.extend(e.to_le_bytes()));
        out.push(data.len() as u8);
        out.extend(data);
        out
    }

    fn texts(ends: &[u32], data: &str) -> Result<Vec<String>> {
        let bytes = Bytes::from(block(ends, data.as_bytes()));
        let strings = read(&mut Source::new(&bytes, 0, "block"), ends.len())?;
        Ok(strings.iter().map(str::to_owned).collect())
    }

    #[test]
    fn boundaries_count_utf16_units() {
        assert_eq!(texts(&[1, 3, 4], "é😀z").unwrap(), ["é", "😀", "z"]);
        assert_eq!(texts(&[2, 2, 5], "abcde").unwrap(), ["ab", "", "cde"]);
        assert_eq!(texts(&[2, 3, 6], "abéabc").unwrap(), ["ab", "é", "abc"]);
    }

    #[test]
    fn a_boundary_inside_a_pair_leaves_two_replacements() {
        assert_eq!(texts(&[2, 4, 4], "a😀z").unwrap(), ["a\u{fffd}", "\u{fffd}z", ""]);
    }

    #[test]
    fn boundaries_that_contradict_the_text_are_refused() {
        for ends in [&[3, 2][..], &[1, 4], &[1, 2], &[1, 3 | MISSING]] {
            assert_eq!(texts(ends, "abc").unwrap_err().code().id(), "idv.text", "{ends:?}");
        }
        assert_eq!(texts(&[2, 2 | MISSING, 3], "abc").unwrap(), ["ab", "", "c"]);
        assert_eq!(texts(&[MISSING, 3], "abc").unwrap(), ["", "abc"]);
    }
}
