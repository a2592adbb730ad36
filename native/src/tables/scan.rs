//! Some of the columns and some of the rows of a source.

use std::sync::Arc;

use forebay::{
    Result,
    filter::Filter,
    table::{Batch, Schema},
};

use super::TableSource;

/// What is wanted of a table.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// The columns, in this order; all of them where none are named.
    pub columns: Option<Vec<String>>,
    /// Only rows that this accepts. It may name columns that are not wanted.
    pub filter: Option<Filter>,
}

/// A source of which only what is wanted is read.
pub struct Scanned {
    source: Box<dyn TableSource>,
    filter: Option<Filter>,
    /// The wanted ones among the columns that are read; `None` where it is all of them.
    project: Option<Vec<usize>>,
    schema: Arc<Schema>,
}

impl std::fmt::Debug for Scanned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scanned").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl Scanned {
    /// Restricts a source that was not read yet.
    pub fn new(mut source: Box<dyn TableSource>, scan: &Scan) -> Result<Scanned> {
        let all = source.schema().clone();
        let roots: Vec<&str> = scan.filter.iter().flat_map(|f| f.fields()).map(|path| path.root()).collect();
        let filtered = all.positions(roots)?;
        let mut project = None;
        let mut schema = all.clone();
        if let Some(names) = &scan.columns {
            let wanted = all.positions(names)?;
            let mut read = Vec::new();
            for &column in wanted.iter().chain(&filtered) {
                if !read.contains(&column) {
                    read.push(column);
                }
            }
            source.select(&read)?;
            let place = |c: &usize| read.iter().position(|r| r == c).unwrap_or_default();
            let places: Vec<usize> = wanted.iter().map(place).collect();
            schema = all.project(&wanted)?;
            project = Some(places).filter(|p| !p.iter().copied().eq(0..read.len()));
        }
        if let Some(filter) = &scan.filter {
            source.prune(filter);
        }
        Ok(Scanned { source, filter: scan.filter.clone(), project, schema })
    }

    /// Names and types of the wanted columns.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
    /// The source.
    pub fn source(&mut self) -> &mut dyn TableSource {
        &mut *self.source
    }
    /// How many rows will come, where that is known beforehand.
    pub fn rows(&self) -> Option<u64> {
        self.source.rows().filter(|_| self.filter.is_none())
    }
    /// The next rows that are wanted; never an empty batch.
    pub fn next_batch(&mut self) -> Result<Option<Batch>> {
        while let Some(mut batch) = self.source.next_batch()? {
            if let Some(filter) = &self.filter {
                batch = batch.filter(filter)?;
            }
            if let Some(columns) = &self.project {
                batch = batch.project(columns)?;
            }
            if batch.rows() > 0 {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }
}
