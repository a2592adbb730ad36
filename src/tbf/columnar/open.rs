//! Layout C: named, typed columns over one dictionary, read and written.

use std::sync::Arc;

use bytes::Bytes;
use hashbrown::HashMap;

use crate::{
    cursor::Cursor,
    error::{Error, Result},
    limits::Limits,
    table::{
        Batch, Column, ColumnBuilder, ColumnData, DataType, DictIndices, DictStrings, Field, Schema, Strings,
        StringsBuilder, Value,
    },
    tbf::{
        codes,
        raw::{self, MAGIC_COLUMNAR, put_dictionary, put_varint, zigzag},
    },
};

/// The column types, by their numbers from 1.
const TYPES: [DataType; 13] = [
    DataType::Bool,
    DataType::I8,
    DataType::I16,
    DataType::I32,
    DataType::I64,
    DataType::U8,
    DataType::U16,
    DataType::U32,
    DataType::U64,
    DataType::F32,
    DataType::F64,
    DataType::String,
    DataType::Bytes,
];

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

/// Collects batches; the dictionary stands in front, so the file is made at the end and memory grows with it.
#[derive(Debug)]
pub struct ColumnarWriter {
    schema: Arc<Schema>,
    numbers: HashMap<String, u32>,
    entries: StringsBuilder,
    columns: Vec<Vec<u8>>,
    rows: u64,
}

impl ColumnarWriter {
    /// Refuses what the layout has no column for: missing values, bytes, dates, more than 65,535 columns.
    pub fn new(schema: Arc<Schema>) -> Result<Self> {
        if schema.len() > usize::from(u16::MAX) {
            return Err(Error::new(&codes::CANNOT_HOLD, format!("{} columns, where 65535 are the most", schema.len())));
        }
        for field in schema.fields() {
            if type_number(&field.dtype).is_none() {
                let message = format!("the layout C has no columns of {}", field.dtype);
                return Err(Error::new(&codes::CANNOT_HOLD, message).column(&field.name));
            }
        }
        let mut w = ColumnarWriter {
            columns: vec![Vec::new(); schema.len()],
            schema: schema.clone(),
            numbers: HashMap::new(),
            entries: StringsBuilder::default(),
            rows: 0,
        };
        // Names come first in the dictionary.
        schema.fields().iter().try_for_each(|f| w.number(&f.name).map(|_| ()))?;
        Ok(w)
    }

    fn number(&mut self, text: &str) -> Result<u32> {
        if let Some(&n) = self.numbers.get(text) {
            return Ok(n);
        }
        let n = self.entries.len() as u32;
        self.entries.push(text)?;
        self.numbers.insert(text.to_owned(), n);
        Ok(n)
    }

    /// Adds rows. Texts enter the dictionary row by row, as the peer's encoder is fed.
    pub fn push(&mut self, batch: &Batch) -> Result<()> {
        if self.schema.len() != batch.columns().len()
            || !self.schema.fields().iter().zip(batch.columns()).all(|(f, c)| f.dtype == *c.dtype())
        {
            return Err(Error::new(&codes::SCHEMA, "the batch has other columns than the file"));
        }
        let texts: Vec<usize> =
            (0..batch.columns().len()).filter(|&i| batch.columns()[i].dtype() == &DataType::String).collect();
        for (i, c) in batch.columns().iter().enumerate() {
            if c.null_count() > 0 {
                let row = (0..c.len()).find(|&r| c.is_null(r)).unwrap_or_default();
                let name = self.schema.field(i)?.name.clone();
                return Err(Error::new(&codes::CANNOT_HOLD, "the layout C has no missing values")
                    .column(name)
                    .row(self.rows + row as u64));
            }
        }
        for row in 0..batch.rows() {
            for &i in &texts {
                let n = self.number(batch.columns()[i].str(row).unwrap_or_default())?;
                put_varint(&mut self.columns[i], n.into());
            }
        }
        for (out, column) in self.columns.iter_mut().zip(batch.columns()) {
            numbers(out, column);
        }
        self.rows += batch.rows() as u64;
        Ok(())
    }

    /// The file.
    pub fn finish(mut self) -> Result<Vec<u8>> {
        let mut out = MAGIC_COLUMNAR.to_vec();
        out.extend([1, 0]);
        out.extend((self.schema.len() as u16).to_le_bytes());
        let names = self.schema.clone();
        let names = names.fields().iter().map(|f| self.number(&f.name)).collect::<Result<Vec<_>>>()?;
        let entries = self.entries.finish_binary();
        put_dictionary(&mut out, entries.iter());
        put_varint(&mut out, self.rows);
        for (field, name) in self.schema.fields().iter().zip(names) {
            put_varint(&mut out, name.into());
            let kind = type_number(&field.dtype).unwrap_or_default();
            // The label that the peer's encoder writes; no values are coded as it says.
            let label = match kind {
                4 | 5 | 8 | 9 => 1,
                12 => 3,
                _ => 0,
            };
            out.extend([kind, label]);
        }
        for data in &self.columns {
            put_varint(&mut out, data.len() as u64);
            out.extend_from_slice(data);
        }
        Ok(out)
    }
}

fn type_number(dtype: &DataType) -> Option<u8> {
    let known = TYPES.iter().position(|t| t == dtype).filter(|_| *dtype != DataType::Bytes)?;
    Some(known as u8 + 1)
}

fn numbers(out: &mut Vec<u8>, column: &Column) {
    macro_rules! zigzags {
        ($b:expr) => {
            $b.iter().for_each(|&n| put_varint(out, zigzag(n.into())))
        };
    }
    match column.data() {
        ColumnData::Bool(b) => out.extend(b.iter().map(u8::from)),
        ColumnData::I8(b) => zigzags!(b),
        ColumnData::I16(b) => zigzags!(b),
        ColumnData::I32(b) => zigzags!(b),
        ColumnData::I64(b) => zigzags!(b),
        ColumnData::U8(b) => b.iter().for_each(|&n| put_varint(out, n.into())),
        ColumnData::U16(b) => b.iter().for_each(|&n| put_varint(out, n.into())),
        ColumnData::U32(b) => b.iter().for_each(|&n| put_varint(out, n.into())),
        ColumnData::U64(b) => b.iter().for_each(|&n| put_varint(out, n)),
        ColumnData::F32(b) => b.iter().for_each(|n| out.extend(n.to_le_bytes())),
        ColumnData::F64(b) => b.iter().for_each(|n| out.extend(n.to_le_bytes())),
        _ => {}
    }
}
