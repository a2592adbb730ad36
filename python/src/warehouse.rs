//! Tensor warehouses: built, listed, cleared away.

use std::path::PathBuf;

use forebay::{
    Error, Result,
    annotations::Format,
    error::codes::ARGUMENT,
    warehouse::{Dtype, ResizeMode, set_threshold},
};
use forebay_native::{
    input::expand,
    warehouse::{Existing, Kept, Settings, begin_parts, build_with, gc, list, make_part, read_manifest},
};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    options::{optional, parse, word},
    wait::long,
};

/// How to build. What is not given is the library's default.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Wanted {
    labels: Option<PathBuf>,
    labels_format: Option<String>,
    voc_base: Option<u8>,
    task: Option<String>,
    pick: Option<String>,
    boxes: Option<String>,
    size: Option<[u32; 2]>,
    resize: Option<String>,
    max_boxes: Option<u32>,
    dtype: Option<String>,
    f32_boxes: bool,
    skip_empty: bool,
    exif: Option<String>,
    shard_bytes: Option<u64>,
    thresholds: Map<String, Value>,
    allow_violations: bool,
    existing: Option<String>,
    trace: Option<PathBuf>,
    code_version: Option<String>,
    workers: Option<usize>,
    sync: Option<bool>,
}

impl Wanted {
    fn settings(self) -> Result<Settings> {
        let mut settings = Settings::default();
        settings.labels = self.labels;
        settings.label_format = optional::<Format>("labels_format", self.labels_format.as_deref())?;
        settings.label_options.voc_base = self.voc_base;
        settings.label_options.task = optional("task", self.task.as_deref())?;
        settings.label_options.pick = optional("pick", self.pick.as_deref())?;
        settings.label_options.boxes = self.boxes.as_deref().map(str::parse).transpose()?;
        settings.size = self.size.unwrap_or(settings.size);
        if let Some(resize) = &self.resize {
            settings.resize = word::<ResizeMode>("resize", resize)?;
        }
        settings.max_boxes = self.max_boxes.unwrap_or(settings.max_boxes);
        if let Some(dtype) = &self.dtype {
            settings.dtype = word::<Dtype>("dtype", dtype)?;
        }
        (settings.f32_boxes, settings.skip_empty) = (self.f32_boxes, self.skip_empty);
        settings.label_options.exif = optional("exif", self.exif.as_deref())?;
        settings.exif = settings.label_options.exif.unwrap_or(settings.exif);
        settings.shard_bytes = self.shard_bytes.unwrap_or(settings.shard_bytes);
        for (name, most) in &self.thresholds {
            set_threshold(&mut settings.thresholds, name, &most.to_string())?;
        }
        settings.allow_violations = self.allow_violations;
        settings.existing = match self.existing.as_deref() {
            None | Some("refuse") => Existing::Refuse,
            Some("reuse") => Existing::Reuse,
            Some("replace") => Existing::Replace,
            Some(other) => {
                let message = format!("`existing` is one of refuse, reuse, replace, not {other:?}");
                return Err(Error::new(&ARGUMENT, message));
            }
        };
        (settings.trace, settings.code_version) = (self.trace, self.code_version);
        settings.workers = self.workers.map(|workers| workers.max(1));
        settings.sync = self.sync.unwrap_or(settings.sync);
        Ok(settings)
    }
}

/// Builds a warehouse in a folder; what was built as JSON text.
#[pyfunction]
pub(crate) fn warehouse_build(
    py: Python<'_>,
    sources: Vec<String>,
    output: PathBuf,
    options: String,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    long(py, progress, move |wire| {
        let settings = parse::<Wanted>(&options)?.settings()?;
        let sources = expand(&sources)?;
        let built = build_with(&sources, &output, &settings, &mut |now| wire.tell(now.frames, Some(now.total)))?;
        Ok(json!(built).to_string())
    })
}

/// Begins a build that several processes share; how many parts it has.
#[pyfunction]
pub(crate) fn warehouse_begin(py: Python<'_>, sources: Vec<String>, output: PathBuf, options: String) -> PyResult<u64> {
    long(py, None, move |_| {
        let settings = parse::<Wanted>(&options)?.settings()?;
        begin_parts(&expand(&sources)?, &output, &settings)
    })
}

/// Makes one part of a build that was begun; how many frames it has.
#[pyfunction]
pub(crate) fn warehouse_part(
    py: Python<'_>,
    sources: Vec<String>,
    output: PathBuf,
    part: u64,
    options: String,
) -> PyResult<u64> {
    long(py, None, move |wire| {
        let settings = parse::<Wanted>(&options)?.settings()?;
        make_part(&expand(&sources)?, &output, &settings, part, &mut |now| wire.tell(now.frames, Some(now.total)))
    })
}

/// The warehouses of a folder as JSON text.
#[pyfunction]
pub(crate) fn warehouse_list(py: Python<'_>, folder: PathBuf) -> PyResult<String> {
    long(py, None, move |_| Ok(json!(list(&folder)?.iter().map(Kept::report).collect::<Vec<_>>()).to_string()))
}

/// Removes what a newer warehouse of the same sources replaces; what was removed as JSON text.
#[pyfunction]
pub(crate) fn warehouse_gc(py: Python<'_>, folder: PathBuf, dry_run: bool) -> PyResult<String> {
    long(py, None, move |_| Ok(json!(gc(&folder, dry_run)?).to_string()))
}

/// A manifest as JSON text.
#[pyfunction]
pub(crate) fn warehouse_manifest(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    long(py, None, move |_| Ok(json!(read_manifest(&path)?).to_string()))
}
