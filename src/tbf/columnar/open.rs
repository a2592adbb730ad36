//! Reading a file, as a whole.

use std::sync::Arc;

use bytes::Bytes;

use super::TYPES;
use crate::{
    cursor::Cursor,
    error::Result,
    limits::Limits,
    table::{Batch, Column, ColumnBuilder, DataType, DictIndices, DictStrings, Field, Schema, Strings, Value},
    tbf::{
        codes,
        raw::{self, MAGIC_COLUMNAR},
    },
};

/// Reads a whole file.
pub(in crate::tbf) fn read(file: &Bytes, limits: &Limits) -> Result<Batch> {
    let mut c = Cursor::new(file, 0, "header", &codes::TRUNCATED);
    c.take(MAGIC_COLUMNAR.len())?;
    let version = c.u8()?;
    if version != 1 {
        return Err(c.error(&codes::VERSION, format!("version {version}")));
    }
    c.u8()?;
    let columns = usize::from(c.u16()?);
    let mut c = Cursor::new(c.rest(), c.offset(), "columns", &codes::TRUNCATED);
    let dictionary = raw::dictionary(&mut c)?;
    let before = c.clone();
    let rows = raw::varint(&mut c)?;
    let rows = match usize::try_from(rows) {
        // Every value takes a byte at least.
        Ok(n) if n <= c.remaining() && (columns > 0 || n == 0) => n,
        _ => return Err(before.error(&codes::COUNT, format!("{rows} rows, where {} bytes are left", c.remaining()))),
    };
    let mut fields = Vec::new();
    for _ in 0..columns {
        let at = c.clone();
        let name = raw::varint(&mut c)?;
        let name = usize::try_from(name).ok().filter(|&n| n < dictionary.len());
        let Some(name) = name else { return Err(at.error(&codes::INDEX, "a column's name is not in the dictionary")) };
        let (kind, encoding) = (c.u8()?, c.u8()?);
        let dtype = usize::from(kind).checked_sub(1).and_then(|k| TYPES.get(k)).filter(|_| encoding <= 3);
        let Some(dtype) = dtype else {
            return Err(at.error(&codes::TAG, format!("there is no column type {kind} with encoding {encoding}")));
        };
        fields.push(Field::new(dictionary.get(name), dtype.clone()));
    }
    let mut decoded = Vec::new();
    for field in &fields {
        let n = raw::varint(&mut c)?;
        let at = c.offset();
        let data = c.take_u64(n)?;
        let mut inner = Cursor::new(data, at, "columns", &codes::TRUNCATED);
        let column = column(&mut inner, &field.dtype, rows, &dictionary, limits).map_err(|e| e.column(&field.name))?;
        if !inner.is_empty() {
            return Err(inner.error(&codes::TRAILING, "bytes after the last value").column(&field.name));
        }
        decoded.push(column);
    }
    if !c.is_empty() {
        return Err(c.error(&codes::TRAILING, "bytes after the last column"));
    }
    Batch::with_rows(Arc::new(Schema::new(fields)?), decoded, rows)
}

fn column(c: &mut Cursor<'_>, dtype: &DataType, rows: usize, dictionary: &Strings, limits: &Limits) -> Result<Column> {
    if rows > c.remaining() {
        return Err(c.error(&codes::COUNT, format!("{rows} values in {} bytes", c.remaining())));
    }
    limits.item(rows as u64 * 8)?;
    if *dtype == DataType::Bytes {
        return Err(c.error(&codes::TAG, "a column of bytes, whose layout nobody has defined"));
    }
    if *dtype == DataType::String {
        let mut indices = Vec::with_capacity(rows);
        for row in 0..rows {
            let n = raw::varint(c)?;
            match u32::try_from(n) {
                Ok(i) if (i as usize) < dictionary.len() => indices.push(i),
                _ => {
                    let message = format!("text {n} of a dictionary of {}", dictionary.len());
                    return Err(c.error(&codes::INDEX, message).row(row as u64));
                }
            }
        }
        return Ok(DictStrings::new(DictIndices::U32(indices.into()), dictionary.clone())?.into());
    }
    let mut out = ColumnBuilder::new(dtype);
    for row in 0..rows {
        let at = c.clone();
        let value = match dtype {
            DataType::Bool => Value::Bool(c.u8()? != 0),
            DataType::F32 => Value::F32(c.f32()?),
            DataType::F64 => Value::F64(c.f64()?),
            DataType::I8 | DataType::I16 | DataType::I32 | DataType::I64 => Value::Int(raw::unzigzag(raw::varint(c)?)),
            _ => Value::UInt(raw::varint(c)?),
        };
        out.push(value).map_err(|e| at.error(&codes::VALUE, e.message()).row(row as u64))?;
    }
    out.finish()
}
