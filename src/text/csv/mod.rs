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

pub(super) use rows::CsvRows;
pub use write::{CsvStyle, CsvWriter};
