//! What can be wrong with a journal of edits, and with applying one.

use crate::error::Code;

/// A line is not what the format says.
pub const LINE: Code = Code::damaged(
    "edits.line",
    "A line of a journal of edits is not one object of JSON, lacks something, or is impossible.",
);
/// A line was damaged.
pub const CHECKSUM: Code = Code::damaged("edits.checksum", "A line of a journal of edits does not match its checksum.");
/// A line is missing or there twice.
pub const ORDER: Code = Code::damaged(
    "edits.order",
    "The numbers of a journal's lines do not follow each other: one is missing or doubled.",
);
/// A newer journal.
pub const VERSION: Code = Code::unsupported("edits.version", "The journal is of another version than 1.");
/// A change that is not known.
pub const UNKNOWN: Code = Code::unsupported(
    "edits.unknown",
    "The journal has a change of a kind that this version does not know; the message names it.",
);
/// The journal of another file.
pub const OTHER_FILE: Code = Code::usage(
    "edits.other_file",
    "The journal is of another file, or the file has changed since: length, layout, samples or digest differ.",
);
/// A field cannot be there.
pub const PATH: Code = Code::usage(
    "edits.path",
    "A change names a field that cannot be in the sample's metadata: something on its way is not an object or a list.",
);
/// The bytes of an added sample.
pub const BLOB: Code = Code::damaged(
    "edits.blob",
    "The bytes of an added sample are not next to the journal, or do not match their checksum.",
);
/// What the output cannot hold.
pub const CANNOT: Code =
    Code::unsupported("edits.cannot", "The file cannot be changed in this way; the message says why, and what to do.");
/// Too long or too many.
pub const LIMIT: Code = Code::limit(
    "edits.limit",
    "A journal has a line that is too long, too many bytes or changes, or a sample too many tags.",
);
/// Two journals disagree.
pub const CONFLICT: Code = Code::usage(
    "edits.conflict",
    "Two journals change the same thing differently; the message names it, and an option says which counts.",
);
/// Somebody else is at it.
pub const LOCKED: Code =
    Code::usage("edits.locked", "Another program, tab or object has this journal or file open for changing.");
/// Every code of this module.
pub const ALL: &[&Code] =
    &[&LINE, &CHECKSUM, &ORDER, &VERSION, &UNKNOWN, &OTHER_FILE, &PATH, &BLOB, &CANNOT, &LIMIT, &CONFLICT, &LOCKED];
