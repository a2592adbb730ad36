//! What gives the rows of a table, and what takes them.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;

use super::{Batch, Schema};
use crate::{
    error::{
        Error, Result,
        codes::{ARGUMENT, MISSING_BYTES},
    },
    filter::Filter,
    step::Turn,
};

/// A table from its first row to its last, batch by batch, whatever holds it: a file that is asked at random, a text, or
/// several tables one after the other.
///
/// What the core decodes says which bytes it needs. What a host reads by itself, with other programs' decoders or on many
/// threads, needs none, and has its next rows at every step.
pub trait TableRows {
    /// Finds out the columns; the ranges that are needed for that.
    #[doc(hidden)]
    fn open(&mut self) -> Result<Option<Vec<Range<u64>>>> {
        Ok(None)
    }
    /// Names and types of what the batches hold, once it is open.
    fn schema(&self) -> &Arc<Schema>;
    /// How many rows there are, if that is known beforehand.
    fn rows(&self) -> Option<u64> {
        None
    }
    /// Reads only these columns, in this order. Before the first batch.
    fn select(&mut self, columns: &[usize]) -> Result<()>;
    /// Passes over parts that cannot hold a row that the filter wants, if that can be told.
    #[doc(hidden)]
    fn prune(&mut self, _filter: &Filter) {}
    /// The next rows, or the ranges that are needed for them.
    fn step(&mut self) -> Result<Turn<Batch>>;
    /// Bytes of the file from `start` on.
    fn push(&mut self, _start: u64, _bytes: Bytes) {}
    /// Sees the rows that are wanted before they are made to fit their target: types that are lost on the way are refused
    /// here, or counted.
    #[doc(hidden)]
    fn look(&mut self, _wanted: &Batch) -> Result<()> {
        Ok(())
    }
    /// Goes on to the next table, which is to have the same columns; false if this was the last.
    #[doc(hidden)]
    fn next_table(&mut self) -> Result<bool> {
        Ok(false)
    }
    /// What happened on the way that is not an error: rows left out, values read more kindly than the format asks.
    #[doc(hidden)]
    fn notes(&mut self) -> Vec<String> {
        Vec::new()
    }
    /// Whether types of columns can be given, as of texts.
    #[doc(hidden)]
    fn takes_types(&self) -> bool {
        true
    }
    /// How many bad rows were left out.
    #[doc(hidden)]
    fn skipped(&self) -> u64 {
        0
    }

    /// The next rows of a table that needs no bytes; `None` at the end.
    fn next_batch(&mut self) -> Result<Option<Batch>> {
        match self.step()? {
            Turn::Item(batch) => Ok(Some(batch)),
            Turn::Done => Ok(None),
            Turn::Need(_) => Err(Error::new(&MISSING_BYTES, "this table is read by its ranges")),
        }
    }
}

/// Takes a table, batch by batch, and gives the bytes of a file. What is appended to `out` follows what was appended
/// before; a host's writer, which has its file, appends nothing.
pub trait TableSink {
    /// The columns that will come. Called once, first.
    fn begin(&mut self, schema: &Arc<Schema>, out: &mut Vec<u8>) -> Result<()>;
    /// Rows to push at a time, so that few bytes wait.
    fn rows_at_once(&self) -> usize {
        usize::MAX
    }
    /// The next rows.
    fn push(&mut self, batch: &Batch, out: &mut Vec<u8>) -> Result<()>;
    /// The end. What it returns belongs over the first bytes, where zeros were given.
    fn finish(&mut self, out: &mut Vec<u8>) -> Result<Option<Vec<u8>>>;
}

/// A writer was given rows before it was told their columns.
pub fn columns_first() -> Error {
    Error::new(&ARGUMENT, "the columns come before the rows")
}
