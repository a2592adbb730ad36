//! How much of each pixel goes into each pixel of a resized line.

/// A filter: a function of the distance in pixels, and how far it reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filter {
    Bilinear,
    /// As far as one pixel, however much smaller the picture becomes.
    BilinearPlain,
    Bicubic,
    Lanczos,
}

impl Filter {
    fn reach(self) -> f64 {
        match self {
            Filter::Bilinear | Filter::BilinearPlain => 1.0,
            Filter::Bicubic => 2.0,
            Filter::Lanczos => 3.0,
        }
    }
}

fn triangle(x: f64) -> f64 {
    (1.0 - x.abs()).max(0.0)
}

/// The cubic through its neighbors (a = -0.5), which is Pillow's.
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

/// What weights are made for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    /// Pixels of the line.
    pub(super) size: u32,
    /// The part of it: where it begins, and how long it is.
    pub(super) from: f64,
    pub(super) length: f64,
    /// Pixels of the result.
    pub(super) out: u32,
    pub(super) filter: Filter,
    /// The last pixel of the result comes first.
    pub(super) mirrored: bool,
    /// The last pixel is repeated until the number of pixels is a multiple of this.
    pub(super) multiple: usize,
}

/// Weights that were made lately: pictures of a few sizes that are resized whole share theirs.
#[derive(Debug, Default)]
pub(super) struct Recent {
    kept: [(Option<Span>, Weights); 4],
    /// Which of them are in use, and which were made last.
    current: usize,
    last: usize,
}

impl Recent {
    /// Takes weights that there are, or makes them where the oldest are.
    pub(super) fn take(&mut self, span: Span) {
        if let Some(found) = self.kept.iter().position(|(made_for, _)| *made_for == Some(span)) {
            self.current = found;
            return;
        }
        self.last = (self.last + 1) % self.kept.len();
        self.current = self.last;
        let (made_for, weights) = &mut self.kept[self.current];
        weights.make(&span);
        *made_for = Some(span);
    }

    /// Those that were taken.
    pub(super) fn current(&self) -> &Weights {
        &self.kept[self.current].1
    }
}

/// The weights of one direction: for each pixel of the result, several neighbors in a row, and from which on. All have
/// as many, some of which may weigh nothing, so that loops over them need not be told. Its memory is used again.
#[derive(Debug, Default)]
pub(super) struct Weights {
    /// The most neighbors that a pixel has; at least one.
    pub(super) taps: usize,
    /// Pairs of them.
    pub(super) pairs: usize,
    /// The first neighbor of each.
    pub(super) first: Vec<usize>,
    /// `pairs` for each: two weights of 16 bits, the first in the lower half.
    pub(super) values: Vec<i32>,
    /// How many bits of the weights are a fraction: those of each pixel add up to 1 << bits.
    pub(super) bits: u32,
    /// As many for each pixel as the filter can reach.
    exact: Vec<f64>,
    /// Which of `exact` each pixel has, from its own first one on.
    own: Vec<(usize, usize)>,
}

/// More fractional bits might bring sums to more than 32 bits.
const MOST_BITS: u32 = 21;

/// 1.5 × 2^52.
const ROUNDS: f64 = 6_755_399_441_055_744.0;

impl Weights {
    fn make(&mut self, span: &Span) {
        // Each filter has a loop of its own, in which it is inlined.
        match span.filter {
            Filter::Bilinear | Filter::BilinearPlain => self.make_by(span, triangle),
            Filter::Bicubic => self.make_by(span, catmull_rom),
            Filter::Lanczos => self.make_by(span, lanczos),
        }
        self.fill_up(span.multiple);
    }

    #[inline(always)]
    fn make_by(&mut self, span: &Span, at: impl Fn(f64) -> f64) {
        let scale = span.length / f64::from(span.out.max(1));
        // Made wider where the picture becomes smaller, so that no pixel is passed over: antialiasing.
        let wide = if span.filter == Filter::BilinearPlain { 1.0 } else { scale.max(1.0) };
        let (reach, narrow) = (span.filter.reach() * wide, 1.0 / wide);
        let size = span.size.max(1);
        // From the first to behind the last, each rounded outwards.
        let most = ((2.0 * reach).min(f64::from(size)) as usize).saturating_add(2);
        self.first.clear();
        self.own.clear();
        let room = most.saturating_mul(span.out as usize);
        if self.exact.len() < room {
            self.exact.resize(room, 0.0);
        }
        self.taps = 1;
        let mut largest = 0.0_f64;
        for (i, row) in (0..span.out).zip(self.exact.chunks_exact_mut(most)) {
            let x = if span.mirrored { span.out - 1 - i } else { i };
            let center = span.from + (f64::from(x) + 0.5) * scale;
            // Conversions cut off; functions that round are calls where the processor is not known to have them.
            let low = ((center - reach).max(0.0) as u32).min(size - 1);
            let end = (center + reach).min(f64::from(size));
            let high = (end as u32 + u32::from(end > f64::from(end as u32))).max(low + 1);
            let count = ((high - low) as usize).min(most);
            let row = row.get_mut(..count).unwrap_or_default();
            for (pixel, weight) in (low..high).zip(row.iter_mut()) {
                *weight = at((f64::from(pixel) + 0.5 - center) * narrow);
            }
            // Neighbors at both ends that weigh nothing are left out.
            let skipped = row.iter().take(count - 1).take_while(|weight| **weight == 0.0).count();
            let behind = row.iter().skip(skipped + 1).rev().take_while(|weight| **weight == 0.0).count();
            let row = row.get_mut(skipped..count - behind).unwrap_or_default();
            let sum: f64 = row.iter().sum();
            let share = if sum == 0.0 { 1.0 } else { 1.0 / sum };
            for weight in row.iter_mut() {
                *weight *= share;
                largest = largest.max(weight.abs());
            }
            self.taps = self.taps.max(row.len());
            self.first.push(low as usize + skipped);
            self.own.push((i as usize * most + skipped, row.len()));
        }
        // As many bits as the largest weight leaves room for.
        self.bits = MOST_BITS;
        while self.bits > 1 && largest * f64::from(1 << self.bits) > 32766.0 {
            self.bits -= 1;
        }
        self.even_out(size as usize);
    }

    /// Gives each pixel as many neighbors, none of them outside the line, and brings the weights to whole numbers.
    fn even_out(&mut self, size: usize) {
        let (taps, one) = (self.taps, f64::from(1 << self.bits));
        self.pairs = taps.div_ceil(2);
        self.values.clear();
        self.values.resize(self.pairs * self.first.len(), 0);
        let each = self.first.iter_mut().zip(&self.own).zip(self.values.chunks_exact_mut(self.pairs));
        for ((first, (begin, count)), to) in each {
            let own = self.exact.get(*begin..begin + count).unwrap_or_default();
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

    /// Repeats the last pixel until the number of pixels is a multiple of this.
    fn fill_up(&mut self, multiple: usize) {
        let count = self.first.len();
        let more = count.next_multiple_of(multiple) - count;
        let (first, last) =
            (self.first.last().copied().unwrap_or(0), self.values.len() - self.pairs.min(self.values.len()));
        self.first.resize(count + more, first);
        for _ in 0..more {
            self.values.extend_from_within(last..last + self.pairs);
        }
    }

    /// From the first neighbor that any pixel has to behind the last.
    pub(super) fn reach(&self) -> std::ops::Range<usize> {
        let first = self.first.iter().min().copied().unwrap_or(0);
        first..self.first.iter().max().copied().unwrap_or(0) + self.taps
    }
    /// The first neighbor of a pixel, and what each pair weighs.
    pub(super) fn of(&self, pixel: usize) -> (usize, &[i32]) {
        let values = self.values.get(pixel * self.pairs..(pixel + 1) * self.pairs).unwrap_or_default();
        (self.first.get(pixel).copied().unwrap_or(0), values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILTERS: [Filter; 4] = [Filter::Bilinear, Filter::BilinearPlain, Filter::Bicubic, Filter::Lanczos];

    fn span(size: u32, (from, length): (f64, f64), out: u32, filter: Filter, mirrored: bool) -> Span {
        Span { size, from, length, out, filter, mirrored, multiple: 1 }
    }

    #[test]
    fn weights_are_whole_and_stay_inside_whatever_is_asked() {
        let mut recent = Recent::default();
        for size in [1_u32, 2, 3, 7, 100, 1000] {
            for out in [1, 2, 5, 224] {
                for (from, length) in [(0.0, 1.0), (0.3, 0.4), (0.0, 1e-3), (0.999, 1e-3), (0.5, 0.5)] {
                    for filter in FILTERS {
                        let line = f64::from(size);
                        recent.take(span(size, (from * line, length * line), out, filter, false));
                        let weights = recent.current();
                        assert!(weights.reach().end <= size as usize, "{size} {out} {from} {length} {filter:?}");
                        for pixel in 0..out as usize {
                            let (_, pairs) = weights.of(pixel);
                            let sum: i32 = pairs.iter().map(|pair| i32::from(*pair as i16) + (pair >> 16)).sum();
                            assert_eq!(sum, 1 << weights.bits, "{size} {out} {from} {length} {filter:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn pixels_that_fall_on_pixels_are_taken_as_they_are() {
        let mut weights = Weights::default();
        for filter in [Filter::Bilinear, Filter::BilinearPlain, Filter::Bicubic] {
            weights.make(&span(10, (2.0, 5.0), 5, filter, false));
            assert_eq!((weights.taps, &weights.first[..]), (1, &[2, 3, 4, 5, 6][..]));
            assert!(weights.values.iter().all(|&weight| weight == 1 << weights.bits));
            weights.make(&span(10, (2.0, 5.0), 5, filter, true));
            assert_eq!(weights.first, [6, 5, 4, 3, 2]);
        }
    }

    #[test]
    fn kept_weights_are_those_that_would_be_made_anew() {
        let mut recent = Recent::default();
        // More kinds than are kept, in an order in which some are found and some are not.
        let kinds: Vec<Span> = (0..7_u32)
            .map(|i| {
                let (filter, part) = (FILTERS[i as usize % 4], (f64::from(i) * 0.5, 60.0 - f64::from(i)));
                Span { multiple: 16, ..span(64 + i % 3, part, 30 + i % 2, filter, i % 2 == 1) }
            })
            .collect();
        for i in [0, 1, 0, 2, 3, 1, 4, 5, 6, 0, 0, 6, 3, 2, 1, 5] {
            let mut fresh = Weights::default();
            fresh.make(&kinds[i]);
            recent.take(kinds[i]);
            let kept = recent.current();
            assert_eq!((&kept.first, &kept.values, kept.bits), (&fresh.first, &fresh.values, fresh.bits), "{i}");
            assert_eq!((kept.taps, kept.pairs), (fresh.taps, fresh.pairs));
        }
    }
}
