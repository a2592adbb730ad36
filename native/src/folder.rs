//! A folder of files as a dataset: every image or video a sample, files of the same stem its sidecars, the first
//! folder level its class. Other files are left out and counted.

use std::{
    collections::BTreeSet,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use forebay::{
    Error, Result,
    codec::Codec,
    error::codes,
    model::{MediaFormat, SampleInfo},
    record::{self, Sidecar},
    tar::webdataset::{Groups, Sample, group},
};
use serde_json::{Map, Value, json};

use crate::input::{display, io_error};

/// A folder that was walked: names and sizes, no contents. Files are in the order of their names, so that
/// every machine sees the same dataset.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    name: String,
    files: Vec<(String, u64)>,
    groups: Groups,
    /// Which of the groups are samples.
    samples: Vec<u32>,
    left_out: u64,
    classes: Vec<String>,
}

impl Folder {
    /// Walks a folder. Hidden files are left out, links are followed.
    pub fn open(root: &Path) -> Result<Folder> {
        let name = display(root);
        let mut files = Vec::new();
        let visible = |e: &walkdir::DirEntry| e.depth() == 0 || !e.file_name().to_string_lossy().starts_with('.');
        for entry in walkdir::WalkDir::new(root).follow_links(true).into_iter().filter_entry(visible) {
            let failed =
                |e: walkdir::Error| Error::caused(&codes::IO, format!("cannot walk the folder: {e}"), e).file(&name);
            let entry = entry.map_err(failed)?;
            if !entry.file_type().is_file() {
                continue;
            }
            let path = entry.path().strip_prefix(root).unwrap_or(entry.path());
            let Some(relative) = path.to_str() else {
                return Err(
                    Error::new(&codes::ARGUMENT, format!("the file name {} is not UTF-8", path.display())).file(&name)
                );
            };
            files.push((relative.replace('\\', "/"), entry.metadata().map_err(failed)?.len()));
        }
        files.sort_unstable();
        let groups = group(files.iter().map(|(name, _)| name.as_str())).map_err(|e| e.file(&name))?;
        let media = |i: &u32| {
            let primary = groups.get(*i as usize).and_then(|s| files.get(s.primary));
            primary.is_some_and(|(name, _)| MediaFormat::from_name(name) != MediaFormat::Unknown)
        };
        let samples: Vec<u32> = (0..groups.len() as u32).filter(media).collect();
        let of = |i: u32| groups.get(i as usize);
        let kept: usize = samples.iter().filter_map(|&i| of(i)).map(|s| 1 + s.sidecars.len()).sum();
        let primaries = || samples.iter().filter_map(|&i| of(i)).filter_map(|s| files.get(s.primary));
        let classes: BTreeSet<&str> = primaries().filter_map(|(name, _)| class_of(name)).collect();
        // Classes only where every sample has one: a lone folder beside pictures is no label.
        let classes = match primaries().all(|(name, _)| class_of(name).is_some()) {
            true => classes.into_iter().map(str::to_owned).collect(),
            false => Vec::new(),
        };
        let left_out = (files.len() - kept) as u64;
        Ok(Folder { root: root.into(), name, files, groups, samples, left_out, classes })
    }

    /// The folder's name as the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|(_, size)| size).sum()
    }
    /// How many samples there are.
    pub fn len(&self) -> u64 {
        self.samples.len() as u64
    }
    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The classes, in the order of their numbers.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }
    /// What a TBL's document says of the folder.
    pub fn document(&self) -> Map<String, Value> {
        let mut document = Map::new();
        if !self.classes.is_empty() {
            document.insert("classes".into(), json!(self.classes));
        }
        document
    }

    /// Files that belong to no image.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    fn sample(&self, i: u64) -> Option<Sample<'_>> {
        let group = self.samples.get(usize::try_from(i).ok()?)?;
        self.groups.get(*group as usize)
    }

    fn file(&self, i: u64) -> Result<&(String, u64)> {
        self.sample(i).and_then(|s| self.files.get(s.primary)).ok_or_else(|| {
            Error::new(&codes::OUT_OF_RANGE, format!("there are {} samples", self.len())).sample(i).file(&self.name)
        })
    }
    /// The name of sample `i` inside the folder.
    pub fn sample_name(&self, i: u64) -> Option<&str> {
        self.file(i).ok().map(|(name, _)| name.as_str())
    }
    /// What the file system knows about sample `i`.
    pub fn info(&self, i: u64) -> Result<SampleInfo> {
        let (name, size) = self.file(i)?;
        let mut info = SampleInfo::unread(i, 0, *size, MediaFormat::from_name(name));
        info.codec = Codec::None;
        Ok(info)
    }
    /// At most `most` first bytes of sample `i`.
    pub fn first(&self, i: u64, most: u64) -> Result<Bytes> {
        self.read(&self.file(i)?.0, most)
    }
    /// Sample `i`'s bytes.
    pub fn payload(&self, i: u64) -> Result<Bytes> {
        self.read(&self.file(i)?.0, u64::MAX)
    }

    fn read(&self, name: &str, most: u64) -> Result<Bytes> {
        let path = self.root.join(name);
        let failed = |e| io_error(&display(&path), "read", e);
        let mut bytes = Vec::new();
        File::open(&path).map_err(failed)?.take(most).read_to_end(&mut bytes).map_err(failed)?;
        Ok(bytes.into())
    }

    /// The record of sample `i`: its name, its sidecars, its class.
    pub fn record(&self, i: u64) -> Result<String> {
        let (name, _) = self.file(i)?;
        let sample = self.sample(i);
        let mut owned = Vec::new();
        for &sidecar in sample.map(|s| s.sidecars).unwrap_or_default() {
            if let Some((name, _)) = self.files.get(sidecar as usize) {
                owned.push((record::split(name).1.unwrap_or_default(), self.read(name, u64::MAX)?));
            }
        }
        let sidecars: Vec<_> = owned.iter().map(|(extension, bytes)| Sidecar { extension, bytes }).collect();
        let mut extra = Vec::new();
        if let Some(class) = class_of(name)
            && let Ok(number) = self.classes.binary_search_by(|c| c.as_str().cmp(class))
        {
            if !sidecars.iter().any(|s| s.extension == "cls") {
                extra.push(("cls", json!(number)));
            }
            extra.push(("class", json!(class)));
        }
        Ok(record::compose(i, name, &sidecars, sample.map_or(0, |s| s.before), &extra))
    }
}

fn class_of(name: &str) -> Option<&str> {
    name.split_once('/').map(|(class, _)| class)
}
