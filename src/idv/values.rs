//! The values of a block: numbers, booleans, times, ids and text, each in its layout.
//!
//! Fixed-width values are copied in bulk; what is checked is checked on the copy, so that one pass suffices.

use super::{
    codec_def::Layout,
    codes,
    text::{self, Texts},
};
use crate::{cursor::Cursor, error::Result, limits::Limits};

/// The ticks of 9999-12-31 23:59:59.9999999, the last clock time there is.
pub const MAX_TICKS: i64 = 3_155_378_975_999_999_999;
/// The ticks of a minute.
pub const MINUTE: i64 = 600_000_000;
/// The furthest offset from UTC, in minutes.
pub const MAX_OFFSET: i16 = 840;

/// Values of one type, in order.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Values {
    Int8(Vec<i8>),
    UInt8(Vec<u8>),
    Int16(Vec<i16>),
    UInt16(Vec<u16>),
    Int32(Vec<i32>),
    UInt32(Vec<u32>),
    Int64(Vec<i64>),
    UInt64(Vec<u64>),
    Float32(Vec<f32>),
    Float64(Vec<f64>),
    Bool(Vec<bool>),
    Text(Texts),
    Duration(Vec<i64>),
    DateTime(Vec<i64>),
    DateTimeOffset { ticks: Vec<i64>, minutes: Vec<i16> },
    RowId(Vec<u128>),
}

impl Values {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Values::Int8(v) => v.len(),
            Values::UInt8(v) => v.len(),
            Values::Int16(v) => v.len(),
            Values::UInt16(v) => v.len(),
            Values::Int32(v) => v.len(),
            Values::UInt32(v) => v.len(),
            Values::Int64(v) | Values::Duration(v) | Values::DateTime(v) => v.len(),
            Values::UInt64(v) => v.len(),
            Values::Float32(v) => v.len(),
            Values::Float64(v) => v.len(),
            Values::Bool(v) => v.len(),
            Values::Text(t) => t.ends.len(),
            Values::DateTimeOffset { ticks, .. } => ticks.len(),
            Values::RowId(v) => v.len(),
        }
    }
    /// True where there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Reads `n` values. `vector` says that they are slots of vectors, where old missing durations stay as they are.
pub fn read(c: &mut Cursor<'_>, layout: Layout, n: usize, vector: bool, limits: &Limits) -> Result<Values> {
    macro_rules! packed {
        ($variant:ident, $t:ty) => {{
            const WIDTH: usize = size_of::<$t>();
            let bytes = c.take_u64((n as u64).saturating_mul(WIDTH as u64))?;
            Values::$variant(bytes.as_chunks::<WIDTH>().0.iter().map(|b| <$t>::from_le_bytes(*b)).collect())
        }};
    }
    Ok(match layout {
        Layout::Int8 => packed!(Int8, i8),
        Layout::UInt8 => Values::UInt8(c.take(n)?.to_vec()),
        Layout::Int16 => packed!(Int16, i16),
        Layout::UInt16 => packed!(UInt16, u16),
        Layout::Int32 => packed!(Int32, i32),
        Layout::UInt32 => packed!(UInt32, u32),
        Layout::Int64 => packed!(Int64, i64),
        Layout::UInt64 => packed!(UInt64, u64),
        Layout::Float32 => packed!(Float32, f32),
        Layout::Float64 => packed!(Float64, f64),
        Layout::RowId => packed!(RowId, u128),
        Layout::Bool => Values::Bool(bools(c, n, limits)?),
        Layout::OldBool => Values::Bool(old_bools(c, n, limits)?),
        Layout::Text => Values::Text(text::read(c, n)?),
        Layout::Duration => Values::Duration(durations(c, n, vector)?),
        Layout::DateTime => Values::DateTime(date_times(c, n)?),
        Layout::DateTimeOffset => date_time_offsets(c, n)?,
    })
}

fn bools(c: &mut Cursor<'_>, n: usize, limits: &Limits) -> Result<Vec<bool>> {
    let bytes = c.take(n.div_ceil(8))?;
    limits.item(n as u64)?;
    let mut out = Vec::with_capacity(bytes.len() * 8);
    out.extend(bytes.iter().flat_map(|&b| std::array::from_fn::<bool, 8, _>(|i| b >> i & 1 != 0)));
    out.truncate(n);
    Ok(out)
}

/// Two bits each, in words of 16: no, yes, missing (which reads as no), and a pattern that stands for nothing.
fn old_bools(c: &mut Cursor<'_>, n: usize, limits: &Limits) -> Result<Vec<bool>> {
    let before = c.clone();
    let bytes = c.take_u64(n.div_ceil(16) as u64 * 4)?;
    limits.item(n as u64)?;
    let bits = |i: usize| bytes.get(i / 4).map_or(0, |b| b >> (i % 4 * 2) & 3);
    if let Some(i) = (0..n).find(|&i| bits(i) == 3) {
        let mut at = before;
        at.take(i / 4)?;
        return Err(at.error(&codes::BOOL, format!("value {i} is neither no, yes nor missing")));
    }
    Ok((0..n).map(|i| bits(i) == 1).collect())
}

fn ticks(c: &mut Cursor<'_>, n: usize) -> Result<Vec<i64>> {
    let bytes = c.take_u64((n as u64).saturating_mul(8))?;
    Ok(bytes.as_chunks::<8>().0.iter().map(|b| i64::from_le_bytes(*b)).collect())
}

fn durations(c: &mut Cursor<'_>, n: usize, vector: bool) -> Result<Vec<i64>> {
    let mut out = ticks(c, n)?;
    if !vector {
        out.iter_mut().for_each(|t| *t = if *t == i64::MIN { 0 } else { *t });
    }
    Ok(out)
}

fn date_times(c: &mut Cursor<'_>, n: usize) -> Result<Vec<i64>> {
    let before = c.clone();
    let mut out = ticks(c, n)?;
    out.iter_mut().for_each(|t| *t = if *t == i64::MIN { 0 } else { *t });
    if let Some(i) = out.iter().position(|t| !(0..=MAX_TICKS).contains(t)) {
        let mut at = before;
        at.take(i * 8)?;
        let t = out.get(i).copied().unwrap_or_default();
        return Err(at.error(&codes::TIME, format!("value {i} has {t} ticks; clock times have 0 to {MAX_TICKS}")));
    }
    Ok(out)
}

fn date_time_offsets(c: &mut Cursor<'_>, n: usize) -> Result<Values> {
    let before = c.clone();
    let bytes = c.take_u64(n as u64 * 2)?;
    let missing = |m: i16| if m == i16::MIN { 0 } else { m };
    let minutes: Vec<i16> = bytes.as_chunks::<2>().0.iter().map(|b| missing(i16::from_le_bytes(*b))).collect();
    let ticks = date_times(c, n)?;
    let bad = |(&m, &t): (&i16, &i64)| {
        !(-MAX_OFFSET..=MAX_OFFSET).contains(&m) || !(0..=MAX_TICKS).contains(&(t - i64::from(m) * MINUTE))
    };
    if let Some(i) = minutes.iter().zip(&ticks).position(bad) {
        let (m, t) = (minutes.get(i).copied().unwrap_or_default(), ticks.get(i).copied().unwrap_or_default());
        let mut at = before;
        at.take(i * 2)?;
        return Err(
            at.error(&codes::TIME, format!("value {i} lies {m} minutes from UTC at {t} ticks, which cannot be"))
        );
    }
    Ok(Values::DateTimeOffset { ticks, minutes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(layout: Layout, bytes: &[u8], n: usize) -> Result<Values> {
        read(&mut Cursor::new(bytes, 1000, "block", &codes::TRUNCATED), layout, n, false, &Limits::default())
    }

    #[test]
    fn booleans_are_bits_and_their_rest_is_ignored() {
        let Values::Bool(b) = decode(Layout::Bool, &[0b0000_0101, 0xff], 9).unwrap() else { panic!() };
        assert_eq!(b, [true, false, true, false, false, false, false, false, true]);
        let Values::Bool(b) = decode(Layout::OldBool, &[0b1110_0100, 0, 0, 0], 3).unwrap() else { panic!() };
        assert_eq!(b, [false, true, false]);
        let e = decode(Layout::OldBool, &[0b1110_0100, 0, 0, 0], 4).unwrap_err();
        assert_eq!((e.code().id(), e.place().offset), ("idv.bool", Some(1000)));
    }

    #[test]
    fn missing_times_read_as_zero() {
        let bytes = i64::MIN.to_le_bytes();
        assert_eq!(decode(Layout::Duration, &bytes, 1).unwrap(), Values::Duration(vec![0]));
        assert_eq!(decode(Layout::DateTime, &bytes, 1).unwrap(), Values::DateTime(vec![0]));
        assert_eq!(decode(Layout::DateTime, &(-1i64).to_le_bytes(), 1).unwrap_err().code().id(), "idv.time");
    }

    #[test]
    fn a_count_is_held_against_the_bytes() {
        for layout in [Layout::Int8, Layout::Bool, Layout::Text, Layout::RowId, Layout::DateTimeOffset] {
            assert!(decode(layout, &[0; 8], usize::MAX >> 4).is_err(), "{layout:?}");
        }
    }
}
