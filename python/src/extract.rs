//! Samples become files again.

use std::path::PathBuf;

use forebay_native::{Dataset, OpenOptions, extract::Target};
use pyo3::prelude::*;
use serde_json::json;

use crate::wait::long;

/// Writes samples with their sidecars into a folder, under the names that they had; what was done as JSON text.
#[pyfunction]
pub(crate) fn extract(
    py: Python<'_>,
    path: PathBuf,
    folder: PathBuf,
    chosen: Option<Vec<u64>>,
    force: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    long(py, progress, move |wire| {
        let dataset = Dataset::open_with(&path, &OpenOptions::default())?;
        let samples = chosen.as_ref().map_or(dataset.len(), |chosen| chosen.len() as u64);
        let mut target = Target::open(&folder, force)?;
        let numbers: Box<dyn Iterator<Item = u64>> = match chosen {
            Some(chosen) => Box::new(chosen.into_iter()),
            None => Box::new(0..samples),
        };
        for (done, i) in (1..).zip(numbers) {
            target.write(&dataset, i)?;
            wire.tell(done, Some(samples));
        }
        let (files, renamed, notes) = (target.files(), target.renamed(), target.notes());
        Ok(json!({ "samples": samples, "files": files, "renamed": renamed, "notes": notes }).to_string())
    })
}
