//! The warehouses in a folder: which there are, which are current, and which can go.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::{Path, PathBuf},
};

use forebay::{
    Limits, Result,
    warehouse::{MANIFEST_NAME, Manifest, Transform},
};
use serde::Serialize;

use super::stage::{aside, is_held, is_stage, remove_dead};
use crate::{
    input::{Input, display, io_error, remote},
    shards::{self, GLANCE, WarehouseOptions, sha256_of, stale},
};

/// A warehouse in a folder.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Kept {
    /// Its folder.
    pub folder: PathBuf,
    /// Its manifest; none where it does not read, or the build has not ended.
    pub manifest: Option<Manifest>,
    /// Why its manifest does not read, or its shards do not open: one is not there, was cut, or is not what the manifest says.
    pub fault: Option<String>,
    /// Bytes of all its files.
    pub bytes: u64,
    /// Whether it is the newest without a fault that was made of its sources with its settings.
    pub current: bool,
    /// The remark if a source was changed after it was built.
    pub stale: Option<String>,
    /// Whether it is being built: then a process may be at work on it.
    pub unfinished: bool,
    /// Whether a process is at work on it now.
    pub held: bool,
}

/// What is told of a warehouse; null is what its manifest does not say, or what no manifest says.
#[doc(hidden)]
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WarehouseKept"))]
pub struct KeptReport<'a> {
    /// Its folder.
    folder: String,
    /// `current`, `replaced`, `being built`, `unfinished` or `damaged`.
    pub state: &'static str,
    /// Bytes of all its files.
    bytes: u64,
    /// Why it does not open.
    fault: Option<&'a str>,
    /// The remark if a source was changed after it was built.
    stale: Option<&'a str>,
    /// Its version.
    version: Option<&'a str>,
    /// The version that the first builder would have given.
    peer_version: Option<&'a str>,
    /// Where the frames came from, as the builder was told.
    dataset_root: Option<&'a str>,
    /// What was done to its images.
    transform: Option<&'a Transform>,
    /// The type of its pixels.
    dtype: Option<&'static str>,
    /// The version of the builder.
    code_version: Option<&'a str>,
    /// When it was built, in milliseconds since 1970.
    created_at_ms: Option<u64>,
    /// How many samples it has.
    samples: Option<u64>,
    /// How many shards.
    shards: Option<usize>,
}

#[doc(hidden)]
impl Kept {
    /// What is told of it.
    pub fn report(&self) -> KeptReport<'_> {
        let manifest = self.manifest.as_ref();
        KeptReport {
            folder: display(&self.folder),
            state: match self {
                Kept { held: true, .. } => "being built",
                Kept { unfinished: true, .. } => "unfinished",
                Kept { current: true, .. } => "current",
                Kept { fault: Some(_), .. } => "damaged",
                _ => "replaced",
            },
            bytes: self.bytes,
            fault: self.fault.as_deref(),
            stale: self.stale.as_deref(),
            version: manifest.map(|m| m.version.as_str()),
            peer_version: manifest.and_then(|m| m.peer_version.as_deref()),
            dataset_root: manifest.map(|m| m.dataset_root.as_str()),
            transform: manifest.map(|m| &m.transform),
            dtype: manifest.map(|m| m.default_dtype.name()),
            code_version: manifest.map(|m| m.code_version.as_str()),
            created_at_ms: manifest.map(|m| m.created_at_ms),
            samples: manifest.map(Manifest::samples),
            shards: manifest.map(|m| m.shards.len()),
        }
    }
}

/// A removed warehouse, or one that would be.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "WarehouseRemoved"))]
#[non_exhaustive]
pub struct Removed {
    /// The folder.
    #[serde(serialize_with = "super::shown")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub folder: PathBuf,
    /// Its bytes.
    pub bytes: u64,
    /// Why.
    pub why: &'static str,
    /// Whether it is gone. What holds files that are none of a warehouse's stays.
    pub gone: bool,
}

fn is_version(name: &str) -> bool {
    name.strip_prefix('v').is_some_and(|key| key.len() == 64 && key.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// The folders that are called as versions are, sorted.
pub(super) fn versions(out: &Path) -> Result<Vec<PathBuf>> {
    match remote::is_remote(out) {
        true => Ok(elsewhere(out)?.into_keys().collect()),
        false => folders(out, |name| name.to_str().is_some_and(is_version)),
    }
}

/// The same in a store, with their bytes: one list says all.
fn elsewhere(out: &Path) -> Result<BTreeMap<PathBuf, u64>> {
    let mut found = BTreeMap::new();
    for one in remote::below(out)? {
        if let Some((name, _)) = one.name.split_once('/')
            && is_version(name)
        {
            *found.entry(remote::beneath(out, name)).or_default() += one.len;
        }
    }
    Ok(found)
}

fn folders(out: &Path, wanted: impl Fn(&std::ffi::OsStr) -> bool) -> Result<Vec<PathBuf>> {
    let failed = |e| io_error(&display(out), "list the folder", e);
    let mut found = Vec::new();
    for entry in fs::read_dir(out).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if wanted(&entry.file_name()) && entry.path().is_dir() {
            found.push(entry.path());
        }
    }
    found.sort_unstable();
    Ok(found)
}

fn bytes_in(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries.filter_map(|entry| entry.ok()?.metadata().ok()).filter(fs::Metadata::is_file).map(|found| found.len()).sum()
}

/// Reads a manifest, or that of a warehouse's folder.
pub fn read_manifest(path: &Path) -> Result<Manifest> {
    let path = super::manifest_named(path)?;
    let named = |e: forebay::Error| e.file(display(&path));
    let input = crate::Input::pieces(&path)?;
    Limits::default().metadata(input.len()).map_err(named)?;
    Manifest::parse(&input.slice(0..input.len())?, &Limits::default()).map_err(named)
}

/// What warehouses of one kind have in common, whatever the content of their sources. Without the key of a version that is
/// not known: the first builder's name everything but the content, so two of them differ in something else.
fn kind_of(manifest: &Manifest) -> Option<String> {
    let key = manifest.version_key.as_deref()?;
    // The content stands last in the key.
    let key = key.split_once(",\"content\":").map_or(key, |(before, _)| before);
    let transform = serde_json::to_string(&manifest.transform).unwrap_or_default();
    Some(format!("{}\n{transform}\n{}\n{key}", manifest.dataset_root, manifest.default_dtype.name()))
}

/// The manifest of a warehouse, as far as it reads, and what is wrong with it. Shards are opened, not read: their headers and
/// lengths are looked at.
fn looked_at(folder: &Path) -> (Option<Manifest>, Option<String>) {
    let path = remote::beneath(folder, MANIFEST_NAME);
    let how = WarehouseOptions { keep_going: true, ..WarehouseOptions::default() };
    match read_manifest(&path) {
        Ok(manifest) => match shards::open(&path, &how) {
            Ok(opened) => (Some(manifest), opened.warehouse.faults().first().map(ToString::to_string)),
            Err(e) => (Some(manifest), Some(e.to_string())),
        },
        Err(e) => (None, Some(e.to_string())),
    }
}

/// The warehouses in a folder, the oldest first, and builds that have not ended.
pub fn list(out: &Path) -> Result<Vec<Kept>> {
    let mut found = Vec::new();
    let far = remote::is_remote(out);
    let kept = match far {
        true => elsewhere(out)?,
        false => versions(out)?.into_iter().map(|folder| (folder.clone(), bytes_in(&folder))).collect(),
    };
    for (folder, bytes) in kept {
        let (manifest, fault) = looked_at(&folder);
        let stale = manifest.as_ref().and_then(|manifest| stale(&folder, manifest, GLANCE));
        found.push(Kept { folder, manifest, fault, bytes, current: false, stale, unfinished: false, held: false });
    }
    let made = |kept: &Kept| kept.manifest.as_ref().map_or(0, |manifest| manifest.created_at_ms);
    found.sort_by_key(made);
    let mut newest = HashMap::new();
    // In favor of one that is damaged none has to go.
    for (i, kept) in found.iter_mut().enumerate().filter(|(_, kept)| kept.fault.is_none()) {
        match kept.manifest.as_ref().map(kind_of) {
            Some(Some(kind)) => drop(newest.insert(kind, i)),
            Some(None) => kept.current = true,
            None => {}
        }
    }
    for i in newest.into_values() {
        found[i].current = true;
    }
    // Of a store, what is being built lies on the machine that builds it.
    let stages = if far { Vec::new() } else { folders(out, is_stage)? };
    for folder in stages {
        let (bytes, held) = (bytes_in(&folder), is_held(&folder));
        found.push(Kept {
            folder,
            manifest: None,
            fault: None,
            bytes,
            current: false,
            stale: None,
            unfinished: true,
            held,
        });
    }
    Ok(found)
}

/// Removes the warehouses that a newer one of the same sources and settings replaces, and what builds have left that
/// were ended in the middle. The newer one is proven first: every shard has the SHA-256 of its manifest, or nothing goes in
/// its favor. Nothing is removed where `only_say`.
pub fn gc(out: &Path, only_say: bool) -> Result<Vec<Removed>> {
    let mut removed = Vec::new();
    let all = list(out)?;
    let kinds: Vec<_> = all.iter().map(|kept| kept.manifest.as_ref().and_then(kind_of)).collect();
    let counts = kinds.iter().flatten().fold(HashMap::<_, usize>::new(), |mut counts, kind| {
        *counts.entry(kind).or_default() += 1;
        counts
    });
    let mut newest: HashMap<&str, usize> = HashMap::new();
    for (k, kind) in kinds.iter().enumerate().rev() {
        let Some(kind) = kind.as_ref().filter(|kind| counts.get(kind).is_some_and(|n| *n > 1)) else { continue };
        if !newest.contains_key(kind.as_str()) && all[k].fault.is_none() && whole(&all[k].folder)?.is_some() {
            newest.insert(kind, k);
        }
    }
    for (k, kept) in all.iter().enumerate() {
        let newer = || newest.get(kinds.get(k)?.as_deref()?).filter(|newer| **newer > k);
        let why = match kept {
            Kept { unfinished: true, held: false, .. } => "its build did not end",
            Kept { manifest: Some(_), .. } if newer().is_some() => "a newer one was made of the same sources",
            _ => continue,
        };
        let gone = !only_say
            && match (&kept.manifest, kept.unfinished) {
                (Some(manifest), _) => remove(&kept.folder, manifest)?,
                (None, _) => remove_dead(&kept.folder),
            };
        removed.push(Removed { folder: kept.folder.clone(), bytes: kept.bytes, why, gone });
    }
    Ok(removed)
}

/// Removes a warehouse, so that nobody opens a half; nothing where it holds anything else.
fn remove(folder: &Path, manifest: &Manifest) -> Result<bool> {
    let failed = |e| io_error(&display(folder), "remove the warehouse", e);
    let own = |name: &std::ffi::OsStr| {
        name == MANIFEST_NAME || manifest.shards.iter().any(|shard| name == shard.relative_path.as_str())
    };
    if remote::is_remote(folder) {
        let all = remote::below(folder)?;
        if !all.iter().all(|one| own(one.name.as_ref())) {
            return Ok(false);
        }
        remote::remove(&[remote::beneath(folder, MANIFEST_NAME)])?;
        let shards = all.into_iter().filter(|one| one.name != MANIFEST_NAME).map(|one| one.path);
        return remote::remove(&shards.collect::<Vec<_>>()).map(|()| true);
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        if !own(&name) {
            return Ok(false);
        }
        names.push(name);
    }
    names.sort_by_key(|name| name != MANIFEST_NAME);
    // Under the name of a build that did not end: what is left where this is ended in the middle goes the next time.
    let aside = aside(folder);
    let gone = match fs::rename(folder, &aside) {
        Ok(()) => aside,
        Err(_) => folder.to_owned(),
    };
    names.iter().try_for_each(|name| fs::remove_file(gone.join(name))).map_err(failed)?;
    fs::remove_dir(gone).map_err(failed)?;
    Ok(true)
}

/// The manifest and the bytes of the shards, if every one is what the manifest says.
pub(super) fn whole(folder: &Path) -> Result<Option<(Manifest, u64)>> {
    let Ok(manifest) = read_manifest(&remote::beneath(folder, MANIFEST_NAME)) else { return Ok(None) };
    let mut bytes = 0;
    for shard in &manifest.shards {
        let Ok(name) = shard.path() else { return Ok(None) };
        let path = remote::beneath(folder, name);
        let found = match remote::is_remote(&path) {
            true => remote::found(&path)?,
            false if fs::metadata(&path).is_ok() => Some(Input::pieces(&path)?),
            false => None,
        };
        let Some(found) = found else { return Ok(None) };
        if shard.checksum_sha256.is_none() || Some(sha256_of(&found)?) != shard.checksum_sha256 {
            return Ok(None);
        }
        bytes += found.len();
    }
    Ok(Some((manifest, bytes)))
}
