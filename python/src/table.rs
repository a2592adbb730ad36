//! A table of any format, as rows and as Arrow's C interface.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use arrow_array::{RecordBatch, RecordBatchReader, ffi_stream::FFI_ArrowArrayStream};
use arrow_schema::{ArrowError, Schema as ArrowSchema, SchemaRef};
use forebay::{Error, Result, error::codes::ARGUMENT, table::JsonStyle, tables::Scan, words::Word};
use forebay_native::tables::{
    ReadOptions, Scanned, TableFormat, arrow, leave_out_unread, open, parse_type, table_format,
};
use pyo3::{prelude::*, types::PyCapsule};
use serde::Deserialize;

use crate::{
    convert::scan,
    errors::Raise,
    options::{parse, word},
    wait::long,
};

/// How a table is read. What is not given is the library's default.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Wanted {
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
    fn read(&self) -> Result<ReadOptions> {
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

/// Where a table is, and what of it is wanted.
#[derive(Clone, Debug)]
struct Origin {
    path: PathBuf,
    read: ReadOptions,
    scan: Scan,
}

impl Origin {
    /// From its first row on; what is not read is left out, and said.
    fn open(&self) -> Result<(Scanned, Vec<String>)> {
        let mut source = open(&self.path, &self.read)?;
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
}

#[pymethods]
impl Table {
    /// Opens a file and reads what its columns are.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf, options: String) -> PyResult<Table> {
        long(py, None, move |_| {
            let wanted: Wanted = parse(&options)?;
            let origin = Origin { path, read: wanted.read()?, scan: scan(wanted.columns, wanted.filter.as_deref())? };
            let format = match origin.read.format {
                Some(format) => Some(format),
                None => table_format(&origin.path)?,
            };
            let (rows, notes) = origin.open()?;
            let fields = rows.schema().fields().iter();
            let fields = fields.map(|f| (f.name.clone(), f.dtype.to_string(), f.nullable)).collect();
            Ok(Table { origin, format: format.map_or("", TableFormat::word), fields, rows: rows.rows(), notes })
        })
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
        let (origin, rows) = (self.origin.clone(), self.rows);
        long(py, None, move |wire| {
            if let Some(rows) = rows {
                return Ok(rows);
            }
            let (mut scanned, _) = origin.open()?;
            let mut counted = 0;
            while let Some(batch) = scanned.next_batch()? {
                counted += batch.rows() as u64;
                wire.tell(counted, None);
            }
            Ok(counted)
        })
    }

    /// A stream of batches by Arrow's C interface.
    fn arrow_stream<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let origin = self.origin.clone();
        let reader = long(py, None, move |_| {
            let (scanned, _) = origin.open()?;
            let schema = Arc::new(arrow::to_arrow_schema(scanned.schema())?);
            Ok(Reader { scanned, schema, ended: false })
        })?;
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

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

/// Batches as Arrow's.
struct Reader {
    scanned: Scanned,
    schema: Arc<ArrowSchema>,
    ended: bool,
}

impl Reader {
    fn batch(&mut self) -> Result<Option<RecordBatch>> {
        let Some(batch) = self.scanned.next_batch()? else { return Ok(None) };
        arrow::to_record_batch(&batch, &self.schema).map(Some)
    }
}

impl Iterator for Reader {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let batch = self.batch();
        self.ended = !matches!(batch, Ok(Some(_)));
        batch.map_err(|e| ArrowError::ExternalError(Box::new(e))).transpose()
    }
}

impl RecordBatchReader for Reader {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
