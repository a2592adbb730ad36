//! Labels written: one file, or a folder of them that appears whole.

use std::{
    fs,
    io::{self, IoSlice, Write as _},
    path::{Component, Path, PathBuf},
};

use forebay::{
    Error, Result,
    annotations::{
        Format, Labels, Losses, codes,
        write::{Writer, writer},
    },
    error::codes::ARGUMENT,
};

use crate::{
    input::{PIPE, display, io_error, remote},
    output::{AtomicFile, Stage},
};

/// The files written.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Written {
    /// Losses that the format cannot express.
    pub losses: Losses,
    /// How many files.
    pub files: u64,
    /// How many bytes.
    pub bytes: u64,
}

/// Writes labels to a file, or, where the format has a file a picture, to a folder that must not be there yet. What is
/// written appears when it is whole; of a folder in a store each file by itself. `force` replaces a file, and no folder.
pub fn write(labels: &Labels, format: Format, path: &Path, force: bool) -> Result<Written> {
    match writer(format)? {
        Writer::File(write) => {
            let mut out = AtomicFile::create_streaming(path, force)?;
            let mut bytes = 0;
            let losses = write(labels, &mut |piece| {
                bytes += piece.len() as u64;
                out.append(&mut [IoSlice::new(piece)])
            })?;
            out.commit(true)?;
            Ok(Written { losses, files: 1, bytes })
        }
        Writer::Files(write) if remote::is_remote(path) => {
            remote::refuse_writing(path)?;
            if !remote::below(path)?.is_empty() {
                return Err(there(path));
            }
            let mut written = Written::default();
            written.losses = write(labels, &mut |name, text| {
                written.files += 1;
                written.bytes += text.len() as u64;
                let mut out = AtomicFile::create_streaming(&remote::beneath(path, inside(name)), false)?;
                out.append(&mut [IoSlice::new(text)])?;
                out.commit(false)
            })?;
            Ok(written)
        }
        Writer::Files(_) if path.as_os_str() == PIPE => {
            let message = "this format has a file an image, and standard output is one file; name a folder";
            Err(Error::new(&ARGUMENT, message))
        }
        Writer::Files(write) => folder(path, |stage, staged| {
            let mut written = Written::default();
            written.losses = write(labels, &mut |name, text| {
                written.files += 1;
                written.bytes += text.len() as u64;
                stage.undisturbed(|| put(staged, name, text))
            })?;
            Ok(written)
        }),
        _ => Err(Error::new(&forebay::annotations::codes::UNSUPPORTED, "labels are not written in this format")),
    }
}

fn there(path: &Path) -> Error {
    Error::new(&ARGUMENT, "the output exists already, and a folder is never replaced").file(display(path))
}

/// The path of a name: names were checked when they were read; here nothing leaves the folder either.
fn inside(name: &str) -> PathBuf {
    Path::new(name).components().filter(|part| matches!(part, Component::Normal(_))).collect()
}

/// Fills a folder beside its place, and gives it its name when it is whole.
fn folder<T>(path: &Path, fill: impl FnOnce(&Stage, &Path) -> Result<T>) -> Result<T> {
    let shown = display(path);
    let Some(name) = path.file_name() else {
        return Err(Error::new(&ARGUMENT, "the output has no name").file(shown));
    };
    let is_there = || path.symlink_metadata().is_ok();
    if is_there() {
        return Err(there(path));
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let failed = |e| io_error(&shown, "write", e);
    let stage = Stage::begin(parent, name, std::iter::empty(), false)?;
    let staged = stage.at("labels");
    stage.undisturbed(|| fs::create_dir(&staged)).map_err(failed)?;
    let filled = fill(&stage, &staged)?;
    stage.undisturbed(|| {
        if is_there() {
            return Err(Error::new(&ARGUMENT, "the output exists since this began, and is left as it is").file(&shown));
        }
        fs::rename(&staged, path).map_err(failed)
    })?;
    Ok(filled)
}

/// Writes one of the files of a folder.
fn put(folder: &Path, name: &str, text: &[u8]) -> Result<()> {
    let path = folder.join(inside(name));
    let failed = |e| io_error(name, "write", e);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(failed)?;
    }
    // Names that are different may be one for the file system, and then one would replace the other.
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(&path).map_err(|e| match e.kind() {
        io::ErrorKind::AlreadyExists => {
            Error::new(&codes::REPEATED, format!("two images would have the same file of labels, {name:?}"))
        }
        _ => failed(e),
    })?;
    file.write_all(text).map_err(failed)
}
