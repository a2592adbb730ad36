//! What there is of this where it is not built in: the answer that it is not.

use std::path::{Path, PathBuf};

use forebay::{Error, Result};

use super::{Settings, codes, shown};
use crate::input::Input;

/// What is known of an object that was listed.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its address.
    pub path: PathBuf,
    /// Its name below the folder.
    pub name: String,
    /// How many bytes it has.
    pub len: u64,
}

/// An upload that has begun and not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unfinished {
    /// The object that it was to become.
    pub path: PathBuf,
    /// What the store calls it.
    pub upload: String,
    /// When it was begun, if the store says so.
    pub begun: Option<std::time::SystemTime>,
}

fn no<T>(path: &Path) -> Result<T> {
    let message = "this build of Forebay opens no addresses; fetch the file, or build it with the feature remote";
    Err(Error::new(&codes::NOT_BUILT, message).file(shown(path)))
}

/// Opens an address: not in this build.
pub fn open(address: &str, _: &Settings) -> Result<Input> {
    no(Path::new(address))
}
pub(crate) fn open_path(path: &Path) -> Result<Input> {
    no(path)
}
pub(crate) fn first_bytes(path: &Path, _: u64) -> Result<Vec<u8>> {
    no(path)
}
pub(crate) fn known_len(_: &Path) -> Option<u64> {
    None
}
pub(crate) fn matching(pattern: &Path) -> Result<Vec<PathBuf>> {
    no(pattern)
}
/// What lies below an address: not in this build.
pub fn below(folder: &Path) -> Result<Vec<Listed>> {
    no(folder)
}

/// Uploads that have not ended: not in this build.
pub fn unfinished(path: &Path) -> Result<Vec<Unfinished>> {
    no(path)
}
/// Ends uploads: not in this build.
pub fn end_unfinished(uploads: &[Unfinished]) -> Result<()> {
    uploads.first().map_or(Ok(()), |upload| no(&upload.path))
}

/// What came of an object: in this build none is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "nothing comes of what there is not")]
pub(crate) enum Placed {
    Here,
    Taken,
}

/// An object on its way: not in this build, so there is none of this type.
#[derive(Debug)]
pub(crate) struct Upload {
    never: std::convert::Infallible,
}

impl Upload {
    pub fn begin(path: &Path) -> Result<Upload> {
        no(path)
    }
    pub fn name(&self) -> &str {
        match self.never {}
    }
    pub fn is_there(&self) -> bool {
        match self.never {}
    }
    pub fn keep_all(&mut self) {
        match self.never {}
    }
    pub fn part(&mut self, _: usize, _: bytes::Bytes) -> Result<()> {
        match self.never {}
    }
    pub fn whole(self, _: bytes::Bytes) -> Result<Placed> {
        match self.never {}
    }
    pub fn complete(self) -> Result<Placed> {
        match self.never {}
    }
}

/// What is under an address: not in this build.
pub(crate) fn found(path: &Path) -> Result<Option<Input>> {
    no(path)
}
/// Copies an object: not in this build.
pub(crate) fn copy(from: &Path, _: &Path) -> Result<()> {
    no(from)
}
/// Removes objects: not in this build.
pub(crate) fn remove<P: AsRef<Path>>(paths: &[P]) -> Result<()> {
    paths.first().map_or(Ok(()), |path| no(path.as_ref()))
}
/// There are none.
pub(crate) fn abandon_all() {}
