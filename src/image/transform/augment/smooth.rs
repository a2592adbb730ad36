//! Pixels that move to places between others: bilinear, in whole numbers.
//!
//! A place is a whole pixel and 13 bits of the way to the next one. The three channels of a pixel lie in one number, 21 bits
//! each: 8 for the level and 13 for its weight, so that one product weighs all three and no sum runs over into the next. What
//! is rounded off weights and places is a tenth of a level at most.

/// Bits behind the point of a place, and of a weight.
const BITS: u32 = 13;
const ONE: i32 = 1 << BITS;
/// Bits of a channel.
const LANE: u32 = 21;
/// A half in every channel.
const HALVES: u64 = (1 << (BITS - 1)) * (1 | 1 << LANE | 1 << (2 * LANE));

/// What pixels are taken of.
pub(super) struct Picture<'a> {
    pub(super) pixels: &'a [[u8; 3]],
    pub(super) size: (u32, u32),
    pub(super) fill: [u8; 3],
}

/// A place in a picture in parts of a pixel.
pub(super) type Place = (i32, i32);

/// A number of pixels as a place; what is far away, or not a number, is as outside as what is two pixels off.
#[inline(always)]
pub(super) fn place(at: f32, most: f32) -> i32 {
    // Shifted into numbers above 0, where cutting off rounds down.
    ((at.max(-2.0).min(most + 1.0) + 2.0) * ONE as f32 + 0.5) as i32 - 2 * ONE
}

impl Picture<'_> {
    /// Gives each pixel of a run the color of its place, of which some may be outside.
    #[inline(always)]
    pub(super) fn smooth(&self, to: &mut [[u8; 3]], places: impl Iterator<Item = Place>) {
        let (width, bytes) = (self.size.0, self.pixels.as_flattened());
        let long = width as usize * 3;
        for (to, (u, v)) in to.iter_mut().zip(places) {
            let (x, y) = (u >> BITS, v >> BITS);
            let (right, lower) = ((u & (ONE - 1)) as u64, (v & (ONE - 1)) as u64);
            let found = || {
                // As unsigned numbers, what is before the first column is behind the last.
                let inside = (x as u32) < width.wrapping_sub(1) && y >= 0;
                let at = if inside { y as usize * long + x as usize * 3 } else { usize::MAX };
                let upper = bytes.get(at..)?;
                Some((two(upper)?, two(upper.get(long..)?)?))
            };
            *to = match found() {
                Some(((a, b), (c, d))) => {
                    let both = (right * lower + (1 << (BITS - 1))) >> BITS;
                    let weights = [ONE as u64 + both - right - lower, right - both, lower - both, both];
                    let sum = a * weights[0] + b * weights[1] + c * weights[2] + d * weights[3] + HALVES;
                    let level = |k: u32| (sum >> (k * LANE + BITS)) as u8;
                    [level(0), level(1), level(2)]
                }
                None if x < -1 || y < -1 || x >= width as i32 || y >= self.size.1 as i32 => self.fill,
                None => {
                    let part = |parts: u64| parts as f32 / ONE as f32;
                    let (right, lower) = (part(right), part(lower));
                    let (left, upper) = (1.0 - right, 1.0 - lower);
                    self.at_the_edge((x, y), [left * upper, right * upper, left * lower, right * lower])
                }
            };
        }
    }
}

/// Two pixels with their channels apart, if there are eight bytes.
#[inline(always)]
fn two(bytes: &[u8]) -> Option<(u64, u64)> {
    let both = u64::from_le_bytes(*bytes.first_chunk()?);
    let apart = |pixel: u64| (pixel & 0xff) | (pixel & 0xff00) << (LANE - 8) | (pixel & 0xff_0000) << (2 * LANE - 16);
    Some((apart(both), apart(both >> 24)))
}

/// A straight line of places: where it begins, and how far each is from the one before it, in parts of 2^-32 pixels.
#[derive(Clone, Copy)]
pub(super) struct Line {
    at: (i64, i64),
    step: (i64, i64),
}

impl Line {
    /// The places of a row of that many pixels, the first at `at`; none where one of them is too far away for the numbers.
    pub(super) fn new(at: (f64, f64), step: (f64, f64), count: usize) -> Option<Line> {
        let reach = |at: f64, step: f64| at.abs() + step.abs() * count as f64;
        if !(reach(at.0, step.0) < FAR && reach(at.1, step.1) < FAR) {
            return None;
        }
        let parts = |pixels: f64| (pixels * UNIT).round_ties_even() as i64;
        // Rounded to the parts of a place, and not cut off.
        let half = 1_i64 << (31 - BITS);
        Some(Line { at: (parts(at.0) + half, parts(at.1) + half), step: (parts(step.0), parts(step.1)) })
    }

    #[inline(always)]
    pub(super) fn places(self) -> impl Iterator<Item = Place> {
        let Line { mut at, step } = self;
        std::iter::repeat_with(move || {
            let place = ((at.0 >> (32 - BITS)) as i32, (at.1 >> (32 - BITS)) as i32);
            at = (at.0 + step.0, at.1 + step.1);
            place
        })
    }
}

/// Farther away than this a place in 13 parts of a pixel does not fit 32 bits.
const FAR: f64 = (1 << (31 - BITS)) as f64 - 2.0;
const UNIT: f64 = (1_u64 << 32) as f64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_the_mean_of_its_four_pixels() {
        let (width, height) = (7_u32, 5_u32);
        let pixels: Vec<[u8; 3]> = (0..width * height)
            .map(|i| [(i * 91) as u8, (i * i * 7) as u8, if i % 2 == 0 { 255 } else { 0 }])
            .collect();
        for fill in [[0; 3], [9, 200, 255]] {
            let picture = Picture { pixels: &pixels, size: (width, height), fill };
            for (i, j) in (-20..180).flat_map(|i| (-20..130).map(move |j| (i, j))) {
                let (x, y) = (f64::from(i) / 23.0, f64::from(j) / 19.0);
                let mut found = [[0; 3]];
                picture.smooth(&mut found, [(place(x as f32, 7.0), place(y as f32, 5.0))].into_iter());
                let mut line = [[0; 3]];
                picture.smooth(&mut line, Line::new((x, y), (1.0, 0.0), 1).unwrap().places());
                let near = |at: f64, k: u32| {
                    (at.floor() as i64 + i64::from(k), (1.0 - (at - at.floor() - f64::from(k)).abs()))
                };
                for c in 0..3 {
                    let (mut sum, mut shown) = (0.0, 0.0);
                    for (k, l) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                        let ((u, a), (v, b)) = (near(x, k), near(y, l));
                        if (0..7).contains(&u) && (0..5).contains(&v) {
                            sum += f64::from(pixels[(v * 7 + u) as usize][c]) * a * b;
                            shown += a * b;
                        }
                    }
                    // As torchvision fills it.
                    let wanted =
                        if fill == [0; 3] { sum } else { (sum - f64::from(fill[c])) * shown + f64::from(fill[c]) };
                    let wanted = if (-1.0..7.0).contains(&x) && (-1.0..5.0).contains(&y) {
                        wanted.clamp(0.0, 255.0)
                    } else {
                        f64::from(fill[c])
                    };
                    for got in [found[0][c], line[0][c]] {
                        assert!((f64::from(got) - wanted).abs() < 0.7, "{got} {wanted} at {x} {y} of {c}");
                    }
                }
            }
        }
    }

    #[test]
    fn far_places_are_outside() {
        assert!(Line::new((f64::NAN, 0.0), (1.0, 0.0), 3).is_none());
        assert!(Line::new((0.0, 0.0), (1e9, 0.0), 3).is_none());
        for far in [f32::NAN, f32::INFINITY, -1e30] {
            let at = place(far, 10.0) >> BITS;
            assert!(at == -2 || at == 11, "{at}");
        }
    }
}
