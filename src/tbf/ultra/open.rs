//! Layout L: typed columns without names, read only.

use std::sync::Arc;

use bytes::Bytes;

use crate::{
    cursor::Cursor,
    error::{Error, Result},
    limits::Limits,
    table::{Batch, Bitmap, Column, ColumnData, DataType, Field, Schema, Strings},
    tbf::{codes, raw},
};

/// Reads a whole file.
pub(in crate::tbf) fn read(file: &Bytes, limits: &Limits) -> Result<Batch> {
    let mut c = Cursor::new(file, 0, "columns", &codes::TRUNCATED);
    c.take(4)?;
    let version = c.u8()?;
    if version != 1 {
        return Err(c.error(&codes::VERSION, format!("version {version}")));
    }
    c.u8()?;
    let before = c.clone();
    let rows = raw::varint(&mut c)?;
    let mut fields = Vec::new();
    let mut columns = Vec::new();
    let mut held = 0;
    if rows > 0 {
        let count = raw::count(&mut c, 2, 0, "columns")?;
        let Some(n) = usize::try_from(rows).ok().filter(|_| count > 0 && rows / 8 <= before.remaining() as u64) else {
            return Err(before.error(&codes::COUNT, format!("{rows} rows of {count} columns do not fit the file")));
        };
        held = n;
        for i in 0..count {
            let name = format!("c{i}");
            limits.item(rows * 8)?;
            let column = column(&mut c, file, n).map_err(|e: Error| e.column(&name))?;
            fields.push(Field::new(name, column.dtype().clone()));
            columns.push(column);
        }
    }
    if !c.is_empty() {
        return Err(c.error(&codes::TRAILING, "bytes after the last column"));
    }
    Batch::with_rows(Arc::new(Schema::new(fields)?), columns, held)
}

fn column(c: &mut Cursor<'_>, file: &Bytes, rows: usize) -> Result<Column> {
    let at = c.clone();
    let kind = c.u8()?;
    let (dtype, data) = match kind {
        0 => (DataType::U32, ColumnData::U32(narrow(c, rows)?.into())),
        1 => (DataType::U64, ColumnData::U64(packed(c, rows, true)?.into())),
        2 => {
            let unzigzag = |n: u32| (n >> 1) as i32 ^ -((n & 1) as i32);
            (DataType::I32, ColumnData::I32(narrow(c, rows)?.into_iter().map(unzigzag).collect()))
        }
        3 => (DataType::I64, ColumnData::I64(packed(c, rows, true)?.into_iter().map(raw::unzigzag).collect())),
        4 => (DataType::F32, ColumnData::F32(crate::table::Buffer::from_le_bytes(take(c, file, rows, 4)?))),
        5 => (DataType::F64, ColumnData::F64(crate::table::Buffer::from_le_bytes(take(c, file, rows, 8)?))),
        6 => (DataType::Bool, ColumnData::Bool(Bitmap::new(take(c, file, rows.div_ceil(8), 1)?, rows))),
        7 => {
            let place = c.offset();
            let (offsets, data) = raw::strings(c, rows)?;
            (DataType::String, ColumnData::Str(Strings::new(offsets, data).map_err(|e| e.offset(place))?))
        }
        other => return Err(at.error(&codes::TAG, format!("there is no column type {other}"))),
    };
    Column::new(dtype, data, None)
}

fn take(c: &mut Cursor<'_>, file: &Bytes, rows: usize, width: u64) -> Result<Bytes> {
    Ok(file.slice_ref(c.take_u64((rows as u64).saturating_mul(width))?))
}

/// Values of 32 bits.
fn narrow(c: &mut Cursor<'_>, rows: usize) -> Result<Vec<u32>> {
    let at = c.clone();
    let wide = packed(c, rows, false)?;
    match wide.iter().position(|&n| n > u32::MAX.into()) {
        Some(row) => Err(at.error(&codes::VALUE, "a value of more than 32 bits").row(row as u64)),
        None => Ok(wide.into_iter().map(|n| n as u32).collect()),
    }
}

/// A width, a smallest value where one was taken off, and the values.
fn packed(c: &mut Cursor<'_>, rows: usize, wide: bool) -> Result<Vec<u64>> {
    let at = c.clone();
    let head = c.u8()?;
    let width: u64 = match head >> 1 {
        0 if wide => 8,
        1 => 4,
        2 => 2,
        3 => 1,
        other => return Err(at.error(&codes::TAG, format!("there is no packing {other}"))),
    };
    let min = match (head & 1, wide) {
        (0, _) => 0,
        (_, true) => c.u64()?,
        (_, false) => c.u32()?.into(),
    };
    let bytes = c.take_u64((rows as u64).saturating_mul(width))?;
    let stored = bytes.chunks_exact(width as usize).map(|chunk| {
        let mut le = [0; 8];
        le[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(le)
    });
    let overflow = |row: usize| at.error(&codes::VALUE, "a value of more than 64 bits").row(row as u64);
    stored.enumerate().map(|(row, n)| n.checked_add(min).ok_or_else(|| overflow(row))).collect()
}
