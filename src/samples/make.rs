//! One sample between being read and being written: pure functions, so that hosts can run them on many threads.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;

#[cfg(all(feature = "warehouse", feature = "png"))]
use super::tensors;
use super::{
    archive_files::{ArchiveFile, Renamed, archive_files, renamed},
    open::Dataset,
    records::FoundRecord,
};
use crate::{
    codec::packed::Tables,
    error::{Error, Result},
    image::{Probe, probe_named},
    limits::Limits,
    sample::{
        MediaFormat,
        record::{self, Sidecar},
    },
    tbl::{Metadata, PackOptions, Packed, pack, pack_with},
};

/// A sample that was read and verified.
#[derive(Debug)]
#[non_exhaustive]
pub struct Loaded {
    /// Its number in the output, as long as no sample before it is left out.
    pub id: u64,
    /// Its payload.
    pub payload: Bytes,
    /// What the payload is.
    pub format: MediaFormat,
    /// Pixels across; 0 when not known.
    pub width: u32,
    /// Pixels down; 0 when not known.
    pub height: u32,
    /// Metadata as JSON text.
    pub record: Option<String>,
    /// Why the record keeps the metadata as text, if it does.
    pub kept: Option<Error>,
    /// The name of its file, if it came from one and the name leaves the folder.
    outside: Option<String>,
}

impl Loaded {
    /// A sample that lies in a file of its own, of this name and with this record.
    pub fn from_file(id: u64, name: &str, payload: Bytes, record: String) -> Self {
        Loaded::new(id, payload, Some(name), |payload| probe_named(name, payload)).with_record(record)
    }

    /// A sample of several files, of which `before` sidecars stood in front of the payload.
    pub fn from_files(id: u64, name: &str, payload: Bytes, sidecars: &[Sidecar<'_>], before: usize) -> Self {
        Loaded::from_file(id, name, payload, record::compose(id, name, sidecars, before, &[]))
    }

    /// Takes the record, which is to be changed, so it must be one that reads.
    #[doc(hidden)]
    pub fn take_changeable(&mut self) -> Result<Option<String>> {
        let kept = self.kept.take();
        self.record.take().map(|text| FoundRecord { text, kept }.changeable()).transpose()
    }

    fn new(id: u64, payload: Bytes, name: Option<&str>, look: impl FnOnce(&[u8]) -> Probe) -> Self {
        let Probe { format, width, height, .. } = look(&payload);
        let outside = name.filter(|name| record::safe_name(name).is_err()).map(str::to_owned);
        Loaded { id, payload, format, width, height, record: None, kept: None, outside }
    }

    fn with_record(self, record: String) -> Self {
        Loaded { record: Some(record), ..self }
    }
}

impl Dataset {
    /// Sample `i` with all that belongs to it, as sample `id` of another file. `payload` is that of its
    /// [plan](Self::plan), decoded; the rest as for [`record`](Self::record).
    #[doc(hidden)]
    pub fn load(
        &self,
        i: u64,
        id: u64,
        payload: Bytes,
        metadata: Option<&Metadata>,
        fetch: impl Fn(Range<u64>) -> Result<Bytes>,
    ) -> Result<Loaded> {
        #[cfg(all(feature = "warehouse", feature = "png"))]
        if let Dataset::Warehouse(warehouse) = self {
            let shape = warehouse.locate(i)?.0.header().shape;
            let text = self.record(i, metadata, fetch)?.unwrap_or_default();
            let (name, record) = tensors::described(warehouse, i, id, &text)?;
            let seen = Probe::of(MediaFormat::Png, shape.width, shape.height);
            let picture = tensors::png(&shape, &payload)?;
            return Ok(Loaded::new(id, picture, Some(&name), |_| seen).with_record(record));
        }
        let seen = self.written_info(i, &payload)?;
        let name = self.file_name(i);
        let mut loaded = Loaded::new(id, payload, name, |_| seen);
        if let Some(found) = self.find_record_as(i, id, metadata, fetch)? {
            (loaded.record, loaded.kept) = (Some(found.text), found.kept);
        }
        Ok(loaded)
    }
}

/// The form of a sample in the output.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// A payload of a TBL, and its record.
    Tbl(PackOptions),
    /// The same, whose JPEGs are packed with these tables.
    Packed(PackOptions, Arc<Tables>),
    /// Files of an archive.
    Tar,
}

impl Form {
    /// How the payloads of a TBL are packed, and with which tables, if not those that the library brings.
    pub(super) fn tbl(&self) -> Option<(&PackOptions, Option<&Arc<Tables>>)> {
        match self {
            Form::Tbl(options) => Some((options, None)),
            Form::Packed(options, tables) => Some((options, Some(tables))),
            Form::Tar => None,
        }
    }

    /// Makes a sample ready to be written: compresses where that was asked for, and computes the checksums of a TBL;
    /// finds the files of an archive and their headers. Refuses what readers that keep `limits` would not read back.
    #[doc(hidden)]
    pub fn make(&self, sample: Loaded, limits: &Limits) -> Result<Ready> {
        let Loaded { id, payload, format, width, height, record, kept, outside } = sample;
        let content = payload.clone();
        Ok(match self.tbl() {
            Some((options, tables)) => {
                let packed = match tables {
                    Some(tables) => pack_with(payload, format, width, height, options, Some(tables))?,
                    None => pack(payload, format, width, height, options)?,
                };
                packed.check(limits)?;
                if let Some(record) = &record {
                    let place = |e: Error| e.section("metadata").with_options(&["max_sample_bytes"]);
                    limits.item(record.len() as u64).map_err(place)?;
                }
                let (named, reads_as) = (None, Vec::new());
                Ready { id, content, record, kept, outside, named, reads_as, parts: Parts::Payload(packed) }
            }
            None => {
                let (files, named) = archive_files(id, record.as_deref(), &payload, format)?;
                let outside = record.as_deref().and_then(renamed);
                // The files have all that it says.
                let (record, reads_as) = (None, Vec::new());
                Ready { id, content, record, kept, outside, named, reads_as, parts: Parts::Files(files) }
            }
        })
    }
}

/// A sample that is ready to be [placed](super::Writer::place) and written.
#[derive(Debug)]
pub struct Ready {
    pub(super) id: u64,
    /// The payload before compression.
    pub(super) content: Bytes,
    pub(super) record: Option<String>,
    pub(super) kept: Option<Error>,
    /// A name that leaves its folder.
    pub(super) outside: Option<String>,
    /// The name of the payload in an archive, if it is another than it had.
    pub(super) named: Option<Renamed>,
    /// For every file of an archive the sample that it is a part of.
    pub(super) reads_as: Vec<u64>,
    pub(super) parts: Parts,
}

#[derive(Debug)]
pub(super) enum Parts {
    Payload(Packed),
    Files(Vec<ArchiveFile>),
}

impl Parts {
    fn split(&self) -> (Option<&Packed>, &[ArchiveFile]) {
        match self {
            Parts::Payload(packed) => (Some(packed), &[]),
            Parts::Files(files) => (None, files),
        }
    }
}

#[doc(hidden)]
impl Ready {
    /// The bytes to write, one piece behind the other; some may be empty.
    pub fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        let (packed, files) = self.parts.split();
        packed
            .into_iter()
            .flat_map(|packed| [&packed.stored[..], packed.trailer()])
            .chain(files.iter().flat_map(ArchiveFile::pieces))
    }

    /// For every one of the [contents](Self::contents) of a sample that was placed in an archive, the number of the sample as
    /// a part of which it must be read again.
    pub fn reads_as(&self) -> &[u64] {
        &self.reads_as
    }

    /// What a reader must find again: the payload of a TBL's sample, the files of an archive's.
    pub fn contents(&self) -> impl Iterator<Item = &[u8]> {
        let (packed, files) = self.parts.split();
        packed.map(|_| &self.content[..]).into_iter().chain(files.iter().map(|file| &file.content[..]))
    }
}
