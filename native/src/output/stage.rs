//! Several outputs that appear together.
//!
//! They are written into a hidden folder beside their places, and take these when all are whole. No rename moves
//! several files at once; so that a process that dies in between never leaves old and new ones side by side, the old
//! are removed first. What can be left is a part of one set, and its names say that it is a part.
//!
//! A store has no folders and no renames. There each appears in its place as soon as it is whole.

use std::{
    collections::HashSet,
    ffi::OsStr,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use forebay::{Error, Result, error::codes};
use tempfile::TempPath;

use super::{part, sync_folder};
use crate::{
    half_written::SUFFIX,
    input::{display, io_error, remote},
};

/// A folder in which outputs wait for each other. Dropping it removes it.
#[derive(Debug)]
pub struct Stage {
    folder: PathBuf,
    force: bool,
    /// Says that this process lives, as long as it is open.
    _lock: Option<File>,
    /// The hidden folder; of a store there is none.
    staged: Option<PathBuf>,
}

impl Stage {
    /// Begins outputs `names` in `folder`, which exists. What exists is refused unless `force`; `set` is what they are
    /// called together.
    pub fn begin(folder: &Path, set: &OsStr, names: impl Iterator<Item = String>, force: bool) -> Result<Stage> {
        if remote::is_remote(folder) {
            return Self::far(folder, names, force);
        }
        for name in names {
            let path = folder.join(name);
            match fs::symlink_metadata(&path) {
                Ok(found) if found.is_dir() => {
                    let message = "a folder has the name of an output; remove it, or write elsewhere";
                    return Err(Error::new(&codes::ARGUMENT, message).file(display(&path)));
                }
                Ok(_) if !force => return Err(super::exists().file(display(&path))),
                Err(e) if e.kind() != io::ErrorKind::NotFound => {
                    return Err(io_error(&display(&path), "look for the output", e));
                }
                _ => {}
            }
        }
        let failed = |e| io_error(&display(folder), "write into the folder", part::plain(e));
        part::clear(folder, set);
        let prefix = part::prefix(set);
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(SUFFIX);
        let mut live = part::live();
        for _ in 0..part::TRIES {
            let staged = builder.tempdir_in(folder).map_err(failed)?;
            let lock = File::open(staged.path()).ok();
            // Somebody who takes the folder for a dead run's, before the lock is ours, removes it.
            if lock.as_ref().is_none_or(part::claim) && staged.path().is_dir() {
                live.push(staged.path().to_owned());
                return Ok(Stage { folder: folder.to_owned(), force, _lock: lock, staged: Some(staged.keep()) });
            }
        }
        Err(failed(io::Error::other("another run removes every temporary folder")))
    }

    /// The same in a store: one list says what is there.
    fn far(folder: &Path, names: impl Iterator<Item = String>, force: bool) -> Result<Stage> {
        let there: HashSet<String> = match force {
            true => HashSet::new(),
            false => remote::below(folder)?.into_iter().map(|one| one.name).collect(),
        };
        for name in names {
            if there.contains(&name) {
                return Err(super::exists().file(display(&remote::beneath(folder, name))));
            }
        }
        Ok(Stage { folder: folder.to_owned(), force, _lock: None, staged: None })
    }

    /// Where to write the output of that name.
    pub fn at(&self, name: &str) -> PathBuf {
        remote::beneath(self.staged.as_ref().unwrap_or(&self.folder), name)
    }

    /// Does something in the hidden folder while no signal removes it: what is made in it meanwhile would stay.
    pub(crate) fn undisturbed<T>(&self, work: impl FnOnce() -> T) -> T {
        let _live = part::live();
        work()
    }

    /// Says at last whether outputs that are there are replaced.
    #[must_use]
    pub(crate) fn forcing(mut self, force: bool) -> Stage {
        self.force = force;
        self
    }

    /// Whether what is written at its place replaces what is there: in a hidden folder there is nothing to be kept.
    pub fn forces(&self) -> bool {
        self.force || self.staged.is_some()
    }

    /// Puts the outputs in place, all of which are written, durably where `sync` says so.
    pub fn commit(self, names: &[String], sync: bool) -> Result<()> {
        if self.staged.is_none() {
            return Ok(());
        }
        // Until all are in place no signal ends this.
        let live = part::live();
        let place = |name: &String| self.folder.join(name);
        // One output takes the place of the old one at once.
        let over = self.force && names.len() == 1;
        if self.force && !over {
            for path in names.iter().map(place) {
                match fs::remove_file(&path) {
                    Err(e) if e.kind() != io::ErrorKind::NotFound => {
                        return Err(io_error(&display(&path), "replace the output", e));
                    }
                    _ => {}
                }
            }
        }
        for (done, name) in names.iter().enumerate() {
            let path = place(name);
            let staged = TempPath::try_from_path(self.at(name));
            if let Err(e) = staged.and_then(|staged| part::place(staged, &path, over)) {
                // Those before are ours, and nobody has seen them whole.
                names.iter().take(done).map(place).for_each(|path| drop(fs::remove_file(path)));
                return Err(match e.kind() {
                    io::ErrorKind::AlreadyExists => super::appeared().file(display(&path)),
                    _ => io_error(&display(&path), "rename the finished file", e),
                });
            }
        }
        if sync {
            sync_folder(&self.folder).map_err(|e| super::not_durable(&display(&self.folder), e))?;
        }
        drop(live);
        Ok(())
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let Some(staged) = &self.staged else { return };
        let mut live = part::live();
        live.retain(|path| path != staged);
        // What is left in it is not an output, and the next run clears it away.
        let _ = fs::remove_dir_all(staged);
    }
}
