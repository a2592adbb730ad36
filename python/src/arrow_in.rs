//! Tables of other programs: read as any table, and written into a file of any format.

use std::{path::PathBuf, sync::Arc};

use arrow_array::{RecordBatch, ffi_stream::FFI_ArrowArrayStream};
use arrow_schema::SchemaRef;
use forebay::{
    Error, Result, Turn,
    error::codes::ARGUMENT,
    filter::Filter,
    table::{Batch, Schema, TableRows, TableSink, columns_first},
    tables::{Conversion, Foreign, Losses, Target},
    words::Word,
};
use forebay_native::{
    input::display,
    tables::{
        TableCompression, TableFormat, TableOutput, TableSource, WriteOptions,
        arrow::{Changes, Cuts, from_arrow_schema, read_record_batch},
        create,
    },
};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::json;

use crate::{
    capsule::{Batches, stream_of},
    options::{parse, scan, word},
    table::{Place, Table},
    wait::{Wire, long},
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
    fn stream(stream: FFI_ArrowArrayStream, lossy: bool) -> Result<ArrowRows> {
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

/// A source on its way into a file: what the file has no place for is refused, or counted.
struct Leaving {
    source: Box<dyn TableSource>,
    target: Target,
    lossy: bool,
    losses: Option<Losses>,
}

impl TableRows for Leaving {
    fn schema(&self) -> &Arc<Schema> {
        self.source.schema()
    }
    fn rows(&self) -> Option<u64> {
        self.source.rows()
    }
    fn select(&mut self, columns: &[usize]) -> Result<()> {
        self.source.select(columns)
    }
    fn prune(&mut self, filter: &Filter) {
        self.source.prune(filter);
    }
    fn step(&mut self) -> Result<Turn<Batch>> {
        self.source.step()
    }
    fn look(&mut self, wanted: &Batch) -> Result<()> {
        let begin = || Losses::new(self.source.foreign(), wanted.schema(), self.target, self.lossy);
        self.losses.get_or_insert_with(begin).look(wanted)
    }
    fn notes(&mut self) -> Vec<String> {
        let mut said = self.source.notes();
        said.extend(self.losses.take().into_iter().flat_map(|losses| losses.notes()));
        said
    }
    fn skipped(&self) -> u64 {
        self.source.skipped()
    }
}

/// What is written: a stream of another program's, or a table of ours that is in memory.
enum Written {
    Stream(FFI_ArrowArrayStream),
    Table(Place),
}

impl Written {
    fn of(object: &Bound<'_, PyAny>) -> PyResult<Written> {
        match object.cast::<Table>() {
            Ok(table) => Ok(Written::Table(table.get().place())),
            Err(_) => stream_of(object).map(Written::Stream),
        }
    }

    fn source(self, lossy: bool) -> Result<Box<dyn TableSource>> {
        match self {
            Written::Stream(stream) => Ok(Box::new(ArrowRows::stream(stream, lossy)?)),
            Written::Table(place) => place.source(lossy),
        }
    }
}

/// How to write. What is not given is the library's default.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Wanted {
    to: Option<String>,
    #[serde(rename = "where")]
    filter: Option<String>,
    columns: Option<Vec<String>>,
    compression: Option<String>,
    level: Option<u8>,
    workers: Option<usize>,
    force: bool,
    lossy: bool,
    sync: Option<bool>,
}

/// Writes the rows of an object with `__arrow_c_stream__`, or all those that our own table has before it is filtered, as a
/// table of any format; what was done as JSON text.
#[pyfunction]
pub(crate) fn write_arrow(
    py: Python<'_>,
    object: &Bound<'_, PyAny>,
    output: PathBuf,
    options: String,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let written = Written::of(object)?;
    long(py, progress, move |wire| {
        let wanted: Wanted = parse(&options)?;
        let format = match &wanted.to {
            Some(to) => word("to", to)?,
            None => TableFormat::from_name(&output).ok_or_else(|| {
                let known: Vec<&str> = TableFormat::ALL.iter().map(|format| format.word()).collect();
                let known = known.join(", ");
                let message = format!("the output's name does not say which table to write; `to` is one of {known}");
                Error::new(&ARGUMENT, message)
            })?,
        };
        let mut write = WriteOptions::new(format);
        (write.level, write.core.lossy) = (wanted.level, wanted.lossy);
        write.compression =
            wanted.compression.as_deref().map(|given| word::<TableCompression>("compression", given)).transpose()?;
        write.workers = wanted.workers.unwrap_or(write.workers);
        let scan = scan(wanted.columns, wanted.filter.as_deref())?;
        let source = written.source(wanted.lossy)?;
        let rows = Leaving { source, target: write.core.target, lossy: wanted.lossy, losses: None };
        let sink = Output { path: output.clone(), force: wanted.force, write: &write, file: None, rows: 0, wire };
        let mut work = Conversion::over(rows, sink, scan, write.core.target, wanted.lossy);
        match work.step()? {
            Turn::Done => {}
            Turn::Need(_) | Turn::Item(()) => return Err(columns_first()),
        }
        let (done, sink) = work.into_parts();
        let named = |e: Error| e.file(display(&output));
        let mut file = sink.file.ok_or_else(columns_first)?.finish().map_err(named)?;
        file.end().map_err(named)?;
        let bytes = file.bytes();
        file.into_file()?.commit(wanted.sync.unwrap_or(true))?;
        Ok(json!({
            "inputs": [],
            "output": display(&output),
            "format": format.word(),
            "rows": done.rows,
            "columns": done.columns,
            "input_bytes": 0,
            "output_bytes": bytes,
            "skipped_rows": done.skipped_rows,
            "notes": done.notes,
        })
        .to_string())
    })
}

/// The output, which is there once the columns are known.
struct Output<'a> {
    path: PathBuf,
    force: bool,
    write: &'a WriteOptions,
    file: Option<TableOutput>,
    rows: u64,
    wire: &'a Wire,
}

impl TableSink for Output<'_> {
    fn begin(&mut self, schema: &Arc<Schema>, _: &mut Vec<u8>) -> Result<()> {
        let file = self.file.insert(create(&self.path, self.force, self.write)?);
        file.begin(schema).map_err(|e| e.file(display(&self.path)))
    }

    fn push(&mut self, batch: &Batch, _: &mut Vec<u8>) -> Result<()> {
        let file = self.file.as_mut().ok_or_else(columns_first)?;
        file.write(batch).map_err(|e| e.file(display(&self.path)))?;
        self.rows += batch.rows() as u64;
        self.wire.tell(self.rows, None);
        Ok(())
    }

    fn finish(&mut self, _: &mut Vec<u8>) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }
}
