//! Strips of thumbnails: a TBL of small JPEGs beside a dataset, one for each sample in their order. A gallery shows its first
//! screen from the beginning of that one file, instead of reading every picture.
//!
//! Every thumbnail carries a comment that says of which sample of which file it is, so any part of a strip can be told from
//! another file's without reading the rest. The npm package writes and reads the same files (`writeThumbs`, `openThumbs`).
//!
//! ```no_run
//! use forebay_native::{Dataset, thumbs::{self, Strip, ThumbsOptions}};
//! let dataset = Dataset::open("train.tbl")?;
//! let output = thumbs::beside("train.tbl".as_ref());
//! thumbs::write(&dataset, &output, &ThumbsOptions::default(), &mut |_| {})?;
//! let jpeg = Strip::open(&output, &dataset)?.get(17)?;
//! # let _ = jpeg;
//! # Ok::<(), forebay::Error>(())
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `label.rs` | the comment of a thumbnail, and the digest that tells files apart |
//! | `draw.rs` | one picture made small, as a JPEG |
//! | `write.rs` | all of a dataset, on all cores |
//! | `strip.rs` | a strip that was made before |

mod draw;
mod label;
mod strip;
mod write;

use std::path::{Path, PathBuf};

pub use strip::Strip;
pub use write::{ThumbsOptions, ThumbsSummary, write};

/// What stands behind the name of a file to name its thumbnails.
pub const SUFFIX: &str = ".thumbs";

/// Where the thumbnails of a file lie: beside it, under its name with `.thumbs` behind.
pub fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(SUFFIX);
    name.into()
}

/// The codes of thumbnails.
pub mod codes {
    use forebay::error::Code;
    /// Thumbnails of something else.
    pub const OTHER_FILE: Code =
        Code::usage("thumbs.other_file", "A file of thumbnails is of another file, or of this one before it changed.");
    /// Every code of this module.
    pub const ALL: &[&Code] = &[&OTHER_FILE];
}
