//! What a shard knows of each sample beside its tensors: frame, run, source and classes, as one JSON object each.

use std::ops::Range;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::codes;
use crate::{
    cursor::Cursor,
    error::{Error, Result},
};

/// The first bytes of the block.
pub const METADATA_MAGIC: [u8; 4] = *b"TWM1";
/// Bytes of the block that say how long it is.
pub const METADATA_HEAD: u64 = 24;
/// Records are JSON; there is no other kind.
const KIND: u32 = 1;

/// The description of a sample. All of it may be missing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SampleRecord {
    /// The frame's number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_id: Option<u64>,
    /// The run that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The picture's path, relative to the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The class of each box, as an index into the manifest's `classes`; `null` where it is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<Option<u32>>,
    /// All other fields.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl SampleRecord {
    /// Nothing known.
    pub fn new() -> Self {
        Self::default()
    }
}

/// The metadata of a shard's samples.
#[derive(Clone, Debug)]
pub(super) struct Records {
    block: Bytes,
    /// Where the block begins in the shard.
    offset: u64,
}

/// How long the block is that begins with these 24 bytes.
pub(super) fn block_len(head: &[u8], offset: u64, samples: u64, file_len: u64) -> Result<u64> {
    let mut c = Cursor::new(head, offset, "metadata", &codes::METADATA);
    if c.array::<4>()? != METADATA_MAGIC || c.u32()? != KIND {
        return Err(Error::new(&codes::METADATA, "the block does not begin with TWM1 and kind 1")
            .section("metadata")
            .offset(offset));
    }
    let (len, count) = (c.u64()?, c.u64()?);
    if count != samples {
        return Err(c.error(&codes::METADATA, format!("the block is for {count} samples, the shard has {samples}")));
    }
    let index = samples.checked_add(1).and_then(|n| n.checked_mul(8)).and_then(|n| n.checked_add(METADATA_HEAD));
    if index.is_none_or(|index| index > len) || offset.checked_add(len).is_none_or(|end| end > file_len) {
        return Err(c.error(&codes::METADATA, format!("the block cannot be {len} bytes long")));
    }
    Ok(len)
}

impl Records {
    /// The block, of the length that [`block_len`] told.
    pub fn new(block: Bytes, offset: u64) -> Self {
        Records { block, offset }
    }
    /// The whole block.
    pub fn block(&self) -> &Bytes {
        &self.block
    }
    /// Where the block lies in the shard.
    pub fn range(&self) -> Range<u64> {
        self.offset..self.offset + self.block.len() as u64
    }

    /// The text of sample `k` of the shard, and where it lies in the shard.
    pub fn text(&self, k: u64) -> Result<(Bytes, u64)> {
        let place = METADATA_HEAD.saturating_add(k.saturating_mul(8));
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        let index = self.block.get(place..).unwrap_or_default();
        let mut c = Cursor::new(index, self.offset.saturating_add(place as u64), "metadata", &codes::METADATA);
        let (start, end) = (c.u64()?, c.u64()?);
        let range = usize::try_from(start).ok().zip(usize::try_from(end).ok()).map(|(start, end)| start..end);
        match range.filter(|r| r.start >= METADATA_HEAD as usize && r.start <= r.end && r.end <= self.block.len()) {
            Some(range) => Ok((self.block.slice(range), self.offset + start)),
            None => Err(c.error(&codes::METADATA, format!("the record cannot be bytes {start}..{end} of the block"))),
        }
    }

    /// What is known of sample `k` of the shard.
    pub fn get(&self, k: u64) -> Result<SampleRecord> {
        let (text, at) = self.text(k)?;
        if text.is_empty() {
            return Ok(SampleRecord::default());
        }
        serde_json::from_slice(&text).map_err(|e| {
            let message = format!("the sample's metadata does not read: {e}");
            Error::caused(&codes::METADATA, message, e).section("metadata").offset(at)
        })
    }
}

/// Gathers the metadata of a shard that is being written.
#[derive(Clone, Debug, Default)]
pub(super) struct RecordsWriter {
    texts: Vec<u8>,
    ends: Vec<u64>,
}

impl RecordsWriter {
    pub fn add(&mut self, record: Option<&SampleRecord>) -> Result<()> {
        if let Some(record) = record {
            serde_json::to_writer(&mut self.texts, record)
                .map_err(|e| Error::caused(&codes::CANNOT_HOLD, format!("the metadata cannot be written: {e}"), e))?;
        }
        self.ends.push(self.texts.len() as u64);
        Ok(())
    }

    /// The block.
    pub fn block(&self) -> Vec<u8> {
        let samples = self.ends.len() as u64;
        let texts = METADATA_HEAD + (samples + 1) * 8;
        let len = texts + self.texts.len() as u64;
        let mut block = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
        block.extend(METADATA_MAGIC);
        block.extend(KIND.to_le_bytes());
        block.extend(len.to_le_bytes());
        block.extend(samples.to_le_bytes());
        block.extend(std::iter::once(&0).chain(&self.ends).flat_map(|end| (texts + end).to_le_bytes()));
        block.extend(&self.texts);
        block
    }
}
