//! A table of any format, in a file, in memory or another program's, as rows and as Arrow's C interface.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use arrow_array::{ffi::FFI_ArrowSchema, ffi_stream::FFI_ArrowArrayStream};
use arrow_schema::Schema as ArrowSchema;
use bytes::Bytes;
use forebay::{
    Error, Result,
    error::codes::ARGUMENT,
    table::{JsonStyle, summary::Summary},
    tables::Scan,
    words::Word,
};
use forebay_native::{
    parallel::all_cores,
    tables::{
        ReadOptions, Scanned, TableFormat, TableSource, arrow, leave_out_unread, open, open_bytes, parse_type,
        table_format,
    },
};
use pyo3::{prelude::*, types::PyCapsule};
use serde::Deserialize;
use serde_json::json;

use crate::{
    arrow_in::{ArrowRows, Held},
    arrow_out::{Reader, Stream},
    errors::Raise,
    options::{parse, scan, word},
    wait::long,
};

/// How a table is read. What is not given is the library's default.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Wanted {
    format: Option<String>,
    columns: Option<Vec<String>>,
    #[serde(rename = "where")]
    filter: Option<String>,
    types: Vec<(String, String)>,
    header: Option<bool>,
    delimiter: Option<String>,
    null: Option<String>,
    lossy: bool,
    workers: Option<usize>,
}

impl Wanted {
    pub(crate) fn read(&self) -> Result<ReadOptions> {
        let mut read = ReadOptions::default();
        read.lossy = self.lossy;
        read.format = self.format.as_deref().map(|name| word("format", name)).transpose()?;
        read.workers = self.workers.unwrap_or(read.workers);
        read.text.header = self.header.unwrap_or(true);
        for (column, name) in &self.types {
            read.text.types.push((column.clone(), parse_type(name)?));
        }
        if let Some(null) = &self.null {
            read.text.null.clone_from(null);
        }
        read.text.delimiter = match self.delimiter.as_deref().map(str::as_bytes) {
            None => None,
            Some([one]) if one.is_ascii() => Some(*one),
            Some(_) => return Err(Error::new(&ARGUMENT, "the delimiter is one ASCII character")),
        };
        Ok(read)
    }
}

/// Where a table is.
#[derive(Clone, Debug)]
enum At {
    File(PathBuf),
    /// The bytes of a file.
    Bytes(Bytes, TableFormat),
    /// What another program's table gave.
    Held(Held),
}

/// Where a table is, and how it is read.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    at: At,
    read: ReadOptions,
}

impl Place {
    /// All rows and columns that are there. What has no place elsewhere may be lost on the way if `lossy`.
    pub(crate) fn source(&self, lossy: bool) -> Result<Box<dyn TableSource>> {
        let mut read = self.read.clone();
        read.lossy |= lossy;
        Ok(match &self.at {
            At::File(path) => open(path, &read)?,
            At::Bytes(bytes, format) => open_bytes(bytes.clone(), *format, &read)?,
            At::Held(held) => Box::new(ArrowRows::held(held, read.lossy)?),
        })
    }
}

/// Where a table is, and what of it is wanted.
#[derive(Clone, Debug)]
struct Origin {
    place: Place,
    scan: Scan,
}

impl Origin {
    /// From its first row on; what is not read is left out, and said.
    fn open(&self) -> Result<(Scanned, Vec<String>)> {
        let mut source = self.place.source(false)?;
        let (_, notes) = match self.scan.columns {
            Some(_) => (Vec::new(), Vec::new()),
            None => leave_out_unread(&mut *source)?,
        };
        Ok((Scanned::new(source, &self.scan)?, notes))
    }
}

/// Rows and columns of a file. Whoever asks for them reads the file anew.
#[pyclass(frozen, module = "forebay._forebay")]
#[derive(Debug)]
pub(crate) struct Table {
    origin: Origin,
    format: &'static str,
    /// Name, type, whether values may be missing.
    fields: Vec<(String, String, bool)>,
    rows: Option<u64>,
    notes: Vec<String>,
    /// Threads for whoever takes all of it: every core, unless it was said.
    workers: usize,
}

impl Table {
    /// All of it, before anything is chosen.
    pub(crate) fn place(&self) -> Place {
        self.origin.place.clone()
    }

    fn new(py: Python<'_>, at: At, options: String) -> PyResult<Table> {
        long(py, None, move |_| {
            let wanted: Wanted = parse(&options)?;
            let mut read = wanted.read()?;
            if let (None, At::File(path)) = (read.format, &at) {
                // It is found out once.
                read.format = table_format(path)?;
            }
            let workers = wanted.workers.unwrap_or_else(all_cores);
            let origin = Origin { place: Place { at, read }, scan: scan(wanted.columns, wanted.filter.as_deref())? };
            let (mut rows, mut notes) = origin.open()?;
            // What reading makes of other programs' types is known before a row is read.
            notes.append(&mut rows.source().notes());
            let fields = rows.schema().fields().iter();
            let fields = fields.map(|f| (f.name.clone(), f.dtype.to_string(), f.nullable)).collect();
            let format = match (&origin.place.at, origin.place.read.format) {
                (At::Held(_), _) => "arrow",
                (At::Bytes(_, format), _) => format.word(),
                (At::File(_), format) => format.map_or("", TableFormat::word),
            };
            Ok(Table { origin, format, fields, rows: rows.rows(), notes, workers })
        })
    }
}

#[pymethods]
impl Table {
    /// Opens a file and reads what its columns are.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, options: String) -> PyResult<Table> {
        Table::new(py, At::File(path), options)
    }

    /// Opens the bytes of a file, whose name says what they are unless the options do.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, name: PathBuf, bytes: Vec<u8>, options: String) -> PyResult<Table> {
        let given = parse::<Wanted>(&options).and_then(|wanted| wanted.read()).raise(py)?.format;
        let format = given.or_else(|| TableFormat::from_name(&name)).ok_or_else(|| {
            let message = "nothing says which table these bytes are; `format` does";
            Error::new(&ARGUMENT, message).file(name.display().to_string())
        });
        Table::new(py, At::Bytes(bytes.into(), format.raise(py)?), options)
    }

    /// Opens what another program's table gave.
    #[staticmethod]
    fn from_held(py: Python<'_>, held: &Held, options: String) -> PyResult<Table> {
        Table::new(py, At::Held(held.clone()), options)
    }

    fn format(&self) -> &'static str {
        self.format
    }
    fn fields(&self) -> Vec<(String, String, bool)> {
        self.fields.clone()
    }
    /// How many rows there are, where that is known without reading them.
    fn rows(&self) -> Option<u64> {
        self.rows
    }
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }
    /// From the first row on.
    fn begin(&self, py: Python<'_>) -> PyResult<Rows> {
        let origin = self.origin.clone();
        long(py, None, move |_| Ok(Rows(Mutex::new(origin.open()?.0))))
    }
    /// How many rows there are, counted by reading them where it takes that.
    fn count(&self, py: Python<'_>) -> PyResult<u64> {
        if let Some(rows) = self.rows {
            return Ok(rows);
        }
        let origin = self.origin.clone();
        long(py, None, move |wire| {
            let (mut scanned, _) = origin.open()?;
            let mut counted = 0;
            while let Some(batch) = scanned.next_batch()? {
                counted += batch.rows() as u64;
                wire.tell(counted, None);
            }
            Ok(counted)
        })
    }

    /// What the values of each column are like, as JSON text.
    fn stats(&self, py: Python<'_>) -> PyResult<String> {
        let origin = self.origin.clone();
        long(py, None, move |wire| {
            let (mut scanned, mut notes) = origin.open()?;
            let mut summary = Summary::new(scanned.schema().fields());
            while let Some(batch) = scanned.next_batch()? {
                summary.add(&batch);
                wire.tell(summary.rows(), None);
            }
            let skipped = scanned.source().skipped();
            notes.append(&mut scanned.source().notes());
            let report = json!({
                "rows": summary.rows(),
                "skipped_rows": skipped,
                "columns": summary.report(),
                "notes": notes,
            });
            Ok(report.to_string())
        })
    }

    /// A stream of batches by Arrow's C interface; with texts as views for those who keep them so.
    fn arrow_stream<'py>(&self, py: Python<'py>, views: bool) -> PyResult<Bound<'py, PyCapsule>> {
        let mut origin = self.origin.clone();
        origin.place.read.workers = self.workers;
        // These are decoded a group of rows at a time, with a dictionary for all of it.
        let by_groups = matches!(origin.place.read.format, Some(TableFormat::Tbf | TableFormat::Idv));
        origin.place.read.text.batch_rows = if by_groups { ROWS_OF_GROUP } else { origin.place.read.text.batch_rows };
        let ahead = self.workers > 1 && self.rows.is_none_or(|rows| rows >= ROWS_AHEAD);
        // What another program gave is asked on the thread that asks for rows.
        let ahead = ahead && !matches!(origin.place.at, At::Held(_));
        let workers = self.workers;
        let reader = long(py, None, move |_| {
            let (scanned, _) = origin.open()?;
            let schema = arrow_schema(&scanned, views)?;
            Ok(Stream::new(Reader::new(scanned, schema, workers), ahead))
        })?;
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// The columns by the same interface. No row is read.
    fn arrow_schema<'py>(&self, py: Python<'py>, views: bool) -> PyResult<Bound<'py, PyCapsule>> {
        let origin = self.origin.clone();
        let schema = long(py, None, move |_| {
            let schema = arrow_schema(&origin.open()?.0, views)?;
            FFI_ArrowSchema::try_from(&*schema).map_err(arrow::not_arrow)
        })?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }
}

/// Arrow's schema of what is read.
fn arrow_schema(scanned: &Scanned, views: bool) -> Result<Arc<ArrowSchema>> {
    let schema = arrow::to_arrow_schema(scanned.schema())?;
    Ok(Arc::new(if views { arrow::with_views(&schema) } else { schema }))
}

/// The most rows of a group that are handed over at once.
const ROWS_OF_GROUP: usize = 1 << 20;
/// Of fewer rows none are made ahead.
const ROWS_AHEAD: u64 = 1 << 16;

/// The rows of a table, from the first to the last.
#[pyclass(frozen, module = "forebay._forebay")]
#[derive(Debug)]
pub(crate) struct Rows(Mutex<Scanned>);

#[pymethods]
impl Rows {
    /// The next rows as JSON text, an array of objects; nothing at the end.
    fn next(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let text = py.detach(|| {
            let mut scanned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(batch) = scanned.next_batch()? else { return Ok(None) };
            let mut text = String::from("[");
            for row in batch.iter() {
                if text.len() > 1 {
                    text.push(',');
                }
                row.write_json(&mut text, JsonStyle::default());
            }
            text.push(']');
            Ok(Some(text))
        });
        text.raise(py)
    }
}
