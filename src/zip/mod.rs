//! ZIP archives as samples, found by the directory at their end.
//!
//! A ZIP says at its end what it holds and where, so opening one reads that and nothing else: two or three ranges,
//! however large the archive is. Every sample is then one range. Forebay reads stored and deflated members, also of
//! ZIP64, and compares each with the directory's CRC-32; it writes none.
//!
//! | file | what it holds |
//! |---|---|
//! | `end.rs` | the records at the end: where the directory is |
//! | `entry.rs` | one entry of the directory |
//! | `open.rs` | from the end to the directory to the members |
//! | `file.rs` | the members, and the samples that they are |
//! | `check.rs` | every fault of an archive |
//!
//! # The order of samples
//!
//! Programs put members in any order, often that in which a disk gives its files. Since a ZIP is read at random anyway, its
//! members are taken in the order of their names, and grouped as those of a TAR are
//! ([`webdataset`](crate::tar::webdataset)): a sidecar finds its picture wherever in the archive it lies, and an archive is
//! the samples that the folder is which it unpacks to.
//!
//! # What is believed
//!
//! The directory alone. A member's own header must agree with it in compression and size, no two members may share a byte
//! (so that a small archive cannot unpack to a large one many times over), and a member that unpacks to more or less than
//! announced is damaged. Folders, links, hidden files and what macOS puts into `__MACOSX` are left out and counted.

mod check;
pub mod codes;
mod end;
mod entry;
mod file;
mod open;

pub use check::Checker;
pub use file::{LeftOut, Zip};
pub use open::Opener;
