//! The warehouses in a folder: which there are, which are current, and which can go.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use forebay::{
    Limits, Result,
    warehouse::{MANIFEST_NAME, Manifest},
};

use super::stage::{is_held, is_stage, remove_dead};
use crate::{
    input::{Input, display, io_error},
    shards::sha256_of,
};

/// A warehouse in a folder.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Kept {
    /// Its folder.
    pub folder: PathBuf,
    /// Its manifest; none where it does not read, or the build has not ended.
    pub manifest: Option<Manifest>,
    /// Why it does not read.
    pub fault: Option<String>,
    /// Bytes of all its files.
    pub bytes: u64,
    /// Whether it is the newest that was made of its sources with its settings.
    pub current: bool,
    /// Whether it is being built: then a process may be at work on it.
    pub unfinished: bool,
    /// Whether a process is at work on it now.
    pub held: bool,
}

/// What was removed, or would be.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Removed {
    /// The folder.
    pub folder: PathBuf,
    /// Its bytes.
    pub bytes: u64,
    /// Why.
    pub why: &'static str,
    /// Whether it is gone. What holds files that are none of a warehouse's stays.
    pub gone: bool,
}

/// The folders that are called as versions are, sorted.
pub(super) fn versions(out: &Path) -> Result<Vec<PathBuf>> {
    let is_version = |name: &str| {
        name.strip_prefix('v').is_some_and(|key| key.len() == 64 && key.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    folders(out, |name| name.to_str().is_some_and(is_version))
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
    let path = if path.is_dir() { path.join(MANIFEST_NAME) } else { path.to_owned() };
    let named = |e: forebay::Error| e.file(display(&path));
    let input = crate::Input::pieces(&path)?;
    Limits::default().metadata(input.len()).map_err(named)?;
    Manifest::parse(&input.slice(0..input.len())?, &Limits::default()).map_err(named)
}

/// What warehouses of one kind have in common, whatever the content of their sources.
fn kind_of(manifest: &Manifest) -> String {
    let key = manifest.version_key.as_deref().unwrap_or_default();
    // The content stands last in the key.
    let key = key.split_once(",\"content\":").map_or(key, |(before, _)| before);
    let transform = serde_json::to_string(&manifest.transform).unwrap_or_default();
    format!("{}\n{transform}\n{}\n{key}", manifest.dataset_root, manifest.default_dtype.name())
}

/// The warehouses in a folder, the oldest first, and builds that have not ended.
pub fn list(out: &Path) -> Result<Vec<Kept>> {
    let mut found = Vec::new();
    for folder in versions(out)? {
        let (manifest, fault) = match read_manifest(&folder) {
            Ok(manifest) => (Some(manifest), None),
            Err(e) => (None, Some(e.to_string())),
        };
        let bytes = bytes_in(&folder);
        found.push(Kept { folder, manifest, fault, bytes, current: false, unfinished: false, held: false });
    }
    let made = |kept: &Kept| kept.manifest.as_ref().map_or(0, |manifest| manifest.created_at_ms);
    found.sort_by_key(made);
    let mut newest = HashMap::new();
    for (i, kept) in found.iter().enumerate() {
        if let Some(manifest) = &kept.manifest {
            newest.insert(kind_of(manifest), i);
        }
    }
    for i in newest.into_values() {
        found[i].current = true;
    }
    for folder in folders(out, is_stage)? {
        let (bytes, held) = (bytes_in(&folder), is_held(&folder));
        found.push(Kept { folder, manifest: None, fault: None, bytes, current: false, unfinished: true, held });
    }
    Ok(found)
}

/// Removes the warehouses that a newer one of the same sources and settings replaces, and what builds have left that
/// were ended in the middle. Nothing is removed where `only_say`.
pub fn gc(out: &Path, only_say: bool) -> Result<Vec<Removed>> {
    let mut removed = Vec::new();
    for kept in list(out)? {
        let why = match &kept {
            Kept { unfinished: true, held: false, .. } => "its build did not end",
            Kept { manifest: Some(_), current: false, .. } => "a newer one was made of the same sources",
            _ => continue,
        };
        let gone = !only_say
            && match (&kept.manifest, kept.unfinished) {
                (Some(manifest), _) => remove(&kept.folder, manifest)?,
                (None, _) => remove_dead(&kept.folder),
            };
        removed.push(Removed { folder: kept.folder, bytes: kept.bytes, why, gone });
    }
    Ok(removed)
}

/// Removes a warehouse, the manifest first, so that nobody opens a half; nothing where it holds anything else.
fn remove(folder: &Path, manifest: &Manifest) -> Result<bool> {
    let failed = |e| io_error(&display(folder), "remove the warehouse", e);
    let own = |name: &std::ffi::OsStr| {
        name == MANIFEST_NAME || manifest.shards.iter().any(|shard| name == shard.relative_path.as_str())
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if !own(&entry.file_name()) {
            return Ok(false);
        }
        files.push(entry.path());
    }
    files.sort_by_key(|path| path.file_name().is_none_or(|name| name != MANIFEST_NAME));
    for path in files {
        fs::remove_file(path).map_err(failed)?;
    }
    fs::remove_dir(folder).map_err(failed)?;
    Ok(true)
}

/// The manifest and the bytes of the shards, if every one is what the manifest says.
pub(super) fn whole(folder: &Path) -> Result<Option<(Manifest, u64)>> {
    let Ok(manifest) = read_manifest(folder) else { return Ok(None) };
    let mut bytes = 0;
    for shard in &manifest.shards {
        let Ok(name) = shard.path() else { return Ok(None) };
        let path = folder.join(name);
        let Ok(found) = fs::metadata(&path) else { return Ok(None) };
        if shard.checksum_sha256.is_none() || Some(sha256_of(&Input::pieces(&path)?)?) != shard.checksum_sha256 {
            return Ok(None);
        }
        bytes += found.len();
    }
    Ok(Some((manifest, bytes)))
}
