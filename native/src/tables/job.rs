//! A conversion of tables, and its result.

use std::path::PathBuf;

use serde::Serialize;

use super::{ReadOptions, Scan, WriteOptions};

/// A conversion of tables: inputs and settings.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TableJob {
    /// The inputs, one after the other; all of the same columns.
    pub inputs: Vec<PathBuf>,
    /// How they are read.
    pub read: ReadOptions,
    /// Which columns and rows are wanted.
    pub scan: Scan,
    /// How the output is written.
    pub write: WriteOptions,
    /// Replace an output that exists.
    pub force: bool,
    /// Make the bytes durable before the output appears.
    pub sync: bool,
    /// Read every row back before the output appears.
    pub verify: bool,
}

/// The result of a conversion.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TableConvertSummary"))]
#[non_exhaustive]
pub struct TableSummary {
    /// The inputs as the user named them.
    pub inputs: Vec<String>,
    /// The output as the user named it.
    pub output: String,
    /// The format that was written.
    pub format: &'static str,
    /// How many rows were written.
    pub rows: u64,
    /// How many columns.
    pub columns: usize,
    /// Bytes of the inputs; 0 for a pipe.
    pub input_bytes: u64,
    /// Bytes of the output.
    pub output_bytes: u64,
    /// Bad rows that were left out.
    pub skipped_rows: u64,
    /// Rows that were read back equal.
    pub verified: u64,
    /// Values changed to fit the target, and other remarks.
    pub notes: Vec<String>,
}
