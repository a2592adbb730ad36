//! The inverse transform to fewer pixels than 8 × 8: of N × N, by the lowest coefficients.
//!
//! A block's cosines are sampled at N places instead of 8; frequencies that N pixels cannot show are left out. That is
//! the picture as it would be after a filter that cuts them off, so nothing aliases.

use fearless_simd::{Simd, i16x8, i16x16, i32x4, i32x8, prelude::*, u8x16};

use super::idct::{dequantised, pair, pixels, transpose};

/// Fractional bits of the factors, and those kept between the passes.
const FRACTION: u32 = 13;
const KEPT: u32 = 2;

/// What the first coefficients of a line give to each of N pixels: by pixel, then two coefficients at a time, the
/// first in the lower half, as [`PAIRS`] says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factors([[i32; 4]; 8]);

/// Coefficients that are multiplied at once: those that give the same to a pixel and to the one as far from the other end,
/// then those that give the opposite.
const PAIRS: [(usize, usize); 4] = [(0, 2), (4, 6), (1, 3), (5, 7)];

impl Factors {
    pub(super) fn new(size: usize) -> Self {
        let factor = |x: usize, u: usize| {
            if x >= size || u >= size {
                return 0;
            }
            // A line of one value v has the first coefficient v × √8.
            let scale = if u == 0 { (1.0_f64 / 8.0).sqrt() } else { 0.5 };
            let angle = ((2 * x + 1) * u) as f64 * std::f64::consts::PI / (2 * size) as f64;
            (scale * angle.cos() * f64::from(1 << FRACTION)).round() as i32
        };
        let two = |x: usize, i: usize| factor(x, PAIRS[i].0) & 0xffff | factor(x, PAIRS[i].1) << 16;
        Factors(std::array::from_fn(|x| std::array::from_fn(|i| two(x, i))))
    }
}

/// Transforms a block into two lines of two pixels. All its factors are those of 45 degrees, so that both passes are the
/// same: sums of two numbers by the factor in the lower half, differences in the upper one.
#[inline(always)]
pub(super) fn two<S: Simd>(
    simd: S,
    coefficients: &[i16; 64],
    quant: &[u16; 64],
    factors: &Factors,
    out: &mut [u8],
    stride: usize,
) {
    let Some(out) = out.get_mut(..stride + 2) else { return };
    let factor = factors.0[0][0] & 0xffff;
    let sums = i32x4::splat(simd, factor | factor << 16);
    let differences = i32x4::splat(simd, factor | -factor << 16);
    let factors = sums.combine(differences).bitcast::<i16x16<S>>();
    let pass = |v: i16x8<S>, shift: u32| {
        let sum = v.combine(v).pairwise_dot_product(factors) + i32x8::splat(simd, 1 << (shift - 1));
        let (low, high) = (sum >> shift).split();
        low.saturating_narrow(high)
    };
    let row = |i: usize| dequantised(simd, coefficients, quant, i);
    let down = pass(row(0).zip_low(row(1)), FRACTION - KEPT);
    // The left pixels' columns, and the right ones'; of each four, the first is the upper line's and the third the lower's.
    let across = pass(down, FRACTION + KEPT);
    let pixels: [u8; 16] = (across.saturating_narrow(across).bitcast::<u8x16<S>>() ^ u8x16::splat(simd, 0x80)).into();
    out[..2].copy_from_slice(&[pixels[0], pixels[4]]);
    out[stride..].copy_from_slice(&[pixels[2], pixels[6]]);
}

/// Transforms a block into `size` lines of `out`, `stride` apart.
#[inline(never)]
pub(super) fn part<S: Simd>(
    simd: S,
    size: usize,
    coefficients: &[i16; 64],
    quant: &[u16; 64],
    factors: &Factors,
    out: &mut [u8],
    stride: usize,
) {
    let to = (out, stride);
    simd.vectorize(
        #[inline(always)]
        || match size {
            3 => transform::<S, 3>(simd, coefficients, quant, factors, to),
            4 => transform::<S, 4>(simd, coefficients, quant, factors, to),
            5 => transform::<S, 5>(simd, coefficients, quant, factors, to),
            6 => transform::<S, 6>(simd, coefficients, quant, factors, to),
            _ => transform::<S, 7>(simd, coefficients, quant, factors, to),
        },
    );
}

#[inline(always)]
fn transform<S: Simd, const N: usize>(
    simd: S,
    coefficients: &[i16; 64],
    quant: &[u16; 64],
    factors: &Factors,
    (out, stride): (&mut [u8], usize),
) {
    // Looked at once and beforehand, as for whole blocks.
    let Some(out) = out.get_mut(..(N - 1) * stride + N) else { return };
    let row = |i: usize| if i < N { dequantised(simd, coefficients, quant, i) } else { i16x8::splat(simd, 0) };
    let rows = [row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)];
    let down = pass::<S, N>(simd, &rows, factors, FRACTION - KEPT);
    let across = pass::<S, N>(simd, &transpose(down), factors, FRACTION + KEPT);
    let lines = pixels(simd, &across);
    let mut put = |y: usize| {
        if y < N {
            out[y * stride..y * stride + N].copy_from_slice(&lines[y][..N]);
        }
    };
    put(0);
    put(1);
    put(2);
    put(3);
    put(4);
    put(5);
    put(6);
}

/// N lines of the first N of eight, every column by itself.
#[inline(always)]
fn pass<S: Simd, const N: usize>(simd: S, rows: &[i16x8<S>; 8], factors: &Factors, shift: u32) -> [i16x8<S>; 8] {
    let two = |(a, b): (usize, usize)| pair(rows[a], rows[b]);
    let pairs = [two(PAIRS[0]), two(PAIRS[1]), two(PAIRS[2]), two(PAIRS[3])];
    let ends = [
        both::<S, N>(simd, &pairs, factors, 0, shift),
        both::<S, N>(simd, &pairs, factors, 1, shift),
        both::<S, N>(simd, &pairs, factors, 2, shift),
        both::<S, N>(simd, &pairs, factors, 3, shift),
    ];
    let line = |y: usize| {
        if y < N.div_ceil(2) {
            ends[y].0
        } else if y < N {
            ends[N - 1 - y].1
        } else {
            i16x8::splat(simd, 0)
        }
    };
    [line(0), line(1), line(2), line(3), line(4), line(5), line(6), line(7)]
}

/// A line and the one as far from the other end: what the coefficients give to both, and the opposite.
#[inline(always)]
fn both<S: Simd, const N: usize>(
    simd: S,
    pairs: &[i16x16<S>; 4],
    factors: &Factors,
    y: usize,
    shift: u32,
) -> (i16x8<S>, i16x8<S>) {
    let zero = i16x8::splat(simd, 0);
    if y >= N.div_ceil(2) {
        return (zero, zero);
    }
    let product = |i: usize| pairs[i].pairwise_dot_product(i32x8::splat(simd, factors.0[y][i]).bitcast::<i16x16<S>>());
    let (mut same, mut opposite) = (i32x8::splat(simd, 1 << (shift - 1)) + product(0), product(2));
    if N > PAIRS[1].0 {
        same += product(1);
    }
    if N > PAIRS[3].0 {
        opposite += product(3);
    }
    let narrow = |sum: i32x8<S>| {
        let (low, high) = (sum >> shift).split();
        low.saturating_narrow(high)
    };
    (narrow(same + opposite), narrow(same - opposite))
}

#[cfg(test)]
mod tests {
    use fearless_simd::{Level, dispatch};

    use super::*;
    use crate::random::Draws;

    #[test]
    fn two_by_two_pixels_are_what_the_factors_say() {
        let (factors, level) = (Factors::new(2), Level::new());
        let mut draws = Draws::new(7);
        for round in 0..20_000 {
            // Of pictures, and of damage.
            let most = if round % 2 == 0 { 300 } else { 32_768 };
            let (mut block, mut quant) = ([0_i16; 64], [1_u16; 64]);
            for i in [0, 1, 8, 9] {
                block[i] = (draws.below(2 * most) as i32 - most as i32) as i16;
                quant[i] = 1 + draws.below(255) as u16;
            }
            let value = |i: usize| i64::from(block[i].wrapping_mul(quant[i] as i16));
            let factor = |x: usize, i: usize| i64::from(factors.0[x][i] as i16);
            let sum = |x: usize, a: i64, b: i64, shift: u32| {
                let sum = (a * factor(x, 0) + b * factor(x, 2) + (1 << (shift - 1))) >> shift;
                sum.clamp(i64::from(i16::MIN), i64::from(i16::MAX))
            };
            let mut out = [7; 8];
            dispatch!(level, simd => two(simd, &block, &quant, &factors, &mut out, 5));
            for (y, x) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let (left, right) =
                    (sum(y, value(0), value(8), FRACTION - KEPT), sum(y, value(1), value(9), FRACTION - KEPT));
                let pixel = (sum(x, left, right, FRACTION + KEPT).clamp(-128, 127) + 128) as u8;
                assert_eq!(out[y * 5 + x], pixel, "{block:?} {quant:?}");
            }
            assert_eq!([out[2], out[3], out[4], out[7]], [7; 4], "nothing beside them");
        }
    }
}
