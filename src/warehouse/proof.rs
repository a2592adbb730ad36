//! What is read of a shard beside the CRC-32s in it: without a check of the whole, sample by sample.

use std::ops::Range;

use bytes::Bytes;

use super::{
    checksums::Checksums,
    codes,
    file::{Shard, Warehouse},
};
use crate::{
    codec::checksum::crc32,
    error::{Error, Result},
    sample::{Proof, SamplePlan},
};

#[doc(hidden)]
impl Warehouse {
    /// Where the checksums of a shard's blocks lie, as far as the file goes: what is cut off does not read. None where the
    /// shard has none, as those of the first builder.
    pub fn checksum_range(&self, shard: &Shard) -> Option<Range<u64>> {
        let start = shard.header.checksum_offset;
        let len = Checksums::len_of(shard.header.samples).unwrap_or(u64::MAX);
        let end = start.saturating_add(len).min(shard.len);
        (start > 0).then(|| shard.base + start.min(end)..shard.base + end)
    }

    /// The checksums of a shard's blocks, of the bytes of their [range](Self::checksum_range).
    pub fn checksums(&self, shard: &Shard, block: &Bytes) -> Result<Checksums> {
        let read = Checksums::parse(block, shard.header.checksum_offset, shard.header.samples);
        read.map_err(|e| self.in_shard(e, shard))
    }

    /// As [`plan`](Self::plan): what is decoded has to match the image's checksum.
    pub fn plan_proven(&self, i: u64, said: &Checksums) -> Result<SamplePlan> {
        let (_, k) = self.locate(i)?;
        let crc = usize::try_from(k).ok().and_then(|k| said.images.get(k));
        let mut plan = self.plan(i)?;
        plan.proof = crc.map_or(Proof::None, |crc| Proof::Crc32(*crc));
        Ok(plan)
    }

    /// Where all boxes and all masks of a shard lie: each block has one checksum.
    pub fn label_ranges(&self, shard: &Shard) -> [Range<u64>; 2] {
        [&shard.blocks.boxes, &shard.blocks.mask].map(|block| shard.base + block.start..shard.base + block.end)
    }

    /// Refuses a shard whose boxes, masks or metadata are not what was written. Of the first two the CRC-32 is given.
    pub fn prove_labels(&self, shard: &Shard, said: &Checksums, [boxes, mask]: [u32; 2]) -> Result<()> {
        let metadata = shard.records.as_ref().map_or(said.meta, |records| crc32(records.block()));
        let blocks = [("boxes", boxes, said.boxes), ("mask", mask, said.mask), ("metadata", metadata, said.meta)];
        match blocks.into_iter().find(|(_, found, said)| found != said) {
            Some((section, found, said)) => Err(self.in_shard(mismatch(section, found, said), shard)),
            None => Ok(()),
        }
    }
}

/// A block that does not match its checksum.
pub(super) fn mismatch(section: &'static str, found: u32, said: u32) -> Error {
    Error::new(&codes::BLOCK_CHECKSUM, format!("CRC-32 is {found:08x}, the shard says {said:08x}")).section(section)
}
