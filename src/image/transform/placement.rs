//! Which part of a picture landed where on the output.

use super::{Map, Rect, Resampling, Shown};
use crate::image::Picture;
#[cfg(any(feature = "jpeg", feature = "png", feature = "webp", feature = "bmp", feature = "tiff"))]
use crate::image::decode::Region;

/// Which boxes are worth keeping.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Keep {
    /// The least share of its area that must be left of a box.
    pub visible: f64,
    /// The least width and height, in pixels of the output.
    pub side: f64,
    /// Whether its center must be in the part that was taken.
    pub center: bool,
}

/// Which part of the full-size picture lands on which part of the output, and which way round: all that is drawn of a
/// sample's geometry, so that boxes, points and masks can [follow](Self::rect) its pixels.
///
/// ```
/// use forebay::image::transform::{Recipe, Rect};
/// // The middle 224 × 224 of 448 × 224 pixels, mirrored: what was right of the middle is left of it.
/// let placement = Recipe::new(224, 224).pad([0; 3]).hflip_chance(1.0).place(448, 224, 42);
/// let seen = placement.rect(&Rect { x: 312.0, y: 10.0, width: 20.0, height: 30.0 });
/// assert_eq!(seen, Some(Rect { x: 4.0, y: 10.0, width: 20.0, height: 30.0 }));
/// assert_eq!(placement.rect(&Rect { x: 0.0, y: 0.0, width: 112.0, height: 9.0 }), None); // cut off
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Placement {
    /// The part of the picture at its full size (of the upright picture, if it is turned as its EXIF orientation says).
    pub source: Rect,
    /// The output's part: left edge.
    pub x: u32,
    /// The output's part: upper edge.
    pub y: u32,
    /// The output's part: width.
    pub width: u32,
    /// The output's part: height.
    pub height: u32,
    /// The picture's full width, of which the source is a part.
    pub full_width: u32,
    /// The picture's full height.
    pub full_height: u32,
    /// The source's left edge is on the right of that part.
    pub mirrored: bool,
    /// The source's upper edge is at the bottom of that part.
    pub flipped: bool,
    /// The output's width, of which that part is one.
    pub output_width: u32,
    /// The output's height.
    pub output_height: u32,
    /// What moved the output's pixels when all of that was done: rotations and the like, in pixels of the output.
    pub warp: Option<Map>,
    /// Which boxes are kept.
    pub keep: Keep,
    /// Which part of the output shows it, where another picture lies over it.
    #[doc(hidden)]
    pub shown: Shown,
}

impl Placement {
    /// The smallest size to which the picture may be decoded without its part having fewer pixels than the output.
    pub fn at_least(&self, full_width: u32, full_height: u32) -> (u32, u32) {
        let need = |full: u32, part: f64, size: u32| {
            if part > 0.0 { (f64::from(full) * f64::from(size) / part).ceil() as u32 } else { 1 }
        };
        (need(full_width, self.source.width, self.width), need(full_height, self.source.height, self.height))
    }

    /// The part of the full-size picture that resizing looks at: the source, and what the filter reaches around it
    /// also where the picture is decoded to a smaller size. `None` if that is not a part.
    #[cfg(any(feature = "jpeg", feature = "png", feature = "webp", feature = "bmp", feature = "tiff"))]
    pub fn region(&self, resampling: Resampling) -> Option<Region> {
        let Rect { x, y, width, height } = self.source;
        if width <= 0.0 || height <= 0.0 {
            return None;
        }
        let reach = match resampling {
            Resampling::Nearest | Resampling::Bilinear | Resampling::BilinearPlain => 1.0,
            Resampling::Bicubic => 2.0,
            Resampling::Lanczos => 3.0,
        };
        let span = |from: f64, length: f64, size: u32| {
            // A pixel of the smaller picture stands for at most 8; one more for each rounding.
            let margin = (reach + 1.0) * (length / f64::from(size.max(1))).max(8.0) + 8.0;
            let start = (from - margin).floor().max(0.0);
            (start as u32, (from + length + margin - start).ceil() as u32)
        };
        let ((x, width), (y, height)) = (span(x, width, self.width), span(y, height, self.height));
        Some(Region { x, y, width, height })
    }

    /// The part in a picture that may have been decoded to a smaller size, inside its edges whatever the rounding.
    pub(super) fn source_in(&self, picture: &Picture<'_>) -> Rect {
        let factor = f64::from(picture.eighths) / 8.0;
        let part = |from: f64, length: f64, n: u32, before: u32| {
            let from = (from * factor - f64::from(before)).clamp(0.0, f64::from(n));
            (from, (length * factor).min(f64::from(n) - from))
        };
        let (x, width) = part(self.source.x, self.source.width, picture.width, picture.left);
        let (y, height) = part(self.source.y, self.source.height, picture.height, picture.top);
        Rect { x, y, width, height }
    }

    /// True if the picture leaves nothing of the output to fill.
    pub(super) fn covers(&self, width: u32, height: u32) -> bool {
        (self.x, self.y, self.width, self.height) == (0, 0, width, height)
    }

    /// The upper left pixel, if every pixel of the part is one of the output.
    pub(super) fn pixel_for_pixel(&self, source: &Rect) -> Option<(usize, usize)> {
        let exact = source.width == f64::from(self.width)
            && source.height == f64::from(self.height)
            && source.x.fract() == 0.0
            && source.y.fract() == 0.0;
        exact.then_some((source.x as usize, source.y as usize))
    }
}
