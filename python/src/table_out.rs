//! Tables that are no file, other programs' and our own, written into a file of any format.

use std::{path::PathBuf, sync::Arc};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use forebay::{
    Error, Result, Turn,
    error::codes::ARGUMENT,
    filter::Filter,
    table::{Batch, Schema, TableRows, TableSink, columns_first},
    tables::{Conversion, Losses, Target},
    words::Word,
};
use forebay_native::{
    input::display,
    tables::{TableCompression, TableFormat, TableOutput, TableSource, WriteOptions, create},
};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::json;

use crate::{
    arrow_in::ArrowRows,
    capsule::stream_of,
    options::{parse, scan, word},
    table::{Place, Table},
    wait::{Wire, long},
};

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
    Table(Box<Place>),
}

impl Written {
    fn of(object: &Bound<'_, PyAny>) -> PyResult<Written> {
        match object.cast::<Table>() {
            Ok(table) => Ok(Written::Table(Box::new(table.get().place()))),
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
