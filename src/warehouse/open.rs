//! Opening a warehouse: the headers of its shards, and the metadata of their samples.

use std::ops::Range;

use bytes::Bytes;

use super::{
    codes,
    file::{Inner, Shard, Warehouse},
    manifest::{Manifest, ShardEntry},
    metadata::{METADATA_HEAD, Records, block_len},
    raw::{HEADER_LEN, SHARD_VERSION, Shape, ShardHeader},
};
use crate::{
    error::{Error, Result},
    limits::Limits,
    step::{Pieces, Step, Stepper},
};

/// Opens a warehouse whose manifest was read, over the bytes of manifest and shards, one after the other.
///
/// The host reads the manifest, looks how long the file of each shard is, and gives bytes by position.
#[derive(Debug)]
pub struct Opener {
    manifest: Manifest,
    files: Vec<File>,
    file_len: u64,
    limits: Limits,
    pieces: Pieces,
    keep_going: bool,
}

/// The file of a shard.
#[derive(Clone, Debug)]
struct File {
    base: u64,
    /// None where there is none.
    len: Option<u64>,
}

impl Opener {
    /// For a manifest of this many bytes and the lengths of its shards' files, in its order; none for one that is
    /// not there.
    pub fn new(manifest: Manifest, manifest_len: u64, shard_lens: &[Option<u64>]) -> Self {
        let mut base = manifest_len;
        let file = |len: Option<u64>| {
            let file = File { base, len };
            base = base.saturating_add(len.unwrap_or(0));
            file
        };
        let lens = shard_lens.iter().copied().chain(std::iter::repeat(None)).take(manifest.shards.len());
        let files = lens.map(file).collect();
        Opener {
            manifest,
            files,
            file_len: base,
            limits: Limits::default(),
            pieces: Pieces::default(),
            keep_going: false,
        }
    }
    /// With other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
    /// Opens what is sound, and keeps what is wrong as [faults](Warehouse::faults): for a check. Without it the first
    /// fault refuses the warehouse.
    #[must_use]
    pub fn keep_going(mut self) -> Self {
        self.keep_going = true;
        self
    }

    fn need(&self, ranges: impl Iterator<Item = Range<u64>>) -> Option<Vec<Range<u64>>> {
        let lacking: Vec<_> = ranges.flat_map(|range| self.pieces.lacking(range)).collect();
        (!lacking.is_empty()).then_some(lacking)
    }

    /// Reads a shard's header and finds out where its metadata is, as far as bytes are there.
    fn header(&self, number: usize, faults: &mut Vec<Error>) -> Option<Shard> {
        let (entry, file) = (self.manifest.shards.get(number)?, self.files.get(number)?);
        let named = |e: Error| e.member(&entry.relative_path);
        if let Err(e) = entry.path() {
            faults.push(e);
            return None;
        }
        let Some(len) = file.len else {
            let message = format!("the shard {:?} is not there", entry.relative_path);
            faults.push(Error::new(&codes::SHARD_MISSING, message).section("manifest"));
            return None;
        };
        let head = self.pieces.get(file.base..file.base + len.min(HEADER_LEN)).unwrap_or_default();
        let header = match ShardHeader::parse(&head) {
            Ok(header) => header,
            Err(e) => {
                faults.push(named(e));
                return None;
            }
        };
        let before = faults.len();
        faults.extend(contradictions(entry, &header).into_iter().map(named));
        let (blocks, wrong) = header.blocks(len);
        faults.extend(wrong.into_iter().map(named));
        if let Err(e) = self.limits.item(header.shape.image_len().unwrap_or(u64::MAX)) {
            faults.push(named(e));
            return None;
        }
        // A shard whose header lies is not asked for its samples, but its blocks may still be looked at.
        let blocks = blocks.filter(|_| self.keep_going || faults.len() == before)?;
        Some(Shard { number, header, blocks, base: file.base, len, first: 0, records: None })
    }

    /// The block of metadata of a shard that has one: its beginning, once that was read all of it.
    fn metadata(&self, shard: &Shard) -> Result<Option<(Range<u64>, bool)>> {
        let start = shard.header.meta_offset;
        if start == 0 {
            return Ok(None);
        }
        let head = start..start.saturating_add(METADATA_HEAD);
        if head.end > shard.len {
            let message = format!("the metadata begins at {start}, the file ends at {}", shard.len);
            return Err(Error::new(&codes::METADATA, message).section("header").offset(64));
        }
        let Some(bytes) = self.pieces.get(shard.base + head.start..shard.base + head.end) else {
            return Ok(Some((head, false)));
        };
        let len = block_len(&bytes, start, shard.header.samples, shard.len)?;
        self.limits.index(len)?;
        Ok(Some((start..start + len, true)))
    }
}

/// What of a header is not as the manifest says.
fn contradictions(entry: &ShardEntry, header: &ShardHeader) -> Vec<Error> {
    let (said, found) = (entry.shape(), &header.shape);
    let fields = [
        ("version", 4, entry.shard_version.to_string(), SHARD_VERSION.to_string()),
        ("dtype", 8, entry.dtype.name().into(), found.dtype.name().into()),
        ("type of boxes", 8, said.boxes_dtype.name().into(), found.boxes_dtype.name().into()),
        ("byte order", 12, format!("{:?}", entry.endianness), format!("{:?}", found.endianness)),
        ("width", 16, entry.width.to_string(), found.width.to_string()),
        ("height", 20, entry.height.to_string(), found.height.to_string()),
        ("number of channels", 24, entry.channels.to_string(), super::raw::CHANNELS.to_string()),
        ("number of boxes", 28, entry.max_boxes.to_string(), found.max_boxes.to_string()),
        ("number of samples", 32, entry.samples.to_string(), header.samples.to_string()),
    ];
    // The type of boxes follows that of the pixels, so that one lie is one fault.
    let follows = said.dtype != found.dtype;
    let differ = fields.into_iter().filter(|(_, _, said, found)| said != found);
    differ
        .filter(|(what, ..)| !(follows && *what == "type of boxes"))
        .map(|(what, at, said, found)| {
            let message = format!("the manifest says that the {what} is {said}, the header {found}");
            Error::new(&codes::CONTRADICTION, message).section("header").offset(at)
        })
        .collect()
}

/// What of a shard is not as in the first.
fn mixed(first: &Shape, shard: &Shape) -> Option<Error> {
    let words = |shape: &Shape| {
        let Shape { width, height, max_boxes, .. } = shape;
        let types = (shape.dtype.name(), shape.boxes_dtype.name(), shape.endianness);
        format!("{width} x {height} with {max_boxes} boxes, {}, {}, {:?}", types.0, types.1, types.2)
    };
    (first != shard).then(|| {
        let message = format!("samples are {}, those of the first shard {}", words(shard), words(first));
        Error::new(&codes::MIXED, message).section("header").offset(8)
    })
}

impl Stepper for Opener {
    type Output = Warehouse;

    fn step(&mut self) -> Result<Step<Warehouse>> {
        let heads = self.files.iter().zip(&self.manifest.shards).filter(|(_, entry)| entry.path().is_ok());
        let heads = heads.map(|(file, _)| file.base..file.base + file.len.unwrap_or(0).min(HEADER_LEN));
        if let Some(need) = self.need(heads.filter(|range| !range.is_empty())) {
            return Ok(Step::Need(need));
        }
        let (mut faults, mut shards) = (Vec::new(), Vec::new());
        let mut blocks = Vec::new();
        let mut first_shape = None;
        let mut index_bytes = 0u64;
        let mut first = 0u64;
        for number in 0..self.files.len() {
            let Some(mut shard) = self.header(number, &mut faults) else { continue };
            let path = self.manifest.shards.get(number).map_or("", |entry| entry.relative_path.as_str());
            let shape = *first_shape.get_or_insert(shard.header.shape);
            faults.extend(mixed(&shape, &shard.header.shape).map(|e| e.member(path)));
            match self.metadata(&shard) {
                Ok(Some((range, whole))) => {
                    index_bytes = index_bytes.saturating_add(range.end - range.start);
                    let place = shard.base + range.start..shard.base + range.end;
                    match self.pieces.get(place.clone()).filter(|_| whole) {
                        Some(block) => shard.records = Some(Records::new(block, range.start)),
                        None => blocks.push(place),
                    }
                }
                Ok(None) => {}
                Err(e) => faults.push(e.member(path)),
            }
            shard.first = first;
            first = match first.checked_add(shard.header.samples) {
                Some(next) => next,
                None => {
                    let message =
                        format!("with {} more samples there are more than can be counted", shard.header.samples);
                    faults.push(Error::new(&codes::RANGE, message).section("header").offset(32).member(path));
                    continue;
                }
            };
            shards.push(shard);
        }
        if !self.keep_going && !faults.is_empty() {
            return Err(faults.swap_remove(0));
        }
        self.limits.index(index_bytes)?;
        if let Some(need) = self.need(blocks.into_iter()) {
            return Ok(Step::Need(need));
        }
        let inner = Inner {
            manifest: self.manifest.clone(),
            shards,
            faults,
            file_len: self.file_len,
            limits: self.limits.clone(),
        };
        Ok(Step::Done(Warehouse(inner.into())))
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }
}
