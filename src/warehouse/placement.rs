//! Where a picture lands on the image that is stored, and its boxes with it.
//!
//! ```
//! use forebay::warehouse::{Placement, ResizeMode};
//! let placed = Placement::new(ResizeMode::Letterbox, [320, 240], [64, 64]);
//! assert_eq!((placed.resized, placed.pad), ([64, 48], [0, 8]));
//! assert_eq!(placed.place([40.0, 60.0, 160.0, 180.0]), Some([0.125, 0.3125, 0.5, 0.6875]));
//! // What lies outside of the picture leaves nothing.
//! assert_eq!(placed.place([400.0, 10.0, 420.0, 20.0]), None);
//! ```

use super::ResizeMode;

/// How a picture lies on the image: all of it, scaled, with black around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Placement {
    /// Width and height of the picture.
    pub source: [u32; 2],
    /// Width and height to which it is scaled; a side may be 0 where the picture is very much longer than high.
    pub resized: [u32; 2],
    /// Black to the left and above.
    pub pad: [u32; 2],
    /// Width and height of the image.
    pub target: [u32; 2],
}

/// Where the corners of a box were found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Chosen {
    /// Left, top, right, bottom in pixels of the picture.
    pub corners: [f64; 4],
    /// The box is also given in shares of the picture, and those say another place, by more than half a pixel.
    pub disagrees: bool,
}

/// Pixels by which two ways to say a box may differ.
const ROUNDING: f64 = 0.5;

impl Placement {
    /// Places a picture of a size on an image of a size.
    pub fn new(mode: ResizeMode, source: [u32; 2], target: [u32; 2]) -> Placement {
        if mode == ResizeMode::Force {
            return Placement { source, resized: target, pad: [0; 2], target };
        }
        // In f32, as whoever is to get the same pixels does it.
        let scale = |k: usize| target[k] as f32 / source[k].max(1) as f32;
        let scale = scale(0).min(scale(1));
        let resized = [0, 1].map(|k| ((source[k] as f32 * scale).round() as u32).min(target[k]));
        Placement { source, resized, pad: [0, 1].map(|k| (target[k] - resized[k]) / 2), target }
    }

    /// Where a box of the picture lies on the image, in shares of it: left, top, right, bottom. What leaves the picture
    /// is cut off; `None` where nothing with an area is left.
    pub fn place(&self, corners: [f64; 4]) -> Option<[f32; 4]> {
        let place = |at: f64, k: usize| {
            let source = f64::from(self.source[k]);
            // What is not a number lies nowhere.
            let at = at.clamp(0.0, source);
            let on = at * f64::from(self.resized[k]) / source + f64::from(self.pad[k]);
            (on / f64::from(self.target[k])) as f32
        };
        let [left, top, right, bottom] = corners;
        let placed = [place(left, 0), place(top, 1), place(right, 0), place(bottom, 1)];
        (placed[0] < placed[2] && placed[1] < placed[3]).then_some(placed)
    }
}

/// The corners of a box that is given in pixels, in shares of the picture, or both: then the pixels count. `None` where
/// it is given in neither.
pub fn choose(pixels: Option<[f64; 4]>, shares: Option<[f64; 4]>, [width, height]: [u32; 2]) -> Option<Chosen> {
    let sides = [width, height, width, height].map(f64::from);
    let scaled = shares.map(|shares| std::array::from_fn(|k| shares[k] * sides[k]));
    match (pixels, scaled) {
        (Some(corners), Some(scaled)) => {
            let apart = |k: usize| {
                let (a, b): (f64, f64) = (corners[k], scaled[k]);
                (a - b).abs() > ROUNDING
            };
            Some(Chosen { corners, disagrees: (0..4).any(apart) })
        }
        (one, other) => one.or(other).map(|corners| Chosen { corners, disagrees: false }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_of_any_shape_stay_on_the_image() {
        for source in [[1, 1], [2000, 1], [1, 2000], [33, 77], [u32::MAX, 3], [640, 480], [0, 7]] {
            for target in [[64, 64], [48, 20], [1, 1]] {
                let placed = Placement::new(ResizeMode::Letterbox, source, target);
                for (axis, side) in target.into_iter().enumerate() {
                    assert!(placed.pad[axis] + placed.resized[axis] <= side, "{placed:?}");
                }
                assert_eq!(Placement::new(ResizeMode::Force, source, target).resized, target);
            }
        }
        let flat = Placement::new(ResizeMode::Letterbox, [2000, 1], [16, 16]);
        assert_eq!((flat.resized, flat.pad), ([16, 0], [0, 8]));
        assert_eq!(flat.place([0.0, 0.0, 2000.0, 1.0]), None);
    }

    #[test]
    fn boxes_are_cut_at_the_picture_and_not_at_the_image() {
        let placed = Placement::new(ResizeMode::Letterbox, [80, 60], [64, 64]);
        assert_eq!(placed.place([-8.0, -6.0, 30.0, 30.0]), Some([0.0, 0.125, 0.375, 0.5]));
        for nothing in
            [[9.0, 9.0, 9.0, 30.0], [20.0, 4.0, 4.0, 20.0], [f64::NAN, 0.0, 1.0, 1.0], [80.0, 0.0, 90.0, 9.0]]
        {
            assert_eq!(placed.place(nothing), None, "{nothing:?}");
        }
        let stretched = Placement::new(ResizeMode::Force, [80, 60], [48, 48]);
        assert_eq!(stretched.place([8.0, 6.0, 40.0, 30.0]), Some([0.1, 0.1, 0.5, 0.5]));
    }

    #[test]
    fn pixels_come_before_shares_and_half_a_pixel_between_them_is_rounding() {
        let both = |shares| choose(Some([8.0, 6.0, 40.0, 30.0]), Some(shares), [80, 60]).unwrap();
        assert!(!both([0.1, 0.1, 0.506, 0.5]).disagrees);
        let other = both([0.5, 0.5, 0.75, 0.75]);
        assert_eq!((other.corners, other.disagrees), ([8.0, 6.0, 40.0, 30.0], true));
        assert_eq!(choose(None, Some([0.1, 0.5, 0.2, 1.0]), [10, 20]).unwrap().corners, [1.0, 10.0, 2.0, 20.0]);
        assert_eq!(choose(None, None, [1, 1]), None);
    }
}
