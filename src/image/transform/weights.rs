//! How much of each pixel goes into each pixel of a resized line.

/// A filter as a function of the distance in pixels, and how far it reaches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filter {
    at: fn(f64) -> f64,
    reach: f64,
    /// Made wider where the picture becomes smaller, so that no pixel is passed over: antialiasing.
    widens: bool,
}

impl Filter {
    pub(super) const BILINEAR: Filter = Filter { at: triangle, reach: 1.0, widens: true };
    pub(super) const BILINEAR_PLAIN: Filter = Filter { at: triangle, reach: 1.0, widens: false };
    pub(super) const BICUBIC: Filter = Filter { at: catmull_rom, reach: 2.0, widens: true };
    pub(super) const LANCZOS: Filter = Filter { at: lanczos, reach: 3.0, widens: true };
}

fn triangle(x: f64) -> f64 {
    (1.0 - x.abs()).max(0.0)
}

/// The cubic through its neighbours (a = -0.5), which is Pillow's.
fn catmull_rom(x: f64) -> f64 {
    let x = x.abs();
    if x < 1.0 {
        (1.5 * x - 2.5) * x * x + 1.0
    } else if x < 2.0 {
        ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    } else {
        0.0
    }
}

fn lanczos(x: f64) -> f64 {
    let wave = |x: f64| if x == 0.0 { 1.0 } else { (std::f64::consts::PI * x).sin() / (std::f64::consts::PI * x) };
    if x.abs() < 3.0 { wave(x) * wave(x / 3.0) } else { 0.0 }
}

/// The weights of one direction: for each pixel of the result, so many neighbours in a row, and from which on. All have
/// as many, some of which may weigh nothing, so that loops over them need not be told. Its memory is used again.
#[derive(Debug, Default)]
pub(super) struct Weights {
    /// The most neighbours that a pixel has; at least one.
    pub(super) taps: usize,
    /// Pairs of them.
    pub(super) pairs: usize,
    /// The first neighbour of each.
    pub(super) first: Vec<usize>,
    /// `pairs` for each: two weights of 16 bits, the first in the lower half.
    pub(super) values: Vec<i32>,
    /// How many bits of the weights are a fraction: those of each pixel add up to 1 << bits.
    pub(super) bits: u32,
    exact: Vec<f64>,
    /// How many of `exact` each pixel has.
    counts: Vec<usize>,
}

/// More fractional bits might bring sums to more than 32 bits.
const MOST_BITS: u32 = 21;

/// 1.5 × 2^52.
const ROUNDS: f64 = 6_755_399_441_055_744.0;

impl Weights {
    /// Makes the weights that bring `span` pixels from `from` on, of a line of `size`, to `out` pixels, the last one first
    /// where `mirrored`.
    pub(super) fn set(&mut self, size: u32, (from, span): (f64, f64), out: u32, filter: &Filter, mirrored: bool) {
        let scale = span / f64::from(out.max(1));
        let wide = if filter.widens { scale.max(1.0) } else { 1.0 };
        let (reach, narrow) = (filter.reach * wide, 1.0 / wide);
        let size = size.max(1);
        self.first.clear();
        self.counts.clear();
        self.exact.clear();
        self.taps = 1;
        let mut largest = 0.0_f64;
        for i in 0..out {
            let x = if mirrored { out - 1 - i } else { i };
            let center = from + (f64::from(x) + 0.5) * scale;
            // Conversions cut off; functions that round are calls where the processor is not known to have them.
            let low = ((center - reach).max(0.0) as u32).min(size - 1);
            let end = (center + reach).min(f64::from(size));
            let high = (end as u32 + u32::from(end > f64::from(end as u32))).max(low + 1);
            let begin = self.exact.len();
            let (mut first, mut sum) = (low, 0.0);
            for pixel in low..high {
                let weight = (filter.at)((f64::from(pixel) + 0.5 - center) * narrow);
                // Neighbours at both ends that weigh nothing are left out.
                if weight == 0.0 && pixel == first && first + 1 < high {
                    first += 1;
                } else {
                    self.exact.push(weight);
                    sum += weight;
                }
            }
            while self.exact.len() > begin + 1 && self.exact.last() == Some(&0.0) {
                self.exact.pop();
            }
            let share = if sum == 0.0 { 1.0 } else { 1.0 / sum };
            for weight in self.exact.iter_mut().skip(begin) {
                *weight *= share;
                largest = largest.max(weight.abs());
            }
            let count = self.exact.len() - begin;
            self.taps = self.taps.max(count);
            self.first.push(first as usize);
            self.counts.push(count);
        }
        // As many bits as the largest weight leaves room for.
        self.bits = MOST_BITS;
        while self.bits > 1 && largest * f64::from(1 << self.bits) > 32766.0 {
            self.bits -= 1;
        }
        self.even_out(size as usize);
    }

    /// Gives each pixel as many neighbours, none of them outside the line, and brings the weights to whole numbers.
    fn even_out(&mut self, size: usize) {
        let (taps, one) = (self.taps, f64::from(1 << self.bits));
        self.pairs = taps.div_ceil(2);
        self.values.clear();
        self.values.resize(self.pairs * self.first.len(), 0);
        let mut exact = self.exact.as_slice();
        let each = self.first.iter_mut().zip(&self.counts).zip(self.values.chunks_exact_mut(self.pairs));
        for ((first, count), to) in each {
            let (own, rest) = exact.split_at_checked(*count).unwrap_or_default();
            exact = rest;
            let over = (*first + taps).saturating_sub(size).min(*first);
            *first -= over;
            // Sums are rounded, not weights: so these add up to one exactly, and what is of one color stays so.
            let (mut sum, mut before) = (0.0, 0);
            for (i, weight) in own.iter().enumerate() {
                sum += weight;
                // Behind this number floats have no room for parts, so that adding it rounds, into the lowest bits.
                let now = (sum * one + ROUNDS).to_bits() as i32;
                if let Some(pair) = to.get_mut((over + i) / 2) {
                    *pair |= ((now - before) & 0xffff) << ((over + i) % 2 * 16);
                }
                before = now;
            }
        }
    }

    /// Repeats the last pixel until there are a multiple of so many.
    pub(super) fn fill_up(&mut self, multiple: usize) {
        let count = self.first.len();
        let more = count.next_multiple_of(multiple) - count;
        let (first, last) =
            (self.first.last().copied().unwrap_or(0), self.values.len() - self.pairs.min(self.values.len()));
        self.first.resize(count + more, first);
        for _ in 0..more {
            self.values.extend_from_within(last..last + self.pairs);
        }
    }

    /// From the first neighbour that any pixel has to behind the last.
    pub(super) fn reach(&self) -> std::ops::Range<usize> {
        let first = self.first.iter().min().copied().unwrap_or(0);
        first..self.first.iter().max().copied().unwrap_or(0) + self.taps
    }
    /// The first neighbour of a pixel, and what each pair weighs.
    pub(super) fn of(&self, pixel: usize) -> (usize, &[i32]) {
        let values = self.values.get(pixel * self.pairs..(pixel + 1) * self.pairs).unwrap_or_default();
        (self.first.get(pixel).copied().unwrap_or(0), values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_whole_and_stay_inside_whatever_is_asked() {
        let mut weights = Weights::default();
        let filters = [Filter::BILINEAR, Filter::BILINEAR_PLAIN, Filter::BICUBIC, Filter::LANCZOS];
        for size in [1_u32, 2, 3, 7, 100, 1000] {
            for out in [1, 2, 5, 224] {
                for (from, span) in [(0.0, 1.0), (0.3, 0.4), (0.0, 1e-3), (0.999, 1e-3), (0.5, 0.5)] {
                    for filter in &filters {
                        let line = f64::from(size);
                        weights.set(size, (from * line, span * line), out, filter, false);
                        assert!(weights.reach().end <= size as usize, "{size} {out} {from} {span} {filter:?}");
                        for pixel in 0..out as usize {
                            let (_, pairs) = weights.of(pixel);
                            let sum: i32 = pairs.iter().map(|pair| i32::from(*pair as i16) + (pair >> 16)).sum();
                            assert_eq!(sum, 1 << weights.bits, "{size} {out} {from} {span} {filter:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn pixels_that_fall_on_pixels_are_taken_as_they_are() {
        let mut weights = Weights::default();
        for filter in [Filter::BILINEAR, Filter::BILINEAR_PLAIN, Filter::BICUBIC] {
            weights.set(10, (2.0, 5.0), 5, &filter, false);
            assert_eq!((weights.taps, &weights.first[..]), (1, &[2, 3, 4, 5, 6][..]));
            assert!(weights.values.iter().all(|&weight| weight == 1 << weights.bits));
            weights.set(10, (2.0, 5.0), 5, &filter, true);
            assert_eq!(weights.first, [6, 5, 4, 3, 2]);
        }
    }
}
