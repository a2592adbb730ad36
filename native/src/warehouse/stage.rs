//! Where a warehouse is while it is being built, and how it takes its place.
//!
//! A hidden folder beside it, named by what is being built, so that a build that was ended in the middle is found by the
//! next one of the same. Who builds holds a lock on it, which the system removes however the process ends.
//!
//! What a warehouse is called follows from all of its pictures, so one that goes to a store is built here too, among the
//! temporary files, and sent when it is whole: its shards, and then the manifest. Parts that other machines made of it meet
//! in the store ([`SharedFolder`]), and stay there until they get their names.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

use forebay::{Error, Result, codec::checksum::crc32, warehouse::MANIFEST_NAME};

use super::{
    codes::{BUSY, NOT_BEGUN},
    shared_folder::{SharedFolder, send},
};
use crate::{
    half_written::{MARK, RANDOM, SUFFIX, is_part},
    input::{Input, display, io_error, remote},
    shards::sha256_of,
};

/// The file that says what a stage is of.
const PLAN: &str = "plan";
/// What a chunk's shard is called until all are there, and what says that it is whole.
const SHARD: &str = "chunk";
const JOURNAL: &str = "done";

/// A folder in which a warehouse is being built.
#[derive(Debug)]
pub(super) struct Stage {
    folder: PathBuf,
    /// The folder of the warehouses, as the user named it.
    out: String,
    /// Says that this process lives, as long as it is open.
    _lock: Option<File>,
    /// Where parts are that other machines made.
    shared_folder: Option<SharedFolder>,
    /// A folder that goes with this.
    _own: Option<tempfile::TempDir>,
    placed: bool,
}

fn begins_with() -> String {
    format!(".warehouse{MARK}")
}

pub(super) fn exists(target: &Path) -> Error {
    let message = "this version of the warehouse exists already, made of the same sources, and is left as it is";
    Error::new(&forebay::error::codes::ARGUMENT, message)
        .file(display(target))
        .with_options(&["skip_if_exists", "clear"])
}

/// Whether a folder's name is that of a stage.
pub(super) fn is_stage(name: &std::ffi::OsStr) -> bool {
    is_part(name) && name.as_encoded_bytes().starts_with(begins_with().as_bytes())
}

/// What a warehouse that is to go is called meanwhile: as a stage that nobody holds, which is cleared away.
pub(super) fn aside(warehouse: &Path) -> PathBuf {
    let name = warehouse.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    warehouse.with_file_name(format!("{}{}{SUFFIX}", begins_with(), name.get(1..=RANDOM).unwrap_or("000000")))
}

impl Stage {
    /// Begins in `out`, or goes on where a build of the same plan ended.
    pub fn begin(out: &Path, plan: &str) -> Result<Stage> {
        remote::refuse_writing(out)?;
        let here = Self::here(out);
        let failed = |e| io_error(&display(&here), "write into the folder", e);
        fs::create_dir_all(&here).map_err(failed)?;
        let folder = Self::folder_of(&here, plan);
        let mut tries = 0;
        let lock = loop {
            match fs::create_dir(&folder) {
                Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(failed(e)),
                _ => {}
            }
            let lock = hold(&folder).map_err(|Held| {
                let message = "another process is building the same warehouse here";
                Error::new(&BUSY, message).file(display(out))
            })?;
            // Somebody who cleared it away before it was ours has left nothing to write into.
            if folder.is_dir() {
                break lock;
            }
            tries += 1;
            if tries > 16 {
                return Err(failed(io::Error::other("another process removes what is built here")));
            }
        };
        let shared_folder = match shared_folder(out, plan) {
            Some(shared_folder) => shared_folder.is_of(plan)?.then_some(shared_folder),
            None => None,
        };
        let stage = Stage { folder, out: display(out), _lock: lock, shared_folder, _own: None, placed: false };
        let known = fs::read_to_string(stage.folder.join(PLAN)).unwrap_or_default();
        if known != plan {
            stage.clear()?;
            stage.write(PLAN, plan.as_bytes())?;
        }
        Ok(stage)
    }

    /// The folder that a stage is in.
    fn here(out: &Path) -> PathBuf {
        match remote::is_remote(out) {
            true => {
                let named = crc32(out.as_os_str().as_encoded_bytes());
                std::env::temp_dir().join(format!("forebay-warehouse-{named:08x}"))
            }
            false => out.to_owned(),
        }
    }

    fn folder_of(out: &Path, plan: &str) -> PathBuf {
        out.join(format!("{}{}{SUFFIX}", begins_with(), plan.get(..RANDOM).unwrap_or("000000")))
    }

    /// Joins others in a build of this plan that was begun. Nobody who begins one, or clears dead ones away, comes in
    /// between.
    pub fn share(out: &Path, plan: &str) -> Result<Stage> {
        let not_begun = || {
            let message = "no build of these sources and settings was begun here, or it has ended";
            Err(Error::new(&NOT_BEGUN, message).file(display(out)))
        };
        if let Some(shared_folder) = shared_folder(out, plan) {
            if !shared_folder.is_of(plan)? {
                return not_begun();
            }
            let here = tempfile::Builder::new().prefix("forebay-part-").tempdir();
            let own = here.map_err(|e| io_error("the temporary folder", "write into", e))?;
            let (folder, shared_folder, own) = (own.path().to_owned(), Some(shared_folder), Some(own));
            return Ok(Stage { folder, out: display(out), _lock: None, shared_folder, _own: own, placed: true });
        }
        let folder = Self::folder_of(out, plan);
        let lock = match File::open(&folder) {
            Ok(file) => match file.try_lock_shared() {
                Err(TryLockError::WouldBlock) => {
                    let message = "another process is putting the same warehouse together here";
                    return Err(Error::new(&BUSY, message).file(display(out)));
                }
                _ => Some(file),
            },
            // Where folders cannot be opened, nobody is kept away.
            Err(_) => None,
        };
        // What it leaves is for the build that was begun.
        let stage = Stage { folder, out: display(out), _lock: lock, shared_folder: None, _own: None, placed: true };
        match fs::read_to_string(stage.folder.join(PLAN)).is_ok_and(|known| known == plan) {
            true => Ok(stage),
            false => not_begun(),
        }
    }

    /// Leaves the build of this plan to others, who [share](Self::share) it.
    pub fn leave(mut self, out: &Path, plan: &str) -> Result<()> {
        match shared_folder(out, plan) {
            Some(shared_folder) => shared_folder.begin(plan)?,
            None => self.placed = true,
        }
        Ok(())
    }

    /// Brings a part that was made here to where others find it.
    pub fn bring(&self, chunk: usize) -> Result<()> {
        let (Some(shared_folder), Some(journal)) = (&self.shared_folder, self.journal_here(chunk)) else {
            return Ok(());
        };
        let shard = Some(self.shard(chunk)).filter(|shard| shard.exists());
        shared_folder.bring(chunk, shard.as_deref(), &journal)
    }

    fn failed(&self, e: io::Error) -> Error {
        io_error(&self.out, "write into the folder", e)
    }

    /// The folder as it is shown: that of the warehouses.
    pub fn name(&self) -> &str {
        &self.out
    }

    /// Removes all that is in it.
    fn clear(&self) -> Result<()> {
        for entry in fs::read_dir(&self.folder).map_err(|e| self.failed(e))? {
            let path = entry.map_err(|e| self.failed(e))?.path();
            let removed = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
            removed.map_err(|e| self.failed(e))?;
        }
        Ok(())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
    /// The shard of a chunk.
    pub fn shard(&self, chunk: usize) -> PathBuf {
        self.path(&format!("{SHARD}-{chunk:05}"))
    }
    fn journal_here(&self, chunk: usize) -> Option<Vec<u8>> {
        fs::read(self.path(&format!("{JOURNAL}-{chunk:05}"))).ok()
    }
    /// What a chunk became, if it is whole.
    pub fn journal(&self, chunk: usize) -> Option<Vec<u8>> {
        self.journal_here(chunk).or_else(|| self.shared_folder.as_ref()?.journal(chunk))
    }
    /// Whether the shard of a chunk with a journal has this SHA-256. In a store its state says so, which the journal was
    /// compared with.
    pub fn has(&self, chunk: usize, sha256: Option<&str>) -> bool {
        if self.journal_here(chunk).is_none() {
            return self.shared_folder.is_some();
        }
        let found = Input::pieces(&self.shard(chunk)).and_then(|shard| sha256_of(&shard));
        found.is_ok_and(|found| Some(found.as_str()) == sha256)
    }
    /// Says what a chunk became, which is whole now.
    pub fn write_journal(&self, chunk: usize, text: &[u8]) -> Result<()> {
        self.write(&format!("{JOURNAL}-{chunk:05}"), text)
    }
    /// Forgets a chunk.
    pub fn forget(&self, chunk: usize) {
        for name in [format!("{JOURNAL}-{chunk:05}"), format!("{SHARD}-{chunk:05}")] {
            // What is not there need not be removed, and what cannot be is written over.
            let _ = fs::remove_file(self.path(&name));
        }
    }

    /// Forgets all of it.
    pub fn discard(&self) {
        // What is left is nobody's, and goes with the next build of the same or when the folder is cleared.
        let _ = self.clear();
    }

    /// Writes a small file, whole or not at all.
    fn write(&self, name: &str, text: &[u8]) -> Result<()> {
        let half = self.path(&format!("half-{name}"));
        fs::write(&half, text).and_then(|()| fs::rename(&half, self.path(name))).map_err(|e| self.failed(e))
    }

    /// Gives the warehouse its place at `target`, with these shards by their chunks and the names that they get.
    /// `replace` lets it take the place of an old one.
    pub fn place(
        mut self,
        target: &Path,
        shards: &[(usize, String)],
        (name, manifest): (&str, &[u8]),
        replace: bool,
        sync: bool,
    ) -> Result<()> {
        // Of those that other machines made there is nothing here.
        let away = |chunk: usize| self.shared_folder.is_some() && self.journal_here(chunk).is_none();
        let (away, here): (Vec<_>, Vec<_>) = shards.iter().partition(|(chunk, _)| away(*chunk));
        for (chunk, name) in here.iter().copied() {
            fs::rename(self.shard(*chunk), self.path(name)).map_err(|e| self.failed(e))?;
        }
        // From here on nobody goes on with it.
        for entry in fs::read_dir(&self.folder).map_err(|e| self.failed(e))? {
            let entry = entry.map_err(|e| self.failed(e))?;
            if !shards.iter().any(|(_, name)| entry.file_name() == name.as_str()) {
                fs::remove_file(entry.path()).map_err(|e| self.failed(e))?;
            }
        }
        let path = self.path(name);
        fs::write(&path, manifest).map_err(|e| self.failed(e))?;
        if remote::is_remote(target) {
            for (_, name) in here {
                // What an earlier build of the same left there is the same.
                send(&Input::pieces(&self.path(name))?, &remote::beneath(target, name), true)?;
            }
            if let Some(shared_folder) = &self.shared_folder {
                for (chunk, name) in away {
                    shared_folder.place(*chunk, &remote::beneath(target, name))?;
                }
            }
            // With it the warehouse is there.
            send(&Input::pieces(&path)?, &remote::beneath(target, MANIFEST_NAME), replace).map_err(|e| {
                match e.code() {
                    code if !replace && code == &forebay::error::codes::ARGUMENT => exists(target),
                    _ => e,
                }
            })?;
            self.placed = true;
            let _ = fs::remove_dir_all(&self.folder);
            if let Some(shared_folder) = &self.shared_folder {
                // What is left of it is in nobody's way.
                let _ = shared_folder.clear();
            }
            return Ok(());
        }
        if sync {
            let synced = |path: &Path| File::open(path).and_then(|file| file.sync_all());
            synced(&path).map_err(|e| self.failed(e))?;
            for (_, name) in shards {
                synced(&self.path(name)).map_err(|e| self.failed(e))?;
            }
        }
        if sync {
            sync_folder(&self.folder).map_err(|e| self.failed(e))?;
        }
        let failed = |e| io_error(&display(target), "put the warehouse in its place", e);
        let there = fs::symlink_metadata(target).is_ok();
        match (there, replace) {
            (true, false) => return Err(exists(target)),
            (true, true) => swap(&self.folder, target).map_err(failed)?,
            (false, _) => fs::rename(&self.folder, target).map_err(failed)?,
        }
        self.placed = true;
        if there {
            // Now it is the old one that is here. What of it cannot be removed is nobody's warehouse any more.
            let _ = fs::remove_dir_all(&self.folder);
        }
        if sync && let Some(out) = target.parent() {
            sync_folder(out).map_err(failed)?;
        }
        Ok(())
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if self.placed {
            return;
        }
        let names = fs::read_dir(&self.folder).map(|entries| entries.filter_map(|e| Some(e.ok()?.file_name())));
        let any =
            names.is_ok_and(|mut names| names.any(|name| name.as_encoded_bytes().starts_with(JOURNAL.as_bytes())));
        // A finished shard is worth keeping: the next build of the same goes on from there.
        if !any {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// Where parts of a build meet that goes to a store.
fn shared_folder(out: &Path, plan: &str) -> Option<SharedFolder> {
    remote::is_remote(out).then(|| {
        let name = format!("{}{}{SUFFIX}", begins_with(), plan.get(..RANDOM).unwrap_or("000000"));
        SharedFolder::of(remote::beneath(out, name))
    })
}

/// Somebody else holds it.
struct Held;

/// Holds a folder for this process. Where folders cannot be locked, nobody is kept away.
fn hold(folder: &Path) -> std::result::Result<Option<File>, Held> {
    let Ok(file) = File::open(folder) else { return Ok(None) };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Held),
        _ => Ok(Some(file)),
    }
}

/// Removes a stage that no process holds; says whether it did.
pub(super) fn remove_dead(folder: &Path) -> bool {
    hold(folder).is_ok_and(|_lock| fs::remove_dir_all(folder).is_ok())
}

/// Whether a living process builds there.
pub(super) fn is_held(folder: &Path) -> bool {
    hold(folder).is_err()
}

/// Puts a folder in the place of another, which takes its own: at once where the system can.
fn swap(new: &Path, old: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        if renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE).is_ok() {
            return Ok(());
        }
    }
    let aside = new.with_extension("old");
    fs::rename(old, &aside)?;
    if let Err(e) = fs::rename(new, old) {
        fs::rename(&aside, old)?;
        return Err(e);
    }
    fs::rename(aside, new)
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(e) if matches!(e.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidInput) => Ok(()),
        other => other,
    }
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
