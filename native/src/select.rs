//! Which samples a filter accepts.

use forebay::{
    Result,
    filter::{Filter, SampleRecord},
};

use crate::{blocks::in_blocks, dataset::Dataset};

/// The numbers of the samples that `filter` accepts, in order, found on all cores. What the filter does not ask for is not
/// read: over a TBL, sizes and formats come from the index alone.
pub fn matching(dataset: &Dataset, filter: &Filter) -> Result<Vec<u64>> {
    filter.check_for_samples()?;
    let blocks = in_blocks(dataset.len(), |range| {
        let mut kept = Vec::new();
        for i in range {
            if accepts(dataset, i, filter)? {
                kept.push(i);
            }
        }
        Ok(kept)
    })?;
    Ok(blocks.concat())
}

/// Whether `filter` accepts sample `i`. [`Filter::check_for_samples`] beforehand tells what no sample can match.
pub fn accepts(dataset: &Dataset, i: u64, filter: &Filter) -> Result<bool> {
    let info = dataset.info(i)?;
    let metadata = match filter.needs_metadata() {
        true => dataset.metadata_value(i)?,
        false => None,
    };
    let name = match (filter.needs_name(), &metadata) {
        (true, Some(value)) if dataset.tbl().is_some() => value.get("name").and_then(|n| n.as_str()).map(str::to_owned),
        (true, _) => dataset.sample_name(i)?,
        (false, _) => None,
    };
    let mut record = SampleRecord::new(&info);
    record.name = name.as_deref();
    record.metadata = metadata.as_ref();
    Ok(filter.matches(&record))
}
