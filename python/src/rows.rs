//! Rows of tables as batches.

use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use forebay::{Error, Result, error::codes::ARGUMENT, order::Tail};
use forebay_native::loader::{self, RowBatch, RowColumn, Tensor};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::{
    errors::Raise,
    memory::{Memory, Values, array},
    options::{parse, word},
    table,
    wait::long,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    columns: Option<Vec<String>>,
    #[serde(rename = "where")]
    filter: Option<String>,
    batch: u64,
    shuffle: Option<u64>,
    rank: u64,
    world: u64,
    tail: String,
    window: u64,
    stride: u64,
    within: Option<String>,
    most_bytes: Option<u64>,
    read: table::Wanted,
}

impl Wanted {
    fn build(self, path: PathBuf, state: Option<&str>) -> Result<loader::Rows> {
        let mut builder = loader::Rows::open(path)?
            .read(self.read.read()?)
            .batch(self.batch)
            .shard(self.rank, self.world)
            .tail(word::<Tail>("tail", &self.tail)?)
            .windows(self.window, self.stride);
        if let Some(columns) = self.columns {
            builder = builder.columns(columns);
        }
        if let Some(filter) = &self.filter {
            builder = builder.filter(filter)?;
        }
        if let Some(seed) = self.shuffle {
            builder = builder.shuffle(seed);
        }
        if let Some(column) = self.within {
            builder = builder.within(column);
        }
        if let Some(bytes) = self.most_bytes {
            builder = builder.most_bytes(bytes);
        }
        if let Some(state) = state {
            let state = serde_json::from_str(state);
            builder = builder.resume(state.map_err(|e| Error::new(&ARGUMENT, format!("this is no state: {e}")))?);
        }
        builder.build()
    }
}

/// Makes batches of the rows of a table.
#[pyclass(frozen, module = "forebay._forebay")]
#[derive(Debug)]
pub(crate) struct RowLoader {
    rows: Mutex<loader::Rows>,
    /// Batches of an epoch, on this rank.
    steps: u64,
}

/// A column: its name, its numbers and their shape, where rows begin, and which are there.
type Column = (String, Py<PyAny>, Vec<usize>, Option<Py<PyAny>>, Option<Py<PyAny>>);

#[pymethods]
impl RowLoader {
    #[new]
    fn new(py: Python<'_>, path: PathBuf, options: String, state: Option<String>) -> PyResult<RowLoader> {
        let (rows, steps) = long(py, None, move |_| {
            let rows = parse::<Wanted>(&options)?.build(path, state.as_deref())?;
            let steps = rows.steps();
            Ok((rows, steps))
        })?;
        Ok(RowLoader { rows: Mutex::new(rows), steps })
    }

    /// Batches of an epoch, and its samples.
    fn size(&self) -> (u64, u64) {
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        (self.steps, rows.order().epoch_samples())
    }
    /// Where the run stands, as JSON, with its epoch and step.
    fn state(&self, py: Python<'_>) -> PyResult<(String, u64, u64)> {
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let state = rows.state();
        let text = serde_json::to_string(&state).map_err(|e| Error::new(&ARGUMENT, e.to_string())).raise(py)?;
        let at = rows.position();
        Ok((text, at.epoch, at.step))
    }
    /// Goes to the beginning of an epoch, or to where a state stands in it.
    fn begin(&self, py: Python<'_>, epoch: u64) -> PyResult<()> {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        rows.epoch(epoch).map(|_| ()).raise(py)
    }
    /// The next batch of the epoch.
    fn next(&self, py: Python<'_>) -> PyResult<Option<Vec<Column>>> {
        let batch = py.detach(|| self.rows.lock().unwrap_or_else(PoisonError::into_inner).next_batch());
        let Some(batch): Option<RowBatch> = batch else { return Ok(None) };
        let one = |(name, column): (&str, &RowColumn)| {
            let values = match column.values() {
                Tensor::I64(all) => Memory::labels(all.to_vec(), None),
                Tensor::F32(all) => Memory::values(Values::F32(all.to_vec()), vec![all.len()]),
                other => Memory::values(Values::U8(other.bytes().to_vec()), vec![other.len()]),
            };
            let offsets = column.offsets().map(|all| array(py, Memory::labels(all.to_vec(), None))).transpose()?;
            let mask = |all: &[u8]| array(py, Memory::values(Values::U8(all.to_vec()), vec![all.len()]));
            let mask = column.mask().map(mask).transpose()?;
            Ok((name.to_owned(), array(py, values)?, column.shape().to_vec(), offsets, mask))
        };
        batch.columns().map(one).collect::<PyResult<Vec<_>>>().map(Some)
    }
}
