//! CSV out: quotes where they are needed, and around empty texts, so that they are not taken for missing ones.

use std::sync::Arc;

use forebay::{
    Error, Result,
    table::{Batch, DataType, JsonStyle, Schema, Value},
};

use super::{FileWriter, TableFormat, TableSink, WriteOptions, codes};

/// A CSV that is being written.
#[derive(Debug)]
pub(super) struct CsvSink {
    out: FileWriter,
    delimiter: u8,
    header: bool,
    null: String,
    row: u64,
    line: Vec<u8>,
}

impl CsvSink {
    pub fn new(out: FileWriter, options: &WriteOptions) -> CsvSink {
        let usual = if options.format == TableFormat::Tsv { b'\t' } else { b',' };
        let delimiter = options.delimiter.unwrap_or(usual);
        CsvSink { out, delimiter, header: options.header, null: options.null.clone(), row: 0, line: Vec::new() }
    }

    /// Appends a field, in quotes where it would not read back as itself.
    fn field(&mut self, text: &str) {
        let special = |b: &u8| *b == self.delimiter || matches!(b, b'"' | b'\n' | b'\r');
        // What stands at the very front could be taken for a byte order mark.
        let marked = text.is_empty() || text == self.null || text.starts_with('\u{feff}');
        if !marked && !text.as_bytes().iter().any(special) {
            return self.line.extend_from_slice(text.as_bytes());
        }
        self.line.push(b'"');
        for part in text.split_inclusive('"') {
            self.line.extend_from_slice(part.as_bytes());
            if part.ends_with('"') {
                self.line.push(b'"');
            }
        }
        self.line.push(b'"');
    }

    fn value(&mut self, value: Value<'_>, dtype: &DataType) {
        match value {
            Value::Null | Value::Key(0) => self.line.extend_from_slice(self.null.as_bytes()),
            Value::Str(text) | Value::Json(text) => self.field(text),
            other => {
                let json = other.to_json(JsonStyle::default());
                // Words, times and bytes are JSON strings without anything to escape; arrays stay JSON.
                match (matches!(dtype, DataType::Vector { .. }), json.strip_prefix('"')) {
                    (false, Some(rest)) => self.field(rest.strip_suffix('"').unwrap_or(rest)),
                    _ => self.field(&json),
                }
            }
        }
    }
}

impl TableSink for CsvSink {
    fn begin(&mut self, schema: &Arc<Schema>) -> Result<()> {
        if self.header && !schema.is_empty() {
            self.line.clear();
            for (i, field) in schema.fields().iter().enumerate() {
                if i > 0 {
                    self.line.push(self.delimiter);
                }
                self.field(&field.name);
            }
            self.line.push(b'\n');
            self.out.append(&self.line)?;
        }
        Ok(())
    }

    fn write(&mut self, batch: &Batch) -> Result<()> {
        for row in batch.iter() {
            self.line.clear();
            for (i, (field, value)) in row.cells().enumerate() {
                if i > 0 {
                    self.line.push(self.delimiter);
                }
                self.value(value, &field.dtype);
            }
            if self.line.is_empty() {
                let texts = |f: &forebay::table::Field| matches!(f.dtype, DataType::String | DataType::Bytes);
                let text = batch.schema().fields().first().is_some_and(texts);
                if text || batch.columns().is_empty() {
                    let message = "a missing text alone in its row would be an empty line; give --null a word";
                    return Err(Error::new(&codes::TARGET, message).row(self.row));
                }
                // In a column that is no text, the empty text means a missing value.
                self.line.extend_from_slice(b"\"\"");
            }
            self.line.push(b'\n');
            self.out.append(&self.line)?;
            self.row += 1;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<FileWriter> {
        Ok(self.out)
    }
}
