//! Brightness and two color differences to red, green and blue, with libjpeg's 16 fractional bits.

use std::hint::black_box;

use fearless_simd::{Simd, i16x16, i32x8, prelude::*, u8x16};

use crate::image::lanes;

/// The factors in 65,536ths, less the whole part that brings each into 16 bits; that is added by itself.
const RED_BY_CR: i16 = (91881 - 65536) as i16; // 1.40200 = 1 + this
const GREEN_BY_CB: i16 = -22554; // -0.34414
const GREEN_BY_CR: i16 = (65536 - 46802) as i16; // -0.71414 = -1 + this
const BLUE_BY_CB: i16 = (116130 - 131_072) as i16; // 1.77200 = 2 + this
const HALF: i32 = 1 << 15;

/// What is added to products: half of the last bit that stays, for rounding; differences count from 128, whether they are
/// multiplied or, `whole` times, added; and bytes are made of what is between -128 and 127.
const fn offset(factors: i32, whole: i32) -> i32 {
    HALF - 128 * factors - ((128 * whole + 128) << 16)
}

/// Converts a line.
#[inline(never)]
pub(super) fn ycc<S: Simd>(simd: S, to: &mut [u8], y: &[u8], cb: &[u8], cr: &[u8]) {
    simd.vectorize(
        #[inline(always)]
        || {
            let width = y.len().min(cb.len()).min(cr.len()).min(to.len() / 3);
            // As many sixteens as there is room behind for the four bytes that are written in passing.
            let whole = (width / 16).min(to.len().saturating_sub(4) / 48);
            let (ys, cbs, crs) = (y.as_chunks().0, cb.as_chunks().0, cr.as_chunks().0);
            let (ys, cbs, crs) = (&ys[..whole], &cbs[..whole], &crs[..whole]);
            let factors = Factors::new(simd);
            let mut n = 0;
            while n < whole {
                if let Some(to) = to.get_mut(n * 48..).and_then(|to| to.first_chunk_mut()) {
                    factors.sixteen(simd, to, &ys[n], &cbs[n], &crs[n]);
                }
                n += 1;
            }
            let mut x = n * 16;
            while x < width {
                let count = (width - x).min(16);
                let mut out = [0; lanes::INTERLEAVED];
                factors.sixteen(simd, &mut out, &some(&y[x..]), &some(&cb[x..]), &some(&cr[x..]));
                to[x * 3..(x + count) * 3].copy_from_slice(&out[..count * 3]);
                x += 16;
            }
        },
    );
}

/// Puts black under pixels, as Pillow does: `black` is 255 for none, and each color is how much of an ink there is.
pub(super) fn under(pixels: &mut [[u8; 3]], black: &[u8]) {
    for (pixel, black) in pixels.iter_mut().zip(black) {
        for color in pixel {
            // The product by 255, rounded.
            let product = u32::from(*color) * u32::from(*black) + 128;
            *color = black - (((product >> 8) + product) >> 8) as u8;
        }
    }
}

/// The first bytes, at most sixteen.
#[inline(always)]
fn some(bytes: &[u8]) -> [u8; 16] {
    let mut sixteen = [0; 16];
    let count = bytes.len().min(16);
    sixteen[..count].copy_from_slice(&bytes[..count]);
    sixteen
}

/// What is the same for all pixels: for each color the two factors, and what is added.
struct Factors<S: Simd> {
    red: (i16x16<S>, i32x8<S>),
    green: (i16x16<S>, i32x8<S>),
    blue: (i16x16<S>, i32x8<S>),
    order: u8x16<S>,
}

impl<S: Simd> Factors<S> {
    /// Kept from the compiler, so that they are read: V8 puts constants that it knows together anew for every sixteen
    /// pixels, which took a quarter of their time.
    #[inline(always)]
    fn new(simd: S) -> Self {
        let of = |by_cb: i16, by_cr: i16, whole: i32| {
            let factors = black_box(i32::from(by_cb) & 0xffff | i32::from(by_cr) << 16);
            let offset = black_box(offset(by_cb as i32 + by_cr as i32, whole));
            (i32x8::splat(simd, factors).bitcast(), i32x8::splat(simd, offset))
        };
        Factors {
            red: of(0, RED_BY_CR, 1),
            green: of(GREEN_BY_CB, GREEN_BY_CR, -1),
            blue: of(BLUE_BY_CB, 0, 2),
            order: u8x16::from_slice(simd, &black_box(lanes::ORDER)),
        }
    }

    /// Sixteen pixels, and four bytes behind them.
    #[inline(always)]
    fn sixteen(&self, simd: S, to: &mut [u8; lanes::INTERLEAVED], y: &[u8; 16], cb: &[u8; 16], cr: &[u8; 16]) {
        let load = |bytes: &[u8; 16]| wide(u8x16::from_slice(simd, bytes));
        let (y, cb, cr) = (load(y), load(cb), load(cr));
        // Each pixel's two differences side by side, so that one step multiplies and adds them.
        let (low, high) = (cb.zip_low(cr), cb.zip_high(cr));
        let sum = |(factors, offset): (i16x16<S>, i32x8<S>)| {
            let low = (low.pairwise_dot_product(factors) + offset) >> 16;
            let high = (high.pairwise_dot_product(factors) + offset) >> 16;
            low.saturating_narrow(high)
        };
        let red = y + cr + sum(self.red);
        let green = y - cr + sum(self.green);
        let blue = y + cb + cb + sum(self.blue);
        let sign = u8x16::splat(simd, 0x80);
        let bytes = |v: i16x16<S>| {
            let (low, high) = v.split();
            low.saturating_narrow(high).bitcast::<u8x16<S>>() ^ sign
        };
        lanes::interleave([bytes(red), bytes(green), bytes(blue)], self.order, to);
    }
}

/// Bytes as numbers of 16 bits.
#[inline(always)]
fn wide<S: Simd>(bytes: u8x16<S>) -> i16x16<S> {
    let (low, high) = bytes.widen();
    low.combine(high).bitcast()
}
