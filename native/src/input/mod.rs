//! Opening what the user named: a file that is read piece by piece or mapped, memory, or a pipe.

mod ahead;
mod braces;
mod buffers;
pub(crate) mod gzip;
mod joined;
mod reading;
pub mod remote;
mod source;

use std::{
    ffi::OsStr,
    fs::File,
    io,
    ops::Range,
    path::{Component, Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use bytes::{Bytes, BytesMut};
use forebay::{Error, Result, Step, Stepper, error::Kind, words::Word};

use crate::half_written::is_part;
use buffers::Buffers;
pub use reading::Reading;
#[doc(hidden)]
pub use reading::{file_len, first_bytes, is_pipe, unread};
pub(crate) use source::cleared;
pub use source::{Advice, Source};

/// The name for standard input and output.
#[doc(hidden)]
pub const PIPE: &str = "-";

/// Bytes of a mapped file that a pass over it keeps at a time.
#[doc(hidden)]
pub const WINDOW: u64 = 8 << 20;

/// Bytes that a pass over a file that is not in memory reads at a time: few behind a jump, more as long as it goes on.
const LEAST_AHEAD: u64 = 4 << 10;
const MOST_AHEAD: u64 = 256 << 10;

/// Work that begins with a look at the first bytes and then wants the rest gets it in one piece.
const LOOK: u64 = 4 << 10;

/// What the largest number in a column is aligned to.
const ALIGNED: u64 = 16;

/// How a file's bytes come in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Io {
    /// Every piece is read where it is needed. What goes wrong on the way, in the disk or by others who write or shorten
    /// the file, is an error.
    #[default]
    Read,
    /// The file is mapped: nothing is copied. A disk that fails, or a process that shortens the file meanwhile, then ends
    /// this process with SIGBUS, without a word and with whatever it had half done.
    Map,
}

impl Word for Io {
    const ALL: &'static [Self] = &[Io::Read, Io::Map];

    fn word(self) -> &'static str {
        match self {
            Io::Read => "read",
            Io::Map => "map",
        }
    }
}

/// An opened file and its name. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Input {
    name: String,
    source: Arc<dyn Source>,
    buffers: Arc<Buffers>,
    /// Tells it from all others of this process.
    number: u64,
}

/// What keeps the bytes of sources with an identity, for all of this process.
type Keep = Box<dyn Fn(Arc<dyn Source>) -> Arc<dyn Source> + Send + Sync>;
static KEEP: OnceLock<Keep> = OnceLock::new();

/// From now on every source that has an identity is given through this, which keeps its bytes. False if there is such a
/// thing already.
pub(crate) fn keep_by(keep: Keep) -> bool {
    KEEP.set(keep).is_ok()
}

impl Input {
    /// The bytes of any source, under this name.
    pub fn over(name: impl Into<String>, source: impl Source + 'static) -> Input {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let source: Arc<dyn Source> = Arc::new(source);
        let source = match KEEP.get().filter(|_| source.identity().is_some() && !source.is_local()) {
            Some(keep) => keep(source),
            None => source,
        };
        Input { name: name.into(), source, buffers: Arc::default(), number }
    }

    /// The same file by another way to its bytes.
    pub(crate) fn by(&self, way: impl FnOnce(Arc<dyn Source>) -> Arc<dyn Source>) -> Input {
        Input { source: way(self.source.clone()), ..Input::over(&self.name, source::Memory(Bytes::new())) }
    }

    /// Where its bytes come from.
    pub(crate) fn source(&self) -> &dyn Source {
        &*self.source
    }

    /// Returns an identity that names the file's bytes and no others, if there is one.
    pub fn identity(&self) -> Option<String> {
        self.source.identity()
    }
    /// Whether its bytes are kept in a cache already.
    pub(crate) fn is_kept(&self) -> bool {
        self.source.is_kept()
    }
    /// Whether the bytes lie on this machine, in memory or in a file.
    pub fn is_local(&self) -> bool {
        self.source.is_local()
    }

    /// Bytes that are in memory.
    pub fn memory(name: impl Into<String>, bytes: impl Into<Bytes>) -> Input {
        Self::over(name, source::Memory(bytes.into()))
    }

    /// Maps a file. An address is opened as it always is.
    pub fn map(path: &Path) -> Result<Input> {
        if remote::is_remote(path) {
            return Self::pieces(path);
        }
        let path = &*remote::local(path)?;
        let name = display(path);
        let named = |e: Error| e.file(&name);
        let pieces = Self::pieces(path)?;
        // No bytes cannot be mapped.
        if pieces.is_empty() {
            return Ok(pieces);
        }
        source::Mapped::open(path).map_err(named).map(|mapped| Self::over(&name, mapped))
    }

    /// Opens a file of which each piece is read where it is needed, or an [address](crate::remote).
    pub fn pieces(path: &Path) -> Result<Input> {
        if remote::is_remote(path) {
            return remote::open_path(path);
        }
        let path = &*remote::local(path)?;
        let name = display(path);
        reading::refuse_pipe(path)?;
        source::Pieces::open(path).map_err(|e| e.file(&name)).map(|pieces| Self::over(&name, pieces))
    }

    /// Opens a file in the given way.
    pub fn open(path: &Path, io: Io) -> Result<Input> {
        match io {
            Io::Map => Self::map(path),
            Io::Read => Self::pieces(path),
        }
    }

    /// Reads a file, or what comes through a pipe, into memory.
    pub fn read(path: &Path) -> Result<Input> {
        let mut reading = Reading::open(path)?;
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut reading, &mut bytes).map_err(|e| unread(reading.name(), e))?;
        Ok(Self::memory(reading.name(), bytes))
    }

    /// The file's name as the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// The file's length.
    pub fn len(&self) -> u64 {
        self.source.len()
    }
    /// True for a file without bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of a range: without copying where they are in memory or mapped, else read. Small ranges that follow each
    /// other are read together.
    pub fn slice(&self, range: Range<u64>) -> Result<Bytes> {
        let lent = self.lend(range.clone())?;
        if self.source.at_hand(0..0).is_none() && range.end - range.start <= ahead::SMALL {
            // So that who keeps a few bytes does not keep the piece that they came in.
            return Ok(Bytes::copy_from_slice(&lent));
        }
        Ok(lent)
    }

    /// As [`slice`](Self::slice), for bytes that are let go soon: they may keep a larger piece in memory.
    pub fn lend(&self, range: Range<u64>) -> Result<Bytes> {
        let len = self.length_of(&range)?;
        if let Some(bytes) = self.source.at_hand(range.clone()) {
            return Ok(bytes);
        }
        if len == 0 {
            return Ok(Bytes::new());
        }
        if len as u64 <= ahead::SMALL {
            return ahead::small(self.number, self.len(), range, |range| self.fetch(range));
        }
        self.fetch(range)
    }

    /// As [`lend`](Self::lend), with the byte at this place of the file aligned for every number, if it must be read and is much.
    pub(crate) fn lend_aligned(&self, range: Range<u64>, place: u64) -> Result<Bytes> {
        let len = self.length_of(&range)?;
        if len as u64 <= ahead::SMALL || self.source.at_hand(0..0).is_some() {
            return self.lend(range);
        }
        // What is allocated is aligned, so that many bytes are left in front.
        let front = (range.start.wrapping_sub(place) % ALIGNED) as usize;
        let filled = Buffers::of_all().fill(len.saturating_add(front), |out| match out.get_mut(front..) {
            Some(out) => self.fill(range.start, out),
            None => Ok(()),
        });
        filled.map(|bytes| bytes.slice(front..)).map_err(|e| e.file(&self.name))
    }

    /// The bytes of several ranges, each of this file, that are asked for at once.
    pub(crate) fn lend_many(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        ranges.iter().try_for_each(|range| self.length_of(range).map(drop))?;
        let done = self.source.read_many(ranges).and_then(|bytes| self.source.unchanged().map(|()| bytes));
        let all = done.map_err(|e| e.file(&self.name))?;
        let fits = all.len() == ranges.len() && all.iter().zip(ranges).all(|(b, r)| b.len() as u64 == r.end - r.start);
        match fits {
            true => Ok(all),
            false => {
                Err(Error::new(&forebay::error::codes::IO, "other bytes came than were requested").file(&self.name))
            }
        }
    }

    fn fetch(&self, range: Range<u64>) -> Result<Bytes> {
        let len = self.length_of(&range)?;
        self.buffers.fill(len, |out| self.fill(range.start, out)).map_err(|e| e.file(&self.name))
    }

    /// The bytes of a range, asked for as it is: who has planned what is read wants nothing read ahead of that.
    pub(crate) fn whole(&self, range: Range<u64>) -> Result<Bytes> {
        let len = self.length_of(&range)?;
        let asked = self.source.read_many(std::slice::from_ref(&range));
        let came = asked.and_then(|came| self.source.unchanged().map(|()| came));
        let bytes = came.map_err(|e| e.file(&self.name).offset(range.start))?.pop().unwrap_or_default();
        match bytes.len() == len {
            true => Ok(bytes),
            false => {
                let message = "the source gave fewer bytes than requested";
                Err(Error::new(&forebay::error::codes::MISSING_BYTES, message).file(&self.name))
            }
        }
    }

    /// Fills `out`. That the file is still what it was is looked at afterwards: bytes that were read are its own.
    fn fill(&self, at: u64, out: &mut [u8]) -> Result<()> {
        let done = self.source.read_at(at, out).and_then(|()| self.source.unchanged());
        done.map_err(|e| e.file(&self.name).offset(at))
    }

    /// As [`slice`](Self::slice); what must be read is read into `buffer`, whose memory is used again once the bytes
    /// of earlier calls are let go.
    pub(crate) fn slice_in(&self, range: Range<u64>, buffer: &mut BytesMut) -> Result<Bytes> {
        let len = self.length_of(&range)?;
        if let Some(bytes) = self.source.at_hand(range.clone()) {
            return Ok(bytes);
        }
        buffer.clear();
        buffer.resize(len, 0);
        self.fill(range.start, buffer)?;
        Ok(buffer.split().freeze())
    }

    /// Copies a range to where it is wanted, which must have its length.
    pub(crate) fn read_into(&self, range: Range<u64>, out: &mut [u8]) -> Result<()> {
        let len = self.length_of(&range)?;
        if len != out.len() {
            let message = format!("{len} bytes do not fit into {}", out.len());
            return Err(Error::new(&forebay::error::codes::ARGUMENT, message).file(&self.name));
        }
        match self.source.at_hand(range.clone()) {
            Some(bytes) => out.copy_from_slice(&bytes),
            None => self.fill(range.start, out)?,
        }
        Ok(())
    }

    /// How many bytes a range has, which must be the file's.
    fn length_of(&self, range: &Range<u64>) -> Result<usize> {
        let len = range.end.checked_sub(range.start).filter(|_| range.end <= self.len());
        len.and_then(|n| usize::try_from(n).ok()).ok_or_else(|| {
            let message = format!("bytes {}..{} are not in the file", range.start, range.end);
            Error::new(&forebay::error::codes::MISSING_BYTES, message).file(&self.name)
        })
    }

    /// Gives a stepper what it asks for. Where `ahead` says so it gets that many bytes at once, and what lies before them
    /// is let go: work that only moves forward through a large file, such as the scan of an archive, keeps no more of it
    /// in memory.
    pub fn drive<S: Stepper>(&self, work: &mut S, ahead: impl Fn(&S) -> u64) -> Result<S::Output> {
        // Where the bytes in use begin, for work that moves forward.
        let mut used = None;
        let in_memory = self.source.at_hand(0..0).is_some();
        let (mut size, mut end_before) = (LEAST_AHEAD, 0);
        loop {
            match work.step()? {
                Step::Done(output) => {
                    if let Some(used) = used {
                        self.release(used..self.len());
                    }
                    return Ok(output);
                }
                // What is needed together and read here and there is asked for together.
                Step::Need(ranges) if ranges.len() > 1 && !in_memory && ahead(work) == 0 => {
                    for (range, bytes) in ranges.iter().zip(self.lend_many(&ranges)?) {
                        work.push(range.start, bytes);
                    }
                }
                Step::Need(ranges) => {
                    for range in ranges {
                        let mut ahead = ahead(work);
                        if ahead > 0 && !in_memory {
                            let goes_on = range.start.saturating_sub(end_before) < size;
                            size = if goes_on { (size * 2).min(MOST_AHEAD) } else { LEAST_AHEAD };
                            ahead = ahead.min(size);
                        }
                        let all = range.start <= LOOK && range.end == self.len();
                        let start = if all { 0 } else { range.start };
                        let end = range.end.max(range.start.saturating_add(ahead).min(self.len()));
                        // What was not asked for may be what cannot be read.
                        let more = self.lend(start..end);
                        let bytes =
                            more.or_else(|e| if end > range.end { self.lend(start..range.end) } else { Err(e) })?;
                        work.push(start, bytes);
                        end_before = end;
                        if ahead > 0 {
                            self.release(used.unwrap_or(0)..range.start);
                            used = Some(range.start);
                        }
                    }
                }
            }
        }
    }

    /// Refuses a file that is no longer what it was when it was opened. Reading looks by itself; what was mapped must be
    /// looked at before and after its bytes are used, and a disk that fails is not seen so.
    pub fn unchanged(&self) -> Result<()> {
        self.source.unchanged().map_err(|e| e.file(&self.name))
    }

    /// Frees mapped pages that were used.
    pub fn release(&self, range: Range<u64>) {
        self.source.advise(range, Advice::Done);
    }
    /// Says that a range will be read soon.
    pub fn will_need(&self, range: Range<u64>) {
        self.source.advise(range, Advice::Soon);
    }
    /// Says that the file will be read from front to back.
    pub fn sequential(&self) {
        self.source.advise(0..self.len(), Advice::Sequential);
    }
}

/// Errors of files, besides those of the system.
#[doc(hidden)]
pub mod codes {
    use forebay::error::Code;
    /// A file changed while it was read.
    pub const CHANGED: Code = Code::io(
        "source.changed",
        "The file was written, shortened or lengthened while it was open, so the bytes read may not belong together.",
    );
    /// A pipe where a file is needed.
    pub const PIPE: Code = Code::unsupported(
        "source.pipe",
        "A pipe or device gives its bytes once, from front to back; this operation needs a file.",
    );
    /// Every code of this module.
    pub const ALL: &[&Code] = &[&CHANGED, &PIPE];
}

fn open(path: &Path) -> Result<File> {
    let file = File::open(path).map_err(|e| read_error("open", e))?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        return Err(Error::new(&forebay::error::codes::ARGUMENT, "this is a folder, a file is expected"));
    }
    Ok(file)
}

/// What the system said, of a file that is named later.
fn read_error(tried: &str, e: io::Error) -> Error {
    Error::caused(&forebay::error::codes::IO, format!("cannot {tried}: {e}"), e)
}

/// Whether what is read from failed, and not what it holds: the disk, the network, or a server that let others read a moment
/// ago. Nothing can be said then of the bytes that did not come.
#[doc(hidden)]
pub fn is_of_source(e: &Error) -> bool {
    e.kind() == Kind::Io || e.code().id().starts_with("remote.")
}

/// A path as it is shown to people.
#[doc(hidden)]
pub fn display(path: &Path) -> String {
    remote::shown(path)
}

/// The last part of a path or an address, without what an address has behind it: signatures are not part of a name.
#[doc(hidden)]
pub fn file_name(path: &Path) -> Option<String> {
    if remote::is_remote(path) {
        return display(path).rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned);
    }
    Some(path.file_name()?.to_str()?.to_owned())
}

/// An I/O error that names the file and what was tried.
#[doc(hidden)]
pub fn io_error(file: &str, tried: &str, e: io::Error) -> Error {
    Error::caused(&forebay::error::codes::IO, format!("cannot {tried}: {e}"), e).file(file)
}

/// Expands patterns such as `shards/*.tbl`, `s3://bucket/train-*.tbl` and `train-{000..127}.tar`; a name without a pattern, or
/// that exists as it is, stays, and so does one that is not text. Hidden files are found only by a pattern that begins with their dot, and outputs that are not
/// whole yet by none.
#[doc(hidden)]
pub fn expand<S: AsRef<OsStr>>(names: &[S]) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for given in names {
        let given = remote::local(Path::new(given))?;
        match given.to_str() {
            Some(name) if name.contains('{') && !given.exists() => {
                braces::names(name)?.iter().try_for_each(|name| matching(Path::new(name), &mut paths))?;
            }
            _ => matching(&given, &mut paths)?,
        }
    }
    Ok(paths)
}

/// Adds what a name without braces stands for.
fn matching(path: &Path, paths: &mut Vec<PathBuf>) -> Result<()> {
    if remote::is_remote(path) {
        paths.extend(remote::expand(path)?);
        return Ok(());
    }
    let name = match path.to_str() {
        Some(name) if name.contains(['*', '?', '[']) && !path.exists() => name,
        _ => {
            paths.push(path.to_owned());
            return Ok(());
        }
    };
    let bad = |e: String| Error::new(&forebay::error::codes::ARGUMENT, format!("the pattern {name:?}: {e}"));
    refuse_unreadable(path)?;
    let before = paths.len();
    for found in glob::glob(name).map_err(|e| bad(e.to_string()))? {
        let found = found.map_err(|e| bad(e.to_string()))?;
        if is_meant(path, &found) {
            paths.push(found);
        }
    }
    if paths.len() == before {
        return Err(bad("matches no file".into()));
    }
    Ok(())
}

/// Refuses a pattern for files in a folder one of which has a name that is not UTF-8: it would be left out without a word.
fn refuse_unreadable(pattern: &Path) -> Result<()> {
    let folder = pattern.parent().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let last = pattern.file_name().and_then(OsStr::to_str).and_then(|last| glob::Pattern::new(last).ok());
    let (Some(entries), Some(last)) = (folder.and_then(|folder| folder.read_dir().ok()), last) else { return Ok(()) };
    let names = entries.flatten().map(|entry| entry.file_name()).filter(|name| name.to_str().is_none());
    let mut meant = names.filter(|name| last.as_str().starts_with('.') || !name.as_encoded_bytes().starts_with(b"."));
    match meant.find(|name| last.matches(&name.to_string_lossy())) {
        Some(name) => {
            let message = format!("the file name {name:?} is not UTF-8, and patterns cannot find it; rename it");
            Err(Error::new(&forebay::error::codes::ARGUMENT, message).file(display(pattern)))
        }
        None => Ok(()),
    }
}

/// Whether a pattern means what matches it: no half of an output, and nothing hidden where the pattern has no dot.
fn is_meant(pattern: &Path, found: &Path) -> bool {
    fn parts(path: &Path) -> Vec<&OsStr> {
        path.components().filter(|part| *part != Component::CurDir).map(Component::as_os_str).collect()
    }
    let (words, names) = (parts(pattern), parts(found));
    // Two stars stand for any number of parts; what is before and behind them stands for one each.
    let any = |word: &&OsStr| *word == "**";
    let before = words.iter().position(any).unwrap_or(words.len());
    let behind = words.iter().rev().position(any).unwrap_or(0);
    let fits = if before < words.len() { names.len() >= before + behind } else { names.len() == words.len() };
    let word = |at: usize| match names.len() - at {
        _ if at < before => words.get(at),
        from_end if from_end <= behind => words.get(words.len() - from_end),
        _ => None,
    };
    let dot = |name: &OsStr| name.as_encoded_bytes().starts_with(b".");
    // The folder itself and the one around it are what a dot and a star match, too.
    let meant = |(at, name): (usize, &&OsStr)| match word(at) {
        _ if is_part(name) => false,
        Some(word) if *name == ".." => *word == "..",
        word => !dot(name) || word.is_some_and(|word| dot(word)),
    };
    fits && names.iter().enumerate().all(meant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_lent_with_the_wanted_one_aligned() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers");
        let bytes: Vec<u8> = (0..6_000_000u32).map(|i| (i % 251) as u8).collect();
        std::fs::write(&path, &bytes).unwrap();
        let input = Input::pieces(&path).unwrap();
        for end in [200_000, 5_900_000u64] {
            for (start, place) in [(0, 0), (0, 5), (7, 21), (16, 16), (1003, 1010), (5, 0)] {
                let lent = input.lend_aligned(start..end, place).unwrap();
                assert_eq!(lent, bytes[start as usize..end as usize]);
                let at = (lent.as_ptr() as usize).wrapping_add(place.wrapping_sub(start) as usize);
                assert_eq!(at % 8, 0, "{start}..{end}, {place}");
            }
        }
        assert_eq!(input.lend_aligned(3..3, 9).unwrap(), b""[..]);
        assert_eq!(input.lend_aligned(9..6_000_001, 9).unwrap_err().code().id(), "usage.missing_bytes");
    }

    #[test]
    fn patterns_find_neither_hidden_files_nor_outputs_that_are_not_whole() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let staged = ".set.forebay-aB3dE9.part";
        for sub in [".hidden", "in", staged] {
            std::fs::create_dir(at(sub)).unwrap();
        }
        let part = ".a.tbl.forebay-aB3dE9.part";
        for name in ["a.tbl", ".h.tbl", part, "in/b.tbl", "in/.b.tbl.forebay-aB3dE9.part", ".hidden/c.tbl"] {
            std::fs::write(at(name), b"x").unwrap();
        }
        std::fs::write(at(staged).join("d.tbl"), b"x").unwrap();
        let found = |pattern: &str| {
            let found = expand(&[at(pattern)]).unwrap_or_default();
            let relative = |path: PathBuf| path.strip_prefix(folder.path()).unwrap().display().to_string();
            found.into_iter().map(relative).collect::<Vec<_>>()
        };
        assert_eq!(found("*"), ["a.tbl", "in"]);
        assert_eq!(found("?*t*"), ["a.tbl"]);
        assert_eq!(found("**/*.tbl"), ["a.tbl", "in/b.tbl"]);
        assert_eq!(found("*/*"), ["in/b.tbl"]);
        assert_eq!(found("[.]*"), [""; 0]);
        // Whoever writes the dot means it, but nobody means a half of an output.
        assert_eq!(found(".h*"), [".h.tbl", ".hidden"]);
        assert_eq!(found(".*/*"), [".hidden/c.tbl"]);
        assert_eq!(found(".a*"), [""; 0]);
        assert_eq!(found(".hidden/*"), [".hidden/c.tbl"]);
        assert_eq!(found("**/.h*"), [".h.tbl", ".hidden"]);
        assert_eq!(found("./in/../*.tbl"), ["in/../a.tbl"]);
        assert_eq!(found("{a,in/b}.tbl"), ["a.tbl", "in/b.tbl"]);
        assert_eq!(found("{*/b,a}.t*"), ["in/b.tbl", "a.tbl"]);
        #[cfg(target_os = "linux")]
        {
            let odd = folder.path().join(<OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"odd\xff.tar"));
            std::fs::write(&odd, b"x").unwrap();
            assert!(expand(&[at("o*.tar")]).unwrap_err().message().contains("is not UTF-8"));
            assert_eq!(found("a*"), ["a.tbl"]);
            assert_eq!(expand(&[&odd]).unwrap(), [odd.as_path()]);
            std::fs::remove_file(odd).unwrap();
        }
        // A name is not a pattern.
        assert_eq!(found(part), [part]);
        std::fs::write(at("x{0..1}"), b"x").unwrap();
        assert_eq!(found("x{0..1}"), ["x{0..1}"]);
    }
}
