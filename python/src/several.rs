//! What takes or makes several datasets: shards of one, the difference of two.

use std::path::PathBuf;

use forebay::{Error, Result, error::codes::ARGUMENT};
use forebay_native::{
    Dataset, OpenOptions,
    convert::To,
    difference::difference,
    parallel::all_cores,
    sharding::{self, MakeOptions, Settings},
};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::json;

use crate::{
    convert::compression,
    options::{optional, parse, word},
    wait::long,
};

/// How shards are written. What is not given is the library's default.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Wanted {
    to: Option<String>,
    compression: Option<String>,
    level: Option<u8>,
    layout: Option<String>,
    workers: Option<usize>,
    force: bool,
    verify: bool,
    sync: Option<bool>,
}

impl Wanted {
    fn settings(&self, dataset: &Dataset, shards: u64) -> Result<(Settings, MakeOptions)> {
        let to = match &self.to {
            Some(name) => word("to", name)?,
            None if dataset.tar().is_some() => To::Tar,
            None => To::Tbl,
        };
        let mut settings = Settings::new(shards).with_format(to);
        if let Some(layout) = optional("layout", self.layout.as_deref())? {
            settings.layout = layout;
        }
        settings.compression = compression(self.compression.as_deref(), self.level)?;
        if to == To::Tar && self.layout.is_some() {
            return Err(Error::new(&ARGUMENT, "a TAR has no compression and no layout"));
        }
        let mut how = MakeOptions::default();
        how.workers = self.workers.unwrap_or(how.workers);
        how.sync = self.sync.unwrap_or(how.sync);
        (how.force, how.verify) = (self.force, self.verify);
        Ok((settings, how))
    }
}

/// Writes a dataset as shards of almost equal length, in order; what was done as JSON text, a summary for each.
#[pyfunction]
pub(crate) fn split(
    py: Python<'_>,
    path: PathBuf,
    folder: PathBuf,
    shards: u64,
    options: String,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    long(py, progress, move |wire| {
        let wanted: Wanted = parse(&options)?;
        let dataset = Dataset::open_with(&path, &OpenOptions::default())?;
        let (mut settings, how) = wanted.settings(&dataset, shards)?;
        settings.name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        let written = sharding::split(dataset, &folder, settings, &how, &mut |now| wire.tell(now.samples, now.total))?;
        let summaries: Vec<_> = written.into_iter().map(|(summary, _)| summary).collect();
        Ok(json!(summaries).to_string())
    })
}

/// Do two datasets hold the same samples? The answer as JSON text.
#[pyfunction]
pub(crate) fn diff(
    py: Python<'_>,
    a: PathBuf,
    b: PathBuf,
    payloads: bool,
    workers: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    long(py, progress, move |wire| {
        let open = |path: PathBuf| Dataset::open_with(&path, &OpenOptions::default());
        let (a, b) = (open(a)?, open(b)?);
        let workers = workers.unwrap_or_else(all_cores).max(1);
        let found = difference(&a, &b, payloads, workers, &mut |done, total| wire.tell(done, Some(total)))?;
        Ok(json!(found).to_string())
    })
}
