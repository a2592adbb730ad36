//! Four pictures around a point of the output.

use super::super::{Keep, Map, Placement, Recipe, Rect, geometry::turned};
use crate::{
    error::{Error, Result},
    image::codes,
    random::{Draws, Stream},
};

/// Four pictures around a point of the output, each with a corner there: a sample's own to the upper left of it, others of
/// its epoch to the upper right, lower left and lower right. It takes the place of a recipe's fit; what comes behind the fit
/// is done to all four as one picture, but mirroring, which each does by itself.
///
/// ```
/// use forebay::image::transform::Mosaic;
/// // Every other sample, as detectors are usually trained.
/// let mosaic = Mosaic::new().chance(0.5).scale(0.5, 1.5);
/// assert_eq!(mosaic.center, (0.25, 0.75));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Mosaic {
    /// How likely a sample becomes one.
    pub probability: f64,
    /// Where the pictures meet, across and down alike: at least and at most this share of the output.
    pub center: (f64, f64),
    /// How large each picture is, at least and at most: 1 is as large as it can be and still be seen as a whole on all of the
    /// output. What does not fit is cut off at the side that is away from the center.
    pub scale: (f64, f64),
}

impl Default for Mosaic {
    fn default() -> Self {
        Mosaic { probability: 1.0, center: (0.25, 0.75), scale: (0.5, 1.0) }
    }
}

impl Mosaic {
    /// Every sample, with a center in the middle half, and pictures from half to all of the output's size.
    pub fn new() -> Self {
        Mosaic::default()
    }
    /// Sets how likely a sample becomes one.
    #[must_use]
    pub fn chance(mut self, probability: f64) -> Self {
        self.probability = probability;
        self
    }
    /// Sets where pictures meet.
    #[must_use]
    pub fn center(mut self, least: f64, most: f64) -> Self {
        self.center = (least, most);
        self
    }
    /// Sets how large pictures are.
    #[must_use]
    pub fn scale(mut self, least: f64, most: f64) -> Self {
        self.scale = (least, most);
        self
    }

    pub(super) fn check(&self) -> Result<()> {
        let wrong = |what: String| Err(Error::new(&codes::RECIPE, what));
        if !(0.0..=1.0).contains(&self.probability) {
            return wrong(format!("a chance of {} is not between 0 and 1", self.probability));
        }
        let within = |(from, to): (f64, f64), least: f64, most: f64| from >= least && from <= to && to <= most;
        if !within(self.center, 0.0, 1.0) {
            return wrong(format!("a center from {} to {} is not in the output", self.center.0, self.center.1));
        }
        if !within(self.scale, SMALLEST, LARGEST) {
            let (from, to) = self.scale;
            return wrong(format!("pictures from {from} to {to} times the output's size are invalid"));
        }
        Ok(())
    }

    /// Where the pictures meet, in pixels of the output.
    pub(super) fn meet(&self, (width, height): (u32, u32), draw: &mut Draws) -> (u32, u32) {
        let mut side = |n: u32| (draw.between(self.center.0, self.center.1) * f64::from(n)).round_ties_even() as u32;
        (side(width), side(height))
    }
}

/// Scales of pictures.
const SMALLEST: f64 = 1e-3;
const LARGEST: f64 = 1e3;

/// One of the four places of a mosaic.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tile {
    /// 0 is the upper left, 1 the upper right, 2 the lower left, 3 the lower right.
    pub corner: u8,
    /// Where the four meet, in pixels of the output.
    pub center: (u32, u32),
    /// How large the picture is.
    pub scale: f64,
}

/// What is seen of one side of a picture.
struct Side {
    from: f64,
    length: f64,
    at: u32,
    size: u32,
}

impl Tile {
    /// Which share of the output it has.
    pub fn share(&self, (width, height): (u32, u32)) -> f64 {
        let side = |n: u32, center: u32, behind: bool| {
            let before = f64::from(center.min(n)) / f64::from(n.max(1));
            if behind { 1.0 - before } else { before }
        };
        side(width, self.center.0, self.is_right()) * side(height, self.center.1, self.is_lower())
    }

    fn is_right(&self) -> bool {
        self.corner & 1 == 1
    }
    fn is_lower(&self) -> bool {
        self.corner & 2 == 2
    }

    /// Places a picture of this full size, by the draws of its key: whether it is mirrored. `warp` is what moves the output's
    /// pixels behind that.
    pub(super) fn place(&self, recipe: &Recipe, full: (u32, u32), key: u64, warp: Option<Map>) -> Placement {
        let (width, height) = (recipe.width, recipe.height);
        let (w, h) = (f64::from(full.0), f64::from(full.1));
        let factor = (f64::from(width) / w).min(f64::from(height) / h) * self.scale;
        let mut draw = Stream::Flip.draws(key);
        let (mirrored, flipped) = (draw.chance(recipe.hflip), draw.chance(recipe.vflip));
        let side = |n: f64, all: u32, center: u32, behind: bool, round: bool| {
            let size = (n * factor).round_ties_even().max(1.0) as u32;
            let center = center.min(all);
            let room = if behind { all - center } else { center };
            let shown = size.min(room);
            // The corner at the center is always seen.
            let at = if behind { center } else { center - shown };
            let skipped = turned(if behind { 0 } else { size - shown }, shown, size, round);
            let part = |pixels: u32| f64::from(pixels) * n / f64::from(size);
            Side { from: part(skipped), length: part(shown), at, size: shown }
        };
        let x = side(w, width, self.center.0, self.is_right(), mirrored);
        let y = side(h, height, self.center.1, self.is_lower(), flipped);
        Placement {
            source: Rect { x: x.from, y: y.from, width: x.length, height: y.length },
            x: x.at,
            y: y.at,
            width: x.size,
            height: y.size,
            full_width: full.0,
            full_height: full.1,
            mirrored,
            flipped,
            output_width: width,
            output_height: height,
            warp,
            keep: Keep { visible: recipe.visible, side: recipe.least_side, center: false },
            ..Placement::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_meet_at_the_center_and_are_cut_off_away_from_it() {
        let recipe = Recipe::new(100, 80);
        let place = |corner| Tile { corner, center: (30, 50), scale: 1.0 }.place(&recipe, (200, 100), 7, None);
        // 100 × 50 pixels on 30 × 50, 70 × 50, 30 × 30 and 70 × 30 of the output.
        let sides = |p: &Placement| (p.x, p.y, p.width, p.height);
        let [a, b, c, d] = [place(0), place(1), place(2), place(3)];
        assert_eq!(
            [a, b, c, d].map(|p| sides(&p)),
            [(0, 0, 30, 50), (30, 0, 70, 50), (0, 50, 30, 30), (30, 50, 70, 30)]
        );
        assert_eq!(a.source, Rect { x: 140.0, y: 0.0, width: 60.0, height: 100.0 });
        assert_eq!(b.source, Rect { x: 0.0, y: 0.0, width: 140.0, height: 100.0 });
        assert_eq!(c.source, Rect { x: 140.0, y: 0.0, width: 60.0, height: 60.0 });
        assert_eq!(d.source, Rect { x: 0.0, y: 0.0, width: 140.0, height: 60.0 });
        for (placement, corner) in [(a, (200.0, 100.0)), (b, (0.0, 100.0)), (c, (200.0, 0.0)), (d, (0.0, 0.0))] {
            assert_eq!(placement.point(corner.0, corner.1), (30.0, 50.0));
        }
    }

    #[test]
    fn a_mirrored_picture_shows_its_other_side() {
        let recipe = Recipe::new(100, 100).hflip_chance(1.0);
        let placement = Tile { corner: 0, center: (30, 60), scale: 1.0 }.place(&recipe, (100, 100), 7, None);
        assert_eq!(placement.source, Rect { x: 0.0, y: 40.0, width: 30.0, height: 60.0 });
        assert_eq!(placement.point(0.0, 100.0), (30.0, 60.0));
        assert_eq!(placement.point(30.0, 40.0), (0.0, 0.0));
    }

    #[test]
    fn nothing_is_shown_where_there_is_no_room() {
        let recipe = Recipe::new(10, 10);
        for (corner, scale) in (0..4).flat_map(|corner| [(corner, 1e-3), (corner, 1.0), (corner, 1e3)]) {
            for center in [(0, 0), (10, 10), (0, 10), (5, 0)] {
                let tile = Tile { corner, center, scale };
                let placement = tile.place(&recipe, (3, 4000), 1, None);
                assert!(placement.x + placement.width <= 10 && placement.y + placement.height <= 10);
                let all = Rect { x: 0.0, y: 0.0, width: 3.0, height: 4000.0 };
                assert_eq!(placement.rect(&all).is_some(), placement.width > 0 && placement.height > 0);
                assert_eq!(
                    tile.share((10, 10)) == 0.0,
                    [0, 10].contains(&center.0) && { (center.0 == 0) != tile.is_right() }
                        || [0, 10].contains(&center.1) && (center.1 == 0) != tile.is_lower()
                );
            }
        }
    }
}
