//! One sample read with everything that belongs to it, whatever container it comes from: what converting,
//! filtering and counting share on every host.
//!
//! The host says how bytes of the file are had: a closure over a memory map, or over pieces that were fetched
//! because [`record_ranges`](Dataset::record_ranges) named them.
//!
//! ```
//! use bytes::Bytes;
//! use forebay::{Limits, dataset::Opener, step::{Pieces, drive}, tar};
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

use std::ops::Range;

use bytes::Bytes;
use serde_json::Value;

use crate::{
    dataset::Dataset,
    error::{Error, Result},
    image::{Probe, probe, probe_named},
    model::{MediaFormat, SampleInfo},
    record::{self, RestoredFile, Sidecar},
    tar::{header_for, padding},
    tbl::{self, Metadata},
};

impl Dataset {
    /// The bytes that [`record`](Self::record) will ask for. `metadata` is that of a TBL, opened; a TAR needs none.
    pub fn record_ranges(&self, i: u64, metadata: Option<&Metadata>) -> Result<Vec<Range<u64>>> {
        Ok(match self {
            Dataset::Tbl(_) => metadata.map(|m| m.range(i)).transpose()?.flatten().into_iter().collect(),
            Dataset::Tar(tar) => tar.sidecars(i).map(|(_, member)| member.range()).filter(|r| !r.is_empty()).collect(),
        })
    }

    /// Sample `i`'s metadata as JSON text: a TBL's own, or the record that a TBL of an archive's sample would hold.
    /// `None` where there is none.
    pub fn record(
        &self,
        i: u64,
        metadata: Option<&Metadata>,
        fetch: impl Fn(Range<u64>) -> Result<Bytes>,
    ) -> Result<Option<String>> {
        match self {
            Dataset::Tbl(tbl) => {
                let Some(metadata) = metadata else { return Ok(None) };
                let Some(range) = metadata.range(i)? else { return Ok(None) };
                let found = metadata.decode(i, fetch(range)?)?;
                let Some(found) = found.filter(|m| !m.bytes.is_empty()) else { return Ok(None) };
                match found.json_text() {
                    Some(text) => Ok(Some(text.to_owned())),
                    None => found.value(tbl.limits()).map(|value| Some(value.to_string())),
                }
            }
            Dataset::Tar(tar) => {
                let Some(name) = tar.name(i) else { return Ok(None) };
                let mut owned = Vec::new();
                for (extension, member) in tar.sidecars(i) {
                    owned.push((extension, if member.size > 0 { fetch(member.range())? } else { Bytes::new() }));
                }
                let sidecars: Vec<_> = owned.iter().map(|(extension, bytes)| Sidecar { extension, bytes }).collect();
                Ok(Some(record::compose(i, name, &sidecars, tar.sample(i).map_or(0, |s| s.before), &[])))
            }
        }
        .map_err(|e: Error| e.sample(i))
    }

    /// As [`record`](Self::record), for the sample's place in another file: the number inside is `id`.
    pub fn record_as(
        &self,
        i: u64,
        id: u64,
        metadata: Option<&Metadata>,
        fetch: impl Fn(Range<u64>) -> Result<Bytes>,
    ) -> Result<Option<String>> {
        let record = self.record(i, metadata, fetch)?;
        Ok(match record {
            // A record that is no object, or that carries another number, is made to fit.
            Some(text) if id != i || matches!(self, Dataset::Tbl(_)) => Some(record::renumber(&text, id)),
            other => other,
        })
    }

    /// Sample `i`'s name: an archive's headers have it, a TBL has it in the sample's metadata.
    pub fn name<'a>(&'a self, i: u64, metadata: Option<&'a Value>) -> Option<&'a str> {
        match self {
            Dataset::Tbl(_) => metadata?.get("name")?.as_str(),
            Dataset::Tar(tar) => tar.name(i),
        }
    }

    /// What is known of sample `i` after a look at the payload (or its first bytes): an archive's sample gets its
    /// format and size by content. A TBL's index has said it all and stays as it is.
    pub fn info_with(&self, i: u64, head: &[u8]) -> Result<SampleInfo> {
        match self {
            Dataset::Tbl(tbl) => tbl.info(i),
            Dataset::Tar(tar) => Ok(probe_named(tar.name(i).unwrap_or_default(), head).told_to(tar.info(i, None)?)),
        }
    }

    /// Format and size to write for a payload: by content; a TBL's index is believed where the content says
    /// nothing, as for raw pixels.
    pub fn written_info(&self, i: u64, payload: &[u8]) -> Result<Probe> {
        let SampleInfo { format, width, height, .. } = self.info_with(i, payload)?;
        let known = Probe { format, width, height };
        if matches!(self, Dataset::Tar(_)) {
            return Ok(known);
        }
        let seen = probe(payload);
        Ok(match (known.format, seen.format) {
            (MediaFormat::RawU8, _) | (_, MediaFormat::Unknown) => known,
            (_, format) if seen.width > 0 => Probe { format, ..seen },
            (_, format) => Probe { format, ..known },
        })
    }
}

/// Sample metadata as a value.
pub fn parse_record(i: u64, text: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|e| {
        Error::caused(&tbl::codes::METADATA, format!("the sample's metadata is no JSON: {e}"), e)
            .section("metadata")
            .sample(i)
    })
}

/// A sample's file as it goes into an archive.
#[derive(Clone, Debug)]
pub struct ArchiveFile {
    /// The blocks in front.
    pub header: Vec<u8>,
    /// The bytes of the file.
    pub content: Bytes,
}

impl ArchiveFile {
    /// How many zeros follow the content.
    pub fn padding(&self) -> usize {
        padding(self.content.len() as u64)
    }
}

/// The files of sample `id` as an archive holds them: under the names that they had, or numbered.
pub fn archive_files(id: u64, record: Option<&str>, payload: &Bytes, format: MediaFormat) -> Result<Vec<ArchiveFile>> {
    let extension = format.extension();
    let files = match record {
        Some(record) => record::files(record, id, extension)?,
        None => vec![RestoredFile { name: format!("{id:08}.{extension}"), content: None }],
    };
    let file = |file: RestoredFile| {
        let content = file.content.map_or_else(|| payload.clone(), Bytes::from);
        Ok(ArchiveFile { header: header_for(&file.name, content.len() as u64)?, content })
    };
    files.into_iter().map(file).collect()
}
