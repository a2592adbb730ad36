//! A dataset on this machine: a mapped TBL or TAR, or a folder of files, with everything at hand.

use std::{
    path::Path,
    sync::{Arc, OnceLock},
};

use bytes::Bytes;
use forebay::{
    Error, Limits, Result,
    dataset::{Dataset as Container, Opener},
    detect::Format,
    image::{Probe, probe_named},
    model::SampleInfo,
    record,
    sample::parse_record,
    step::drive,
    tar::Tar,
    tbl::{Metadata, MetadataFormat, OpenMetadata, Tbl},
};
use serde_json::Value;

use crate::{
    folder::Folder,
    input::{Input, WINDOW},
};

/// An opened dataset. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Dataset {
    source: Source,
    limits: Limits,
    /// Found out when it is first asked for: many uses never ask.
    metadata: Arc<OnceLock<Metadata>>,
    damage: Option<Arc<Error>>,
}

/// Where samples come from. What a container is, the core knows; here are its bytes.
#[derive(Clone, Debug)]
enum Source {
    File(Arc<Input>, Arc<Container>),
    Folder(Arc<Folder>),
}

/// How to open.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct OpenOptions {
    /// Bounds on what the file may cost.
    pub limits: Limits,
    /// Keep the members of a damaged TAR that come before the damage.
    pub keep_going: bool,
}

impl Dataset {
    /// Opens a TBL, a TAR or a folder.
    pub fn open(path: impl AsRef<Path>) -> Result<Dataset> {
        Self::open_with(path.as_ref(), &OpenOptions::default())
    }

    /// Opens with options.
    pub fn open_with(path: &Path, options: &OpenOptions) -> Result<Dataset> {
        if path.is_dir() {
            let folder = Folder::open(path)?;
            return Ok(Self::new(Source::Folder(Arc::new(folder)), options, None));
        }
        Self::from_input(Input::map(path)?, options)
    }

    /// Opens bytes that are at hand.
    pub fn from_input(input: Input, options: &OpenOptions) -> Result<Dataset> {
        let named = |e: Error| e.file(input.name());
        let mut opener = Opener::new(input.len()).limits(options.limits.clone());
        let (container, damage) = match input.drive(&mut opener, |o| if o.scanner().is_some() { WINDOW } else { 0 }) {
            Ok(container) => (container, None),
            Err(e) => match opener.into_scanner() {
                Some(scanner) if options.keep_going => {
                    let tar = Tar::new(scanner.into_partial()).map_err(named)?;
                    (Container::Tar(tar), Some(Arc::new(named(e))))
                }
                _ => return Err(named(e)),
            },
        };
        Ok(Self::new(Source::File(Arc::new(input), Arc::new(container)), options, damage))
    }

    fn new(source: Source, options: &OpenOptions, damage: Option<Arc<Error>>) -> Dataset {
        Dataset { source, limits: options.limits.clone(), metadata: Arc::default(), damage }
    }

    /// The format; `None` for a folder.
    pub fn format(&self) -> Option<Format> {
        self.container().map(Container::format)
    }
    /// The name as the user gave it.
    pub fn name(&self) -> &str {
        match &self.source {
            Source::File(input, _) => input.name(),
            Source::Folder(folder) => folder.name(),
        }
    }
    /// Bytes on disk.
    pub fn file_len(&self) -> u64 {
        match &self.source {
            Source::File(input, _) => input.len(),
            Source::Folder(folder) => folder.bytes(),
        }
    }
    /// The container, where the dataset is one file.
    pub fn container(&self) -> Option<&Container> {
        match &self.source {
            Source::File(_, container) => Some(container),
            Source::Folder(_) => None,
        }
    }
    /// The opened TBL, where it is one.
    pub fn tbl(&self) -> Option<&Tbl> {
        self.container()?.tbl()
    }
    /// The scanned TAR, where it is one.
    pub fn tar(&self) -> Option<&Tar> {
        self.container()?.tar()
    }
    /// The folder, where it is one.
    pub fn folder(&self) -> Option<&Folder> {
        match &self.source {
            Source::Folder(folder) => Some(folder),
            Source::File(..) => None,
        }
    }
    /// The file's bytes, where it is one file.
    pub fn input(&self) -> Option<&Arc<Input>> {
        match &self.source {
            Source::File(input, _) => Some(input),
            Source::Folder(_) => None,
        }
    }
    /// What stopped the scan of a TAR, when it was told to keep going.
    pub fn damage(&self) -> Option<&Error> {
        self.damage.as_deref()
    }
    /// The bounds that reading keeps.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }
    /// How many samples there are.
    pub fn len(&self) -> u64 {
        match &self.source {
            Source::File(_, container) => container.len(),
            Source::Folder(folder) => folder.len(),
        }
    }
    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is known about sample `i`. In a TBL the index says it; elsewhere the first bytes are looked at.
    pub fn info(&self, i: u64) -> Result<SampleInfo> {
        match &self.source {
            Source::File(_, container) => {
                let head = if self.tbl().is_some() { Bytes::new() } else { self.payload(i)? };
                container.info_with(i, &head).map_err(|e| e.file(self.name()))
            }
            Source::Folder(folder) => {
                let seen = probe_named(folder.sample_name(i).unwrap_or_default(), &folder.head(i)?);
                Ok(seen.told_to(folder.info(i)?))
            }
        }
    }

    /// Format and size to write for sample `i`, of which this is the payload.
    pub(crate) fn written_info(&self, i: u64, payload: &[u8]) -> Result<Probe> {
        match &self.source {
            Source::File(_, container) => container.written_info(i, payload).map_err(|e| e.file(self.name())),
            Source::Folder(folder) => Ok(probe_named(folder.sample_name(i).unwrap_or_default(), payload)),
        }
    }

    /// Sample `i`'s payload, verified and decompressed. What is stored as it is comes without copying.
    pub fn payload(&self, i: u64) -> Result<Bytes> {
        match &self.source {
            Source::File(input, container) => {
                let named = |e: Error| e.file(self.name());
                let plan = container.plan(i).map_err(named)?;
                plan.decode(&input.slice(plan.range())?, &self.limits).map_err(named)
            }
            Source::Folder(folder) => folder.payload(i),
        }
    }

    /// Sample `i`'s file name, where it has one.
    pub fn sample_name(&self, i: u64) -> Result<Option<String>> {
        match &self.source {
            Source::File(_, container) => {
                let metadata = if self.tbl().is_some() { self.metadata_value(i)? } else { None };
                Ok(container.name(i, metadata.as_ref()).map(str::to_owned))
            }
            Source::Folder(folder) => Ok(folder.sample_name(i).map(str::to_owned)),
        }
    }

    /// Sample `i`'s metadata as JSON text: the record that a TBL of it would hold.
    pub fn record(&self, i: u64) -> Result<Option<String>> {
        match &self.source {
            Source::File(input, container) => container
                .record(i, self.open_metadata(input, container)?, |range| input.slice(range))
                .map_err(|e| e.file(self.name())),
            Source::Folder(folder) => folder.record(i).map(Some),
        }
    }

    /// As [`record`](Self::record), with the number that the sample has elsewhere.
    pub(crate) fn record_as(&self, i: u64, id: u64) -> Result<Option<String>> {
        match &self.source {
            Source::File(input, container) => container
                .record_as(i, id, self.open_metadata(input, container)?, |range| input.slice(range))
                .map_err(|e| e.file(self.name())),
            // A folder's record carries the sample's own number.
            Source::Folder(folder) if id == i => folder.record(i).map(Some),
            Source::Folder(folder) => folder.record(i).map(|text| Some(record::renumber(&text, id))),
        }
    }

    /// Where sample `i` lies in the mapped file; for a folder, in its own.
    pub(crate) fn stored_range(&self, i: u64) -> Option<std::ops::Range<u64>> {
        match &self.source {
            Source::File(_, container) => container.info(i).ok().map(|info| info.range()),
            Source::Folder(folder) => folder.info(i).ok().map(|info| 0..info.bytes),
        }
    }

    /// Lets go of mapped pages that were used.
    pub(crate) fn release(&self, range: std::ops::Range<u64>) {
        if let Some(input) = self.input() {
            input.release(range);
        }
    }

    /// Sample `i`'s metadata as a value.
    pub fn metadata_value(&self, i: u64) -> Result<Option<Value>> {
        let Some(text) = self.record(i)? else { return Ok(None) };
        parse_record(i, &text).map(Some).map_err(|e| e.file(self.name()))
    }

    /// Where a TBL's records lie; nothing for a TAR.
    fn open_metadata(&self, input: &Input, container: &Container) -> Result<Option<&Metadata>> {
        let Some(tbl) = container.tbl() else { return Ok(None) };
        if let Some(metadata) = self.metadata.get() {
            return Ok(Some(metadata));
        }
        let found = drive(OpenMetadata::new(tbl), input.bytes()).map_err(|e| e.file(self.name()))?;
        Ok(Some(self.metadata.get_or_init(|| found)))
    }

    /// The document beside the samples' metadata, where there is one.
    pub fn document(&self) -> Result<serde_json::Map<String, Value>> {
        match &self.source {
            Source::File(input, container) => {
                let place = container.tbl().and_then(|tbl| Some((tbl, tbl.header().metadata.clone()?)));
                match place {
                    Some((tbl, range)) => tbl.document(&input.slice(range)?).map_err(|e| e.file(self.name())),
                    None => Ok(Default::default()),
                }
            }
            Source::Folder(folder) => Ok(folder.document()),
        }
    }

    /// A guide file's Protobuf document, which is the user's own bytes.
    pub(crate) fn protobuf(&self) -> Result<Option<Vec<u8>>> {
        let (Some(input), Some(header)) = (self.input(), self.tbl().map(Tbl::header)) else { return Ok(None) };
        match &header.metadata {
            Some(range) if header.metadata_format == Some(MetadataFormat::Protobuf) => {
                Ok(Some(input.slice(range.clone())?.to_vec()))
            }
            _ => Ok(None),
        }
    }
}
