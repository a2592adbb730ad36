//! Reading metadata: of one sample, or the document.

use std::ops::Range;

use bytes::Bytes;
use serde_json::{Map, Value};

use super::{
    Tbl, codes,
    raw::{Layout, MetadataFormat},
    spans::{self, Span, Spans},
};
use crate::{
    codec::checksum::crc32,
    cursor::Cursor,
    error::{Error, Result},
    limits::Limits,
    msgpack,
    step::{Pieces, Step, Stepper},
};

/// What one sample's metadata is, as it lies in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SampleMetadata {
    /// How the bytes are to be read.
    pub format: MetadataFormat,
    /// The bytes.
    pub bytes: Bytes,
}

impl SampleMetadata {
    /// The metadata as a JSON value. Protobuf and custom bytes become `{"protobuf": {"base64": ...}}`.
    pub fn value(&self, limits: &Limits) -> Result<Value> {
        match self.format {
            MetadataFormat::Json => serde_json::from_slice(&self.bytes).map_err(|e| {
                Error::caused(&codes::METADATA, format!("the sample's metadata is not JSON: {e}"), e)
                    .section("metadata")
            }),
            MetadataFormat::Msgpack => {
                let cursor = Cursor::new(&self.bytes, 0, "metadata", &codes::METADATA);
                let mut reader = msgpack::Reader::new(cursor, &codes::METADATA, limits);
                let value = reader.value(0)?;
                if !reader.cursor.is_empty() {
                    return Err(Error::new(&codes::METADATA, "bytes follow the sample's metadata").section("metadata"));
                }
                Ok(value)
            }
            format => {
                let mut map = Map::new();
                map.insert(format.name().into(), msgpack::base64_value(&self.bytes));
                Ok(Value::Object(map))
            }
        }
    }

    /// The JSON text, if the metadata is JSON.
    pub fn json_text(&self) -> Option<&str> {
        (self.format == MetadataFormat::Json).then(|| std::str::from_utf8(&self.bytes).ok()).flatten()
    }
}

/// Finds out where the samples' metadata lies.
///
/// With a sample-metadata index this reads 8 bytes a sample, of the samples asked for; without one, the whole
/// section, once.
#[derive(Debug)]
pub struct OpenMetadata {
    tbl: Tbl,
    samples: Range<u64>,
    pieces: Pieces,
}

impl OpenMetadata {
    /// For every sample.
    pub fn new(tbl: &Tbl) -> Self {
        OpenMetadata { tbl: tbl.clone(), samples: 0..tbl.len(), pieces: Pieces::default() }
    }
    /// Only for these samples.
    #[must_use]
    pub fn only(mut self, samples: Range<u64>) -> Self {
        self.samples = samples.start..samples.end.min(self.tbl.len());
        self
    }
}

impl Stepper for OpenMetadata {
    type Output = Metadata;

    fn step(&mut self) -> Result<Step<Metadata>> {
        let header = self.tbl.header();
        if let Some(fault) = &header.metadata_fault {
            return Err(fault.error());
        }
        let Some(section) = header.metadata.clone() else {
            return Ok(Step::Done(Metadata { section: 0..0, spans: Spans::None, limits: self.tbl.limits().clone() }));
        };
        let done =
            |spans| Ok(Step::Done(Metadata { section: section.clone(), spans, limits: self.tbl.limits().clone() }));
        match (&header.sample_index, header.metadata_format) {
            (Some(index), Some(format)) => {
                if self.samples.is_empty() {
                    return done(Spans::None);
                }
                // Inside the index, whose length the header already compared with the file's.
                let range = index.start + self.samples.start * 8..index.start + self.samples.end * 8;
                match self.pieces.get(range.clone()) {
                    Some(pairs) => done(Spans::Indexed { first: self.samples.start, pairs, format }),
                    None => Ok(Step::Need(self.pieces.lacking(range))),
                }
            }
            (_, Some(MetadataFormat::Protobuf)) => done(Spans::None),
            (_, format) => {
                self.tbl.limits().metadata(section.end - section.start)?;
                let Some(bytes) = self.pieces.get(section.clone()) else {
                    return Ok(Step::Need(self.pieces.lacking(section)));
                };
                self.tbl.verify_metadata(&bytes)?;
                match (self.tbl.layout(), format) {
                    (Layout::Turboloader, _) => done(spans::of_blocks(&bytes, section.start, self.tbl.len())?),
                    (Layout::Guide, Some(format)) => {
                        let scan = spans::scan(&bytes, section.start, format, false, self.tbl.limits())?;
                        done(Spans::Scanned(scan.spans))
                    }
                    (Layout::Guide, None) => done(Spans::None),
                }
            }
        }
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }
}

/// Where the samples' metadata lies. Plan with [`range`](Self::range), fetch, [`decode`](Self::decode).
#[derive(Clone, Debug)]
pub struct Metadata {
    section: Range<u64>,
    spans: Spans,
    limits: Limits,
}

impl Metadata {
    /// Where sample `i`'s metadata lies in the file; `None` when it has none.
    pub fn range(&self, i: u64) -> Result<Option<Range<u64>>> {
        Ok(self.span(i)?.map(|(_, range)| range))
    }

    fn span(&self, i: u64) -> Result<Option<(Span, Range<u64>)>> {
        let Some(span) = self.spans.get(i) else { return Ok(None) };
        let start = self.section.start.checked_add(span.start);
        let end = start.and_then(|s| s.checked_add(span.len.into())).filter(|end| *end <= self.section.end);
        match (start, end) {
            (Some(start), Some(end)) => {
                self.limits.item(span.len.into())?;
                Ok(Some((span, start..end)))
            }
            _ => Err(Error::new(
                &codes::METADATA_INDEX,
                format!("{} bytes at {} are not in the metadata section", span.len, span.start),
            )
            .section("sample-metadata index")
            .sample(i)),
        }
    }

    /// The metadata of sample `i` from the bytes of its [`range`](Self::range).
    pub fn decode(&self, i: u64, bytes: Bytes) -> Result<Option<SampleMetadata>> {
        Ok(self.span(i)?.map(|(span, _)| SampleMetadata { format: span.format, bytes }))
    }
}

impl Tbl {
    pub(super) fn verify_metadata(&self, section: &[u8]) -> Result<()> {
        let Some(announced) = self.header().metadata_crc else { return Ok(()) };
        let found = crc32(section);
        if found != announced {
            let at = self.header().metadata.as_ref().map_or(0, |r| r.start);
            return Err(Error::new(
                &codes::METADATA_CRC,
                format!("CRC-32 is {found:08x}, the header says {announced:08x}"),
            )
            .section("metadata")
            .offset(at));
        }
        Ok(())
    }

    /// The metadata document without its `samples`, from the bytes of the whole section. For Protobuf and
    /// for the turboloader layout, which has no document, the map is empty.
    pub fn document(&self, section: &[u8]) -> Result<Map<String, Value>> {
        self.verify_metadata(section)?;
        match (&self.header().metadata, self.header().metadata_format) {
            (Some(range), Some(format)) => Ok(spans::scan(section, range.start, format, true, self.limits())?.document),
            _ => Ok(Map::new()),
        }
    }
}
