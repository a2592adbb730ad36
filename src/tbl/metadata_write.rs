//! The metadata section as it is written: sample by sample, with nothing kept but 8 bytes each.

use serde_json::{Map, Value};

use super::{
    codes,
    metadata::SampleMetadata,
    patch::Patch,
    raw::{Header, Layout, MetadataFormat},
};
use crate::{
    error::{self, Error, Result},
    msgpack,
    sample::record,
};

/// The document next to the samples.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Document {
    /// Fields at the top of the document, in the format of the file.
    Fields(Map<String, Value>),
    /// The user's own Protobuf bytes: the whole section.
    Protobuf(Vec<u8>),
}

impl Default for Document {
    fn default() -> Self {
        Document::Fields(Map::new())
    }
}

/// Writes the section: [`add`](Self::add) a sample's record, append what comes out to a spool, and
/// [`finish`](Self::finish).
#[derive(Debug)]
pub struct MetadataWriter {
    layout: Layout,
    format: MetadataFormat,
    prefix: Vec<u8>,
    /// Start and length of every sample's part, behind the prefix (guide layout).
    spans: Vec<[u32; 2]>,
    spooled: u64,
    crc: crc32fast::Hasher,
    samples: u64,
    records: u64,
    documented: bool,
}

impl MetadataWriter {
    /// Refuses what the layout cannot hold: the turboloader layout has no document, Protobuf has no samples.
    pub fn new(layout: Layout, format: MetadataFormat, document: Document) -> Result<Self> {
        let cannot = |message: &str| Err(Error::new(&codes::LAYOUT_CANNOT, message));
        let mut documented = false;
        let prefix = match (layout, format, document) {
            (Layout::Turboloader, MetadataFormat::Json | MetadataFormat::Msgpack, Document::Fields(fields))
                if fields.is_empty() =>
            {
                Vec::new()
            }
            (Layout::Turboloader, ..) => {
                return cannot(
                    "the turboloader layout holds metadata of samples, not of the file; use the guide layout",
                );
            }
            (Layout::Guide, MetadataFormat::Custom, _) => {
                return cannot("the guide layout holds JSON, Protobuf or MessagePack");
            }
            (Layout::Guide, MetadataFormat::Protobuf, Document::Protobuf(bytes)) => {
                documented = true;
                bytes
            }
            (Layout::Guide, MetadataFormat::Protobuf, _) | (_, _, Document::Protobuf(_)) => {
                let message = "Protobuf metadata is the user's own bytes, which were not given";
                return Err(Error::new(&codes::LAYOUT_CANNOT, message).with_options(&["metadata"]));
            }
            (Layout::Guide, MetadataFormat::Json, Document::Fields(fields)) => {
                documented = !fields.is_empty();
                let mut text = Value::Object(fields).to_string();
                text.pop();
                text.push_str(if documented { ",\"samples\":[" } else { "\"samples\":[" });
                text.into_bytes()
            }
            (Layout::Guide, MetadataFormat::Msgpack, Document::Fields(fields)) => {
                documented = !fields.is_empty();
                let mut out = vec![0xdf];
                out.extend((fields.len() as u32 + 1).to_be_bytes());
                for (key, value) in &fields {
                    msgpack::write(&Value::from(key.as_str()), &mut out);
                    msgpack::write(value, &mut out);
                }
                msgpack::write(&Value::from("samples"), &mut out);
                // The number of samples follows when it is known.
                out.extend([0xdd, 0, 0, 0, 0]);
                out
            }
        };
        Ok(MetadataWriter {
            layout,
            format,
            prefix,
            spans: Vec::new(),
            spooled: 0,
            crc: crc32fast::Hasher::new(),
            samples: 0,
            records: 0,
            documented,
        })
    }

    /// Whether a sample's record has a place in this section.
    pub(crate) fn keeps_records(&self) -> bool {
        self.format != MetadataFormat::Protobuf
    }

    /// Takes in the next sample's record, a JSON object, and appends to `spool` what the section gets.
    pub fn add(&mut self, record: Option<&str>, spool: &mut Vec<u8>) -> Result<()> {
        // Where a sample's part lies is where its value does: white space around it is not of it, and `null` in a
        // document says that there is nothing.
        let record = record.map(|text| text.trim_matches([' ', '\n', '\r', '\t']));
        let record = record.filter(|text| self.layout == Layout::Turboloader || *text != "null");
        let i = self.samples;
        self.samples += 1;
        if !self.keeps_records() {
            return Ok(());
        }
        let start = spool.len();
        let mut behind = 0;
        match (self.layout, self.format) {
            (Layout::Turboloader, format) => {
                if let Some(record) = record {
                    let packed;
                    let bytes = match format {
                        MetadataFormat::Msgpack => {
                            packed = to_msgpack(record, i)?;
                            &packed
                        }
                        _ => record.as_bytes(),
                    };
                    let len = u32::try_from(bytes.len()).map_err(|_| too_large(i))?;
                    block(spool, i, len, format);
                    spool.extend(bytes);
                }
            }
            (Layout::Guide, MetadataFormat::Msgpack) => match record {
                Some(record) => spool.extend(to_msgpack(record, i)?),
                None => spool.push(0xc0),
            },
            (Layout::Guide, _) => {
                if i > 0 {
                    spool.push(b',');
                    behind = 1;
                }
                spool.extend(record.unwrap_or("null").as_bytes());
            }
        }
        self.added(spool, start, behind, record.is_some(), i)
    }

    /// As [`add`](Self::add), of what another file of this layout and format has for a sample, which is not looked into.
    pub(crate) fn add_stored(&mut self, stored: &SampleMetadata, spool: &mut Vec<u8>) -> Result<()> {
        let i = self.samples;
        self.samples += 1;
        let start = spool.len();
        let mut behind = 0;
        match (self.layout, self.format) {
            (Layout::Turboloader, _) => {
                let len = u32::try_from(stored.bytes.len()).map_err(|_| too_large(i))?;
                block(spool, i, len, stored.format);
            }
            (Layout::Guide, MetadataFormat::Json) if i > 0 => {
                spool.push(b',');
                behind = 1;
            }
            (Layout::Guide, _) => {}
        }
        spool.extend(&stored.bytes);
        self.added(spool, start, behind, true, i)
    }

    /// Counts what stands in the spool from `start` on, of which the sample's part begins `behind` that.
    fn added(&mut self, spool: &[u8], start: usize, behind: u64, some: bool, i: u64) -> Result<()> {
        let added = &spool[start..];
        self.crc.update(added);
        if self.layout == Layout::Guide {
            let part = (added.len() as u64).saturating_sub(behind);
            let position = self.prefix.len() as u64 + self.spooled + behind;
            let span = match some {
                true => {
                    [u32::try_from(position).map_err(|_| too_large(i))?, u32::try_from(part).map_err(|_| too_large(i))?]
                }
                false => [0, 0],
            };
            self.spans.push(span);
        }
        self.spooled += added.len() as u64;
        self.records += u64::from(some);
        Ok(())
    }

    /// The section's end; `None` when there is nothing worth a section.
    pub fn finish(mut self) -> Option<MetadataTail> {
        if self.records == 0 && !self.documented {
            return None;
        }
        let suffix: &[u8] = match (self.layout, self.format) {
            (Layout::Guide, MetadataFormat::Json) => b"]}",
            _ => b"",
        };
        if (self.layout, self.format) == (Layout::Guide, MetadataFormat::Msgpack) {
            let at = self.prefix.len() - 4;
            // A section of less than 4 GiB has fewer items than that.
            self.prefix[at..].copy_from_slice(&(self.samples as u32).to_be_bytes());
        }
        let mut crc = crc32fast::Hasher::new();
        crc.update(&self.prefix);
        crc.combine(&self.crc);
        crc.update(suffix);
        Some(MetadataTail {
            format: self.format,
            crc: crc.finalize(),
            prefix: self.prefix,
            spooled: self.spooled,
            suffix: suffix.to_vec(),
            spans: self.spans,
        })
    }
}

/// The head of a turboloader block.
fn block(spool: &mut Vec<u8>, sample: u64, len: u32, format: MetadataFormat) {
    spool.extend(sample.to_le_bytes());
    spool.extend(len.to_le_bytes());
    spool.extend((format as u16).to_le_bytes());
    spool.extend([0; 2]);
}

fn too_large(sample: u64) -> Error {
    Error::new(&codes::TOO_LARGE, "the metadata is larger than 4 GiB - 1").section("metadata").sample(sample)
}

fn to_msgpack(record: &str, sample: u64) -> Result<Vec<u8>> {
    let value: Value = serde_json::from_str(&record::spell_out(record))
        .map_err(|e| Error::caused(&error::codes::ARGUMENT, format!("a record is not JSON: {e}"), e).sample(sample))?;
    let mut out = Vec::new();
    msgpack::write(&value, &mut out);
    Ok(out)
}

/// A finished section, for [`Encoder::finish`](super::Encoder::finish).
#[derive(Debug)]
pub struct MetadataTail {
    format: MetadataFormat,
    crc: u32,
    prefix: Vec<u8>,
    spooled: u64,
    suffix: Vec<u8>,
    spans: Vec<[u32; 2]>,
}

impl MetadataTail {
    /// Bytes that the section takes, and the index behind it.
    pub(crate) fn len(&self, layout: Layout) -> u64 {
        let index = if layout == Layout::Guide { self.spans.len() as u64 * 8 } else { 0 };
        self.prefix.len() as u64 + self.spooled + self.suffix.len() as u64 + index
    }

    /// Puts the section at `at`; returns where it, and the index behind it, end.
    pub(crate) fn patch(self, at: u64, header: &mut Header, patches: &mut Vec<Patch>) -> Result<u64> {
        let spool_at = at + self.prefix.len() as u64;
        let suffix_at = spool_at + self.spooled;
        let mut end = suffix_at + self.suffix.len() as u64;
        header.metadata = Some(at..end);
        if header.layout == Layout::Guide {
            if u32::try_from(end - at).is_err() {
                return Err(Error::new(&codes::TOO_LARGE, "the metadata is larger than 4 GiB - 1").section("metadata"));
            }
            header.metadata_format = Some(self.format);
            header.metadata_crc = Some(self.crc);
        }
        patches.push(Patch::Bytes { at, bytes: self.prefix });
        patches.push(Patch::Spool { at: spool_at, len: self.spooled });
        patches.push(Patch::Bytes { at: suffix_at, bytes: self.suffix });
        if header.layout == Layout::Guide && !self.spans.is_empty() {
            let bytes: Vec<u8> = self.spans.iter().flatten().flat_map(|n| n.to_le_bytes()).collect();
            header.sample_index = Some(end..end + bytes.len() as u64);
            end += bytes.len() as u64;
            patches.push(Patch::Bytes { at: header.sample_index.as_ref().map_or(end, |r| r.start), bytes });
        }
        Ok(end)
    }
}
