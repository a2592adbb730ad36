//! Opening a served file: only a regular file, never through a link that was put in its place.

use std::{
    fs::{File, Metadata},
    io::{self, Read, Seek, SeekFrom},
    ops::Range,
    path::Path,
    time::UNIX_EPOCH,
};

use forebay::{Error, Result};

use forebay_native::input::{codes::CHANGED, io_error};

/// Opens a file by its real path, which has no links. What took the place of the file or of a folder above it since the
/// list was made is an error if it is a link, and so is anything that is not a regular file; neither can make this wait.
pub(super) fn open(path: &Path) -> io::Result<(File, Metadata)> {
    let file = without_links(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "it is not a regular file"));
    }
    Ok((file, metadata))
}

#[cfg(target_os = "linux")]
fn without_links(path: &Path) -> io::Result<File> {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};
    use rustix::io::Errno;
    // A named pipe without a writer would block the open.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Ok(file) => Ok(file.into()),
        // An old kernel or a sandbox does not have the call: then only the last part of the path is held to it.
        Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => {
            Ok(openat(CWD, path, flags | OFlags::NOFOLLOW, Mode::empty())?.into())
        }
        Err(Errno::LOOP) => Err(io::Error::new(io::ErrorKind::NotFound, "a link is in its way")),
        Err(e) => Err(e.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn without_links(path: &Path) -> io::Result<File> {
    if !std::fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "it is not a regular file"));
    }
    File::open(path)
}

/// A part of a file on its way to a visitor. What goes wrong is an error of ours with its file and place, on its way
/// through [`io::Error`].
pub(super) struct Part {
    pub file: File,
    name: String,
    at: u64,
    end: u64,
}

impl Part {
    pub fn new(mut file: File, name: String, range: Range<u64>) -> Result<Part> {
        match file.seek(SeekFrom::Start(range.start)) {
            Ok(_) => Ok(Part { file, name, at: range.start, end: range.end }),
            Err(e) => Err(io_error(&name, "read", e).offset(range.start)),
        }
    }
}

impl Read for Part {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end - self.at).unwrap_or(usize::MAX);
        let most = left.min(out.len());
        match self.file.read(out.get_mut(..most).unwrap_or_default()) {
            Ok(0) if most > 0 => {
                let shorter = Error::new(&CHANGED, "the file became shorter while it was read");
                Err(io::Error::other(shorter.file(&self.name).offset(self.at)))
            }
            Ok(n) => {
                self.at += n as u64;
                Ok(n)
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => Err(e),
            Err(e) => Err(io::Error::other(io_error(&self.name, "read", e).offset(self.at))),
        }
    }
}

/// Tells one state of a file from another: its length, both of its times, and which file it is, so that bytes that were
/// copied into place with an old time are seen as new.
pub(super) fn tag(metadata: &Metadata) -> String {
    let changed = metadata.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    format!("\"{:x}-{:x}{}\"", metadata.len(), changed.as_nanos(), identity(metadata))
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> String {
    use std::os::unix::fs::MetadataExt;
    format!("-{:x}-{:x}-{:x}{:x}", metadata.dev(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> String {
    String::new()
}
