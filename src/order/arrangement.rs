//! One pass over `n` samples: a shuffle of blocks, and of the samples inside windows of blocks.

use serde::{Deserialize, Serialize};

use super::Permutation;
use crate::random::key;

/// How an epoch mixes samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Shuffle {
    /// As they are stored.
    None,
    /// Every order is as likely as any other.
    #[default]
    Full,
    /// Blocks of neighbors are shuffled, then the samples inside each window of shuffled blocks. Reads
    /// stay local: at any time only the blocks of one window are in use.
    Blocks {
        /// Samples in a block.
        block: u64,
        /// Blocks in a window.
        window: u64,
    },
}

/// The order of one pass.
#[derive(Clone, Debug)]
pub(super) struct Arrangement {
    n: u64,
    pass_key: u64,
    /// Samples in a block, and in a window; a window of one sample moves nothing.
    block: u64,
    window: u64,
    /// `None` if nothing is shuffled.
    blocks: Option<Permutation>,
    /// Where the last block of the file, which may be short, stands among the shuffled ones.
    short_at: u64,
}

impl Arrangement {
    pub(super) fn new(n: u64, shuffle: Shuffle, pass_key: u64) -> Self {
        let (block, window) = match shuffle {
            Shuffle::Blocks { block, window } => (block.max(1), block.saturating_mul(window).max(1)),
            Shuffle::None | Shuffle::Full => (1, 1),
        };
        let count = n.div_ceil(block);
        let blocks = (shuffle != Shuffle::None).then(|| Permutation::new(count, key(pass_key, &[0])));
        let short_at = blocks.as_ref().filter(|_| block > 1 && n > 0).map_or(0, |p| p.position(count - 1));
        Arrangement { n, pass_key, block, window, blocks, short_at }
    }

    /// The sample at position `k`, which is below `n`.
    pub(super) fn at(&self, k: u64) -> u64 {
        let Some(blocks) = &self.blocks else { return k };
        if self.block == 1 && self.window == 1 {
            return blocks.at(k);
        }
        let number = k / self.window;
        let start = number * self.window;
        let inside = Permutation::new(self.window.min(self.n - start), key(self.pass_key, &[1, number]));
        let k = start + inside.at(k - start);

        let short = self.n - (blocks.len() - 1) * self.block;
        let before = self.short_at * self.block;
        let (place, offset) = if k < before {
            (k / self.block, k % self.block)
        } else if k < before + short {
            (self.short_at, k - before)
        } else {
            let after = k - before - short;
            (self.short_at + 1 + after / self.block, after % self.block)
        };
        blocks.at(place) * self.block + offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_of_blocks_visits_every_sample_once() {
        for n in 1..70 {
            for block in 1..12 {
                for window in [1, 2, 3, 50] {
                    let a = Arrangement::new(n, Shuffle::Blocks { block, window }, n ^ block);
                    let mut all: Vec<u64> = (0..n).map(|k| a.at(k)).collect();
                    all.sort_unstable();
                    assert!(all.into_iter().eq(0..n), "{n} {block} {window}");
                }
            }
        }
    }

    #[test]
    fn a_window_uses_few_blocks_and_each_pass_differs() {
        let shuffle = Shuffle::Blocks { block: 100, window: 4 };
        let a = Arrangement::new(10_050, shuffle, 1);
        for start in (0..10_000).step_by(400) {
            let blocks: std::collections::BTreeSet<u64> = (start..start + 400).map(|k| a.at(k) / 100).collect();
            assert!(blocks.len() <= 6, "window at {start} touches {blocks:?}");
        }
        let b = Arrangement::new(10_050, shuffle, 2);
        assert!((0..10_050).filter(|&k| a.at(k) == b.at(k)).count() < 20);
        let full = Arrangement::new(1000, Shuffle::Full, 1);
        let one = Arrangement::new(1000, Shuffle::Blocks { block: 1, window: 1 }, 1);
        assert!((0..1000).all(|k| full.at(k) == one.at(k)));
    }
}
