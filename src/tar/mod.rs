//! TAR archives: scanning, streaming, grouping and writing.
//!
//! A TAR is the way in for most datasets and a way out for all. This module reads what is met in the wild (v7,
//! ustar with prefixes, PAX, GNU long names, base-256 sizes, blanks in numbers, concatenated archives, archives
//! that are never closed), verifies every header's checksum, and says where and which member when it cannot go on.
//!
//! | item | what it does |
//! |---|---|
//! | [`Opener`], [`scan`] | finds every member of an archive that can be read at any place, from its headers alone |
//! | [`StreamReader`] | the same for bytes that only come in order: a pipe, a `.tar.gz`, a `.tar.zst` |
//! | [`Tar`] | an archive as samples |
//! | [`Archive::to_kept`] | what a scan found, kept for the next opening |
//! | [`webdataset`] | which members make one sample |
//! | [`header_for`], [`padding`], [`END`] | the bytes of an archive around its payloads |
//!
//! ```
//! use bytes::Bytes;
//! use forebay::{Limits, tar};
//!
//! let mut file = tar::header_for("train/0001.cls", 2)?;
//! file.extend_from_slice(b"17");
//! file.resize(file.len() + tar::padding(2), 0);
//! file.extend_from_slice(&tar::END);
//!
//! let archive = tar::scan(&Bytes::from(file), &Limits::default())?;
//! let member = archive.members.get(0).unwrap();
//! assert_eq!((member.name, member.offset, member.size), ("train/0001.cls", 512, 2));
//! # Ok::<(), forebay::Error>(())
//! ```
//!
//! # What is kept and what is not
//!
//! Members are the regular files, empty ones too, with their exact names and bytes. Folders, links, devices and
//! pipes are counted in [`Skipped`]. Owners, times and modes are not kept. Names are UTF-8: a name that is not is
//! an error (`tar.name`), because no other format here could give it back. GNU sparse members and parts of
//! multi-volume archives are errors too (`tar.unsupported`): their bytes in the archive are not the file's bytes. An
//! opener that is to keep going passes over such members and over damaged headers.

#[doc(hidden)]
pub mod codes;
mod dataset;
mod file;
pub(crate) mod kept;
mod lost;
mod open;
mod passing;
mod pax;
mod raw;
mod stream;
mod walk;
#[doc(hidden)]
pub mod webdataset;
mod write;

#[doc(hidden)]
pub use dataset::Stray;
pub use dataset::Tar;
#[doc(hidden)]
pub use file::Passed;
pub use file::{Archive, Ending, Member, Members, Skipped};
#[doc(hidden)]
pub use open::Opener;
pub use open::scan;
pub use stream::{Event, StreamReader, Summary};
pub use write::{END, header_for, padding};
