//! Options as Python gives them: one JSON object, of which no field is passed over.

use std::path::PathBuf;

use forebay::{Error, Result, error::codes::ARGUMENT, filter::Filter, tables::Scan, words::Word};
use forebay_native::tables::rows_format;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use serde_path_to_error::Segment;

use crate::wait::long;

/// Reads options. What is wrong is said with its option: callers never see the text in which a line and a column would be places.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(text)).map_err(|e| {
        let whole = e.inner().to_string();
        let wrong = whole.split(" at line ").next().unwrap_or(&whole);
        let what = match e.path().iter().next() {
            Some(Segment::Map { key }) => format!("the option {key:?} makes no sense"),
            _ => "the options make no sense".to_owned(),
        };
        Error::new(&ARGUMENT, format!("{what}: {wrong}"))
    })
}

/// One of a few choices by its word.
pub(crate) fn word<T: Word>(what: &str, given: &str) -> Result<T> {
    T::from_word(given).ok_or_else(|| {
        let known: Vec<&str> = T::ALL.iter().map(|choice| choice.word()).collect();
        Error::new(&ARGUMENT, format!("{what} is one of {}, not {given:?}", known.join(", ")))
    })
}

/// As [`word`], where one is given.
pub(crate) fn optional<T: Word>(what: &str, given: Option<&str>) -> Result<Option<T>> {
    given.map(|given| word(what, given)).transpose()
}

/// Some columns and rows of a table.
pub(crate) fn scan(columns: Option<Vec<String>>, filter: Option<&str>) -> Result<Scan> {
    Ok(Scan::new(columns, filter.map(Filter::parse).transpose()?))
}

/// The word for the table format of a file; `None` where it is no table, or a Parquet file whose images are samples.
#[pyfunction]
pub(crate) fn is_table(py: Python<'_>, path: PathBuf) -> PyResult<Option<&'static str>> {
    let found = long(py, None, move |_| rows_format(&path));
    Ok(found?.map(Word::word))
}
