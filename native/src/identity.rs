//! What tells a dataset from another of the same name.

use forebay::{Result, codec::checksum::fnv1a, tbl::raw::HEADER_LEN};

use crate::{Dataset, parallel::blocks::in_blocks};

/// How many samples are looked into to tell a file from another: the first, the last, and some between.
const LOOKED_INTO: u64 = 16;

/// What tells a dataset from another: its length, a hash over where its samples lie, and one over what a few of them
/// begin and end with, checksums and metadata included. A TBL's header, if it has a checksum of all metadata, counts
/// too. It moves with the file to other machines and costs a few reads.
pub(crate) fn identity(dataset: &Dataset) -> Result<String> {
    let n = dataset.len();
    let layouts = in_blocks(n, |range| {
        let mut hash = crc32fast::Hasher::new();
        for i in range {
            // An entry that is damaged counts by being so.
            hash.update(bytemuck::bytes_of(&dataset.layout_of(i).unwrap_or_default()));
        }
        Ok(hash)
    })?;
    let mut layout = crc32fast::Hasher::new();
    layouts.iter().for_each(|hash| layout.combine(hash));
    let mut seen = Vec::new();
    if let (Some(_), Some(input)) = (dataset.tbl(), dataset.input()) {
        seen.push(input.slice(0..HEADER_LEN)?);
    }
    for k in 0..n.min(LOOKED_INTO) {
        // Evenly from the first to the last; n is at most 2^53, so nothing overflows.
        let i = k * n.saturating_sub(1) / n.min(LOOKED_INTO).saturating_sub(1).max(1);
        seen.extend(dataset.traits_of(i).into_iter().flatten());
    }
    // No CRC-32: that of bytes with their own CRC-32 behind them is the same whatever they are.
    let (layout, samples) = (layout.finalize(), fnv1a(seen.iter().flatten().copied()));
    Ok(format!("{} bytes, layout {layout:08x}, samples {samples:016x}", dataset.file_len()))
}
