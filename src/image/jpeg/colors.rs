//! Brightness and two color differences to red, green and blue, with libjpeg's 16 fractional bits.

use fearless_simd::{Simd, i16x8, i16x16, i32x8, prelude::*, u8x16, u16x8};

/// The factors in 65,536ths, less the whole part that brings each into 16 bits; that is added by itself.
const RED_BY_CR: i16 = (91881 - 65536) as i16; // 1.40200 = 1 + this
const GREEN_BY_CB: i16 = -22554; // -0.34414
const GREEN_BY_CR: i16 = (65536 - 46802) as i16; // -0.71414 = -1 + this
const BLUE_BY_CB: i16 = (116130 - 131_072) as i16; // 1.77200 = 2 + this
const HALF: i32 = 1 << 15;

/// Converts a line.
#[inline(never)]
pub(super) fn ycc<S: Simd>(simd: S, to: &mut [u8], y: &[u8], cb: &[u8], cr: &[u8]) {
    simd.vectorize(
        #[inline(always)]
        || {
            let sixteens = y.as_chunks::<16>().0.iter().zip(cb.as_chunks::<16>().0).zip(cr.as_chunks::<16>().0);
            let mut done = 0;
            for ((y, cb), cr) in sixteens {
                // The last four bytes are written in passing.
                let Some(to) = to.get_mut(done * 3..done * 3 + 52) else { break };
                sixteen(simd, to, y, cb, cr);
                done += 16;
            }
            let rest = to.as_chunks_mut::<3>().0.iter_mut().zip(y).zip(cb).zip(cr).skip(done);
            rest.for_each(|(((to, y), cb), cr)| *to = one(*y, *cb, *cr));
        },
    );
}

fn one(y: u8, cb: u8, cr: u8) -> [u8; 3] {
    let (y, cb, cr) = (i32::from(y), i32::from(cb) - 128, i32::from(cr) - 128);
    let r = y + cr + ((i32::from(RED_BY_CR) * cr + HALF) >> 16);
    let g = y - cr + ((i32::from(GREEN_BY_CB) * cb + i32::from(GREEN_BY_CR) * cr + HALF) >> 16);
    let b = y + 2 * cb + ((i32::from(BLUE_BY_CB) * cb + HALF) >> 16);
    [r, g, b].map(|v| v.clamp(0, 255) as u8)
}

/// Sixteen pixels, and four bytes behind them.
#[inline(always)]
fn sixteen<S: Simd>(simd: S, to: &mut [u8], y: &[u8; 16], cb: &[u8; 16], cr: &[u8; 16]) {
    let wide = |bytes: &[u8; 16]| {
        let (low, high) = u8x16::from_slice(simd, bytes).widen();
        [low.bitcast::<i16x8<S>>(), high.bitcast::<i16x8<S>>()]
    };
    let (y, cb, cr) = (wide(y), wide(cb), wide(cr));
    let middle = i16x8::splat(simd, 128);
    let half = i32x8::splat(simd, HALF);
    let by = |a: i16, b: i16| i16x16::from_fn(simd, |i| if i % 2 == 0 { a } else { b });
    let zero = i16x8::splat(simd, 0);
    let sum = |a: i16x8<S>, b: i16x8<S>, factors: i16x16<S>| {
        let (low, high) = ((a.zip_low(b).combine(a.zip_high(b)).pairwise_dot_product(factors) + half) >> 16).split();
        low.saturating_narrow(high)
    };
    let mut parts = [[zero; 2]; 3];
    for i in 0..2 {
        // 128 less, for the way back to bytes, which keeps what is between -128 and 127.
        let (y, cb, cr) = (y[i] - middle, cb[i] - middle, cr[i] - middle);
        parts[0][i] = y + cr + sum(cr, zero, by(RED_BY_CR, 0));
        parts[1][i] = y - cr + sum(cb, cr, by(GREEN_BY_CB, GREEN_BY_CR));
        parts[2][i] = y + cb + cb + sum(cb, zero, by(BLUE_BY_CB, 0));
    }
    let sign = u8x16::splat(simd, 0x80);
    let [r, g, b] = parts.map(|[low, high]| low.saturating_narrow(high).bitcast::<u8x16<S>>() ^ sign);
    // Four pixels of four bytes at a time, of which the last of each is left out.
    let pairs = |v: u8x16<S>| v.bitcast::<u16x8<S>>();
    let (low, blue_low) = (pairs(r.zip_low(g)), pairs(b.zip_low(b)));
    let (high, blue_high) = (pairs(r.zip_high(g)), pairs(b.zip_high(b)));
    let fours = [low.zip_low(blue_low), low.zip_high(blue_low), high.zip_low(blue_high), high.zip_high(blue_high)];
    let order = u8x16::from_slice(simd, &[0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 0, 0, 0, 0]);
    for (i, four) in fours.into_iter().enumerate() {
        if let Some(to) = to.get_mut(12 * i..12 * i + 16) {
            four.bitcast::<u8x16<S>>().swizzle_dyn_within_blocks(order).store_slice(to);
        }
    }
}
