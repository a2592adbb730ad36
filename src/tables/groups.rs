//! A table from its first row to its last, group by group.

use std::sync::Arc;

use bytes::Bytes;

use crate::{
    error::Result,
    filter::Filter,
    step::{Pieces, Turn},
    table::{Batch, Schema, TableFile},
};

/// Where reading a table in order stands. The table itself is given to every step.
#[derive(Debug)]
pub struct Groups {
    /// The wanted columns, by their number in the file.
    columns: Vec<usize>,
    group: usize,
    filter: Option<Filter>,
    pieces: Pieces,
    /// Rows that were decoded and not handed on.
    left: Option<Batch>,
    batch_rows: usize,
}

impl Groups {
    /// All columns of a table, in batches of at most so many rows.
    pub fn new(schema: &Schema, batch_rows: usize) -> Groups {
        let (columns, pieces) = ((0..schema.len()).collect(), Pieces::default());
        Groups { columns, group: 0, filter: None, pieces, left: None, batch_rows: batch_rows.max(1) }
    }

    /// Reads only these columns, in this order, and says what they are.
    pub fn select(&mut self, table: &dyn TableFile, columns: &[usize]) -> Result<Arc<Schema>> {
        let schema = table.schema().project(columns)?;
        self.columns = columns.to_vec();
        Ok(schema)
    }

    /// Passes over groups whose statistics prove that the filter wants no row of them.
    pub fn prune(&mut self, filter: &Filter) {
        self.filter = Some(filter.clone());
    }

    /// Bytes of the file from `start` on.
    pub fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }

    /// The next rows, or the ranges that are needed for them.
    pub fn step(&mut self, table: &dyn TableFile) -> Result<Turn<Batch>> {
        let whole = match self.left.take() {
            Some(left) => left,
            None => match self.next_group(table)? {
                Turn::Item(batch) => batch,
                other => return Ok(other),
            },
        };
        if whole.rows() > self.batch_rows {
            self.left = Some(whole.slice(self.batch_rows, whole.rows() - self.batch_rows));
        }
        Ok(Turn::Item(whole.slice(0, self.batch_rows)))
    }

    fn next_group(&mut self, table: &dyn TableFile) -> Result<Turn<Batch>> {
        while self.group < table.groups() {
            if !self.filter.as_ref().is_none_or(|f| table.may_match(self.group, f)) {
                self.group += 1;
                continue;
            }
            let ranges = table.plan(self.group, &self.columns)?;
            let lacking: Vec<_> = ranges.into_iter().flat_map(|range| self.pieces.lacking(range)).collect();
            if !lacking.is_empty() {
                return Ok(Turn::Need(lacking));
            }
            let batch = table.decode(self.group, &self.columns, &self.pieces)?;
            self.pieces = Pieces::default();
            self.group += 1;
            return Ok(Turn::Item(batch));
        }
        Ok(Turn::Done)
    }
}
