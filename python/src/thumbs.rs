//! Thumbnails of a dataset, in a file beside it.

use std::path::PathBuf;

use forebay_native::{
    Dataset,
    convert::Progress,
    input::display,
    thumbs::{Strip, ThumbsOptions, beside, write},
};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::json;

use crate::{options::parse, wait::long};

/// How thumbnails are made.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Wanted {
    size: Option<u32>,
    quality: Option<u8>,
    workers: Option<usize>,
    force: bool,
    check: bool,
}

/// Writes the thumbnails of a dataset, or says what those that there are; as JSON text.
#[pyfunction]
pub(crate) fn thumbs(
    py: Python<'_>,
    path: PathBuf,
    output: Option<PathBuf>,
    options: String,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    long(py, progress, move |wire| {
        let wanted: Wanted = parse(&options)?;
        let dataset = Dataset::open(&path)?;
        let output = output.unwrap_or_else(|| beside(&path));
        if wanted.check {
            let strip = Strip::open(&output, &dataset)?;
            let (samples, size, bytes) = (strip.len(), strip.size(), strip.file_len());
            let output = display(&output);
            return Ok(json!({ "output": output, "samples": samples, "size": size, "output_bytes": bytes }).to_string());
        }
        let mut how = ThumbsOptions::default();
        how.size = wanted.size.unwrap_or(how.size);
        how.quality = wanted.quality.unwrap_or(how.quality);
        how.workers = wanted.workers.unwrap_or(how.workers);
        how.force = wanted.force;
        let tell = &mut |now: &Progress| wire.tell(now.samples, now.total);
        Ok(serde_json::to_string(&write(&dataset, &output, &how, tell)?).unwrap_or_default())
    })
}
