//! What can be wrong with a ZIP archive.

use crate::error::Code;

/// The end of the archive cannot be found.
pub const END: Code = Code::damaged(
    "zip.end",
    "The record at the archive's end, by which its directory is found, is missing or contradicts the file.",
);
/// The directory is damaged.
pub const DIRECTORY: Code =
    Code::damaged("zip.directory", "The directory at the archive's end is cut or contradicts itself.");
/// Members share bytes.
pub const OVERLAP: Code =
    Code::damaged("zip.overlap", "Two members of the archive claim the same bytes, or one those of the directory.");
/// A member is not what the directory says.
pub const MEMBER: Code =
    Code::damaged("zip.member", "The header in front of a member is missing or contradicts the directory.");
/// A member does not decompress.
pub const PACKED: Code = Code::damaged("zip.packed", "A member does not decompress to what the directory announces.");
/// A checksum is wrong.
pub const CRC: Code = Code::damaged("zip.crc", "A member does not match the CRC-32 that the directory has of it.");
/// A name that cannot be kept.
pub const NAME: Code = Code::unsupported("zip.name", "A member's name is declared as UTF-8 and is not, or has a NUL.");
/// A member is encrypted.
pub const ENCRYPTED: Code =
    Code::unsupported("zip.encrypted", "A member is encrypted, which Forebay does not read; unpack the archive first.");
/// An archive or member that is not read.
pub const UNSUPPORTED: Code = Code::unsupported(
    "zip.unsupported",
    "The archive is one of several volumes, or a member is compressed with something other than deflate.",
);
/// Every code of this module.
pub const ALL: &[&Code] = &[&END, &DIRECTORY, &OVERLAP, &MEMBER, &PACKED, &CRC, &NAME, &ENCRYPTED, &UNSUPPORTED];
