//! What happens with samples that cannot be read.

use forebay::{Error, error::Kind, words::Word};

use super::codes;

/// The rule for a sample that is damaged, too large or of a kind that is not decoded. Failures of the system,
/// such as a disk's or a file that became shorter, are errors whatever is chosen here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnBroken {
    /// Its batch is an error.
    #[default]
    Raise,
    /// Its batch is smaller, and says so in [`Batch::skipped`](super::Batch::skipped).
    Skip,
    /// The sample that follows it in the epoch's order stands in for it (the next good one of the following 64),
    /// changed by the draws of the sample it stands for. [`Batch::skipped`](super::Batch::skipped) says so.
    Replace,
}

impl Word for OnBroken {
    const ALL: &'static [Self] = &[OnBroken::Raise, OnBroken::Skip, OnBroken::Replace];

    fn word(self) -> &'static str {
        match self {
            OnBroken::Raise => "raise",
            OnBroken::Skip => "skip",
            OnBroken::Replace => "replace",
        }
    }
}

/// How many samples are tried in a broken one's place.
pub(super) const TRIES: u64 = 64;

impl OnBroken {
    /// Whether the error is one that this policy is about.
    pub(super) fn forgives(self, error: &Error) -> bool {
        let of_sample = matches!(error.kind(), Kind::Damaged | Kind::Limit | Kind::Unsupported);
        self != OnBroken::Raise && (of_sample || *error.code() == codes::PANIC)
    }
}

/// A sample that is not in its batch.
#[derive(Debug)]
#[non_exhaustive]
pub struct Skipped {
    /// Its position in the epoch.
    pub position: u64,
    /// Its number among all samples of all sources.
    pub index: u64,
    /// The error, with the sample's file and its number there.
    pub error: Error,
    /// The number, among all samples, of the one that stands in for it.
    pub replaced_by: Option<u64>,
}
