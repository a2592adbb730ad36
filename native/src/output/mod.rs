//! Files appear whole or not at all.
//!
//! Bytes go to a hidden sibling; [`AtomicFile::commit`] makes them durable and renames. Dropping it or an error removes
//! the sibling; a host that hears signals calls [`remove_half_written`] before it ends, as the command does. What a
//! killed process leaves is removed by the next one that writes the same output. Never is there half an output.
//!
//! The same holds for addresses: there the bytes are parts of an upload, which becomes an object when it is committed.

pub(crate) mod at;
mod beneath;
mod far;
mod inputs;
mod keys;
mod names;
mod part;
mod stage;
mod taken;

use std::{
    ffi::OsStr,
    fs::{self, File},
    io::{self, IoSlice, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use forebay::{Error, Result, error::codes};

pub(crate) use at::write_all_at;
pub use beneath::{Beneath, Written};
use far::Far;
pub use inputs::{refuse_inputs, refuse_parts};
pub use keys::Keys;
pub use names::Names;
use part::Part;
pub(crate) use part::make_folder;
pub use part::remove_half_written;
pub use stage::Stage;
pub(crate) use taken::is_overtaken;
use taken::{appeared, exists};

use crate::input::{PIPE, display, io_error, remote};

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
    /// Copied into something that is not a regular file, such as a device or a named pipe.
    Special(PathBuf),
    /// An object in a store. What was read back first is copied there; else the bytes went there as they came.
    Far(Mutex<Far>),
}

/// Who may read and write a new file, less what the process's mask takes.
const ANYBODY: u32 = 0o666;
/// Who may read and write what is on its way to a pipe: it lies where everybody looks.
const OWNER: u32 = 0o600;
/// What is said of an output whose name promises what it is not.
const OUTPUT: &str = "this output";
/// Links that are followed to an output that does not exist yet.
const LINKS: usize = 40;

/// A file that is being written.
pub struct AtomicFile {
    temp: Option<Part>,
    /// Where bytes go at once, for outputs that are not files and are written from front to back.
    stream: Option<Box<dyn Write + Send>>,
    target: Target,
    force: bool,
    name: String,
}

impl std::fmt::Debug for AtomicFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AtomicFile").field("target", &self.target).finish_non_exhaustive()
    }
}

/// What stands where an output is to be.
enum There {
    Nothing,
    File(fs::Metadata),
    /// A device, a pipe.
    Special,
}

impl AtomicFile {
    /// As [`create`](Self::create), for a writer that only appends: a pipe gets its bytes as they come.
    pub fn create_streaming(path: &Path, force: bool) -> Result<AtomicFile> {
        refuse_promise(path, OUTPUT)?;
        Self::create_as_named(path, force)
    }

    /// The same, for a writer that keeps what the name promises: it compresses, or copies a file of that name.
    pub fn create_as_named(path: &Path, force: bool) -> Result<AtomicFile> {
        let path = &*remote::local(path)?;
        if remote::is_remote(path) {
            return Self::far(path, force);
        }
        let name = display(path);
        let stream: Box<dyn Write + Send> = if name == PIPE {
            Box::new(io::stdout())
        } else if let There::Special = there(path, &name)? {
            Box::new(fs::OpenOptions::new().write(true).open(path).map_err(|e| io_error(&name, "open", e))?)
        } else {
            return Self::create_file(path, force);
        };
        Ok(AtomicFile { temp: None, stream: Some(stream), target: Target::Stdout, force, name })
    }

    /// Begins writing `path`; `-` is standard output. An existing file is refused unless `force`, now and when it is
    /// put in place. A link is written through, also one that leads to nothing yet, so that it stays a link. A name that
    /// promises a compression is refused.
    pub fn create(path: &Path, force: bool) -> Result<AtomicFile> {
        refuse_promise(path, OUTPUT)?;
        Self::create_file(path, force)
    }

    fn create_file(path: &Path, force: bool) -> Result<AtomicFile> {
        let path = &*remote::local(path)?;
        if remote::is_remote(path) {
            return Self::far(path, force);
        }
        let name = display(&part::shown(path));
        let begin = |folder: &Path, stem: &OsStr, mode: u32, target: Target, name: String| {
            let temp = Part::create(folder, stem, mode)
                .map_err(|e| io_error(&name, &format!("write into the folder {}", folder.display()), e))?;
            Ok(AtomicFile { temp: Some(temp), stream: None, target, force, name })
        };
        let common = std::env::temp_dir();
        if name == PIPE {
            return begin(&common, "stdout".as_ref(), OWNER, Target::Stdout, name);
        }
        let mode = match there(path, &name)? {
            There::Special => return begin(&common, "special".as_ref(), OWNER, Target::Special(path.into()), name),
            There::File(_) if !force => return Err(exists().file(name)),
            // Never more than the old one, not even until it is whole.
            There::File(old) => mode(&old),
            There::Nothing => ANYBODY,
        };
        let real = destination(path).map_err(|e| io_error(&name, "look for the output", e))?;
        let Some(stem) = real.file_name() else {
            return Err(Error::new(&codes::ARGUMENT, "the output is a folder; name a file").file(name));
        };
        let folder = real.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        begin(folder, stem, mode, Target::File(real.clone()), name)
    }

    /// As [`create`](Self::create), for what is to be read back at its [path](Self::path) before it appears: also what is to
    /// be an object elsewhere is a file of this machine until then, among its temporary ones. Its writer keeps what the
    /// name promises.
    pub fn create_to_read_back(path: &Path, force: bool) -> Result<AtomicFile> {
        if !remote::is_remote(path) {
            return Self::create_file(path, force);
        }
        let mut file = Self::far(path, force)?;
        let folder = std::env::temp_dir();
        let temp = Part::create(&folder, "upload".as_ref(), OWNER)
            .map_err(|e| io_error(&file.name, &format!("write into the folder {}", folder.display()), e))?;
        file.temp = Some(temp);
        Ok(file)
    }

    fn far(path: &Path, force: bool) -> Result<AtomicFile> {
        let far = Far::begin(path, force)?;
        let name = far.name().to_owned();
        Ok(AtomicFile { temp: None, stream: None, target: Target::Far(Mutex::new(far)), force, name })
    }

    /// The object that the bytes go to as they come.
    fn at_once(&self) -> Option<std::sync::MutexGuard<'_, Far>> {
        match &self.target {
            Target::Far(far) if self.temp.is_none() => Some(far.lock().unwrap_or_else(PoisonError::into_inner)),
            _ => None,
        }
    }

    /// Whether bytes can be put in front of what was written for nothing, and moved in no other way: this is
    /// an object in a store.
    pub fn takes_front_last(&self) -> bool {
        self.at_once().is_some()
    }

    /// The output's name as the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }
    /// Where the bytes are until they are committed, for reading them back.
    pub fn path(&self) -> Option<&Path> {
        self.temp.as_ref().and_then(Part::path)
    }
    /// The folder for files that must wait beside this one.
    pub fn folder(&self) -> PathBuf {
        self.path().and_then(Path::parent).map_or_else(std::env::temp_dir, Path::to_owned)
    }

    fn file(&self) -> Result<&File> {
        self.temp
            .as_ref()
            .and_then(Part::file)
            .ok_or_else(|| io_error(&self.name, "write", io::ErrorKind::NotFound.into()))
    }

    /// Goes to a position for [`append`](Self::append).
    pub fn seek(&mut self, at: u64) -> Result<()> {
        if let Some(mut far) = self.at_once() {
            return far.reach(at);
        }
        let mut file = self.file()?;
        file.seek(SeekFrom::Start(at)).map_err(|e| io_error(&self.name, "write", e))?;
        Ok(())
    }

    /// Writes slices one after another at the current position.
    pub fn append(&mut self, mut slices: &mut [IoSlice<'_>]) -> Result<()> {
        if let Some(mut far) = self.at_once() {
            return slices.iter().try_for_each(|slice| far.append(slice));
        }
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
        if let Some(mut far) = self.at_once() {
            return far.write_at(at, bytes);
        }
        at::write_all_at(self.file()?, bytes, at).map_err(|e| io_error(&self.name, "write", e))
    }

    /// Copies bytes inside the file as if through memory.
    pub fn copy_within(&self, from: u64, to: u64, len: u64) -> Result<()> {
        if let Some(mut far) = self.at_once() {
            return far.make_room(from, to, len);
        }
        let file = self.file()?;
        let mut buffer = vec![0; COPY.min(usize::try_from(len).unwrap_or(COPY))];
        let mut done = 0;
        while done < len {
            let n = (len - done).min(COPY as u64);
            // Backwards when the target lies behind, so that overlapping bytes are read before they are overwritten.
            let at = if to > from { len - done - n } else { done };
            let part = &mut buffer[..n as usize];
            at::read_exact_at(file, part, from + at).map_err(|e| io_error(&self.name, "read back", e))?;
            at::write_all_at(file, part, to + at).map_err(|e| io_error(&self.name, "write", e))?;
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
        if let Some(mut far) = self.at_once() {
            return far.end_at(len);
        }
        self.file()?.set_len(len).map_err(|e| io_error(&self.name, "write", e))
    }

    /// Puts the bytes in place, made durable first where `sync` says so.
    pub fn commit(mut self, sync: bool) -> Result<()> {
        if let Some(mut stream) = self.stream.take() {
            return stream.flush().map_err(|e| io_error(&self.name, "write", e));
        }
        let temp = self.temp.take();
        if let Target::Far(far) = self.target {
            let mut far = far.into_inner().unwrap_or_else(PoisonError::into_inner);
            if let Some(temp) = temp {
                send_file(&temp, &mut far, &self.name)?;
            }
            return far.finish();
        }
        let Some(temp) = temp else { return Ok(()) };
        let fail = |tried: &str, e: io::Error| io_error(&self.name, tried, e);
        match &self.target {
            // That was above.
            Target::Far(_) => Ok(()),
            Target::File(target) => {
                if let Some(file) = temp.file() {
                    if sync {
                        file.sync_all().map_err(|e| fail("write", e))?;
                    }
                    if self.force
                        && let Ok(old) = fs::metadata(target)
                    {
                        // The replaced file's permissions stay; if a file system has none, there are none to keep.
                        let _ = file.set_permissions(plain_permissions(&old));
                    }
                }
                temp.place(target, self.force).map_err(|e| match e.kind() {
                    io::ErrorKind::AlreadyExists if !self.force => appeared().file(&self.name),
                    _ => fail("rename the finished file", e),
                })?;
                // What is staged is made durable with its place.
                if sync && part::shown(target) == *target {
                    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
                    sync_folder(folder.unwrap_or(Path::new("."))).map_err(|e| not_durable(&self.name, e))?;
                }
                Ok(())
            }
            Target::Stdout => copy_out(&temp, &mut io::stdout().lock()).map_err(|e| fail("write", e)),
            Target::Special(target) => fs::OpenOptions::new()
                .write(true)
                .open(target)
                .and_then(|mut out| copy_out(&temp, &mut out))
                .map_err(|e| fail("write", e)),
        }
    }
}

/// Extensions that say that a file is compressed as a whole, and by what.
const PACKED: [(&str, &str); 15] = [
    ("gz", "gzip"),
    ("gzip", "gzip"),
    ("tgz", "gzip"),
    ("zst", "Zstandard"),
    ("zstd", "Zstandard"),
    ("tzst", "Zstandard"),
    ("bz2", "bzip2"),
    ("xz", "xz"),
    ("lzma", "LZMA"),
    ("lz4", "LZ4"),
    ("br", "Brotli"),
    ("sz", "Snappy"),
    ("z", "compress"),
    ("zip", "ZIP"),
    ("7z", "7-Zip"),
];

/// The name of the compression that a file's name promises.
pub(crate) fn promised(path: &Path) -> Option<(&'static str, &'static str)> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    PACKED.into_iter().find(|(known, _)| *known == extension)
}

/// Refuses an output whose name promises a compression that it will not have. `what` is said of what is written.
pub fn refuse_promise(path: &Path, what: &str) -> Result<()> {
    match promised(path) {
        None => Ok(()),
        Some((extension, name)) => {
            let message = format!("the name ends in .{extension}, but {what} is not written in {name}; leave it out");
            Err(Error::new(&codes::ARGUMENT, message).file(display(path)))
        }
    }
}

fn not_durable(name: &str, e: io::Error) -> Error {
    let message = "the output is in place, but may be gone if the machine dies now: its folder cannot be synced";
    Error::caused(&codes::IO, format!("{message}: {e}"), e).file(name)
}

/// What stands at a path. That this cannot be known is an error, and not an answer.
fn there(path: &Path, name: &str) -> Result<There> {
    match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => {
            Err(Error::new(&codes::ARGUMENT, "the output is a folder; name a file").file(name))
        }
        Ok(meta) if meta.is_file() => Ok(There::File(meta)),
        Ok(_) => Ok(There::Special),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(There::Nothing),
        Err(e) => Err(io_error(name, "look for the output", e)),
    }
}

/// Where a path leads: to the file that is there, or to where it will be.
fn destination(path: &Path) -> io::Result<PathBuf> {
    if let Ok(real) = fs::canonicalize(path) {
        return Ok(real);
    }
    let mut at = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&at) {
            Ok(next) => at = at.parent().unwrap_or(Path::new("")).join(next),
            // No link, or nothing there.
            Err(_) => return Ok(at),
        }
    }
    Err(io::Error::other("too many links lead to each other"))
}

#[cfg(unix)]
fn mode(old: &fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&old.permissions()) & 0o777
}

#[cfg(not(unix))]
fn mode(_: &fs::Metadata) -> u32 {
    ANYBODY
}

/// A file's permissions without the bits that lend its owner's rights.
fn plain_permissions(old: &fs::Metadata) -> fs::Permissions {
    #[cfg(unix)]
    return std::os::unix::fs::PermissionsExt::from_mode(mode(old));
    #[cfg(not(unix))]
    old.permissions()
}

/// Makes the names in a folder durable. Where folders cannot be synced, or not by us, they are as safe as can be.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(e) if matches!(e.kind(), PermissionDenied | InvalidInput | Unsupported) => Ok(()),
        other => other,
    }
}

/// No folder can be opened there, and none needs it.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Sends what was read back to where it is to be.
fn send_file(temp: &Part, far: &mut Far, name: &str) -> Result<()> {
    let failed = |e| io_error(name, "read back", e);
    let mut file = temp.file().ok_or_else(|| failed(io::ErrorKind::NotFound.into()))?;
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    let mut buffer = vec![0; COPY];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(n) => far.append(&buffer[..n])?,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(failed(e)),
        }
    }
}

fn copy_out(temp: &Part, out: &mut impl Write) -> io::Result<()> {
    let mut file = temp.file().ok_or(io::ErrorKind::NotFound)?;
    file.seek(SeekFrom::Start(0))?;
    io::copy(&mut file, out)?;
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
