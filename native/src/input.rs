//! Opening what the user named: a file, mapped, read, or read piece by piece.

use std::{
    fs::File,
    io::{self, Read},
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use bytes::{Bytes, BytesMut};
use forebay::{Error, Result, Step, Stepper, error::codes};

use crate::map::Map;

/// The name for standard input and output.
pub const PIPE: &str = "-";

/// Bytes of a mapped file that a pass over it keeps at a time.
pub const WINDOW: u64 = 8 << 20;

/// Bytes that a pass over a file that is not mapped reads at a time: a header and small members behind it.
const PIECE: u64 = 16 << 10;

/// How a file's bytes come in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Io {
    /// The file is mapped: nothing is copied. If another process shortens the file meanwhile, the system ends this
    /// process with SIGBUS.
    #[default]
    Map,
    /// Every piece is read where it is needed: for network disks, and files that others may shorten, which then is
    /// an error.
    Read,
}

/// A file's bytes: mapped, read into memory, or read where they are needed.
#[derive(Clone, Debug)]
pub struct Input {
    name: String,
    bytes: Bytes,
    len: u64,
    map: Option<Map>,
    /// Of a mapped file: where it is, and which file it is there.
    origin: Option<Arc<(PathBuf, FileId)>>,
    /// Where pieces are read from; `bytes` is empty then.
    file: Option<Arc<File>>,
}

impl Input {
    /// Maps a file.
    pub fn map(path: &Path) -> Result<Input> {
        let name = display(path);
        let file = open(path)?;
        if file.metadata().map_err(|e| io_error(&name, "read", e))?.len() == 0 {
            return Ok(Self::of(name, Bytes::new(), None));
        }
        let map = Map::new(&file).map_err(|e| io_error(&name, "map", e))?;
        let id = file.metadata().map(|metadata| file_id(&metadata));
        let mut input = Self::of(name, map.bytes().clone(), Some(map));
        input.origin = id.ok().map(|id| Arc::new((path.to_owned(), id)));
        Ok(input)
    }

    /// Refuses a mapped file that has become shorter since: touching what it lost would end the process. That it is
    /// whole now says nothing about the next moment; [`Io::Read`] is safe at any.
    pub fn check_whole(&self) -> Result<()> {
        let Some((path, id)) = self.origin.as_deref() else { return Ok(()) };
        match std::fs::metadata(path) {
            Ok(now) if file_id(&now) == *id && now.len() < self.len => Err(self.shorter()),
            // What lies there now may be another file; the mapped one is still whole then.
            _ => Ok(()),
        }
    }

    fn of(name: String, bytes: Bytes, map: Option<Map>) -> Input {
        let len = bytes.len() as u64;
        Input { name, bytes, len, map, origin: None, file: None }
    }

    /// Opens a file of which each piece is read where it is needed.
    pub fn pieces(path: &Path) -> Result<Input> {
        let name = display(path);
        let file = open(path)?;
        let len = file.metadata().map_err(|e| io_error(&name, "read", e))?.len();
        Ok(Input { name, bytes: Bytes::new(), len, map: None, origin: None, file: Some(Arc::new(file)) })
    }

    /// Opens a file in the given way.
    pub fn open(path: &Path, io: Io) -> Result<Input> {
        match io {
            Io::Map => Self::map(path),
            Io::Read => Self::pieces(path),
        }
    }

    /// Reads a file into memory: for files that others may shorten meanwhile.
    pub fn read(path: &Path) -> Result<Input> {
        let name = display(path);
        let mut bytes = Vec::new();
        open(path)?.read_to_end(&mut bytes).map_err(|e| io_error(&name, "read", e))?;
        Ok(Self::of(name, bytes.into(), None))
    }

    /// The file's name as the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Every byte of the file; none where it is read piece by piece.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }
    /// The file's length.
    pub fn len(&self) -> u64 {
        self.len
    }
    /// True for a file without bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// Bytes of a range that the core planned: without copying, but for a file that is read piece by piece.
    pub fn slice(&self, range: Range<u64>) -> Result<Bytes> {
        self.slice_in(range, &mut BytesMut::new())
    }

    /// As [`slice`](Self::slice); what must be read is read into `buffer`, whose memory is used again once the bytes
    /// of earlier calls are let go.
    pub fn slice_in(&self, range: Range<u64>, buffer: &mut BytesMut) -> Result<Bytes> {
        if let Some(file) = &self.file {
            let len = range.end.checked_sub(range.start).filter(|_| range.end <= self.len);
            let len = len.and_then(|n| usize::try_from(n).ok()).ok_or_else(|| self.outside(&range))?;
            buffer.clear();
            buffer.resize(len, 0);
            read_at(file, buffer, range.start).map_err(|e| {
                let at = io_error(&self.name, "read", e).offset(range.start);
                if file.metadata().is_ok_and(|m| m.len() < self.len) { self.shorter() } else { at }
            })?;
            return Ok(buffer.split().freeze());
        }
        match (usize::try_from(range.start), usize::try_from(range.end)) {
            (Ok(start), Ok(end)) if start <= end && end <= self.bytes.len() => Ok(self.bytes.slice(start..end)),
            _ => Err(self.outside(&range)),
        }
    }

    fn outside(&self, range: &Range<u64>) -> Error {
        let message = format!("bytes {}..{} are not in the file", range.start, range.end);
        Error::new(&codes::MISSING_BYTES, message).file(&self.name)
    }
    fn shorter(&self) -> Error {
        let message = format!("the file has become shorter than the {} bytes that it had when it was opened", self.len);
        Error::new(&codes::IO, message).file(&self.name)
    }
    /// Gives a stepper what it asks for, without copying. Where `ahead` says so it gets that many bytes at once, and
    /// what lies before them is let go: work that only moves forward through a large file, such as the scan of an
    /// archive, keeps no more of it in memory.
    pub fn drive<S: Stepper>(&self, work: &mut S, ahead: impl Fn(&S) -> u64) -> Result<S::Output> {
        // Where the bytes in use begin, for work that moves forward.
        let mut used = None;
        loop {
            match work.step()? {
                Step::Done(output) => {
                    if let Some(used) = used {
                        self.release(used..self.len());
                    }
                    return Ok(output);
                }
                Step::Need(ranges) => {
                    for range in ranges {
                        let ahead = if self.file.is_some() { ahead(work).min(PIECE) } else { ahead(work) };
                        let end = range.end.max(range.start.saturating_add(ahead).min(self.len()));
                        work.push(range.start, self.slice(range.start..end)?);
                        if ahead > 0 {
                            self.release(used.unwrap_or(0)..range.start);
                            used = Some(range.start);
                        }
                    }
                }
            }
        }
    }

    /// Lets go of mapped pages that were used.
    pub fn release(&self, range: Range<u64>) {
        if let Some(map) = &self.map {
            map.release(range);
        }
    }
    /// Says that a range will be read soon.
    pub fn will_need(&self, range: Range<u64>) {
        if let Some(map) = &self.map {
            map.will_need(range);
        } else if let Some(file) = &self.file {
            will_need(file, range);
        }
    }
    /// Says that the file will be read from front to back.
    pub fn sequential(&self) {
        if let Some(map) = &self.map {
            map.sequential();
        }
    }
}

fn open(path: &Path) -> Result<File> {
    let name = display(path);
    let file = File::open(path).map_err(|e| io_error(&name, "open", e))?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        return Err(Error::new(&codes::ARGUMENT, "this is a folder, a file is expected").file(name));
    }
    Ok(file)
}

/// What tells a file from another that later has its name.
type FileId = (u64, u64);

#[cfg(unix)]
fn file_id(metadata: &std::fs::Metadata) -> FileId {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

/// Where a mapped file cannot be shortened, as on Windows, nothing needs to be told apart.
#[cfg(not(unix))]
fn file_id(_: &std::fs::Metadata) -> FileId {
    (0, 0)
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_at(file: &File, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !buffer.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, buffer, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(n) => {
                buffer = std::mem::take(&mut buffer).get_mut(n..).unwrap_or_default();
                offset += n as u64;
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

/// Advice is a hint: where it is refused, nothing is lost.
#[cfg(target_os = "linux")]
fn will_need(file: &File, range: Range<u64>) {
    use rustix::fs::{Advice, fadvise};
    if let Some(len) = range.end.checked_sub(range.start).and_then(std::num::NonZeroU64::new) {
        let _ = fadvise(file, range.start, Some(len), Advice::WillNeed);
    }
}

#[cfg(not(target_os = "linux"))]
fn will_need(_: &File, _: Range<u64>) {}

/// A path as it is shown to people.
pub fn display(path: &Path) -> String {
    path.display().to_string()
}

/// An I/O error that names the file and what was tried.
pub fn io_error(file: &str, tried: &str, e: io::Error) -> Error {
    Error::caused(&codes::IO, format!("cannot {tried}: {e}"), e).file(file)
}

/// Expands patterns such as `shards/*.tbl`; a name without a pattern, or that exists as it is, stays.
pub fn expand(names: &[String]) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for name in names {
        if !name.contains(['*', '?', '[']) || Path::new(name).exists() {
            paths.push(PathBuf::from(name));
            continue;
        }
        let bad = |e: String| Error::new(&codes::ARGUMENT, format!("the pattern {name:?}: {e}"));
        let before = paths.len();
        for found in glob::glob(name).map_err(|e| bad(e.to_string()))? {
            paths.push(found.map_err(|e| bad(e.to_string()))?);
        }
        if paths.len() == before {
            return Err(bad("matches no file".into()));
        }
    }
    Ok(paths)
}
