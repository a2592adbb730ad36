//! What can be wrong with records.

use crate::error::Code;

/// A record lacks the field that is the payload.
pub const NO_PAYLOAD: Code = Code::damaged(
    "record.no_payload",
    "A record lacks the field that the others have their image in, or that field has no bytes.",
);
/// A length's checksum is wrong.
pub const LENGTH: Code = Code::damaged(
    "tfrecord.length",
    "A record's length does not match its checksum, so where the next record begins is not known.",
);
/// A record's checksum is wrong.
pub const DATA: Code = Code::damaged("tfrecord.data", "A record's bytes do not match their checksum.");
/// The file ends too early.
pub const TRUNCATED: Code = Code::damaged("tfrecord.truncated", "The file ends inside a record.");
/// A record is not what the others are.
pub const EXAMPLE: Code =
    Code::damaged("tfrecord.example", "A record is not readable as `tf.train.Example` or `SequenceExample`.");

/// Every code of this module.
pub const ALL: &[&Code] = &[&NO_PAYLOAD, &LENGTH, &DATA, &TRUNCATED, &EXAMPLE];
