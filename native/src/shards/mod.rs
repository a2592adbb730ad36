//! A tensor warehouse on this machine: its manifest, and the shards that it names.

mod proven;

use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use bytes::Bytes;
use forebay::{
    Error, Limits, Result,
    detect::{HEAD_LEN, detect},
    formats::Format,
    warehouse::{Digest, MAGIC, MANIFEST_NAME, Manifest, Opener, ShardEntry, Warehouse, codes},
};

use crate::{
    cache::Cache,
    input::{Input, Io, WINDOW, display, first_bytes, io_error, remote},
};

pub(crate) use proven::Proven;

/// A warehouse whose files are open.
#[derive(Clone, Debug)]
pub struct OpenWarehouse {
    /// Manifest and headers.
    pub warehouse: Warehouse,
    /// The manifest and the shards as one file.
    pub joined: Input,
    /// Each shard by its number in the manifest; none for what is not there.
    pub shards: Vec<Option<Input>>,
    /// Where each lies.
    pub paths: Vec<Option<PathBuf>>,
}

/// How to open a warehouse.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct WarehouseOptions {
    /// Bounds on what the files may cost.
    pub limits: Limits,
    /// How bytes come in.
    pub io: Io,
    /// Where bytes of shards elsewhere are kept.
    pub cache: Option<Cache>,
    /// Open what is sound, and keep what is wrong as [faults](Warehouse::faults).
    pub keep_going: bool,
}

/// The manifest that a path means: a file that is one, or a folder that has one. By content; what cannot be read is
/// not one.
pub fn manifest_of(path: &Path) -> Option<PathBuf> {
    let folder = path.is_dir() || remote::is_folder(path);
    let found = if folder { path.join(MANIFEST_NAME) } else { path.to_owned() };
    if !remote::is_remote(&found) && !found.is_file() {
        return None;
    }
    let head = first_bytes(&found, HEAD_LEN).ok()?;
    (detect(&head) == Some(Format::Warehouse) && !head.starts_with(&MAGIC)).then_some(found)
}

/// Opens the warehouse of a manifest. A shard that a path or a link would look for outside of the manifest's folder is
/// refused.
pub fn open(manifest: &Path, options: &WarehouseOptions) -> Result<OpenWarehouse> {
    let name = display(manifest);
    let named = |e: Error| e.file(&name);
    let file = Input::pieces(manifest)?;
    options.limits.metadata(file.len()).map_err(named)?;
    let text = file.slice(0..file.len())?;
    let said = Manifest::parse(&text, &options.limits).map_err(named)?;
    let folder = match manifest.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if remote::is_remote(manifest) {
        let found = remote::each(&said.shards, |_| true, |entry| elsewhere(folder, entry, options).map_err(named))?;
        let (shards, paths) =
            found.into_iter().map(|one| one.map_or((None, None), |(a, b)| (Some(a), Some(b)))).unzip();
        return join(&name, (said, text), shards, paths, options);
    }
    let root = std::fs::canonicalize(folder).map_err(|e| io_error(&name, "open", e))?;
    let (mut shards, mut paths, mut outside) = (Vec::new(), Vec::new(), None);
    for entry in &said.shards {
        let place = match place(&root, folder, entry) {
            Err(e) if options.keep_going && e.code() == &codes::PATH => {
                // What the opener sees in the path it says itself.
                if entry.path().is_ok() {
                    outside.get_or_insert(e);
                }
                None
            }
            place => place.map_err(named)?,
        };
        let shard = place.as_ref().map(|path| Input::open(path, options.io)).transpose()?;
        shards.push(match &options.cache {
            Some(cache) => shard.map(|shard| shard.cached(cache)),
            None => shard,
        });
        paths.push(place);
    }
    if let Some(e) = outside {
        return Err(named(e));
    }
    join(&name, (said, text), shards, paths, options)
}

/// Where the manifest says what a warehouse was made of, if that is more than one source.
pub(crate) const SOURCES: &str = "sources";
/// Files that are looked at where nobody asked for it.
pub(crate) const GLANCE: usize = 100_000;

/// The first file or folder of the sources that was changed after the warehouse was built, of the first `most`. Sources that
/// are not here, or lie elsewhere, are not known to be changed.
fn newer_source(folder: &Path, manifest: &Manifest, most: usize) -> Option<PathBuf> {
    let listed =
        manifest.other.get(SOURCES).and_then(|listed| serde_json::from_value::<Vec<PathBuf>>(listed.clone()).ok());
    let mut next = listed.unwrap_or_else(|| vec![PathBuf::from(&manifest.dataset_root)]);
    next.retain(|path| !remote::is_remote(path));
    // Warehouses may lie in the folder that they are made of.
    let own = folder.parent().and_then(|out| out.canonicalize().ok());
    let mut looked = 0;
    while let Some(path) = next.pop() {
        let Ok(found) = fs::metadata(&path) else { continue };
        let since = found.modified().ok().and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
        if since.is_some_and(|since| since.as_millis() > u128::from(manifest.created_at_ms)) {
            return Some(path);
        }
        if !found.is_dir() || (own.is_some() && path.canonicalize().ok() == own) {
            continue;
        }
        let Ok(entries) = fs::read_dir(&path) else { continue };
        for entry in entries.flatten() {
            looked += 1;
            if looked > most {
                return None;
            }
            if !entry.file_type().is_ok_and(|kind| kind.is_symlink() && entry.path().is_dir()) {
                next.push(entry.path());
            }
        }
    }
    None
}

/// What is said of a warehouse whose sources are not what it was made of.
pub(crate) fn stale(folder: &Path, manifest: &Manifest, most: usize) -> Option<String> {
    let newer = newer_source(folder, manifest, most)?;
    Some(format!("{} was changed after the warehouse was built; build it again", display(&newer)))
}

/// The manifest and its shards as one.
fn join(
    name: &str,
    (said, text): (Manifest, Bytes),
    shards: Vec<Option<Input>>,
    paths: Vec<Option<PathBuf>>,
    options: &WarehouseOptions,
) -> Result<OpenWarehouse> {
    let lens: Vec<Option<u64>> = shards.iter().map(|shard| shard.as_ref().map(Input::len)).collect();
    let mut opener = Opener::new(said, text.len() as u64, &lens).with_limits(options.limits.clone());
    if options.keep_going {
        opener = opener.keep_going();
    }
    let joined =
        Input::joined(name, std::iter::once(Input::memory(name, text)).chain(shards.iter().flatten().cloned()));
    let warehouse = joined.drive(&mut opener, |_| 0).map_err(|e| e.file(name))?;
    Ok(OpenWarehouse { warehouse, joined, shards, paths })
}

/// A shard that lies beside a manifest elsewhere; none where nothing is. A path that leads out is kept for the opener, who
/// says so.
fn elsewhere(folder: &Path, entry: &ShardEntry, options: &WarehouseOptions) -> Result<Option<(Input, PathBuf)>> {
    let path = match entry.path() {
        Err(_) if options.keep_going => return Ok(None),
        path => folder.join(path?),
    };
    match Input::open(&path, options.io) {
        Ok(input) => {
            Ok(Some((options.cache.as_ref().map_or_else(|| input.clone(), |cache| input.cached(cache)), path)))
        }
        Err(e) if e.code() == &remote::codes::NOT_FOUND => Ok(None),
        Err(e) => Err(e),
    }
}

/// Where a shard lies; none where nothing is.
fn place(root: &Path, folder: &Path, entry: &ShardEntry) -> Result<Option<PathBuf>> {
    let path = folder.join(entry.path()?);
    match std::fs::canonicalize(&path) {
        Ok(real) if real.starts_with(root) => Ok(Some(path)),
        Ok(_) => {
            let message =
                format!("the shard {:?} is a link that leaves the folder of the manifest", entry.relative_path);
            Err(Error::new(&codes::PATH, message).section("manifest"))
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(io_error(&display(&path), "open", e)),
    }
}

/// The SHA-256 of a whole file, which is read once and not kept.
pub(crate) fn sha256_of(input: &Input) -> Result<String> {
    let mut digest = Digest::default();
    input.sequential();
    let mut at = 0;
    while at < input.len() {
        let end = input.len().min(at + WINDOW);
        digest.add(&input.lend(at..end)?);
        at = end;
    }
    Ok(digest.finish())
}
