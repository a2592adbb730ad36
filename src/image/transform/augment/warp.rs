//! Pixels that move: each pixel of the result is looked up where it came from.
//!
//! Coordinates are calculated with torchvision's roundings, 32-bit floats and sums of products that are rounded once, so
//! that where a pixel lies in the middle between two, the same one is taken.

use fearless_simd::{Level, dispatch, prelude::*};

use super::{
    super::{Map, Resampling},
    Canvas,
    smooth::{Line, Picture, place},
};

/// Where the pixels of the result come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Back {
    /// Two rows, around the middle of the picture.
    Affine([f64; 6]),
    /// Eight coefficients, from the upper left corner.
    Perspective([f64; 8]),
}

impl Back {
    /// The same as a map.
    pub(super) fn map(&self, (width, height): (u32, u32)) -> Map {
        match *self {
            Back::Affine([a, b, c, d, e, f]) => {
                let (x, y) = (f64::from(width) * 0.5, f64::from(height) * 0.5);
                Map::affine([[a, b, c + x - a * x - b * y], [d, e, f + y - d * x - e * y]])
            }
            Back::Perspective([a, b, c, d, e, f, g, h]) => Map::perspective([[a, b, c], [d, e, f], [g, h, 1.0]]),
        }
    }
}

/// Pixels whose places are calculated at a time.
const ABREAST: usize = 64;

/// Moves the pixels of a canvas.
pub(super) fn apply(canvas: &mut Canvas<'_>, back: &Back, resampling: Resampling) {
    let (width, height) = (canvas.size.0 as usize, canvas.size.1 as usize);
    if width == 0 || height == 0 || canvas.pixels.len() != width * height * 3 {
        return;
    }
    canvas.scratch.resize(canvas.pixels.len(), 0);
    let places = Places::new(back, canvas.size);
    let level = Level::new();
    dispatch!(level, simd => simd.vectorize(
        #[inline(always)]
        || match resampling {
            Resampling::Nearest => run(canvas, &places),
            _ => smooth(canvas, &places, back),
        }
    ));
    std::mem::swap(canvas.pixels, canvas.scratch);
}

#[inline(always)]
fn run(canvas: &mut Canvas<'_>, places: &Places) {
    let width = canvas.size.0 as usize;
    let from = Picture { pixels: canvas.pixels.as_chunks::<3>().0, size: canvas.size, fill: canvas.fill };
    let (mut across, mut down) = ([0.0; ABREAST], [0.0; ABREAST]);
    for (y, line) in canvas.scratch.as_chunks_mut::<3>().0.chunks_exact_mut(width).enumerate() {
        for (block, to) in line.chunks_mut(ABREAST).enumerate() {
            places.find((block * ABREAST) as f32, y as f32, &mut across, &mut down);
            from.nearest(to, &across, &down);
        }
    }
}

/// The same with places between pixels, which need not be torchvision's to the last bit.
#[inline(always)]
fn smooth(canvas: &mut Canvas<'_>, places: &Places, back: &Back) {
    let (width, (across, down)) = (canvas.size.0 as usize, (canvas.size.0 as f32, canvas.size.1 as f32));
    let from = Picture { pixels: canvas.pixels.as_chunks::<3>().0, size: canvas.size, fill: canvas.fill };
    let (mut u, mut v, mut found) = ([0.0; ABREAST], [0.0; ABREAST], [(0, 0); ABREAST]);
    let map = back.map(canvas.size).rows();
    for (y, line) in canvas.scratch.as_chunks_mut::<3>().0.chunks_exact_mut(width).enumerate() {
        if matches!(back, Back::Affine(_)) {
            let begin = |[a, b, c]: [f64; 3]| a * 0.5 + b * (y as f64 + 0.5) + c - 0.5;
            let straight = Line::new((begin(map[0]), begin(map[1])), (map[0][0], map[1][0]), width);
            if let Some(straight) = straight {
                from.smooth(line, straight.places());
                continue;
            }
        }
        for (block, to) in line.chunks_mut(ABREAST).enumerate() {
            places.find_about((block * ABREAST) as f32, y as f32, &mut u, &mut v);
            for (to, (u, v)) in found.iter_mut().zip(u.iter().zip(&v)) {
                *to = (place(*u, across), place(*v, down));
            }
            from.smooth(to, found.into_iter());
        }
    }
}

/// The numbers that are multiplied with a pixel's place.
struct Places {
    /// Where the middle of the first pixel lies, across and down.
    first: (f32, f32),
    across: [f32; 3],
    down: [f32; 3],
    /// What both are divided by, if that is not one everywhere.
    divided: Option<[f32; 3]>,
    half: (f32, f32),
}

impl Places {
    fn new(back: &Back, (width, height): (u32, u32)) -> Places {
        let (w, h) = (f64::from(width), f64::from(height));
        let half = ((w * 0.5) as f32, (h * 0.5) as f32);
        let by = |[a, b, c]: [f64; 3], half: f32| [a as f32 / half, b as f32 / half, c as f32 / half];
        match *back {
            Back::Affine([a, b, c, d, e, f]) => Places {
                first: (((1.0 - w) * 0.5) as f32, ((1.0 - h) * 0.5) as f32),
                across: by([a, b, c], half.0),
                down: by([d, e, f], half.1),
                divided: None,
                half,
            },
            Back::Perspective([a, b, c, d, e, f, g, h]) => Places {
                first: (0.5, 0.5),
                across: by([a, b, c], half.0),
                down: by([d, e, f], half.1),
                divided: Some([g as f32, h as f32, 1.0]),
                half,
            },
        }
    }

    /// The same as [`find`](Self::find) without its care for the last bit.
    #[inline(always)]
    fn find_about(&self, x: f32, y: f32, across: &mut [f32; ABREAST], down: &mut [f32; ABREAST]) {
        let (y, [g, h, i]) = (self.first.1 + y, self.divided.unwrap_or([0.0, 0.0, 1.0]));
        let begin = |[_, b, c]: [f32; 3]| y * b + c;
        let (left, top, by) = (begin(self.across), begin(self.down), begin([g, h, i]));
        // Where nothing is divided the middle is the origin.
        let shift = if self.divided.is_some() { 0.0 } else { 1.0 };
        for (k, (across, down)) in across.iter_mut().zip(down).enumerate() {
            let x = self.first.0 + (x + k as f32);
            let part = 1.0 / (x * g + by);
            *across = ((x * self.across[0] + left) * part + shift) * self.half.0 - 0.5;
            *down = ((x * self.down[0] + top) * part + shift) * self.half.1 - 0.5;
        }
    }

    /// Where pixels from (x, y) on come from, in pixels: a whole number is the middle of one.
    #[inline(always)]
    fn find(&self, x: f32, y: f32, across: &mut [f32; ABREAST], down: &mut [f32; ABREAST]) {
        let y = self.first.1 + y;
        for (i, (across, down)) in across.iter_mut().zip(down).enumerate() {
            let x = self.first.0 + (x + i as f32);
            let (mut u, mut v) = (sum(self.across, x, y), sum(self.down, x, y));
            if let Some(divided) = self.divided {
                let by = sum(divided, x, y);
                (u, v) = (u / by - 1.0, v / by - 1.0);
            }
            *across = fused(u + 1.0, self.half.0, -0.5);
            *down = fused(v + 1.0, self.half.1, -0.5);
        }
    }
}

/// A product and a sum that are rounded once: the product is exact in 64 bits.
#[inline(always)]
fn fused(a: f32, b: f32, c: f32) -> f32 {
    (f64::from(a) * f64::from(b) + f64::from(c)) as f32
}

#[inline(always)]
fn sum([a, b, c]: [f32; 3], x: f32, y: f32) -> f32 {
    fused(y, b, x * a) + c
}

/// 1.5 × 2^23: behind it floats have no room for parts, so that adding it rounds.
const ROUNDS: f32 = 12_582_912.0;

impl Picture<'_> {
    #[inline(always)]
    fn nearest(&self, to: &mut [[u8; 3]], across: &[f32; ABREAST], down: &[f32; ABREAST]) {
        let (width, height) = (self.size.0 as f32, self.size.1 as f32);
        let mut places = [0_u32; ABREAST];
        for (place, (u, v)) in places.iter_mut().zip(across.iter().zip(down)) {
            // What is far away, or not a number, is as outside as what is one pixel off.
            let whole = |at: f32, most: f32| (at.max(-1.0).min(most) + ROUNDS).to_bits().wrapping_sub(ROUNDS.to_bits());
            let (x, y) = (whole(*u, width), whole(*v, height));
            let inside = (x < self.size.0) & (y < self.size.1);
            *place = if inside { y.wrapping_mul(self.size.0).wrapping_add(x) } else { u32::MAX };
        }
        for (to, place) in to.iter_mut().zip(places) {
            *to = self.pixels.get(place as usize).copied().unwrap_or(self.fill);
        }
    }

    /// A pixel that some of its four are outside of the picture for. Black comes in by itself, since what is outside weighs
    /// nothing; another color is brought in as torchvision does it.
    #[cold]
    pub(super) fn at_the_edge(&self, (x, y): (i32, i32), weights: [f32; 4]) -> [u8; 3] {
        let (mut levels, mut shown) = ([0.0_f32; 3], 0.0_f32);
        for ((x, y), weight) in [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)].into_iter().zip(weights) {
            if (0..self.size.0 as i32).contains(&x) && (0..self.size.1 as i32).contains(&y) {
                let at = y as usize * self.size.0 as usize + x as usize;
                let pixel = self.pixels.get(at).copied().unwrap_or_default();
                levels.iter_mut().zip(pixel).for_each(|(sum, level)| *sum += f32::from(level) * weight);
                shown += weight;
            }
        }
        if self.fill != [0; 3] {
            let fill = self.fill.map(f32::from);
            levels.iter_mut().zip(fill).for_each(|(level, fill)| *level = (*level - fill) * shown + fill);
        }
        levels.map(rounded)
    }
}

/// The nearest level, halves to the even one.
#[inline(always)]
fn rounded(level: f32) -> u8 {
    (level + ROUNDS).to_bits() as u8
}
