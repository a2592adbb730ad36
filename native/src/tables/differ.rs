//! Rows that do not read back as they were written.

use forebay::Error;

use crate::convert::codes::VERIFY;

/// A row that does not read back as it was written.
pub(super) fn differ(row: u64, what: &str) -> Error {
    Error::new(&VERIFY, format!("the row reads back differently: {what}")).row(row)
}
