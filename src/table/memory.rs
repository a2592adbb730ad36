//! A table that is wholly in memory, for files that can only be read as a whole.

use std::{ops::Range, sync::Arc};

use super::{Batch, Schema, TableFile};
use crate::{
    error::{Error, Result},
    step::Pieces,
};

/// Batches of one schema as a table file: nothing needs to be fetched.
#[derive(Clone, Debug)]
pub struct MemoryTable {
    schema: Arc<Schema>,
    batches: Vec<Batch>,
    starts: Vec<u64>,
}

impl MemoryTable {
    /// A table of these batches, which must have this schema.
    pub fn new(schema: Arc<Schema>, batches: Vec<Batch>) -> Result<Self> {
        if batches.iter().any(|b| **b.schema() != *schema) {
            return Err(Error::new(&super::codes::SHAPE, "batches of different schemas"));
        }
        let mut starts = vec![0u64];
        starts.extend(batches.iter().scan(0u64, |sum, b| {
            *sum += b.rows() as u64;
            Some(*sum)
        }));
        Ok(MemoryTable { schema, batches, starts })
    }
    /// The batches.
    #[doc(hidden)]
    pub fn batches(&self) -> &[Batch] {
        &self.batches
    }
    fn batch(&self, group: usize) -> Result<&Batch> {
        self.batches.get(group).ok_or_else(|| {
            let message = format!("group {group} of {}", self.batches.len());
            Error::new(&crate::error::codes::OUT_OF_RANGE, message).block(group as u64)
        })
    }
}

impl TableFile for MemoryTable {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
    fn rows(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }
    fn groups(&self) -> usize {
        self.batches.len()
    }
    fn group_rows(&self, group: usize) -> Result<Range<u64>> {
        self.batch(group)?;
        Ok(match self.starts.get(group..group + 2) {
            Some(&[a, b]) => a..b,
            _ => 0..0,
        })
    }
    fn plan(&self, group: usize, columns: &[usize]) -> Result<Vec<Range<u64>>> {
        self.batch(group)?;
        self.schema.project(columns)?;
        Ok(Vec::new())
    }
    fn decode(&self, group: usize, columns: &[usize], _: &Pieces) -> Result<Batch> {
        self.batch(group)?.project(columns)
    }
}
