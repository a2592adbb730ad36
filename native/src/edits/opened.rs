//! A dataset and a journal of it, opened together.

use std::{path::Path, sync::Arc};

use forebay::{Error, Result, edits::Edited};

use super::{Applied, ApplyOptions, begun, identity, open_blobs, read};
use crate::{
    dataset::{Dataset, OpenOptions},
    input::{Input, display},
};

/// A dataset and a journal of it.
pub(super) struct Opened {
    pub dataset: Dataset,
    pub edited: Arc<Edited>,
    /// The bytes of added samples.
    pub blobs: Input,
    pub applied: Applied,
}

/// Opens both, and refuses a journal of another file.
pub(super) fn open(dataset: &Path, journal: &Path, options: &ApplyOptions) -> Result<Opened> {
    let how = OpenOptions { limits: options.limits.clone(), ..OpenOptions::default() };
    let dataset = Dataset::open_with(dataset, &how)?;
    let named = |e: Error| e.file(display(journal));
    let edited = Edited::new(read(journal, &options.limits)?);
    let edited = Arc::new(match &options.project {
        Some(project) => edited.follow(project).map_err(named)?,
        None => edited,
    });
    edited.journal().of().expect(&identity(&dataset)?).map_err(named)?;
    let blobs = open_blobs(journal, &edited)?;
    let applied = begun(&dataset, journal, &edited);
    Ok(Opened { dataset, edited, blobs, applied })
}
