//! Which bytes are fetched for those that are asked for: whole blocks, so that they can be kept, or just these.

use std::ops::Range;

/// Bytes of a source that are kept together.
pub const BLOCK: u64 = super::block::BLOCK;
/// The most bytes that are one request.
const MOST: u64 = 8 * BLOCK;

/// Bytes to be fetched, with how much of them is wanted and kept.
#[derive(Clone, Debug, Default)]
pub struct Spans {
    /// The requests: ranges that do not touch, or that would be too long as one.
    pub requests: Vec<Range<u64>>,
}

/// Of a cache that may hold at most these bytes: above how many room is made, and down to how many.
pub fn room(most: u64) -> (u64, u64) {
    let margin = (most / 32).max(2 * BLOCK).min(most / 2);
    (most - margin, most - most / 8 - margin)
}

/// The blocks that a range touches.
pub(super) fn blocks(range: &Range<u64>) -> Range<u64> {
    match range.is_empty() {
        true => 0..0,
        false => range.start / BLOCK..range.end.div_ceil(BLOCK),
    }
}

/// The bytes of a block of a source of this length.
pub(super) fn of_block(number: u64, len: u64) -> Range<u64> {
    let start = number.saturating_mul(BLOCK);
    start..start.saturating_add(BLOCK).min(len)
}

/// The part of a block that is fetched for a range: all of it if it is to be kept whole.
pub(super) fn fetched(number: u64, len: u64, range: &Range<u64>, whole: bool) -> Range<u64> {
    let block = of_block(number, len);
    match whole {
        true => block,
        false => block.start.max(range.start)..block.end.min(range.end),
    }
}

impl Spans {
    /// Takes in bytes behind those before.
    fn add(&mut self, part: Range<u64>) {
        match self.requests.last_mut() {
            Some(last) if last.end == part.start && part.end - last.start <= MOST => last.end = part.end,
            _ => self.requests.push(part),
        }
    }

    /// What is asked of a source of this length for a range of which these blocks, in rising order, are missing.
    pub fn of(missing: impl IntoIterator<Item = u64>, len: u64, range: &Range<u64>, whole: bool) -> Spans {
        let mut spans = Spans::default();
        missing.into_iter().for_each(|number| spans.add(fetched(number, len, range, whole)));
        spans
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_are_one_request_up_to_a_bound() {
        let len = 100 * BLOCK + 7;
        let range = 3 * BLOCK + 5..len;
        let all = Spans::of(blocks(&range), len, &range, true);
        assert_eq!(all.requests.first(), Some(&(3 * BLOCK..11 * BLOCK)));
        assert_eq!(all.requests.last(), Some(&(99 * BLOCK..len)));
        let some = Spans::of([3, 4, 6], len, &range, true);
        assert_eq!(some.requests, [3 * BLOCK..5 * BLOCK, 6 * BLOCK..7 * BLOCK]);
        let exact = Spans::of([3, 4], len, &(3 * BLOCK + 5..4 * BLOCK + 9), false);
        assert_eq!(exact.requests.as_slice(), std::slice::from_ref(&(3 * BLOCK + 5..4 * BLOCK + 9)));
        assert!(blocks(&(5..5)).is_empty());
    }
}
