//! The codes of filters. Their offset counts characters of the expression.

use crate::error::Code;

/// The expression is not one.
pub const SYNTAX: Code =
    Code::usage("filter.syntax", "A filter expression cannot be read; the message says what was expected.");
/// A number is malformed or does not fit.
pub const NUMBER: Code =
    Code::usage("filter.number", "A number in a filter is malformed, or an integer has more than 64 bits.");
/// A string, name or pattern is not closed, or has an unknown escape.
pub const STRING: Code = Code::usage(
    "filter.string",
    "A string, quoted name or pattern in a filter is not closed, or has an unknown escape.",
);
/// There is no such column, or no sample with such metadata.
pub const FIELD: Code =
    Code::usage("filter.field", "A filter names a field that the table, or every sample, does not have.");
/// A comparison never holds.
pub const KIND: Code = Code::usage(
    "filter.kind",
    "A filter compares a field with a kind of value that it never holds, such as text with a number; the message says what to write.",
);
/// Every code of this module.
pub const ALL: &[&Code] = &[&SYNTAX, &NUMBER, &STRING, &FIELD, &KIND];
