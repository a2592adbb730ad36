//! A block's values as bytes: the counterpart of reading, and what the format cannot hold.

use super::{
    codec_def::{Codec, Layout},
    codes,
    file::Block,
    raw::put_leb,
    text::{Texts, utf16_units},
    values::{MAX_OFFSET, MAX_TICKS, MINUTE, Values},
    vectors::{Lengths, Vectors},
};
use crate::error::{Error, Result};

/// What 32-bit lengths can say.
const MOST: u64 = i32::MAX as u64;

/// The bytes of a block. `codec` must be the column's; errors name the row where one row is at fault.
pub fn encode(codec: &Codec, block: &Block) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    match (block, &codec.dims) {
        (Block::Scalars(values), None) => put_values(&mut out, codec.item.layout, values)?,
        (Block::Vectors(vectors), Some(_)) => put_vectors(&mut out, codec, vectors)?,
        _ => return Err(cannot("scalars and vectors are different columns")),
    }
    if out.len() as u64 > MOST {
        return Err(cannot(format!("a block of {} bytes; fewer rows per block make it smaller", out.len())));
    }
    Ok(out)
}

pub(super) fn cannot(message: impl Into<String>) -> Error {
    Error::new(&codes::CANNOT_HOLD, message)
}

fn put_values(out: &mut Vec<u8>, layout: Layout, values: &Values) -> Result<()> {
    macro_rules! packed {
        ($v:expr) => {{
            out.reserve(size_of_val($v.as_slice()));
            $v.iter().for_each(|x| out.extend(x.to_le_bytes()));
        }};
    }
    match (layout, values) {
        (Layout::Int8, Values::Int8(v)) => packed!(v),
        (Layout::UInt8, Values::UInt8(v)) => out.extend(v),
        (Layout::Int16, Values::Int16(v)) => packed!(v),
        (Layout::UInt16, Values::UInt16(v)) => packed!(v),
        (Layout::Int32, Values::Int32(v)) => packed!(v),
        (Layout::UInt32, Values::UInt32(v)) => packed!(v),
        (Layout::Int64, Values::Int64(v)) => packed!(v),
        (Layout::UInt64, Values::UInt64(v)) => packed!(v),
        (Layout::Float32, Values::Float32(v)) => packed!(v),
        (Layout::Float64, Values::Float64(v)) => packed!(v),
        (Layout::RowId, Values::RowId(v)) => packed!(v),
        (Layout::Duration, Values::Duration(v)) => packed!(v),
        (Layout::Bool, Values::Bool(v)) => out.extend(v.chunks(8).map(byte_of)),
        (Layout::Text, Values::Text(texts)) => put_texts(out, texts)?,
        (Layout::DateTime, Values::DateTime(v)) => {
            check_ticks(v)?;
            packed!(v);
        }
        (Layout::DateTimeOffset, Values::DateTimeOffset { ticks, minutes }) => {
            check_offsets(ticks, minutes)?;
            packed!(minutes);
            packed!(ticks);
        }
        _ => return Err(cannot(format!("the values are not {layout:?}"))),
    }
    Ok(())
}

fn byte_of(bits: &[bool]) -> u8 {
    bits.iter().enumerate().fold(0, |byte, (i, &bit)| byte | u8::from(bit) << i)
}

fn check_ticks(ticks: &[i64]) -> Result<()> {
    match ticks.iter().position(|t| !(0..=MAX_TICKS).contains(t)) {
        None => Ok(()),
        Some(i) => {
            let t = ticks.get(i).copied().unwrap_or_default();
            Err(cannot(format!("a clock time of {t} ticks is outside the years 1 to 9999")).row(i as u64))
        }
    }
}

fn check_offsets(ticks: &[i64], minutes: &[i16]) -> Result<()> {
    check_ticks(ticks)?;
    if ticks.len() != minutes.len() {
        return Err(cannot("clock times and offsets differ in number"));
    }
    let bad = |(&t, &m): (&i64, &i16)| {
        !(-MAX_OFFSET..=MAX_OFFSET).contains(&m) || !(0..=MAX_TICKS).contains(&(t - i64::from(m) * MINUTE))
    };
    match ticks.iter().zip(minutes).position(bad) {
        None => Ok(()),
        Some(i) => Err(cannot("an offset of more than 14 hours, or outside the years 1 to 9999").row(i as u64)),
    }
}

fn put_texts(out: &mut Vec<u8>, texts: &Texts) -> Result<()> {
    let units = utf16_units(&texts.data);
    if units > MOST || texts.data.len() as u64 > MOST || texts.ends.len() as u64 > MOST {
        return Err(cannot(format!("{} bytes of text in one block; take fewer rows per block", texts.data.len())));
    }
    out.reserve(texts.ends.len() * 4 + texts.data.len() + 16);
    out.extend((texts.ends.len() as u32).to_le_bytes());
    let ascii = units == texts.data.len() as u64;
    let (mut start, mut unit) = (0, 0u64);
    for (row, &end) in texts.ends.iter().enumerate() {
        let text = texts.data.get(start..end as usize);
        let text = text.ok_or_else(|| cannot("the ends of texts are out of order").row(row as u64))?;
        unit += if ascii { text.len() as u64 } else { utf16_units(text) };
        out.extend((unit as u32).to_le_bytes());
        start = end as usize;
    }
    let data = texts.data.get(..start).unwrap_or_default();
    put_leb(out, data.len() as u64);
    out.extend(data.as_bytes());
    Ok(())
}

fn put_vectors(out: &mut Vec<u8>, codec: &Codec, v: &Vectors) -> Result<()> {
    let size = codec.vector_size().unwrap_or_default();
    let n = v.counts.len();
    if n as u64 > MOST || v.indices.len() as u64 > MOST {
        return Err(cannot("too many vectors or listed slots for one block; take fewer rows per block"));
    }
    check_vectors(v, size)?;
    out.extend((n as u32).to_le_bytes());
    match common_length(&v.lengths, n, size) {
        Some(length) => out.extend(length.to_le_bytes()),
        None => {
            out.extend(0u32.to_le_bytes());
            (0..n).for_each(|i| out.extend(v.lengths.get(i).to_le_bytes()));
        }
    }
    v.counts.iter().for_each(|c| out.extend(c.to_le_bytes()));
    out.extend((v.indices.len() as u32).to_le_bytes());
    v.indices.iter().for_each(|i| out.extend(i.to_le_bytes()));
    put_values(out, codec.item.layout, &v.values).map_err(|e| {
        // The position is that of a slot, which says nothing about the row.
        Error::new(e.code(), e.message())
    })
}

/// The length that all vectors have and that needs no list; lists stand for vectors that are all empty.
fn common_length(lengths: &Lengths, n: usize, size: u32) -> Option<u32> {
    let length = if size > 0 { size } else { lengths.get(0) };
    (length > 0 && (n > 0 || size > 0) && (0..n).all(|i| lengths.get(i) == length)).then_some(length)
}

/// What the reader will insist on.
fn check_vectors(v: &Vectors, size: u32) -> Result<()> {
    let (mut at, mut total) = (0usize, 0u64);
    for (i, &count) in v.counts.iter().enumerate() {
        let length = v.lengths.get(i);
        let refuse = |message: String| Err(cannot(message).row(i as u64));
        if size > 0 && length != size || u64::from(length) > MOST {
            return refuse(format!("a vector of {length} slots in a column of {size}"));
        }
        let Ok(count) = u32::try_from(count) else {
            total += u64::from(length);
            continue;
        };
        total += u64::from(count);
        let listed = v.indices.get(at..at + count as usize).unwrap_or_default();
        let ordered = listed.windows(2).all(|w| w.first() < w.last()) && listed.last().is_none_or(|&l| l < length);
        if count >= length || listed.len() != count as usize || !ordered {
            return refuse(format!("a sparse vector that lists {count} of {length} slots, or not in order"));
        }
        at += count as usize;
    }
    if at != v.indices.len() || total != v.values.len() as u64 {
        return Err(cannot("the vectors' slots and values differ in number"));
    }
    Ok(())
}
