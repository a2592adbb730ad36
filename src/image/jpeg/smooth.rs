//! Progressive pictures that end before their last scan: of which blocks would be seen.
//!
//! As libjpeg-turbo does it since 2.1, the lowest frequencies that a block does not have yet are estimated from the first
//! coefficients of the 5 × 5 blocks around it, as those of a smooth surface through them; and so is the first one, while
//! none of the others is known.

use super::{
    block::ORDER,
    parts::{MOST_PARTS, Spec},
};

/// The first coefficient and those that are estimated, in the order in which they are stored.
const SOME: usize = 10;

/// How much each of the blocks around gives, line by line, in 256ths of steps.
type Weights = [[i64; 5]; 5];

/// Across, by frequency; down they are the same, turned.
const ONE: Weights =
    [[-1, -1, 0, 1, 1], [-3, 13, 0, -13, 3], [-3, 38, 0, -38, 3], [-3, 13, 0, -13, 3], [-1, -1, 0, 1, 1]];
const TWO: Weights = [[0; 5], [0, 2, -5, 2, 0], [1, 7, -14, 7, 1], [0, 2, -5, 2, 0], [0; 5]];
const THREE: Weights = [[0; 5], [0, 1, 0, -1, 0], [0, 2, 0, -2, 0], [0, 1, 0, -1, 0], [0; 5]];
const BOTH: Weights = [[-1, 0, 0, 0, 1], [0, 9, 0, -9, 0], [0; 5], [0, -9, 0, 9, 0], [1, 0, 0, 0, -1]];
const TWO_BY_ONE: Weights = [[0; 5], [0, 1, -3, 1, 0], [0; 5], [0, -1, 3, -1, 0], [0; 5]];
const FIRST: Weights =
    [[-2, -6, -8, -6, -2], [-6, 6, 42, 6, -6], [-8, 42, 152, 42, -8], [-6, 6, 42, 6, -6], [-2, -6, -8, -6, -2]];

/// For each place, while nothing but first coefficients is known.
const ALL: [Weights; SOME] =
    [FIRST, ONE, turned(ONE), turned(TWO), BOTH, TWO, THREE, TWO_BY_ONE, turned(TWO_BY_ONE), turned(THREE)];

const LATER_ONE: Weights = [[0; 5], [0; 5], [-7, 50, 0, -50, 7], [0; 5], [0; 5]];
const LATER_TWO: Weights = [[0; 5], [0; 5], [-1, 13, -24, 13, -1], [0; 5], [0; 5]];
const LATER_BOTH: Weights = [[0, -1, 0, 1, 0], [-1, 10, 0, -10, 1], [0; 5], [1, -10, 0, 10, -1], [0, 1, 0, -1, 0]];

/// For the places from 1 on, once some of the others are known.
const LATER: [Weights; 5] = [LATER_ONE, turned(LATER_ONE), turned(LATER_TWO), LATER_BOTH, LATER_TWO];

const fn turned(weights: Weights) -> Weights {
    let (mut turned, mut i) = ([[0; 5]; 5], 0);
    while i < 25 {
        turned[i % 5][i / 5] = weights[i / 5][i % 5];
        i += 1;
    }
    turned
}

/// For each coefficient how many of its lowest bits are not known; -1 for all of them.
type Missing = [i8; SOME];

/// What the scans have said of the components.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    missing: [Missing; MOST_PARTS],
    /// The same before the last scan that was about the component.
    before: [Missing; MOST_PARTS],
    /// Scans that were begun.
    scans: u32,
    /// The last row of units to which the last scan came.
    pub(super) reached: usize,
}

impl Default for Known {
    fn default() -> Self {
        Known { missing: [[-1; SOME]; MOST_PARTS], before: [[-1; SOME]; MOST_PARTS], scans: 0, reached: 0 }
    }
}

impl Known {
    /// A scan begins.
    pub(super) fn scan(&mut self, spec: &Spec) {
        self.scans += 1;
        for part in spec.parts() {
            let (missing, before) = (&mut self.missing[*part], &mut self.before[*part]);
            for place in spec.first.min(1)..SOME {
                before[place] = if self.scans > 1 { missing[place] } else { 0 };
            }
            for one in missing.iter_mut().take(spec.last + 1).skip(spec.first) {
                *one = spec.low as i8;
            }
        }
    }

    /// Whether blocks are smoothed: where all first coefficients are known, and some others are not.
    pub(super) fn is_needed(&self, quants: &[&[u16; 64]]) -> bool {
        let parts = &self.missing[..quants.len().min(MOST_PARTS)];
        let divides = |quant: &&[u16; 64]| ORDER.iter().take(SOME).all(|at| quant[usize::from(*at) & 63] != 0);
        quants.iter().all(divides)
            && parts.iter().all(|missing| missing[0] >= 0)
            && parts.iter().any(|missing| missing[1..].iter().any(|bits| *bits != 0))
    }

    /// Estimates what is missing of a block of this row of units. `around` are the first coefficients of 5 × 5 blocks.
    pub(super) fn smooth(&self, part: usize, row: usize, around: &Weights, quant: &[u16; 64], block: &mut [i16; 64]) {
        // Below the row where the last scan ends, what was known before it.
        let missing = match (row > self.reached, self.scans > 1) {
            (false, _) => self.missing[part],
            (true, true) => self.before[part],
            (true, false) => [-1; SOME],
        };
        let nothing = missing[1..].iter().all(|bits| *bits == -1);
        let weights: &[Weights] = if nothing { &ALL[1..] } else { &LATER };
        let first = i64::from(quant[0]);
        let estimate = |weights: &Weights, at: usize, bits: i8| {
            let sum: i64 = weights.iter().flatten().zip(around.iter().flatten()).map(|(w, v)| w * v).sum();
            let (sum, step) = (first * sum, i64::from(quant[at]));
            let mut steps = ((step << 7) + sum.abs()) / (step << 8).max(1);
            if bits > 0 {
                // Were it larger, it would be known.
                steps = steps.min((1 << bits) - 1);
            }
            (if sum < 0 { -steps } else { steps }) as i16
        };
        for ((weights, bits), place) in weights.iter().zip(&missing[1..]).zip(&ORDER[1..]) {
            let at = usize::from(*place) & 63;
            if *bits != 0 && block[at] == 0 {
                block[at] = estimate(weights, at, *bits);
            }
        }
        if nothing {
            block[0] = estimate(&ALL[0], 0, 0);
        }
    }
}

/// The lines of blocks around one of a component: two above, its own, and two below, if there are any.
pub(super) fn lines(stated: usize, blocks_down: usize, rows: usize, row: usize, n: usize) -> [usize; 5] {
    // The last row of units may have fewer lines of blocks; libjpeg then counts as if all had.
    let last = blocks_down % stated;
    let down = if row + 1 < rows || last == 0 { stated } else { last };
    let (line, counted, all) = (row * stated + n, row * down + n, down * rows);
    let above = if counted > 0 { line - 1 } else { line };
    let below = if counted + 1 < all { line + 1 } else { line };
    [if counted > 1 { line - 2 } else { above }, above, line, below, if counted + 2 < all { line + 2 } else { below }]
}
