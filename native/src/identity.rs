//! What tells a dataset from another of the same name.

use std::sync::Arc;

use forebay::{Error, Result, codec::checksum::fnv1a, error::codes::IO, tbl::raw::HEADER_LEN};

use crate::{
    Dataset,
    ahead::{ALWAYS, AT_ONCE, Fetch, Store, Threads},
};

/// How many samples are looked into to tell a file from another: the first, the last, and some between.
const LOOKED_INTO: u64 = 16;

/// What tells a dataset from another: its length, a hash over where its samples lie, and one over what a few of them
/// begin and end with, checksums and metadata included. A TBL's header, if it has a checksum of all metadata, counts
/// too. It moves with the file to other machines and costs a few reads.
pub(crate) fn identity(dataset: &Dataset) -> Result<String> {
    Ok(format!("{}{SAMPLES}{:016x}", outline(dataset)?, traits(dataset)?))
}

/// Stands before the part of an identity that bytes of samples must be read for.
const SAMPLES: &str = ", samples ";

/// Whether an identity is an [`outline`].
pub(crate) fn lacks_samples(identity: &str) -> bool {
    identity.contains(LAYOUT) && !identity.contains(SAMPLES)
}

const LAYOUT: &str = " bytes, layout ";

/// As much of it as is known without reading anything: the beginning of the [`identity`].
pub(crate) fn outline(dataset: &Dataset) -> Result<String> {
    let layouts = dataset.in_blocks(|range| {
        let mut hash = crc32fast::Hasher::new();
        for i in range {
            // An entry that is damaged counts by being so.
            hash.update(bytemuck::bytes_of(&dataset.layout_of(i).unwrap_or_default()));
        }
        Ok(hash)
    })?;
    let mut layout = crc32fast::Hasher::new();
    layouts.iter().for_each(|hash| layout.combine(hash));
    Ok(format!("{}{LAYOUT}{:08x}", dataset.file_len(), layout.finalize()))
}

/// A hash over what a few samples begin and end with.
fn traits(dataset: &Dataset) -> Result<u64> {
    let n = dataset.len();
    // Evenly from the first to the last; n is at most 2^53, so nothing overflows.
    let looked_into = |k: u64| k * n.saturating_sub(1) / n.min(LOOKED_INTO).saturating_sub(1).max(1);
    let looked_into: Vec<u64> = (0..n.min(LOOKED_INTO)).map(looked_into).collect();
    let store = Arc::<Store>::default();
    let is_far = dataset.input().is_some_and(|input| !input.is_local());
    // From elsewhere all of it comes at once.
    let (dataset, _threads) = match dataset.input().filter(|input| !input.is_local()) {
        None => (dataset.clone(), None),
        Some(input) => {
            let inputs = Arc::new(vec![Some(input.as_ref().clone())]);
            let mut ranges: Vec<_> = looked_into.iter().flat_map(|i| dataset.ranges_of_traits(*i)).collect();
            ranges.push(0..HEADER_LEN.min(input.len()));
            let threads = Threads::start(&store, &inputs, AT_ONCE.min(ranges.len()));
            ranges.into_iter().for_each(|range| store.ask(Fetch { source: 0, range, last: ALWAYS }));
            (dataset.by(|input| input.ahead(0, &store)), Some(threads))
        }
    };
    let mut seen = Vec::new();
    if let (Some(_), Some(input)) = (dataset.tbl(), dataset.input()) {
        seen.push(input.slice(0..HEADER_LEN)?);
    }
    for i in looked_into {
        let traits = dataset.traits_of(i);
        if let (None, true, Some(range)) = (&traits, is_far, dataset.taken_range(i)) {
            // It lies somewhere, and did not come.
            let message = "bytes that tell the file from others could not be read";
            return Err(Error::new(&IO, message).file(dataset.name()).offset(range.start));
        }
        seen.extend(traits.into_iter().flatten());
    }
    // No CRC-32: that of bytes with their own CRC-32 behind them is the same whatever they are.
    Ok(fnv1a(seen.iter().flatten().copied()))
}
