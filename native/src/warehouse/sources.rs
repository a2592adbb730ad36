//! What is to be stored: runs of the recorder, folders of pictures, TAR and TBL files, in the order in which they are given.

use std::{
    fs,
    path::{Path, PathBuf},
};

use forebay::{Error, Result, error::codes as common};

use super::{
    Settings,
    frames::{Frame, Part, Place, Stamp, Survey},
    labels::Read,
    recorder,
};
use crate::{
    Dataset,
    dataset::OpenOptions,
    input::{display, io_error, remote},
    parallel::{all_cores, ordered},
};

/// What a label file weighs for the pool: many of them are read together.
const LABEL_BYTES: u64 = 1 << 13;

/// Looks at every source. No picture is read.
pub(super) fn survey(sources: &[PathBuf], settings: &Settings) -> Result<Survey> {
    survey_with(sources, settings, &OpenOptions { limits: settings.limits.clone(), ..OpenOptions::default() })
}

/// As [`survey`], with datasets that are opened in this way.
pub(crate) fn survey_with(sources: &[PathBuf], settings: &Settings, open: &OpenOptions) -> Result<Survey> {
    if sources.is_empty() {
        return Err(Error::new(&common::ARGUMENT, "name at least one source"));
    }
    let names: Vec<String> = sources.iter().map(|path| display(path)).collect();
    let mut survey = Survey { root: names.join(", "), ..Survey::default() };
    let workers = settings.workers.unwrap_or_else(all_cores);
    let labels = match &settings.labels {
        Some(path) => Some(Read::open(path, &mut survey, settings)?),
        None => None,
    };
    let mut bare = Vec::new();
    for (k, source) in sources.iter().enumerate() {
        if sources.iter().take(k).any(|before| overlap(before, source)) {
            survey.notes.push(format!("{} is given more than once, and so are its frames", display(source)));
        }
        let runs = runs_of(source, labels.is_some())?;
        let (first, datasets) = (survey.frames.len(), survey.datasets.len());
        match runs {
            Some(runs) => add_runs(&mut survey, source, runs, settings)?,
            None => {
                add_dataset(&mut survey, source, open)?;
                match &labels {
                    Some(labels) => labels.join(&mut survey, first, workers)?,
                    None => {
                        let own = survey.datasets.last().map(|dataset| Read::of_samples(dataset, settings));
                        match own.transpose()?.flatten() {
                            Some(own) => own.join_in_order(&mut survey, first, workers)?,
                            None => bare.push(display(source)),
                        }
                    }
                }
            }
        }
        let dataset = (survey.datasets.len() > datasets).then_some(datasets);
        survey.parts.push(Part { frames: first..survey.frames.len(), dataset });
    }
    if labels.is_some() && survey.datasets.is_empty() {
        let message = "runs have labels of their own, and no source has images for other labels; leave these out, or name \
                       the folder of the images";
        return Err(Error::new(&common::ARGUMENT, message).with_options(&["labels"]).file(&survey.root));
    }
    if let Some(labels) = labels.filter(|_| !survey.runs.is_empty()) {
        labels.end(&mut survey, 0);
    }
    let of_pictures = |name: &String| format!("{name}: no sample has boxes in its metadata, so all are without boxes");
    if bare.len() < sources.len() {
        survey.notes.extend(bare.iter().map(of_pictures));
    }
    Ok(survey)
}

/// Whether two sources are the same, whatever they are called, or one is a folder in the other.
fn overlap(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (a, b) = (place(a), place(b));
    a == b || (a.is_dir() && b.is_dir() && (a.starts_with(&b) || b.starts_with(&a)))
}

/// The folders of runs in a source, sorted; none where it is of another kind. A run has a folder `labels` with JSON files
/// in it; if other labels are given, they must also be the recorder's.
fn runs_of(source: &Path, are_given: bool) -> Result<Option<Vec<PathBuf>>> {
    if !source.is_dir() {
        return Ok(None);
    }
    let has_labels = |folder: &Path| -> Result<bool> {
        let labels = folder.join("labels");
        let files = if labels.is_dir() { recorder::label_files(&labels)? } else { Vec::new() };
        Ok(!files.is_empty() && (!are_given || files.iter().any(|file| recorder::is_label(file))))
    };
    if has_labels(source)? {
        return Ok(Some(vec![source.to_owned()]));
    }
    let failed = |e| io_error(&display(source), "list the folder", e);
    let mut runs = Vec::new();
    for entry in fs::read_dir(source).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() && has_labels(&path)? {
            runs.push(path);
        }
    }
    runs.sort_unstable();
    Ok((!runs.is_empty()).then_some(runs))
}

/// Reads the labels of runs, on all cores.
fn add_runs(survey: &mut Survey, source: &Path, runs: Vec<PathBuf>, settings: &Settings) -> Result<()> {
    let first = survey.runs.len();
    let mut files = Vec::new();
    for (i, folder) in runs.iter().enumerate() {
        survey.runs.push(display(folder));
        files.extend(recorder::label_files(&folder.join("labels"))?.into_iter().map(|file| Ok((i, file))));
    }
    ordered(
        files.into_iter(),
        |_| LABEL_BYTES,
        settings.workers.unwrap_or_else(all_cores),
        |(i, file): (usize, PathBuf)| recorder::read(source, &runs[i], first + i, &file, &settings.limits),
        |read| {
            for one in read {
                let (stamp, frame) = one?;
                survey.stamps.push(stamp);
                match frame {
                    Ok(frame) => survey.frames.push(frame),
                    Err(refused) => survey.refused.push(refused),
                }
            }
            Ok(())
        },
    )
}

/// Every picture of a folder, a TAR or a TBL.
fn add_dataset(survey: &mut Survey, source: &Path, open: &OpenOptions) -> Result<()> {
    let dataset = Dataset::open_with(source, open)?;
    survey.notes.extend(dataset.notes());
    if remote::is_remote(source) {
        let Some(input) = dataset.input() else {
            let message = "a warehouse is built from a folder of this machine, or from a file elsewhere; convert the folder to a TBL";
            return Err(Error::new(&common::ARGUMENT, message).file(display(source)));
        };
        survey.stamps.push(Stamp::elsewhere(source.into(), input));
    } else if dataset.folder().is_none() {
        let found = fs::metadata(source).map_err(|e| io_error(&display(source), "look at the source", e))?;
        survey.stamps.push(Stamp::of(source.into(), &found));
    }
    add_frames(survey, source, dataset)
}

/// Every sample of a dataset that is open.
pub(super) fn add_frames(survey: &mut Survey, source: &Path, dataset: Dataset) -> Result<()> {
    let name = display(source);
    let number = survey.datasets.len();
    for i in 0..dataset.len() {
        let source_name = dataset.sample_name(i)?.unwrap_or_else(|| i.to_string());
        // A folder's runs are the folders in it.
        let run = match source_name.split_once('/') {
            Some((run, _)) if dataset.folder().is_some() => format!("{}/{run}", name.trim_end_matches('/')),
            _ => name.clone(),
        };
        let run = run_number(survey, run);
        let place = match dataset.folder() {
            Some(_) => {
                let path = source.join(&source_name);
                let found = fs::metadata(&path).map_err(|e| io_error(&display(&path), "look at the source", e))?;
                Place::File(Stamp::of(path, &found))
            }
            None => Place::Sample { dataset: number, number: i },
        };
        survey.frames.push(Frame { place, source: source_name, run, frame_id: Some(i), boxes: Vec::new() });
    }
    survey.datasets.push(dataset);
    Ok(())
}

/// The number of a run; samples of a run mostly follow each other.
fn run_number(survey: &mut Survey, run: String) -> usize {
    match survey.runs.iter().rposition(|known| *known == run) {
        Some(number) => number,
        None => {
            survey.runs.push(run);
            survey.runs.len() - 1
        }
    }
}
