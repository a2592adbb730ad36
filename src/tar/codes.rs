//! What can be wrong with a TAR archive.

use crate::error::Code;

/// A header's checksum is wrong.
pub const CHECKSUM: Code =
    Code::damaged("tar.checksum", "A member's header does not add up to the checksum that it carries.");
/// The archive ends too early.
pub const TRUNCATED: Code =
    Code::damaged("tar.truncated", "The archive ends inside a header or a payload, or a size points past its end.");
/// A size is not a number.
pub const NUMBER: Code =
    Code::damaged("tar.number", "A size in a header is not a number, or is negative, or does not fit 64 bits.");
/// An extended header is invalid.
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
