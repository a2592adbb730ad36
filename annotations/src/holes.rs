//! Holes of outlines, and outlines as masks, for formats whose outlines all enclose something.

use std::ops::Range;

use super::{Raster, Rect, Rle};

/// Outlines of one object that are looked at for holes: drawn ones are few.
const MOST: usize = 1024;
/// Pixels that a writer paints for one file.
const PIXELS: u64 = 1 << 32;
/// Pixels of one mask, which are in memory at once.
const PIXELS_AT_ONCE: u64 = 1 << 28;

/// Which outlines of an object are holes: those inside of an odd number of others. Of more than a thousand outlines none is.
pub(crate) fn holes(parts: &[Vec<[f64; 2]>]) -> Vec<bool> {
    let none = vec![false; parts.len()];
    if !(2..=MOST).contains(&parts.len()) {
        return none;
    }
    let rects: Vec<Option<Rect>> = parts.iter().map(|part| Rect::around(part.iter().copied())).collect();
    let inside = |i: usize, k: usize| {
        let (Some(own), Some(other)) = (rects[i], rects[k]) else { return false };
        let within = own.x0 >= other.x0 && own.y0 >= other.y0 && own.x1 <= other.x1 && own.y1 <= other.y1;
        i != k && within && own != other && encloses(&parts[k], middle_of_first_edge(&parts[i]))
    };
    (0..parts.len()).map(|i| (0..parts.len()).filter(|k| inside(i, *k)).count() % 2 == 1).collect()
}

/// A point of an outline that is no corner: corners of a hole may lie on the outline around it.
fn middle_of_first_edge(part: &[[f64; 2]]) -> [f64; 2] {
    let [a, b] = [0, 1].map(|k| part.get(k).or(part.first()).copied().unwrap_or_default());
    [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0]
}

/// Whether a point is inside of an outline.
fn encloses(outline: &[[f64; 2]], [x, y]: [f64; 2]) -> bool {
    let Some(mut before) = outline.last().copied() else { return false };
    let mut inside = false;
    for &[ax, ay] in outline {
        let [bx, by] = before;
        if (ay > y) != (by > y) && x < (bx - ax) * (y - ay) / (by - ay) + ax {
            inside = !inside;
        }
        before = [ax, ay];
    }
    inside
}

/// Paints outlines and masks, as many pixels as a file may cost.
#[derive(Debug)]
pub(crate) struct Painter {
    raster: Raster,
    left: u64,
}

impl Default for Painter {
    fn default() -> Painter {
        Painter { raster: Raster::default(), left: PIXELS }
    }
}

impl Painter {
    /// Whether this many pixels may still be painted.
    fn take(&mut self, width: u64, height: u64) -> bool {
        let pixels = width.checked_mul(height).filter(|pixels| *pixels <= PIXELS_AT_ONCE);
        let left = pixels.and_then(|pixels| self.left.checked_sub(pixels));
        left.inspect(|left| self.left = *left).is_some()
    }

    /// Outlines as the mask of a picture of a known size: a pixel is on if its center is inside. `None` where the size is not
    /// known, nothing of them is in the picture, or it would take too long.
    pub(crate) fn mask(&mut self, parts: &[Vec<[f64; 2]>], size: Option<(u32, u32)>) -> Option<Rle> {
        let (width, height) = size?;
        let around = Rect::around(parts.iter().flatten().copied())?.clipped(width.into(), height.into()).rect()?;
        let (left, top) = (around.x0.floor(), around.y0.floor());
        let (wide, tall) = ((around.x1.ceil() - left) as usize, (around.y1.ceil() - top) as usize);
        if !self.take(wide as u64, tall as u64) {
            return None;
        }
        // The runs of a mask go down its columns: with x and y exchanged they are rows.
        self.raster.begin(tall, wide);
        for part in parts {
            self.raster.outline(part.iter().map(|[x, y]| [y - top, x - left]));
        }
        let mut counts = Vec::new();
        let mut end = 0_u64;
        self.raster.end(|column, rows| {
            let first = (column as u64 + left as u64) * u64::from(height) + top as u64;
            add(&mut counts, &mut end, first + rows.start as u64..first + rows.end as u64);
        });
        finish(&mut counts, end, u64::from(width) * u64::from(height));
        Rle::new(width, height, counts.into_iter().map(|n| n as u32).collect()).ok().filter(|mask| mask.area() > 0)
    }

    /// The pixels of a mask row by row: pixels off, on, off ... `None` where it would take too long.
    pub(crate) fn rows(&mut self, mask: &Rle) -> Option<Vec<u64>> {
        let (width, height) = (u64::from(mask.width()), u64::from(mask.height()));
        if !self.take(width, height) {
            return None;
        }
        self.raster.begin(width as usize, height as usize);
        for [a, b] in mask.edges() {
            self.raster.edge(a, b);
        }
        let (mut counts, mut end) = (Vec::new(), 0);
        self.raster.end(|row, columns| {
            let first = row as u64 * width;
            add(&mut counts, &mut end, first + columns.start as u64..first + columns.end as u64);
        });
        finish(&mut counts, end, width * height);
        Some(counts)
    }
}

/// Adds pixels that are on, behind those that are there, which end at `end`.
fn add(counts: &mut Vec<u64>, end: &mut u64, on: Range<u64>) {
    match counts.last_mut().filter(|_| *end == on.start && *end > 0) {
        Some(last) => *last += on.end - on.start,
        None => counts.extend([on.start - *end, on.end - on.start]),
    }
    *end = on.end;
}

/// Adds those that are off behind all others.
fn finish(counts: &mut Vec<u64>, end: u64, all: u64) {
    if end < all || counts.is_empty() {
        counts.push(all - end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(from: f64, to: f64) -> Vec<[f64; 2]> {
        vec![[from, from], [to, from], [to, to], [from, to]]
    }

    #[test]
    fn an_outline_inside_of_another_is_a_hole_and_one_inside_of_that_is_none() {
        let parts = [square(4.0, 5.0), square(0.0, 9.0), square(2.0, 7.0), square(20.0, 22.0)];
        assert_eq!(holes(&parts), [false, false, true, false]);
        assert_eq!(holes(&parts[..1]), [false]);
        // A hole may touch the outline around it.
        assert_eq!(holes(&[square(0.0, 9.0), vec![[0.0, 3.0], [3.0, 2.0], [3.0, 4.0]]]), [false, true]);
        assert_eq!(holes(&[square(0.0, 9.0), square(0.0, 9.0)]), [false, false]);
    }

    #[test]
    fn outlines_become_masks_and_masks_rows() {
        let mut painter = Painter::default();
        let mask = painter.mask(&[square(1.0, 4.0), square(2.0, 3.0)], Some((5, 4))).unwrap();
        assert_eq!(mask.counts(), [5, 3, 1, 1, 1, 1, 1, 3, 4]);
        assert_eq!(painter.rows(&mask).unwrap(), [6, 3, 2, 1, 1, 1, 2, 3, 1]);
        // Of what leaves the picture a part remains.
        let mask = painter.mask(&[square(-2.0, 1.0)], Some((5, 4))).unwrap();
        assert_eq!((mask.counts(), mask.area()), (&[0, 1, 19][..], 1));
        assert!(painter.mask(&[square(1.0, 4.0)], None).is_none());
        assert!(painter.mask(&[square(0.0, 0.2)], Some((5, 4))).is_none());
        assert!(painter.mask(&[square(0.0, 1e9)], Some((u32::MAX, u32::MAX))).is_none());
        let full = Rle::new(2, 2, vec![0, 4]).unwrap();
        assert_eq!(painter.rows(&full).unwrap(), [0, 4]);
    }
}
