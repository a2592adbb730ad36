//! Reading from front to back: a file, standard input, or a pipe that has a name.
//!
//! A pipe gives its bytes once. Whoever looks at the first of them, to see which format they are, puts them back: they
//! wait here, with the pipe, for the one who reads it.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
    sync::{Mutex, PoisonError},
};

use forebay::{Error, Result, codec::codes::CORRUPT, error::codes::IO};

use super::{Input, PIPE, codes, display, read_error, remote};

/// Which pipe: its device and its number there.
type Id = (u64, u64);

/// A pipe that was looked into.
struct Waiting {
    id: Id,
    pipe: Box<dyn Read + Send>,
    seen: Vec<u8>,
}

static WAITING: Mutex<Vec<Waiting>> = Mutex::new(Vec::new());

/// The pipe of that name; `None` for a file or a folder, and for what is not there.
fn pipe(path: &Path) -> Option<Id> {
    if path.as_os_str() == PIPE {
        return Some(standard_input());
    }
    let metadata = std::fs::metadata(path).ok()?;
    (!metadata.is_file() && !metadata.is_dir()).then(|| id(&metadata))
}

#[cfg(unix)]
fn id(metadata: &std::fs::Metadata) -> Id {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

/// Standard input may have a name too, such as /dev/stdin.
#[cfg(unix)]
fn standard_input() -> Id {
    let of_stdin = rustix::fs::fstat(io::stdin()).ok();
    let of_stdin = of_stdin.filter(|stat| !rustix::fs::FileType::from_raw_mode(stat.st_mode).is_file());
    // The types of these differ from system to system.
    #[allow(clippy::unnecessary_cast)]
    of_stdin.map_or((u64::MAX, 0), |stat| (stat.st_dev as u64, stat.st_ino as u64))
}

/// Elsewhere only standard input is told from files, by its name.
#[cfg(not(unix))]
fn id(_: &std::fs::Metadata) -> Id {
    (u64::MAX, 1)
}
#[cfg(not(unix))]
fn standard_input() -> Id {
    (u64::MAX, 0)
}

/// True for what can be read only once: `-`, a named pipe, `/dev/fd/63`, a terminal.
pub fn is_pipe(path: &Path) -> bool {
    pipe(path).is_some()
}

/// An error for what can be read only once.
pub(super) fn refuse_pipe(path: &Path) -> Result<()> {
    if !is_pipe(path) {
        return Ok(());
    }
    let message = "this is a pipe, which gives its bytes once, from front to back; here a file is needed, so write it to one \
                   first, as in: cat > FILE";
    Err(Error::new(&codes::PIPE, message).file(display(path)))
}

/// Opens a pipe, or takes the one that waits with the bytes that were seen of it.
fn take(path: &Path, id: Id) -> Result<Waiting> {
    let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(i) = waiting.iter().position(|pipe| pipe.id == id) {
        return Ok(waiting.swap_remove(i));
    }
    drop(waiting);
    let pipe: Box<dyn Read + Send> = match path.as_os_str() == PIPE {
        true => Box::new(io::stdin()),
        // This waits until somebody writes into it.
        false => Box::new(File::open(path).map_err(|e| read_error("open", e).file(display(path)))?),
    };
    Ok(Waiting { id, pipe, seen: Vec::new() })
}

/// The first bytes of a file, at most this many. Those of a pipe are there again for whoever reads it.
pub fn first_bytes(path: &Path, most: u64) -> Result<Vec<u8>> {
    if remote::is_remote(path) {
        return remote::first_bytes(path, most);
    }
    let named = |e: Error| e.file(display(path));
    let Some(id) = pipe(path) else {
        let input = Input::pieces(path)?;
        return input.slice(0..most.min(input.len())).map(Vec::from);
    };
    let mut taken = take(path, id)?;
    let lacking = most.saturating_sub(taken.seen.len() as u64);
    let read = taken.pipe.by_ref().take(lacking).read_to_end(&mut taken.seen);
    let bytes = taken.seen.iter().copied().take(usize::try_from(most).unwrap_or(usize::MAX)).collect();
    WAITING.lock().unwrap_or_else(PoisonError::into_inner).push(taken);
    read.map_err(|e| named(read_error("read", e)))?;
    Ok(bytes)
}

/// How many bytes a file has, if it is one; of an address, what it was opened with shortly before.
pub fn file_len(path: &Path) -> Option<u64> {
    match remote::is_remote(path) {
        true => remote::known_len(path),
        false => std::fs::metadata(path).ok().filter(|metadata| metadata.is_file()).map(|metadata| metadata.len()),
    }
}

/// A file or pipe that is read from front to back. Interrupted calls are made again, and every error is one of ours, on
/// its way through [`io::Error`]; [`unread`] takes it out again.
pub struct Reading {
    name: String,
    from: Way,
    at: u64,
}

/// How the bytes come.
enum Way {
    /// What has ranges, from the first to the last.
    Source(Input),
    Pipe(io::Chain<io::Cursor<Vec<u8>>, Box<dyn Read + Send>>),
}

impl std::fmt::Debug for Reading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reading").field("name", &self.name).field("at", &self.at).finish_non_exhaustive()
    }
}

impl Reading {
    /// Opens a file by name, `-` for standard input.
    pub fn open(path: &Path) -> Result<Reading> {
        let name = display(path);
        let from = match pipe(path) {
            Some(id) => {
                let Waiting { pipe, seen, .. } = take(path, id)?;
                Way::Pipe(io::Cursor::new(seen).chain(pipe))
            }
            None => Way::Source(Input::pieces(path)?),
        };
        Ok(Reading { name, from, at: 0 })
    }

    /// The name as the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Bytes on disk; 0 for a pipe, which does not say.
    pub fn file_len(&self) -> u64 {
        match &self.from {
            Way::Source(input) => input.len(),
            Way::Pipe(_) => 0,
        }
    }
    /// True for what can be read only once.
    pub fn is_pipe(&self) -> bool {
        matches!(self.from, Way::Pipe(_))
    }

    fn next(&mut self, out: &mut [u8]) -> Result<usize> {
        let n = match &mut self.from {
            Way::Source(input) => {
                let left = usize::try_from(input.len() - self.at).unwrap_or(usize::MAX);
                let n = out.len().min(left);
                match input.fill(self.at, &mut out[..n]) {
                    Ok(()) => n,
                    // Those in front of the first that cannot be read can be.
                    Err(e) => {
                        let bad = e.place().offset.filter(|_| e.code() == &IO).and_then(|bad| bad.checked_sub(self.at));
                        let Some(n) = bad.map(|n| n as usize).filter(|bad| (1..n).contains(bad)) else { return Err(e) };
                        input.fill(self.at, &mut out[..n])?;
                        n
                    }
                }
            }
            Way::Pipe(pipe) => loop {
                match pipe.read(out) {
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                    read => break read.map_err(|e| read_error("read", e))?,
                }
            },
        };
        self.at += n as u64;
        Ok(n)
    }
}

impl Read for Reading {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let at = self.at;
        self.next(out).map_err(|e| io::Error::other(e.offset(at).file(&self.name)))
    }
}

/// Why reading failed: an error of ours that came through [`io::Error`], else that of what decompresses.
pub fn unread(name: &str, e: io::Error) -> Error {
    match e.downcast::<Error>() {
        Ok(own) => own.file(name),
        Err(e) if e.to_string().contains("too much memory") => {
            let message = format!("cannot decompress: {e}; the stream wants more than 128 MiB to look back on");
            Error::caused(&forebay::limits::codes::ITEM, message, e).file(name)
        }
        Err(e) => {
            let message = format!("the compressed bytes are damaged or end too early: {e}");
            Error::caused(&CORRUPT, message, e).file(name)
        }
    }
}
