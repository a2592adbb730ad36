//! One sample read with everything that belongs to it, whatever container it comes from: what converting,
//! filtering and counting share on every host.
//!
//! The host says how bytes of the file are had: a closure over a memory map, or over pieces that were fetched
//! because [`record_ranges`](Dataset::record_ranges) named them.
//!
//! ```
//! use bytes::Bytes;
//! use forebay::{Limits, samples::Opener, step::{Pieces, drive}, tar};
//! let mut file = [tar::header_for("a.jpg", 0)?, tar::header_for("a.cls", 1)?, b"7".to_vec()].concat();
//! file.resize(file.len() + tar::padding(1), 0);
//! file.extend(tar::END);
//! let file = Bytes::from(file);
//! let dataset = drive(Opener::new(file.len() as u64), &file)?;
//! assert_eq!(dataset.record_ranges(0, None)?, [1024..1025]);
//! let record = dataset.record(0, None, |r| Ok(file.slice(r.start as usize..r.end as usize)))?;
//! assert_eq!(record.as_deref(), Some(r#"{"id":0,"name":"a.jpg","cls":7}"#));
//! # Ok::<(), forebay::Error>(())
//! ```

use std::{borrow::Cow, ops::Range};

use bytes::Bytes;
use serde_json::Value;

use super::open::Dataset;
use crate::{
    error::{Error, Kind, Result},
    image::{Probe, probe, probe_named},
    sample::{
        MediaFormat, SampleInfo,
        holds::{LEVELS, holds},
        record::{self, Sidecar},
    },
    tbl::{self, Metadata, SampleMetadata, Tbl},
};

/// A sample's record as it was found.
///
/// Metadata of a TBL that no reader here can hold, such as `{"a": NaN}`, `1e400` or MessagePack that breaks off, hides
/// neither its sample nor the others: it is kept in the record, byte for byte, as a file beside the sample would be.
/// Going into an archive it becomes that file.
#[derive(Debug)]
#[non_exhaustive]
pub struct FoundRecord {
    /// JSON text that reads as a value.
    pub text: String,
    /// Why the metadata is kept as text or bytes, if it is.
    pub kept: Option<Error>,
}

impl FoundRecord {
    /// A record that reads.
    pub fn new(text: String) -> Self {
        FoundRecord { text, kept: None }
    }

    /// The text of a record that is to be changed, which must be one that reads.
    #[doc(hidden)]
    pub fn changeable(self) -> Result<String> {
        match self.kept {
            Some(why) => Err(why.more("so it cannot be changed")),
            None => Ok(self.text),
        }
    }
}

impl Dataset {
    /// The bytes that [`record`](Self::record) will ask for. `metadata` is that of a TBL, opened; a TAR needs none.
    #[doc(hidden)]
    pub fn record_ranges(&self, i: u64, metadata: Option<&Metadata>) -> Result<Vec<Range<u64>>> {
        Ok(match self {
            Dataset::Tbl(_) => metadata.map(|m| m.range(i)).transpose()?.flatten().into_iter().collect(),
            Dataset::Tar(tar) => tar.sidecars(i).map(|(_, member)| member.range()).filter(|r| !r.is_empty()).collect(),
            #[cfg(feature = "zip")]
            Dataset::Zip(zip) => zip.sidecars(i).map(|(_, plan)| plan.range()).collect(),
            #[cfg(feature = "doors")]
            Dataset::Door(door) => door.record_ranges(i)?,
            #[cfg(feature = "warehouse")]
            Dataset::Warehouse(warehouse) => warehouse.box_ranges(i)?.into_iter().filter(|r| !r.is_empty()).collect(),
        })
    }

    /// Sample `i`'s metadata as JSON text: a TBL's own, or the record that a TBL of an archive's sample would hold.
    /// `None` if there is none. [`find_record`](Self::find_record) also says what does not read.
    #[doc(hidden)]
    pub fn record(
        &self,
        i: u64,
        metadata: Option<&Metadata>,
        fetch: impl Fn(Range<u64>) -> Result<Bytes>,
    ) -> Result<Option<String>> {
        Ok(self.find_record(i, metadata, fetch)?.map(|found| found.text))
    }

    /// As [`record`](Self::record), and why it keeps the metadata as text, if it does.
    pub(crate) fn find_record(
        &self,
        i: u64,
        metadata: Option<&Metadata>,
        fetch: impl Fn(Range<u64>) -> Result<Bytes>,
    ) -> Result<Option<FoundRecord>> {
        self.find(i, i, metadata, fetch).map_err(|e| e.sample(i))
    }

    /// As [`find_record`](Self::find_record), for the sample's place in another file: the number inside is `id`.
    #[doc(hidden)]
    pub fn find_record_as(
        &self,
        i: u64,
        id: u64,
        metadata: Option<&Metadata>,
        fetch: impl Fn(Range<u64>) -> Result<Bytes>,
    ) -> Result<Option<FoundRecord>> {
        let mut found = self.find(i, id, metadata, fetch).map_err(|e| e.sample(i))?;
        if let Some(found) = &mut found
            // A record that is not an object, or that carries another number, is made to fit.
            && (id != i || matches!(self, Dataset::Tbl(_)))
        {
            found.text = record::renumber(&found.text, id);
        }
        Ok(found)
    }

    /// Sample `i`'s metadata as a value, and why it is kept as text, if it is.
    #[doc(hidden)]
    pub fn find_value(
        &self,
        i: u64,
        metadata: Option<&Metadata>,
        fetch: impl Fn(Range<u64>) -> Result<Bytes>,
    ) -> Result<Option<(Value, Option<Error>)>> {
        let placed = |e: Error| e.sample(i);
        if let Dataset::Tbl(tbl) = self
            && let Some(raw) = stored(i, metadata, &fetch).map_err(placed)?
            && let Some(text) = raw.json_text()
        {
            // The usual case, parsed once.
            match serde_json::from_str(text) {
                Ok(Value::Null) => return Ok(None),
                Ok(value) => return Ok(Some((value, None))),
                Err(e) => {
                    let found = kept(tbl, i, i, &raw, no_json(e));
                    return Ok(Some((parse_record(i, &found.text)?, found.kept.map(placed))));
                }
            }
        }
        let Some(found) = self.find_record(i, metadata, fetch)? else { return Ok(None) };
        Ok(Some((parse_record(i, &found.text)?, found.kept)))
    }

    /// What `quick` makes of sample `i`'s metadata as text, if it makes something of it. Of a TBL it is the text that lies in the
    /// file: nobody has looked yet whether it reads.
    pub(super) fn quickly<T>(
        &self,
        i: u64,
        metadata: Option<&Metadata>,
        fetch: impl Fn(Range<u64>) -> Result<Bytes>,
        quick: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>> {
        if let Dataset::Tbl(_) = self {
            let raw = stored(i, metadata, fetch).map_err(|e| e.sample(i))?;
            return Ok(raw.and_then(|raw| quick(raw.json_text()?)));
        }
        Ok(self.find_record(i, metadata, fetch)?.and_then(|found| quick(&found.text)))
    }

    /// The record of sample `i`; what does not read is kept under the name of sample `id`.
    fn find(
        &self,
        i: u64,
        id: u64,
        metadata: Option<&Metadata>,
        fetch: impl Fn(Range<u64>) -> Result<Bytes>,
    ) -> Result<Option<FoundRecord>> {
        match self {
            Dataset::Tbl(tbl) => {
                let Some(raw) = stored(i, metadata, fetch)? else { return Ok(None) };
                match readable(&raw, tbl) {
                    Ok(text) => Ok(text.map(|text| FoundRecord::new(text.into_owned()))),
                    Err(e) if e.kind() == Kind::Io => Err(e),
                    Err(e) => Ok(Some(kept(tbl, i, id, &raw, e.sample(i)))),
                }
            }
            Dataset::Tar(tar) => {
                let Some(name) = tar.name(i) else { return Ok(None) };
                let mut owned = Vec::new();
                for (extension, member) in tar.sidecars(i) {
                    owned.push((extension, if member.size > 0 { fetch(member.range())? } else { Bytes::new() }));
                }
                let sidecars: Vec<_> = owned.iter().map(|(extension, bytes)| Sidecar { extension, bytes }).collect();
                let text = record::compose(i, name, &sidecars, tar.sample(i).map_or(0, |s| s.before), &[]);
                Ok(Some(FoundRecord::new(text)))
            }
            #[cfg(feature = "zip")]
            Dataset::Zip(zip) => Ok(zip.record(i, fetch)?.map(FoundRecord::new)),
            #[cfg(feature = "doors")]
            Dataset::Door(door) => Ok(Some(FoundRecord::new(door.record(i, fetch)?))),
            #[cfg(feature = "warehouse")]
            Dataset::Warehouse(warehouse) => {
                let [boxes, mask] = warehouse.box_ranges(i)?;
                let fetch = |range: Range<u64>| if range.is_empty() { Ok(Bytes::new()) } else { fetch(range) };
                let text = warehouse.record_text(i, &fetch(boxes)?, &fetch(mask)?)?;
                Ok(Some(FoundRecord::new(text)))
            }
        }
    }

    /// Sample `i`'s name: an archive's headers have it, others have it in the sample's metadata.
    pub fn name<'a>(&'a self, i: u64, metadata: Option<&'a Value>) -> Option<&'a str> {
        match self {
            Dataset::Tbl(_) => metadata?.get("name")?.as_str(),
            Dataset::Tar(tar) => tar.name(i),
            #[cfg(feature = "zip")]
            Dataset::Zip(zip) => zip.name(i),
            #[cfg(feature = "doors")]
            Dataset::Door(_) => metadata?.get("name")?.as_str(),
            #[cfg(feature = "warehouse")]
            Dataset::Warehouse(_) => metadata?.get("name")?.as_str(),
        }
    }

    /// What is known of sample `i` after a look at the payload (or its first bytes): an archive's sample gets its
    /// format and size by content. A TBL's index has said it all and stays as it is.
    #[doc(hidden)]
    pub fn info_with(&self, i: u64, head: &[u8]) -> Result<SampleInfo> {
        match self {
            Dataset::Tbl(tbl) => tbl.info(i),
            Dataset::Tar(tar) => Ok(tar.info(i, None)?.probed(probe_named(tar.name(i).unwrap_or_default(), head))),
            #[cfg(feature = "zip")]
            Dataset::Zip(zip) => zip.info(i, Some(probe_named(zip.name(i).unwrap_or_default(), head))),
            #[cfg(feature = "doors")]
            Dataset::Door(door) => Ok(door.info(i)?.probed(probe_named(&door.name(i).unwrap_or_default(), head))),
            #[cfg(feature = "warehouse")]
            Dataset::Warehouse(warehouse) => warehouse.info(i),
        }
    }

    /// Format and size to write for a payload: by content; a TBL's index is believed where the content says
    /// nothing, as for raw pixels.
    #[doc(hidden)]
    pub fn written_info(&self, i: u64, payload: &[u8]) -> Result<Probe> {
        let SampleInfo { format, width, height, .. } = self.info_with(i, payload)?;
        let known = Probe::of(format, width, height);
        // What a tensor's bytes look like says nothing.
        if !matches!(self, Dataset::Tbl(_)) {
            return Ok(known);
        }
        let seen = probe(payload);
        Ok(match (known.format, seen.format) {
            (MediaFormat::RawU8, _) | (_, MediaFormat::Unknown) => known,
            (_, format) if seen.width > 0 => Probe::of(format, seen.width, seen.height),
            (_, format) => Probe::of(format, known.width, known.height),
        })
    }
}

/// What a TBL has for a sample; an empty text is nothing.
fn stored(
    i: u64,
    metadata: Option<&Metadata>,
    fetch: impl Fn(Range<u64>) -> Result<Bytes>,
) -> Result<Option<SampleMetadata>> {
    let Some(metadata) = metadata else { return Ok(None) };
    let Some(range) = metadata.range(i)? else { return Ok(None) };
    Ok(metadata.decode(i, fetch(range)?)?.filter(|m| !m.bytes.is_empty()))
}

/// A TBL's own metadata as JSON that reads as a value; `null` says nothing.
fn readable<'a>(raw: &'a SampleMetadata, tbl: &Tbl) -> Result<Option<Cow<'a, str>>> {
    let text: Cow<'a, str> = match raw.json_text() {
        Some(text) => text.trim_matches([' ', '\n', '\r', '\t']).into(),
        None => raw.value(tbl.limits())?.to_string().into(),
    };
    holds(&text, LEVELS).map_err(no_json)?;
    Ok((text != "null").then_some(text))
}

/// What does not read, as the record of a sample with that file beside it.
fn kept(tbl: &Tbl, i: u64, id: u64, raw: &SampleMetadata, why: Error) -> FoundRecord {
    let extension = tbl.info(i).map_or(MediaFormat::Unknown, |info| info.format).extension();
    let sidecar = Sidecar { extension: raw.format.name(), bytes: &raw.bytes };
    let text = record::compose(id, &format!("{id:08}.{extension}"), &[sidecar], 0, &[]);
    FoundRecord { text, kept: Some(why) }
}

fn no_json(e: serde_json::Error) -> Error {
    Error::caused(&tbl::codes::METADATA, format!("the sample's metadata is not readable JSON: {e}"), e)
        .section("metadata")
}

/// Sample metadata as a value.
pub fn parse_record(i: u64, text: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|e| no_json(e).sample(i))
}
