//! Which samples a filter accepts.

use forebay::{Error, Result, check::Fault, filter::Filter, samples::Watch};

use crate::dataset::Dataset;

/// The numbers of the samples that `filter` accepts, in order, found on all cores. What the filter does not ask for is
/// not read: over a TBL, sizes and formats come from the index alone.
///
/// A field that no sample has, or a comparison with what it holds in none, is an error ([`Seen::judge`](forebay::filter::Seen::judge)).
pub fn matching(dataset: &Dataset, filter: &Filter) -> Result<Vec<u64>> {
    let mut selected = matching_all([dataset], filter, |_| false)?;
    Ok(selected.chosen.pop().unwrap_or_default())
}

/// A fault of a dataset, which is named if there are several.
pub(crate) fn fault_of(e: &Error, several: bool) -> Fault {
    if several { Fault::with_file(e) } else { Fault::from(e) }
}

/// The samples that a filter selects from several datasets.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Selected {
    /// The samples' numbers, dataset by dataset.
    pub chosen: Vec<Vec<u64>>,
    /// Errors of samples that could not be read and were permitted.
    pub broken: Vec<Error>,
    /// Fields that the filter saw only as text.
    pub notes: Vec<String>,
}

/// As [`matching`], for datasets that are one to the user: what one of them lacks another may have. A sample that cannot
/// be looked at is not selected where `forgiven` says so, and an error otherwise.
pub fn matching_all<'a>(
    datasets: impl IntoIterator<Item = &'a Dataset>,
    filter: &Filter,
    forgiven: impl Fn(&Error) -> bool + Sync,
) -> Result<Selected> {
    filter.check_for_samples()?;
    let (mut selected, mut watch) = (Selected::default(), Watch::new(filter));
    for dataset in datasets {
        let (chosen, broken, also) = accepted(dataset, filter, &forgiven)?;
        selected.broken.extend(broken);
        watch.merge(also);
        selected.chosen.push(chosen);
    }
    watch.judge()?;
    selected.notes = watch.notes().collect();
    Ok(selected)
}

/// The samples of one dataset that a filter accepts, and what could not be looked at. Whether the filter's fields are
/// there at all is for whoever has seen every dataset to [judge](Watch::judge).
pub(crate) fn accepted(
    dataset: &Dataset,
    filter: &Filter,
    forgiven: impl Fn(&Error) -> bool + Sync,
) -> Result<(Vec<u64>, Vec<Error>, Watch)> {
    let blocks = dataset.in_blocks(|range| {
        let mut watch = Watch::new(filter);
        let (mut kept, mut broken) = (Vec::new(), Vec::new());
        for i in range {
            match dataset.accepts(i, &mut watch) {
                Ok(true) => kept.push(i),
                Ok(false) => {}
                Err(e) if forgiven(&e) => broken.push(e.sample(i).file(dataset.name())),
                Err(e) => return Err(e),
            }
        }
        Ok((kept, broken, watch))
    })?;
    let (mut chosen, mut broken, mut watch) = (Vec::new(), Vec::new(), Watch::new(filter));
    for (kept, not, also) in blocks {
        chosen.extend(kept);
        broken.extend(not);
        watch.merge(also);
    }
    Ok((chosen, broken, watch))
}
