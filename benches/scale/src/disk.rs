//! What a host's disk does for a range that is in its cache.

use std::ops::Range;

use forebay_native::cache::{BLOCK, PART};

use crate::parameters::Parameters;

/// The bytes that are read: of each part that the range touches all, since it has one checksum.
pub fn read(range: &Range<u64>) -> u64 {
    (range.end.div_ceil(PART) - range.start / PART) * PART
}

/// The blocks that it touches, each of which is a file.
pub fn opened(range: &Range<u64>) -> u64 {
    range.end.div_ceil(BLOCK) - range.start / BLOCK
}

/// As many bytes as the disk carries in the time that the range takes.
pub(crate) fn carried(range: &Range<u64>, parameters: &Parameters) -> f64 {
    let opening = opened(range) as f64 * parameters.cache_open_seconds;
    read(range) as f64 + opening * parameters.cache_read_bits_per_second / 8.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_bytes_cost_the_parts_and_blocks_that_they_lie_in() {
        assert_eq!((read(&(0..1)), opened(&(0..1))), (PART, 1));
        assert_eq!((read(&(PART - 1..PART + 1)), opened(&(PART - 1..PART + 1))), (2 * PART, 1));
        assert_eq!((read(&(BLOCK - 1..BLOCK + 1)), opened(&(BLOCK - 1..BLOCK + 1))), (2 * PART, 2));
        let mut parameters = Parameters::usual().unwrap();
        (parameters.cache_open_seconds, parameters.cache_read_bits_per_second) = (0.5, 16e9);
        assert_eq!(carried(&(0..1), &parameters), PART as f64 + 1e9);
    }
}
