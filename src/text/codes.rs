//! What can be wrong with a text.

use crate::{
    error::{Code, Error},
    table::DataType,
};

/// A row of text cannot be read.
pub const ROW: Code = Code::damaged(
    "table.row",
    "A row of CSV or JSON lines cannot be read, or a value does not fit its column; the message names the line.",
);
/// Every code of this module.
pub const ALL: &[&Code] = &[&ROW];

/// A row that cannot be read. Lines count from 1.
pub(in crate::text) fn bad_row(line: u64, why: impl std::fmt::Display) -> Error {
    Error::new(&ROW, format!("line {line}: {why}"))
}

/// A row with a value that would lose something as what the first rows say that its column is.
pub(in crate::text) fn unlike_the_first(line: u64, dtype: &DataType, text: &str) -> Error {
    let short: String = text.chars().take(60).collect();
    let message = format!(
        "{short:?} would not stay what it is in a column of {dtype}, which the first rows make of it; give its type, or look at more rows first"
    );
    bad_row(line, message).with_options(&["types", "sniff_rows"])
}
