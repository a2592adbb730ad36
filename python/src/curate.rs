//! Curating: duplicates, outliers, and parts for training, validation and test.

use std::path::PathBuf;

use forebay::{
    Error, Result,
    curate::{Outliers, Trait},
    error::codes::ARGUMENT,
    filter::{Filter, Path},
    samples::field,
    words::Word as _,
};
use forebay_native::{
    Dataset as Opened,
    convert::{Options, To},
    curate::{self, DivideOptions, SurveyOptions, refuse_parts, write_journal, write_parts},
    output::{AtomicFile, refuse_inputs},
};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::json;

use crate::{
    convert::compression,
    dataset::Dataset,
    options::{optional, parse, word},
    wait::{Wire, long},
};

/// Which samples are looked at, and what becomes of what was found.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Wanted {
    r#where: Option<String>,
    workers: Option<usize>,
    /// Duplicates: without it only the same bytes are alike.
    distance: Option<u32>,
    label: Option<String>,
    /// Outliers.
    by: Option<Vec<String>>,
    score: Option<f64>,
    /// The journal to write.
    edits: Option<PathBuf>,
    force: bool,
}

impl Wanted {
    fn survey(&self, selection: Option<Vec<Vec<u64>>>) -> Result<SurveyOptions> {
        let mut options = SurveyOptions::default();
        options.workers = self.workers.unwrap_or(options.workers);
        options.filter = self.r#where.as_deref().map(Filter::parse).transpose()?;
        options.selection = selection;
        if options.filter.is_some() && options.selection.is_some() {
            return Err(Error::new(&ARGUMENT, "samples are chosen by a filter or before, and not both"));
        }
        Ok(options)
    }

    /// Refuses a journal of several datasets, and one that cannot be written, before they are looked at.
    fn ready(&self, datasets: &[Opened]) -> Result<()> {
        let Some(path) = &self.edits else { return Ok(()) };
        if datasets.len() != 1 {
            return Err(Error::new(&ARGUMENT, "a journal is of one dataset; write one for each"));
        }
        refuse_inputs(path, datasets.iter().map(|dataset| std::path::Path::new(dataset.name())))?;
        AtomicFile::create(path, self.force).map(drop)
    }

    /// Writes a journal, if one is asked for.
    fn journal(&self, datasets: &[Opened], changes: impl IntoIterator<Item = String>) -> Result<()> {
        match (&self.edits, datasets) {
            (Some(path), [dataset]) => write_journal(dataset, changes, path, self.force),
            _ => Ok(()),
        }
    }
}

/// The fields that may hold the class.
fn class_fields(label: Option<&str>) -> Result<Vec<Path>> {
    match label {
        Some(label) => Ok(vec![field(label)?]),
        None => Ok(vec![field("class")?, field("cls")?]),
    }
}

fn opened(datasets: Vec<PyRef<'_, Dataset>>) -> Vec<Opened> {
    datasets.iter().map(|dataset| dataset.opened().clone()).collect()
}

/// Samples that are alike, as JSON text.
#[pyfunction]
pub(crate) fn duplicates(
    py: Python<'_>,
    datasets: Vec<PyRef<'_, Dataset>>,
    chosen: Option<Vec<Vec<u64>>>,
    options: String,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let datasets = opened(datasets);
    long(py, progress, move |wire| {
        let wanted: Wanted = parse(&options)?;
        wanted.ready(&datasets)?;
        let mut survey = wanted.survey(chosen)?;
        survey.labels = class_fields(wanted.label.as_deref())?;
        let tell = &mut |done, total| wire.tell(done, Some(total));
        let report = curate::duplicates(&datasets, wanted.distance, &survey, tell)?;
        wanted.journal(&datasets, report.changes())?;
        Ok(json!(report).to_string())
    })
}

/// Samples that stand out, as JSON text.
#[pyfunction]
pub(crate) fn outliers(
    py: Python<'_>,
    datasets: Vec<PyRef<'_, Dataset>>,
    chosen: Option<Vec<Vec<u64>>>,
    options: String,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let datasets = opened(datasets);
    long(py, progress, move |wire| {
        let wanted: Wanted = parse(&options)?;
        wanted.ready(&datasets)?;
        let survey = wanted.survey(chosen)?;
        let traits: Vec<Trait> = match &wanted.by {
            Some(words) => words.iter().map(|name| word("by", name)).collect::<Result<_>>()?,
            None => Trait::ALL.to_vec(),
        };
        let score = wanted.score.unwrap_or(Outliers::USUAL_SCORE);
        let tell = &mut |done, total| wire.tell(done, Some(total));
        let report = curate::outliers(&datasets, &traits, score, &survey, tell)?;
        wanted.journal(&datasets, report.changes())?;
        Ok(json!(report).to_string())
    })
}

/// How a dataset is divided, and how the parts are written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WantedParts {
    parts: Vec<(String, f64)>,
    by: Option<String>,
    group: Option<String>,
    near: Option<u32>,
    seed: u64,
    r#where: Option<String>,
    workers: Option<usize>,
    to: Option<String>,
    compression: Option<String>,
    level: Option<u8>,
    force: bool,
    sync: Option<bool>,
}

/// Parts of a dataset, as JSON text with the samples' numbers; written into a folder if one is named.
#[pyfunction]
pub(crate) fn divide(
    py: Python<'_>,
    dataset: PyRef<'_, Dataset>,
    chosen: Option<Vec<u64>>,
    folder: Option<PathBuf>,
    options: String,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let dataset = dataset.opened().clone();
    long(py, progress, move |wire| divided(&dataset, chosen, folder, parse(&options)?, wire))
}

fn divided(
    dataset: &Opened,
    chosen: Option<Vec<u64>>,
    folder: Option<PathBuf>,
    wanted: WantedParts,
    wire: &Wire,
) -> Result<String> {
    let survey = Wanted { r#where: wanted.r#where.clone(), workers: wanted.workers, ..Wanted::default() };
    let mut options = DivideOptions::default();
    options.survey = survey.survey(chosen.map(|numbers| vec![numbers]))?;
    options.survey.labels = match wanted.by.as_deref() {
        None => Vec::new(),
        Some("class") => class_fields(None)?,
        by => class_fields(by)?,
    };
    options.group = wanted.group.as_deref().map(field).transpose()?;
    (options.parts, options.near, options.seed) = (wanted.parts, wanted.near, wanted.seed);
    let to = match optional("to", wanted.to.as_deref())? {
        Some(to) => to,
        None if dataset.tar().is_some() => To::Tar,
        None => To::Tbl,
    };
    let mut convert = Options::new(to);
    convert.compression = compression(wanted.compression.as_deref(), wanted.level)?;
    (convert.force, convert.workers) = (wanted.force, options.survey.workers);
    convert.sync = wanted.sync.unwrap_or(convert.sync);
    if let Some(folder) = &folder {
        refuse_parts(options.parts.iter().map(|(name, _)| name.as_str()), folder, &convert)?;
    }
    let division = curate::divide(dataset, &options, &mut |done, total| wire.tell(done, Some(total)))?;
    let mut rows: Vec<serde_json::Value> = Vec::new();
    for part in &division.parts {
        let mut row = json!(part);
        row["numbers"] = json!(part.numbers);
        rows.push(row);
    }
    if let Some(folder) = folder {
        let tell = &mut |now: &forebay_native::convert::Progress| wire.tell(now.samples, now.total);
        let written = write_parts(dataset, &division.parts, &folder, &convert, tell)?;
        for (row, (summary, _)) in rows.iter_mut().zip(written) {
            row["output"] = json!(summary.output);
        }
    }
    let faults = &division.faults;
    Ok(json!({ "parts": rows, "groups": division.groups, "fault_count": faults.count, "faults": faults.all })
        .to_string())
}
