//! A picture of any size made into an image of the warehouse's, to the last bit the same on every machine.
//!
//! Triangles over all pixels that a smaller one stands for, in single precision throughout: columns first, unrounded,
//! then rows, cut to 0 to 255 and rounded, halves away from zero. Each sum is added up in the order of the pixels and
//! nothing is fused, so the width of a processor's vectors changes nothing.

use fearless_simd::{Level, Simd, dispatch};

use super::Placement;
use crate::{
    error::{Error, Result},
    image::{Picture, codes},
};

/// Rows of the result that are made at a time; they share the weights of their columns.
const ROWS: usize = 8;
/// Values of a row that are summed at a time.
const RUN: usize = 64;
/// The largest number below a half: adding it and cutting off rounds halves up, and nothing below them.
const BELOW_HALF: f32 = 0.499_999_97;
/// From here on numbers are whole, and each has the next bits.
const NO_FRACTION: f32 = 8_388_608.0;

/// Makes images, one after the other, in buffers that it keeps.
#[derive(Debug)]
pub struct Resizer {
    level: Level,
    across: Weights,
    down: Weights,
    /// Rows that were resized down.
    rows: Vec<f32>,
    /// The same, value by value side by side.
    columns: Vec<[f32; ROWS]>,
    /// Values of the result, side by side too.
    made: Vec<[u8; ROWS]>,
}

impl Default for Resizer {
    fn default() -> Self {
        Resizer {
            level: Level::new(),
            across: Weights::default(),
            down: Weights::default(),
            rows: Vec::new(),
            columns: Vec::new(),
            made: Vec::new(),
        }
    }
}

impl Resizer {
    /// Makes the image of a picture: channel by channel, row by row. `out` is its 3 × height × width values, all of
    /// which are written.
    pub fn image(&mut self, picture: &Picture<'_>, placement: &Placement, out: &mut [u8]) -> Result<()> {
        let [width, height] = placement.target.map(|side| side as usize);
        let [left, top] = placement.pad.map(|side| side as usize);
        let [across, down] = placement.resized.map(|side| side as usize);
        let refuse = |message: &str| Err(Error::new(&codes::RECIPE, message));
        if [picture.width, picture.height] != placement.source || picture.eighths != 8 {
            return refuse("the image is not the one that was placed, or not in full");
        }
        if Some(out.len()) != width.checked_mul(height).and_then(|n| n.checked_mul(3)) {
            return refuse("the image has not as many values as it has pixels of three");
        }
        if left + across > width || top + down > height {
            return refuse("the image is placed beyond the output");
        }
        if (across, down) != (width, height) {
            out.fill(0);
        }
        if across == 0 || down == 0 || picture.pixels.is_empty() {
            return Ok(());
        }
        let to = To { width, plane: width * height, first: top * width + left };
        if placement.source == placement.resized {
            copy(picture, &to, out);
            return Ok(());
        }
        self.across.make(picture.width, placement.resized[0]);
        self.down.make(picture.height, placement.resized[1]);
        let level = self.level;
        dispatch!(level, simd => simd.vectorize(
            #[inline(always)]
            || self.run(simd, picture, &to, out)
        ));
        Ok(())
    }

    #[inline(always)]
    fn run<S: Simd>(&mut self, _: S, picture: &Picture<'_>, to: &To, out: &mut [u8]) {
        let stride = picture.width as usize * 3;
        let (across, down) = (self.across.first.len(), self.down.first.len());
        // Columns are summed in whole runs, so that rows have room behind them.
        let long = stride.next_multiple_of(RUN);
        grow(&mut self.rows, ROWS * long);
        grow(&mut self.columns, long);
        grow(&mut self.made, across * 3);
        for y in (0..down).step_by(ROWS) {
            let count = ROWS.min(down - y);
            for (row, to) in (y..y + count).zip(self.rows.chunks_exact_mut(long)) {
                let (first, weights) = self.down.of(row);
                let lines = picture.pixels.get(first * stride..).unwrap_or_default();
                sum_down(lines, stride, weights, to);
            }
            turn(&self.rows, long, &mut self.columns);
            for (x, made) in self.made.as_chunks_mut::<3>().0.iter_mut().take(across).enumerate() {
                let (first, weights) = self.across.of(x);
                let columns = self.columns.get(first * 3..).unwrap_or_default();
                sum_across(columns, weights, made);
            }
            for channel in 0..3 {
                for row in 0..count {
                    let at = channel * to.plane + to.first + (y + row) * to.width;
                    let line = out.get_mut(at..at + across).unwrap_or_default();
                    for (value, made) in line.iter_mut().zip(self.made.as_chunks::<3>().0) {
                        *value = made[channel][row];
                    }
                }
            }
        }
    }
}

/// Where the picture goes in the image.
struct To {
    width: usize,
    plane: usize,
    first: usize,
}

/// A picture that has its size already.
fn copy(picture: &Picture<'_>, to: &To, out: &mut [u8]) {
    let lines = picture.pixels.chunks_exact(picture.width as usize * 3);
    for (row, line) in lines.enumerate() {
        for channel in 0..3 {
            let at = channel * to.plane + to.first + row * to.width;
            let to = out.get_mut(at..at + picture.width as usize).unwrap_or_default();
            to.iter_mut().zip(line.as_chunks::<3>().0).for_each(|(to, pixel)| *to = pixel[channel]);
        }
    }
}

/// One row of sums over the lines of a picture.
#[inline(always)]
fn sum_down(lines: &[u8], stride: usize, weights: &[f32], to: &mut [f32]) {
    let (mut at, last) = (0, stride - stride % RUN);
    while at < last {
        let mut sums = [0.0_f32; RUN];
        for (k, weight) in weights.iter().enumerate() {
            if let Some(line) = lines.get(k * stride + at..).and_then(|rest| rest.first_chunk::<RUN>()) {
                for j in 0..RUN {
                    sums[j] += f32::from(line[j]) * weight;
                }
            }
        }
        to[at..at + RUN].copy_from_slice(&sums);
        at += RUN;
    }
    for (at, to) in to.iter_mut().enumerate().take(stride).skip(last) {
        let mut sum = 0.0;
        for (k, weight) in weights.iter().enumerate() {
            sum += f32::from(lines.get(k * stride + at).copied().unwrap_or_default()) * weight;
        }
        *to = sum;
    }
}

/// Rows to columns.
#[inline(always)]
fn turn(rows: &[f32], long: usize, columns: &mut [[f32; ROWS]]) {
    let mut lines = [&rows[..0]; ROWS];
    for (line, row) in lines.iter_mut().zip(rows.chunks_exact(long)) {
        *line = row;
    }
    for block in 0..long / ROWS {
        let at = block * ROWS;
        let Some(to) = columns.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<ROWS>()) else { return };
        let mut square = [[0.0; ROWS]; ROWS];
        for (square, line) in square.iter_mut().zip(lines) {
            *square = line.get(at..).and_then(|rest| rest.first_chunk().copied()).unwrap_or_default();
        }
        for (i, to) in to.iter_mut().enumerate() {
            for (j, to) in to.iter_mut().enumerate() {
                *to = square[j][i];
            }
        }
    }
}

/// The three values of a pixel, of each row.
#[inline(always)]
fn sum_across(columns: &[[f32; ROWS]], weights: &[f32], made: &mut [[u8; ROWS]; 3]) {
    let mut sums = [[0.0_f32; ROWS]; 3];
    for (weight, pixel) in weights.iter().zip(columns.as_chunks::<3>().0) {
        for (sums, values) in sums.iter_mut().zip(pixel) {
            for j in 0..ROWS {
                sums[j] += values[j] * weight;
            }
        }
    }
    // In loops: what `map` calls is compiled for every processor, one value at a time.
    for (made, sums) in made.iter_mut().zip(&sums) {
        for j in 0..ROWS {
            made[j] = round(sums[j]);
        }
    }
}

/// To a byte, halves away from zero: the last bits of a number that has none behind the point. A conversion to integers
/// would also look for what does not fit, one value at a time.
#[inline(always)]
fn round(value: f32) -> u8 {
    ((value.clamp(0.0, 255.0) + BELOW_HALF).trunc() + NO_FRACTION).to_bits() as u8
}

fn grow<T: Clone + Default>(buffer: &mut Vec<T>, length: usize) {
    if buffer.len() < length {
        buffer.resize(length, T::default());
    }
}

/// How much of each pixel of a line goes into each pixel of the resized one.
#[derive(Debug, Default)]
struct Weights {
    made_for: (u32, u32),
    /// The first pixel, and where its weights begin and end.
    first: Vec<(usize, usize, usize)>,
    values: Vec<f32>,
}

impl Weights {
    fn make(&mut self, size: u32, out: u32) {
        if self.made_for == (size, out) {
            return;
        }
        self.made_for = (size, out);
        self.first.clear();
        self.values.clear();
        let ratio = size as f32 / out as f32;
        let reach = ratio.max(1.0);
        for i in 0..out {
            let center = (i as f32 + 0.5) * ratio;
            let low = ((center - reach).floor() as i64).clamp(0, i64::from(size) - 1);
            let high = ((center + reach).ceil() as i64).clamp(low + 1, i64::from(size));
            let begin = self.values.len();
            let center = center - 0.5;
            let mut sum = 0.0_f32;
            for pixel in low..high {
                let away = ((pixel as f32 - center) / reach).abs();
                let weight = if away < 1.0 { 1.0 - away } else { 0.0 };
                self.values.push(weight);
                sum += weight;
            }
            self.values[begin..].iter_mut().for_each(|weight| *weight /= sum);
            self.first.push((low as usize, begin, self.values.len()));
        }
    }

    #[inline(always)]
    fn of(&self, pixel: usize) -> (usize, &[f32]) {
        let (first, begin, end) = self.first.get(pixel).copied().unwrap_or_default();
        (first, self.values.get(begin..end).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{random::Draws, warehouse::ResizeMode};

    fn noise(width: u32, height: u32) -> Vec<u8> {
        let mut draw = Draws::new(u64::from(width) << 32 | u64::from(height));
        (0..width * height * 3).map(|_| draw.below(256) as u8).collect()
    }

    fn image(mode: ResizeMode, (width, height): (u32, u32), target: [u32; 2]) -> Vec<u8> {
        let pixels = noise(width, height);
        let picture = Picture::new(width, height, &pixels).unwrap();
        let placement = Placement::new(mode, [width, height], target);
        let mut out = vec![7; (target[0] * target[1] * 3) as usize];
        Resizer::default().image(&picture, &placement, &mut out).unwrap();
        out
    }

    /// The document's words, one value at a time.
    fn by_the_book((width, height): (u32, u32), target: [u32; 2]) -> Vec<u8> {
        let pixels = noise(width, height);
        let weights = |size: u32, out: u32, i: u32| {
            let (ratio, mut all) = (size as f32 / out as f32, Vec::new());
            let (s, c) = (ratio.max(1.0), (i as f32 + 0.5) * ratio);
            let from = (c - s).floor().max(0.0) as u32;
            for pixel in from..size.min((c + s).ceil() as u32).max(from + 1) {
                all.push((pixel, (1.0 - ((pixel as f32 - (c - 0.5)) / s).abs()).max(0.0)));
            }
            let sum: f32 = all.iter().map(|(_, weight)| *weight).sum();
            all.iter().map(|(pixel, weight)| (*pixel, weight / sum)).collect::<Vec<_>>()
        };
        let mut out = Vec::new();
        for channel in 0..3 {
            for y in 0..target[1] {
                let down = weights(height, target[1], y);
                for x in 0..target[0] {
                    let column = |x: u32| {
                        down.iter().fold(0.0_f32, |sum, (y, weight)| {
                            sum + f32::from(pixels[((y * width + x) * 3 + channel) as usize]) * weight
                        })
                    };
                    let across = weights(width, target[0], x);
                    let value = across.iter().fold(0.0_f32, |sum, (x, weight)| sum + column(*x) * weight);
                    out.push(value.clamp(0.0, 255.0).round() as u8);
                }
            }
        }
        out
    }

    #[test]
    fn every_size_becomes_every_other_as_the_document_says() {
        for size in [(1, 1), (2, 3), (33, 7), (40, 64), (100, 19)] {
            for target in [[1, 1], [5, 9], [33, 7], [64, 40]] {
                assert_eq!(image(ResizeMode::Force, size, target), by_the_book(size, target), "{size:?} {target:?}");
            }
        }
    }

    #[test]
    fn around_a_picture_is_black_and_a_picture_of_no_height_is_all_black() {
        let out = image(ResizeMode::Letterbox, (40, 20), [20, 20]);
        let inner = by_the_book((40, 20), [20, 10]);
        for channel in 0..3 {
            let plane = &out[channel * 400..][..400];
            assert!(plane[..100].iter().chain(&plane[300..]).all(|v| *v == 0));
            assert_eq!(plane[100..300], inner[channel * 200..][..200]);
        }
        assert!(image(ResizeMode::Letterbox, (2000, 1), [16, 16]).iter().all(|v| *v == 0));
    }

    #[test]
    fn halves_are_rounded_away_from_zero_and_nothing_else_is() {
        for level in 0..=255_u8 {
            let half = f32::from(level) + 0.5;
            for value in [half, half.next_down(), half.next_up(), f32::from(level), f32::from(level).next_up()] {
                assert_eq!(round(value), value.clamp(0.0, 255.0).round() as u8, "{value}");
            }
        }
        assert_eq!((round(-3.0), round(256.0), round(0.0_f32.next_down())), (0, 255, 0));
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let pixels = noise(2, 2);
        let picture = Picture::new(2, 2, &pixels).unwrap();
        let placement = Placement::new(ResizeMode::Force, [2, 3], [4, 4]);
        assert!(Resizer::default().image(&picture, &placement, &mut [0; 48]).is_err());
        let placement = Placement::new(ResizeMode::Force, [2, 2], [4, 4]);
        assert!(Resizer::default().image(&picture, &placement, &mut [0; 47]).is_err());
    }
}
