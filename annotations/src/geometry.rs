//! Rectangles in continuous pixels, and what turning and clipping does to them.

/// Beyond the border by up to this many pixels is rounding: cut, and not counted. As little as this is not a side.
const ROUNDING: f64 = 1e-6;

/// Corners in continuous pixels, counted from 0: a box around only the first pixel is `[0, 0, 1, 1]`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// The left edge.
    pub x0: f64,
    /// The upper edge.
    pub y0: f64,
    /// The right edge.
    pub x1: f64,
    /// The lower edge.
    pub y1: f64,
}

/// What a picture leaves of a rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Clip {
    /// All of it; the rectangle, without what only rounding put outside.
    Whole(Rect),
    /// This part of it.
    Cut(Rect),
    /// Nothing: it lies outside, or one of its sides has no length.
    Nothing,
}

impl Clip {
    /// What is left.
    pub fn rect(self) -> Option<Rect> {
        match self {
            Clip::Whole(rect) | Clip::Cut(rect) => Some(rect),
            Clip::Nothing => None,
        }
    }
}

impl Rect {
    /// A rectangle by its corners.
    pub const fn new(x0: f64, y0: f64, x1: f64, y1: f64) -> Rect {
        Rect { x0, y0, x1, y1 }
    }

    /// A rectangle by its upper left corner and its size.
    pub fn sized(x: f64, y: f64, width: f64, height: f64) -> Rect {
        Rect::new(x, y, x + width, y + height)
    }

    /// A rectangle by its center and its size.
    pub fn centered(x: f64, y: f64, width: f64, height: f64) -> Rect {
        Rect::new(x - width / 2.0, y - height / 2.0, x + width / 2.0, y + height / 2.0)
    }

    /// The smallest rectangle around points; `None` where there are none.
    pub fn around(points: impl IntoIterator<Item = [f64; 2]>) -> Option<Rect> {
        points.into_iter().fold(None, |rect: Option<Rect>, [x, y]| {
            let r = rect.unwrap_or(Rect::new(x, y, x, y));
            Some(Rect::new(r.x0.min(x), r.y0.min(y), r.x1.max(x), r.y1.max(y)))
        })
    }

    /// How wide it is.
    pub fn width(&self) -> f64 {
        self.x1 - self.x0
    }

    /// How high it is.
    pub fn height(&self) -> f64 {
        self.y1 - self.y0
    }

    /// Its area; 0 where its corners are swapped.
    pub fn area(&self) -> f64 {
        self.width().max(0.0) * self.height().max(0.0)
    }

    /// Its center.
    pub fn center(&self) -> [f64; 2] {
        [(self.x0 + self.x1) / 2.0, (self.y0 + self.y1) / 2.0]
    }

    /// Whether every corner is a number.
    pub fn is_finite(&self) -> bool {
        [self.x0, self.y0, self.x1, self.y1].iter().all(|v| v.is_finite())
    }

    /// What a picture of this size leaves of it.
    pub fn clipped(self, width: f64, height: f64) -> Clip {
        let cut = Rect::new(self.x0.max(0.0), self.y0.max(0.0), self.x1.min(width), self.y1.min(height));
        // NaN is not a side either.
        if !(cut.width() > ROUNDING && cut.height() > ROUNDING) {
            return Clip::Nothing;
        }
        let moved = [cut.x0 - self.x0, cut.y0 - self.y0, self.x1 - cut.x1, self.y1 - cut.y1];
        if moved.iter().any(|by| *by > ROUNDING) { Clip::Cut(cut) } else { Clip::Whole(cut) }
    }

    /// Its corners, clockwise from the upper left one, after a turn about its center, clockwise as it is seen.
    pub fn corners(&self, degrees: f64) -> [[f64; 2]; 4] {
        corners_of(*self, degrees, self.center())
    }

    /// The smallest upright rectangle around it after a turn about its center. A turn of 0 or 360 degrees, give or take
    /// rounding, leaves it exactly as it is.
    ///
    /// ```
    /// use forebay_annotations::Rect;
    /// let turned = Rect::new(10.0, 20.0, 50.0, 40.0).envelope(90.0);
    /// assert!((turned.x0 - 20.0).abs() < 1e-9 && (turned.y0 - 10.0).abs() < 1e-9);
    /// assert_eq!(Rect::new(1.0, 2.0, 3.0, 4.0).envelope(360.0), Rect::new(1.0, 2.0, 3.0, 4.0));
    /// ```
    pub fn envelope(&self, degrees: f64) -> Rect {
        if is_upright(degrees) {
            return *self;
        }
        Rect::around(self.corners(degrees)).unwrap_or(*self)
    }

    /// The rectangle that, turned about its center, has these corners, and the turn in degrees from 0 up to 360;
    /// `None` where they are not a rectangle. They go clockwise as they are seen, from the upper left one.
    pub fn from_corners(corners: [[f64; 2]; 4]) -> Option<(Rect, f64)> {
        let [a, b, c, d] = corners;
        let side = |p: [f64; 2], q: [f64; 2]| [q[0] - p[0], q[1] - p[1]];
        let (across, down) = (side(a, b), side(a, d));
        let (width, height) = (across[0].hypot(across[1]), down[0].hypot(down[1]));
        // Corners are written rounded: a hundredth of a pixel is not another shape.
        let rounding = 0.02 + 1e-6 * (width + height);
        let fourth = [a[0] + across[0] + down[0], a[1] + across[1] + down[1]];
        let off = (fourth[0] - c[0]).hypot(fourth[1] - c[1]);
        let cross = across[0] * down[1] - across[1] * down[0];
        if !(off <= rounding && cross >= 0.0 && (cross - width * height).abs() <= rounding * (width + height)) {
            return None;
        }
        let degrees = across[1].atan2(across[0]).to_degrees().rem_euclid(360.0);
        let center = [(a[0] + c[0]) / 2.0, (a[1] + c[1]) / 2.0];
        Some((Rect::centered(center[0], center[1], width, height), degrees))
    }
}

/// Whether a turn is none: 0 or 360 degrees, give or take rounding.
pub(crate) fn is_upright(degrees: f64) -> bool {
    let rest = degrees.rem_euclid(360.0);
    rest <= 1e-9 || 360.0 - rest <= 1e-9
}

/// The corners of a rectangle, clockwise from the upper left one, after a turn about a pivot, clockwise as it is seen.
pub fn corners_of(rect: Rect, degrees: f64, pivot: [f64; 2]) -> [[f64; 2]; 4] {
    let (sin, cos) = sin_cos(degrees);
    [[rect.x0, rect.y0], [rect.x1, rect.y0], [rect.x1, rect.y1], [rect.x0, rect.y1]].map(|[x, y]| {
        let (dx, dy) = (x - pivot[0], y - pivot[1]);
        [pivot[0] + dx * cos - dy * sin, pivot[1] + dx * sin + dy * cos]
    })
}

/// Exact for quarter turns, which are the usual ones.
fn sin_cos(degrees: f64) -> (f64, f64) {
    let turn = degrees.rem_euclid(360.0);
    match () {
        () if turn == 0.0 => (0.0, 1.0),
        () if turn == 90.0 => (1.0, 0.0),
        () if turn == 180.0 => (0.0, -1.0),
        () if turn == 270.0 => (-1.0, 0.0),
        () => turn.to_radians().sin_cos(),
    }
}

/// How a stored raster is turned for the eye, as EXIF counts it: what it does to points of the stored raster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn(u8);

impl Turn {
    /// The stored raster is shown as it is.
    pub const NONE: Turn = Turn(1);

    /// By EXIF's number; what is not 1 to 8 turns nothing.
    pub const fn from_exif(number: u32) -> Turn {
        match number {
            1..=8 => Turn(number as u8),
            _ => Turn(1),
        }
    }

    /// EXIF's number, 1 to 8.
    pub const fn exif(self) -> u8 {
        self.0
    }

    /// Whether nothing is turned.
    pub const fn is_none(self) -> bool {
        self.0 == 1
    }

    /// The size for the eye of a stored raster of this size, and the other way around.
    pub const fn size(self, width: u32, height: u32) -> (u32, u32) {
        if self.0 >= 5 { (height, width) } else { (width, height) }
    }

    /// Where a point of a stored raster of this size is seen.
    pub fn shown([x, y]: [f64; 2], turn: Turn, width: f64, height: f64) -> [f64; 2] {
        match turn.0 {
            2 => [width - x, y],
            3 => [width - x, height - y],
            4 => [x, height - y],
            5 => [y, x],
            6 => [height - y, x],
            7 => [height - y, width - x],
            8 => [y, width - x],
            _ => [x, y],
        }
    }

    /// The turn that undoes it.
    pub const fn back(self) -> Turn {
        match self.0 {
            6 => Turn(8),
            8 => Turn(6),
            same => Turn(same),
        }
    }

    /// A rectangle of a stored raster of this size, as it is seen.
    pub fn rect(self, rect: Rect, width: f64, height: f64) -> Rect {
        let corners = [[rect.x0, rect.y0], [rect.x1, rect.y1]].map(|p| Turn::shown(p, self, width, height));
        Rect::around(corners).unwrap_or(rect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clip_says_what_is_left_and_whether_it_counts() {
        let clip = |x0, y0, x1, y1| Rect::new(x0, y0, x1, y1).clipped(100.0, 80.0);
        assert_eq!(clip(-3.5, 10.0, 30.0, 40.0), Clip::Cut(Rect::new(0.0, 10.0, 30.0, 40.0)));
        assert_eq!(clip(-1e-7, 10.0, 30.0, 40.0), Clip::Whole(Rect::new(0.0, 10.0, 30.0, 40.0)));
        assert_eq!(clip(110.0, 10.0, 120.0, 20.0), Clip::Nothing);
        assert_eq!(clip(100.0, 10.0, 120.0, 20.0), Clip::Nothing);
        assert_eq!(clip(10.0, 10.0, 10.0, 20.0), Clip::Nothing);
        assert_eq!(clip(30.0, 10.0, 10.0, 20.0), Clip::Nothing);
        assert_eq!(clip(f64::NAN, 10.0, 20.0, 20.0).rect(), clip(0.0, 10.0, 20.0, 20.0).rect());
    }

    #[test]
    fn corners_and_their_rectangle_are_one_thing() {
        for degrees in [0.0, 30.0, 90.0, 135.0, 180.0, 270.0, 359.3] {
            let rect = Rect::new(100.0, 95.0, 200.0, 135.0);
            let (back, turn) = Rect::from_corners(rect.corners(degrees)).unwrap();
            assert!((turn - degrees).abs() < 1e-9, "{degrees} {turn}");
            for (a, b) in [(back.x0, rect.x0), (back.y0, rect.y0), (back.x1, rect.x1), (back.y1, rect.y1)] {
                assert!((a - b).abs() < 1e-9);
            }
        }
        assert_eq!(Rect::from_corners([[0.0, 0.0], [10.0, 0.0], [12.0, 5.0], [0.0, 5.0]]), None);
        assert_eq!(Rect::from_corners([[f64::NAN, 0.0], [10.0, 0.0], [12.0, 5.0], [0.0, 5.0]]), None);
    }

    #[test]
    fn turns_are_undone_by_their_opposite() {
        for number in 1..=8 {
            let turn = Turn::from_exif(number);
            let (w, h) = turn.size(320, 200);
            let seen = Turn::shown([10.0, 30.0], turn, 320.0, 200.0);
            assert_eq!(Turn::shown(seen, turn.back(), w.into(), h.into()), [10.0, 30.0], "{number}");
        }
        // Stored 320 x 200 and turned by a quarter clockwise: the upper left corner is seen at the upper right.
        assert_eq!(Turn::shown([0.0, 0.0], Turn::from_exif(6), 320.0, 200.0), [200.0, 0.0]);
    }
}
