//! Layout S: columns that carry neither names nor types, read by the caller's list of them.

use std::sync::Arc;

use bytes::Bytes;

use crate::{
    cursor::Cursor,
    error::{Error, Result},
    limits::Limits,
    table::{
        Batch, Bitmap, Buffer, Column, ColumnBuilder, ColumnData, DataType, DictIndices, DictStrings, Schema, Strings,
        Value,
    },
    tbf::{caller_schema::NamedType, codes, raw},
};

/// Reads a whole file: blocks, one after the other.
pub(in crate::tbf) fn read(file: &Bytes, columns: &[NamedType], limits: &Limits) -> Result<Vec<Batch>> {
    let schema = Arc::new(Schema::new(columns.iter().map(NamedType::field).collect::<Result<_>>()?)?);
    let mut c = Cursor::new(file, 0, "columns", &codes::TRUNCATED);
    let (mut batches, mut rows) = (Vec::new(), 0);
    while !c.is_empty() {
        let (block, first) = (batches.len() as u64, rows);
        let batch = table(&mut c, file, &schema, limits).map_err(|e| e.block(block).row_after(first))?;
        rows += batch.rows() as u64;
        batches.push(batch);
    }
    Ok(batches)
}

fn table(c: &mut Cursor<'_>, file: &Bytes, schema: &Arc<Schema>, limits: &Limits) -> Result<Batch> {
    let start = c.clone();
    if c.array::<4>()? != raw::MAGIC_SCHEMA {
        return Err(start.error(&codes::TRAILING, "the next part is not a block: is the schema that of this file?"));
    }
    let version = c.u8()?;
    if version != 1 {
        return Err(c.error(&codes::VERSION, format!("version {version}")));
    }
    let before = c.clone();
    let rows = raw::varint(c)?;
    if rows > 0 {
        let count = raw::varint(c)?;
        if count != schema.len() as u64 {
            let message = format!("{count} columns, where the schema names {}", schema.len());
            return Err(before.error(&codes::SCHEMA, message));
        }
    }
    // Four bits a row are the least that a column takes, but for booleans.
    let Some(rows) = usize::try_from(rows).ok().filter(|&n| n / 8 <= c.remaining() && (n == 0 || !schema.is_empty()))
    else {
        return Err(before.error(&codes::COUNT, format!("{rows} rows, where {} bytes are left", c.remaining())));
    };
    limits.item(rows as u64 * 8)?;
    let columns = schema
        .fields()
        .iter()
        .map(|f| {
            if rows == 0 {
                return ColumnBuilder::new(&f.dtype).finish();
            }
            let column = match f.dtype {
                DataType::String => strings(c, file, rows),
                DataType::Bool | DataType::F32 | DataType::F64 => prefixed(c, file, &f.dtype, rows),
                _ => integers(c, &f.dtype, rows),
            };
            column.map_err(|e: Error| e.column(&f.name))
        })
        .collect::<Result<_>>()?;
    Batch::with_rows(schema.clone(), columns, rows)
}

/// Booleans and floats: a number for the type, a count, the values.
fn prefixed(c: &mut Cursor<'_>, file: &Bytes, dtype: &DataType, rows: usize) -> Result<Column> {
    let before = c.clone();
    let (kind, count) = (raw::varint(c)?, raw::varint(c)?);
    if count != rows as u64 {
        return Err(before.error(&codes::COUNT, format!("{count} values in {rows} rows")));
    }
    let data = match (kind, dtype) {
        (0, DataType::Bool) => ColumnData::Bool(Bitmap::new(file.slice_ref(c.take(rows.div_ceil(8))?), rows)),
        (1, DataType::F32) => ColumnData::F32(Buffer::from_le_bytes(file.slice_ref(c.take_u64(rows as u64 * 4)?))),
        (2, DataType::F64) => ColumnData::F64(Buffer::from_le_bytes(file.slice_ref(c.take_u64(rows as u64 * 8)?))),
        _ => return Err(before.error(&codes::SCHEMA, format!("a column of kind {kind} is not one of {dtype}"))),
    };
    Column::new(dtype.clone(), data, None)
}

fn integers(c: &mut Cursor<'_>, dtype: &DataType, rows: usize) -> Result<Column> {
    let start = c.clone();
    let bits = c.u8()?;
    let mut out = ColumnBuilder::new(dtype);
    let mut push = |n: i64, row: usize| {
        // Columns of 64 unsigned bits are stored by their bits.
        let value = if *dtype == DataType::U64 { Value::UInt(n as u64) } else { Value::Int(n) };
        out.push(value).map_err(|e| start.error(&codes::VALUE, e.message()).row(row as u64))
    };
    match bits {
        0 => {
            if rows > c.remaining() {
                return Err(c.error(&codes::COUNT, format!("{rows} values in {} bytes", c.remaining())));
            }
            for row in 0..rows {
                push(raw::unzigzag(raw::varint(c)?), row)?;
            }
        }
        8 | 16 | 32 | 64 => {
            let offset = if bits == 64 { 0 } else { raw::varint(c)? as i64 };
            let width = usize::from(bits / 8);
            let bytes = c.take_u64((rows as u64).saturating_mul(width as u64))?;
            // Without an offset a signed type of just this width is stored in two's complement.
            let signed =
                offset == 0 && matches!((dtype, bits), (DataType::I8, 8) | (DataType::I16, 16) | (DataType::I32, 32));
            for (row, chunk) in bytes.chunks_exact(width).enumerate() {
                let mut le = [0; 8];
                le[..width].copy_from_slice(chunk);
                let stored = i64::from_le_bytes(le);
                let unused = 64 - u32::from(bits);
                let stored = if signed { stored << unused >> unused } else { stored };
                push(offset.wrapping_add(stored), row)?;
            }
        }
        other => return Err(start.error(&codes::SCHEMA, format!("{other} is not a width of integers"))),
    }
    out.finish()
}

fn strings(c: &mut Cursor<'_>, file: &Bytes, rows: usize) -> Result<Column> {
    let start = c.clone();
    match c.u8()? {
        0 => {
            let at = c.offset();
            let (offsets, data) = raw::strings(c, rows)?;
            Ok(Strings::new(offsets, data).map_err(|e| e.offset(at))?.into())
        }
        1 => {
            let dictionary = raw::dictionary(c)?;
            let at = c.clone();
            let indices = match dictionary.len() {
                0..=16 => {
                    let bytes = c.take(rows.div_ceil(2))?;
                    let nibble = |i: usize| bytes.get(i / 2).map_or(0, |b| b >> (i % 2 * 4) & 15);
                    DictIndices::U8((0..rows).map(nibble).collect())
                }
                17..=256 => DictIndices::U8(Buffer::from_le_bytes(file.slice_ref(c.take(rows)?))),
                _ => DictIndices::U16(Buffer::from_le_bytes(file.slice_ref(c.take_u64(rows as u64 * 2)?))),
            };
            let found = DictStrings::new(indices, dictionary);
            Ok(found.map_err(|e| at.error(&codes::INDEX, e.message()).row(e.place().row.unwrap_or(0)))?.into())
        }
        other => Err(start.error(&codes::SCHEMA, format!("{other} is not a kind of text column"))),
    }
}
