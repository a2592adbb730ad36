//! The viewer's page as a wheel holds it: packed by Brotli, for which Python has nothing of its own.

use std::io::Read;

use forebay::{
    Error, Result,
    error::codes::{ARGUMENT, IO},
};
use pyo3::{prelude::*, types::PyBytes};

use crate::errors::Raise;

/// What Brotli made these bytes of; an error where that is damaged or more than `most` bytes.
#[pyfunction]
pub(crate) fn unpacked<'py>(py: Python<'py>, packed: &[u8], most: u64) -> PyResult<Bound<'py, PyBytes>> {
    let unpack = || -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let source = brotli_decompressor::Decompressor::new(packed, 1 << 16);
        let read = source.take(most.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|e| Error::caused(&IO, format!("the packed data is damaged: {e}"), e))?;
        if bytes.len() as u64 > most {
            return Err(Error::new(&ARGUMENT, format!("the packed data has more than {most} bytes")));
        }
        Ok(bytes)
    };
    Ok(PyBytes::new(py, &py.detach(unpack).raise(py)?))
}
