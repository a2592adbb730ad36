//! Tables, in a module of their own that a page loads when it opens one.
//!
//! | file | what it holds |
//! |---|---|
//! | `open.rs` | opening TBF and IDV, and what such a file says about itself |
//! | `read.rs` | ranges of rows, chosen rows, rows that match |
//! | `plan.rs` | which parts of which groups hold the wanted rows |
//! | `column.rs` | columns as typed arrays |
//! | `check.rs` | every fault of a table |

mod check;
mod column;
mod open;
mod plan;
mod read;

pub use check::TableChecker;
pub use open::{Table, TableOpener};
pub use read::TableReader;
