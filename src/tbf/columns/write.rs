//! Writing layout D with Forebay's footer, group by group with bounded memory.

use std::sync::Arc;

use super::{
    encode,
    encoding::TableSchema,
    footer::{ColumnMeta, Footer, Group, Span},
};
use crate::{
    codec::checksum::crc32,
    error::{Error, Result},
    table::{Batch, Column, DataType, Schema},
    tbf::{
        codes,
        raw::{MAGIC_TBF, put_long_varint, put_varint},
    },
};

/// How a file is cut into groups, and whether it gets the footer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WriteOptions {
    /// The most rows of a group.
    pub group_rows: usize,
    /// About how much memory the rows of a group may take before it is written.
    pub group_bytes: usize,
    /// False for a plain file of the documented layout: without names, missing values and offsets.
    pub footer: bool,
    /// The name of the writer.
    pub created_by: String,
}

impl Default for WriteOptions {
    fn default() -> Self {
        WriteOptions {
            group_rows: 1 << 20,
            group_bytes: 64 << 20,
            footer: true,
            created_by: concat!("forebay ", env!("CARGO_PKG_VERSION")).to_owned(),
        }
    }
}

#[doc(hidden)]
impl WriteOptions {
    /// Sets the most rows of a group.
    #[must_use]
    #[doc(hidden)]
    pub fn with_group_rows(mut self, rows: usize) -> Self {
        self.group_rows = rows;
        self
    }
    /// Sets about how much memory the rows of a group may take.
    #[must_use]
    pub(crate) fn with_group_bytes(mut self, bytes: usize) -> Self {
        self.group_bytes = bytes;
        self
    }
    /// Writes a plain file: one table without names, missing values and offsets.
    #[must_use]
    #[doc(hidden)]
    pub fn without_footer(mut self) -> Self {
        self.footer = false;
        self
    }
}

/// Takes batches, gives bytes to append to the file.
///
/// ```
/// use forebay::{tbf, table::{Batch, Column, DataType, Field, Schema}};
/// use std::sync::Arc;
/// let schema = Arc::new(Schema::new(vec![Field::new("id", DataType::U32)])?);
/// let batch = Batch::new(schema.clone(), vec![Column::from(vec![1u32, 2, 3])])?;
/// let mut file = Vec::new();
/// let mut writer = tbf::Writer::new(schema, Default::default())?;
/// writer.push(&batch, &mut file)?;
/// writer.finish(&mut file)?;
/// assert_eq!(&file[..10], b"TBF\x01\x03\x01\x0a\x83\x00\x01");
/// # Ok::<(), forebay::Error>(())
/// ```
#[derive(Debug)]
pub struct Writer {
    columns: TableSchema,
    options: WriteOptions,
    pending: Vec<Batch>,
    pending_rows: usize,
    pending_bytes: usize,
    position: u64,
    rows: u64,
    groups: Vec<Group>,
}

impl Writer {
    /// Refuses types that TBF has no column for.
    pub fn new(columns: impl Into<TableSchema>, options: WriteOptions) -> Result<Self> {
        let columns = columns.into();
        if options.group_rows == 0 || options.group_rows > 1 << 31 {
            let message = format!("groups of {} rows", options.group_rows);
            return Err(Error::new(&crate::error::codes::ARGUMENT, message));
        }
        for field in columns.schema().fields() {
            check_type(&field.dtype).map_err(|e| e.column(&field.name))?;
            if !options.footer && field.nullable {
                return Err(
                    Error::new(&codes::CANNOT_HOLD, "without the footer no value can be missing").column(&field.name)
                );
            }
        }
        Ok(Writer {
            columns,
            options,
            pending: Vec::new(),
            pending_rows: 0,
            pending_bytes: 0,
            position: 0,
            rows: 0,
            groups: Vec::new(),
        })
    }

    /// Names and types of the columns.
    #[doc(hidden)]
    pub fn schema(&self) -> &Arc<Schema> {
        self.columns.schema()
    }

    /// Takes rows. Bytes are appended to `out` whenever a group is full.
    pub fn push(&mut self, batch: &Batch, out: &mut Vec<u8>) -> Result<()> {
        self.check_batch(batch)?;
        let mut at = 0;
        while at < batch.rows() {
            let room = self.options.group_rows - self.pending_rows;
            let part = if at == 0 && batch.rows() <= room { batch.clone() } else { batch.slice(at, room) };
            at += part.rows();
            self.pending_rows += part.rows();
            self.pending_bytes += part.memory();
            self.pending.push(part);
            if self.pending_rows >= self.options.group_rows || self.pending_bytes >= self.options.group_bytes {
                self.flush(out)?;
            }
        }
        Ok(())
    }

    /// Writes the rows that are left, and the footer.
    pub fn finish(mut self, out: &mut Vec<u8>) -> Result<()> {
        self.flush(out)?;
        if self.groups.is_empty() {
            let start = out.len();
            out.extend(MAGIC_TBF);
            put_long_varint(out, 0, usize::from(self.options.footer));
            self.groups.push(Group { position: 0, rows: 0, columns: vec![] });
            self.position += (out.len() - start) as u64;
        }
        if !self.options.footer {
            return Ok(());
        }
        let meta = |f: &crate::table::Field| ColumnMeta {
            name: f.name.clone(),
            dtype: f.dtype.to_string(),
            nullable: f.nullable,
        };
        let footer = Footer {
            created_by: self.options.created_by,
            rows: self.rows,
            columns: self.columns.schema().fields().iter().map(meta).collect(),
            groups: self.groups,
        };
        out.extend(footer.encode()?);
        Ok(())
    }

    fn check_batch(&self, batch: &Batch) -> Result<()> {
        let (own, other) = (self.columns.schema().fields(), batch.schema().fields());
        if own.is_empty() && batch.rows() > 0 {
            return Err(Error::new(&codes::CANNOT_HOLD, "a table without columns cannot have rows"));
        }
        let same = own.len() == other.len()
            && own
                .iter()
                .zip(batch.columns())
                .all(|(a, c)| a.dtype == *c.dtype() && (a.nullable || c.null_count() == 0));
        if !same {
            return Err(Error::new(&codes::SCHEMA, "the batch has other columns than the file"));
        }
        Ok(())
    }

    fn flush(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.pending_rows == 0 {
            return Ok(());
        }
        if !self.options.footer && !self.groups.is_empty() {
            return Err(Error::new(&codes::CANNOT_HOLD, "without the footer a file holds one group; make it larger"));
        }
        let batches = std::mem::take(&mut self.pending);
        let rows = std::mem::take(&mut self.pending_rows);
        out.reserve(std::mem::take(&mut self.pending_bytes) / 2);
        let start = out.len();
        let base = self.position;
        let place = |out: &Vec<u8>| base + (out.len() - start) as u64;
        out.extend(MAGIC_TBF);
        put_varint(out, rows as u64);
        put_varint(out, self.columns.schema().len() as u64);
        let mut group = Group { position: base, rows: rows as u64, columns: Vec::new() };
        let mut bitmaps = Vec::new();
        for (i, field) in self.columns.schema().fields().iter().enumerate() {
            let located = |e: Error| e.column(&field.name).row_after(self.rows);
            let parts: Vec<Column> = batches.iter().filter_map(|b| b.columns().get(i).cloned()).collect();
            let column = Column::concat(&parts)?;
            let (position, first) = (place(out), out.len());
            let w = {
                // A plain file keeps to the letter of the layout.
                let footer = self.options.footer;
                let place = encode::Place { at: footer.then_some(position), promise: footer && i == 0 };
                encode::column(out, &column, self.columns.encoding(i), place).map_err(located)?
            };
            if !self.options.footer && w.offset != 0 {
                return Err(located(Error::new(&codes::CANNOT_HOLD, "without the footer no offset can be kept")));
            }
            let nulls = column.null_count() as u64;
            if nulls > 0 {
                bitmaps.push((i, column.validity().map(|v| v.to_packed()).unwrap_or_default()));
            }
            let crc = if self.options.footer { crc32(&out[first..]) } else { 0 };
            group.columns.push(w.into_chunk(position, (out.len() - first) as u64, crc, nulls));
        }
        for (i, bits) in bitmaps {
            let position = place(out);
            out.extend_from_slice(&bits);
            if let Some(chunk) = group.columns.get_mut(i) {
                chunk.validity = Some(Span { position, length: bits.len() as u64, crc32: crc32(&bits) });
            }
        }
        self.position = place(out);
        self.rows += rows as u64;
        self.groups.push(group);
        Ok(())
    }
}

fn check_type(dtype: &DataType) -> Result<()> {
    use DataType::*;
    match dtype {
        Bool | I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64 | F32 | F64 | String | Bytes | Date | TimestampMs
        | TimestampUs => Ok(()),
        other => Err(Error::new(&codes::CANNOT_HOLD, format!("TBF has no columns of {other}"))),
    }
}

/// A whole table as one file.
pub fn write(batch: &Batch, options: WriteOptions) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut writer = Writer::new(batch.schema().clone(), options)?;
    writer.push(batch, &mut out)?;
    writer.finish(&mut out)?;
    Ok(out)
}
