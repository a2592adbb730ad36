//! A table of any format: opened, read in batches, made to fit another format, and written.
//!
//! [`TableOpener`] opens what lies in a file to be asked at random, TBF and IDV; text comes from front to back
//! ([`crate::text`]). [`Conversion`] goes from any of them to any of them, and says which bytes it needs.
//!
//! | file | what it holds |
//! |---|---|
//! | `open.rs` | a TBF or IDV, opened; its faults |
//! | `rows.rs` | what gives the rows of a table, and what takes them |
//! | `groups.rs` | such a table from its first row to its last |
//! | `scan.rs` | some of the columns and some of the rows |
//! | `fit.rs` | what a table has to become for its target |
//! | `write.rs` | the formats that are written, behind one face |
//! | `text_input.rs`, `text_check.rs` | a text in a file; its bad rows |
//! | `statistics.rs` | what its values are like |
//! | `conversion.rs` | all of it together |

mod conversion;
mod fit;
mod groups;
mod open;
mod rows;
mod scan;
mod statistics;
mod text_check;
mod text_input;
mod write;

pub use conversion::{
    Conversion, ConversionOptions, ConversionStep, Converted, DOCUMENT_NOTE, Input, InputRows, document_line,
};
pub(crate) use fit::one_of_each_name;
pub use fit::{Fit, Target, without_columns};
pub use groups::{FileRows, GroupStep};
pub use open::{AnyTable, TableChecker, TableKind, TableOpener};
pub use rows::{TableRows, TableSink, columns_first};
pub use scan::{Scan, Scanning};
pub use statistics::Statistics;
pub use text_check::{TextChecker, report_rows};
pub use write::{TableWriter, WriteOptions};

/// The codes of tables on their way from one format to another.
pub mod codes {
    use crate::error::Code;
    /// The target cannot hold a value or type.
    pub const TARGET: Code = Code::unsupported(
        "table.target",
        "The format to write cannot hold a type or value; converting with losses (`lossy`) changes it instead, where that makes sense.",
    );
    /// Every code of this module.
    pub const ALL: &[&Code] = &[&TARGET];
}
