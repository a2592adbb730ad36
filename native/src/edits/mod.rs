//! Edits: journals of changes to datasets that stay as they are, written, applied and merged.
//!
//! A journal is a file of lines beside the dataset, `docs/edits.md` has its bytes; beside it lies a file `.blobs` with the
//! bytes of samples that were added.
//!
//! ```no_run
//! use forebay_native::{Dataset, edits::{self, Edits}};
//! let dataset = Dataset::open("train.tbl")?;
//! let mut edits = Edits::open(&dataset, "edits.jsonl".as_ref())?;
//! edits.change(r#"{"do":"set","sample":17,"fields":{"label":"boat"}}"#)?;
//! edits.change(r#"{"do":"remove","sample":18}"#)?;
//! edits.save()?;
//! let how = edits::ApplyOptions::default();
//! let applied = edits::apply("train.tbl".as_ref(), "edits.jsonl".as_ref(), "new.tbl".as_ref(), &how, &mut |_| {})?;
//! assert_eq!((applied.changed, applied.removed), (1, 1));
//! # Ok::<(), forebay::Error>(())
//! ```

mod apply;
mod in_place;
mod journal;
mod opened;
mod rewrite;

use std::path::{Path, PathBuf};

use forebay::{
    Error, Limits, Result,
    annotations::Project,
    codec::checksum::crc32,
    edits::{Edited, Identity, Journal, codes},
};
use serde::Serialize;

use crate::{
    dataset::Dataset,
    input::{Input, display},
};

pub use apply::{apply, plan};
pub use in_place::apply_in_place;
pub use journal::{Edits, merge};

/// How to apply a journal.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ApplyOptions {
    /// Replace an output that exists.
    pub force: bool,
    /// Make the output durable before it appears.
    pub sync: bool,
    /// Bounds on what the dataset and the journal may cost.
    pub limits: Limits,
    /// The project whose classes the output lists, in its order.
    pub project: Option<Project>,
}

impl Default for ApplyOptions {
    fn default() -> Self {
        ApplyOptions { force: false, sync: true, limits: Limits::host(), project: None }
    }
}

/// The result of applying a journal, or of a dry run.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "EditSummary"))]
#[non_exhaustive]
pub struct Applied {
    /// The dataset's name.
    pub input: String,
    /// The journal's name.
    pub journal: String,
    /// The output's name; that of the dataset where it was changed in place.
    pub output: String,
    /// Samples in the output.
    pub samples: u64,
    /// Samples of the dataset with other metadata.
    pub changed: u64,
    /// Samples of the dataset that are left out.
    pub removed: u64,
    /// New samples.
    pub added: u64,
    /// Bytes of the output.
    pub output_bytes: u64,
    /// Bytes that were written.
    pub written_bytes: u64,
    /// Things worth knowing.
    pub notes: Vec<String>,
}

/// Reads a journal; one whose last line was cut off is read without it, and [`Journal::torn`] says so.
pub fn read(path: &Path, limits: &Limits) -> Result<Journal> {
    let input = Input::read(path)?;
    let named = |e: Error| e.file(input.name());
    limits.metadata(input.len()).map_err(named)?;
    Journal::parse(&input.slice(0..input.len())?, limits).map_err(named)
}

/// What a journal must be of to be applied to a dataset.
pub(crate) fn identity(dataset: &Dataset) -> Result<Identity> {
    match (dataset.container(), dataset.folder()) {
        (Some(container), _) => Identity::of(container, dataset.name()).map_err(|e| e.file(dataset.name())),
        (None, folder) => {
            let files = folder.map(|folder| folder.files()).unwrap_or_default();
            let files = files.iter().map(|(name, size)| (name.as_str(), *size));
            Ok(Identity::of_folder(files, dataset.len(), dataset.name()))
        }
    }
}

/// The file beside a journal that has the bytes of added samples.
fn blobs_of(journal: &Path) -> PathBuf {
    let mut name = journal.as_os_str().to_owned();
    name.push(".blobs");
    name.into()
}

/// The bytes of added samples; none where none was added.
fn open_blobs(journal: &Path, edited: &Edited) -> Result<Input> {
    let path = blobs_of(journal);
    if edited.journal().added() == 0 {
        return Ok(Input::memory(display(&path), Vec::new()));
    }
    Input::read(&path)
}

/// Looks at the bytes of every sample that a journal adds: whether they are there, and are what the journal says.
pub fn check_blobs(path: &Path, journal: &Journal) -> Result<()> {
    check_added(journal, &blobs_of(path))
}

fn check_added(journal: &Journal, blobs: &Path) -> Result<()> {
    if journal.added() == 0 {
        return Ok(());
    }
    let input = Input::read(blobs)?;
    for (sample, blob) in journal.blobs() {
        let wrong = |what: String| Error::new(&codes::BLOB, what).sample(sample).file(input.name());
        let end = blob.at.checked_add(blob.bytes).filter(|end| *end <= input.len());
        let Some(end) = end else {
            return Err(wrong(format!("{} bytes at {} are not there", blob.bytes, blob.at)));
        };
        let found = crc32(&input.lend(blob.at..end)?);
        if found != blob.crc {
            return Err(wrong(format!("the bytes have the checksum {found:08x}, and not {:08x}", blob.crc)));
        }
        input.release(blob.at..end);
    }
    Ok(())
}

/// What is known before anything is written.
fn begun(dataset: &Dataset, journal: &Path, edited: &Edited) -> Applied {
    let (changed, removed, added) = edited.counts();
    let mut applied = Applied { input: dataset.name().into(), journal: display(journal), ..Applied::default() };
    (applied.changed, applied.removed, applied.added, applied.samples) = (changed, removed, added, edited.len());
    let torn = edited.journal().torn();
    if torn > 0 {
        applied.notes.push(format!("the journal's last line was cut off and does not count: {torn} bytes"));
    }
    applied
}
