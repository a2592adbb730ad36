//! Columns: weighted sums of lines of planes, sixteen bytes of each plane at a time.

use fearless_simd::{Simd, i16x32, i32x16, prelude::*, u8x16};

use super::across::ABREAST;

/// Sixteen sums.
pub(super) type Sixteen<S> = i32x16<S>;

/// Pairs of lines that are added up in one go.
const PAIRS: usize = 4;

/// Two lines of three planes each.
type Two<'a> = [&'a [u8]; 2];

/// What is summed.
pub(super) struct Summing<'a> {
    /// The weights of two lines each.
    pub(super) weights: &'a [i32],
    pub(super) bits: u32,
    /// Sums may leave the range of a byte.
    pub(super) overshoots: bool,
}

impl Summing<'_> {
    /// Gives the sums, rounded to levels, from every sixteenth pixel on; the last ones may be more than wanted.
    #[inline(always)]
    pub(super) fn run<'a, S: Simd>(
        &self,
        simd: S,
        line: impl Fn(usize) -> &'a [u8],
        sums: &mut [i32],
        put: impl FnMut(usize, [Sixteen<S>; 3]),
    ) {
        match self.weights.len() {
            1 => self.some::<S, 1>(simd, line, put),
            2 => self.some::<S, 2>(simd, line, put),
            3 => self.some::<S, 3>(simd, line, put),
            _ => self.many(simd, line, sums, put),
        }
    }

    /// Of so few lines that no sum needs to be kept.
    #[inline(always)]
    fn some<'a, S: Simd, const N: usize>(
        &self,
        simd: S,
        line: impl Fn(usize) -> &'a [u8],
        mut put: impl FnMut(usize, [Sixteen<S>; 3]),
    ) {
        let (lines, long) = alike(&line, 0);
        let Some(weights) = self.weights.first_chunk::<N>() else { return };
        let plane = long / 3;
        let round = i32x16::splat(simd, 1 << (self.bits - 1));
        let mut x = 0;
        while x + ABREAST <= plane {
            // No loop: in WebAssembly it would have the sums in memory.
            let red = self.levels(simd, add(simd, round, &lines, weights, x));
            let green = self.levels(simd, add(simd, round, &lines, weights, plane + x));
            let blue = self.levels(simd, add(simd, round, &lines, weights, 2 * plane + x));
            put(x, [red, green, blue]);
            x += ABREAST;
        }
    }

    #[inline(always)]
    fn many<'a, S: Simd>(
        &self,
        simd: S,
        line: impl Fn(usize) -> &'a [u8],
        kept: &mut [i32],
        mut put: impl FnMut(usize, [Sixteen<S>; 3]),
    ) {
        let kept = kept.get_mut(..line(0).len()).unwrap_or_default();
        kept.fill(1 << (self.bits - 1));
        let (fours, rest) = self.weights.as_chunks::<PAIRS>();
        let mut from = 0;
        for weights in fours {
            keep(simd, &line, from, weights, kept);
            from += PAIRS * 2;
        }
        for weight in rest {
            keep(simd, &line, from, &[*weight], kept);
            from += 2;
        }
        let plane = kept.len() / 3;
        let mut x = 0;
        while x + ABREAST <= plane {
            let red = self.levels(simd, sixteen(simd, &kept[x..]));
            let green = self.levels(simd, sixteen(simd, &kept[plane + x..]));
            let blue = self.levels(simd, sixteen(simd, &kept[2 * plane + x..]));
            put(x, [red, green, blue]);
            x += ABREAST;
        }
    }

    #[inline(always)]
    fn levels<S: Simd>(&self, simd: S, sums: Sixteen<S>) -> Sixteen<S> {
        let levels = sums >> self.bits;
        if !self.overshoots {
            return levels;
        }
        levels.max(i32x16::splat(simd, 0)).min(i32x16::splat(simd, 255))
    }
}

/// Lines from one on, two by two, and how long all of them are.
#[inline(always)]
fn alike<'a, const N: usize>(line: &impl Fn(usize) -> &'a [u8], from: usize) -> ([Two<'a>; N], usize) {
    let mut lines: [Two<'a>; N] = [[&[]; 2]; N];
    let mut long = usize::MAX;
    for (i, two) in lines.iter_mut().enumerate() {
        *two = [line(from + 2 * i), line(from + 2 * i + 1)];
        long = long.min(two[0].len()).min(two[1].len());
    }
    for two in &mut lines {
        *two = [&two[0][..long], &two[1][..long]];
    }
    (lines, long)
}

/// Adds lines to sums that are kept.
#[inline(always)]
fn keep<'a, S: Simd, const N: usize>(
    simd: S,
    line: &impl Fn(usize) -> &'a [u8],
    from: usize,
    weights: &[i32; N],
    kept: &mut [i32],
) {
    let (lines, long) = alike::<N>(line, from);
    let kept = kept.get_mut(..long).unwrap_or_default();
    let mut at = 0;
    while let Some(kept) = kept.get_mut(at..at + ABREAST) {
        add(simd, sixteen(simd, kept), &lines, weights, at).store_slice(kept);
        at += ABREAST;
    }
}

#[inline(always)]
fn sixteen<S: Simd>(simd: S, from: &[i32]) -> Sixteen<S> {
    i32x16::from_slice(simd, &from[..ABREAST])
}

/// Adds sixteen columns of lines to their sums.
#[inline(always)]
fn add<S: Simd, const N: usize>(
    simd: S,
    mut sums: Sixteen<S>,
    lines: &[Two<'_>; N],
    weights: &[i32; N],
    at: usize,
) -> Sixteen<S> {
    let mut n = 0;
    while n < N {
        let weights = i32x16::splat(simd, weights[n]).bitcast::<i16x32<S>>();
        let a = u8x16::from_slice(simd, &lines[n][0][at..at + ABREAST]);
        let b = u8x16::from_slice(simd, &lines[n][1][at..at + ABREAST]);
        let (low, high) = a.zip_low(b).combine(a.zip_high(b)).widen();
        sums += low.combine(high).bitcast::<i16x32<S>>().pairwise_dot_product(weights);
        n += 1;
    }
    sums
}

/// Sixteen levels as bytes.
#[inline(always)]
pub(super) fn bytes<S: Simd>(levels: Sixteen<S>) -> u8x16<S> {
    let (low, high) = levels.split();
    // The upper halves of levels are zero, so nothing is cut off.
    let (low, high) = low.narrow(high).split();
    low.narrow(high).bitcast()
}
