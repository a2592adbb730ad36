//! Resizing a part of a picture.
//!
//! Sums are of floats and rounded once, where Pillow has whole numbers and rounds twice: the results are within one
//! level of each other. Each sum is added up in an order that is written here, without fused steps, so that every
//! processor, and WebAssembly, has the same pixels. The loops are plain and compiled once for each of the processor's vector
//! widths; nothing is allocated once the buffers have their sizes.

use fearless_simd::{Level, Simd, dispatch};

use super::{
    Rect, Resampling,
    weights::{Filter, Weights},
};
use crate::{
    error::{Error, Result},
    image::{Picture, codes},
};

/// Floats of a line that are worked on at a time, so that they stay near.
const STRETCH: usize = 1536;

/// The buffers of a resizer.
#[derive(Debug, Default)]
pub(super) struct Resizing {
    across: Weights,
    down: Weights,
    /// One line before it is resized across, with one more number, since pixels are read four numbers at a time.
    line: Vec<f32>,
    /// One line after that, with one more number, since pixels are written so too.
    row: Vec<f32>,
    /// Lines that were resized across but not yet down.
    lines: Vec<u8>,
}

impl Resizing {
    /// Resizes a part of a picture to `w` × `h` pixels, which is all that the target holds.
    pub(super) fn resize(
        &mut self,
        picture: &Picture<'_>,
        source: &Rect,
        resampling: Resampling,
        (target, w, h): (&mut [u8], u32, u32),
    ) -> Result<()> {
        let stride = picture.width as usize * 3;
        if picture.pixels.len() < stride * picture.height as usize || target.len() < w as usize * h as usize * 3 {
            return Err(Error::new(&codes::RECIPE, "the picture or the target is smaller than it says"));
        }
        // Whether sums leave the range of a byte.
        let (filter, overshoots) = match resampling {
            Resampling::Nearest => {
                nearest(picture, source, (target, w, h));
                return Ok(());
            }
            Resampling::Bilinear => (Filter::BILINEAR, false),
            Resampling::BilinearPlain => (Filter::BILINEAR_PLAIN, false),
            Resampling::Bicubic => (Filter::BICUBIC, true),
            Resampling::Lanczos => (Filter::LANCZOS, true),
        };
        self.across.set(picture.width, (source.x, source.width), w, &filter);
        self.down.set(picture.height, (source.y, source.height), h, &filter);
        let width = w as usize * 3;
        self.row.resize(width + 1, 0.0);
        let level = Level::new();
        if overshoots {
            // Pillow goes across first and clips between the two: another picture, by up to a dozen levels, than the
            // other way round.
            dispatch!(level, simd => simd.vectorize(#[inline(always)] || self.across_first(picture.pixels, stride, target, width)));
        } else {
            dispatch!(level, simd => simd.vectorize(#[inline(always)] || self.down_first(picture.pixels, stride, target, width)));
        }
        Ok(())
    }

    /// Down first reads the picture in long lines, and only once goes from pixel to pixel.
    #[inline(always)]
    fn down_first(&mut self, pixels: &[u8], stride: usize, target: &mut [u8], width: usize) {
        let columns = self.across.reach();
        let (left, count) = (columns.start * 3, columns.len() * 3);
        self.line.resize(count + 1, 0.0);
        for (y, out) in target.chunks_exact_mut(width).enumerate() {
            let (first, weights) = self.down.of(y);
            let line = self.line.get_mut(..count).unwrap_or_default();
            let source = |k: usize| part(pixels, (first + k) * stride + left, count);
            down(line, source, weights);
            across(&self.line, &self.across, columns.start, &mut self.row);
            round(&self.row, out);
        }
    }

    #[inline(always)]
    fn across_first(&mut self, pixels: &[u8], stride: usize, target: &mut [u8], width: usize) {
        let (rows, columns) = (self.down.reach(), self.across.reach());
        let (left, count) = (columns.start * 3, columns.len() * 3);
        self.line.resize(count + 1, 0.0);
        self.lines.resize(rows.len() * width, 0);
        for (y, out) in rows.clone().zip(self.lines.chunks_exact_mut(width)) {
            let source = part(pixels, y * stride + left, count);
            self.line.iter_mut().zip(source).for_each(|(to, from)| *to = f32::from(*from));
            across(&self.line, &self.across, columns.start, &mut self.row);
            round(&self.row, out);
        }
        for (y, out) in target.chunks_exact_mut(width).enumerate() {
            let (first, weights) = self.down.of(y);
            let line = self.row.get_mut(..width).unwrap_or_default();
            down(line, |k| part(&self.lines, (first - rows.start + k) * width, width), weights);
            round(line, out);
        }
    }
}

#[inline(always)]
fn part(bytes: &[u8], start: usize, count: usize) -> &[u8] {
    bytes.get(start..start + count).unwrap_or_default()
}

/// The weighted sum of lines.
#[inline(always)]
fn down<'a>(line: &mut [f32], source: impl Fn(usize) -> &'a [u8], weights: &[f32]) {
    for (number, stretch) in line.chunks_mut(STRETCH).enumerate() {
        let count = stretch.len();
        let rows = |k: usize| part(source(k), number * STRETCH, count);
        // Four lines at a time, so that the sum is loaded and stored less often.
        let (fours, rest) = weights.as_chunks::<4>();
        let mut k = 0;
        stretch.fill(0.0);
        for four in fours {
            add(stretch, std::array::from_fn(|i| rows(k + i)), *four);
            k += 4;
        }
        match *rest {
            [a] => add(stretch, [rows(k)], [a]),
            [a, b] => add(stretch, [rows(k), rows(k + 1)], [a, b]),
            [a, b, c] => add(stretch, [rows(k), rows(k + 1), rows(k + 2)], [a, b, c]),
            _ => {}
        }
    }
}

#[inline(always)]
fn add<const N: usize>(sums: &mut [f32], rows: [&[u8]; N], weights: [f32; N]) {
    let count = rows.iter().fold(sums.len(), |least, row| least.min(row.len()));
    let (sums, rows) = (&mut sums[..count], rows.map(|row| &row[..count]));
    for i in 0..count {
        let mut sum = sums[i];
        for n in 0..N {
            sum += weights[n] * f32::from(rows[n][i]);
        }
        sums[i] = sum;
    }
}

/// The weighted sums of neighbouring pixels of a line that begins at pixel `left` of the picture.
#[inline(always)]
fn across(line: &[f32], weights: &Weights, left: usize, row: &mut [f32]) {
    match weights.taps {
        1 => across_by::<1>(line, weights, left, row),
        2 => across_by::<2>(line, weights, left, row),
        3 => across_by::<3>(line, weights, left, row),
        4 => across_by::<4>(line, weights, left, row),
        5 => across_by::<5>(line, weights, left, row),
        6 => across_by::<6>(line, weights, left, row),
        7 => across_by::<7>(line, weights, left, row),
        8 => across_by::<8>(line, weights, left, row),
        _ => across_by_any(line, weights, left, row),
    }
}

/// So many neighbours, which the compiler knows.
#[inline(always)]
fn across_by<const TAPS: usize>(line: &[f32], weights: &Weights, left: usize, row: &mut [f32]) {
    let each = weights.first.iter().zip(weights.values.as_chunks::<TAPS>().0);
    for (x, (first, values)) in each.enumerate() {
        let start = (first - left) * 3;
        let (Some(from), Some(to)) = (line.get(start..start + TAPS * 3 + 1), row.get_mut(x * 3..x * 3 + 4)) else {
            return;
        };
        // Three numbers of the pixel, and one of the next one's, which is written over.
        let mut sums = [0.0_f32; 4];
        for k in 0..TAPS {
            for c in 0..4 {
                sums[c] += values[k] * from[k * 3 + c];
            }
        }
        to.copy_from_slice(&sums);
    }
}

#[inline(always)]
fn across_by_any(line: &[f32], weights: &Weights, left: usize, row: &mut [f32]) {
    let taps = weights.taps;
    for (x, (first, values)) in weights.first.iter().zip(weights.values.chunks_exact(taps)).enumerate() {
        let start = (first - left) * 3;
        let (Some(from), Some(to)) = (line.get(start..start + taps * 3 + 1), row.get_mut(x * 3..x * 3 + 4)) else {
            return;
        };
        let mut sums = [0.0_f32; 4];
        for (value, from) in values.iter().zip(from.windows(4).step_by(3)) {
            for c in 0..4 {
                sums[c] += value * from[c];
            }
        }
        to.copy_from_slice(&sums);
    }
}

/// Floats to bytes: the nearest, and of two as near the even one.
#[inline(always)]
fn round(row: &[f32], out: &mut [u8]) {
    // Behind this number floats have no room for parts, so that adding it rounds, into the lowest bits.
    const ROUNDS: f32 = 8_388_608.0;
    for (to, value) in out.iter_mut().zip(row) {
        *to = (value.clamp(0.0, 255.0) + ROUNDS).to_bits() as u8;
    }
}

/// Each pixel is the one that lies under its middle.
fn nearest(picture: &Picture<'_>, source: &Rect, (target, w, h): (&mut [u8], u32, u32)) {
    let under = |from: f64, span: f64, i: usize, n: u32, size: u32| {
        let at = from + span / f64::from(n) * (i as f64 + 0.5);
        (at.max(0.0) as usize).min(size.saturating_sub(1) as usize)
    };
    for (y, line) in target.chunks_exact_mut(w as usize * 3).take(h as usize).enumerate() {
        let row = under(source.y, source.height, y, h, picture.height) * picture.width as usize;
        for (x, to) in line.as_chunks_mut::<3>().0.iter_mut().enumerate() {
            let at = (row + under(source.x, source.width, x, w, picture.width)) * 3;
            if let Some(from) = picture.pixels.get(at..at + 3) {
                to.copy_from_slice(from);
            }
        }
    }
}
