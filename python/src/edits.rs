//! Journals of edits: written change by change, and applied.

use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use forebay::{Error, Result, error::codes::ARGUMENT};
use forebay_native::{Dataset, edits, labels::read_project};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{errors::Raise, options::parse, wait::long};

/// How to apply.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Wanted {
    force: bool,
    sync: Option<bool>,
    in_place: bool,
    dry_run: bool,
    project: Option<PathBuf>,
}

/// Makes a dataset anew with the changes of a journal, or changes it in place; what was done as JSON text.
#[pyfunction]
pub(crate) fn edits_apply(
    py: Python<'_>,
    dataset: PathBuf,
    journal: PathBuf,
    output: Option<PathBuf>,
    options: String,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    long(py, progress, move |wire| {
        let wanted: Wanted = parse(&options)?;
        let mut how = edits::ApplyOptions::default();
        how.force = wanted.force;
        how.sync = wanted.sync.unwrap_or(how.sync);
        how.project = wanted.project.as_deref().map(|path| read_project(path, &how.limits)).transpose()?;
        let tell = &mut |now: &forebay_native::convert::Progress| wire.tell(now.samples, now.total);
        let applied = match (output, wanted.in_place) {
            _ if wanted.dry_run => edits::plan(&dataset, &journal, wanted.in_place, &how)?,
            (Some(output), false) => edits::apply(&dataset, &journal, &output, &how, tell)?,
            (None, true) => edits::apply_in_place(&dataset, &journal, &how, tell)?,
            _ => return Err(Error::new(&ARGUMENT, "name the output, or say in_place; not both")),
        };
        Ok(serde_json::to_string(&applied).unwrap_or_default())
    })
}

/// A journal that is open for more.
#[pyclass(frozen, module = "forebay._forebay")]
#[derive(Debug)]
pub(crate) struct Edits(Mutex<Option<edits::Edits>>);

#[pymethods]
impl Edits {
    #[new]
    fn new(py: Python<'_>, dataset: PathBuf, journal: PathBuf) -> PyResult<Edits> {
        let opened = long(py, None, move |_| edits::Edits::open(&Dataset::open(&dataset)?, &journal))?;
        Ok(Edits(Mutex::new(Some(opened))))
    }

    /// Makes a change: an object of JSON.
    fn change(&self, py: Python<'_>, text: String) -> PyResult<()> {
        py.detach(|| self.with(|edits| edits.change(&text))).raise(py)
    }

    /// Adds a sample; its number. `given` is what else is said of it, as JSON text.
    fn add(&self, py: Python<'_>, name: String, payload: Vec<u8>, given: String) -> PyResult<u64> {
        let added = py.detach(|| {
            let given: Map<String, Value> = parse(&given)?;
            self.with(|edits| edits.add(&name, &payload, given))
        });
        added.raise(py)
    }

    /// Makes all changes durable.
    fn save(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.with(edits::Edits::save)).raise(py)
    }

    /// What there is, as JSON text.
    fn about(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| {
            self.with(|edits| {
                let journal = edits.journal();
                Ok(json!({
                    "changes": journal.changes().len(),
                    "dirty": journal.is_dirty(),
                    "undo": journal.can_undo(),
                    "redo": journal.can_redo(),
                })
                .to_string())
            })
        })
        .raise(py)
    }

    /// Lets the journal go, so that others may change it.
    fn close(&self, py: Python<'_>) {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        py.detach(|| drop(taken));
    }
}

impl Edits {
    fn with<T>(&self, work: impl FnOnce(&mut edits::Edits) -> Result<T>) -> Result<T> {
        let closed = || Error::new(&ARGUMENT, "this journal was closed");
        work(self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut().ok_or_else(closed)?)
    }
}
