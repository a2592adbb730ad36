//! Every fault of a file, samples or table.

use std::path::{Path, PathBuf};

use forebay::{Error, Result, check::Report, error::Kind, image::decode};
use forebay_native::{
    Dataset, OpenOptions,
    check::{CheckOptions, check_with},
    tables::{self, ReadOptions, rows_format},
};
use pyo3::prelude::*;
use serde_json::json;

use crate::wait::{Wire, long};

/// Checks a file; the report as JSON text.
#[pyfunction]
pub(crate) fn check(
    py: Python<'_>,
    path: PathBuf,
    workers: Option<usize>,
    decode: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    long(py, progress, move |wire| Ok(json!(report(&path, workers, decode, wire)?).to_string()))
}

fn report(path: &Path, workers: Option<usize>, decode: bool, wire: &Wire) -> Result<Report> {
    if let Some(format) = rows_format(path)? {
        let mut say = |rows: u64, total: Option<u64>| wire.tell(rows, total);
        return tables::check(path, format, &ReadOptions::default(), &mut say);
    }
    let mut open = OpenOptions::default();
    open.keep_going = true;
    let dataset = match Dataset::open_with(path, &open) {
        Ok(dataset) => dataset,
        // Too damaged to open is what a check is asked for.
        Err(e) if matches!(e.kind(), Kind::Damaged | Kind::Limit) => return Ok(Report::unopened(&e)),
        Err(e) => return Err(e),
    };
    let mut options = CheckOptions::default();
    options.workers = workers.unwrap_or(options.workers);
    options.decode = decode.then(decode::Options::default);
    let total = dataset.len();
    check_with(&dataset, &options, &mut |done| wire.tell(done, Some(total))).map_err(|e: Error| e.file(dataset.name()))
}
