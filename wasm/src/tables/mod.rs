//! Tables, in a module of their own that a page loads when it opens one.
//!
//! | file | what it holds |
//! |---|---|
//! | `opened.rs` | an opened table, which all work on it shares |
//! | `open.rs` | opening TBF and IDV, in a module of its own Parquet and Arrow, and what such a file says about itself |
//! | `read.rs` | ranges of rows, chosen rows, rows that match |
//! | `plan.rs` | which parts of which groups hold the wanted rows |
//! | `column.rs` | columns as typed arrays |
//! | `stats.rs`, `check.rs` | what its values are like; every fault of it |
//! | `decoding.rs` | every fault of a Parquet or Arrow file |
//! | `convert.rs`, `sink.rs` | into other formats, text included |

mod check;
mod column;
pub(crate) mod convert;
#[cfg(feature = "columns")]
mod decoding;
mod open;
mod opened;
mod plan;
mod read;
mod sink;
pub(crate) mod stats;

pub use check::TableChecker;
pub use convert::TableConverter;
pub use open::{Table, TableOpener};
pub use read::TableReader;
pub use stats::TableStats;
