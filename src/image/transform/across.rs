//! Lines of pixels to lines of fewer or more pixels, in planes: four lines at a time, since they share their weights.

use std::hint::black_box;

use fearless_simd::{Simd, i16x32, i32x4, i32x16, prelude::*, u8x16, u8x64, u16x32};

use super::weights::Weights;
use crate::image::lanes;

/// Lines that are made at a time.
pub(super) const LINES: usize = 4;
/// Pixels that are made at a time.
pub(super) const ABREAST: usize = 16;
/// Bytes that are looked at behind the last pixel of a line; they weigh nothing.
pub(super) const BEHIND: usize = 32;

/// Makes lines of `out`, each of three planes, from lines that begin at pixel `left` of the picture.
#[inline(always)]
pub(super) fn lines<S: Simd>(
    simd: S,
    from: [&[u8]; LINES],
    weights: &Weights,
    left: usize,
    overshoots: bool,
    out: &mut [u8],
) {
    // Each number that the compiler knows is code of its own; these are the usual ones.
    match weights.pairs {
        1 => by::<S, 1>(simd, from, weights, left, overshoots, out),
        2 => by::<S, 2>(simd, from, weights, left, overshoots, out),
        3 => by::<S, 3>(simd, from, weights, left, overshoots, out),
        _ => by::<S, 0>(simd, from, weights, left, overshoots, out),
    }
}

/// With this many pairs of neighbors, which the compiler knows; 0 for any other number.
#[inline(always)]
fn by<S: Simd, const PAIRS: usize>(
    simd: S,
    from: [&[u8]; LINES],
    weights: &Weights,
    left: usize,
    overshoots: bool,
    out: &mut [u8],
) {
    let pairs = if PAIRS > 0 { PAIRS } else { weights.pairs };
    let width = weights.first.len();
    let long = from.iter().fold(usize::MAX, |least, line| least.min(line.len()));
    // What is looked at for a pixel; there is as much behind the last one.
    let Some(last) = long.checked_sub(pairs.div_ceil(2) * 12 + 4) else { return };
    // Of four pixels of three bytes: each channel's first and third, second and fourth.
    // Kept from the compiler, so that it is read: V8 puts a constant together anew for every use.
    let order = u8x16::from_slice(simd, &black_box([0, 6, 3, 9, 1, 7, 4, 10, 2, 8, 5, 11, 0, 6, 3, 9]));
    let making = Making {
        simd,
        lines: [&from[0][..long], &from[1][..long], &from[2][..long], &from[3][..long]],
        order: order.combine(order).combine(order.combine(order)),
        evens: u16x32::splat(simd, 0x00ff),
        round: i32x16::splat(simd, 1 << (weights.bits - 1)),
        bits: weights.bits,
        left,
        last,
        overshoots,
    };
    // Loops over numbers, here and there: what iterators of the standard library do is not always compiled in place.
    let mut block = 0;
    while let Some(firsts) = weights.first.get(block..).and_then(|rest| rest.first_chunk::<ABREAST>()) {
        let Some(values) = weights.values.get(block * pairs..(block + ABREAST) * pairs) else { return };
        let mut fours = [making.round; 4];
        let mut x = 0;
        while x < 4 {
            fours[x] = making.four::<PAIRS>(&firsts[4 * x..4 * x + 4], &values[4 * x * pairs..(4 * x + 4) * pairs]);
            x += 1;
        }
        store(simd, fours, width, block, out);
        block += ABREAST;
    }
}

/// What all pixels of four lines have in common.
struct Making<'a, S: Simd> {
    simd: S,
    lines: [&'a [u8]; LINES],
    order: u8x64<S>,
    evens: u16x32<S>,
    round: i32x16<S>,
    bits: u32,
    left: usize,
    /// From where on a pixel may look at most.
    last: usize,
    overshoots: bool,
}

impl<S: Simd> Making<'_, S> {
    /// Four pixels of each line: four bytes of red, of green, of blue, and of nothing.
    #[inline(always)]
    fn four<const PAIRS: usize>(&self, firsts: &[usize], values: &[i32]) -> i32x16<S> {
        let pairs = if PAIRS > 0 { PAIRS } else { values.len() / 4 };
        self.pixel(firsts[0], values, 0, pairs)
            | self.pixel(firsts[1], values, pairs, pairs) << 8
            | self.pixel(firsts[2], values, 2 * pairs, pairs) << 16
            | self.pixel(firsts[3], values, 3 * pairs, pairs) << 24
    }

    /// The levels of a pixel of each line.
    #[inline(always)]
    fn pixel(&self, first: usize, values: &[i32], from: usize, pairs: usize) -> i32x16<S> {
        let (simd, mut at) = (self.simd, (first.saturating_sub(self.left) * 3).min(self.last));
        let mut sum = self.round;
        let mut k = 0;
        while k < pairs {
            let pixels = quad(simd, &self.lines, at).swizzle_dyn_within_blocks(self.order).bitcast::<u16x32<S>>();
            sum += products(simd, pixels & self.evens, values[from + k]);
            if k + 1 < pairs {
                sum += products(simd, pixels >> 8, values[from + k + 1]);
            }
            at += 12;
            k += 2;
        }
        sum >>= self.bits;
        if self.overshoots {
            sum = sum.max(i32x16::splat(simd, 0)).min(i32x16::splat(simd, 255));
        }
        sum
    }
}

/// Sixteen bytes of each of four lines.
#[inline(always)]
fn quad<S: Simd>(simd: S, lines: &[&[u8]; LINES], at: usize) -> u8x64<S> {
    let one = |i: usize| u8x16::from_slice(simd, &lines[i][at..at + 16]);
    one(0).combine(one(1)).combine(one(2).combine(one(3)))
}

/// Pairs of levels times a pair of weights.
#[inline(always)]
fn products<S: Simd>(simd: S, levels: u16x32<S>, weights: i32) -> i32x16<S> {
    let weights = i32x16::splat(simd, weights).bitcast::<i16x32<S>>();
    levels.bitcast::<i16x32<S>>().pairwise_dot_product(weights)
}

/// Sixteen pixels from `x` on to each plane of each line.
#[inline(always)]
fn store<S: Simd>(_: S, fours: [i32x16<S>; 4], width: usize, x: usize, out: &mut [u8]) {
    let parts = |v: i32x16<S>| -> [i32x4<S>; LINES] {
        let (low, high) = v.split();
        let ((a, b), (c, d)) = (low.split(), high.split());
        [a, b, c, d]
    };
    // Looked at once: where every store is a branch of its own, V8 repeats what they need in each.
    if x + ABREAST > width || out.len() < LINES * 3 * width {
        return;
    }
    let [a, b, c, d] = [parts(fours[0]), parts(fours[1]), parts(fours[2]), parts(fours[3])];
    let mut put = |line: usize, [r, g, b]: [u8x16<S>; 3]| {
        let mut plane = |c: usize, levels: u8x16<S>| {
            let at = (line * 3 + c) * width + x;
            levels.store_slice(&mut out[at..at + ABREAST]);
        };
        plane(0, r);
        plane(1, g);
        plane(2, b);
    };
    // No loop: in WebAssembly it would have the vectors in memory.
    put(0, lanes::planes([a[0], b[0], c[0], d[0]]));
    put(1, lanes::planes([a[1], b[1], c[1], d[1]]));
    put(2, lanes::planes([a[2], b[2], c[2], d[2]]));
    put(3, lanes::planes([a[3], b[3], c[3], d[3]]));
}
