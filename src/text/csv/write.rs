//! CSV out: quotes where they are needed, and around empty texts, so that they are not taken for missing ones.

use crate::{
    error::{Error, Result},
    table::{Batch, DataType, JsonStyle, Schema, Value, codes},
    text::{
        TextFormat, TextOptions,
        csv::{check_delimiter, check_null},
    },
};

/// The delimiters of a CSV.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CsvStyle {
    /// The first row holds the names.
    pub header: bool,
    /// The delimiter between fields.
    pub delimiter: u8,
    /// The text for a missing value.
    pub null: String,
}

impl CsvStyle {
    /// The usual style of a format.
    pub fn new(format: TextFormat) -> CsvStyle {
        CsvStyle { header: true, delimiter: format.delimiter(), null: String::new() }
    }

    /// Refuses what no reader would take apart again as it was put together.
    #[doc(hidden)]
    pub fn check(&self) -> Result<()> {
        check_delimiter(self.delimiter)?;
        check_null(&self.null, Some(self.delimiter))
    }

    /// The same style as that in which a text is read, if that says which.
    #[doc(hidden)]
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
    /// A value was written where types are found out from, so that missing ones beside it are of its type.
    typed: bool,
    row: u64,
}

impl CsvWriter {
    /// Writes the names, if the style says so.
    pub fn new(schema: &Schema, style: CsvStyle, out: &mut Vec<u8>) -> CsvWriter {
        let writer = CsvWriter { style, single: schema.len() == 1, typed: false, row: 0 };
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
        for (i, row) in batch.iter().enumerate() {
            let before = out.len();
            for (at, (field, value)) in row.cells().enumerate() {
                if at > 0 {
                    out.push(self.style.delimiter);
                }
                self.value(value, &field.dtype, out);
            }
            if out.len() == before {
                self.alone(batch, i)?;
                // In a column that is not text, the empty text means a missing value.
                out.extend_from_slice(b"\"\"");
            } else {
                self.typed |= self.row < sniffed_rows();
            }
            out.push(b'\n');
            self.row += 1;
        }
        Ok(())
    }

    /// Refuses a row of one missing value that would not read back as one: whoever finds out types again takes an empty
    /// text for a missing value only in a column of numbers, times or booleans, which values have to show.
    fn alone(&mut self, batch: &Batch, row: usize) -> Result<()> {
        let refused = |message: &str| Err(Error::new(&codes::TARGET, message).row(self.row).with_options(&["null"]));
        match batch.schema().fields().first().map(|field| &field.dtype) {
            None | Some(DataType::String | DataType::Bytes) => {
                refused("a missing text alone in its row would be an empty line; missing values need a word")
            }
            Some(dtype) if !is_found_out(dtype) => {
                refused("a missing value alone in its row would read back as an empty text; missing values need a word")
            }
            Some(_) if !self.typed && !self.shows_type(batch, row) => {
                refused("missing values alone in their rows would read back as empty texts; missing values need a word")
            }
            Some(_) => {
                self.typed = true;
                Ok(())
            }
        }
    }

    /// Whether the only column of a batch, of which rows up to this one are written, has a value among the first rows.
    fn shows_type(&self, batch: &Batch, row: usize) -> bool {
        let first = self.row.saturating_sub(row as u64);
        let rows = usize::try_from(sniffed_rows().saturating_sub(first)).unwrap_or(usize::MAX).min(batch.rows());
        let column = batch.columns().first();
        column.is_some_and(|column| (0..rows).any(|i| !matches!(column.value(i), Value::Null | Value::Key(0))))
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

/// Rows from which types are found out, unless a reader asks for others.
fn sniffed_rows() -> u64 {
    u64::try_from(TextOptions::default().sniff_rows).unwrap_or(u64::MAX)
}

/// Whether a text of this type says that it is of no text's.
fn is_found_out(dtype: &DataType) -> bool {
    use DataType as T;
    let moment = matches!(dtype, T::Date | T::TimestampMs | T::TimestampUs | T::TimestampNs | T::DateTime);
    moment || dtype.is_integer() || matches!(dtype, T::Bool | T::F32 | T::F64 | T::Key { .. })
}
