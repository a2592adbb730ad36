//! From the lines of components to the lines of a picture: each brought to the picture's resolution, then to colors.
//!
//! Both are libjpeg's, to the last bit: components of half the resolution are interpolated linearly (3/4 of the nearer
//! pixel and 1/4 of the farther), colors are converted with 16 fractional bits.

use fearless_simd::Simd;

use super::{
    colors,
    header::Colors,
    parts::MOST_PARTS,
    plan::{Lines, Plan},
};

/// What is kept between rows.
#[derive(Debug)]
pub(super) struct Lining<'a> {
    pub(super) colors: Colors,
    /// A line of each component at the picture's resolution.
    pub(super) wide: &'a mut [Vec<u8>; MOST_PARTS],
    /// Sums of two lines.
    pub(super) sums: &'a mut [u16],
    /// The next line of the picture.
    pub(super) next: usize,
}

impl Lining<'_> {
    /// Writes the lines that can be made once a row of units is there.
    #[inline(never)]
    pub(super) fn row<S: Simd>(
        &mut self,
        simd: S,
        plan: &Plan,
        rings: &[Vec<u8>; MOST_PARTS],
        row: usize,
        out: &mut [u8],
    ) {
        simd.vectorize(
            #[inline(always)]
            || self.lines(simd, plan, rings, row, out),
        );
    }

    #[inline(always)]
    fn lines<S: Simd>(&mut self, simd: S, plan: &Plan, rings: &[Vec<u8>; MOST_PARTS], row: usize, out: &mut [u8]) {
        let parts = &plan.parts[..plan.count];
        // The last lines of a row may need the first of the next.
        let waiting = if row + 1 < plan.rows && parts.iter().any(|p| p.smooth.1) { plan.unit.1.min(2) } else { 0 };
        let end = ((row + 1) * plan.unit.1 - waiting).min(plan.y.end);
        let left = plan.x.start - plan.columns.start * plan.unit.0;
        let width = plan.x.len();
        while self.next < end {
            let y = self.next;
            for (i, part) in parts.iter().enumerate() {
                if part.times != (1, 1) {
                    widen(simd, part, &rings[i], y, &mut self.wide[i], self.sums);
                }
            }
            let line = |i: usize| {
                let part = &parts[i];
                let from = if part.times == (1, 1) { own(part, &rings[i], y) } else { &self.wide[i][..] };
                from.get(left..left + width).unwrap_or_default()
            };
            let at = (y - plan.y.start) * width * 3;
            let to = out.get_mut(at..at + width * 3).unwrap_or_default();
            match self.colors {
                Colors::Gray => {
                    to.as_chunks_mut::<3>().0.iter_mut().zip(line(0)).for_each(|(to, gray)| *to = [*gray; 3])
                }
                Colors::Rgb => {
                    for (((to, r), g), b) in to.as_chunks_mut::<3>().0.iter_mut().zip(line(0)).zip(line(1)).zip(line(2))
                    {
                        *to = [*r, *g, *b];
                    }
                }
                Colors::Ycc => colors::ycc(simd, to, line(0), line(1), line(2)),
                Colors::Cmyk => {
                    let pixels = to.as_chunks_mut::<3>().0;
                    for (((to, c), m), y) in pixels.iter_mut().zip(line(0)).zip(line(1)).zip(line(2)) {
                        *to = [255 - *c, 255 - *m, 255 - *y];
                    }
                    colors::under(pixels, line(3));
                }
                Colors::Ycck => {
                    colors::ycc(simd, to, line(0), line(1), line(2));
                    colors::under(to.as_chunks_mut::<3>().0, line(3));
                }
            }
            self.next += 1;
        }
    }
}

/// A line of a component as it is.
#[inline(always)]
fn own<'a>(part: &Lines, ring: &'a [u8], line: usize) -> &'a [u8] {
    let start = line % (2 * part.rows()) * part.stride;
    ring.get(start..start + part.stride).unwrap_or_default()
}

/// Makes line `y` of the picture from the lines of a component of lower resolution.
#[inline(always)]
fn widen<S: Simd>(_: S, part: &Lines, ring: &[u8], y: usize, wide: &mut [u8], sums: &mut [u16]) {
    let (across, down) = part.times;
    let line = y / down;
    let near = own(part, ring, line);
    let near = near.get(..part.width).unwrap_or_default();
    if part.smooth.1 {
        // The nearer of the lines above and below; at the picture's edge, the line itself.
        let upper = y.is_multiple_of(2);
        let other = if upper { line.saturating_sub(1) } else { (line + 1).min(part.height - 1) };
        let far = own(part, ring, other).get(..part.width).unwrap_or_default();
        if across == 1 {
            let round = if upper { 1 } else { 2 };
            for ((to, a), b) in wide.iter_mut().zip(near).zip(far) {
                *to = ((3 * u16::from(*a) + u16::from(*b) + round) >> 2) as u8;
            }
            return;
        }
        for ((to, a), b) in sums.iter_mut().zip(near).zip(far) {
            *to = 3 * u16::from(*a) + u16::from(*b);
        }
        let sums = sums.get(..part.width).unwrap_or_default();
        let (Some(first), Some(last)) = (sums.first(), sums.last()) else { return };
        between(wide, sums, |s| *s, |a, b| (((3 * a + b + 7) >> 4) as u8, ((3 * b + a + 8) >> 4) as u8));
        ends(wide, part.width, (((4 * first + 8) >> 4) as u8, ((4 * last + 7) >> 4) as u8));
    } else if part.smooth.0 {
        let (Some(first), Some(last)) = (near.first(), near.last()) else { return };
        between(wide, near, |p| u16::from(*p), |a, b| (((3 * a + b + 2) >> 2) as u8, ((3 * b + a + 1) >> 2) as u8));
        ends(wide, part.width, (*first, *last));
    } else {
        for (to, from) in wide.chunks_mut(across).zip(near) {
            to.fill(*from);
        }
    }
}

/// The two pixels between each two.
#[inline(always)]
fn between<T>(wide: &mut [u8], from: &[T], value: impl Fn(&T) -> u16, of: impl Fn(u16, u16) -> (u8, u8)) {
    let to = wide.get_mut(1..).unwrap_or_default().as_chunks_mut::<2>().0;
    let next = from.get(1..).unwrap_or_default();
    for ((to, a), b) in to.iter_mut().zip(from).zip(next) {
        let (left, right) = of(value(a), value(b));
        *to = [left, right];
    }
}

#[inline(always)]
fn ends(wide: &mut [u8], width: usize, (first, last): (u8, u8)) {
    if let Some(to) = wide.first_mut() {
        *to = first;
    }
    if let Some(to) = wide.get_mut(2 * width - 1) {
        *to = last;
    }
}
