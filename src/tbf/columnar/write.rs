//! The same, outwards.

use std::sync::Arc;

use hashbrown::HashMap;

use super::TYPES;
use crate::{
    error::{Error, Result},
    table::{Batch, Column, ColumnData, DataType, Schema, StringsBuilder},
    tbf::{
        codes,
        raw::{MAGIC_COLUMNAR, put_dictionary, put_varint, zigzag},
    },
};

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

    /// Appends the file.
    pub fn finish(mut self, out: &mut Vec<u8>) -> Result<()> {
        out.extend(MAGIC_COLUMNAR);
        out.extend([1, 0]);
        out.extend((self.schema.len() as u16).to_le_bytes());
        let names = self.schema.clone();
        let names = names.fields().iter().map(|f| self.number(&f.name)).collect::<Result<Vec<_>>>()?;
        let entries = self.entries.finish_binary();
        put_dictionary(out, entries.iter());
        put_varint(out, self.rows);
        for (field, name) in self.schema.fields().iter().zip(names) {
            put_varint(out, name.into());
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
            put_varint(out, data.len() as u64);
            out.extend_from_slice(data);
        }
        Ok(())
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
