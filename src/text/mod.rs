//! CSV and JSON lines: text from front to back into batches, and batches into text.
//!
//! A [`TextReader`] takes the bytes of a text as they come, in pieces of any size, and gives the rows in batches. It
//! finds out names and types from the first rows, unless they are given.
//!
//! ```
//! use forebay::{step::Turn, text::{TextFormat, TextOptions, TextReader}};
//! let mut reader = TextReader::new(TextFormat::Csv, TextOptions::default())?;
//! let mut pieces = ["id,na", "me\n7,Ada\n8,\n"].into_iter();
//! let mut rows = Vec::new();
//! loop {
//!     match reader.step()? {
//!         Turn::Need(()) => match pieces.next() {
//!             Some(piece) => reader.push(piece.into()),
//!             None => reader.end(),
//!         },
//!         Turn::Item(batch) => rows.extend(batch.iter().map(|row| row.to_json(Default::default()))),
//!         Turn::Done => break,
//!     }
//! }
//! assert_eq!(rows, [r#"{"id":7,"name":"Ada"}"#, r#"{"id":8,"name":null}"#]);
//! # Ok::<(), forebay::Error>(())
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `csv/` | CSV in and out |
//! | `json/` | JSON lines in and out, arrays of objects in |
//! | `open.rs`, `rows.rs`, `chunks.rs` | what both formats share: bytes in, rows that may be bad, batches out |
//! | `input.rs`, `check.rs`, `codes.rs` | a text in a file; its bad rows |
//! | `cut.rs`, `pieces.rs`, `join.rs` | a text in pieces, for threads |
//! | `sniff.rs`, `cell.rs` | types from values; a cell into a column |

mod cell;
mod check;
mod chunks;
#[doc(hidden)]
pub mod codes;
mod csv;
mod cut;
mod input;
mod join;
mod json;
mod open;
mod pieces;
mod rows;
mod sniff;
mod source;

#[doc(hidden)]
pub use cell::{push_json, push_text};
#[doc(hidden)]
pub use check::{TextChecker, report_rows};
pub use csv::CsvStyle;
#[doc(hidden)]
pub use csv::CsvWriter;
#[doc(hidden)]
pub use cut::{TextCutter, TextPiece};
pub(crate) use input::TextInput;
#[doc(hidden)]
pub use join::PieceJoiner;
#[doc(hidden)]
pub use json::{JsonWriter, is_json, same_json};
pub use open::TextReader;
#[doc(hidden)]
pub use pieces::{PieceReader, PieceRows};

use crate::{
    formats::Format,
    limits::Limits,
    table::{DataType, TableSpec},
};

/// Rows of a batch where nothing else decides.
#[doc(hidden)]
pub const BATCH_ROWS: usize = 65_536;

/// Bytes of text after which a batch is handed on.
#[doc(hidden)]
pub const BATCH_BYTES: usize = 16 << 20;

/// A format of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TextFormat {
    /// Values with commas between.
    Csv,
    /// Values with tabs between.
    Tsv,
    /// One JSON object a line.
    Jsonl,
}

impl TextFormat {
    /// Every format of text.
    pub const ALL: [TextFormat; 3] = [TextFormat::Csv, TextFormat::Tsv, TextFormat::Jsonl];

    /// The same among all formats.
    pub const fn format(self) -> Format {
        match self {
            TextFormat::Csv => Format::Csv,
            TextFormat::Tsv => Format::Tsv,
            TextFormat::Jsonl => Format::Jsonl,
        }
    }
    /// The format of text of this name, as reports and options write it.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|text| text.format().name() == name)
    }
    /// What stands between fields where nothing else is said.
    #[doc(hidden)]
    pub const fn delimiter(self) -> u8 {
        match self {
            TextFormat::Tsv => b'\t',
            _ => b',',
        }
    }
}

/// The rule for a row that cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnBadRow {
    /// It ends the work.
    #[default]
    Error,
    /// It is left out and counted.
    Skip,
}

impl crate::words::Word for OnBadRow {
    const ALL: &'static [Self] = &[OnBadRow::Error, OnBadRow::Skip];

    fn word(self) -> &'static str {
        match self {
            OnBadRow::Error => "error",
            OnBadRow::Skip => "skip",
        }
    }
}

/// How text is read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TextOptions {
    /// Bounds on what a row may cost.
    pub limits: Limits,
    /// All columns, in the file's order; nothing is sniffed then.
    pub spec: Option<TableSpec>,
    /// The types of some columns; the others are sniffed.
    pub types: Vec<(String, DataType)>,
    /// CSV: the first row holds the names.
    pub header: bool,
    /// CSV: what stands between fields; by default what the first rows say, in TSV a tab.
    pub delimiter: Option<u8>,
    /// CSV: the field, not in quotes, that means a missing value. By default the empty one.
    pub null: String,
    /// The rule for a row that cannot be read.
    pub on_bad_row: OnBadRow,
    /// Rows that types are sniffed from.
    pub sniff_rows: usize,
    /// Rows of a batch.
    pub batch_rows: usize,
}

impl Default for TextOptions {
    fn default() -> Self {
        TextOptions {
            limits: Limits::default(),
            spec: None,
            types: Vec::new(),
            header: true,
            delimiter: None,
            null: String::new(),
            on_bad_row: OnBadRow::Error,
            sniff_rows: 10_000,
            batch_rows: BATCH_ROWS,
        }
    }
}
