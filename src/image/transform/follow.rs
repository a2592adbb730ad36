//! What follows a picture onto its output: points, boxes, polygons and masks.
//!
//! All of them go the way of the pixels: what the crop leaves is moved to the output, mirrored, and then taken along by
//! whatever turned or bent the output. What the crop cuts off does not come back by a rotation.

use super::{Keep, Map, Placement, Rect, Shown};

impl Placement {
    /// Where a point of the full-size picture lands on the output, which may be outside of it; not a number for one behind
    /// the horizon of a perspective.
    pub fn point(&self, x: f64, y: f64) -> (f64, f64) {
        let placed = self.placed(x, y);
        match &self.warp {
            Some(warp) => warp.point(placed.0, placed.1).unwrap_or((f64::NAN, f64::NAN)),
            None => placed,
        }
    }

    /// True if a point of the full-size picture is one that the output shows.
    pub fn shows(&self, x: f64, y: f64) -> bool {
        let inside = |at: f64, from: f64, length: f64| at >= from && at < from + length;
        let Rect { x: left, y: top, width, height } = self.source;
        let (u, v) = self.point(x, y);
        inside(x, left, width)
            && inside(y, top, height)
            && inside(u, 0.0, f64::from(self.output_width))
            && inside(v, 0.0, f64::from(self.output_height))
            && self.shown.has(u, v)
    }

    /// Where a rectangle of the full-size picture lands on the output: the smallest rectangle around its four corners, as
    /// far as the output shows it. `None` if nothing of it is shown, or less than the recipe
    /// [keeps](super::Recipe::keep_boxes).
    pub fn rect(&self, rect: &Rect) -> Option<Rect> {
        let (ax, ay) = self.placed(rect.x, rect.y);
        let (bx, by) = self.placed(rect.x + rect.width, rect.y + rect.height);
        let whole = Sides::around([(ax, ay), (bx, by)]);
        let part = |at: u32, size: u32| (f64::from(at), f64::from(at) + f64::from(size));
        let cropped = whole.within(part(self.x, self.width), part(self.y, self.height));
        let (mut seen, mut left) = (cropped, cropped.share_of(&whole));
        if let Some(warp) = &self.warp {
            let Sides { x: (x, right), y: (y, bottom) } = cropped;
            let around = Sides::around([
                warp.point(x, y)?,
                warp.point(right, y)?,
                warp.point(right, bottom)?,
                warp.point(x, bottom)?,
            ]);
            seen = around.within(part(0, self.output_width), part(0, self.output_height));
            left *= seen.share_of(&around);
        }
        let (mut x, mut y) = (seen.x.0, seen.y.0);
        let (mut width, mut height) = (seen.x.1 - seen.x.0, seen.y.1 - seen.y.0);
        if self.shown != Shown::All {
            let (rest, share) = self.shown.rect(&Rect { x, y, width, height });
            (x, y, width, height, left) = (rest.x, rest.y, rest.width, rest.height, left * share);
        }
        let Keep { visible, side, center } = self.keep;
        // What was cut off to a line is wide and high again when that is turned, and still nothing.
        let kept = left > 0.0 && width > 0.0 && height > 0.0 && left >= visible && width >= side && height >= side;
        let centered = || {
            let (x, y) = (rect.x + rect.width / 2.0 - self.source.x, rect.y + rect.height / 2.0 - self.source.y);
            x > 0.0 && x < self.source.width && y > 0.0 && y < self.source.height
        };
        (kept && (!center || centered())).then_some(Rect { x, y, width, height })
    }

    /// Where a polygon of the full-size picture lands on the output, as far as the output shows it: its corners, put into
    /// `out` in its order. Nothing is put there if nothing is shown. If a polygon comes apart, its parts stay joined
    /// along the edge that cut it.
    pub fn polygon(&self, points: &[(f64, f64)], out: &mut Vec<(f64, f64)>) {
        out.clear();
        out.extend(points.iter().map(|&(x, y)| self.placed(x, y)));
        let part = |at: u32, size: u32| (f64::from(at), f64::from(at) + f64::from(size));
        clip(out, part(self.x, self.width), part(self.y, self.height));
        if let Some(warp) = &self.warp {
            for point in out.iter_mut() {
                *point = warp.point(point.0, point.1).unwrap_or((f64::NAN, f64::NAN));
            }
            clip(out, part(0, self.output_width), part(0, self.output_height));
        }
    }

    /// Brings a mask of the full-size picture, a byte a pixel, onto the output: each pixel has the value at its middle,
    /// and `fill` where the output shows nothing of the picture. On an output that was turned or bent it is the value that the
    /// pixel had which it shows, as pixels are resized before they are moved. False if one of the two is not of the size
    /// that it should be, or is shown as a line.
    pub fn mask(&self, from: &[u8], out: &mut [u8], fill: u8) -> bool {
        let (width, height) = (self.full_width as usize, self.full_height as usize);
        let (across, down) = (self.output_width as usize, self.output_height as usize);
        if width.checked_mul(height) != Some(from.len()) || across.checked_mul(down) != Some(out.len()) {
            return false;
        }
        out.fill(fill);
        if self.width == 0 || self.height == 0 {
            return true;
        }
        let back = self.warp.map_or(Some(Map::IDENTITY), |warp| warp.inverse());
        let Rect { x: left, y: top, width: wide, height: high } = self.source;
        let Some(back) = back.filter(|_| wide > 0.0 && high > 0.0) else { return false };
        let column = |x: f64| taken(x, (self.x, self.width), self.mirrored, (left, wide), width);
        let row = |y: f64| taken(y, (self.y, self.height), self.flipped, (top, high), height);
        for (y, line) in out.chunks_exact_mut(across.max(1)).enumerate() {
            for (x, to) in line.iter_mut().enumerate() {
                let (x, y) = (x as f64 + 0.5, y as f64 + 0.5);
                if !self.shown.has(x, y) {
                    continue;
                }
                let Some((u, v)) = back.point(x, y) else { continue };
                if let (Some(column), Some(row)) = (column(u), row(v)) {
                    *to = from.get(row * width + column).copied().unwrap_or(fill);
                }
            }
        }
        true
    }

    /// All of it as one map, from pixels of the full-size picture to those of the output.
    pub fn map(&self) -> Map {
        let Rect { x, y, width, height } = self.source;
        let along = |from: f64, length: f64, to: u32, size: u32, round: bool| {
            let (to, size) = (f64::from(to), f64::from(size));
            let factor = if length > 0.0 { size / length } else { 0.0 };
            if round { (-factor, to + size + from * factor) } else { (factor, to - from * factor) }
        };
        let (a, c) = along(x, width, self.x, self.width, self.mirrored);
        let (e, f) = along(y, height, self.y, self.height, self.flipped);
        let map = Map::affine([[a, 0.0, c], [0.0, e, f]]);
        self.warp.map_or(map, |warp| map.then(&warp))
    }

    /// Where a point lands before the output is turned or bent.
    fn placed(&self, x: f64, y: f64) -> (f64, f64) {
        let along = |at: f64, (from, length): (f64, f64), (to, size): (u32, u32), round: bool| {
            let size = f64::from(size);
            // Multiplied first, so that whole pixels of a part that is not resized stay whole.
            let along = if length > 0.0 { (at - from) * size / length } else { 0.0 };
            f64::from(to) + if round { size - along } else { along }
        };
        let Rect { x: left, y: top, width, height } = self.source;
        (
            along(x, (left, width), (self.x, self.width), self.mirrored),
            along(y, (top, height), (self.y, self.height), self.flipped),
        )
    }
}

/// Which of `n` pixels is resized to the one of `(to, size)` that a point lies in: the one at its middle.
fn taken(at: f64, (to, size): (u32, u32), round: bool, (from, length): (f64, f64), n: usize) -> Option<usize> {
    let pixel = at.floor() - f64::from(to);
    if !(pixel >= 0.0 && pixel < f64::from(size)) {
        return None;
    }
    let pixel = if round { f64::from(size) - 1.0 - pixel } else { pixel };
    // Multiplied first: the middle between two pixels stays that.
    let middle = from + (pixel + 0.5) * length / f64::from(size);
    // A rounding at the very edge counts as the last pixel.
    Some((middle as usize).min(n.saturating_sub(1)))
}

/// From and to, across and down.
#[derive(Clone, Copy)]
struct Sides {
    x: (f64, f64),
    y: (f64, f64),
}

impl Sides {
    fn around<const N: usize>(points: [(f64, f64); N]) -> Sides {
        let range = |values: [f64; N]| {
            values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), v| (least.min(*v), most.max(*v)))
        };
        Sides { x: range(points.map(|p| p.0)), y: range(points.map(|p| p.1)) }
    }
    fn within(&self, x: (f64, f64), y: (f64, f64)) -> Sides {
        let inside = |(a, b): (f64, f64), (least, most): (f64, f64)| (a.clamp(least, most), b.clamp(least, most));
        Sides { x: inside(self.x, x), y: inside(self.y, y) }
    }
    fn share_of(&self, whole: &Sides) -> f64 {
        let area = |s: &Sides| (s.x.1 - s.x.0) * (s.y.1 - s.y.0);
        let all = area(whole);
        if all > 0.0 { area(self) / all } else { 0.0 }
    }
}

/// Cuts a polygon off at four edges, one after the other (Sutherland and Hodgman's method).
fn clip(points: &mut Vec<(f64, f64)>, (left, right): (f64, f64), (top, bottom): (f64, f64)) {
    // What is not a number is outside of every edge, and its edges cannot be cut: such a polygon is left out.
    if points.iter().any(|(x, y)| !x.is_finite() || !y.is_finite()) {
        points.clear();
    }
    for (across, limit, sign) in [(true, left, 1.0), (true, right, -1.0), (false, top, 1.0), (false, bottom, -1.0)] {
        let depth = |&(x, y): &(f64, f64)| sign * (if across { x } else { y } - limit);
        let count = points.len();
        for i in 0..count {
            let (from, to) = (points[i], points[(i + 1) % count]);
            let (before, after) = (depth(&from), depth(&to));
            if before >= 0.0 {
                points.push(from);
            }
            if (before < 0.0) != (after < 0.0) {
                let share = before / (before - after);
                points.push((from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share));
            }
        }
        points.drain(..count);
    }
}
