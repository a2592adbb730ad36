//! Shards of many datasets: a plan as JSON text, and one shard of it at a time.

use std::{
    collections::VecDeque,
    ffi::OsString,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

use forebay::{Error, Result, error::codes::ARGUMENT};
use forebay_native::{
    input,
    sharding::{Made, MakeOptions, Plan, Report, Settings, Shards},
};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::{
    convert::compression,
    options::{optional, parse},
    wait::long,
};

/// Plans whose inputs stay open in this process, for the next shard of the same.
const KEPT: usize = 2;

/// What decides the shards. What is not given is the library's default.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Wanted {
    shards: u64,
    name: Option<String>,
    to: Option<String>,
    compression: Option<String>,
    level: Option<u8>,
    layout: Option<String>,
    metadata_format: Option<String>,
    shuffle: Option<u64>,
    blocks: Option<(u64, u64)>,
    #[serde(rename = "where")]
    filter: Option<String>,
    keep_going: bool,
    class_level: Option<u32>,
}

impl Wanted {
    fn settings(self) -> Result<Settings> {
        let mut settings = Settings::new(self.shards);
        settings.name = self.name.unwrap_or_default();
        settings.to = optional("to", self.to.as_deref())?.unwrap_or(settings.to);
        settings.layout = optional("layout", self.layout.as_deref())?.unwrap_or(settings.layout);
        settings.compression = compression(self.compression.as_deref(), self.level)?;
        let format = optional("metadata_format", self.metadata_format.as_deref())?;
        settings.metadata_format = format.unwrap_or(settings.metadata_format);
        (settings.shuffle, settings.blocks) = (self.shuffle, self.blocks);
        (settings.filter, settings.keep_going) = (self.filter, self.keep_going);
        settings.class_level = self.class_level;
        Ok(settings)
    }
}

/// How shards are made.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Making {
    workers: Option<usize>,
    force: bool,
    verify: bool,
    sync: Option<bool>,
}

impl Making {
    fn options(&self) -> MakeOptions {
        let mut how = MakeOptions::default();
        how.workers = self.workers.unwrap_or(how.workers).max(1);
        how.sync = self.sync.unwrap_or(how.sync);
        (how.force, how.verify) = (self.force, self.verify);
        how
    }
}

/// The files that names and patterns stand for.
#[pyfunction]
pub(crate) fn expand(py: Python<'_>, names: Vec<String>) -> PyResult<Vec<OsString>> {
    long(py, None, move |_| Ok(input::expand(&names)?.into_iter().map(PathBuf::into_os_string).collect()))
}

/// Looks at every input; the plan as JSON text.
#[pyfunction]
pub(crate) fn shards_plan(py: Python<'_>, inputs: Vec<String>, options: String) -> PyResult<String> {
    long(py, None, move |_| {
        let settings = parse::<Wanted>(&options)?.settings()?;
        let plan = Plan::of(&input::expand(&inputs)?, settings)?;
        let text = plan.to_json();
        // Here it can be made with the signatures of its addresses, which the text leaves out.
        keep(text.clone(), Arc::new(plan.open()?));
        Ok(text)
    })
}

/// What can be said of a plan: as JSON text, the names of the shards, their ranges, and bytes of memory for each.
#[pyfunction]
pub(crate) fn shards_about(py: Python<'_>, plan: String, workers: usize) -> PyResult<String> {
    long(py, None, move |_| {
        let plan = Plan::parse(&plan)?;
        let shards = 0..plan.shards();
        Ok(serde_json::json!({
            "samples": plan.samples(),
            "names": shards.clone().map(|shard| plan.name(shard)).collect::<Vec<_>>(),
            "ranges": shards.map(|shard| plan.range(shard)).map(|range| (range.start, range.end)).collect::<Vec<_>>(),
            "memory_bytes": plan.memory_bytes(workers),
        })
        .to_string())
    })
}

/// Makes shards, or all where none is named; what came of them as JSON text.
#[pyfunction]
pub(crate) fn shards_make(
    py: Python<'_>,
    plan: String,
    folder: PathBuf,
    shards: Option<Vec<u64>>,
    jobs: usize,
    options: String,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    long(py, progress, move |wire| {
        let how = parse::<Making>(&options)?.options();
        let ready = ready(plan)?;
        let wanted = shards.unwrap_or_else(|| (0..ready.plan().shards()).collect());
        let mut seen = std::collections::HashSet::new();
        if let Some(twice) = wanted.iter().find(|shard| !seen.insert(**shard)) {
            return Err(Error::new(&ARGUMENT, format!("shard {twice} is named twice")));
        }
        let mut tell = |now: &forebay_native::convert::Progress| wire.tell(now.samples, now.total);
        let report = ready.make_all(&wanted, &folder, &how, jobs.max(1), &mut tell)?;
        serde_json::to_string(&report).map_err(|e| Error::new(&ARGUMENT, e.to_string()))
    })
}

/// One report of what several processes have made, each a list of shards as JSON text.
#[pyfunction]
pub(crate) fn shards_report(py: Python<'_>, plan: String, made: Vec<String>) -> PyResult<String> {
    long(py, None, move |_| {
        let mut outputs = Vec::new();
        for text in &made {
            outputs.extend(parse::<Vec<Made>>(text)?);
        }
        let report = Report::of(&Plan::parse(&plan)?, outputs);
        serde_json::to_string(&report).map_err(|e| Error::new(&ARGUMENT, e.to_string()))
    })
}

static READY: Mutex<VecDeque<(String, Arc<Shards>)>> = Mutex::new(VecDeque::new());

/// A plan that is ready. A process that makes shard after shard of the same opens its inputs once.
fn ready(text: String) -> Result<Arc<Shards>> {
    let known = || READY.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, found)) = known().iter().find(|(known, _)| *known == text) {
        return Ok(found.clone());
    }
    let made = Arc::new(Plan::parse(&text)?.open()?);
    keep(text, made.clone());
    Ok(made)
}

fn keep(text: String, made: Arc<Shards>) {
    let mut known = READY.lock().unwrap_or_else(PoisonError::into_inner);
    known.retain(|(known, _)| *known != text);
    known.push_back((text, made));
    if known.len() > KEPT {
        known.pop_front();
    }
}
