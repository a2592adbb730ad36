//! Writing layout T: the bytes that the peer's tools write for the same JSON.

use std::sync::Arc;

use hashbrown::HashMap;
use serde_json::Value as Json;

use super::document::{Document, tag};
use crate::{
    error::{Error, Result},
    limits::Limits,
    table::{Batch, JsonStyle, Schema, StringsBuilder, Value},
    tbf::{
        codes,
        raw::{MAGIC_TBF, put_bytes, put_dictionary, put_varint, zigzag},
    },
};

/// Collects values. The dictionary stands in front of them, so nothing can be given out before the end: memory
/// grows with the document.
#[derive(Debug, Default)]
pub struct TaggedWriter {
    numbers: HashMap<String, u32>,
    entries: StringsBuilder,
    body: Vec<u8>,
    rows: u64,
    limits: Limits,
    /// The columns of the last rows, which were looked at.
    schema: Option<Arc<Schema>>,
}

impl TaggedWriter {
    /// Adds the rows of a batch as objects, for a document that is one list of them. Missing values are
    /// `null`, times are ISO texts.
    pub fn push(&mut self, batch: &Batch) -> Result<()> {
        if !self.schema.as_ref().is_some_and(|schema| Arc::ptr_eq(schema, batch.schema())) {
            batch.schema().one_of_each_name()?;
            self.schema = Some(batch.schema().clone());
        }
        for row in batch.iter() {
            self.body.push(tag::MAP);
            put_varint(&mut self.body, batch.schema().len() as u64);
            for (field, value) in row.cells() {
                self.text(&field.name)?;
                self.cell(value).map_err(|e| e.column(&field.name).row(self.rows))?;
            }
            self.rows += 1;
        }
        Ok(())
    }

    /// Appends the file: a list of all rows that were pushed.
    pub fn finish(self, out: &mut Vec<u8>) {
        let mut front = vec![tag::SEQ];
        put_varint(&mut front, self.rows);
        self.file(&front, out);
    }

    /// One JSON value as a file.
    pub fn json(value: &Json) -> Result<Vec<u8>> {
        let mut w = TaggedWriter::default();
        w.value(value, 1)?;
        let mut out = Vec::new();
        w.file(&[], &mut out);
        Ok(out)
    }

    fn file(self, front: &[u8], out: &mut Vec<u8>) {
        let entries = self.entries.finish_binary();
        out.reserve_exact(self.body.len() + entries.data().len() + entries.len() * 2 + 32);
        out.extend(MAGIC_TBF);
        out.extend([1, 2, 0, 0]);
        put_dictionary(out, entries.iter());
        out.extend_from_slice(front);
        out.extend_from_slice(&self.body);
    }

    /// The number of a text, new where it was not seen before.
    pub(in crate::tbf) fn number(&mut self, text: &str) -> Result<u32> {
        if let Some(&n) = self.numbers.get(text) {
            return Ok(n);
        }
        let n = self.entries.len() as u32;
        self.entries.push(text)?;
        self.numbers.insert(text.to_owned(), n);
        Ok(n)
    }

    pub(in crate::tbf) fn text(&mut self, text: &str) -> Result<()> {
        let n = self.number(text)?;
        self.body.push(tag::STRING);
        put_varint(&mut self.body, n.into());
        Ok(())
    }

    pub(in crate::tbf) fn body(&mut self) -> &mut Vec<u8> {
        &mut self.body
    }

    pub(in crate::tbf) fn into_document(self) -> Document {
        Document::from_parts(self.body, self.entries.finish())
    }

    fn integer(&mut self, n: i64) {
        match u64::try_from(n) {
            Ok(n) => self.unsigned(n),
            Err(_) => {
                self.body.push(tag::I64);
                put_varint(&mut self.body, zigzag(n));
            }
        }
    }

    fn unsigned(&mut self, n: u64) {
        self.body.push(tag::U64);
        put_varint(&mut self.body, n);
    }

    fn float(&mut self, x: f64) {
        self.body.push(tag::F64);
        self.body.extend(x.to_le_bytes());
    }

    fn value(&mut self, value: &Json, depth: u32) -> Result<()> {
        self.limits.depth(depth)?;
        match value {
            Json::Null => self.body.push(tag::UNIT),
            Json::Bool(b) => self.body.extend([tag::BOOL, u8::from(*b)]),
            Json::Number(n) => match (n.as_u64(), n.as_i64(), n.as_f64()) {
                (Some(n), ..) => self.unsigned(n),
                (_, Some(n), _) => self.integer(n),
                (.., Some(x)) => self.float(x),
                _ => return Err(Error::new(&codes::CANNOT_HOLD, format!("the number {n}"))),
            },
            Json::String(s) => self.text(s)?,
            Json::Array(items) => {
                self.body.push(tag::SEQ);
                put_varint(&mut self.body, items.len() as u64);
                items.iter().try_for_each(|item| self.value(item, depth + 1))?;
            }
            Json::Object(pairs) => {
                self.body.push(tag::MAP);
                put_varint(&mut self.body, pairs.len() as u64);
                for (key, value) in pairs {
                    self.text(key)?;
                    self.value(value, depth + 1)?;
                }
            }
        }
        Ok(())
    }

    fn cell(&mut self, value: Value<'_>) -> Result<()> {
        match value {
            Value::Null | Value::Key(0) => self.body.push(tag::UNIT),
            Value::Bool(b) => self.body.extend([tag::BOOL, u8::from(b)]),
            Value::Int(n) => self.integer(n),
            Value::UInt(n) | Value::Key(n) => self.unsigned(n),
            Value::F32(x) => {
                self.body.push(tag::F32);
                self.body.extend(x.to_le_bytes());
            }
            Value::F64(x) => self.float(x),
            Value::Str(s) => self.text(s)?,
            Value::Bytes(b) => {
                self.body.push(tag::BYTES);
                put_bytes(&mut self.body, b);
            }
            Value::Time(t) => self.text(&t.to_string())?,
            Value::RowId(n) => self.text(&format!("{n:032x}"))?,
            Value::Json(text) => {
                let json = serde_json::from_str(text)
                    .map_err(|e| Error::caused(&codes::CANNOT_HOLD, "a cell is not JSON", e))?;
                self.value(&json, 3)?;
            }
            Value::Vector { row, items } if row.indices.is_none() => {
                self.body.push(tag::SEQ);
                put_varint(&mut self.body, row.count as u64);
                (row.first..row.first + row.count).try_for_each(|i| self.cell(items.value(i)))?;
            }
            sparse @ Value::Vector { .. } => {
                let json = serde_json::from_str(&sparse.to_json(JsonStyle::default()))
                    .map_err(|e| Error::caused(&codes::CANNOT_HOLD, "a vector", e))?;
                self.value(&json, 3)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Column, Field};

    /// It would be read as a document of such objects, and of each name one value would be lost.
    #[test]
    fn columns_of_one_name_are_refused() {
        let batch = |names: [&str; 2]| {
            let columns = [Column::from(vec![1u8]), Column::from(vec![2u8])];
            let fields = names.iter().zip(&columns).map(|(name, c)| Field::new(*name, c.dtype().clone())).collect();
            Batch::new(Arc::new(Schema::new(fields).unwrap()), columns.to_vec()).unwrap()
        };
        let mut writer = TaggedWriter::default();
        writer.push(&batch(["a", "b"])).unwrap();
        let e = writer.push(&batch(["a", "a"])).unwrap_err();
        assert_eq!((e.code().id(), e.place().column.as_deref()), ("table.target", Some("a")));
        writer.push(&batch(["b", "a"])).unwrap();
    }

    #[test]
    fn a_list_of_objects_is_what_the_peer_writes() {
        let file =
            TaggedWriter::json(&serde_json::json!([{"id": 1, "name": "Alice"}, {"id": -1, "name": null}])).unwrap();
        let expected = b"TBF\x01\x01\x02\0\0\x03\x02id\x04name\x05Alice\x06\x02\x07\x02\x04\0\x13\x01\x04\x01\x04\x02\x07\x02\x04\0\x0e\x01\x04\x01\x08";
        assert_eq!(file, expected);
        let mut file = Vec::new();
        TaggedWriter::default().finish(&mut file);
        assert_eq!(file, b"TBF\x01\x01\x02\0\0\0\x06\0");
    }
}
