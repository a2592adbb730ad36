//! Tables of other programs: read as any table.

use std::sync::Arc;

use arrow_array::{RecordBatch, ffi_stream::FFI_ArrowArrayStream};
use arrow_schema::SchemaRef;
use forebay::{
    Error, Result, Turn,
    error::codes::ARGUMENT,
    table::{Batch, Schema, TableRows},
    tables::Foreign,
};
use forebay_native::tables::{
    TableFormat, TableSource,
    arrow::{Changes, Cuts, from_arrow_schema, read_record_batch},
};
use pyo3::prelude::*;

use crate::{
    capsule::{Batches, stream_of},
    wait::long,
};

/// Rows that are handed on at a time, however many a batch has.
const ROWS: usize = 1 << 16;

/// The rows of another program's table: its batches, which share its memory where they lie there already.
#[pyclass(frozen, module = "forebay._forebay")]
#[derive(Clone, Debug)]
pub(crate) struct Held {
    schema: SchemaRef,
    batches: Arc<Vec<RecordBatch>>,
}

#[pymethods]
impl Held {
    /// Takes all rows of an object with `__arrow_c_stream__`.
    #[staticmethod]
    fn of(py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<Held> {
        let stream = stream_of(object)?;
        long(py, None, move |wire| {
            let mut stream = Batches::open(stream)?;
            let (mut batches, mut rows) = (Vec::new(), 0);
            while let Some(batch) = stream.next()? {
                rows += batch.num_rows() as u64;
                batches.push(batch);
                wire.tell(rows, None);
            }
            Ok(Held { schema: stream.schema(), batches: Arc::new(batches) })
        })
    }
}

/// Where batches come from.
enum Feed {
    Stream(Batches),
    Held(Arc<Vec<RecordBatch>>, usize),
}

impl Feed {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        match self {
            Feed::Stream(batches) => batches.next(),
            Feed::Held(batches, at) => {
                *at += 1;
                Ok(batches.get(*at - 1).cloned())
            }
        }
    }
}

/// The rows of a stream of Arrow's.
pub(crate) struct ArrowRows {
    feed: Feed,
    schema: Arc<Schema>,
    /// What of Arrow's types has no place in ours.
    changes: Changes,
    /// Values that were finer than what is kept of them.
    cuts: Cuts,
    rows: Option<u64>,
    chosen: Option<Vec<usize>>,
    left: Option<RecordBatch>,
    lossy: bool,
}

impl ArrowRows {
    pub(crate) fn stream(stream: FFI_ArrowArrayStream, lossy: bool) -> Result<ArrowRows> {
        let batches = Batches::open(stream)?;
        Self::new(&batches.schema(), None, Feed::Stream(batches), lossy)
    }

    pub(crate) fn held(held: &Held, lossy: bool) -> Result<ArrowRows> {
        let rows = held.batches.iter().map(|batch| batch.num_rows() as u64).sum();
        Self::new(&held.schema, Some(rows), Feed::Held(held.batches.clone(), 0), lossy)
    }

    fn new(schema: &SchemaRef, rows: Option<u64>, feed: Feed, lossy: bool) -> Result<ArrowRows> {
        let ours = Arc::new(from_arrow_schema(schema)?);
        let (changes, cuts) = (Changes::new(schema, &ours), Cuts::default());
        Ok(ArrowRows { feed, schema: ours, changes, cuts, rows, chosen: None, left: None, lossy })
    }

    /// The next rows as they came, of the columns that are wanted.
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        let batch = match self.left.take() {
            Some(batch) => batch,
            None => {
                let Some(batch) = self.feed.next()? else { return Ok(None) };
                match &self.chosen {
                    None => batch,
                    Some(chosen) => batch.project(chosen).map_err(|e| Error::new(&ARGUMENT, e.to_string()))?,
                }
            }
        };
        if batch.num_rows() <= ROWS {
            return Ok(Some(batch));
        }
        self.left = Some(batch.slice(ROWS, batch.num_rows() - ROWS));
        Ok(Some(batch.slice(0, ROWS)))
    }
}

impl TableRows for ArrowRows {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn rows(&self) -> Option<u64> {
        self.rows
    }

    fn select(&mut self, columns: &[usize]) -> Result<()> {
        let fields = columns.iter().filter_map(|&i| self.schema.fields().get(i).cloned()).collect();
        self.schema = Arc::new(Schema::new(fields)?);
        self.chosen = Some(columns.to_vec());
        Ok(())
    }

    fn step(&mut self) -> Result<Turn<Batch>> {
        match self.next()? {
            Some(batch) => read_record_batch(&batch, &self.schema, self.lossy, &mut self.cuts).map(Turn::Item),
            None => Ok(Turn::Done),
        }
    }

    fn notes(&mut self) -> Vec<String> {
        let mut said = self.changes.notes(&self.schema);
        said.extend(self.cuts.notes());
        said
    }
}

impl TableSource for ArrowRows {
    fn format(&self) -> TableFormat {
        TableFormat::Arrows
    }

    fn foreign(&self) -> Vec<Foreign> {
        self.changes.foreign(&self.schema)
    }
}
