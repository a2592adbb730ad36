//! FFCV's `.beton`: a table with a row for each sample, and the images that it points to.
//!
//! Only a table at the end has the size of an image's file: it lists every place with its number of bytes. Both
//! tables are read to open a file, and of the rest only what is wanted.
//!
//! | file | what it holds |
//! |---|---|
//! | `open.rs` | from the head to both tables |
//! | `file.rs` | the samples |

mod file;
mod open;

pub use file::Beton;
pub use open::Opener;

/// Bytes of the head, and of what it says of each field.
const HEAD: u64 = 24;
const FIELD: u64 = 1 + 16 + 1024;
