//! How files and folders are called that are half written, so that no reader takes them for data.

use std::ffi::OsStr;

/// What tells our siblings from other programs' hidden files.
pub(crate) const MARK: &str = ".forebay-";
/// How they end.
pub(crate) const SUFFIX: &str = ".part";
/// The longest name of a file that most file systems take, in bytes.
pub(crate) const LONGEST: usize = 255;
/// Random characters between the two.
pub(crate) const RANDOM: usize = 6;

/// Whether a file or folder of that name is half written, of whatever output: a run may take it for a dead one's.
pub(crate) fn is_part(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    let tail = name.len().checked_sub(MARK.len() + RANDOM + SUFFIX.len()).and_then(|at| name.get(at..));
    name.starts_with(b".") && tail.is_some_and(|t| t.starts_with(MARK.as_bytes()) && t.ends_with(SUFFIX.as_bytes()))
}
