//! A warehouse in two parts: one to train on, and one to validate with.

use std::collections::BTreeMap;

use forebay::{Error, Result, codec::checksum::fnv1a, error::codes::ARGUMENT, warehouse::Warehouse};

/// What is not torn apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitBy {
    /// Runs: frames that are almost the same, since one follows the other, do not stand in both parts.
    #[default]
    Run,
    /// Samples, each by itself.
    Sample,
}

/// The numbers of the samples of both parts, each in rising order, for [`Builder::samples`](super::Builder::samples):
/// those to train on, and those to validate with. The second are the share of the samples that was asked for, from 0 to
/// 1, or of runs the first that reach it. The same seed gives the same parts, however the samples are sharded.
pub fn split(warehouse: &Warehouse, share: f64, seed: u64, by: SplitBy) -> Result<(Vec<u64>, Vec<u64>)> {
    // What is not a number is in no range.
    if !(0.0..=1.0).contains(&share) {
        return Err(Error::new(&ARGUMENT, format!("a share of {share} is not between 0 and 1")));
    }
    let mut groups: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for i in 0..warehouse.len() {
        let group = match by {
            SplitBy::Sample => i.to_string(),
            SplitBy::Run => warehouse.sample_record(i)?.run.ok_or_else(|| {
                let message = "the warehouse does not know the sample's run, so only samples can be split";
                Error::new(&ARGUMENT, message).sample(i)
            })?,
        };
        groups.entry(group).or_default().push(i);
    }
    let mut mixed: Vec<(u64, String, Vec<u64>)> = groups
        .into_iter()
        .map(|(name, samples)| (fnv1a(seed.to_le_bytes().into_iter().chain(name.bytes())), name, samples))
        .collect();
    mixed.sort_unstable();
    let wanted = (warehouse.len() as f64 * share).round() as usize;
    let (mut train, mut validation) = (Vec::new(), Vec::new());
    for (_, _, samples) in mixed {
        if validation.len() < wanted { validation.extend(samples) } else { train.extend(samples) }
    }
    train.sort_unstable();
    validation.sort_unstable();
    Ok((train, validation))
}
