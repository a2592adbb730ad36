//! A set in two parts: one to train on, and one to validate with.

use std::collections::BTreeMap;

use forebay::{Error, Result, codec::checksum::fnv1a, error::codes::ARGUMENT};
use serde::Deserialize;

use super::sources::Sources;

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
    share: f64,
    seed: u64,
    by: SplitBy,
    validation: bool,
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

    /// The samples of this part, source by source, each in rising order.
    pub(super) fn chosen(&self, sources: &Sources) -> Result<Vec<Vec<u64>>> {
        // What is not a number is in no range.
        if !(0.0..=1.0).contains(&self.share) {
            return Err(Error::new(&ARGUMENT, format!("a share of {} is not between 0 and 1", self.share)));
        }
        let mut groups: BTreeMap<String, Vec<(usize, u64)>> = BTreeMap::new();
        let mut index = 0_u64;
        for source in 0..sources.len() {
            for sample in 0..sources.samples(source) {
                let group = match self.by {
                    SplitBy::Sample => index.to_string(),
                    SplitBy::Run => sources.run(source, sample)?,
                };
                groups.entry(group).or_default().push((source, sample));
                index += 1;
            }
        }
        let hash = |name: &str| fnv1a(self.seed.to_le_bytes().into_iter().chain(name.bytes()));
        let mut mixed: Vec<_> = groups.into_iter().map(|(name, samples)| (hash(&name), name, samples)).collect();
        mixed.sort_unstable();
        let wanted = (index as f64 * self.share).round() as usize;
        let (mut chosen, mut taken) = (vec![Vec::new(); sources.len()], 0);
        for (_, _, samples) in mixed {
            let is_validation = taken < wanted;
            taken += if is_validation { samples.len() } else { 0 };
            if is_validation == self.validation {
                for (source, sample) in samples {
                    chosen[source].push(sample);
                }
            }
        }
        chosen.iter_mut().for_each(|samples| samples.sort_unstable());
        Ok(chosen)
    }
}
