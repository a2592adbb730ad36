//! The values of a block: numbers, booleans, times, ids and text, each in its layout.
//!
//! Fixed-width values are copied in bulk; what is checked is checked on the copy, so that one pass suffices.

use super::{
    codec_def::Layout,
    codes,
    source::{Losses, Source},
    text,
};
use crate::{
    error::Result,
    limits::Limits,
    table::{Bitmap, Buffer, ColumnData},
};

/// The ticks of 9999-12-31 23:59:59.9999999, the last clock time there is.
pub const MAX_TICKS: i64 = 3_155_378_975_999_999_999;
/// The ticks of a minute.
pub const MINUTE: i64 = 600_000_000;
/// The furthest offset from UTC, in minutes.
pub const MAX_OFFSET: i16 = 840;

/// Reads `n` values. `vector` says that they are slots of vectors, where old missing durations stay as they are.
pub(super) fn read(
    source: &mut Source<'_>,
    layout: Layout,
    n: usize,
    vector: bool,
    limits: &Limits,
) -> Result<ColumnData> {
    Ok(match layout {
        Layout::Int8 => ColumnData::I8(source.numbers(n)?),
        Layout::UInt8 => ColumnData::U8(source.numbers(n)?),
        Layout::Int16 => ColumnData::I16(source.numbers(n)?),
        Layout::UInt16 => ColumnData::U16(source.numbers(n)?),
        Layout::Int32 => ColumnData::I32(source.numbers(n)?),
        Layout::UInt32 => ColumnData::U32(source.numbers(n)?),
        Layout::Int64 => ColumnData::I64(source.numbers(n)?),
        Layout::UInt64 => ColumnData::U64(source.numbers(n)?),
        Layout::Float32 => ColumnData::F32(source.numbers(n)?),
        Layout::Float64 => ColumnData::F64(source.numbers(n)?),
        Layout::RowId => ColumnData::U128(source.numbers(n)?),
        Layout::Bool => ColumnData::Bool(Bitmap::new(source.take_shared(n.div_ceil(8))?, n)),
        Layout::OldBool => ColumnData::Bool(old_bools(source, n, limits)?),
        Layout::Duration => ColumnData::I64(durations(source, n, vector)?),
        Layout::DateTime => ColumnData::I64(date_times(source, n)?),
        Layout::DateTimeOffset => date_time_offsets(source, n)?,
        Layout::Text => ColumnData::Str(text::read(source, n)?),
    })
}

/// Two bits each, in words of 16: no, yes, missing (which reads as no), and a pattern that stands for nothing.
fn old_bools(source: &mut Source<'_>, n: usize, limits: &Limits) -> Result<Bitmap> {
    let before = source.cursor.clone();
    let bytes = source.cursor.take_u64(n.div_ceil(16) as u64 * 4)?;
    limits.item(n as u64)?;
    let bits = |i: usize| bytes.get(i / 4).map_or(0, |b| b >> (i % 4 * 2) & 3);
    if let Some(i) = (0..n).find(|&i| bits(i) == 3) {
        let mut at = before;
        at.take(i / 4)?;
        return Err(at.error(&codes::BOOL, format!("value {i} is neither no, yes nor missing")));
    }
    source.losses.missing += (0..n).filter(|&i| bits(i) == 2).count() as u64;
    Ok((0..n).map(|i| bits(i) == 1).collect())
}

/// The least number of ticks was the missing value of old files; it reads as 0.
fn without_missing(ticks: Buffer<i64>, losses: &mut Losses) -> Buffer<i64> {
    let missing = ticks.iter().filter(|t| **t == i64::MIN).count();
    if missing == 0 {
        return ticks;
    }
    losses.missing += missing as u64;
    ticks.iter().map(|&t| if t == i64::MIN { 0 } else { t }).collect()
}

fn durations(source: &mut Source<'_>, n: usize, vector: bool) -> Result<Buffer<i64>> {
    let ticks = source.numbers(n)?;
    Ok(if vector { ticks } else { without_missing(ticks, &mut source.losses) })
}

fn date_times(source: &mut Source<'_>, n: usize) -> Result<Buffer<i64>> {
    let before = source.cursor.clone();
    let ticks = without_missing(source.numbers(n)?, &mut source.losses);
    // One pass without branches first; the place is looked for only if there is one.
    let fine = ticks.iter().fold(true, |fine, t| fine & (0..=MAX_TICKS).contains(t));
    if let Some(i) = if fine { None } else { ticks.iter().position(|t| !(0..=MAX_TICKS).contains(t)) } {
        let mut at = before;
        at.take(i * 8)?;
        let t = ticks.get(i).copied().unwrap_or_default();
        return Err(at.error(&codes::TIME, format!("value {i} has {t} ticks; clock times have 0 to {MAX_TICKS}")));
    }
    Ok(ticks)
}

fn date_time_offsets(source: &mut Source<'_>, n: usize) -> Result<ColumnData> {
    let before = source.cursor.clone();
    let minutes: Buffer<i16> = source.numbers(n)?;
    let minutes: Buffer<i16> = minutes.iter().map(|&m| if m == i16::MIN { 0 } else { m }).collect();
    let ticks = date_times(source, n)?;
    let bad = |(&m, &t): (&i16, &i64)| {
        !(-MAX_OFFSET..=MAX_OFFSET).contains(&m) || !(0..=MAX_TICKS).contains(&(t - i64::from(m) * MINUTE))
    };
    if let Some(i) = minutes.iter().zip(ticks.iter()).position(bad) {
        let (m, t) = (minutes.get(i).copied().unwrap_or_default(), ticks.get(i).copied().unwrap_or_default());
        let mut at = before;
        at.take(i * 2)?;
        return Err(
            at.error(&codes::TIME, format!("value {i} lies {m} minutes from UTC at {t} ticks, which cannot be"))
        );
    }
    Ok(ColumnData::Offset { ticks, minutes })
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn decode(layout: Layout, bytes: &[u8], n: usize) -> Result<ColumnData> {
        let bytes = Bytes::copy_from_slice(bytes);
        let mut source = Source::new(&bytes, 1000, "block");
        read(&mut source, layout, n, false, &Limits::default())
    }

    #[test]
    fn booleans_are_bits_and_their_rest_is_ignored() {
        let yes = |bits: &[u8]| ColumnData::Bool(bits.iter().map(|&b| b != 0).collect());
        assert_eq!(decode(Layout::Bool, &[0b0000_0101, 0xff], 9).unwrap(), yes(&[1, 0, 1, 0, 0, 0, 0, 0, 1]));
        assert_eq!(decode(Layout::OldBool, &[0b1110_0100, 0, 0, 0], 3).unwrap(), yes(&[0, 1, 0]));
        let e = decode(Layout::OldBool, &[0b1110_0100, 0, 0, 0], 4).unwrap_err();
        assert_eq!((e.code().id(), e.place().offset), ("idv.bool", Some(1000)));
    }

    #[test]
    fn missing_times_read_as_zero() {
        let bytes = i64::MIN.to_le_bytes();
        assert_eq!(decode(Layout::Duration, &bytes, 1).unwrap(), ColumnData::I64(vec![0].into()));
        assert_eq!(decode(Layout::DateTime, &bytes, 1).unwrap(), ColumnData::I64(vec![0].into()));
        assert_eq!(decode(Layout::DateTime, &(-1i64).to_le_bytes(), 1).unwrap_err().code().id(), "idv.time");
    }

    #[test]
    fn a_count_is_held_against_the_bytes() {
        for layout in [Layout::Int8, Layout::Bool, Layout::Text, Layout::RowId, Layout::DateTimeOffset] {
            assert!(decode(layout, &[0; 8], usize::MAX >> 4).is_err(), "{layout:?}");
        }
    }
}
