//! A set in two parts: one to train on, and one to validate with.

use serde::Deserialize;

/// The unit of a split that stays together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SplitBy {
    /// Runs, as a warehouse or a recorder knows them, or else the folders that pictures lie in: frames that are almost the
    /// same, since one follows the other, do not stand in both parts.
    #[default]
    Run,
    /// Samples, each by itself.
    Sample,
}

/// One of two parts of all samples. The same seed gives the same parts, whatever else the loader is told.
///
/// ```no_run
/// use forebay_native::loader::{Loader, Split};
/// let train = Loader::open("warehouse")?.split(Split::train(0.1, 42)).build()?;
/// let validation = Loader::open("warehouse")?.split(Split::validation(0.1, 42)).build()?;
/// # Ok::<(), forebay::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Split {
    pub(super) share: f64,
    pub(super) seed: u64,
    pub(super) by: SplitBy,
    pub(super) validation: bool,
}

impl Split {
    /// The training part if this share of the samples, from 0 to 1, is kept for validation.
    pub fn train(share: f64, seed: u64) -> Self {
        Split { share, seed, by: SplitBy::Run, validation: false }
    }
    /// This share of the samples, from 0 to 1: of runs the first that reach it.
    pub fn validation(share: f64, seed: u64) -> Self {
        Split { validation: true, ..Split::train(share, seed) }
    }
    /// Sets the unit that stays together; runs otherwise.
    #[must_use]
    pub fn by(mut self, by: SplitBy) -> Self {
        self.by = by;
        self
    }
}
