//! Opening what the user named: a file, mapped or read, or standard input.

use std::{
    fs::File,
    io::{self, Read},
    ops::Range,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use forebay::{Error, Result, Step, Stepper, error::codes};

use crate::map::Map;

/// The name for standard input and output.
pub const PIPE: &str = "-";

/// Bytes of a mapped file that a pass over it keeps at a time.
pub const WINDOW: u64 = 8 << 20;

/// A file's bytes, all at hand: mapped, or read into memory.
#[derive(Clone, Debug)]
pub struct Input {
    name: String,
    bytes: Bytes,
    map: Option<Map>,
}

impl Input {
    /// Maps a file.
    pub fn map(path: &Path) -> Result<Input> {
        let name = display(path);
        let file = open(path)?;
        if file.metadata().map_err(|e| io_error(&name, "read", e))?.len() == 0 {
            return Ok(Input { name, bytes: Bytes::new(), map: None });
        }
        let map = Map::new(&file).map_err(|e| io_error(&name, "map", e))?;
        Ok(Input { name, bytes: map.bytes().clone(), map: Some(map) })
    }

    /// Reads a file into memory: for files that others may shorten meanwhile.
    pub fn read(path: &Path) -> Result<Input> {
        let name = display(path);
        let mut bytes = Vec::new();
        open(path)?.read_to_end(&mut bytes).map_err(|e| io_error(&name, "read", e))?;
        Ok(Input { name, bytes: bytes.into(), map: None })
    }

    /// The file's name as the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Every byte of the file.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }
    /// The file's length.
    pub fn len(&self) -> u64 {
        self.bytes.len() as u64
    }
    /// True for a file without bytes.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
    /// Bytes of a range that the core planned, without copying.
    pub fn slice(&self, range: Range<u64>) -> Result<Bytes> {
        match (usize::try_from(range.start), usize::try_from(range.end)) {
            (Ok(start), Ok(end)) if start <= end && end <= self.bytes.len() => Ok(self.bytes.slice(start..end)),
            _ => Err(Error::new(
                &codes::MISSING_BYTES,
                format!("bytes {}..{} are not in the file", range.start, range.end),
            )
            .file(&self.name)),
        }
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
                        let ahead = ahead(work);
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
