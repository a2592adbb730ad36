//! A TBL with the changes of a journal: ranges of the old file copied as they are, and metadata written anew.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::{Edited, Identity, codes};
use crate::{
    codec::{Compression, checksum::crc32},
    error::{Error, Result},
    image::probe_named,
    limits::Limits,
    sample::record,
    samples::{Dataset, FoundRecord},
    step::{Pieces, Step, Stepper, Turn},
    tbl::{
        self, Document, Encoder, Layout, Metadata, MetadataFormat, MetadataWriter, OpenMetadata, PackOptions, Patch,
        SampleMetadata, Tbl, pack,
    },
};

/// Bytes of metadata that one turn makes, about.
const WINDOW: usize = 4 << 20;

/// A step of writing the output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Bytes of the old file, as they are.
    Copy {
        /// Where they are.
        from: Range<u64>,
        /// Where they go.
        to: u64,
    },
    /// Bytes to write.
    Bytes {
        /// Where.
        at: u64,
        /// What, one piece behind the other.
        bytes: Vec<Bytes>,
    },
    /// Bytes of the metadata, which wait for the end: [`Patch::Spool`] wants all of them, in order.
    Spool(Vec<u8>),
}

/// What is left to do in the end, in this order. In place it must be durable before the next begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Landing {
    /// What nobody reads yet.
    pub first: Vec<Patch>,
    /// The header, by which the new file takes the place of the old one.
    pub header: Vec<Patch>,
    /// What belongs to nothing any more becomes zeros; a new file gets its end.
    pub last: Vec<Patch>,
}

/// Makes the new TBL: [`step`](Self::step), do what it says, and when it is done what [`finish`](Self::finish) says.
///
/// The bytes of added samples follow those of the file: to this, the file beside the journal begins where the dataset's
/// file ends.
#[derive(Debug)]
pub struct Apply {
    tbl: Tbl,
    dataset: Dataset,
    edited: Arc<Edited>,
    limits: Limits,
    blobs: u64,
    in_place: bool,
    open: Option<OpenMetadata>,
    pieces: Pieces,
    ready: Option<Ready>,
    encoder: Encoder,
    /// Samples placed, and those whose metadata was made.
    placed: u64,
    told: u64,
    /// Bytes of the file that were copied: more than it has are those that two samples share.
    copied: u64,
}

/// What is known once the metadata was read.
#[derive(Debug)]
struct Ready {
    metadata: Metadata,
    section: Bytes,
    base: u64,
    writer: MetadataWriter,
}

impl Ready {
    /// What the file says of a sample, as it lies there.
    fn stored(&self, sample: u64) -> Result<Option<SampleMetadata>> {
        let Some(range) = self.metadata.range(sample)? else { return Ok(None) };
        self.metadata.decode(sample, self.slice(range)?)
    }

    fn slice(&self, range: Range<u64>) -> Result<Bytes> {
        let inside = |at: u64| usize::try_from(at.checked_sub(self.base)?).ok().filter(|at| *at <= self.section.len());
        match (inside(range.start), inside(range.end)) {
            (Some(start), Some(end)) if start <= end => Ok(self.section.slice(start..end)),
            _ => Err(Error::new(&tbl::codes::METADATA_INDEX, "a record is not in the metadata section")),
        }
    }
}

impl Apply {
    /// Plans it for an opened TBL, of which the journal must be. `blobs` is the length of the file beside the journal.
    pub fn new(dataset: &Dataset, name: &str, edited: Arc<Edited>, blobs: u64, in_place: bool) -> Result<Apply> {
        edited.journal().of().expect(&Identity::of(dataset, name)?)?;
        let cannot = |why: &str| Err(Error::new(&codes::CANNOT, why.to_owned()));
        let Some(tbl) = dataset.tbl() else {
            return cannot("only of a TBL ranges can be copied as they are");
        };
        let header = tbl.header();
        if let Some(fault) = &header.metadata_fault {
            return Err(fault.error());
        }
        if header.layout == Layout::Turboloader && !header.payload_checksums {
            return cannot(
                "the file has no checksums of payloads, and a new one of this layout must have; convert it first",
            );
        }
        if header.metadata_format == Some(MetadataFormat::Protobuf) {
            edited.refuse_metadata("the metadata is Protobuf, your own bytes, in which no sample has a place")?;
        }
        if in_place && header.layout != Layout::Guide {
            return cannot("only a TBL of the guide layout is changed in place; write a new file");
        }
        if in_place && !edited.is_metadata_only() {
            return cannot("samples that come, go or move are not changed in place; write a new file");
        }
        if in_place {
            // The sections that become free are those that no payload lies in.
            (0..tbl.len()).try_for_each(|i| tbl.entry(i).map(drop))?;
        }
        let section = header.metadata.as_ref().map_or(0, |range| range.end - range.start);
        tbl.limits().metadata(section).map_err(|e| e.section("metadata"))?;
        Ok(Apply {
            open: Some(OpenMetadata::new(tbl)),
            encoder: Encoder::of(header.layout, header.codec, Some(edited.len()))?.with_tables(tbl.tables().cloned()),
            tbl: tbl.clone(),
            dataset: dataset.clone(),
            limits: tbl.limits().clone(),
            edited,
            blobs,
            in_place,
            pieces: Pieces::default(),
            ready: None,
            placed: 0,
            told: 0,
            copied: 0,
        })
    }

    /// Samples whose payload and metadata are done, together, of twice as many as there are.
    pub fn done(&self) -> u64 {
        self.placed + self.told
    }
    /// What [`done`](Self::done) comes to.
    pub fn total(&self) -> u64 {
        self.edited.len() * if self.in_place { 1 } else { 2 }
    }

    /// Does what the available bytes allow.
    pub fn step(&mut self) -> Result<Turn<Piece>> {
        if self.ready.is_none()
            && let Some(need) = self.begin()?
        {
            return Ok(Turn::Need(need));
        }
        if !self.in_place && self.placed < self.edited.len() {
            return self.place();
        }
        if self.told < self.edited.len() {
            return Ok(Turn::Item(Piece::Spool(self.tell()?)));
        }
        Ok(Turn::Done)
    }

    /// Bytes from `start` on.
    pub fn push(&mut self, start: u64, bytes: Bytes) {
        if let Some(open) = &mut self.open {
            open.push(start, bytes.clone());
        }
        self.pieces.push(start, bytes);
    }

    /// Reads the document, and the places of the records.
    fn begin(&mut self) -> Result<Option<Vec<Range<u64>>>> {
        let header = self.tbl.header();
        let place = header.metadata.clone().unwrap_or(0..0);
        let Some(section) = self.pieces.get(place.clone()) else { return Ok(Some(self.pieces.lacking(place))) };
        let Some(open) = &mut self.open else { return Ok(None) };
        let metadata = match open.step()? {
            Step::Need(ranges) => return Ok(Some(ranges)),
            Step::Done(metadata) => metadata,
        };
        self.open = None;
        let format = header.metadata_format.unwrap_or_default();
        let document = match (header.layout, format) {
            (Layout::Guide, MetadataFormat::Protobuf) => Document::Protobuf(section.to_vec()),
            (Layout::Guide, _) => Document::Fields(self.edited.document(self.tbl.document(&section)?)?),
            (Layout::Turboloader, _) if self.edited.touches_document() => {
                let message = "the turboloader layout has no document next to the samples";
                return Err(Error::new(&codes::CANNOT, message));
            }
            (Layout::Turboloader, _) => Document::Fields(Map::new()),
        };
        let writer = MetadataWriter::new(header.layout, format, document)?;
        self.pieces = Pieces::default();
        self.ready = Some(Ready { metadata, section, base: place.start, writer });
        Ok(None)
    }

    /// Places the next samples: as many as lie behind each other, or one that is new.
    fn place(&mut self) -> Result<Turn<Piece>> {
        let mut run: Option<(Range<u64>, u64)> = None;
        while let Some(sample) = self.edited.at(self.placed) {
            let edited = self.edited.clone();
            if let Some(added) = edited.added(sample) {
                if run.is_some() {
                    break;
                }
                return self.place_added(sample, added.name, added.blob);
            }
            let entry = self.tbl.entry(sample)?;
            let len = u64::from(entry.stored) + if self.tbl.layout() == Layout::Guide { 4 } else { 0 };
            if run.as_ref().is_some_and(|(from, _)| from.end != entry.offset) {
                break;
            }
            // What the entry says was compared with the file's length.
            self.copied = self.copied.saturating_add(len);
            if self.copied > self.tbl.file_len() {
                let message = "samples share bytes, so that a copy of each would be larger than the file";
                return Err(Error::new(&tbl::codes::PAYLOAD_OVERLAP, message).sample(sample));
            }
            let has = self.has_record(sample)?;
            let to = self.encoder.place_stored(entry, len, has)?;
            run =
                Some(run.map_or((entry.offset..entry.offset + len, to), |(from, to)| (from.start..from.end + len, to)));
            self.placed += 1;
        }
        Ok(match run {
            Some((from, to)) if from.start < from.end => Turn::Item(Piece::Copy { from, to }),
            _ => Turn::Item(Piece::Bytes { at: 0, bytes: Vec::new() }),
        })
    }

    fn place_added(&mut self, sample: u64, name: &str, blob: super::Blob) -> Result<Turn<Piece>> {
        let wrong = |message: String| Error::new(&codes::BLOB, message).sample(sample).member(name);
        if blob.at.checked_add(blob.bytes).is_none_or(|end| end > self.blobs) {
            let message =
                format!("{} bytes at {} are not in the {} next to the journal", blob.bytes, blob.at, self.blobs);
            return Err(wrong(message));
        }
        self.limits.item(blob.bytes).map_err(|e| e.sample(sample))?;
        let base = self.tbl.file_len();
        let range = base + blob.at..base + blob.at + blob.bytes;
        let Some(payload) = self.pieces.get(range.clone()) else {
            return Ok(Turn::Need(self.pieces.lacking(range)));
        };
        self.pieces = Pieces::default();
        let found = crc32(&payload);
        if found != blob.crc {
            return Err(wrong(format!("CRC-32 is {found:08x}, the journal says {:08x}", blob.crc)));
        }
        let seen = probe_named(name, &payload);
        let options = PackOptions::new(self.tbl.layout(), Compression::None);
        let packed = pack(payload, seen.format, seen.width, seen.height, &options)?;
        let at = self.encoder.place(&packed, true)?;
        self.placed += 1;
        let trailer = Bytes::copy_from_slice(packed.trailer());
        Ok(Turn::Item(Piece::Bytes { at, bytes: vec![packed.stored, trailer] }))
    }

    /// Whether the sample has a record in the new file.
    fn has_record(&self, sample: u64) -> Result<bool> {
        if self.edited.touches(sample) {
            return Ok(true);
        }
        match &self.ready {
            Some(ready) if self.tbl.layout() == Layout::Turboloader => Ok(ready.metadata.range(sample)?.is_some()),
            _ => Ok(false),
        }
    }

    /// Makes the metadata of the next samples.
    fn tell(&mut self) -> Result<Vec<u8>> {
        let mut spool = Vec::new();
        let Some(ready) = &mut self.ready else { return Ok(spool) };
        while spool.len() < WINDOW
            && let Some(sample) = self.edited.at(self.told)
        {
            let id = self.told;
            self.told += 1;
            let of_sample = |e: Error| e.sample(sample);
            let found = match self.edited.added(sample) {
                Some(_) => None,
                None => ready.stored(sample).map_err(of_sample)?,
            };
            if self.edited.touches(sample) || self.edited.added(sample).is_some() {
                let text = match found {
                    Some(_) => readable(&self.dataset, ready, sample, id)?,
                    None => None,
                };
                let record = self.edited.record(sample, id, text.as_deref())?;
                self.limits.item(record.len() as u64).map_err(of_sample)?;
                ready.writer.add(Some(&record), &mut spool).map_err(of_sample)?;
                continue;
            }
            match found {
                None => ready.writer.add(None, &mut spool),
                Some(found) => match moved(&found, id, self.tbl.layout(), &self.limits) {
                    Moved::Same => ready.writer.add_stored(&found, &mut spool),
                    Moved::Other(text) => ready.writer.add(Some(&text), &mut spool),
                    Moved::Unread => {
                        let dataset = &self.dataset;
                        let kept = dataset.find_record_as(sample, id, Some(&ready.metadata), |r| ready.slice(r))?;
                        ready.writer.add(kept.map(|kept| kept.text).as_deref(), &mut spool)
                    }
                },
            }
            .map_err(of_sample)?;
        }
        Ok(spool)
    }

    /// What is left to do.
    pub fn finish(self) -> Result<Landing> {
        let tail = self.ready.and_then(|ready| ready.writer.finish());
        if !self.in_place {
            let mut first = self.encoder.finish(tail)?;
            // The file's end, and before it the header.
            let end = first.pop();
            let header = first.pop();
            return Ok(Landing { first, header: header.into_iter().collect(), last: end.into_iter().collect() });
        }
        let mut header = self.tbl.header().clone();
        let old = [header.metadata.take(), header.sample_index.take()];
        (header.metadata_format, header.metadata_crc) = (None, None);
        let (used, floor) = (self.tbl.used_end(), self.tbl.payloads_end());
        let begins = old.iter().flatten().map(|range| range.start).min().unwrap_or(used);
        let len = tail.as_ref().map_or(0, |tail| tail.len(self.tbl.layout()));
        // What an earlier change left free is taken, if it is enough; nothing is written where somebody may read.
        let at = if begins >= floor && begins - floor >= len { floor } else { used };
        let mut first = Vec::new();
        let end = match tail {
            Some(tail) => tail.patch(at, &mut header, &mut first)?,
            None => at,
        };
        // All else behind the payloads belongs to nothing now. The file gets no shorter: who has it mapped would fall.
        let free = [floor..at, end..self.tbl.file_len()];
        let zeros = free.into_iter().filter(|range| range.start < range.end);
        let last = zeros.map(|range| Patch::Zero { at: range.start, len: range.end - range.start }).collect();
        Ok(Landing { first, header: vec![Patch::Bytes { at: 0, bytes: header.encode().to_vec() }], last })
    }
}

/// The record of a sample that is to be changed.
fn readable(dataset: &Dataset, ready: &Ready, sample: u64, id: u64) -> Result<Option<String>> {
    let found = dataset.find_record_as(sample, id, Some(&ready.metadata), |range| ready.slice(range))?;
    found.map(FoundRecord::changeable).transpose()
}

/// What a record that nobody changes becomes when its sample gets another number.
enum Moved {
    /// What it is.
    Same,
    /// Another number stands in it.
    Other(String),
    /// In the document it would break the others.
    Unread,
}

fn moved(found: &SampleMetadata, id: u64, layout: Layout, limits: &Limits) -> Moved {
    match found.format {
        MetadataFormat::Json => match std::str::from_utf8(&found.bytes) {
            Ok(text) if serde_json::from_str::<IgnoredAny>(text).is_ok() => {
                let other = record::renumber(text, id);
                if other == text { Moved::Same } else { Moved::Other(other) }
            }
            _ if layout == Layout::Turboloader => Moved::Same,
            _ => Moved::Unread,
        },
        MetadataFormat::Msgpack => match found.value(limits) {
            Ok(Value::Object(fields)) if fields.get("id").is_some_and(|number| number.as_u64() != Some(id)) => {
                Moved::Other(record::renumber(&Value::Object(fields).to_string(), id))
            }
            Ok(_) => Moved::Same,
            Err(_) if layout == Layout::Turboloader => Moved::Same,
            Err(_) => Moved::Unread,
        },
        _ => Moved::Same,
    }
}
