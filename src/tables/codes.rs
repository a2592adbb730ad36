//! What can be wrong with a table of a format that another crate reads.

use crate::error::Code;

/// Parquet or Arrow bytes are damaged.
pub const ARROW: Code =
    Code::damaged("table.arrow", "A Parquet or Arrow file contradicts its format; the message says how.");
/// There is no way from this file or to this format.
pub const ROUTE: Code = Code::unsupported(
    "table.route",
    "Tables of this format, or a column's type, compression or encryption, are not read or written in this build.",
);
/// Every code of this module.
pub const ALL: &[&Code] = &[&ARROW, &ROUTE];
