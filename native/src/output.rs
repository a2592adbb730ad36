//! Files appear whole or not at all.
//!
//! Bytes go to a hidden sibling; [`AtomicFile::commit`] makes them durable and renames. Dropping it, an error, or
//! Ctrl-C removes the sibling; a machine that dies leaves at most the sibling, never half an output.

use std::{
    fs::{self, File},
    io::{self, IoSlice, Read, Seek, SeekFrom, Write},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    sync::{Mutex, Once, PoisonError},
};

use forebay::{Error, Result, error::codes};
use tempfile::NamedTempFile;

use crate::input::{PIPE, display, io_error};

/// Bytes copied at a time when parts of a file move.
const COPY: usize = 1 << 20;

/// Bytes that a spool keeps in memory.
const IN_MEMORY: usize = 1 << 20;

/// Where the bytes go in the end.
#[derive(Debug)]
enum Target {
    /// Renamed over this path.
    File(PathBuf),
    /// Copied to standard output.
    Stdout,
    /// Copied into something that is no regular file, such as a device or a named pipe.
    Special(PathBuf),
}

/// A file that is being written.
pub struct AtomicFile {
    temp: Option<NamedTempFile>,
    /// Where bytes go at once, for outputs that are not files and are written from front to back.
    stream: Option<Box<dyn Write + Send>>,
    target: Target,
    name: String,
}

impl std::fmt::Debug for AtomicFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AtomicFile").field("target", &self.target).finish_non_exhaustive()
    }
}

impl AtomicFile {
    /// As [`create`](Self::create), for a writer that only appends: a pipe gets its bytes as they come.
    pub fn create_streaming(path: &Path, force: bool) -> Result<AtomicFile> {
        let name = display(path);
        let special = fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir());
        let stream: Box<dyn Write + Send> = if name == PIPE {
            Box::new(io::stdout())
        } else if special {
            Box::new(fs::OpenOptions::new().write(true).open(path).map_err(|e| io_error(&name, "open", e))?)
        } else {
            return Self::create(path, force);
        };
        Ok(AtomicFile { temp: None, stream: Some(stream), target: Target::Stdout, name })
    }

    /// Begins writing `path`; `-` is standard output. An existing file is refused unless `force`.
    pub fn create(path: &Path, force: bool) -> Result<AtomicFile> {
        let name = display(path);
        if name == PIPE {
            return Self::temporary(std::env::temp_dir().as_path(), "stdout", Target::Stdout, name);
        }
        let parent = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        match fs::metadata(path) {
            Ok(meta) if meta.is_dir() => {
                return Err(Error::new(&codes::ARGUMENT, "the output is a folder; name a file").file(name));
            }
            Ok(meta) if !meta.is_file() => {
                return Self::temporary(std::env::temp_dir().as_path(), "special", Target::Special(path.into()), name);
            }
            Ok(_) if !force => {
                return Err(Error::new(&codes::ARGUMENT, "the output exists already; --force replaces it").file(name));
            }
            _ => {}
        }
        let stem = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        // A link is written through, so that it stays a link.
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.into());
        let parent = real.parent().map_or(parent, |p| if real == path { parent } else { p });
        Self::temporary(parent, &stem, Target::File(real.clone()), name)
    }

    fn temporary(folder: &Path, stem: &str, target: Target, name: String) -> Result<AtomicFile> {
        on_interrupt();
        let mut builder = tempfile::Builder::new();
        let prefix = format!(".{stem}.");
        builder.prefix(&prefix).suffix(".part");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let temp = builder
            .tempfile_in(folder)
            .map_err(|e| io_error(&name, &format!("write into the folder {}", folder.display()), e))?;
        half_written().push(temp.path().to_owned());
        Ok(AtomicFile { temp: Some(temp), stream: None, target, name })
    }

    /// The output's name as the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Where the bytes are until they are committed, for reading them back.
    pub fn path(&self) -> Option<&Path> {
        self.temp.as_ref().map(NamedTempFile::path)
    }
    /// The folder for files that must wait beside this one.
    pub fn folder(&self) -> PathBuf {
        self.path().and_then(Path::parent).map_or_else(std::env::temp_dir, Path::to_owned)
    }

    fn file(&self) -> Result<&File> {
        self.temp
            .as_ref()
            .map(|t| t.as_file())
            .ok_or_else(|| io_error(&self.name, "write", io::ErrorKind::NotFound.into()))
    }

    /// Goes to a position for [`append`](Self::append).
    pub fn seek(&mut self, at: u64) -> Result<()> {
        let mut file = self.file()?;
        file.seek(SeekFrom::Start(at)).map_err(|e| io_error(&self.name, "write", e))?;
        Ok(())
    }

    /// Writes slices one after another at the current position.
    pub fn append(&mut self, mut slices: &mut [IoSlice<'_>]) -> Result<()> {
        let mut file;
        let out: &mut dyn Write = match &mut self.stream {
            Some(stream) => stream,
            None => {
                file = self.file()?;
                &mut file
            }
        };
        IoSlice::advance_slices(&mut slices, 0);
        while !slices.is_empty() {
            // The kernel takes 1,024 slices at a time.
            let batch = slices.len().min(1024);
            match out.write_vectored(&slices[..batch]) {
                Ok(0) => return Err(io_error(&self.name, "write", io::ErrorKind::WriteZero.into())),
                Ok(n) => IoSlice::advance_slices(&mut slices, n),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(io_error(&self.name, "write", e)),
            }
        }
        Ok(())
    }

    /// Writes bytes at a position.
    pub fn write_at(&self, at: u64, bytes: &[u8]) -> Result<()> {
        self.file()?.write_all_at(bytes, at).map_err(|e| io_error(&self.name, "write", e))
    }

    /// Copies bytes inside the file as if through memory.
    pub fn copy_within(&self, from: u64, to: u64, len: u64) -> Result<()> {
        let file = self.file()?;
        let mut buffer = vec![0; COPY.min(usize::try_from(len).unwrap_or(COPY))];
        let mut done = 0;
        while done < len {
            let n = (len - done).min(COPY as u64);
            // Backwards when the target lies behind, so that overlapping bytes are read before they are overwritten.
            let at = if to > from { len - done - n } else { done };
            let part = &mut buffer[..n as usize];
            file.read_exact_at(part, from + at).map_err(|e| io_error(&self.name, "read back", e))?;
            file.write_all_at(part, to + at).map_err(|e| io_error(&self.name, "write", e))?;
            done += n;
        }
        Ok(())
    }

    /// Copies a spool's bytes to a position.
    pub fn copy_from(&self, spool: &mut Spool, at: u64) -> Result<()> {
        let mut at = at;
        spool.drain(|part| {
            self.write_at(at, part)?;
            at += part.len() as u64;
            Ok(())
        })
    }

    /// Writes zeros at a position.
    pub fn zero(&self, at: u64, len: u64) -> Result<()> {
        let zeros = vec![0; COPY.min(usize::try_from(len).unwrap_or(COPY))];
        let mut done = 0;
        while done < len {
            let n = (len - done).min(zeros.len() as u64);
            self.write_at(at + done, &zeros[..n as usize])?;
            done += n;
        }
        Ok(())
    }

    /// Sets the file's length; bytes that were never written are zero.
    pub fn set_len(&self, len: u64) -> Result<()> {
        self.file()?.set_len(len).map_err(|e| io_error(&self.name, "write", e))
    }

    /// Puts the bytes in place, made durable first where `sync` says so.
    pub fn commit(mut self, sync: bool) -> Result<()> {
        if let Some(mut stream) = self.stream.take() {
            return stream.flush().map_err(|e| io_error(&self.name, "write", e));
        }
        let Some(mut temp) = self.temp.take() else { return Ok(()) };
        let path = temp.path().to_owned();
        let fail = |tried: &str, e: io::Error| io_error(&self.name, tried, e);
        let outcome = match &self.target {
            Target::File(target) => match sync {
                true => temp.as_file().sync_all(),
                false => Ok(()),
            }
            .map_err(|e| fail("write", e))
            .and_then(|()| {
                if let Ok(old) = fs::metadata(target) {
                    // The replaced file's permissions stay.
                    let _ = fs::set_permissions(&path, old.permissions());
                }
                temp.persist(target).map_err(|e| fail("rename the finished file", e.error))?;
                if let Some(folder) = target.parent().filter(|p| sync && !p.as_os_str().is_empty()) {
                    // The rename itself is durable only with its folder; where folders cannot be synced it is as safe as can be.
                    let _ = File::open(folder).and_then(|f| f.sync_all());
                }
                Ok(())
            }),
            Target::Stdout => copy_out(&mut temp, &mut io::stdout().lock()).map_err(|e| fail("write", e)),
            Target::Special(target) => fs::OpenOptions::new()
                .write(true)
                .open(target)
                .and_then(|mut out| copy_out(&mut temp, &mut out))
                .map_err(|e| fail("write", e)),
        };
        half_written().retain(|p| *p != path);
        outcome
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(temp) = self.temp.take() {
            half_written().retain(|p| p != temp.path());
        }
    }
}

fn copy_out(temp: &mut NamedTempFile, out: &mut impl Write) -> io::Result<()> {
    temp.as_file_mut().seek(SeekFrom::Start(0))?;
    io::copy(temp.as_file_mut(), out)?;
    out.flush()
}

/// Bytes that must wait for their place: in memory while they are few, in an unnamed file beyond that.
#[derive(Debug)]
pub struct Spool {
    file: tempfile::SpooledTempFile,
    name: String,
}

impl Spool {
    /// An empty spool for the output of that name; the file, if there must be one, lies in `folder`.
    pub fn new(name: &str, folder: &Path) -> Spool {
        Spool { file: tempfile::SpooledTempFile::new_in(IN_MEMORY, folder), name: name.into() }
    }
    /// Adds bytes at the end.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|e| io_error(&self.name, "spool metadata for", e))
    }
    fn drain(&mut self, mut each: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.file.seek(SeekFrom::Start(0)).map_err(|e| io_error(&self.name, "spool metadata for", e))?;
        let mut buffer = vec![0; COPY];
        loop {
            match self.file.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(n) => each(&buffer[..n])?,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(io_error(&self.name, "spool metadata for", e)),
            }
        }
    }
}

fn half_written() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    static PATHS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    PATHS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ctrl-C and a polite kill remove what is half written.
fn on_interrupt() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // A host that has a handler of its own keeps it.
        let _ = ctrlc::try_set_handler(|| {
            for path in half_written().drain(..) {
                let _ = fs::remove_file(path);
            }
            std::process::exit(130);
        });
    });
}
