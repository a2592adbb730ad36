//! Samples of any container: opened, read, selected, checked and converted.
//!
//! What one sample is, is [`sample`](crate::sample); what a file of them looks like, each format's module. Everything here
//! says which bytes it needs, takes them, and gives bytes to write at positions; hosts have files and threads.
//!
//! | file | what it holds |
//! |---|---|
//! | `open.rs` | a container of any format, opened |
//! | `records.rs` | a sample's metadata, whatever container it comes from |
//! | `archive_files.rs` | the files that a sample becomes in an archive |
//! | `oddities.rs` | what of converted samples is not as it was |

mod archive_files;
mod oddities;
pub mod open;
mod records;

pub use archive_files::{ArchiveFile, archive_files, renamed};
pub use oddities::Oddities;
pub use open::{Dataset, Opener};
pub use records::{FoundRecord, parse_record};
