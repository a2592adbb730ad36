//! A shuffle that is computed, not stored: item `k` of a keyed permutation of any size, in constant time.

use crate::random::{GOLDEN, mix, scale};

/// Rounds of the network. With 16 the permutations of up to six elements come up equally often as far as
/// 100,000 keys can tell; with 8 a statistical test sees the difference at five elements.
const ROUNDS: usize = 16;

/// A one-to-one map of the numbers below `n` to themselves, chosen by a key.
///
/// The numbers are laid out as a table of `a` rows and `b` columns; each round shifts every column (then every
/// row) by an amount that depends on the key and the column. What falls outside `n` goes round again. `a` is
/// even, so that odd permutations are reached too.
///
/// ```
/// use forebay::order::Permutation;
/// let p = Permutation::new(1000, 42);
/// let mut all: Vec<u64> = (0..1000).map(|k| p.at(k)).collect();
/// assert_eq!(p.position(p.at(7)), 7);
/// all.sort();
/// assert!(all.into_iter().eq(0..1000));
/// ```
#[derive(Clone, Debug)]
pub struct Permutation {
    n: u64,
    rows: u64,
    columns: u64,
    keys: [u64; ROUNDS],
}

impl Permutation {
    /// The permutation of the numbers below `n` with this key. `n` is at most
    /// [`MOST_SAMPLES`](super::MOST_SAMPLES); more counts as that.
    pub fn new(n: u64, key: u64) -> Self {
        let n = n.min(super::MOST_SAMPLES);
        // The smallest even number whose square is not below n.
        let root = n.isqrt();
        let rows = (root + u64::from(root * root < n)).next_multiple_of(2).max(2);
        let columns = n.div_ceil(rows).max(1);
        let mut keys = [0; ROUNDS];
        let mut k = key;
        for slot in &mut keys {
            k = k.wrapping_add(GOLDEN);
            *slot = mix(k);
        }
        Permutation { n, rows, columns, keys }
    }

    /// How many numbers are permuted.
    pub fn len(&self) -> u64 {
        self.n
    }
    /// True if there is nothing to permute.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// The number at position `k`; `k` itself where it is not below `n`.
    pub fn at(&self, k: u64) -> u64 {
        if k >= self.n {
            return k;
        }
        let mut x = k;
        // Ends: the network is one to one, so walking on from below n comes back below n.
        loop {
            let (mut row, mut column) = (x / self.columns, x % self.columns);
            for pair in self.keys.as_chunks::<2>().0 {
                row = wrap(row + scale(mix(pair[0] ^ column), self.rows), self.rows);
                column = wrap(column + scale(mix(pair[1] ^ row), self.columns), self.columns);
            }
            x = row * self.columns + column;
            if x < self.n {
                return x;
            }
        }
    }

    /// The position of number `x`: undoes [`at`](Self::at).
    pub fn position(&self, x: u64) -> u64 {
        if x >= self.n {
            return x;
        }
        let mut k = x;
        loop {
            let (mut row, mut column) = (k / self.columns, k % self.columns);
            for pair in self.keys.as_chunks::<2>().0.iter().rev() {
                column = wrap(column + self.columns - scale(mix(pair[1] ^ row), self.columns), self.columns);
                row = wrap(row + self.rows - scale(mix(pair[0] ^ column), self.rows), self.rows);
            }
            k = row * self.columns + column;
            if k < self.n {
                return k;
            }
        }
    }
}

/// `x` modulo `m`, for an `x` below twice `m`: a subtraction where a division would take longer than a round.
const fn wrap(x: u64, m: u64) -> u64 {
    if x >= m { x - m } else { x }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;
    use crate::order::MOST_SAMPLES;

    fn all(n: u64, key: u64) -> Vec<u64> {
        let p = Permutation::new(n, key);
        (0..n).map(|k| p.at(k)).collect()
    }

    #[test]
    fn every_size_is_one_to_one_and_undone() {
        for n in 0..700 {
            let p = Permutation::new(n, n * 7);
            let mut seen = vec![false; n as usize];
            for k in 0..n {
                let x = p.at(k);
                assert!(!std::mem::replace(&mut seen[x as usize], true), "{n}: {x} twice");
                assert_eq!(p.position(x), k, "{n}");
            }
        }
    }

    /// Chi-square of counts that should be equal, in standard deviations from its mean.
    fn surprise(counts: impl IntoIterator<Item = u64>, cells: f64, total: f64) -> f64 {
        let expected = total / cells;
        let (mut chi, mut seen) = (0.0, 0.0);
        for n in counts {
            chi += (n as f64 - expected).powi(2) / expected;
            seen += 1.0;
        }
        chi += (cells - seen) * expected;
        (chi - (cells - 1.0)) / (2.0 * (cells - 1.0)).sqrt()
    }

    #[test]
    fn small_permutations_come_up_equally_often() {
        for (n, factorial) in [(2, 2.0), (3, 6.0), (4, 24.0), (5, 120.0), (6, 720.0)] {
            let keys = 100_000;
            let mut counts: HashMap<Vec<u64>, u64> = HashMap::new();
            (0..keys).for_each(|key| *counts.entry(all(n, key)).or_default() += 1);
            assert_eq!(counts.len() as f64, factorial, "all permutations of {n} are reached");
            let z = surprise(counts.into_values(), factorial, keys as f64);
            assert!(z.abs() < 5.0, "{n}: {z}");
        }
    }

    #[test]
    fn each_number_lands_anywhere_and_neighbors_part() {
        for n in [10_u64, 63, 64, 100, 257] {
            let keys = 4000;
            let side = n as usize;
            let (mut at, mut steps) = (vec![0; side * side], vec![0; side]);
            for key in 0..keys {
                let p = all(n, key * 0x1234_5677);
                p.iter().enumerate().for_each(|(k, &x)| at[k * side + x as usize] += 1);
                p.windows(2).for_each(|w| steps[((w[1] + n - w[0]) % n) as usize] += 1);
            }
            let z = surprise(at, (n * n) as f64, (keys * n) as f64);
            assert!(z.abs() < 5.0, "positions of {n}: {z}");
            let z = surprise(steps.into_iter().skip(1), (n - 1) as f64, (keys * (n - 1)) as f64);
            assert!(z.abs() < 5.0, "steps of {n}: {z}");
        }
    }

    proptest! {
        #[test]
        fn huge_sizes_work_too(n in 1..=MOST_SAMPLES, key: u64, k: u64) {
            let p = Permutation::new(n, key);
            let k = k % n;
            let x = p.at(k);
            prop_assert!(x < n);
            prop_assert_eq!(p.position(x), k);
        }
    }
}
