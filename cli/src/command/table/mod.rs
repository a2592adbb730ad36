//! What the commands do with tables: CSV, JSON lines, Parquet, Arrow, TBF and IDV.
//!
//! Each command asks [`is_table`] about its file and comes here when the answer is yes.

pub(super) mod args;
pub(super) mod convert;
pub(super) mod head;
pub(super) mod inspect;
pub(super) mod stats;

use std::path::Path;

use forebay::Result;
use forebay_native::tables::{ReadOptions, TableFormat, table_format};

/// The table format of a file: what the user says, else its content, else for text its name.
pub(super) fn is_table(path: &Path, read: &ReadOptions) -> Result<Option<TableFormat>> {
    match read.format {
        Some(format) => Ok(Some(format)),
        None => table_format(path),
    }
}
