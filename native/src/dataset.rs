//! A dataset on this machine: a mapped TBL or TAR, or a folder of files, with everything at hand.

use std::{
    path::Path,
    sync::{Arc, OnceLock},
};

use bytes::Bytes;
use forebay::{
    Error, Limits, Result,
    dataset::Opener,
    detect::Format,
    image::{format_of, probe},
    model::SampleInfo,
    record::{self, Sidecar},
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

#[derive(Clone, Debug)]
pub(crate) enum Source {
    Tbl(Arc<Input>, Tbl),
    Tar(Arc<Input>, Tar),
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
        let (core, damage) = match input.drive(&mut opener, |o| if o.scanner().is_some() { WINDOW } else { 0 }) {
            Ok(core) => (core, None),
            Err(e) => match opener.into_scanner() {
                Some(scanner) if options.keep_going => {
                    let tar = Tar::new(scanner.into_partial()).map_err(named)?;
                    (forebay::dataset::Dataset::Tar(tar), Some(Arc::new(named(e))))
                }
                _ => return Err(named(e)),
            },
        };
        let input = Arc::new(input);
        let source = match core {
            forebay::dataset::Dataset::Tbl(tbl) => Source::Tbl(input, tbl),
            forebay::dataset::Dataset::Tar(tar) => Source::Tar(input, tar),
            other => {
                return Err(Error::new(
                    &forebay::error::codes::NOT_SAMPLES,
                    format!("{} is not served here", other.format().name()),
                ));
            }
        };
        Ok(Self::new(source, options, damage))
    }

    fn new(source: Source, options: &OpenOptions, damage: Option<Arc<Error>>) -> Dataset {
        Dataset { source, limits: options.limits.clone(), metadata: Arc::default(), damage }
    }

    pub(crate) fn source(&self) -> &Source {
        &self.source
    }
    /// The format; `None` for a folder.
    pub fn format(&self) -> Option<Format> {
        match &self.source {
            Source::Tbl(..) => Some(Format::Tbl),
            Source::Tar(..) => Some(Format::Tar),
            Source::Folder(_) => None,
        }
    }
    /// The name as the user gave it.
    pub fn name(&self) -> &str {
        match &self.source {
            Source::Tbl(input, _) | Source::Tar(input, _) => input.name(),
            Source::Folder(folder) => folder.name(),
        }
    }
    /// Bytes on disk.
    pub fn file_len(&self) -> u64 {
        match &self.source {
            Source::Tbl(input, _) | Source::Tar(input, _) => input.len(),
            Source::Folder(folder) => folder.bytes(),
        }
    }
    /// The opened TBL, where it is one.
    pub fn tbl(&self) -> Option<&Tbl> {
        match &self.source {
            Source::Tbl(_, tbl) => Some(tbl),
            _ => None,
        }
    }
    /// The scanned TAR, where it is one.
    pub fn tar(&self) -> Option<&Tar> {
        match &self.source {
            Source::Tar(_, tar) => Some(tar),
            _ => None,
        }
    }
    /// The folder, where it is one.
    pub fn folder(&self) -> Option<&Folder> {
        match &self.source {
            Source::Folder(folder) => Some(folder),
            _ => None,
        }
    }
    /// The file's bytes, where it is one file.
    pub fn input(&self) -> Option<&Arc<Input>> {
        match &self.source {
            Source::Tbl(input, _) | Source::Tar(input, _) => Some(input),
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
            Source::Tbl(_, tbl) => tbl.len(),
            Source::Tar(_, tar) => tar.len(),
            Source::Folder(folder) => folder.len(),
        }
    }
    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is known about sample `i`. In a TBL the index says it; elsewhere the first bytes are looked at.
    pub fn info(&self, i: u64) -> Result<SampleInfo> {
        let mut info = match &self.source {
            Source::Tbl(_, tbl) => return tbl.info(i).map_err(|e| e.file(self.name())),
            Source::Tar(_, tar) => tar.info(i, None).map_err(|e| e.file(self.name()))?,
            Source::Folder(folder) => folder.info(i)?,
        };
        let head = match &self.source {
            Source::Folder(folder) => folder.head(i)?,
            _ => self.payload(i)?,
        };
        let seen = probe(&head);
        info.format = format_of(&self.sample_name(i)?.unwrap_or_default(), &head);
        (info.width, info.height) = (seen.width, seen.height);
        Ok(info)
    }

    /// Sample `i`'s payload, verified and decompressed. What is stored as it is comes without copying.
    pub fn payload(&self, i: u64) -> Result<Bytes> {
        let named = |e: Error| e.file(self.name());
        match &self.source {
            Source::Tbl(input, tbl) => {
                let plan = tbl.plan(i).map_err(named)?;
                plan.decode(&input.slice(plan.range())?, &self.limits).map_err(named)
            }
            Source::Tar(input, tar) => {
                let plan = tar.plan(i).map_err(named)?;
                plan.decode(&input.slice(plan.range())?, &self.limits).map_err(named)
            }
            Source::Folder(folder) => folder.payload(i),
        }
    }

    /// Sample `i`'s file name, where it has one.
    pub fn sample_name(&self, i: u64) -> Result<Option<String>> {
        match &self.source {
            Source::Tbl(..) => {
                Ok(self.metadata_value(i)?.and_then(|v| v.get("name").and_then(Value::as_str).map(str::to_owned)))
            }
            Source::Tar(_, tar) => Ok(tar.name(i).map(str::to_owned)),
            Source::Folder(folder) => Ok(folder.sample_name(i).map(str::to_owned)),
        }
    }

    /// Sample `i`'s metadata as JSON text: the record that a TBL of it would hold.
    pub fn record(&self, i: u64) -> Result<Option<String>> {
        let named = |e: Error| e.file(self.name()).sample(i);
        match &self.source {
            Source::Tbl(input, tbl) => {
                let metadata = self.tbl_metadata(input, tbl)?;
                let Some(range) = metadata.range(i).map_err(named)? else { return Ok(None) };
                let found = metadata.decode(i, input.slice(range)?).map_err(named)?;
                let Some(found) = found.filter(|m| !m.bytes.is_empty()) else { return Ok(None) };
                match found.json_text() {
                    Some(text) => Ok(Some(text.to_owned())),
                    None => Ok(Some(found.value(&self.limits).map_err(named)?.to_string())),
                }
            }
            Source::Tar(input, tar) => {
                let Some(name) = tar.name(i) else { return Ok(None) };
                let mut owned = Vec::new();
                for (extension, member) in tar.sidecars(i) {
                    owned.push((extension, input.slice(member.range())?));
                }
                let sidecars: Vec<_> = owned.iter().map(|(extension, bytes)| Sidecar { extension, bytes }).collect();
                Ok(Some(record::compose(i, name, &sidecars, tar.sample(i).map_or(0, |s| s.before), &[])))
            }
            Source::Folder(folder) => folder.record(i).map(Some),
        }
    }

    /// As [`record`](Self::record), with the number that the sample has elsewhere.
    pub(crate) fn record_as(&self, i: u64, id: u64) -> Result<Option<String>> {
        let record = self.record(i)?;
        // Only a TBL's record may carry another number than the sample's own.
        let renumbered = id != i || self.tbl().is_some();
        Ok(if renumbered { record.map(|text| record::renumber(&text, id)) } else { record })
    }

    /// Where sample `i` lies in the mapped file; `None` for a folder.
    pub(crate) fn stored_range(&self, i: u64) -> Option<std::ops::Range<u64>> {
        match &self.source {
            Source::Tbl(_, tbl) => tbl.info(i).ok().map(|info| info.range()),
            Source::Tar(_, tar) => tar.info(i, None).ok().map(|info| info.range()),
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
        let parse =
            |e| Error::caused(&forebay::tbl::codes::METADATA, format!("the sample's metadata is no JSON: {e}"), e);
        serde_json::from_str(&text).map(Some).map_err(|e| parse(e).section("metadata").sample(i).file(self.name()))
    }

    fn tbl_metadata(&self, input: &Input, tbl: &Tbl) -> Result<&Metadata> {
        if let Some(metadata) = self.metadata.get() {
            return Ok(metadata);
        }
        let found = drive(OpenMetadata::new(tbl), input.bytes()).map_err(|e| e.file(self.name()))?;
        Ok(self.metadata.get_or_init(|| found))
    }

    /// The document beside the samples' metadata, where there is one.
    pub fn document(&self) -> Result<serde_json::Map<String, Value>> {
        match &self.source {
            Source::Tbl(input, tbl) => match &tbl.header().metadata {
                Some(range) => tbl.document(&input.slice(range.clone())?).map_err(|e| e.file(self.name())),
                None => Ok(Default::default()),
            },
            Source::Folder(folder) => Ok(folder.document()),
            Source::Tar(..) => Ok(Default::default()),
        }
    }

    /// A guide file's Protobuf document, which is the user's own bytes.
    pub(crate) fn protobuf(&self) -> Result<Option<Vec<u8>>> {
        match &self.source {
            Source::Tbl(input, tbl) if tbl.header().metadata_format == Some(MetadataFormat::Protobuf) => {
                tbl.header().metadata.clone().map(|range| input.slice(range).map(|b| b.to_vec())).transpose()
            }
            _ => Ok(None),
        }
    }
}
