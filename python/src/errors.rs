//! Errors as exceptions. The classes are Python's, in `forebay/_errors.py`.

use forebay::Error;
use pyo3::{prelude::*, sync::PyOnceLock, types::PyDict};

static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// The exception of an error, with its code, kind and place.
pub(crate) fn object<'py>(py: Python<'py>, e: &Error) -> PyResult<Bound<'py, PyAny>> {
    let make = MAKE.get_or_try_init(py, || Ok::<_, PyErr>(py.import("forebay._errors")?.getattr("make")?.unbind()))?;
    let (place, known) = (e.place(), PyDict::new(py));
    known.set_item("file", &place.file)?;
    known.set_item("section", place.section)?;
    known.set_item("member", &place.member)?;
    known.set_item("sample", place.sample)?;
    known.set_item("column", &place.column)?;
    known.set_item("row", place.row)?;
    known.set_item("block", place.block)?;
    known.set_item("line", place.line)?;
    known.set_item("character", place.character)?;
    known.set_item("path", &place.path)?;
    known.set_item("offset", place.offset)?;
    let code = (e.code().id(), e.kind().name());
    make.bind(py).call1((code.0, code.1, e.message(), e.to_string(), known, e.options(), number(e)))
}

/// As [`object`], to be raised.
pub(crate) fn raised(py: Python<'_>, e: &Error) -> PyErr {
    object(py, e).map_or_else(|failed| failed, PyErr::from_value)
}

/// The system's number for what went wrong, if it was the system.
fn number(e: &Error) -> Option<i32> {
    let mut cause = std::error::Error::source(e);
    while let Some(e) = cause {
        if let Some(number) = e.downcast_ref::<std::io::Error>().and_then(std::io::Error::raw_os_error) {
            return Some(number);
        }
        cause = e.source();
    }
    None
}

/// Results of the libraries as Python's.
pub(crate) trait Raise<T> {
    fn raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> Raise<T> for forebay::Result<T> {
    fn raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|e| raised(py, &e))
    }
}
