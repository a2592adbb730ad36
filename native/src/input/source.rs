//! Where the bytes of a file come from: what a [`Source`] can do, and the kinds that this machine has.
//!
//! Nothing above knows which kind it has. A new one is one more implementation, as [objects in stores](crate::remote) are.

use std::{fs::File, io, ops::Range, path::Path, sync::Arc};

use bytes::Bytes;
use forebay::{Error, Result};

use super::{codes, open, read_error};
use crate::map::Map;

/// The bytes of one file, which has a length and stays what it is.
pub trait Source: std::fmt::Debug + Send + Sync {
    /// How many bytes there are.
    fn len(&self) -> u64;
    /// True if there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Fills `out` with the bytes from `at` on. Errors say where.
    fn read_at(&self, at: u64, out: &mut [u8]) -> Result<()>;
    /// The bytes of several ranges, in their order. One after the other unless a source can do better, as one can that
    /// asks for all of them at once.
    fn read_many(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let one = |range: &Range<u64>| {
            let mut bytes = cleared(range)?;
            self.read_at(range.start, &mut bytes)?;
            Ok(bytes.into())
        };
        ranges.iter().map(one).collect()
    }
    /// What names these very bytes and no others, on every machine, such as an object's address with its version; none
    /// where nothing does. What is read of a source that says so may be kept, and used for another that says the same.
    fn identity(&self) -> Option<String> {
        None
    }
    /// Whether its bytes are kept in a cache already.
    fn is_kept(&self) -> bool {
        false
    }
    /// Whether the bytes lie on this machine. Then nothing is gained by asking for them before they are needed, beyond
    /// what [`advise`](Self::advise) says.
    fn is_local(&self) -> bool {
        false
    }
    /// The bytes of a range that lies inside, if they are in memory already.
    fn at_hand(&self, _range: Range<u64>) -> Option<Bytes> {
        None
    }
    /// Says how a range will be used. A hint: nothing is lost where it is not taken.
    fn advise(&self, _range: Range<u64>, _advice: Advice) {}
    /// Refuses a file that is no longer what it was when it was opened: what was read of it since may be another's.
    fn unchanged(&self) -> Result<()>;
}

/// Memory for a range, which must fit.
pub(crate) fn cleared(range: &Range<u64>) -> Result<Vec<u8>> {
    let len = range.end.checked_sub(range.start).and_then(|len| usize::try_from(len).ok());
    let len = len.ok_or_else(|| {
        let message = format!("there are no bytes {}..{}", range.start, range.end);
        Error::new(&forebay::error::codes::MISSING_BYTES, message)
    })?;
    Ok(vec![0; len])
}

impl<S: Source + ?Sized> Source for Arc<S> {
    fn len(&self) -> u64 {
        (**self).len()
    }
    fn read_at(&self, at: u64, out: &mut [u8]) -> Result<()> {
        (**self).read_at(at, out)
    }
    fn read_many(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        (**self).read_many(ranges)
    }
    fn identity(&self) -> Option<String> {
        (**self).identity()
    }
    fn is_kept(&self) -> bool {
        (**self).is_kept()
    }
    fn is_local(&self) -> bool {
        (**self).is_local()
    }
    fn at_hand(&self, range: Range<u64>) -> Option<Bytes> {
        (**self).at_hand(range)
    }
    fn advise(&self, range: Range<u64>, advice: Advice) {
        (**self).advise(range, advice);
    }
    fn unchanged(&self) -> Result<()> {
        (**self).unchanged()
    }
}

/// The intended use of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Advice {
    /// It is read from front to back.
    Sequential,
    /// It is read soon.
    Soon,
    /// It was used, and is not needed again soon.
    Done,
}

/// Bytes that are in memory.
#[derive(Debug)]
pub(super) struct Memory(pub Bytes);

impl Source for Memory {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }
    fn read_at(&self, at: u64, out: &mut [u8]) -> Result<()> {
        let from = usize::try_from(at).ok().and_then(|at| self.0.get(at..)?.get(..out.len()));
        let from = from.ok_or_else(|| shorter(self.len()).offset(at))?;
        out.copy_from_slice(from);
        Ok(())
    }
    fn is_local(&self) -> bool {
        true
    }
    fn at_hand(&self, range: Range<u64>) -> Option<Bytes> {
        let (start, end) = (usize::try_from(range.start).ok()?, usize::try_from(range.end).ok()?);
        (start <= end && end <= self.0.len()).then(|| self.0.slice(start..end))
    }
    fn unchanged(&self) -> Result<()> {
        Ok(())
    }
}

/// A mapped file.
#[derive(Debug)]
pub(super) struct Mapped {
    map: Map,
    file: Watched,
}

impl Mapped {
    pub fn open(path: &Path) -> Result<Mapped> {
        let file = Watched::open(path)?;
        let map = Map::new(&file.file).map_err(|e| read_error("map", e))?;
        Ok(Mapped { map, file })
    }
}

impl Source for Mapped {
    /// What was mapped: the file may have grown between its opening and its map.
    fn len(&self) -> u64 {
        self.map.bytes().len() as u64
    }
    fn read_at(&self, at: u64, out: &mut [u8]) -> Result<()> {
        Memory(self.map.bytes().clone()).read_at(at, out)
    }
    fn is_local(&self) -> bool {
        true
    }
    fn at_hand(&self, range: Range<u64>) -> Option<Bytes> {
        Memory(self.map.bytes().clone()).at_hand(range)
    }
    fn advise(&self, range: Range<u64>, advice: Advice) {
        match advice {
            Advice::Sequential => self.map.sequential(),
            Advice::Soon => self.map.will_need(range),
            Advice::Done => self.map.release(range),
        }
    }
    fn unchanged(&self) -> Result<()> {
        self.file.unchanged()
    }
}

/// A file of which each piece is read where it is needed.
#[derive(Debug)]
pub(super) struct Pieces(Watched);

impl Pieces {
    pub fn open(path: &Path) -> Result<Pieces> {
        Watched::open(path).map(Pieces)
    }
}

impl Source for Pieces {
    fn len(&self) -> u64 {
        self.0.len()
    }

    fn read_at(&self, at: u64, out: &mut [u8]) -> Result<()> {
        let mut done = 0;
        while done < out.len() {
            let at = at + done as u64;
            match system::read_at(&self.0.file, &mut out[done..], at) {
                Ok(0) => {
                    self.0.unchanged()?;
                    return Err(shorter(self.len()).offset(at));
                }
                // The system may give fewer than it was asked for, and may be interrupted.
                Ok(n) => done += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(read_error("read", e).offset(at)),
            }
        }
        Ok(())
    }

    fn is_local(&self) -> bool {
        true
    }
    fn advise(&self, range: Range<u64>, advice: Advice) {
        system::advise(&self.0.file, range, advice);
    }
    fn unchanged(&self) -> Result<()> {
        self.0.unchanged()
    }
}

/// An opened file, and what it was then.
#[derive(Debug)]
pub(super) struct Watched {
    pub file: File,
    stamp: system::Stamp,
}

impl Watched {
    pub fn open(path: &Path) -> Result<Watched> {
        Self::new(open(path)?)
    }

    pub fn new(file: File) -> Result<Watched> {
        let stamp = system::stamp(&file).map_err(|e| read_error("read", e))?;
        Ok(Watched { file, stamp })
    }

    pub fn len(&self) -> u64 {
        self.stamp.len
    }

    /// Refuses a file that was written, shortened or lengthened since it was opened. What has its name now does not
    /// matter: the bytes of the opened one are there as long as it is open.
    pub fn unchanged(&self) -> Result<()> {
        let now = system::stamp(&self.file).map_err(|e| read_error("read", e))?;
        if now == self.stamp {
            return Ok(());
        }
        Err(match now.len.cmp(&self.stamp.len) {
            std::cmp::Ordering::Less => shorter(self.stamp.len).offset(now.len),
            std::cmp::Ordering::Greater => {
                let message =
                    format!("the file has grown from the {} bytes that it had when it was opened", self.len());
                changed(&message).offset(self.len())
            }
            std::cmp::Ordering::Equal => changed("the file was written after it was opened"),
        })
    }
}

fn shorter(len: u64) -> Error {
    changed(&format!("the file has become shorter than the {len} bytes that it had when it was opened"))
}

fn changed(what: &str) -> Error {
    Error::new(&codes::CHANGED, format!("{what}, so the bytes read may not belong together; try again"))
}

/// What systems do differently.
#[cfg(unix)]
mod system {
    use std::{fs::File, io, ops::Range};

    use super::Advice;

    /// What a file was when it was opened. That a write leaves the time as it is, since the clock of the file system is
    /// coarse, cannot be seen.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Stamp {
        pub len: u64,
        written: (i64, i64),
    }

    pub fn stamp(file: &File) -> io::Result<Stamp> {
        let stat = rustix::fs::fstat(file)?;
        // The types of these differ from system to system.
        #[allow(clippy::unnecessary_cast, clippy::useless_conversion)]
        let written = (stat.st_mtime as i64, stat.st_mtime_nsec as i64);
        Ok(Stamp { len: u64::try_from(stat.st_size).unwrap_or(0), written })
    }

    pub fn read_at(file: &File, out: &mut [u8], at: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(file, out, at)
    }

    #[cfg(target_os = "linux")]
    pub fn advise(file: &File, range: Range<u64>, advice: Advice) {
        let advice = match advice {
            Advice::Sequential => rustix::fs::Advice::Sequential,
            Advice::Soon => rustix::fs::Advice::WillNeed,
            // The system's cache of the file is everybody's.
            Advice::Done => return,
        };
        if let Some(len) = range.end.checked_sub(range.start).and_then(std::num::NonZeroU64::new) {
            let _ = rustix::fs::fadvise(file, range.start, Some(len), advice);
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub fn advise(_: &File, _: Range<u64>, _: Advice) {}
}

/// What systems do differently.
#[cfg(not(unix))]
mod system {
    use std::{fs::File, io, ops::Range, time::SystemTime};

    use super::Advice;

    /// What a file was when it was opened.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Stamp {
        pub len: u64,
        written: Option<SystemTime>,
    }

    pub fn stamp(file: &File) -> io::Result<Stamp> {
        let metadata = file.metadata()?;
        Ok(Stamp { len: metadata.len(), written: metadata.modified().ok() })
    }

    #[cfg(windows)]
    pub fn read_at(file: &File, out: &mut [u8], at: u64) -> io::Result<usize> {
        match std::os::windows::fs::FileExt::seek_read(file, out, at) {
            // Behind the end, which is not an error elsewhere.
            Err(e) if e.raw_os_error() == Some(38) => Ok(0),
            other => other,
        }
    }

    #[cfg(not(windows))]
    pub fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<usize> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn advise(_: &File, _: Range<u64>, _: Advice) {}
}
