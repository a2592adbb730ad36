//! The readers, by the names that the twins give to formats.

use forebay::{
    Result,
    annotations::{Labels, ReadOptions, coco},
};

use crate::twins::Case;

/// How a case is read.
pub type Read = fn(&Case, &ReadOptions) -> Result<Labels>;

/// The reader of a format; `None` where there is none yet.
pub fn reader(format: &str) -> Option<Read> {
    let read: Read = match format {
        "coco" => |case, options| coco::read(&case.entry_bytes(), options),
        _ => return None,
    };
    Some(read)
}
