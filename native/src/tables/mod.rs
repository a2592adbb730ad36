//! Tables in every format that this machine reads and writes, behind one seam.
//!
//! A [`TableSource`] gives the rows of a table, a [`TableOutput`] takes them; between them runs the core's
//! [`Conversion`](forebay::tables::Conversion), with one batch in memory at a time. What the core cannot do lies here:
//! files and pipes, text and blocks on all cores, and the formats that other programs' crates decode, which stand behind
//! the core's [`TableRows`] and [`TableSink`] too.
//!
//! | format | source | sink |
//! |---|---|---|
//! | CSV, TSV | types sniffed or given | quoted where needed; gzip, zstd or plain, as the name says |
//! | JSON lines | types sniffed or given | 64-bit integers exact, NaN and infinities as words; packed as CSV |
//! | Parquet | by pages; skipping row groups by their statistics | snappy, zstd or none |
//! | Arrow IPC, file and stream | by messages | lz4, zstd or none |
//! | TBF | D by row groups and columns, skipping by its statistics | D, T, C |
//! | IDV | by blocks | deflate or none |
//!
//! ```no_run
//! use forebay_native::tables::{ReadOptions, Scan, open, Scanned};
//! let source = open("people.csv".as_ref(), &ReadOptions::default())?;
//! let mut rows = Scanned::new(source, &Scan::default())?;
//! while let Some(batch) = rows.next_batch()? {
//!     println!("{} rows", batch.rows());
//! }
//! # Ok::<(), forebay::Error>(())
//! ```

use std::collections::BTreeMap;

use forebay::{
    Limits, Result,
    tables::{self, Target},
    tbf::Dialect,
    text::{TextFormat, TextOptions},
    words::Word,
};
use serde::Serialize;

use crate::{input::Io, parallel::all_cores};

mod check;
#[cfg(feature = "arrow")]
mod columns_out;
mod convert;
mod core_file;
mod differ;
mod format;
mod idv;
#[cfg(feature = "arrow")]
mod ipc;
#[cfg(feature = "arrow")]
mod ipc_read;
mod job;
mod output;
mod packer;
mod packing;
#[cfg(feature = "arrow")]
mod parquet;
#[cfg(feature = "arrow")]
mod ranges;
mod route;
#[cfg(feature = "arrow")]
mod same;
mod samples;
mod scan;
mod side_by_side;
mod text;
mod text_input;
mod text_threads;
mod writer;

pub use check::check;
#[cfg(feature = "arrow")]
#[doc(hidden)]
pub use columns_out::to_record_batch;
pub use forebay::{
    table::{ColumnSpec, TableRows, TableSink, TableSpec, parse_type, summary},
    tables::{Fit, Foreign, ForeignKind, Scan},
    text::{BATCH_ROWS, OnBadRow, push_json, push_text},
};
#[cfg(feature = "arrow")]
pub use forebay_columns::arrow;
pub use format::TableFormat;
pub use job::{TableJob, TableSummary};
pub use output::TableOutput;
#[doc(hidden)]
pub use route::{create, document, open, open_bytes, open_text, rows_format, table_format};
pub use scan::Scanned;

/// A table in a file or pipe of this machine, which is read as its rows are asked for.
pub trait TableSource: TableRows + Send {
    /// The format that is read.
    fn format(&self) -> TableFormat;
    /// The numbers of columns that are not read, and what about each is not: its type, its compression. Asking for one
    /// is an error; all others can be selected.
    fn unread(&self) -> &[(usize, String)] {
        &[]
    }
    /// What the file says of its columns without reading them.
    fn facts(&self) -> Facts {
        Facts::default()
    }
    /// What of the types of the columns that are read has no place in ours, so that writing it elsewhere loses it.
    fn foreign(&self) -> Vec<Foreign> {
        Vec::new()
    }
    /// What is worth knowing of a file whose rows are handed on as they are.
    fn arrow_notes(&mut self) -> Vec<String> {
        Vec::new()
    }
    /// The first of the bad rows that were left out. What this gives is in no note any more.
    fn bad_rows(&mut self) -> Vec<forebay::Error> {
        Vec::new()
    }
}

/// Leaves out the columns that are not read, and says so. Gives the numbers of the others.
pub fn leave_out_unread(source: &mut dyn TableSource) -> Result<(Vec<usize>, Vec<String>)> {
    let unread: BTreeMap<usize, String> = source.unread().iter().cloned().collect();
    let mut read: Vec<usize> = (0..source.schema().len()).collect();
    if unread.is_empty() {
        return Ok((read, Vec::new()));
    }
    let said = unread.iter().filter_map(|(i, what)| {
        let name = &source.schema().fields().get(*i)?.name;
        Some(format!("column {name:?}: {what} is not read"))
    });
    let said = said.collect();
    read.retain(|i| !unread.contains_key(i));
    source.select(&read)?;
    Ok((read, said))
}

pub use writer::FileWriter;

/// The statements of a file about itself, without its rows.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Facts {
    /// Which of several layouts the file has, if its format has several.
    pub dialect: Option<String>,
    /// One for each column of the schema, or none at all.
    pub columns: Vec<ColumnFacts>,
    /// Other facts, by name.
    pub more: serde_json::Map<String, serde_json::Value>,
}

/// The statements of a file about one column.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct ColumnFacts {
    /// How it is stored.
    pub encoding: Option<String>,
    /// The bytes it takes in the file.
    pub bytes: Option<u64>,
    /// How many values are missing.
    pub nulls: Option<u64>,
    /// The least value.
    pub min: Option<serde_json::Value>,
    /// The greatest value.
    pub max: Option<serde_json::Value>,
}

/// How to read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReadOptions {
    /// How text is read. Of every format the limits and the rows of a batch.
    pub text: TextOptions,
    /// How the bytes of formats that are asked at random come in; text is always read.
    pub io: Io,
    /// The format, if neither content nor name says it.
    pub format: Option<TableFormat>,
    /// The schema of a TBF of layout U or S, which does not hold it.
    pub tbf_schema: Option<forebay::tbf::CallerSchema>,
    /// How many rows from the front will be asked for, if that is known: of very many columns a few rows take little
    /// memory then. More may come.
    pub first_rows: Option<usize>,
    /// Samples (TBL, TAR, a folder) are read as a table of what their index and metadata say.
    pub samples: bool,
    /// Times that are finer than microseconds are cut instead of refused.
    pub lossy: bool,
    /// Threads that read a long text, further ahead than the rows that are asked for where there is more than one, and that
    /// decode the columns of a long TBF. What is read is the same.
    pub workers: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        let mut text = TextOptions::default();
        text.limits = Limits::host();
        ReadOptions {
            text,
            io: Io::default(),
            format: None,
            tbf_schema: None,
            first_rows: None,
            samples: false,
            lossy: false,
            workers: 1,
        }
    }
}

/// How blocks or columns are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum TableCompression {
    None,
    Snappy,
    Lz4,
    Zstd,
    Deflate,
    /// Of samples only: JPEGs packed without loss.
    Packed,
}

impl Word for TableCompression {
    const ALL: &'static [Self] = &[Self::None, Self::Lz4, Self::Zstd, Self::Snappy, Self::Deflate, Self::Packed];

    fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lz4 => "lz4",
            Self::Zstd => "zstd",
            Self::Snappy => "snappy",
            Self::Deflate => "deflate",
            Self::Packed => "packed",
        }
    }
}

/// How to write.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WriteOptions {
    /// The format.
    pub format: TableFormat,
    /// Returns the part for the core: the target and its layout, losses, row groups, the style of CSV.
    pub core: tables::WriteOptions,
    /// The compression; by default the format's usual one.
    pub compression: Option<TableCompression>,
    /// The compression's level.
    pub level: Option<u8>,
    /// Threads that encode, for formats whose parts can be encoded side by side. What is written is the same.
    pub workers: usize,
}

impl WriteOptions {
    /// The defaults of a format.
    pub fn new(format: TableFormat) -> Self {
        let target = match format {
            TableFormat::Csv => Target::Text(TextFormat::Csv),
            TableFormat::Tsv => Target::Text(TextFormat::Tsv),
            TableFormat::Jsonl => Target::Text(TextFormat::Jsonl),
            TableFormat::Tbf => Target::Tbf(Dialect::D),
            TableFormat::Idv => Target::Idv,
            TableFormat::Parquet | TableFormat::Arrow | TableFormat::Arrows => Target::Arrow,
        };
        let core = tables::WriteOptions::new(target);
        WriteOptions { format, core, compression: None, level: None, workers: all_cores() }
    }
}

/// The codes of table files of this machine.
#[doc(hidden)]
pub mod codes {
    pub use forebay::{
        table::codes::TARGET,
        tables::codes::{ARROW, ROUTE},
    };
}
