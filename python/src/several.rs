//! What takes or makes several datasets: shards of one, the difference of two.

use std::{fs, path::PathBuf};

use forebay::{Error, Result, codec::Codec, error::codes::ARGUMENT, words::Word};
use forebay_native::{
    Dataset, OpenOptions,
    convert::{Job, Options, To},
    difference::difference,
    input,
    output::Stage,
    parallel::all_cores,
};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::json;

use crate::{
    convert::compression,
    options::{optional, parse, word},
    wait::long,
};

/// More shards than this are a mistake.
const MOST_SHARDS: u64 = 1_000_000;

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
    fn options(&self, dataset: &Dataset) -> Result<Options> {
        let to = match &self.to {
            Some(name) => word("to", name)?,
            None if dataset.tar().is_some() => To::Tar,
            None => To::Tbl,
        };
        let mut options = Options::new(to);
        if let Some(layout) = optional("layout", self.layout.as_deref())? {
            options.layout = layout;
        }
        options.compression = compression(self.compression.as_deref(), self.level)?;
        if to == To::Tar && (options.compression.codec() != Codec::None || self.layout.is_some()) {
            return Err(Error::new(&ARGUMENT, "a TAR has no compression and no layout"));
        }
        options.workers = self.workers.unwrap_or(options.workers);
        options.sync = self.sync.unwrap_or(options.sync);
        (options.force, options.verify) = (self.force, self.verify);
        Ok(options)
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
        if shards == 0 || shards > MOST_SHARDS {
            return Err(Error::new(&ARGUMENT, format!("`shards` is a number from 1 to {MOST_SHARDS}")));
        }
        let dataset = Dataset::open_with(&path, &OpenOptions::default())?;
        let options = wanted.options(&dataset)?;
        let shown = input::display(&folder);
        fs::create_dir_all(&folder).map_err(|e| input::io_error(&shown, "make the folder", e))?;
        let stem = path.file_stem().map_or_else(|| "shard".into(), |stem| stem.to_string_lossy().into_owned());
        let extension = options.to.word();
        let names: Vec<String> = (0..shards).map(|k| format!("{stem}-{k:05}-of-{shards:05}.{extension}")).collect();
        let stage = Stage::begin(&folder, stem.as_ref(), names.iter().cloned(), options.force)?;
        let (sync, mut written) = (options.sync, Vec::new());
        for (k, name) in (0..).zip(&names) {
            let (from, to) = (bound(dataset.len(), shards, k), bound(dataset.len(), shards, k + 1));
            let mut options = options.clone();
            // A dataset may have fewer samples than there are to be shards.
            options.allow_empty = true;
            let job = Job::new(vec![dataset.clone()], options).select((from..to).map(|i| (0, i)).collect());
            let mut summary = job.run_with(&stage.at(name), &mut |progress| {
                wire.tell(from + progress.samples, Some(dataset.len()));
            })?;
            summary.output = input::display(&folder.join(name));
            written.push(summary);
        }
        stage.commit(&names, sync)?;
        Ok(json!(written).to_string())
    })
}

/// Where shard `k` begins: lengths differ by at most one.
fn bound(len: u64, shards: u64, k: u64) -> u64 {
    u64::try_from(u128::from(len) * u128::from(k) / u128::from(shards)).unwrap_or(len)
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
