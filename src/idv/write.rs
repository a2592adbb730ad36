//! Batches of any size in, the bytes of a file out, one row group in memory at a time.

use std::sync::Arc;

use super::{
    blocks::{Encoder, WriteOptions},
    raw::HEADER_BYTES,
};
use crate::{
    error::{self, Error, Result},
    table::{Batch, Schema},
};

/// Takes batches, gives bytes to append to the file, and at the end the header for its front.
///
/// ```
/// use forebay::{idv, table::{Batch, Column, DataType, Field, Schema}};
/// use std::sync::Arc;
/// let schema = Arc::new(Schema::new(vec![Field::new("id", DataType::U32)])?);
/// let batch = Batch::new(schema.clone(), vec![Column::from(vec![1u32, 2, 3])])?;
/// let mut file = Vec::new();
/// let mut writer = idv::Writer::new(schema, idv::WriteOptions::default())?;
/// writer.push(&batch, &mut file)?;
/// let header = writer.finish(&mut file)?;
/// file[..256].copy_from_slice(&header);
/// # Ok::<(), forebay::Error>(())
/// ```
#[derive(Debug)]
pub struct Writer {
    encoder: Encoder,
    schema: Arc<Schema>,
    pending: Vec<Batch>,
    pending_rows: usize,
    rows: u64,
    begun: bool,
}

impl Writer {
    /// Refuses types that IDV has no column for.
    pub fn new(schema: Arc<Schema>, options: WriteOptions) -> Result<Self> {
        let encoder = Encoder::new(schema.fields().to_vec(), options)?;
        Ok(Writer { encoder, schema, pending: Vec::new(), pending_rows: 0, rows: 0, begun: false })
    }

    /// Names and types of the columns.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
    /// How many rows were taken.
    pub fn rows(&self) -> u64 {
        self.rows + self.pending_rows as u64
    }

    /// Takes rows. Bytes are appended to `out` whenever a row group is full.
    pub fn push(&mut self, batch: &Batch, out: &mut Vec<u8>) -> Result<()> {
        if batch.schema().len() != self.schema.len() {
            let message = format!("{} columns for a file of {}", batch.schema().len(), self.schema.len());
            return Err(Error::new(&error::codes::ARGUMENT, message));
        }
        let per_group = self.encoder.options().rows_per_block as usize;
        let mut at = 0;
        while at < batch.rows() {
            let part = batch.slice(at, per_group - self.pending_rows);
            at += part.rows();
            self.pending_rows += part.rows();
            self.pending.push(part);
            if self.pending_rows >= per_group {
                self.flush(out)?;
            }
        }
        Ok(())
    }

    /// Appends the rows that are left and the tables. What it returns belongs over the file's first bytes, where
    /// zeros were given until now.
    pub fn finish(mut self, out: &mut Vec<u8>) -> Result<[u8; HEADER_BYTES as usize]> {
        self.flush(out)?;
        let ending = self.encoder.finish()?;
        out.extend(ending.tables);
        Ok(ending.header)
    }

    fn flush(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if !self.begun {
            out.resize(out.len() + HEADER_BYTES as usize, 0);
            self.begun = true;
        }
        if self.pending_rows == 0 {
            return Ok(());
        }
        let group = Batch::concat(&std::mem::take(&mut self.pending))?;
        self.pending_rows = 0;
        for (i, column) in group.columns().iter().enumerate() {
            let block = self.encoder.encode(i, column).map_err(|e| e.row_after(self.rows))?;
            self.encoder.place(i, &block)?;
            out.extend_from_slice(&block.stored);
        }
        self.rows += group.rows() as u64;
        Ok(())
    }
}
