//! Files in a folder, under names that come from a dataset.
//!
//! Nothing leaves the folder and nothing that is in it leads out of it: each part of a name is opened by itself, from
//! the folder before it, and a link there is refused. So nothing is made behind a link either, not even a folder, and
//! nobody can put one there in between.

#[cfg(not(unix))]
use std::io::IoSlice;
#[cfg(unix)]
use std::{
    collections::HashSet,
    ffi::OsStr,
    fs::File,
    io::Write,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::atomic::{AtomicU32, Ordering},
};
use std::{
    io,
    path::{Path, PathBuf},
};

use forebay::{Error, Result, error::codes};
#[cfg(unix)]
use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, Stat},
    io::Errno,
};

#[cfg(not(unix))]
use super::AtomicFile;
#[cfg(unix)]
use super::part;
use crate::{
    half_written::SUFFIX,
    input::{display, io_error},
};

/// The result for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
#[non_exhaustive]
pub enum Written {
    /// It is there.
    Whole,
    /// Nothing was written: what has the name was written by this run, under a name that the file system takes for the
    /// same.
    Taken,
}

/// A folder that is written into.
#[derive(Debug)]
pub struct Beneath {
    folder: PathBuf,
    #[cfg(unix)]
    root: OwnedFd,
    /// The folder that was written into last, by its name: files of one folder mostly follow each other.
    #[cfg(unix)]
    last: Option<(PathBuf, OwnedFd)>,
    /// The files that are written, by device and number.
    #[cfg(unix)]
    written: HashSet<(u64, u64)>,
}

impl Beneath {
    /// A folder, which is made where it does not exist. The user named it, so links on the way to it are followed.
    pub fn open(folder: &Path) -> Result<Beneath> {
        let failed = |tried: &str, e: io::Error| io_error(&display(folder), tried, e);
        super::make_folder(folder).map_err(|e| failed("make the folder", e))?;
        Ok(Beneath {
            folder: folder.to_owned(),
            #[cfg(unix)]
            root: rustix::fs::open(folder, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
                .map_err(|e| failed("open the folder", e.into()))?,
            #[cfg(unix)]
            last: None,
            #[cfg(unix)]
            written: HashSet::new(),
        })
    }

    /// A file that is read meanwhile, should it lie here: its name counts as taken.
    pub(crate) fn keep(&mut self, path: &Path) {
        #[cfg(unix)]
        if let Ok(found) = rustix::fs::stat(path) {
            self.written.insert(number(&found));
        }
        #[cfg(not(unix))]
        let _ = path;
    }

    fn link(&self, path: &Path) -> Error {
        let message = "a link is in the way, and links are not followed; remove it, or write into another folder";
        Error::new(&codes::ARGUMENT, message).file(display(&self.folder.join(path)))
    }
    fn no_folder(&self, path: &Path) -> Error {
        let message = "a file has the name of a folder that is needed; remove it, or write into another folder";
        Error::new(&codes::ARGUMENT, message).file(display(&self.folder.join(path)))
    }
}

#[cfg(unix)]
impl Beneath {
    /// Writes a file whole. What exists is refused unless `force`, which replaces also a link, a pipe or a device, and
    /// never what it leads to.
    pub fn write(&mut self, name: &Path, bytes: &[u8], force: bool) -> Result<Written> {
        let path = self.folder.join(name);
        let shown = display(&path);
        let failed = |tried: &str, e: Errno| io_error(&shown, tried, e.into());
        let file = name.file_name().ok_or_else(|| io_error(&shown, "write", io::ErrorKind::InvalidInput.into()))?;
        let parent = name.parent().unwrap_or(Path::new(""));
        self.enter(parent)?;
        let dir = match &self.last {
            Some((_, dir)) => dir.as_fd(),
            None => self.root.as_fd(),
        };
        let old = match rustix::fs::statat(dir, file, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(old) if self.written.contains(&number(&old)) => return Ok(Written::Taken),
            Ok(_) if !force => return Err(super::taken::exists().file(&shown)),
            Ok(old) if kind(&old) == FileType::Directory => {
                let message = "a folder has the name of an output; remove it, or write into another folder";
                return Err(Error::new(&codes::ARGUMENT, message).file(&shown));
            }
            Ok(old) => Some(old),
            Err(Errno::NOENT) => None,
            Err(e) => return Err(failed("look for the output", e)),
        };
        // The replaced file's permissions stay.
        let kept =
            old.filter(|old| kind(old) == FileType::RegularFile).map(|old| Mode::from_raw_mode(old.st_mode & 0o777));
        let folder = self.folder.join(parent);
        part::clear(&folder, file);
        let mut part = Part::create(dir, &folder, file, kept).map_err(|e| failed("write", e))?;
        part.file.write_all(bytes).map_err(|e| io_error(&shown, "write", e))?;
        if let Some(mode) = kept {
            // If a file system has no permissions, there are none to keep.
            let _ = rustix::fs::fchmod(&part.file, mode);
        }
        let number = rustix::fs::fstat(&part.file).map(|new| number(&new)).map_err(|e| failed("write", e))?;
        part.place(file, force).map_err(|e| match e {
            Errno::EXIST if !force => super::taken::appeared().file(&shown),
            e => failed("rename the finished file", e),
        })?;
        self.written.insert(number);
        Ok(Written::Whole)
    }

    /// Goes to a folder below, making what is missing.
    fn enter(&mut self, parent: &Path) -> Result<()> {
        if parent.as_os_str().is_empty() {
            self.last = None;
            return Ok(());
        }
        if self.last.as_ref().is_some_and(|(last, _)| last == parent) {
            return Ok(());
        }
        self.last = None;
        let mut at: Option<OwnedFd> = None;
        let mut path = PathBuf::new();
        for step in parent {
            path.push(step);
            let shown = || display(&self.folder.join(&path));
            let dir = at.as_ref().unwrap_or(&self.root);
            match rustix::fs::mkdirat(dir, step, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(e) => return Err(io_error(&shown(), "make the folder", e.into())),
            }
            let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            at = Some(match rustix::fs::openat(dir, step, flags, Mode::empty()) {
                Ok(next) => next,
                // Systems differ in what they call a link that is not followed.
                Err(e) => {
                    let found = rustix::fs::statat(dir, step, AtFlags::SYMLINK_NOFOLLOW).map(|found| kind(&found));
                    return Err(match found {
                        Ok(FileType::Symlink) => self.link(&path),
                        Ok(found) if found != FileType::Directory => self.no_folder(&path),
                        _ => io_error(&shown(), "open the folder", e.into()),
                    });
                }
            });
        }
        self.last = at.map(|dir| (parent.to_owned(), dir));
        Ok(())
    }
}

/// What tells a file from all others that exist.
#[cfg(unix)]
#[allow(clippy::unnecessary_cast, reason = "systems differ in the size of these numbers")]
fn number(stat: &Stat) -> (u64, u64) {
    (stat.st_dev as u64, stat.st_ino as u64)
}

#[cfg(unix)]
fn kind(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

/// A hidden sibling in an opened folder; as [`part::Part`], but no path is followed to it again.
#[cfg(unix)]
struct Part<'a> {
    dir: BorrowedFd<'a>,
    name: String,
    path: PathBuf,
    file: File,
    placed: bool,
}

#[cfg(unix)]
impl<'a> Part<'a> {
    fn create(dir: BorrowedFd<'a>, folder: &Path, output: &OsStr, mode: Option<Mode>) -> Result<Part<'a>, Errno> {
        let prefix = part::prefix(output);
        // Names of outputs here are text, and so is what is made of them.
        let prefix = prefix.to_str().ok_or(Errno::INVAL)?;
        let mode = mode.unwrap_or(Mode::from_raw_mode(0o666));
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut live = part::live();
        for _ in 0..part::TRIES {
            let name = format!("{prefix}{}{}", random(), SUFFIX);
            let file = match rustix::fs::openat(dir, &name, flags, mode) {
                Ok(fd) => File::from(fd),
                Err(Errno::EXIST) => continue,
                Err(e) => return Err(e),
            };
            if part::claim(&file) {
                let path = folder.join(&name);
                live.push(path.clone());
                return Ok(Part { dir, name, path, file, placed: false });
            }
        }
        Err(Errno::EXIST)
    }

    fn place(&mut self, output: &OsStr, force: bool) -> Result<(), Errno> {
        // Whoever ends this process meanwhile finds either the sibling or the output.
        let _live = part::live();
        if force { rustix::fs::renameat(self.dir, &self.name, self.dir, output) } else { self.place_new(output) }?;
        self.placed = true;
        Ok(())
    }

    fn place_new(&self, output: &OsStr) -> Result<(), Errno> {
        #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
        match rustix::fs::renameat_with(self.dir, &self.name, self.dir, output, rustix::fs::RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            other => return other,
        }
        match rustix::fs::linkat(self.dir, &self.name, self.dir, output, AtFlags::empty()) {
            Ok(()) => rustix::fs::unlinkat(self.dir, &self.name, AtFlags::empty()),
            Err(Errno::PERM | Errno::NOTSUP | Errno::NOSYS | Errno::MLINK) => {
                // A file system with neither: a name that is made here and now is ours to replace.
                let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
                rustix::fs::openat(self.dir, output, flags, Mode::from_raw_mode(0o600))?;
                rustix::fs::renameat(self.dir, &self.name, self.dir, output)
            }
            Err(e) => Err(e),
        }
    }
}

#[cfg(unix)]
impl Drop for Part<'_> {
    fn drop(&mut self) {
        let mut live = part::live();
        live.retain(|path| *path != self.path);
        if !self.placed {
            // The next run clears away what cannot be removed now.
            let _ = rustix::fs::unlinkat(self.dir, &self.name, AtFlags::empty());
        }
    }
}

/// Six letters or digits that nobody else has, mostly; who has is found out.
#[cfg(unix)]
fn random() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
    let mut n = getrandom::u32().unwrap_or_else(|_| NEXT.fetch_add(1, Ordering::Relaxed));
    let mut digit = || {
        let digit = DIGITS[n as usize % DIGITS.len()];
        n /= DIGITS.len() as u32;
        char::from(digit)
    };
    (0..6).map(|_| digit()).collect()
}

#[cfg(not(unix))]
impl Beneath {
    /// Writes a file whole. What exists is refused unless `force`. Links are looked for before each step; that nobody
    /// puts one there in between cannot be said here.
    pub fn write(&mut self, name: &Path, bytes: &[u8], force: bool) -> Result<Written> {
        let mut at = PathBuf::new();
        for step in name.parent().unwrap_or(Path::new("")) {
            at.push(step);
            let path = self.folder.join(&at);
            match fs::create_dir(&path) {
                Err(e) if e.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(io_error(&display(&path), "make the folder", e));
                }
                _ => {}
            }
            match fs::symlink_metadata(&path) {
                Ok(found) if found.is_symlink() => return Err(self.link(&at)),
                Ok(found) if !found.is_dir() => return Err(self.no_folder(&at)),
                Ok(_) => {}
                Err(e) => return Err(io_error(&display(&path), "open the folder", e)),
            }
        }
        let path = self.folder.join(name);
        if fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink()) {
            return Err(self.link(name));
        }
        let mut file = AtomicFile::create_as_named(&path, force)?;
        file.append(&mut [IoSlice::new(bytes)])?;
        file.commit(false)?;
        Ok(Written::Whole)
    }
}
