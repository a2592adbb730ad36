//! What CSV and JSON lines share: rows that may be bad, gathered into batches.

use std::sync::Arc;

use super::{BATCH_BYTES, OnBadRow, TextOptions};
use crate::{
    error::{Error, Result},
    step::Turn,
    table::{Batch, Column, ColumnBuilder, Field, Schema},
};

/// Bad rows that are described; beyond that they are counted.
pub(super) const DESCRIBED: usize = 20;

/// Cells that there may be room for before they come.
const ROOM: usize = 1 << 20;

/// A row that was read from text: about how many bytes it takes, and whether it went into the columns.
#[derive(Debug)]
pub(super) struct TextRow {
    pub bytes: usize,
    /// It has words of JavaScript for numbers that JSON does not have.
    pub words: bool,
    pub outcome: Result<()>,
}

/// A batch that is being gathered.
#[derive(Debug)]
pub(super) struct Gathering {
    pub columns: Vec<ColumnBuilder>,
    pub rows: usize,
    pub bytes: usize,
    /// The numbers of the bad rows.
    pub broken: Vec<usize>,
    /// How many rows had [`words`](TextRow::words).
    pub words: usize,
}

impl Gathering {
    pub fn new(schema: &Schema) -> Gathering {
        Gathering::with_capacity(schema, 0)
    }
    /// With room for this many rows, if that is not much.
    pub fn with_capacity(schema: &Schema, rows: usize) -> Gathering {
        let rows = if rows.saturating_mul(schema.len()) > ROOM { 0 } else { rows };
        let columns = schema.fields().iter().map(|f| ColumnBuilder::with_capacity(&f.dtype, rows)).collect();
        Gathering { columns, rows: 0, bytes: 0, broken: Vec::new(), words: 0 }
    }
    fn full(&self, options: &TextOptions) -> bool {
        self.rows - self.broken.len() >= options.batch_rows || self.bytes >= BATCH_BYTES
    }
    /// Counts a row that was read into the columns, and gives what is wrong with it. What a bad row left behind is filled
    /// up, and taken out with the batch.
    pub fn add(&mut self, row: TextRow) -> Option<Error> {
        let reason = row.outcome.err();
        if reason.is_some() {
            self.broken.push(self.rows);
        }
        self.rows += 1;
        self.bytes += row.bytes;
        self.words += usize::from(row.words && reason.is_none());
        if reason.is_some() {
            self.pad();
        }
        reason
    }

    /// Fills up the columns that the last rows say nothing of.
    fn pad(&mut self) {
        let rows = self.rows;
        self.columns.iter_mut().for_each(|column| column.pad(rows));
    }

    /// The columns.
    pub fn finish(mut self) -> Result<Vec<Column>> {
        self.pad();
        self.columns.into_iter().map(ColumnBuilder::finish).collect()
    }
}

/// Which rows of a text were read.
#[derive(Debug, Default)]
pub(super) struct TextRows {
    gathering: Option<Gathering>,
    row: u64,
    skipped: u64,
    /// Rows with words of JavaScript for numbers, since that was last said.
    words: usize,
    /// The first bad rows.
    described: Vec<Error>,
    taken: u64,
}

impl TextRows {
    /// The next batch with a row in it. `next` reads a row into the columns, which hold at most this many rows by then; a
    /// column that has fewer lacks a value in the last ones. If it wants more bytes, so does this, and goes on later.
    pub fn batch(
        &mut self,
        schema: &Arc<Schema>,
        options: &TextOptions,
        mut next: impl FnMut(&mut [ColumnBuilder], usize) -> Result<Turn<TextRow, ()>>,
    ) -> Result<Turn<Batch, ()>> {
        loop {
            let mut now = self.gathering.take().unwrap_or_else(|| Gathering::new(schema));
            while !now.full(options) {
                let row = match next(&mut now.columns, now.rows)? {
                    Turn::Item(row) => row,
                    Turn::Done => break,
                    Turn::Need(()) => {
                        self.gathering = Some(now);
                        return Ok(Turn::Need(()));
                    }
                };
                match now.add(row) {
                    None => self.good(),
                    reason => self.bad(reason, options.on_bad_row)?,
                }
            }
            if now.rows == 0 {
                return Ok(Turn::Done);
            }
            self.words += now.words;
            let (rows, broken) = (now.rows, std::mem::take(&mut now.broken));
            let batch = without(now.finish()?, rows, &broken, schema)?;
            // A batch that only had bad rows says nothing; the next one may.
            if batch.rows() > 0 {
                return Ok(Turn::Item(batch));
            }
        }
    }

    /// Hears of a row that was read.
    pub fn good(&mut self) {
        self.row += 1;
    }
    /// Hears of rows that had words of JavaScript for numbers.
    pub fn words(&mut self, rows: usize) {
        self.words += rows;
    }
    /// Hears of a row that could not be, and of the first ones why.
    pub fn bad(&mut self, reason: Option<Error>, policy: OnBadRow) -> Result<()> {
        match reason {
            Some(e) if policy == OnBadRow::Error => return Err(e.row(self.row)),
            Some(e) if self.described.len() < DESCRIBED => self.described.push(e),
            _ => {}
        }
        self.skipped += 1;
        Ok(())
    }

    /// What is said of rows that were left out.
    pub fn notes(&mut self) -> Vec<String> {
        let mut said: Vec<String> = self.bad_rows().iter().map(Error::to_string).collect();
        if self.skipped > self.taken {
            said.push(format!("and {} more bad rows", self.skipped - self.taken));
        }
        if self.words > 0 {
            let rows = std::mem::take(&mut self.words);
            said.push(format!("{rows} rows have NaN or Infinity, which JSON does not have; they are read as numbers"));
        }
        said
    }

    /// The first bad rows, once.
    pub fn bad_rows(&mut self) -> Vec<Error> {
        self.taken += self.described.len() as u64;
        std::mem::take(&mut self.described)
    }

    /// How many bad rows were left out.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }
}

/// The rows of a batch but the broken ones.
fn without(mut columns: Vec<Column>, rows: usize, broken: &[usize], schema: &Arc<Schema>) -> Result<Batch> {
    let mut left = rows;
    if !broken.is_empty() {
        let good: Vec<usize> = (0..rows).filter(|i| broken.binary_search(i).is_err()).collect();
        left = good.len();
        columns = columns.iter().map(|c| c.take(&good)).collect::<Result<_>>()?;
    }
    Batch::with_rows(schema.clone(), columns.into_iter().map(Column::without_needless_validity).collect(), left)
}

/// The schema with the types that the user gave.
pub(super) fn with_types(mut fields: Vec<Field>, options: &TextOptions) -> Result<Schema> {
    options.limits.columns(fields.len() as u64)?;
    let schema = Schema::new(std::mem::take(&mut fields))?;
    let places = schema.positions(options.types.iter().map(|(name, _)| name))?;
    fields.extend_from_slice(schema.fields());
    for (place, (_, dtype)) in places.into_iter().zip(&options.types) {
        if let Some(field) = fields.get_mut(place) {
            field.dtype = dtype.clone();
        }
    }
    Schema::new(fields)
}
