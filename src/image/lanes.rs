//! Pixels to planes and back, sixteen at a time.

#[cfg(feature = "transform")]
use fearless_simd::i32x4;
use fearless_simd::{Simd, prelude::*, u8x16, u16x8};

/// Bytes that [`interleave`] writes: sixteen pixels, and four bytes behind them that mean nothing.
pub(super) const INTERLEAVED: usize = 52;

/// The order in which [`interleave`] takes bytes: four pixels of four, without the last of each.
pub(super) const ORDER: [u8; 16] = [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 0, 0, 0, 0];

/// Writes sixteen pixels of three bytes, and four bytes behind them, by the [order](ORDER).
#[inline(always)]
pub(super) fn interleave<S: Simd>([r, g, b]: [u8x16<S>; 3], order: u8x16<S>, to: &mut [u8; INTERLEAVED]) {
    let pairs = |v: u8x16<S>| v.bitcast::<u16x8<S>>();
    let (low, blue_low) = (pairs(r.zip_low(g)), pairs(b.zip_low(b)));
    let (high, blue_high) = (pairs(r.zip_high(g)), pairs(b.zip_high(b)));
    let mut put = |i: usize, four: u16x8<S>| {
        four.bitcast::<u8x16<S>>().swizzle_dyn_within_blocks(order).store_slice(&mut to[12 * i..12 * i + 16]);
    };
    put(0, low.zip_low(blue_low));
    put(1, low.zip_high(blue_low));
    put(2, high.zip_low(blue_high));
    put(3, high.zip_high(blue_high));
}

/// Bytes that [`deinterleave`] looks at: sixteen pixels, and four bytes behind them.
#[cfg(feature = "transform")]
pub(super) const DEINTERLEAVED: usize = 52;

/// Sixteen pixels of three bytes as three planes.
#[cfg(feature = "transform")]
#[inline(always)]
pub(super) fn deinterleave<S: Simd>(simd: S, from: &[u8; DEINTERLEAVED]) -> [u8x16<S>; 3] {
    let order = u8x16::from_slice(simd, &[0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11, 0, 0, 0, 0]);
    let four = |i: usize| {
        let pixels = u8x16::from_slice(simd, &from[12 * i..12 * i + 16]);
        pixels.swizzle_dyn_within_blocks(order).bitcast::<i32x4<S>>()
    };
    planes([four(0), four(1), four(2), four(3)])
}

/// Four times four bytes of each plane, red first, as sixteen of each.
#[cfg(feature = "transform")]
#[inline(always)]
pub(super) fn planes<S: Simd>(fours: [i32x4<S>; 4]) -> [u8x16<S>; 3] {
    let [a, b, c, d] = fours;
    let (even, odd) = (a.zip_low(c), b.zip_low(d));
    let (even_blue, odd_blue) = (a.zip_high(c), b.zip_high(d));
    [even.zip_low(odd).bitcast(), even.zip_high(odd).bitcast(), even_blue.zip_low(odd_blue).bitcast()]
}
