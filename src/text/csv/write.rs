//! CSV out: quotes where they are needed, and around empty texts, so that they are not taken for missing ones.

use std::sync::Arc;

use crate::{
    error::{Error, Result},
    table::{Batch, DataType, Field, JsonStyle, Schema, Value, codes},
    text::{TextFormat, TextOptions},
};

/// What stands between and around the fields of a CSV.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvStyle {
    /// The first row holds the names.
    pub header: bool,
    /// What stands between fields.
    pub delimiter: u8,
    /// What stands for a missing value.
    pub null: String,
}

impl CsvStyle {
    /// The usual style of a format.
    pub fn new(format: TextFormat) -> CsvStyle {
        CsvStyle { header: true, delimiter: format.delimiter(), null: String::new() }
    }

    /// The same style as that in which a text is read, if that says which.
    pub fn follow(&mut self, read: &TextOptions) {
        self.header = read.header;
        self.delimiter = read.delimiter.unwrap_or(self.delimiter);
        self.null.clone_from(&read.null);
    }
}

/// Takes batches, gives bytes to append to the text.
#[derive(Debug)]
pub struct CsvWriter {
    style: CsvStyle,
    /// There is one column, so that nothing shows what stands between columns.
    single: bool,
    row: u64,
}

impl CsvWriter {
    /// Writes the names, if the style says so.
    pub fn new(schema: &Schema, style: CsvStyle, out: &mut Vec<u8>) -> CsvWriter {
        let writer = CsvWriter { style, single: schema.len() == 1, row: 0 };
        if writer.style.header && !schema.is_empty() {
            for (i, field) in schema.fields().iter().enumerate() {
                if i > 0 {
                    out.push(writer.style.delimiter);
                }
                writer.field(&field.name, out);
            }
            out.push(b'\n');
        }
        writer
    }

    /// Writes rows.
    pub fn push(&mut self, batch: &Batch, out: &mut Vec<u8>) -> Result<()> {
        for row in batch.iter() {
            let before = out.len();
            for (i, (field, value)) in row.cells().enumerate() {
                if i > 0 {
                    out.push(self.style.delimiter);
                }
                self.value(value, &field.dtype, out);
            }
            if out.len() == before {
                self.alone(batch.schema())?;
                // In a column that is not text, the empty text means a missing value.
                out.extend_from_slice(b"\"\"");
            }
            out.push(b'\n');
            self.row += 1;
        }
        Ok(())
    }

    /// Whether a row of one missing value can be told from no row at all.
    fn alone(&self, schema: &Arc<Schema>) -> Result<()> {
        let texts = |f: &Field| matches!(f.dtype, DataType::String | DataType::Bytes);
        if schema.fields().first().is_none_or(texts) {
            let message = "a missing text alone in its row would be an empty line; missing values need a word";
            return Err(Error::new(&codes::TARGET, message).row(self.row).with_options(&["null"]));
        }
        Ok(())
    }

    /// Appends a field, in quotes where it would not read back as itself.
    fn field(&self, text: &str, out: &mut Vec<u8>) {
        let mistaken = |b: &u8| self.single && matches!(b, b',' | b';' | b'\t' | b'|');
        let special = |b: &u8| *b == self.style.delimiter || matches!(b, b'"' | b'\n' | b'\r') || mistaken(b);
        // What stands at the very front could be taken for a byte order mark.
        let marked = text.is_empty() || text == self.style.null || text.starts_with('\u{feff}');
        if !marked && !text.as_bytes().iter().any(special) {
            return out.extend_from_slice(text.as_bytes());
        }
        out.push(b'"');
        for part in text.split_inclusive('"') {
            out.extend_from_slice(part.as_bytes());
            if part.ends_with('"') {
                out.push(b'"');
            }
        }
        out.push(b'"');
    }

    fn value(&self, value: Value<'_>, dtype: &DataType, out: &mut Vec<u8>) {
        match value {
            Value::Null | Value::Key(0) => out.extend_from_slice(self.style.null.as_bytes()),
            Value::Str(text) | Value::Json(text) => self.field(text, out),
            other => {
                let json = other.to_json(JsonStyle::default());
                // Words, times and bytes are JSON strings without anything to escape; arrays stay JSON.
                match (matches!(dtype, DataType::Vector { .. }), json.strip_prefix('"')) {
                    (false, Some(rest)) => self.field(rest.strip_suffix('"').unwrap_or(rest), out),
                    _ => self.field(&json, out),
                }
            }
        }
    }
}
