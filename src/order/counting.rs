//! Numbers of samples that can be counted.

/// The most samples an order runs over: what a JavaScript number counts exactly.
pub const MOST_SAMPLES: u64 = 1 << 53;

/// A number of samples that can be counted.
pub(super) fn fits(n: Option<u64>) -> Option<u64> {
    n.filter(|&n| n <= MOST_SAMPLES)
}

/// Running sums from 0, as long as they stay countable.
pub(super) fn sums(numbers: impl Iterator<Item = u64>) -> Option<Vec<u64>> {
    let mut all = vec![0];
    let mut sum = 0_u64;
    for n in numbers {
        sum = sum.checked_add(n).filter(|&s| s <= MOST_SAMPLES)?;
        all.push(sum);
    }
    Some(all)
}

/// Which part holds `x`, given running sums whose last is more than `x`.
pub(super) fn holder(sums: &[u64], x: u64) -> usize {
    sums.partition_point(|&before| before <= x).saturating_sub(1)
}
