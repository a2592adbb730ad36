//! What can be wrong with a TBF file.

use crate::error::Code;

/// The file ends too early.
pub const TRUNCATED: Code = Code::damaged("tbf.truncated", "The file ends before what it announces.");
/// The first bytes are none of the six layouts.
pub const MAGIC: Code = Code::damaged("tbf.magic", "The first bytes are those of no TBF layout.");
/// A version that this reader does not know.
pub const VERSION: Code = Code::unsupported(
    "tbf.version",
    "The file has a version, or a type or encoding of a newer version, that Forebay does not know.",
);
/// A variable-length integer of more than its bits.
pub const VARINT: Code = Code::damaged("tbf.varint", "A variable-length integer has more bits than its type.");
/// A count that the bytes left cannot hold.
pub const COUNT: Code =
    Code::damaged("tbf.count", "A count contradicts the bytes that are left, or another count of the same table.");
/// A dictionary index without an entry.
pub const INDEX: Code = Code::damaged("tbf.index", "A dictionary index points past the dictionary.");
/// A tag or type number that stands for nothing.
pub const TAG: Code = Code::damaged("tbf.tag", "A tag, type or encoding number is unknown.");
/// A value outside of its type.
pub const VALUE: Code = Code::damaged("tbf.value", "A stored value is outside of its column's type.");
/// Bytes after the end.
pub const TRAILING: Code = Code::damaged("tbf.trailing", "Bytes follow the end of the table that belong to nothing.");
/// The footer contradicts itself or the file.
pub const FOOTER: Code = Code::damaged("tbf.footer", "The footer is damaged or contradicts the file.");
/// A checksum does not match.
pub const CHECKSUM: Code = Code::damaged("tbf.checksum", "The bytes of a column are not those that were written.");
/// The layout needs a schema.
pub const SCHEMA_NEEDED: Code = Code::usage(
    "tbf.schema_needed",
    "The layout stores no types, so that it can only be read with a schema from the caller.",
);
/// The schema is not one.
pub const SCHEMA: Code = Code::usage("tbf.schema", "The schema given does not make sense, or not for this file.");
/// A document that is not a table.
pub const NOT_A_TABLE: Code =
    Code::unsupported("tbf.not_a_table", "The document is not a list of objects, so that it has no rows and columns.");
/// A value that the layout cannot hold.
pub const CANNOT_HOLD: Code =
    Code::usage("tbf.cannot_hold", "The layout cannot hold this value or type; the message says which and where.");
/// A value outside of the width that the caller chose.
pub const WIDTH: Code =
    Code::usage("tbf.width", "A value does not fit the requested encoding; it is never cut to fit.");
/// Every code of this module.
pub const ALL: &[&Code] = &[
    &TRUNCATED,
    &MAGIC,
    &VERSION,
    &VARINT,
    &COUNT,
    &INDEX,
    &TAG,
    &VALUE,
    &TRAILING,
    &FOOTER,
    &CHECKSUM,
    &SCHEMA_NEEDED,
    &SCHEMA,
    &NOT_A_TABLE,
    &CANNOT_HOLD,
    &WIDTH,
];
