//! Names of pictures: what a label file says must not leave the folder of the pictures.

use crate::error::{Code, Error};

use super::codes;

/// Bytes that a name may have; file systems allow 255 a part and about 4,096 in all.
const MOST_BYTES: usize = 4096;

/// Refuses names that are absolute, leave their folder, or that no file can have; on every system those of every system,
/// so that a file means the same everywhere. The error has no place yet.
///
/// ```
/// use forebay_annotations::checked_name;
/// assert!(checked_name("train/a.b..c.jpg").is_ok());
/// for name in ["/etc/x.jpg", "../x.jpg", "a/../../x.jpg", "C:x.jpg", "C:\\x.jpg", "\\\\host\\share\\x.jpg", "a\0.jpg", ""] {
///     assert!(checked_name(name).is_err(), "{name}");
/// }
/// ```
pub fn checked_name(name: &str) -> Result<(), Error> {
    match fault(name) {
        None => Ok(()),
        Some(why) => {
            let shown: String = name.chars().take(80).collect();
            Err(Error::new(NAME, format!("the image's name {shown:?} {why}")))
        }
    }
}

const NAME: &Code = &codes::NAME;

fn fault(name: &str) -> Option<&'static str> {
    let bytes = name.as_bytes();
    if name.trim().is_empty() {
        Some("is empty")
    } else if bytes.len() > MOST_BYTES {
        Some("is longer than any file's")
    } else if bytes.contains(&0) {
        Some("has a NUL in it")
    } else if bytes[0] == b'/' || bytes[0] == b'\\' {
        Some("is absolute")
    } else if bytes.len() > 1 && bytes[1] == b':' && bytes[0].is_ascii_alphabetic() {
        Some("begins with a drive")
    } else if name.split(['/', '\\']).any(|part| part == "..") {
        Some("leaves the folder of the images")
    } else {
        None
    }
}

/// The last part of a name: the file's own.
///
/// ```
/// assert_eq!(forebay_annotations::base_name("../upload\\1/a.jpg"), "a.jpg");
/// ```
pub fn base_name(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

/// A picture's name as a file says it, as far as it counts. One that is refused may do by its last part alone, and the
/// error says so.
pub(crate) fn named(name: &str, policy: super::Names) -> Result<&str, Error> {
    let name = by_policy(name, policy);
    let option: &[&str] = if policy == super::Names::Whole { &["names"] } else { &[] };
    checked_name(name).map(|()| name).map_err(|e| e.with_options(option))
}

/// What of a name counts.
pub(crate) fn by_policy(name: &str, policy: super::Names) -> &str {
    match policy {
        super::Names::Whole => name,
        super::Names::Last => base_name(name),
    }
}
