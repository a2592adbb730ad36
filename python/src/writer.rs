//! Writing a TBL, sample by sample. Until it is finished nothing is there.

use std::{
    io::IoSlice,
    path::PathBuf,
    process,
    sync::{Mutex, PoisonError},
};

use bytes::Bytes;
use forebay::{
    Error, Limits, Result,
    error::codes::ARGUMENT,
    sample::MediaFormat,
    samples::{Form, Inherited, Loaded, MetadataChoice, Writer},
    tbl::{PackOptions, Patch},
};
use forebay_native::output::{AtomicFile, Spool};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::Value;

use crate::{
    convert::compression,
    errors::Raise,
    options::{optional, parse},
    wait::long,
};

/// How to write. What is not given is the library's default.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Wanted {
    compression: Option<String>,
    level: Option<u8>,
    layout: Option<String>,
    metadata: Option<Value>,
    metadata_format: Option<String>,
    force: bool,
    sync: Option<bool>,
}

/// A file on its way.
#[derive(Debug)]
struct Open {
    writer: Writer,
    form: Form,
    file: AtomicFile,
    spool: Spool,
    positioned: bool,
    sync: bool,
}

impl Open {
    fn new(path: &std::path::Path, wanted: &Wanted) -> Result<Open> {
        let layout = optional("layout", wanted.layout.as_deref())?.unwrap_or_default();
        let pack = PackOptions::new(layout, compression(wanted.compression.as_deref(), wanted.level)?);
        let format = optional("metadata_format", wanted.metadata_format.as_deref())?.unwrap_or_default();
        let mut choice = match &wanted.metadata {
            Some(value) => MetadataChoice::parse(value.to_string().into_bytes(), Default::default(), &Limits::host())?,
            None => MetadataChoice::default(),
        };
        choice.format = format;
        if !choice.samples.is_empty() {
            let message = "the metadata has `samples`, and samples are added one by one here: give each its own as \
                           `add(..., metadata=...)`";
            return Err(Error::new(&ARGUMENT, message));
        }
        let metadata = Inherited::default().into_writer(layout, &choice, None, &mut Vec::new())?;
        let file = AtomicFile::create(path, wanted.force)?;
        Ok(Open {
            writer: match file.takes_front_last() {
                true => Writer::moving_tbl(pack, metadata)?,
                false => Writer::tbl(pack, None, metadata)?,
            },
            form: Form::Tbl(pack),
            spool: Spool::new(file.name(), &file.folder()),
            file,
            positioned: false,
            sync: wanted.sync.unwrap_or(true),
        })
    }

    fn add(&mut self, sample: Loaded) -> Result<()> {
        let mut ready = self.form.make(sample, &Limits::host())?;
        let mut text = Vec::new();
        let at = self.writer.place(&mut ready, &mut text)?;
        if !self.positioned {
            self.file.seek(at)?;
            self.positioned = true;
        }
        let mut slices: Vec<IoSlice<'_>> = ready.pieces().map(IoSlice::new).collect();
        self.file.append(&mut slices)?;
        self.spool.push(&text)
    }

    fn finish(self) -> Result<u64> {
        let Open { writer, file, mut spool, sync, .. } = self;
        let mut end = 0;
        for patch in writer.finish()? {
            match patch {
                Patch::Move { from, to, len } => file.copy_within(from, to, len)?,
                Patch::Bytes { at, bytes } => file.write_at(at, &bytes)?,
                Patch::Zero { at, len } => file.zero(at, len)?,
                Patch::Spool { at, .. } => file.copy_from(&mut spool, at)?,
                Patch::End { len } => {
                    file.set_len(len)?;
                    end = len;
                }
                other => return Err(Error::new(&ARGUMENT, format!("the writer does not know {other:?}"))),
            }
        }
        file.commit(sync)?;
        Ok(end)
    }
}

/// A file that belongs to the process that began it: a fork of that one neither writes it nor takes it away when it ends.
#[derive(Debug)]
struct Owned {
    open: Option<Open>,
    process: u32,
}

impl Owned {
    fn is_here(&self) -> bool {
        self.process == process::id()
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        if !self.is_here() {
            std::mem::forget(self.open.take());
        }
    }
}

/// Writes a TBL.
#[pyclass(frozen, module = "forebay._forebay")]
#[derive(Debug)]
pub(crate) struct TblWriter(Mutex<Owned>);

#[pymethods]
impl TblWriter {
    #[new]
    fn new(py: Python<'_>, path: PathBuf, options: String) -> PyResult<TblWriter> {
        let opened = long(py, None, move |_| Open::new(&path, &parse(&options)?))?;
        Ok(TblWriter(Mutex::new(Owned { open: Some(opened), process: process::id() })))
    }

    /// Adds a sample. `raw` is the width and height of raw pixels; `record` its metadata as JSON text, an object.
    fn add(
        &self,
        py: Python<'_>,
        payload: Vec<u8>,
        raw: Option<(u32, u32)>,
        name: Option<String>,
        record: Option<String>,
    ) -> PyResult<()> {
        let added = py.detach(|| {
            self.with(|open| {
                let id = open.writer.counts().samples;
                let mut sample =
                    Loaded::from_file(id, name.as_deref().unwrap_or("sample"), Bytes::from(payload), String::new());
                sample.record = record;
                if let Some((width, height)) = raw {
                    (sample.format, sample.width, sample.height) = (MediaFormat::RawU8, width, height);
                }
                open.add(sample).map_err(|e| e.sample(id).file(open.file.name()))
            })
        });
        added.raise(py)
    }

    /// Samples, their bytes, and their bytes as stored.
    fn counts(&self, py: Python<'_>) -> PyResult<(u64, u64, u64)> {
        py.detach(|| {
            self.with(|open| {
                let counts = open.writer.counts();
                Ok((counts.samples, counts.payload_bytes, counts.stored_bytes))
            })
        })
        .raise(py)
    }

    /// Puts the file in place; its length.
    fn finish(&self, py: Python<'_>) -> PyResult<u64> {
        py.detach(|| self.take()?.ok_or_else(ended)?.finish()).raise(py)
    }

    /// Leaves nothing behind.
    fn abandon(&self, py: Python<'_>) {
        // Behind a fork there is nothing to be left.
        py.detach(|| drop(self.take()));
    }
}

impl TblWriter {
    fn take(&self) -> Result<Option<Open>> {
        let mut owned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if owned.is_here() { Ok(owned.open.take()) } else { Err(forked()) }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Open) -> Result<T>) -> Result<T> {
        let mut owned = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !owned.is_here() {
            return Err(forked());
        }
        work(owned.open.as_mut().ok_or_else(ended)?)
    }
}

fn forked() -> Error {
    Error::new(&ARGUMENT, "this writer belongs to the process that this one was forked from")
}

fn ended() -> Error {
    Error::new(&ARGUMENT, "this writer was finished or abandoned")
}
