//! Bytes to numbers, and the order in which they stand: one pass over the pixels.

use fearless_simd::{Level, Simd, dispatch, f32x16, prelude::*};
use half::f16;

use super::{Layout, Normalize, Recipe, down::Sixteen};
use crate::image::lanes;

/// Where a tensor goes: a batch's slot.
#[derive(Debug)]
#[non_exhaustive]
pub enum Out<'a> {
    /// The pixels themselves, not normalized.
    U8(&'a mut [u8]),
    /// Half-precision floats.
    F16(&'a mut [f16]),
    /// Floats.
    F32(&'a mut [f32]),
}

impl Out<'_> {
    pub(super) fn len(&self) -> usize {
        match self {
            Out::U8(out) => out.len(),
            Out::F16(out) => out.len(),
            Out::F32(out) => out.len(),
        }
    }
}

/// What each byte of each channel becomes: a table, and the same by arithmetic where that is quicker.
#[derive(Debug)]
pub(super) struct Tables {
    f32: [[f32; 256]; 3],
    f16: [[f16; 256]; 3],
    channels: [Channel; 3],
    normalizer: Normalizer,
    level: Level,
    /// True where arithmetic gives the table's numbers to the last bit.
    exact: bool,
}

impl Tables {
    pub(super) fn new(normalize: Option<&Normalize>) -> Self {
        let n = normalize.copied().unwrap_or(Normalize::UNIT);
        let f32: [[f32; 256]; 3] = std::array::from_fn(|c| {
            // In this order and precision, since that is what torchvision does.
            std::array::from_fn(|v| (v as f32 / 255.0 - n.mean[c]) / n.std[c])
        });
        let channels: [Channel; 3] = std::array::from_fn(|c| Channel::new(n.mean[c], n.std[c]));
        let level = Level::new();
        let same = |(table, channel): (&[f32; 256], &Channel)| {
            (0..=255_u8).zip(table).all(|(v, &number)| channel.number(v).to_bits() == number.to_bits())
        };
        let exact = fuses(level) && f32.iter().zip(&channels).all(same);
        let f16 = f32.map(|channel| channel.map(f16::from_f32));
        let normalizer = Normalizer { mean: n.mean, std: n.std, by_std: channels.map(|c| c.by_std), fused: exact };
        Tables { f32, f16, channels, normalizer, level, exact }
    }

    pub(super) fn normalizer(&self) -> &Normalizer {
        &self.normalizer
    }
}

/// Whether this processor multiplies and adds in one step; elsewhere that is a function, and slow.
#[inline(always)]
fn fuses(level: Level) -> bool {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    let fuses = level.as_avx2().is_some();
    #[cfg(target_arch = "aarch64")]
    let fuses = level.as_neon().is_some();
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "aarch64")))]
    let fuses = {
        let _ = level;
        false
    };
    fuses
}

/// Normalizing one channel without tables and divisions, many numbers at a time.
#[derive(Clone, Copy, Debug)]
struct Channel {
    mean: f32,
    std: f32,
    /// 1 / std, rounded.
    by_std: f32,
}

impl Channel {
    fn new(mean: f32, std: f32) -> Self {
        Channel { mean, std, by_std: 1.0 / std }
    }
    #[inline(always)]
    fn number(self, v: u8) -> f32 {
        divide(divide(f32::from(v), 255.0, 1.0 / 255.0) - self.mean, self.std, self.by_std)
    }
}

/// `x / by`, rounded as a division is: the product with the inverse is off by a bit at most, and what is lacking of it,
/// which a fused step finds exactly, corrects it. Whether that is so for all that is asked is [looked at](Tables::new).
#[inline(always)]
fn divide(x: f32, by: f32, inverse: f32) -> f32 {
    let about = x * inverse;
    (-about).mul_add(by, x).mul_add(inverse, about)
}

/// Normalizing levels that stand in vectors, of any channel and on every processor, to the last bit: with one division,
/// or without where the processor has fused steps and what they give is known to be the same.
#[derive(Debug)]
pub(super) struct Normalizer {
    mean: [f32; 3],
    std: [f32; 3],
    by_std: [f32; 3],
    fused: bool,
}

impl Normalizer {
    /// 1 / 255 in two parts: a level times the first is exact, so that the sum of both products is rounded as the
    /// quotient would be. A test goes through all levels.
    const HIGH: f32 = f32::from_bits((1.0_f32 / 255.0).to_bits() & 0xffff_ff00);
    const LOW: f32 = (1.0 / 255.0 - Self::HIGH as f64) as f32;

    #[inline(always)]
    fn sixteen<S: Simd, const FUSED: bool>(&self, simd: S, channel: usize, levels: Sixteen<S>) -> f32x16<S> {
        let levels: f32x16<S> = levels.to_float();
        let (mean, std) = (f32x16::splat(simd, self.mean[channel]), f32x16::splat(simd, self.std[channel]));
        if !FUSED {
            return (levels * Self::HIGH + levels * Self::LOW - mean) / std;
        }
        // The first product is exact, so that a fused step rounds as the sum of both does.
        let x = levels.mul_add(f32x16::splat(simd, Self::HIGH), levels * Self::LOW) - mean;
        // As `divide`.
        let inverse = f32x16::splat(simd, self.by_std[channel]);
        let about = x * inverse;
        about.mul_sub(std, x).mul_add(-inverse, about)
    }

    /// Writes sixteen levels of a channel, or as many as there is room for.
    #[inline(always)]
    pub(super) fn put<S: Simd>(&self, simd: S, channel: usize, levels: Sixteen<S>, to: &mut [f32]) {
        // WebAssembly has no fused steps, and no code for them.
        let numbers = match self.fused && !cfg!(target_arch = "wasm32") {
            true => self.sixteen::<S, true>(simd, channel, levels),
            false => self.sixteen::<S, false>(simd, channel, levels),
        };
        if let Some(to) = to.first_chunk_mut::<16>() {
            numbers.store_slice(to);
        } else {
            let mut last = [0.0; 16];
            numbers.store_slice(&mut last);
            let count = to.len().min(16);
            to[..count].copy_from_slice(&last[..count]);
        }
    }
}

/// The pixels to write: lines of `stride` bytes, the first of which begins at `start`.
#[derive(Debug)]
pub(super) struct View<'a> {
    pub(super) data: &'a [u8],
    pub(super) start: usize,
    pub(super) stride: usize,
}

impl View<'_> {
    fn line(&self, y: usize, width: usize) -> &[u8] {
        let at = self.start + y * self.stride;
        self.data.get(at..at + width * 3).unwrap_or_default()
    }
}

/// Writes the pixels, mirrored as wanted. `out` has exactly the values of `size`.
pub(super) fn write(
    view: &View<'_>,
    size: (usize, usize),
    flips: (bool, bool),
    recipe: &Recipe,
    tables: &Tables,
    out: Out<'_>,
) {
    let (layout, level) = (recipe.layout, tables.level);
    match out {
        Out::U8(out) => {
            dispatch!(level, simd => simd.vectorize(#[inline(always)] || lines(view, size, flips, layout, out, |_, v| v)));
        }
        Out::F16(out) => lines(view, size, flips, layout, out, |c, v| tables.f16[c][usize::from(v)]),
        // If nothing fuses, the compiler need not make it.
        Out::F32(out) if fuses(level) && tables.exact => {
            let channels = tables.channels;
            dispatch!(level, simd => simd.vectorize(#[inline(always)] || {
                lines(view, size, flips, layout, out, #[inline(always)] |c: usize, v| channels[c].number(v));
            }));
        }
        Out::F32(out) if layout == Layout::Nchw => {
            dispatch!(level, simd => simd.vectorize(
                #[inline(always)]
                || planes(simd, view, size, flips, &tables.normalizer, out)
            ));
        }
        Out::F32(out) => lines(view, size, flips, layout, out, |c, v| tables.f32[c][usize::from(v)]),
    }
}

/// As [`lines`], normalized to planes, sixteen pixels at a time.
#[inline(always)]
fn planes<S: Simd>(
    simd: S,
    view: &View<'_>,
    (width, height): (usize, usize),
    (mirror, flip): (bool, bool),
    normalizer: &Normalizer,
    out: &mut [f32],
) {
    let (red, rest) = out.split_at_mut(width * height);
    let (green, blue) = rest.split_at_mut(width * height);
    let each = red.chunks_exact_mut(width).zip(green.chunks_exact_mut(width)).zip(blue.chunks_exact_mut(width));
    for (y, ((r, g), b)) in each.enumerate() {
        let from = view.line(if flip { height - 1 - y } else { y }, width);
        let to = [r, g, b];
        for x in (0..width).step_by(16) {
            let count = (width - x).min(16);
            // Mirrored, the first sixteen come from the line's end.
            let start = if mirror { width - x - count } else { x } * 3;
            let mut last = [0; lanes::DEINTERLEAVED];
            let pixels = match from.get(start..).and_then(|from| from.first_chunk()) {
                Some(pixels) if count == 16 => pixels,
                _ => {
                    let rest = from.get(start..start + count * 3).unwrap_or_default();
                    // Turned round, they are the last of the sixteen.
                    let at = if mirror { (16 - count) * 3 } else { 0 };
                    last[at..at + rest.len()].copy_from_slice(rest);
                    &last
                }
            };
            let channels = lanes::deinterleave(simd, pixels);
            let mut c = 0;
            while c < 3 {
                let channel = if mirror { channels[c].reverse() } else { channels[c] };
                let (low, high) = channel.widen();
                let (fours, others) = (low.widen(), high.widen());
                let levels = fours.0.combine(fours.1).combine(others.0.combine(others.1)).bitcast();
                let to = to[c].get_mut(x..x + count).unwrap_or_default();
                normalizer.put(simd, c, levels, to);
                c += 1;
            }
        }
    }
}

/// Pixels whose channels are parted at a time.
const STRETCH: usize = 64;

#[inline(always)]
fn lines<T: Copy>(
    view: &View<'_>,
    (width, height): (usize, usize),
    (mirror, flip): (bool, bool),
    layout: Layout,
    out: &mut [T],
    value: impl Fn(usize, u8) -> T + Copy,
) {
    let source = |y: usize| view.line(if flip { height - 1 - y } else { y }, width).as_chunks::<3>().0;
    match layout {
        Layout::Nhwc => {
            for (y, line) in out.chunks_exact_mut(width * 3).enumerate() {
                let pixels = source(y);
                let to = line.as_chunks_mut::<3>().0;
                let put = |(to, from): (&mut [T; 3], &[u8; 3])| *to = std::array::from_fn(|c| value(c, from[c]));
                if mirror {
                    to.iter_mut().zip(pixels.iter().rev()).for_each(put)
                } else {
                    to.iter_mut().zip(pixels).for_each(put)
                }
            }
        }
        Layout::Nchw => {
            let (red, rest) = out.split_at_mut(width * height);
            let (green, blue) = rest.split_at_mut(width * height);
            let planes =
                red.chunks_exact_mut(width).zip(green.chunks_exact_mut(width)).zip(blue.chunks_exact_mut(width));
            for (y, ((r, g), b)) in planes.enumerate() {
                let pixels = source(y);
                if cfg!(target_arch = "wasm32") {
                    // There parting is done byte by byte in any case.
                    let to = r.iter_mut().zip(g).zip(b);
                    let put = |(((r, g), b), from): (((&mut T, &mut T), &mut T), &[u8; 3])| {
                        (*r, *g, *b) = (value(0, from[0]), value(1, from[1]), value(2, from[2]));
                    };
                    if mirror {
                        to.zip(pixels.iter().rev()).for_each(put)
                    } else {
                        to.zip(pixels).for_each(put)
                    }
                    continue;
                }
                let stretches = r.chunks_mut(STRETCH).zip(g.chunks_mut(STRETCH)).zip(b.chunks_mut(STRETCH));
                for (number, ((r, g), b)) in stretches.enumerate() {
                    let (before, count) = (number * STRETCH, r.len());
                    let from = if mirror { width - before - count } else { before };
                    let channels = part(pixels.get(from..from + count).unwrap_or_default());
                    for (c, (to, from)) in [r, g, b].into_iter().zip(&channels).enumerate() {
                        let put = |(to, from): (&mut T, &u8)| *to = value(c, *from);
                        if mirror {
                            to.iter_mut().zip(from[..count].iter().rev()).for_each(put)
                        } else {
                            to.iter_mut().zip(from).for_each(put)
                        }
                    }
                }
            }
        }
    }
}

/// The channels of a few pixels, each by itself: quicker to part as bytes than as numbers.
#[inline(always)]
fn part(pixels: &[[u8; 3]]) -> [[u8; STRETCH]; 3] {
    let mut channels = [[0; STRETCH]; 3];
    let [red, green, blue] = &mut channels;
    for (((r, g), b), pixel) in red.iter_mut().zip(green).zip(blue).zip(pixels) {
        [*r, *g, *b] = *pixel;
    }
    channels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_normalizes_every_byte_as_torchvision_does() {
        if !fuses(Level::new()) {
            println!("skipped: this processor has no fused steps");
            return;
        }
        let odd = Normalize { mean: [0.1, 1.0 / 3.0, 0.999], std: [1e-3, 0.3, 7.7] };
        for normalize in [None, Some(&Normalize::IMAGENET), Some(&odd)] {
            assert!(Tables::new(normalize).exact, "{normalize:?}");
        }
    }

    #[test]
    fn numbers_out_of_the_reach_of_arithmetic_come_from_the_table() {
        let tables = Tables::new(Some(&Normalize { mean: [0.0; 3], std: [1e-44; 3] }));
        assert!(!tables.exact && tables.f32[0][255] == f32::INFINITY);
    }

    #[test]
    fn every_width_layout_and_mirroring_puts_each_pixel_where_it_belongs() {
        let tables = Tables::new(Some(&Normalize::IMAGENET));
        for (width, height) in [(1, 1), (3, 2), (63, 2), (64, 1), (65, 2), (130, 3), (224, 2)] {
            let stride = width * 3 + 5;
            let data: Vec<u8> = (0..stride * height + 7).map(|i| (i * 37 % 251) as u8).collect();
            let view = View { data: &data, start: 7, stride };
            for (layout, mirror, flip) in
                [Layout::Nchw, Layout::Nhwc].into_iter().flat_map(|l| (0..4).map(move |k| (l, k & 1 == 1, k & 2 == 2)))
            {
                let recipe = Recipe::new(width as u32, height as u32).layout(layout);
                let mut floats = vec![0.0; width * height * 3];
                let mut halves = vec![f16::ZERO; width * height * 3];
                let mut bytes = vec![0; width * height * 3];
                let size = (width, height);
                write(&view, size, (mirror, flip), &recipe, &tables, Out::F32(&mut floats));
                write(&view, size, (mirror, flip), &recipe, &tables, Out::F16(&mut halves));
                write(&view, size, (mirror, flip), &recipe, &tables, Out::U8(&mut bytes));
                for (y, x, c) in (0..height).flat_map(|y| (0..width).flat_map(move |x| (0..3).map(move |c| (y, x, c))))
                {
                    let at = match layout {
                        Layout::Nchw => (c * height + y) * width + x,
                        Layout::Nhwc => (y * width + x) * 3 + c,
                    };
                    let (from_y, from_x) =
                        (if flip { height - 1 - y } else { y }, if mirror { width - 1 - x } else { x });
                    let v = data[7 + from_y * stride + from_x * 3 + c];
                    assert_eq!(bytes[at], v, "{size:?} {layout:?} {mirror} {flip} at {y}, {x}, {c}");
                    assert_eq!(floats[at].to_bits(), tables.f32[c][usize::from(v)].to_bits());
                    assert_eq!(halves[at], tables.f16[c][usize::from(v)]);
                }
            }
        }
    }

    #[test]
    fn arithmetic_gives_what_the_tables_hold_for_every_level_of_every_channel() {
        let odd = Normalize { mean: [0.1, 0.777, -3.0], std: [1e-3, 0.3, 17.0] };
        for normalize in [Normalize::UNIT, Normalize::IMAGENET, odd] {
            let mut tables = Tables::new(Some(&normalize));
            let pixels: Vec<u8> = (0..=255).flat_map(|v| [v; 3]).collect();
            // With fused steps, if this processor has them, and with the division of all others.
            let fused = tables.normalizer.fused;
            for (mirror, fused) in [(false, fused), (true, fused), (false, false), (true, false)] {
                tables.normalizer.fused = fused;
                // A width that no sixteen divide, and every level.
                for (width, start) in [(251, 0), (251, 15), (5, 100)] {
                    let view = View { data: &pixels, start, stride: 0 };
                    let mut out = vec![0.0; width as usize * 3];
                    dispatch!(tables.level, simd => simd.vectorize(
                        #[inline(always)]
                        || planes(simd, &view, (width as usize, 1), (mirror, false), &tables.normalizer, &mut out)
                    ));
                    for (i, value) in out.iter().enumerate() {
                        let (c, x) = (i / width as usize, i % width as usize);
                        let x = if mirror { width as usize - 1 - x } else { x };
                        let level = usize::from(pixels[start + x * 3 + c]);
                        assert_eq!(value.to_bits(), tables.f32[c][level].to_bits(), "{level} of channel {c}");
                    }
                }
            }
        }
    }
}
