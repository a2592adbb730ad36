//! An opened file as a table: the columns that can be read, a group of rows a block.

use std::{ops::Range, sync::Arc};

use super::file::File;
use crate::{
    codec::deflate::Inflater,
    error::{Error, Result, codes},
    step::Pieces,
    table::{Batch, Schema, TableFile},
};

impl File {
    /// The place in the table of contents of a column of the schema, which leaves out dead columns.
    pub fn place(&self, field: usize) -> Result<usize> {
        self.places.get(field).copied().ok_or_else(|| {
            let message = format!("column {field} of {}", self.schema.len());
            Error::new(&codes::OUT_OF_RANGE, message)
        })
    }
}

impl TableFile for File {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn rows(&self) -> u64 {
        self.header.rows
    }

    /// A file without columns that can be read may claim any number of rows; it has no groups.
    fn groups(&self) -> usize {
        if self.schema.is_empty() { 0 } else { usize::try_from(self.blocks()).unwrap_or(usize::MAX) }
    }

    fn group_rows(&self, group: usize) -> Result<Range<u64>> {
        if group >= self.groups() {
            let message = format!("block {group} of {}", self.groups());
            return Err(Error::new(&codes::OUT_OF_RANGE, message));
        }
        Ok(self.rows_of(group as u64))
    }

    fn plan(&self, group: usize, columns: &[usize]) -> Result<Vec<Range<u64>>> {
        self.group_rows(group)?;
        let ranges = columns.iter().map(|&c| Ok(self.entry(self.place(c)?, group as u64)?.range()));
        ranges.filter(|r| r.as_ref().map_or(true, |r| !r.is_empty())).collect()
    }

    fn decode(&self, group: usize, columns: &[usize], bytes: &Pieces) -> Result<Batch> {
        let rows = self.group_rows(group)?;
        let rows = usize::try_from(rows.end - rows.start).unwrap_or(usize::MAX);
        let schema = self.schema.project(columns)?;
        let mut inflater = Inflater::default();
        let mut decoded = Vec::with_capacity(columns.len());
        for &column in columns {
            let place = self.place(column)?;
            let stored = bytes.expect(self.entry(place, group as u64)?.range())?;
            decoded.push(self.decode_block(place, group as u64, &stored, &mut inflater)?.column);
        }
        Batch::with_rows(schema, decoded, rows)
    }
}
