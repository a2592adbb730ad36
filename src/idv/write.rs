//! Batches of any size in, the bytes of a file out, one row group in memory at a time unless a host asks for more.

use std::sync::Arc;

use super::{
    blocks::{Encoder, Packed, WriteOptions},
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
    groups_at_once: usize,
}

impl Writer {
    /// Refuses types that IDV has no column for.
    pub fn new(schema: Arc<Schema>, options: WriteOptions) -> Result<Self> {
        let encoder = Encoder::new(schema.fields().to_vec(), options)?;
        Ok(Writer { encoder, schema, pending: Vec::new(), pending_rows: 0, rows: 0, begun: false, groups_at_once: 1 })
    }

    /// Gathers this many row groups before their blocks are made, for hosts with as many threads. A batch that has more is
    /// made at once, so its bytes are in memory beside it.
    #[must_use]
    pub fn with_groups_at_once(mut self, groups: usize) -> Self {
        self.groups_at_once = groups.max(1);
        self
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
        self.push_with(batch, out, one_after_the_other)
    }

    /// As [`push`](Self::push), with the blocks made on as many threads as the host likes: `each` does this many pieces
    /// of work that do not need each other and gives what came of them in their order, or the first error in it.
    pub fn push_with(
        &mut self,
        batch: &Batch,
        out: &mut Vec<u8>,
        each: impl Fn(usize, &Block<'_>) -> Result<Vec<Packed>>,
    ) -> Result<()> {
        if batch.schema().len() != self.schema.len() {
            let message = format!("{} columns for a file of {}", batch.schema().len(), self.schema.len());
            return Err(Error::new(&error::codes::ARGUMENT, message));
        }
        let per_group = self.encoder.options().rows_per_block as usize;
        let (most, all) = (per_group.saturating_mul(self.groups_at_once), self.pending_rows + batch.rows());
        // Threads wait for each other at the end of every turn: rows that are here in any case are one turn.
        let most = if self.groups_at_once > 1 { most.max(all - all % per_group) } else { most };
        let mut at = 0;
        while at < batch.rows() {
            let part = batch.slice(at, most - self.pending_rows);
            at += part.rows();
            self.pending_rows += part.rows();
            self.pending.push(part);
            if self.pending_rows >= most {
                self.flush(out, &each)?;
            }
        }
        Ok(())
    }

    /// Appends the rows that are left and the tables. What it returns belongs over the file's first bytes, where
    /// zeros were given until now.
    pub fn finish(self, out: &mut Vec<u8>) -> Result<[u8; HEADER_BYTES as usize]> {
        self.finish_with(out, one_after_the_other)
    }

    /// As [`finish`](Self::finish), with the blocks made as in [`push_with`](Self::push_with).
    pub fn finish_with(
        mut self,
        out: &mut Vec<u8>,
        each: impl Fn(usize, &Block<'_>) -> Result<Vec<Packed>>,
    ) -> Result<[u8; HEADER_BYTES as usize]> {
        self.flush(out, &each)?;
        let ending = self.encoder.finish()?;
        out.extend(ending.tables);
        Ok(ending.header)
    }

    fn flush(&mut self, out: &mut Vec<u8>, each: &impl Fn(usize, &Block<'_>) -> Result<Vec<Packed>>) -> Result<()> {
        if !self.begun {
            out.resize(out.len() + HEADER_BYTES as usize, 0);
            self.begun = true;
        }
        if self.pending_rows == 0 {
            return Ok(());
        }
        let whole = Batch::concat(&std::mem::take(&mut self.pending))?;
        self.pending_rows = 0;
        let (per_group, columns) = (self.encoder.options().rows_per_block as usize, self.schema.len());
        let block = |i: usize| {
            let (first, column) = (i / columns * per_group, i % columns);
            let rows = whole.column(column)?.slice(first, per_group.min(whole.rows() - first));
            self.encoder.encode(column, &rows).map_err(|e| e.row_after(self.rows + first as u64))
        };
        for (i, packed) in each(whole.rows().div_ceil(per_group) * columns, &block)?.iter().enumerate() {
            self.encoder.place(i % columns, packed)?;
            out.extend_from_slice(&packed.stored);
        }
        self.rows += whole.rows() as u64;
        Ok(())
    }
}

/// Makes the block of that number.
pub type Block<'a> = dyn Fn(usize) -> Result<Packed> + Sync + 'a;

fn one_after_the_other(blocks: usize, block: &Block<'_>) -> Result<Vec<Packed>> {
    (0..blocks).map(block).collect()
}
