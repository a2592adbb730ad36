//! A table from its first row to its last, group by group.

use std::sync::Arc;

use bytes::Bytes;

use super::{AnyTable, Losses, Target};
use crate::{
    error::Result,
    filter::Filter,
    step::{Pieces, Turn},
    table::{Batch, Decoding, Schema, TableRows},
};

/// An opened table whose rows are read in order.
#[derive(Debug)]
pub struct FileRows {
    file: Arc<AnyTable>,
    /// The wanted columns, by their number in the file.
    columns: Vec<usize>,
    schema: Arc<Schema>,
    group: usize,
    filter: Option<Filter>,
    pieces: Pieces,
    /// Rows that were decoded and not handed on.
    left: Option<Batch>,
    batch_rows: usize,
    /// Types that are lost in the target, if there is one.
    losses: Option<(Target, bool, Option<Losses>)>,
}

impl FileRows {
    /// All columns, in batches of at most this many rows; an error for a TBF that holds one value rather than a table.
    pub fn new(file: Arc<AnyTable>, batch_rows: usize) -> Result<FileRows> {
        let schema = file.table()?.schema().clone();
        let (columns, pieces, batch_rows) = ((0..schema.len()).collect(), Pieces::default(), batch_rows.max(1));
        Ok(FileRows { file, columns, schema, group: 0, filter: None, pieces, left: None, batch_rows, losses: None })
    }

    /// Rows that are written into a target: values whose types have no place there are refused, or counted where they may
    /// be lost.
    pub(super) fn into_target(mut self, target: Target, lossy: bool) -> FileRows {
        self.losses = matches!(*self.file, AnyTable::Other(_)).then_some((target, lossy, None));
        self
    }

    /// The table.
    #[doc(hidden)]
    pub fn file(&self) -> &AnyTable {
        &self.file
    }

    /// As [`step`](TableRows::step), where the host may decode columns side by side.
    #[doc(hidden)]
    pub fn step_with(&mut self, by: Decoding<'_>) -> Result<Turn<Batch>> {
        let whole = match self.left.take() {
            Some(left) => left,
            None => match self.next_group(by)? {
                Turn::Item(batch) => batch,
                other => return Ok(other),
            },
        };
        if whole.rows() > self.batch_rows {
            self.left = Some(whole.slice(self.batch_rows, whole.rows() - self.batch_rows));
        }
        Ok(Turn::Item(whole.slice(0, self.batch_rows)))
    }

    fn next_group(&mut self, by: Decoding<'_>) -> Result<Turn<Batch>> {
        let table = self.file.table()?;
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
            let batch = table.decode_with(self.group, &self.columns, &self.pieces, by)?;
            self.pieces = Pieces::default();
            self.group += 1;
            return Ok(Turn::Item(batch));
        }
        Ok(Turn::Done)
    }
}

impl TableRows for FileRows {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
    fn rows(&self) -> Option<u64> {
        Some(self.file.rows())
    }
    fn select(&mut self, columns: &[usize]) -> Result<()> {
        self.schema = self.file.table()?.schema().project(columns)?;
        self.columns = columns.to_vec();
        Ok(())
    }
    /// Passes over groups whose statistics prove that the filter wants no row of them.
    fn prune(&mut self, filter: &Filter) {
        self.filter = Some(filter.clone());
    }

    fn step(&mut self) -> Result<Turn<Batch>> {
        self.step_with(&|count, one| (0..count).map(one).collect())
    }
    fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }

    fn look(&mut self, wanted: &Batch) -> Result<()> {
        let (AnyTable::Other(file), Some((target, lossy, losses))) = (&*self.file, &mut self.losses) else {
            return Ok(());
        };
        losses.get_or_insert_with(|| Losses::new(file.foreign(), wanted.schema(), *target, *lossy)).look(wanted)
    }

    fn notes(&mut self) -> Vec<String> {
        let mut notes = self.file.notes();
        notes.extend(self.losses.iter().flat_map(|(.., losses)| losses).flat_map(Losses::notes));
        notes
    }
}
