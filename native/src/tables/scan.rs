//! Some of the columns and some of the rows of a source.

use std::sync::Arc;

use forebay::{
    Error, Result,
    filter::codes::KIND,
    table::{Batch, Schema},
    tables::{Scan, Scanning},
};

use super::TableSource;

/// A source of which only what is wanted is read.
pub struct Scanned {
    source: Box<dyn TableSource>,
    scanning: Scanning,
}

impl std::fmt::Debug for Scanned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scanned").field("scanning", &self.scanning).finish_non_exhaustive()
    }
}

impl Scanned {
    /// Restricts a source that was not read yet.
    pub fn new(mut source: Box<dyn TableSource>, scan: &Scan) -> Result<Scanned> {
        let scanning = scan.begin(&mut *source, true).map_err(|e| advised(e, &*source))?;
        Ok(Scanned { source, scanning })
    }

    /// Names and types of the wanted columns.
    pub fn schema(&self) -> &Arc<Schema> {
        self.scanning.schema()
    }
    /// The source.
    pub fn source(&mut self) -> &mut dyn TableSource {
        &mut *self.source
    }
    /// How many rows will come, if that is known beforehand.
    pub fn rows(&self) -> Option<u64> {
        self.source.rows().filter(|_| self.scanning.filter().is_none())
    }
    /// The next rows that are wanted; never an empty batch.
    pub fn next_batch(&mut self) -> Result<Option<Batch>> {
        while let Some(batch) = self.source.next_batch()? {
            let batch = self.scanning.apply(batch)?;
            if batch.rows() > 0 {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }
}

/// What was sniffed may not be what was meant, as with postal codes.
pub(super) fn advised(e: Error, source: &dyn TableSource) -> Error {
    match e.code() == &KIND && source.format().is_text() {
        true => e.more("a column can be read as another type").with_options(&["types"]),
        false => e,
    }
}
