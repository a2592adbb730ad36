//! A folder of files as a dataset: every image or video a sample, files of the same stem its sidecars, one folder level
//! its class. Other files are left out, counted, and the first of them named.
//!
//! A file is an image or video by its name or, on this machine, by its first bytes: those of a file that has neither the
//! name of one nor that of a sidecar are looked at. Elsewhere each look would be a request, so there it is by name alone.
//! A list beside the images, such as `metadata.csv`, adds its columns to their records.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use forebay::{
    Error, Limits, Result,
    codec::Codec,
    detect::{HEAD_LEN, detect, foreign, name_of},
    error::codes,
    formats::{Format, Holds},
    image::format_of,
    sample::{
        ClassLevel, MediaFormat, SampleInfo,
        record::{self, Sidecar},
    },
    tar::webdataset::{Groups, Sample, group},
    warehouse::MANIFEST_NAME,
};
mod lists;

use lists::Lists;

use crate::input::{Input, codes::CHANGED, display, first_bytes, remote};

/// Files that are left out are named up to this many.
const NAMED: usize = 3;

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
    /// How many files are left out, and the names of the first: those of a kind that is known come before others.
    left_out: u64,
    first_left_out: Vec<String>,
    /// Links that lead back into a folder that they lie in.
    loops: u64,
    levels: ClassLevel,
    lists: Lists,
}

impl Folder {
    /// Walks a folder. Hidden files are left out, links are followed, but for those that lead back to where they are.
    ///
    /// The classes are looked for: they are the first folder level, or if that is one folder, or those of the parts
    /// of a set (`train`, `val`, `test`), the next.
    pub fn open(root: &Path) -> Result<Folder> {
        Self::open_at(root, None)
    }

    /// As [`open`](Self::open), with the classes at this folder level, from 1; 0 for none.
    pub fn open_at(root: &Path, class_level: Option<u32>) -> Result<Folder> {
        let name = display(root);
        if remote::is_remote(root) {
            let files: Vec<_> = remote::below(root)?.into_iter().map(|one| (one.name, one.len)).collect();
            if files.is_empty() {
                // Stores have no folders, only objects whose names begin so.
                return Err(Error::new(&remote::codes::NOT_FOUND, "there is no object in that folder").file(&name));
            }
            return Self::of(root, name, files, 0, class_level);
        }
        let (mut files, mut loops) = (Vec::new(), 0);
        let visible = |e: &walkdir::DirEntry| e.depth() == 0 || !e.file_name().to_string_lossy().starts_with('.');
        for entry in walkdir::WalkDir::new(root).follow_links(true).into_iter().filter_entry(visible) {
            let failed =
                |e: walkdir::Error| Error::caused(&codes::IO, format!("cannot walk the folder: {e}"), e).file(&name);
            let entry = match entry {
                Err(e) if e.loop_ancestor().is_some() => {
                    // What it leads to is walked already.
                    loops += 1;
                    continue;
                }
                entry => entry.map_err(failed)?,
            };
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
        Self::of(root, name, files, loops, class_level)
    }

    /// Of files in the order of their names.
    fn of(
        root: &Path,
        name: String,
        files: Vec<(String, u64)>,
        loops: u64,
        class_level: Option<u32>,
    ) -> Result<Folder> {
        let groups = group(files.iter().map(|(name, bytes)| (name.as_str(), *bytes))).map_err(|e| e.file(&name))?;
        let lists = Lists::read(root, &files, &Limits::default());
        let (mut samples, mut left_out, mut known, mut others) = (Vec::new(), 0, Vec::new(), Vec::new());
        for (i, sample) in groups.iter().enumerate() {
            let Some((name, _)) = files.get(sample.primary) else { continue };
            if lists.files.contains(&sample.primary) {
                continue;
            }
            let head = match record::is_media(name) || record::is_sidecar(name) || remote::is_remote(root) {
                true => Vec::new(),
                // What does not open is not an image, and named with what is left out.
                false => first_bytes(&root.join(name), HEAD_LEN).unwrap_or_default(),
            };
            if format_of(name, &head) != MediaFormat::Unknown {
                samples.push(i as u32);
                continue;
            }
            left_out += 1 + sample.sidecars.len() as u64;
            match name_of(&head) {
                Some(kind) if known.len() < NAMED => known.push(format!("{name} ({kind})")),
                None if others.len() < NAMED => others.push(name.clone()),
                _ => {}
            }
        }
        known.extend(others);
        known.truncate(NAMED);
        let primaries = || samples.iter().filter_map(|&i| groups.get(i as usize)).filter_map(|s| files.get(s.primary));
        // A list says all that is said of its images: folders are then classes only where the caller says so.
        let class_level = if lists.is_empty() { class_level } else { class_level.or(Some(0)) };
        let levels = ClassLevel::of(primaries().map(|(name, _)| name.as_str()), class_level);
        let (root, first_left_out) = (root.into(), known);
        let mut folder = Folder { root, name, files, groups, samples, left_out, first_left_out, loops, levels, lists };
        folder.note_unlisted();
        Ok(folder)
    }

    /// Says how many images no list names, and what tables that are left out would have to be called.
    fn note_unlisted(&mut self) {
        let listed =
            (0..self.len()).filter(|i| self.sample(*i).is_some_and(|s| self.lists.has(s.primary))).count() as u64;
        if !self.lists.is_empty() {
            if listed < self.len() {
                self.lists.notes.push(format!("{} of {} images are in no list", self.len() - listed, self.len()));
            }
            return;
        }
        let table = |name: &&String| ["csv", "jsonl", "parquet"].iter().any(|kind| name.ends_with(&format!(".{kind}")));
        let known =
            |name: &&String| table(name) && !self.lists.notes.iter().any(|note| note.starts_with(name.as_str()));
        if let Some(name) = self.first_left_out.iter().find(known).filter(|_| !self.is_empty()) {
            self.lists.notes.push(format!(
                "{name} is not read: a list of images is called metadata.csv, metadata.jsonl or metadata.parquet and has a \
                 column file_name"
            ));
        }
    }

    /// Refuses a folder without any image: of datasets it says how they are opened, and of other things what they are.
    /// "0 samples" of a folder that is not what was meant would be believed.
    #[doc(hidden)]
    pub fn refuse_without_pictures(&self) -> Result<()> {
        if !self.is_empty() {
            return Ok(());
        }
        let manifest = format!("/{MANIFEST_NAME}");
        let mut manifests = self.files.iter().filter(|(name, _)| name.ends_with(&manifest));
        // Other programs have manifests too.
        let of_warehouse = |file: &str| {
            let head = first_bytes(&remote::beneath(&self.root, file), HEAD_LEN);
            head.is_ok_and(|head| detect(&head) == Some(Format::Warehouse))
        };
        if let Some((first, _)) = manifests.find(|(name, _)| of_warehouse(name)) {
            let first = first.strip_suffix(&manifest).unwrap_or(first);
            let root = self.name.trim_end_matches('/');
            let message = match 1 + manifests.count() {
                1 => format!("the folder holds a warehouse, and no images; name that: {root}/{first}"),
                n => format!(
                    "the folder holds {n} warehouses, and no images; name one, such as {root}/{first}: forebay warehouse \
                     list {root} says which are current"
                ),
            };
            return Err(Error::new(&codes::NOT_SAMPLES, message).file(&self.name));
        }
        let is = |name: &str, wanted: &str| name.rsplit_once('.').is_some_and(|(_, e)| e.eq_ignore_ascii_case(wanted));
        let count = |extension: &str| self.files.iter().filter(|(name, _)| is(name, extension)).count();
        let (tbl, tar) = (count("tbl"), count("tar"));
        let (count, extension) = if tbl >= tar { (tbl, "tbl") } else { (tar, "tar") };
        let message = match (count, self.left_out) {
            (0, 0) => "the folder has no images".to_owned(),
            (0, n) => format!("the folder has no images, but {n} other files{}", self.known_as()),
            (n, _) => format!(
                "the folder has no images, but {n} {}; datasets are named one by one or by a pattern, and joined by: \
                 forebay concat '{}/*.{extension}' -o all.{extension}",
                if n == 1 { "dataset" } else { "datasets" },
                self.name.trim_end_matches('/'),
            ),
        };
        Err(Error::new(&codes::NOT_SAMPLES, message).file(&self.name))
    }

    /// What a folder of other files is, as far as it is known, and what to do about it.
    fn known_as(&self) -> String {
        const PACK: &str = "write its samples as a TAR, as webdataset does";
        let root = self.name.trim_end_matches('/');
        let base = |name: &str| name.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
        let any = |is: &dyn Fn(&str) -> bool| self.files.iter().any(|(name, _)| is(&base(name)));
        let hidden = |file: &str| self.root.join(file).is_file();
        if any(&|name| name == "data.mdb") {
            return ": of databases of LMDB, one is opened, by the folder that has it".to_owned();
        }
        let kind = match () {
            () if any(&|name| name.ends_with(".lance")) => "a Lance dataset",
            () if any(&|name| name == "zarr.json") || hidden(".zgroup") || hidden(".zarray") => "a Zarr store",
            () => "",
        };
        if !kind.is_empty() {
            return format!(": this is {kind}, which Forebay does not read; {PACK}");
        }
        for (words, extensions) in [
            ("Parquet", &["parquet", "pq"][..]),
            ("Arrow", &["arrow", "feather"]),
            ("CSV", &["csv"]),
            ("JSON lines", &["jsonl"]),
        ] {
            for extension in extensions {
                let found = |(name, _): &&(String, u64)| base(name).ends_with(&format!(".{extension}"));
                if let Some((first, _)) = self.files.iter().find(found) {
                    let inside = first.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("/{folder}"));
                    return format!(
                        ": these are tables ({words}), which are named one by one or by a pattern, and joined by: forebay \
                         convert '{root}{inside}/*.{extension}' all.{extension}"
                    );
                }
            }
        }
        let about = |(name, _): &(String, u64)| {
            let head = first_bytes(&remote::beneath(&self.root, name), HEAD_LEN).ok()?;
            let own = || detect(&head).filter(|format| format.holds() == Holds::Samples).map(Format::name);
            let own = || own().map(|own| format!("this is {own}, which is opened by its own name"));
            Some(format!("; of the first, {name}: {}", foreign(&head).or_else(own)?))
        };
        self.files.iter().take(NAMED).find_map(about).unwrap_or_default()
    }

    /// The folder's name as the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// The files, in the order of their names, and their bytes.
    pub(crate) fn files(&self) -> &[(String, u64)] {
        &self.files
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
        &self.levels.classes
    }
    /// The folder level that the classes are at, from 1; 0 if there are none.
    pub fn class_level(&self) -> u32 {
        self.levels.level
    }
    /// What is worth knowing of the folder: which folders were taken for classes, files that are left out, links that were
    /// not followed.
    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.levels.note.iter().chain(&self.lists.notes).cloned().collect();
        let first = self.first_left_out.join(", ");
        match self.left_out {
            0 => {}
            1 => notes.push(format!("1 file belongs to no image or video and is left out: {first}")),
            n => notes.push(format!("{n} files belong to no image or video and are left out; the first: {first}")),
        }
        match self.loops {
            0 => {}
            1 => notes.push("1 link that leads back to a folder that it lies in was not followed".into()),
            n => notes.push(format!("{n} links that lead back to a folder that they lie in were not followed")),
        }
        notes
    }
    /// Lists of images that cannot be read, or name files that are not there.
    pub(crate) fn faults(&self) -> &[Error] {
        &self.lists.faults
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
    /// What the file system knows about sample `i`, and its name.
    pub fn info(&self, i: u64) -> Result<SampleInfo> {
        let (name, size) = self.file(i)?;
        let mut info = SampleInfo::unread(i, 0, *size, MediaFormat::from_name(name));
        info.codec = Codec::None;
        Ok(info)
    }
    /// At most `most` first bytes of sample `i`.
    pub fn first(&self, i: u64, most: u64) -> Result<Bytes> {
        self.read(self.file(i)?, most)
    }
    /// Sample `i`'s bytes.
    pub fn payload(&self, i: u64) -> Result<Bytes> {
        self.read(self.file(i)?, u64::MAX)
    }

    /// A file must have the length that it had when the folder was walked: that was told, and parts may have been read.
    fn read(&self, (name, size): &(String, u64), most: u64) -> Result<Bytes> {
        let input = Input::pieces(&self.root.join(name))?;
        if input.len() != *size {
            let message = format!("the file has {} bytes; it had {size} when the folder was opened", input.len());
            return Err(Error::new(&CHANGED, message).file(input.name()));
        }
        input.slice(0..most.min(*size))
    }

    /// The record of sample `i`: its name, its sidecars, its class.
    pub fn record(&self, i: u64) -> Result<String> {
        let (name, _) = self.file(i)?;
        let sample = self.sample(i);
        let mut owned = Vec::new();
        for &sidecar in sample.map(|s| s.sidecars).unwrap_or_default() {
            if let Some(file) = self.files.get(sidecar as usize) {
                owned.push((record::split(&file.0).1.unwrap_or_default(), self.read(file, u64::MAX)?));
            }
        }
        let sidecars: Vec<_> = owned.iter().map(|(extension, bytes)| Sidecar { extension, bytes }).collect();
        let mut extra = self.levels.fields(name, &sidecars);
        if let Some(row) = sample.and_then(|s| self.lists.row(s.primary)) {
            // A file of the image's own goes first.
            let taken = sidecars.iter().any(|s| s.extension == "json");
            extra.push((if taken { "metadata" } else { "json" }, row));
        }
        Ok(record::compose(i, name, &sidecars, sample.map_or(0, |s| s.before), &extra))
    }
}
