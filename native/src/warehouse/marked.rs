//! What is marked in the pictures of datasets, with outlines, masks and key points: for a loader, that needs more of them
//! than boxes.

use std::path::PathBuf;

use forebay::{Result, annotations::Annotation};

use super::{Settings, frames::Survey, labels::Read, sources::add_frames};
use crate::{Dataset, parallel::all_cores};

/// What is known of every sample of every dataset.
#[derive(Debug, Default)]
pub(crate) struct Marked {
    /// By dataset and sample; nothing where nobody has labeled the picture.
    pub samples: Vec<Vec<Option<Vec<Annotation>>>>,
    /// The names of the classes, in the order of their numbers.
    pub classes: Vec<String>,
    /// How many key points a class has, if the labels name them.
    pub keypoints: usize,
}

/// Reads the labels that `settings` name, or else those in the samples' metadata.
pub(crate) fn marked(sources: &[PathBuf], datasets: &[Dataset], settings: &Settings) -> Result<Marked> {
    let workers = settings.workers.unwrap_or_else(all_cores);
    let mut survey = Survey::default();
    let labels = match &settings.labels {
        Some(path) => Some(Read::open(path, &mut survey, settings)?),
        None => None,
    };
    let mut marked = Marked::default();
    for (source, dataset) in sources.iter().zip(datasets) {
        let own = match labels {
            Some(_) => None,
            None => Read::of_samples(dataset, settings)?,
        };
        let Some(read) = labels.as_ref().or(own.as_ref()) else {
            marked.samples.push(Vec::new());
            continue;
        };
        let first = survey.frames.len();
        add_frames(&mut survey, source, dataset.clone())?;
        let frames = survey.frames.split_off(first);
        marked.samples.push(read.entries(&mut survey, frames, workers, own.is_some())?);
        let named = read.classes().iter().map(|class| class.keypoints.len()).max();
        marked.keypoints = marked.keypoints.max(named.unwrap_or(0));
    }
    marked.classes = survey.classes;
    Ok(marked)
}
