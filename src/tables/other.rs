//! Tables that another crate reads: Parquet and Arrow. The core knows what it asks of them, and not how they are read.

use super::Foreign;
use crate::{formats::Format, table::TableFile};

/// An opened table of another crate. It is read as every other: group by group, by ranges that it names.
pub trait OtherTable: TableFile {
    /// Its format.
    fn format(&self) -> Format;
    /// How each column is stored, if that is known.
    fn encoding(&self, column: usize) -> Option<String>;
    /// The program that wrote it, if it says so.
    fn created_by(&self) -> Option<String>;
    /// What is worth knowing of how it was read.
    fn notes(&self) -> Vec<String>;
    /// The types of its columns that have no place in ours.
    fn foreign(&self) -> Vec<Foreign>;
    /// The columns that may hold pictures, the likeliest first.
    fn pictures(&self) -> Vec<usize>;
    /// The names of the classes that a column's numbers stand for, if the file says them.
    fn classes(&self, column: usize) -> Option<Vec<String>>;
}
