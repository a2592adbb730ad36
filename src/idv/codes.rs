//! The codes of IDV's faults.

use crate::error::Code;

/// The file or a block ends inside a field.
pub const TRUNCATED: Code = Code::damaged("idv.truncated", "The bytes end before the field or value does.");
/// The first eight bytes are not IDV's.
pub const SIGNATURE: Code = Code::damaged(
    "idv.signature",
    "The file does not begin with IDV's signature; an all-zero header is a write that was interrupted.",
);
/// The version cannot be read.
pub const VERSION: Code =
    Code::unsupported("idv.version", "The file asks for a version that is not read: 1.1.1.4 to 1.1.1.6 are.");
/// The two versions of the header contradict each other.
pub const VERSION_ORDER: Code =
    Code::damaged("idv.version_order", "The compatible version is newer than the file's own version.");
/// A number of the header is invalid.
pub const HEADER: Code = Code::damaged("idv.header", "A count or offset of the header is invalid.");
/// The tail signature is not where the header says.
pub const TAIL: Code = Code::damaged("idv.tail", "The tail signature is not where the header says.");
/// A column has no name.
pub const NAME: Code = Code::damaged("idv.name", "A column's name is empty.");
/// A string's length is not a length.
pub const STRING: Code = Code::damaged("idv.string", "The length in front of a string is invalid.");
/// A codec's definition contradicts itself.
pub const CODEC: Code = Code::damaged("idv.codec", "A codec's definition contradicts itself or asks for too much.");
/// A column of a kind that cannot be interpreted.
pub const DEAD: Code = Code::unsupported(
    "idv.dead_column",
    "The column's codec or compression is not known, so it cannot be read; the others can.",
);
/// The rows per block are invalid.
pub const ROWS_PER_BLOCK: Code = Code::damaged("idv.rows_per_block", "A column's rows per block are invalid.");
/// Columns differ in their rows per block.
pub const MIXED_ROWS_PER_BLOCK: Code =
    Code::unsupported("idv.mixed_rows_per_block", "Columns differ in their rows per block, which no reader takes.");
/// An offset lies outside the file's data.
pub const OFFSET: Code = Code::damaged("idv.offset", "An offset or length points outside the file's data.");
/// The annotations' table is invalid.
pub const ANNOTATION: Code = Code::damaged("idv.annotation", "A column's annotations contradict the format.");
/// An annotation of a kind that cannot be interpreted.
pub const UNKNOWN_ANNOTATION: Code = Code::unsupported(
    "idv.unknown_annotation",
    "An annotation's codec or compression is not known, so it is skipped; ML.NET refuses such files.",
);
/// A block's number of values is not its number of rows.
pub const COUNT: Code = Code::damaged("idv.count", "A block announces another number of values than it has rows.");
/// Text boundaries contradict the text.
pub const TEXT: Code = Code::damaged("idv.text", "The boundaries of text values contradict the text.");
/// A vector's lengths, counts or indices contradict each other.
pub const VECTOR: Code =
    Code::damaged("idv.vector", "A vector's lengths, counts or indices contradict each other or its type.");
/// A bit pattern that no boolean has.
pub const BOOL: Code = Code::damaged("idv.bool", "A bit pattern is not a boolean.");
/// A date or an offset from UTC that cannot be.
pub const TIME: Code = Code::damaged("idv.time", "A date, a time or an offset from UTC is outside its range.");
/// A block's stored bytes do not decompress.
pub const DEFLATE: Code =
    Code::damaged("idv.deflate", "A block's stored bytes do not decompress to what it announces.");
/// What the format cannot hold.
pub const CANNOT_HOLD: Code =
    Code::unsupported("idv.cannot_hold", "IDV cannot hold this; the message says what, and where.");
/// Bytes after the end.
pub const TRAILING: Code = Code::damaged("idv.trailing", "Bytes follow the tail signature; readers ignore them.");
/// Text that UTF-8 cannot hold.
pub const TEXT_REPLACED: Code =
    Code::damaged("idv.text_replaced", "Text that UTF-8 cannot hold is read with U+FFFD in its place.");
/// Missing values of old files.
pub const OLD_MISSING: Code =
    Code::damaged("idv.old_missing", "Values are marked as missing, as old versions did; they read as defaults.");
/// Keys over their count.
pub const KEY_RANGE: Code = Code::damaged("idv.key_range", "Keys are larger than the column's count of keys.");
/// Annotations that do not fit their column.
pub const ANNOTATION_SIZE: Code =
    Code::damaged("idv.annotation_size", "Names of slots or values of keys are not as many as slots or keys.");

/// Every code of this module.
pub const ALL: &[&Code] = &[
    &TRUNCATED,
    &SIGNATURE,
    &VERSION,
    &VERSION_ORDER,
    &HEADER,
    &TAIL,
    &NAME,
    &STRING,
    &CODEC,
    &DEAD,
    &ROWS_PER_BLOCK,
    &MIXED_ROWS_PER_BLOCK,
    &OFFSET,
    &ANNOTATION,
    &UNKNOWN_ANNOTATION,
    &COUNT,
    &TEXT,
    &VECTOR,
    &BOOL,
    &TIME,
    &DEFLATE,
    &CANNOT_HOLD,
    &TRAILING,
    &TEXT_REPLACED,
    &OLD_MISSING,
    &KEY_RANGE,
    &ANNOTATION_SIZE,
];
