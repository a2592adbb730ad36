//! The samples of a part of a split.

use std::collections::BTreeMap;

use forebay::{Error, Result, codec::checksum::fnv1a, error::codes::ARGUMENT};

use super::{
    sources::Sources,
    split::{Split, SplitBy},
};

impl Split {
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
