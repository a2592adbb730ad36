//! What every table file can do once it is open, whatever its format.

use std::{ops::Range, sync::Arc};

use super::{Batch, Column, Schema};
use crate::{error::Result, step::Pieces};

/// How a host decodes columns: given how many there are and what decodes one, it gives all of them, in order. If some fail,
/// the first of them says why.
#[doc(hidden)]
pub type Decoding<'a> = &'a dyn Fn(usize, &(dyn Fn(usize) -> Result<Column> + Sync)) -> Result<Vec<Column>>;

/// An open table file. Its rows come in groups (row groups, blocks), each of which can be read by itself and
/// by columns.
///
/// The host asks for the ranges of a group with [`plan`](Self::plan), fetches them into [`Pieces`], and hands
/// these to [`decode`](Self::decode).
pub trait TableFile: Send + Sync + std::fmt::Debug {
    /// Names and types of all columns.
    fn schema(&self) -> &Arc<Schema>;
    /// How many rows there are.
    fn rows(&self) -> u64;
    /// How many groups there are.
    fn groups(&self) -> usize;
    /// Which rows a group holds. Groups are in order and without gaps.
    #[doc(hidden)]
    fn group_rows(&self, group: usize) -> Result<Range<u64>>;
    /// The byte ranges that decoding these columns of a group needs.
    fn plan(&self, group: usize, columns: &[usize]) -> Result<Vec<Range<u64>>>;
    /// These columns of a group, in the order asked for.
    fn decode(&self, group: usize, columns: &[usize], bytes: &Pieces) -> Result<Batch>;

    /// As [`decode`](Self::decode), where the host may decode columns side by side. The default does not.
    #[doc(hidden)]
    fn decode_with(&self, group: usize, columns: &[usize], bytes: &Pieces, by: Decoding<'_>) -> Result<Batch> {
        let _ = by;
        self.decode(group, columns, bytes)
    }

    /// The ranges for some rows of a group, counted from the group's first. The default plans the whole group.
    #[doc(hidden)]
    fn plan_rows(&self, group: usize, columns: &[usize], rows: Range<usize>) -> Result<Vec<Range<u64>>> {
        let _ = rows;
        self.plan(group, columns)
    }
    /// Some rows of a group, counted from the group's first. The default decodes the group and cuts.
    #[doc(hidden)]
    fn decode_rows(&self, group: usize, columns: &[usize], rows: Range<usize>, bytes: &Pieces) -> Result<Batch> {
        Ok(self.decode(group, columns, bytes)?.slice(rows.start, rows.len()))
    }
    /// Whether a group, once it is decoded, takes more memory than is well kept: then only the rows that are asked for
    /// are decoded of it, though all of it is read.
    #[doc(hidden)]
    fn is_large(&self, group: usize, columns: &[usize]) -> bool {
        let _ = (group, columns);
        false
    }
    /// False if the group's statistics prove that no row of it can match; true if that is not known.
    #[doc(hidden)]
    fn may_match(&self, group: usize, filter: &crate::filter::Filter) -> bool {
        let _ = (group, filter);
        true
    }

    /// The group that holds a row.
    #[doc(hidden)]
    fn group_of(&self, row: u64) -> Result<usize> {
        let (mut low, mut high) = (0, self.groups());
        while low < high {
            let middle = low + (high - low) / 2;
            let rows = self.group_rows(middle)?;
            if rows.contains(&row) {
                return Ok(middle);
            }
            if row < rows.start { high = middle } else { low = middle + 1 }
        }
        let message = format!("row {row} of {}", self.rows());
        Err(crate::Error::new(&crate::error::codes::OUT_OF_RANGE, message).row(row))
    }
}
