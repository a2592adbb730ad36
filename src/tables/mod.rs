//! A table of any format: opened, read in batches, made to fit another format, and written.
//!
//! [`TableOpener`] opens what lies in a file to be asked at random, TBF and IDV; text comes from front to back
//! ([`crate::text`]). [`Conversion`] goes from any of them to any of them, and says which bytes it needs.
//!
//! | file | what it holds |
//! |---|---|
//! | `open.rs` | a TBF or IDV, opened; its faults |
//! | `other.rs`, `foreign.rs` | tables that another crate reads; types of theirs that have no place in ours |
//! | `pictures.rs` | a column of pictures as samples |
//! | `groups.rs` | such a table from its first row to its last |
//! | `scan.rs` | some of the columns and some of the rows |
//! | `fit.rs` | what a table has to become for its target |
//! | `write.rs` | the formats that are written, behind one face |
//! | `statistics.rs` | what its values are like |
//! | `conversion.rs` | all of it together |

#[doc(hidden)]
pub mod codes;
mod conversion;
mod fit;
mod foreign;
mod groups;
mod open;
mod other;
mod pictures;
mod scan;
mod statistics;
mod write;

pub use conversion::{Conversion, ConversionOptions, Converted, Input};
#[doc(hidden)]
pub use conversion::{DOCUMENT_NOTE, InputRows, document_line, name_the_same};
pub use fit::Target;
#[doc(hidden)]
pub use fit::{Fit, without_columns};
#[doc(hidden)]
pub use foreign::{Foreign, ForeignKind, Losses};
pub use groups::FileRows;
pub use open::{AnyTable, TableChecker, TableKind, TableOpener};
#[doc(hidden)]
pub use other::OtherTable;
#[doc(hidden)]
pub use pictures::{PictureColumns, PictureWriter};
pub use scan::Scan;
#[doc(hidden)]
pub use scan::Scanning;
#[doc(hidden)]
pub use statistics::Statistics;
#[doc(hidden)]
pub use write::TableWriter;
pub use write::WriteOptions;
