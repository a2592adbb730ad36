//! What CSV and JSON lines share: rows that may be bad, gathered into batches.

use std::sync::Arc;

use forebay::{
    Error, Result,
    table::{Batch, Column, ColumnBuilder, Field, Schema},
};

use super::{BATCH_BYTES, OnBadRow, ReadOptions};

/// Bad rows that are described; beyond that they are counted.
const DESCRIBED: usize = 20;

/// A row that was read from text: how many bytes it had, and whether it went into the columns.
pub(super) struct TextRow {
    pub bytes: usize,
    pub outcome: Result<()>,
}

/// Which rows of a text were read.
#[derive(Debug, Default)]
pub(super) struct TextRows {
    row: u64,
    skipped: u64,
    notes: Vec<String>,
}

impl TextRows {
    /// The next batch with a row in it. `next` reads a row into the columns, which hold so many rows by then, and
    /// gives `None` at the end of the text; after a bad row each column has one row more or none.
    pub fn batch(
        &mut self,
        schema: &Arc<Schema>,
        options: &ReadOptions,
        name: &str,
        mut next: impl FnMut(&mut [ColumnBuilder], usize) -> Result<Option<TextRow>>,
    ) -> Result<Option<Batch>> {
        loop {
            let mut columns: Vec<_> = schema.fields().iter().map(|f| ColumnBuilder::new(&f.dtype)).collect();
            let (mut rows, mut bytes, mut broken) = (0, 0, Vec::new());
            while rows - broken.len() < options.batch_rows && bytes < BATCH_BYTES {
                let Some(row) = next(&mut columns, rows)? else { break };
                bytes += row.bytes;
                match row.outcome {
                    Ok(()) => self.row += 1,
                    Err(e) => {
                        self.bad(e, options.on_bad_row, name)?;
                        // What the bad row left behind is filled up, and taken out with the batch.
                        columns.iter_mut().filter(|c| c.len() == rows).for_each(ColumnBuilder::push_null);
                        broken.push(rows);
                    }
                }
                rows += 1;
            }
            if rows == 0 {
                return Ok(None);
            }
            let columns = columns.into_iter().map(ColumnBuilder::finish).collect::<Result<Vec<_>>>()?;
            let batch = without(columns, rows, &broken, schema)?;
            // A batch that only had bad rows says nothing; the next one may.
            if batch.rows() > 0 {
                return Ok(Some(batch));
            }
        }
    }

    fn bad(&mut self, e: Error, policy: OnBadRow, name: &str) -> Result<()> {
        if policy == OnBadRow::Error {
            return Err(e.row(self.row).file(name));
        }
        self.skipped += 1;
        if self.notes.len() < DESCRIBED {
            self.notes.push(e.to_string());
        }
        Ok(())
    }

    /// What is said of rows that were left out.
    pub fn notes(&mut self) -> Vec<String> {
        let mut said = std::mem::take(&mut self.notes);
        if self.skipped > said.len() as u64 {
            said.push(format!("and {} more bad rows", self.skipped - said.len() as u64));
        }
        said
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
pub(super) fn with_types(mut fields: Vec<Field>, options: &ReadOptions) -> Result<Schema> {
    for (name, dtype) in &options.types {
        match fields.iter_mut().rev().find(|f| f.name == *name) {
            Some(field) => field.dtype = dtype.clone(),
            // Says which columns there are.
            None => drop(Schema::new(fields.clone())?.positions([name])?),
        }
    }
    Schema::new(fields)
}
