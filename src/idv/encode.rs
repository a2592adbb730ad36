//! A block's values as bytes: the counterpart of reading, and what the format cannot hold.

use super::{
    codec_def::{Codec, Item},
    codes,
    primitives::put_leb,
    text::utf16_units,
    values::{MAX_OFFSET, MAX_TICKS, MINUTE},
};
use crate::{
    error::{Error, Result},
    table::{Buffer, Column, ColumnData, DataType, Strings, VectorColumn},
};

/// What 32-bit lengths can say.
const MOST: u64 = i32::MAX as u64;

/// The bytes of a block. `codec` must be that of the column's type; errors name the row where one is at fault.
pub(super) fn encode(codec: &Codec, column: &Column) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    match column.data() {
        ColumnData::Vector(vectors) => {
            if let Some(row) = first_missing(column) {
                return Err(cannot("a missing vector").row(row));
            }
            put_vectors(&mut out, codec, vectors)?;
        }
        data => {
            if let (DataType::Ticks, ColumnData::I64(ticks)) = (column.dtype(), data) {
                check_durations(ticks)?;
            }
            put_values(&mut out, codec.item, column)?;
        }
    }
    if out.len() as u64 > MOST {
        return Err(cannot(format!("a block of {} bytes; fewer rows per block make it smaller", out.len())));
    }
    Ok(out)
}

pub(super) fn cannot(message: impl Into<String>) -> Error {
    Error::new(&codes::CANNOT_HOLD, message)
}

fn first_missing(column: &Column) -> Option<u64> {
    let validity = column.validity()?;
    validity.iter().position(|there| !there).map(|row| row as u64)
}

fn put_values(out: &mut Vec<u8>, item: Item, column: &Column) -> Result<()> {
    if let Some(row) = first_missing(column) {
        // A key has a number for "missing"; nothing else does.
        if item.key_count.is_some() {
            return put_values(out, item, &without_missing_keys(column)?);
        }
        return Err(cannot(format!("a missing value in a column of {}", column.dtype())).row(row));
    }
    match column.data() {
        ColumnData::I8(b) => put_numbers(out, b),
        ColumnData::U8(b) => put_numbers(out, b),
        ColumnData::I16(b) => put_numbers(out, b),
        ColumnData::U16(b) => put_numbers(out, b),
        ColumnData::I32(b) => put_numbers(out, b),
        ColumnData::U32(b) => put_numbers(out, b),
        ColumnData::I64(b) => {
            if *column.dtype() == DataType::DateTime {
                check_ticks(b)?;
            }
            put_numbers(out, b);
        }
        ColumnData::U64(b) => put_numbers(out, b),
        ColumnData::F32(b) => put_numbers(out, b),
        ColumnData::F64(b) => put_numbers(out, b),
        ColumnData::U128(b) => put_numbers(out, b),
        ColumnData::Bool(b) => out.extend_from_slice(&b.to_packed()),
        ColumnData::Str(texts) => put_texts(out, texts)?,
        ColumnData::Dict(dict) => put_texts(out, &dict.expand()?)?,
        ColumnData::Offset { ticks, minutes } => {
            check_offsets(ticks, minutes)?;
            put_numbers(out, minutes);
            put_numbers(out, ticks);
        }
        _ => return Err(cannot(format!("a column of {}", column.dtype()))),
    }
    Ok(())
}

fn put_numbers<T: bytemuck::Pod + Send + Sync>(out: &mut Vec<u8>, numbers: &Buffer<T>) {
    if cfg!(target_endian = "little") {
        out.extend_from_slice(numbers.bytes());
    } else {
        let width = size_of::<T>();
        numbers.bytes().chunks_exact(width).for_each(|number| out.extend(number.iter().rev()));
    }
}

fn without_missing_keys(column: &Column) -> Result<Column> {
    macro_rules! zeroed {
        ($($variant:ident)*) => {
            match column.data() {
                $(ColumnData::$variant(b) => {
                    let keys = b.iter().enumerate().map(|(i, &k)| if column.is_null(i) { 0 } else { k });
                    ColumnData::$variant(keys.collect())
                })*
                other => other.clone(),
            }
        };
    }
    Column::new(column.dtype().clone(), zeroed!(U8 U16 U32 U64), None)
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

/// Outside of vectors the least duration was the missing value of old files, and every reader still makes it 0.
fn check_durations(ticks: &[i64]) -> Result<()> {
    match ticks.iter().position(|&t| t == i64::MIN) {
        None => Ok(()),
        Some(i) => Err(cannot("the least duration, which would be read as 0").row(i as u64)),
    }
}

fn check_offsets(ticks: &[i64], minutes: &[i16]) -> Result<()> {
    check_ticks(ticks)?;
    let bad = |(&t, &m): (&i64, &i16)| {
        !(-MAX_OFFSET..=MAX_OFFSET).contains(&m) || !(0..=MAX_TICKS).contains(&(t - i64::from(m) * MINUTE))
    };
    match ticks.iter().zip(minutes).position(bad) {
        None => Ok(()),
        Some(i) => Err(cannot("an offset of more than 14 hours, or outside the years 1 to 9999").row(i as u64)),
    }
}

fn put_texts(out: &mut Vec<u8>, texts: &Strings) -> Result<()> {
    let data = texts.as_binary().used();
    if data.len() as u64 > MOST || texts.len() as u64 > MOST {
        return Err(cannot(format!("{} bytes of text in one block; take fewer rows per block", data.len())));
    }
    out.reserve(texts.len() * 4 + data.len() + 16);
    out.extend((texts.len() as u32).to_le_bytes());
    if data.is_ascii() {
        let offsets = texts.as_binary().offsets();
        let first = offsets.first().copied().unwrap_or_default();
        offsets.iter().skip(1).for_each(|end| out.extend((end - first).to_le_bytes()));
    } else {
        let mut units = 0u32;
        for text in texts.iter() {
            units += utf16_units(text) as u32;
            out.extend(units.to_le_bytes());
        }
    }
    put_leb(out, data.len() as u64);
    out.extend_from_slice(&data);
    Ok(())
}

fn put_vectors(out: &mut Vec<u8>, codec: &Codec, v: &VectorColumn) -> Result<()> {
    let size = codec.vector_size().unwrap_or_default();
    let n = v.len();
    let rows = || (0..n).map(|i| v.row(i));
    let listed: u64 = rows().map(|row| row.indices.map_or(0, |i| i.len() as u64)).sum();
    if n as u64 > MOST || listed > MOST {
        return Err(cannot("too many vectors or listed slots for one block; take fewer rows per block"));
    }
    let lengths = v.lengths();
    let refused = |&length: &u32| size > 0 && length != size || u64::from(length) > MOST;
    if let Some(i) = lengths.iter().position(refused) {
        let length = lengths.get(i).copied().unwrap_or_default();
        return Err(cannot(format!("a vector of {length} slots in a column of {size}")).row(i as u64));
    }
    out.reserve(n * 8 + listed as usize * 4 + 16);
    out.extend((n as u32).to_le_bytes());
    match common_length(lengths, size) {
        Some(length) => out.extend(length.to_le_bytes()),
        None => {
            out.extend(0u32.to_le_bytes());
            lengths.iter().for_each(|length| out.extend(length.to_le_bytes()));
        }
    }
    rows().for_each(|row| out.extend(row.indices.map_or(-1, |i| i.len() as i32).to_le_bytes()));
    out.extend((listed as u32).to_le_bytes());
    rows().flat_map(|row| row.indices.unwrap_or_default()).for_each(|i| out.extend(i.to_le_bytes()));

    // The items of a part of a column are a part of its items.
    let (first, last) = (v.row(0).first, n.checked_sub(1).map(|i| v.row(i)));
    let end = last.map_or(first, |row| row.first + row.count);
    // A position among the items says nothing about the row.
    put_values(out, codec.item, &v.items().slice(first, end - first)).map_err(|e| Error::new(e.code(), e.message()))
}

/// The length that all vectors have and that needs no list; lists stand for vectors that are all empty.
fn common_length(lengths: &[u32], size: u32) -> Option<u32> {
    let length = if size > 0 { size } else { lengths.first().copied().unwrap_or_default() };
    (length > 0 && lengths.iter().all(|&l| l == length)).then_some(length)
}
