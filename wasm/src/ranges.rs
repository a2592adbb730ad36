//! Ranges of a file, as JavaScript sees them.

use std::ops::Range;

/// Ranges as pairs of numbers.
pub(crate) fn pairs(ranges: Vec<Range<u64>>) -> Option<Vec<f64>> {
    Some(ranges.into_iter().flat_map(|r| [r.start as f64, r.end as f64]).collect())
}
