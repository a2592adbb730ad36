//! Which samples a filter accepts.

use forebay::{
    Error, Result,
    error::Kind,
    filter::{Filter, SampleRecord, Seen},
    samples::Oddities,
};

use crate::{blocks::in_blocks, dataset::Dataset};

/// The numbers of the samples that `filter` accepts, in order, found on all cores. What the filter does not ask for is
/// not read: over a TBL, sizes and formats come from the index alone.
///
/// A field that no sample has, or a comparison with what it holds in none, is an error ([`Seen::judge`]).
pub fn matching(dataset: &Dataset, filter: &Filter) -> Result<Vec<u64>> {
    let mut selected = matching_all([dataset], filter, |_| false)?;
    Ok(selected.chosen.pop().unwrap_or_default())
}

/// What a filter selects of several datasets.
#[derive(Debug, Default)]
pub(crate) struct Selected {
    /// The samples' numbers, dataset by dataset.
    pub chosen: Vec<Vec<u64>>,
    /// What could not be looked at and was forgiven.
    pub broken: Vec<Error>,
}

/// As [`matching`], for datasets that are one to the user: what one of them lacks another may have. A sample that cannot
/// be looked at is not selected where `forgiven` says so, and an error otherwise.
pub(crate) fn matching_all<'a>(
    datasets: impl IntoIterator<Item = &'a Dataset>,
    filter: &Filter,
    forgiven: impl Fn(&Error) -> bool + Sync,
) -> Result<Selected> {
    filter.check_for_samples()?;
    let (mut selected, mut seen) = (Selected::default(), Seen::new(filter));
    for dataset in datasets {
        let blocks = in_blocks(dataset.len(), |range| {
            let mut watch = Watch::new(filter);
            let (mut kept, mut broken) = (Vec::new(), Vec::new());
            for i in range {
                match watch.accepts(dataset, i) {
                    Ok(true) => kept.push(i),
                    Ok(false) => {}
                    Err(e) if forgiven(&e) => broken.push(e.sample(i).file(dataset.name())),
                    Err(e) => return Err(e),
                }
            }
            Ok((kept, broken, watch.seen))
        })?;
        let mut chosen = Vec::new();
        for (kept, broken, also) in blocks {
            chosen.extend(kept);
            selected.broken.extend(broken);
            seen.merge(also);
        }
        selected.chosen.push(chosen);
    }
    seen.judge(filter)?;
    Ok(selected)
}

/// A filter that is asked about one sample after the other, and at the end whether it could mean anything.
#[derive(Debug)]
pub(crate) struct Watch<'f> {
    filter: &'f Filter,
    seen: Seen,
    odd: Oddities,
}

impl<'f> Watch<'f> {
    pub fn new(filter: &'f Filter) -> Self {
        Watch { filter, seen: Seen::new(filter), odd: Oddities::default() }
    }

    /// Whether the filter accepts sample `i`.
    pub fn accepts(&mut self, dataset: &Dataset, i: u64) -> Result<bool> {
        let (filter, info) = (self.filter, dataset.info(i)?);
        let metadata = match filter.needs_metadata() {
            true => dataset.find_metadata(i)?,
            false => None,
        };
        let metadata = metadata.map(|(value, kept)| {
            kept.iter().for_each(|e| self.odd.kept(e));
            value
        });
        let name = match (filter.needs_name(), &metadata) {
            (true, Some(value)) if dataset.tbl().is_some() => {
                value.get("name").and_then(|n| n.as_str()).map(str::to_owned)
            }
            (true, _) => dataset.sample_name(i)?,
            (false, _) => None,
        };
        let mut record = SampleRecord::new(&info);
        record.name = name.as_deref();
        record.metadata = metadata.as_ref();
        self.seen.add(&record);
        Ok(filter.matches(&record))
    }

    /// For after the last sample: refuses a filter that no sample could have answered.
    pub fn judge(&self) -> Result<()> {
        self.seen.judge(self.filter)
    }

    /// What the filter saw as text only.
    pub fn notes(self) -> impl Iterator<Item = String> {
        self.odd.notes()
    }
}

/// Whether an error is that of a sample, which others need not suffer from, and not of the system or the caller.
pub(crate) fn is_of_sample(e: &Error) -> bool {
    matches!(e.kind(), Kind::Damaged | Kind::Limit | Kind::Unsupported)
}
