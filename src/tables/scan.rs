//! Some of the columns and some of the rows of a table.

use std::{collections::HashMap, sync::Arc};

use crate::{
    error::Result,
    filter::Filter,
    table::{Batch, Schema, TableRows},
};

/// The columns and rows to read from a table.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Scan {
    /// The columns, in this order; all of them where none are named.
    pub columns: Option<Vec<String>>,
    /// Only rows that this accepts. It may name columns that are not wanted.
    pub filter: Option<Filter>,
}

impl Scan {
    /// These columns of the rows that a filter accepts; all of them where none are named or it is absent.
    pub fn new(columns: Option<Vec<String>>, filter: Option<Filter>) -> Self {
        Scan { columns, filter }
    }

    /// Restricts a table that is open and was not read yet to what is wanted of it. `prune` lets it pass over parts
    /// without a wanted row, so that its rows cannot be counted.
    #[doc(hidden)]
    pub fn begin<R: TableRows + ?Sized>(&self, source: &mut R, prune: bool) -> Result<Scanning> {
        let scanning = self.plan(source.schema())?;
        if let Some(columns) = scanning.read() {
            source.select(columns)?;
        }
        if let Some(filter) = scanning.filter().filter(|_| prune) {
            source.prune(filter);
        }
        Ok(scanning)
    }

    /// What this means for a table of these columns.
    #[doc(hidden)]
    pub fn plan(&self, all: &Arc<Schema>) -> Result<Scanning> {
        let wanted = self.columns.as_ref().map(|names| all.positions(names)).transpose()?;
        Scanning::new(all, wanted, self.filter.clone())
    }
}

/// A [`Scan`] of a known table.
#[derive(Clone, Debug)]
pub struct Scanning {
    read: Option<Vec<usize>>,
    /// The wanted ones among the columns that are read; `None` if it is all of them.
    project: Option<Vec<usize>>,
    filter: Option<Filter>,
    schema: Arc<Schema>,
}

impl Scanning {
    /// Of these columns, in this order, or all; in the rows that a filter accepts.
    pub fn new(all: &Arc<Schema>, wanted: Option<Vec<usize>>, filter: Option<Filter>) -> Result<Scanning> {
        // Before the groups are asked: statistics of texts rule out whatever is compared with a number.
        filter.iter().try_for_each(|filter| all.check_filter(filter))?;
        let roots: Vec<&str> = filter.iter().flat_map(|f| f.fields()).map(|path| path.root()).collect();
        let filtered = all.positions(roots)?;
        let Some(wanted) = wanted else {
            return Ok(Scanning { read: None, project: None, filter, schema: all.clone() });
        };
        let (mut read, mut places) = (Vec::new(), HashMap::new());
        for &column in wanted.iter().chain(&filtered) {
            places.entry(column).or_insert_with(|| {
                read.push(column);
                read.len() - 1
            });
        }
        let places: Vec<usize> = wanted.iter().filter_map(|column| places.get(column).copied()).collect();
        let project = Some(places).filter(|p| !p.iter().copied().eq(0..read.len()));
        Ok(Scanning { schema: all.project(&wanted)?, read: Some(read), project, filter })
    }

    /// The columns that must be read, those that only the filter asks for included; `None` for all.
    pub fn read(&self) -> Option<&[usize]> {
        self.read.as_deref()
    }
    /// The filter.
    pub fn filter(&self) -> Option<&Filter> {
        self.filter.as_ref()
    }
    /// Names and types of the wanted columns.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// What is wanted of rows that were read; perhaps none.
    pub fn apply(&self, batch: Batch) -> Result<Batch> {
        match &self.filter {
            Some(filter) => self.project(batch.filter(filter)?),
            None => self.project(batch),
        }
    }

    /// The wanted ones of the columns that were read.
    pub fn project(&self, batch: Batch) -> Result<Batch> {
        match &self.project {
            Some(columns) => batch.project(columns),
            None => Ok(batch),
        }
    }
}
