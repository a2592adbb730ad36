//! TAR archives: scanning, streaming, grouping and writing.
//!
//! A TAR is the way in for most datasets and a way out for all. This module reads what is met in the wild (v7,
//! ustar with prefixes, PAX, GNU long names, base-256 sizes, blanks in numbers, concatenated archives, archives
//! that are never closed), verifies every header's checksum, and says where and which member when it cannot go on.
//!
//! | item | what it does |
//! |---|---|
//! | [`Scanner`], [`scan`] | finds every member of an archive that can be read at any place, from its headers alone |
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
//! multi-volume archives are errors too (`tar.unsupported`): their bytes in the archive are not the file's bytes.

mod dataset;
mod file;
pub(crate) mod kept;
mod open;
mod pax;
mod raw;
mod stream;
mod walk;
pub mod webdataset;
mod write;

pub use dataset::{Stray, Tar};
pub use file::{Archive, Ending, Member, Members, Skipped};
pub use open::{Scanner, scan};
pub use stream::{Event, StreamReader, Summary};
pub use write::{END, header_for, padding};

/// The codes of TAR archives.
pub mod codes {
    use crate::error::Code;
    /// A header's checksum is wrong.
    pub const CHECKSUM: Code =
        Code::damaged("tar.checksum", "A member's header does not add up to the checksum that it carries.");
    /// The archive ends too early.
    pub const TRUNCATED: Code =
        Code::damaged("tar.truncated", "The archive ends inside a header or a payload, or a size points past its end.");
    /// A size is no number.
    pub const NUMBER: Code =
        Code::damaged("tar.number", "A size in a header is not a number, or is negative, or does not fit 64 bits.");
    /// An extended header makes no sense.
    pub const EXTENSION: Code =
        Code::damaged("tar.extension", "A PAX record or a GNU long name is malformed or belongs to no member.");
    /// A name is not UTF-8.
    pub const NAME: Code = Code::unsupported("tar.name", "A member's name is not UTF-8.");
    /// A kind of member that cannot be read.
    pub const UNSUPPORTED: Code = Code::unsupported(
        "tar.unsupported",
        "A member is sparse or part of a multi-volume archive, which Forebay does not read.",
    );
    /// Every code of this module.
    pub const ALL: &[&Code] = &[&CHECKSUM, &TRUNCATED, &NUMBER, &EXTENSION, &NAME, &UNSUPPORTED];
}
