//! What is read of a warehouse, compared with the CRC-32s in its shards as it is read.
//!
//! Every image has its own. Boxes, masks and metadata have one for all samples of a shard, so these blocks are read whole
//! once for each shard of which a record is asked for. Shards of the first builder have none, and nothing is compared.

use std::sync::OnceLock;

use forebay::{
    Error, Result,
    codec::checksum::Crc32,
    sample::SamplePlan,
    warehouse::{Checksums, Shard, Warehouse, codes::BLOCK_CHECKSUM},
};

use crate::input::{Input, WINDOW};

/// What is known so far of the shards of a warehouse.
#[derive(Debug)]
pub(crate) struct Proven(Vec<OfShard>);

#[derive(Debug, Default)]
struct OfShard {
    /// Its checksums, if it has any.
    said: OnceLock<Option<Checksums>>,
    /// What its boxes, masks and metadata came to.
    labels: OnceLock<Result<(), Wrong>>,
}

/// What is wrong with a block: an error that every sample of the shard gets.
#[derive(Debug)]
struct Wrong {
    section: Option<&'static str>,
    member: Option<String>,
    message: String,
}

impl Proven {
    pub fn new(warehouse: &Warehouse) -> Proven {
        Proven(warehouse.manifest().shards.iter().map(|_| OfShard::default()).collect())
    }

    /// Plans the read of sample `i`'s image, which has to match its checksum.
    pub fn plan(&self, warehouse: &Warehouse, input: &Input, i: u64) -> Result<SamplePlan> {
        let (shard, _) = warehouse.locate(i)?;
        match self.said(warehouse, input, shard).map_err(|e| e.sample(i))? {
            Some(said) => warehouse.plan_proven(i, said),
            None => warehouse.plan(i),
        }
    }

    /// Refuses sample `i` if the boxes, masks or metadata of its shard are not what was written.
    pub fn labels(&self, warehouse: &Warehouse, input: &Input, i: u64) -> Result<()> {
        let (shard, _) = warehouse.locate(i)?;
        let named = |e: Error| e.sample(i);
        let (Some(of), Some(said)) = (self.0.get(shard.number()), self.said(warehouse, input, shard).map_err(named)?)
        else {
            return Ok(());
        };
        let proven = match of.labels.get() {
            Some(proven) => proven,
            None => {
                let [boxes, mask] = warehouse.label_ranges(shard);
                let found = [crc_of(input, boxes).map_err(named)?, crc_of(input, mask).map_err(named)?];
                let proven = warehouse.prove_labels(shard, said, found).map_err(|e| {
                    let place = e.place();
                    Wrong { section: place.section, member: place.member.clone(), message: e.message().to_owned() }
                });
                of.labels.get_or_init(|| proven)
            }
        };
        proven.as_ref().copied().map_err(|wrong| wrong.error().sample(i))
    }

    fn said(&self, warehouse: &Warehouse, input: &Input, shard: &Shard) -> Result<Option<&Checksums>> {
        let Some(of) = self.0.get(shard.number()) else { return Ok(None) };
        if of.said.get().is_none() {
            let block = warehouse.checksum_range(shard).map(|range| input.slice(range)).transpose()?;
            let said = block.map(|block| warehouse.checksums(shard, &block)).transpose()?;
            return Ok(of.said.get_or_init(|| said).as_ref());
        }
        Ok(of.said.get().and_then(Option::as_ref))
    }
}

impl Wrong {
    fn error(&self) -> Error {
        let e = Error::new(&BLOCK_CHECKSUM, self.message.clone());
        let e = self.section.into_iter().fold(e, Error::section);
        self.member.iter().fold(e, Error::member)
    }
}

/// The CRC-32 of a part of the file, which is read piece by piece.
fn crc_of(input: &Input, range: std::ops::Range<u64>) -> Result<u32> {
    let (mut crc, mut at) = (Crc32::default(), range.start);
    while at < range.end {
        let end = range.end.min(at.saturating_add(WINDOW));
        crc.update(&input.lend(at..end)?);
        at = end;
    }
    Ok(crc.finish())
}
