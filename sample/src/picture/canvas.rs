//! Colors, shapes by their distance, and a canvas on which edges are smooth.

/// Red, green and blue from 0 to 1.
pub type Rgb = [f32; 3];

/// A color written as in a style sheet.
pub const fn hex(rgb: u32) -> Rgb {
    [((rgb >> 16) & 255) as f32 / 255.0, ((rgb >> 8) & 255) as f32 / 255.0, (rgb & 255) as f32 / 255.0]
}
/// `a` at 0, `b` at 1.
pub fn mix(a: Rgb, b: Rgb, t: f32) -> Rgb {
    let t = t.clamp(0.0, 1.0);
    [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t]
}
/// Brighter or darker.
pub fn scale(a: Rgb, by: f32) -> Rgb {
    a.map(|v| v * by)
}
/// Channel by channel.
pub fn tint(a: Rgb, b: Rgb) -> Rgb {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}
/// From 0 at `low` to 1 at `high`, gently.
pub fn smooth(low: f32, high: f32, v: f32) -> f32 {
    let t = ((v - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// A box in pixels, ends excluded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Left, top, right, bottom.
    pub edges: [f32; 4],
}

impl Bounds {
    /// From its edges.
    pub const fn new(left: f32, top: f32, right: f32, bottom: f32) -> Self {
        Bounds { edges: [left, top, right, bottom] }
    }
    /// Around both.
    pub fn join(self, other: Bounds) -> Bounds {
        let ([a, b, c, d], [e, f, g, h]) = (self.edges, other.edges);
        Bounds::new(a.min(e), b.min(f), c.max(g), d.max(h))
    }
    /// Around a list of points.
    pub fn around(points: &[[f32; 2]]) -> Bounds {
        points
            .iter()
            .map(|&[x, y]| Bounds::new(x, y, x, y))
            .reduce(Bounds::join)
            .unwrap_or(Bounds::new(0.0, 0.0, 0.0, 0.0))
    }
}

/// A shape: how far a point lies outside of it, in pixels, negative inside; and its place.
pub struct Shape<D: Fn(f32, f32) -> f32> {
    distance: D,
    /// Where all of it lies.
    pub bounds: Bounds,
}

impl<D: Fn(f32, f32) -> f32> std::fmt::Debug for Shape<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shape").field("bounds", &self.bounds).finish_non_exhaustive()
    }
}

impl<D: Fn(f32, f32) -> f32> Shape<D> {
    /// Another shape that lies within the same bounds.
    pub fn with_distance<E: Fn(f32, f32) -> f32>(self, distance: E) -> Shape<E> {
        Shape { distance, bounds: self.bounds }
    }
}

/// An ellipse, turned by an angle.
pub fn ellipse(cx: f32, cy: f32, rx: f32, ry: f32, angle: f32) -> Shape<impl Fn(f32, f32) -> f32> {
    let (sin, cos) = angle.sin_cos();
    let least = rx.min(ry);
    let reach = [(rx * cos).hypot(ry * sin), (rx * sin).hypot(ry * cos)];
    Shape {
        distance: move |x, y| {
            let (dx, dy) = (x - cx, y - cy);
            let (u, v) = ((dx * cos + dy * sin) / rx, (dy * cos - dx * sin) / ry);
            ((u * u + v * v).sqrt() - 1.0) * least
        },
        bounds: Bounds::new(cx - reach[0], cy - reach[1], cx + reach[0], cy + reach[1]),
    }
}

/// A box with round corners.
pub fn block(left: f32, top: f32, right: f32, bottom: f32, round: f32) -> Shape<impl Fn(f32, f32) -> f32> {
    let (cx, cy) = ((left + right) / 2.0, (top + bottom) / 2.0);
    let (hx, hy) = ((right - left) / 2.0 - round, (bottom - top) / 2.0 - round);
    Shape {
        distance: move |x, y| {
            let (dx, dy) = ((x - cx).abs() - hx, (y - cy).abs() - hy);
            dx.max(0.0).hypot(dy.max(0.0)) + dx.max(dy).min(0.0) - round
        },
        bounds: Bounds::new(left, top, right, bottom),
    }
}

/// A line with a width at each end.
pub fn line(a: [f32; 2], b: [f32; 2], start: f32, end: f32) -> Shape<impl Fn(f32, f32) -> f32> {
    let (bx, by) = (b[0] - a[0], b[1] - a[1]);
    let length = (bx * bx + by * by).max(1e-6);
    let widest = start.max(end) / 2.0;
    let at = Bounds::around(&[a, b]).edges;
    Shape {
        distance: move |x, y| {
            let (px, py) = (x - a[0], y - a[1]);
            let t = ((px * bx + py * by) / length).clamp(0.0, 1.0);
            (px - bx * t).hypot(py - by * t) - (start + (end - start) * t) / 2.0
        },
        bounds: Bounds::new(at[0] - widest, at[1] - widest, at[2] + widest, at[3] + widest),
    }
}

/// A polygon by its corners.
pub fn polygon<const N: usize>(corners: [[f32; 2]; N]) -> Shape<impl Fn(f32, f32) -> f32> {
    Shape {
        distance: move |x, y| {
            let (mut nearest, mut inside) = (f32::MAX, false);
            for i in 0..N {
                let ([ax, ay], [bx, by]) = (corners[i], corners[(i + N - 1) % N]);
                let (ex, ey, wx, wy) = (bx - ax, by - ay, x - ax, y - ay);
                let t = ((wx * ex + wy * ey) / (ex * ex + ey * ey).max(1e-6)).clamp(0.0, 1.0);
                let (dx, dy) = (wx - ex * t, wy - ey * t);
                nearest = nearest.min(dx * dx + dy * dy);
                if (ay > y) != (by > y) && x < ex * (y - ay) / ey + ax {
                    inside = !inside;
                }
            }
            if inside { -nearest.sqrt() } else { nearest.sqrt() }
        },
        bounds: Bounds::around(&corners),
    }
}

/// Pixels.
#[derive(Clone, Debug)]
pub struct Canvas {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    pixels: Vec<Rgb>,
}

impl Canvas {
    /// A black one.
    pub fn new(width: usize, height: usize) -> Self {
        Canvas { width, height, pixels: vec![[0.0; 3]; width * height] }
    }
    /// One pixel; past the edge, the nearest.
    pub fn get(&self, x: isize, y: isize) -> Rgb {
        let x = x.clamp(0, self.width as isize - 1) as usize;
        let y = y.clamp(0, self.height as isize - 1) as usize;
        self.pixels[y * self.width + x]
    }
    /// Paints every pixel anew, from its place and what it was.
    pub fn map(&mut self, paint: impl Fn(usize, usize, Rgb) -> Rgb) {
        for (y, row) in self.pixels.chunks_exact_mut(self.width).enumerate() {
            for (x, pixel) in row.iter_mut().enumerate() {
                *pixel = paint(x, y, *pixel);
            }
        }
    }
    /// Fills a shape; `paint` gives the color at a place.
    pub fn fill<D: Fn(f32, f32) -> f32>(&mut self, shape: &Shape<D>, paint: impl Fn(f32, f32) -> Rgb) {
        self.lay(shape, 1.0, |x, y, distance| (paint(x, y), 0.5 - distance));
    }
    /// Fills a shape whose edge fades over `soft` pixels, up to `strength`.
    pub fn fade<D: Fn(f32, f32) -> f32>(&mut self, shape: &Shape<D>, soft: f32, strength: f32, color: Rgb) {
        // Along its longer axis the distance of an ellipse is understated, so the fading reaches further there.
        self.lay(shape, soft * 6.0, |_, _, distance| (color, strength * (1.0 - smooth(-soft, soft, distance))));
    }

    fn lay<D: Fn(f32, f32) -> f32>(&mut self, shape: &Shape<D>, margin: f32, at: impl Fn(f32, f32, f32) -> (Rgb, f32)) {
        let [left, top, right, bottom] = shape.bounds.edges;
        let clip = |v: f32, most: usize| v.clamp(0.0, most as f32) as usize;
        let columns = clip((left - margin).floor(), self.width)..clip((right + margin).ceil(), self.width);
        for y in clip((top - margin).floor(), self.height)..clip((bottom + margin).ceil(), self.height) {
            for x in columns.clone() {
                let (fx, fy) = (x as f32 + 0.5, y as f32 + 0.5);
                let (color, cover) = at(fx, fy, (shape.distance)(fx, fy));
                if cover > 0.0 {
                    let pixel = &mut self.pixels[y * self.width + x];
                    *pixel = mix(*pixel, color, cover);
                }
            }
        }
    }

    /// The picture as 8-bit RGB.
    pub fn to_rgb8(&self) -> Vec<u8> {
        self.pixels.iter().flatten().map(|v| (v.clamp(0.0, 1.0) * 255.0 + 0.5) as u8).collect()
    }
}
