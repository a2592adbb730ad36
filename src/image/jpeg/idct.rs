//! The inverse transform of a block to 8 × 8 pixels: the integers of libjpeg's accurate one, to the last bit.
//!
//! Both passes are sums of products with constants of 13 fractional bits (Loeffler, Ligtenberg and Moschytz); only the
//! rounding after each pass loses anything. Here pairs of rows are multiplied and added at once, eight columns abreast.

use fearless_simd::{Simd, i8x16, i16x8, i16x16, i32x8, prelude::*, u8x16, u16x8};

/// Fractional bits of the constants, and those kept between the passes.
const FRACTION: u32 = 13;
const KEPT: u32 = 2;

const A: i16 = 2446; // 0.298631336
const B: i16 = 3196; // 0.390180644
const C: i16 = 7373; // 0.899976223
const D: i16 = 9633; // 1.175875602
const E: i16 = 12299; // 1.501321110
const F: i16 = 16069; // 1.961570560
const G: i16 = 16819; // 2.053119869
const H: i16 = 20995; // 2.562915447
const I: i16 = 25172; // 3.072711026
/// What the inputs 2 and 6 give to the even part: 0.541196100 and 0.765366865, 1.847759065.
const SIDE: [[i16; 2]; 2] = [[4433 + 6270, 4433], [4433, 4433 - 15137]];

/// Two rows as pairs, for sums of products.
#[inline(always)]
pub(super) fn pair<S: Simd>(a: i16x8<S>, b: i16x8<S>) -> i16x16<S> {
    a.zip_low(b).combine(a.zip_high(b))
}

/// One pass over eight rows: every column by itself. Sums of two rows have 16 bits, as in libjpeg-turbo's own vectors: what no
/// picture has, but some files do, overflows as it does there.
#[inline(always)]
fn pass<S: Simd>(simd: S, rows: &[i16x8<S>; 8], shift: u32) -> [i32x8<S>; 8] {
    let both = |a: i16, b: i16| i16x16::from_fn(simd, |i| if i % 2 == 0 { a } else { b });
    let round = i32x8::splat(simd, 1 << (shift - 1));
    // In the upper half of 32 bits, then down to where the constants' fraction begins.
    let wide = |v: i16x8<S>| pair(i16x8::splat(simd, 0), v).bitcast::<i32x8<S>>() >> (16 - FRACTION);
    let sum = wide(rows[0] + rows[4]) + round;
    let difference = wide(rows[0] - rows[4]) + round;
    let sides = pair(rows[2], rows[6]);
    let near = sides.pairwise_dot_product(both(SIDE[0][0], SIDE[0][1]));
    let far = sides.pairwise_dot_product(both(SIDE[1][0], SIDE[1][1]));
    let even = [sum + near, difference + far, difference - far, sum - near];
    let crossed = pair(rows[7] + rows[3], rows[5] + rows[1]);
    let (third, fourth) = (crossed.pairwise_dot_product(both(D - F, D)), crossed.pairwise_dot_product(both(D, D - B)));
    let (outer, inner) = (pair(rows[7], rows[1]), pair(rows[5], rows[3]));
    let a = outer.pairwise_dot_product(both(-C, E - C)) + fourth;
    let b = inner.pairwise_dot_product(both(-H, I - H)) + third;
    let c = inner.pairwise_dot_product(both(G - H, -H)) + fourth;
    let d = outer.pairwise_dot_product(both(A - C, -C)) + third;
    [
        (even[0] + a) >> shift,
        (even[1] + b) >> shift,
        (even[2] + c) >> shift,
        (even[3] + d) >> shift,
        (even[3] - d) >> shift,
        (even[2] - c) >> shift,
        (even[1] - b) >> shift,
        (even[0] - a) >> shift,
    ]
}

/// Columns to rows: three perfect shuffles.
#[inline(always)]
pub(super) fn transpose<S: Simd>(v: [i16x8<S>; 8]) -> [i16x8<S>; 8] {
    // No loop: with this many vectors WebAssembly keeps it, and the vectors in memory.
    shuffled(shuffled(shuffled(v)))
}

#[inline(always)]
fn shuffled<S: Simd>(v: [i16x8<S>; 8]) -> [i16x8<S>; 8] {
    let low = |i: usize| v[i].zip_low(v[i + 4]);
    let high = |i: usize| v[i].zip_high(v[i + 4]);
    [low(0), high(0), low(1), high(1), low(2), high(2), low(3), high(3)]
}

/// Transforms a block into `out`, whose lines are `stride` apart. A function of its own, so that its many constants
/// stay out of the reading of bits.
#[inline(never)]
pub(super) fn whole<S: Simd>(simd: S, coefficients: &[i16; 64], quant: &[u16; 64], out: &mut [u8], stride: usize) {
    simd.vectorize(
        #[inline(always)]
        || transform(simd, coefficients, quant, out, stride),
    );
}

#[inline(always)]
fn transform<S: Simd>(simd: S, coefficients: &[i16; 64], quant: &[u16; 64], out: &mut [u8], stride: usize) {
    // Looked at once and beforehand: V8 moves what a store needs into every branch that has such a store, and so does all
    // of it eight times where each line is looked at by itself.
    let Some(out) = out.get_mut(..7 * stride + 8) else { return };
    let row = |i: usize| dequantised(simd, coefficients, quant, i);
    let rows = [row(0), row(1), row(2), row(3), row(4), row(5), row(6), row(7)];
    let mut down = narrow(pass(simd, &rows, FRACTION - KEPT));
    let higher = rows[0] << KEPT;
    if (higher >> KEPT).simd_eq(rows[0]).any_false() && coefficients[8..].iter().all(|c| *c == 0) {
        // What no picture has: where there is only this row, libjpeg-turbo takes a shorter way on which it overflows.
        down = [higher; 8];
    }
    let across = narrow(pass(simd, &transpose(down), FRACTION + KEPT + 3));
    let lines = pixels(simd, &across);
    let mut put = |y: usize| out[y * stride..y * stride + 8].copy_from_slice(&lines[y]);
    put(0);
    put(1);
    put(2);
    put(3);
    put(4);
    put(5);
    put(6);
    put(7);
}

/// A line of coefficients.
#[inline(always)]
pub(super) fn dequantised<S: Simd>(simd: S, coefficients: &[i16; 64], quant: &[u16; 64], line: usize) -> i16x8<S> {
    let (lines, factors) = (coefficients.as_chunks::<8>().0, quant.as_chunks::<8>().0);
    i16x8::from_slice(simd, &lines[line]) * u16x8::from_slice(simd, &factors[line]).bitcast::<i16x8<S>>()
}

#[inline(always)]
fn narrow<S: Simd>(wide: [i32x8<S>; 8]) -> [i16x8<S>; 8] {
    let one = |i: usize| {
        let (low, high) = wide[i].split();
        low.saturating_narrow(high)
    };
    [one(0), one(1), one(2), one(3), one(4), one(5), one(6), one(7)]
}

/// Lines of pixels from columns of numbers around 0.
#[inline(always)]
pub(super) fn pixels<S: Simd>(simd: S, columns: &[i16x8<S>; 8]) -> [[u8; 8]; 8] {
    let two = |i: usize| columns[2 * i].saturating_narrow(columns[2 * i + 1]);
    let shuffled =
        |v: [i8x16<S>; 4]| [v[0].zip_low(v[2]), v[0].zip_high(v[2]), v[1].zip_low(v[3]), v[1].zip_high(v[3])];
    let v = shuffled(shuffled(shuffled([two(0), two(1), two(2), two(3)])));
    // The columns' middle is 128, which is the highest bit turned.
    let middle = u8x16::splat(simd, 0x80);
    let two = |i: usize| -> [[u8; 8]; 2] {
        let bytes: [u8; 16] = (v[i].bitcast::<u8x16<S>>() ^ middle).into();
        let halves = bytes.as_chunks::<8>().0;
        [halves[0], halves[1]]
    };
    let ([a, b], [c, d], [e, f], [g, h]) = (two(0), two(1), two(2), two(3));
    [a, b, c, d, e, f, g, h]
}

/// The pixel of a block that has only its first coefficient.
#[inline(always)]
pub(super) fn flat(coefficient: i16, quant: u16) -> u8 {
    // What overflows does so where it does in libjpeg-turbo, between the passes.
    let value = i32::from(coefficient.wrapping_mul(quant as i16) << KEPT);
    (((value + (4 << KEPT)) >> (3 + KEPT)).clamp(-128, 127) + 128) as u8
}
