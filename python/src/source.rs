//! The bytes of a file object of Python's, read range by range: Python's lock is taken for the reads alone.

use forebay::{Error, Result, error::codes::IO};
use forebay_native::input::Source;
use pyo3::{prelude::*, types::PyBytes};

/// What `forebay._files.Ranges` gives: a length, and bytes from anywhere.
#[derive(Debug)]
pub(crate) struct PyFile {
    ranges: Py<PyAny>,
    len: u64,
}

impl PyFile {
    pub(crate) fn new(ranges: Py<PyAny>, len: u64) -> Self {
        PyFile { ranges, len }
    }
}

impl Source for PyFile {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, at: u64, out: &mut [u8]) -> Result<()> {
        Python::attach(|py| {
            let read = self.ranges.bind(py).call_method1("read_at", (at, out.len()));
            let bytes = read.and_then(|bytes| Ok(bytes.cast_into::<PyBytes>()?));
            let bytes = bytes.map_err(|e| {
                let message = format!("the file object cannot be read: {e}");
                // The exception of the file's own, without Python's lock in its way.
                Error::caused(&IO, message, std::io::Error::other(e.to_string())).offset(at)
            })?;
            let found = bytes.as_bytes();
            if found.len() != out.len() {
                let message = format!("the file object gave {} bytes of {}", found.len(), out.len());
                return Err(Error::new(&IO, message).offset(at));
            }
            out.copy_from_slice(found);
            Ok(())
        })
    }

    /// Python's files do not say it.
    fn unchanged(&self) -> Result<()> {
        Ok(())
    }
}
