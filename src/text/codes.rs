//! What can be wrong with a text.

use crate::error::Code;

/// A row of text cannot be read.
pub const ROW: Code = Code::damaged(
    "table.row",
    "A row of CSV or JSON lines cannot be read, or a value does not fit its column; the message names the line.",
);
/// Every code of this module.
pub const ALL: &[&Code] = &[&ROW];
