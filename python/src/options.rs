//! Options as Python gives them: one JSON object, of which no field is passed over.

use std::path::PathBuf;

use forebay::{Error, Result, error::codes::ARGUMENT, filter::Filter, tables::Scan, words::Word};
use forebay_native::tables::table_format;
use pyo3::prelude::*;
use serde::de::DeserializeOwned;

use crate::wait::long;

/// Reads options.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|e| Error::new(&ARGUMENT, described(text, &e)))
}

/// What is wrong, and with which option: callers never see the text in which a line and a column would be places.
fn described(text: &str, e: &serde_json::Error) -> String {
    let whole = e.to_string();
    let wrong = whole.split(" at line ").next().unwrap_or(&whole);
    match text.as_bytes().get(..e.column()).and_then(last_option) {
        Some(name) => format!("the option {name:?} makes no sense: {wrong}"),
        None => format!("the options make no sense: {wrong}"),
    }
}

/// The option whose value the beginning of an object's text ends in.
fn last_option(text: &[u8]) -> Option<String> {
    let (mut at, mut depth, mut last, mut option) = (0, 0_usize, None, None);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b':' if depth == 1 => option = last.take(),
            b',' if depth == 1 => option = None,
            b'"' => {
                let begin = at + 1;
                at = begin;
                while let Some(&inner) = text.get(at).filter(|&&inner| inner != b'"') {
                    at += if inner == b'\\' { 2 } else { 1 };
                }
                last = text.get(begin..at).map(|name| String::from_utf8_lossy(name).into_owned());
            }
            _ => {}
        }
        at += 1;
    }
    option
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

/// The word for the table format of a file; `None` where it is no table.
#[pyfunction]
pub(crate) fn is_table(py: Python<'_>, path: PathBuf) -> PyResult<Option<&'static str>> {
    let found = long(py, None, move |_| table_format(&path));
    Ok(found?.map(Word::word))
}
