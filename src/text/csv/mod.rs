//! CSV and its relatives.
//!
//! | file | what it holds |
//! |---|---|
//! | `records.rs`, `fields.rs` | records and their fields, as they lie in the text |
//! | `delimiter.rs` | which delimiter a text has |
//! | `rows.rs` | records into columns |
//! | `write.rs` | the same, outwards |

mod delimiter;
pub(super) mod fields;
pub(super) mod records;
mod rows;
mod write;

use crate::error::{Error, Result, codes::ARGUMENT};

pub(super) use rows::CsvRows;
pub use write::{CsvStyle, CsvWriter};

/// Refuses what cannot stand between fields.
fn check_delimiter(delimiter: u8) -> Result<()> {
    if matches!(delimiter, b'"' | b'\n' | b'\r') {
        let message = "a quote or the end of a line cannot separate fields";
        return Err(Error::new(&ARGUMENT, message).with_options(&["delimiter"]));
    }
    Ok(())
}

/// Refuses a word for missing values that is not a field by itself, since it stands there without quotes.
fn check_null(null: &str, delimiter: Option<u8>) -> Result<()> {
    let parts = |byte: u8| matches!(byte, b'\n' | b'\r') || Some(byte) == delimiter;
    if null.starts_with('"') || null.bytes().any(parts) {
        let message = format!(
            "{null:?} cannot mean a missing value: it is written without quotes, so a delimiter, the end of a line or a quote in it would be read as such"
        );
        return Err(Error::new(&ARGUMENT, message).with_options(&["null"]));
    }
    Ok(())
}
