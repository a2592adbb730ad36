//! An opened warehouse: which shard has a sample, where its tensors lie, and what is known of it.

use std::{collections::HashMap, ops::Range, sync::Arc};

use serde_json::{Map, Value};

use super::{
    codes,
    element::to_f32,
    manifest::{Manifest, ShardEntry},
    metadata::{Records, SampleRecord},
    raw::{Blocks, Shape, ShardHeader},
};
use crate::{
    error::{self, Error, Result},
    formats::Format,
    limits::Limits,
    sample::{MediaFormat, Proof, SampleInfo, SamplePlan},
};

/// An opened warehouse: manifest, headers and the metadata of the samples, no tensors. Cloning is cheap.
///
/// Its positions are those of one long file: the manifest, and behind it every shard in the manifest's order.
#[derive(Clone, Debug)]
pub struct Warehouse(pub(super) Arc<Inner>);

#[derive(Debug)]
pub(super) struct Inner {
    pub manifest: Manifest,
    pub shards: Vec<Shard>,
    /// What is wrong, if it was opened nevertheless.
    pub faults: Vec<Error>,
    pub file_len: u64,
    pub limits: Limits,
}

/// An opened shard.
#[derive(Clone, Debug)]
pub struct Shard {
    pub(super) number: usize,
    pub(super) header: ShardHeader,
    pub(super) blocks: Blocks,
    pub(super) base: u64,
    pub(super) len: u64,
    /// The number of its first sample in the warehouse.
    pub(super) first: u64,
    pub(super) records: Option<Records>,
}

impl Shard {
    /// Its number in the manifest.
    pub fn number(&self) -> usize {
        self.number
    }
    /// Its header.
    pub fn header(&self) -> &ShardHeader {
        &self.header
    }
    /// Where its blocks lie in its file.
    pub fn blocks(&self) -> &Blocks {
        &self.blocks
    }
    /// Where its file lies behind the manifest.
    pub fn range(&self) -> Range<u64> {
        self.base..self.base + self.len
    }
    /// The numbers of its samples.
    pub fn samples(&self) -> Range<u64> {
        self.first..self.first + self.header.samples
    }

    /// The part of sample `k` of a block, in its file.
    fn part(block: &Range<u64>, k: u64, len: u64) -> Range<u64> {
        let start = block.start + k * len;
        start..start + len
    }
    /// The image of its sample `k`, in its file.
    pub fn image(&self, k: u64) -> Range<u64> {
        Self::part(&self.blocks.images, k, self.header.shape.image_len().unwrap_or(0))
    }
    /// The boxes of its sample `k`, in its file.
    pub fn boxes(&self, k: u64) -> Range<u64> {
        Self::part(&self.blocks.boxes, k, self.header.shape.boxes_len())
    }
    /// The mask of its sample `k`, in its file.
    pub fn mask(&self, k: u64) -> Range<u64> {
        Self::part(&self.blocks.mask, k, self.header.shape.mask_len())
    }
    /// What is known of its sample `k`; none where the shard has no metadata.
    pub fn record(&self, k: u64) -> Result<Option<SampleRecord>> {
        self.records.as_ref().map(|records| records.get(k)).transpose()
    }
}

impl Warehouse {
    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.0.manifest
    }
    /// The shards that could be opened.
    pub fn shards(&self) -> &[Shard] {
        &self.0.shards
    }
    /// What the manifest says of a shard.
    pub fn entry(&self, shard: &Shard) -> Option<&ShardEntry> {
        self.0.manifest.shards.get(shard.number)
    }
    /// What is wrong with manifest and headers, if it was opened nevertheless.
    pub fn faults(&self) -> &[Error] {
        &self.0.faults
    }
    /// What all samples have in common; none where there are no shards.
    pub fn shape(&self) -> Option<Shape> {
        self.0.shards.first().map(|shard| shard.header.shape)
    }
    /// Bytes of the manifest and all shards.
    pub fn file_len(&self) -> u64 {
        self.0.file_len
    }
    /// How many samples there are.
    pub fn len(&self) -> u64 {
        self.0.shards.last().map_or(0, |shard| shard.samples().end)
    }
    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The shard of sample `i`, and the sample's number in it.
    pub fn locate(&self, i: u64) -> Result<(&Shard, u64)> {
        let k = self.0.shards.partition_point(|shard| shard.samples().end <= i);
        match self.0.shards.get(k) {
            Some(shard) => Ok((shard, i - shard.first)),
            None => {
                let message = format!("there are {} samples, so none has the number {i}", self.len());
                Err(Error::new(&error::codes::OUT_OF_RANGE, message).sample(i))
            }
        }
    }

    /// What is known of sample `i` without reading it. Its payload is its image.
    pub fn info(&self, i: u64) -> Result<SampleInfo> {
        let (shard, k) = self.locate(i)?;
        let Shape { width, height, .. } = shard.header.shape;
        let range = shard.image(k);
        let bytes = range.end - range.start;
        let info = SampleInfo::unread(i, shard.base + range.start, bytes, MediaFormat::Unknown);
        Ok(SampleInfo { width, height, ..info })
    }

    /// Plans the read of sample `i`'s image.
    pub fn plan(&self, i: u64) -> Result<SamplePlan> {
        Ok(SamplePlan::new(self.info(i)?, Proof::None, &codes::BLOCK_CHECKSUM, &codes::BLOCK_CHECKSUM))
    }

    /// What is known of sample `i` beside its tensors.
    pub fn sample_record(&self, i: u64) -> Result<SampleRecord> {
        let (shard, k) = self.locate(i)?;
        let record = shard.record(k).map_err(|e| self.in_shard(e, shard).sample(i))?;
        Ok(record.unwrap_or_default())
    }

    /// How many samples each run has, in the order in which runs are met; none for samples of which no run is known.
    pub fn runs(&self) -> Result<Vec<(Option<String>, u64)>> {
        let (mut runs, mut places) = (Vec::new(), HashMap::new());
        for i in 0..self.len() {
            let run = self.sample_record(i)?.run;
            let place = *places.entry(run.clone()).or_insert(runs.len());
            match runs.get_mut(place) {
                Some((_, samples)) => *samples += 1,
                None => runs.push((run, 1)),
            }
        }
        Ok(runs)
    }

    /// Where sample `i`'s boxes and mask lie.
    pub fn box_ranges(&self, i: u64) -> Result<[Range<u64>; 2]> {
        let (shard, k) = self.locate(i)?;
        Ok([shard.boxes(k), shard.mask(k)].map(|r| shard.base + r.start..shard.base + r.end))
    }

    /// Sample `i`'s boxes, of the bytes of its [ranges](Self::box_ranges): those whose mask is not 0.
    pub fn boxes(&self, i: u64, boxes: &[u8], mask: &[u8]) -> Result<Vec<[f32; 4]>> {
        let shape = &self.locate(i)?.0.header.shape;
        let read = |bytes: &[u8]| {
            let mut out = vec![0.0f32; bytes.len() / shape.boxes_dtype.size() as usize];
            to_f32(shape.boxes_dtype, shape.endianness, bytes, &mut out);
            out
        };
        let (boxes, mask) = (read(boxes), read(mask));
        Ok(boxes.as_chunks::<4>().0.iter().zip(&mask).filter(|(_, there)| **there != 0.0).map(|(b, _)| *b).collect())
    }

    /// Sample `i`'s name: run and frame, or the picture's path, or shard and number. If all samples are of one file
    /// of samples, such as a TAR, the names are those that they had in it.
    pub fn name(&self, i: u64, record: &SampleRecord) -> Result<String> {
        Ok(match (&record.run, record.frame_id, &record.source) {
            (Some(run), Some(frame), source) if self.0.manifest.summary.runs.len() == 1 && holds_samples(run) => {
                // Samples without a name have their number for one.
                let named = source.as_ref().filter(|source| source.parse::<u64>().is_err());
                named.cloned().unwrap_or_else(|| format!("{frame:05}"))
            }
            (Some(run), Some(frame), _) => format!("{run}/{frame:05}"),
            (_, _, Some(source)) => source.clone(),
            (None, Some(frame), None) => format!("{frame:05}"),
            _ => {
                let (shard, k) = self.locate(i)?;
                let id = self.entry(shard).map_or("", |entry| entry.id.as_str());
                format!("{id}/{k:05}")
            }
        })
    }

    /// Sample `i`'s record: its name, what is known of it, and its boxes, of the bytes of its
    /// [ranges](Self::box_ranges).
    pub fn record_text(&self, i: u64, boxes: &[u8], mask: &[u8]) -> Result<String> {
        let record = self.sample_record(i)?;
        let (shard, _) = self.locate(i)?;
        let mut fields = Map::new();
        fields.insert("id".into(), i.into());
        fields.insert("name".into(), self.name(i, &record)?.into());
        fields.insert("shard".into(), self.entry(shard).map_or(Value::Null, |entry| entry.id.clone().into()));
        fields.extend(record.frame_id.map(|frame| ("frame_id".to_owned(), frame.into())));
        fields.extend(record.run.map(|run| ("run".to_owned(), run.into())));
        fields.extend(record.source.map(|source| ("source".to_owned(), source.into())));
        let names = self.0.manifest.classes.as_deref().unwrap_or_default();
        let class = |k: usize| record.classes.get(k).copied().flatten();
        let boxes = self.boxes(i, boxes, mask)?;
        let boxes = boxes.iter().enumerate().map(|(k, corners)| {
            let mut found = Map::new();
            found.insert("box".into(), corners.as_slice().into());
            if let Some(class) = class(k) {
                found.insert("class".into(), class.into());
                found.extend(names.get(class as usize).map(|name| ("label".to_owned(), name.clone().into())));
            }
            Value::Object(found)
        });
        fields.insert("boxes".into(), boxes.collect());
        for (key, value) in record.other {
            fields.entry(key).or_insert(value);
        }
        Ok(Value::Object(fields).to_string())
    }

    /// Names the shard's file in an error.
    pub(super) fn in_shard(&self, e: Error, shard: &Shard) -> Error {
        match self.entry(shard) {
            Some(entry) => e.member(&entry.relative_path),
            None => e,
        }
    }
    /// The bounds that reading keeps.
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Where the file of checksums of a shard's blocks begins, if it has one.
    pub(super) fn checksums_of(shard: &Shard) -> Option<Range<u64>> {
        let start = shard.header.checksum_offset;
        let len = super::checksums::Checksums::len_of(shard.header.samples)?;
        let end = start.checked_add(len).filter(|&end| end <= shard.len)?;
        (start > 0).then_some(start..end)
    }
}

/// Whether a run is a file of samples and not a folder, by its extension.
fn holds_samples(run: &str) -> bool {
    let extension = run.rsplit_once('.').map_or("", |(_, extension)| extension);
    // A TAR may be compressed as a whole.
    extension.eq_ignore_ascii_case("tgz")
        || matches!(Format::from_extension(extension), Some(Format::Tbl | Format::Tar | Format::Gzip | Format::Zstd))
}
