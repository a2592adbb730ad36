//! Four pictures around a point of the output, or nine in three rows.

use super::super::{Keep, Map, Placement, Recipe, Rect, fit::turned};
use crate::{
    error::{Error, Result},
    image::codes,
    random::{Draws, Stream},
};

/// Four pictures around a point of the output, each with a corner there: a sample's own to the upper left of it, others of
/// its epoch to the upper right, lower left and lower right. It takes the place of a recipe's fit; what comes behind the fit
/// is done to all four as one picture, but mirroring, which each does by itself. Or [nine](Self::nine) of them, in three rows.
///
/// ```
/// use forebay::image::transform::Mosaic;
/// // Every other sample, as detectors are usually trained.
/// let mosaic = Mosaic::new().chance(0.5).scale(0.5, 1.5);
/// assert_eq!(mosaic.center, (0.25, 0.75));
/// // The sample's own picture in the middle, and eight around it.
/// assert_eq!(Mosaic::nine().pictures, 9);
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
    /// How many there are: 4 or 9.
    pub pictures: u8,
}

impl Default for Mosaic {
    fn default() -> Self {
        Mosaic { probability: 1.0, center: (0.25, 0.75), scale: (0.5, 1.0), pictures: 4 }
    }
}

impl Mosaic {
    /// Every sample, with a center in the middle half, and pictures from half to all of the output's size.
    pub fn new() -> Self {
        Mosaic::default()
    }
    /// Nine pictures instead of four, from a quarter to three fifths of the output's size: the sample's own in the middle third,
    /// whose own middle is the center, and eight around it.
    pub fn nine() -> Self {
        Mosaic { scale: (0.25, 0.6), pictures: 9, ..Mosaic::default() }
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
            return wrong(format!("images from {from} to {to} times the output's size are invalid"));
        }
        if ![4, 9].contains(&self.pictures) {
            return wrong(format!("a mosaic has 4 or 9 images, and not {}", self.pictures));
        }
        Ok(())
    }

    /// The center, in pixels of the output.
    pub(super) fn meet(&self, (width, height): (u32, u32), draw: &mut Draws) -> (u32, u32) {
        let mut side = |n: u32| (draw.between(self.center.0, self.center.1) * f64::from(n)).round_ties_even() as u32;
        (side(width), side(height))
    }
}

/// Scales of pictures.
const SMALLEST: f64 = 1e-3;
const LARGEST: f64 = 1e3;

/// Where the pictures of nine are, in the order in which they are drawn: the middle, and then from the upper left to the lower
/// right.
const NINE: [u8; 9] = [4, 0, 1, 2, 3, 5, 6, 7, 8];

/// One of the places of a mosaic.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tile {
    /// Of four: 0 is the upper left, 1 the upper right, 2 the lower left, 3 the lower right. Of nine: 0 is the middle, and the others
    /// follow from the upper left to the lower right.
    pub corner: u8,
    /// How many places there are: 4 or 9.
    pub of: u8,
    /// Where the four meet, or the middle of the middle one, in pixels of the output.
    pub center: (u32, u32),
    /// How large the picture is.
    pub scale: f64,
}

/// One side of a place: from where to where it reaches, and where in it a picture lies.
struct Room {
    from: u32,
    to: u32,
    lies: Lies,
}

/// Where in its place a picture lies, and what of it is seen if it is larger: its end, its middle, its beginning.
#[derive(Clone, Copy)]
enum Lies {
    End,
    Middle,
    Begin,
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
        let side = |n: u32, room: Room| f64::from(room.to - room.from) / f64::from(n.max(1));
        let (across, down) = self.rooms((width, height));
        side(width, across) * side(height, down)
    }

    /// Its place on an output of this size, across and down.
    fn rooms(&self, (width, height): (u32, u32)) -> (Room, Room) {
        let (column, row) = match (self.of, NINE.get(usize::from(self.corner))) {
            (9, Some(place)) => (place % 3, place / 3),
            // Of four there is nothing between the outer ones.
            _ => ((self.corner & 1) * 2, self.corner & 2),
        };
        let one = |n: u32, center: u32, place: u8| {
            let center = center.min(n);
            let half = if self.of == 9 { (n / 6).max(1) } else { 0 };
            let (first, last) = (center.saturating_sub(half), center.saturating_add(half).min(n));
            match place {
                0 => Room { from: 0, to: first, lies: Lies::End },
                1 => Room { from: first, to: last, lies: Lies::Middle },
                _ => Room { from: last, to: n, lies: Lies::Begin },
            }
        };
        (one(width, self.center.0, column), one(height, self.center.1, row))
    }

    /// Places a picture of this full size, by the draws of its key: whether it is mirrored. `warp` is what moves the output's
    /// pixels behind that.
    pub(super) fn place(&self, recipe: &Recipe, full: (u32, u32), key: u64, warp: Option<Map>) -> Placement {
        let (width, height) = (recipe.width, recipe.height);
        let (w, h) = (f64::from(full.0), f64::from(full.1));
        let factor = (f64::from(width) / w).min(f64::from(height) / h) * self.scale;
        let mut draw = Stream::Flip.draws(key);
        let (mirrored, flipped) = (draw.chance(recipe.hflip), draw.chance(recipe.vflip));
        let side = |n: f64, Room { from, to, lies }: Room, round: bool| {
            let size = (n * factor).round_ties_even().max(1.0) as u32;
            let room = to - from;
            let shown = size.min(room);
            let (at, before) = match lies {
                Lies::End => (to - shown, size - shown),
                Lies::Middle => (from + (room - shown) / 2, (size - shown) / 2),
                Lies::Begin => (from, 0),
            };
            let skipped = turned(before, shown, size, round);
            let part = |pixels: u32| f64::from(pixels) * n / f64::from(size);
            Side { from: part(skipped), length: part(shown), at, size: shown }
        };
        let (across, down) = self.rooms((width, height));
        let (x, y) = (side(w, across, mirrored), side(h, down, flipped));
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
        let place = |corner| Tile { corner, of: 4, center: (30, 50), scale: 1.0 }.place(&recipe, (200, 100), 7, None);
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
        let placement = Tile { corner: 0, of: 4, center: (30, 60), scale: 1.0 }.place(&recipe, (100, 100), 7, None);
        assert_eq!(placement.source, Rect { x: 0.0, y: 40.0, width: 30.0, height: 60.0 });
        assert_eq!(placement.point(0.0, 100.0), (30.0, 60.0));
        assert_eq!(placement.point(30.0, 40.0), (0.0, 0.0));
    }

    #[test]
    fn nine_pictures_lie_around_the_middle_one() {
        let recipe = Recipe::new(120, 90);
        let place = |corner| Tile { corner, of: 9, center: (60, 40), scale: 0.5 }.place(&recipe, (200, 100), 7, None);
        // 60 × 30 pixels, in columns of 40, 40 and 40 of the output and rows of 25, 30 and 35.
        let sides: Vec<_> = (0..9).map(place).map(|p| (p.x, p.y, p.width, p.height)).collect();
        let rows = [(0, 25), (25, 30), (55, 30)];
        let at = |column: u32, row: usize| (column * 40, rows[row].0, 40, rows[row].1);
        let around =
            [(0, 0), (1, 0), (2, 0), (0, 1), (2, 1), (0, 2), (1, 2), (2, 2)].map(|(column, row)| at(column, row));
        assert_eq!(sides, [&[at(1, 1)][..], &around[..]].concat());
        // Of the middle the middle is seen, of the others what is next to it.
        for (corner, seen, lands) in [
            (0, (100.0, 50.0), (60.0, 40.0)),
            (1, (200.0, 100.0), (40.0, 25.0)),
            (3, (0.0, 100.0), (80.0, 25.0)),
            (8, (0.0, 0.0), (80.0, 55.0)),
        ] {
            let (x, y) = place(corner).point(seen.0, seen.1);
            assert!((x - lands.0).abs() < 1e-9 && (y - lands.1).abs() < 1e-9, "{corner} {x} {y}");
        }
        let shares: f64 =
            (0..9).map(|corner| Tile { corner, of: 9, center: (60, 40), scale: 0.5 }.share((120, 90))).sum();
        assert!((shares - 1.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_is_shown_where_there_is_no_room() {
        let recipe = Recipe::new(10, 10);
        let places = (0..4).map(|corner| (corner, 4)).chain((0..9).map(|corner| (corner, 9)));
        for ((corner, of), scale) in places.flat_map(|place| [1e-3, 1.0, 1e3].map(|scale| (place, scale))) {
            for center in [(0, 0), (10, 10), (0, 10), (5, 0), (u32::MAX, 3)] {
                let tile = Tile { corner, of, center, scale };
                let placement = tile.place(&recipe, (3, 4000), 1, None);
                assert!(placement.x + placement.width <= 10 && placement.y + placement.height <= 10);
                let all = Rect { x: 0.0, y: 0.0, width: 3.0, height: 4000.0 };
                assert_eq!(placement.rect(&all).is_some(), placement.width > 0 && placement.height > 0);
                assert_eq!(tile.share((10, 10)) > 0.0, placement.width > 0 && placement.height > 0);
            }
        }
    }
}
