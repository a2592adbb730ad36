//! Which part of a picture lands where on the output.

use super::{Keep, Map, Recipe, Resampling, Shown};
#[cfg(feature = "augment")]
use super::{augment, boxed};
#[cfg(any(feature = "jpeg", feature = "png", feature = "webp", feature = "bmp", feature = "tiff"))]
use crate::image::decode::Region;
use crate::{
    image::Picture,
    random::{Draws, Stream},
};

/// Which part of the picture becomes the output, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Fit {
    /// All of it, distorted to the output's shape.
    #[default]
    Stretch,
    /// The middle, after resizing the shorter side to `short` (or not at all), as torchvision's Resize and
    /// CenterCrop do.
    CenterCrop {
        /// The shorter side before the crop; `None` leaves the picture's own size.
        short: Option<u32>,
    },
    /// A random part, not resized, of the picture with `padding` around it.
    RandomCrop {
        /// Pixels of the fill color on every side.
        padding: u32,
    },
    /// A random rectangle, resized: torchvision's RandomResizedCrop.
    RandomResizedCrop {
        /// The least and the largest share of the area.
        scale: (f64, f64),
        /// The least and the largest width divided by height.
        ratio: (f64, f64),
    },
    /// All of it, undistorted, in the middle of the fill color.
    Letterbox,
    /// A random rectangle around all boxes of the picture, resized; without boxes all of the picture.
    #[cfg(feature = "augment")]
    AroundBoxes,
    /// A random rectangle that shows the center of a box and overlaps it by a chance share, resized, or all of the
    /// picture: SSD's crop, torchvision's RandomIoUCrop. Boxes whose center is cut off are left out.
    #[cfg(feature = "augment")]
    OverlapBoxes {
        /// The least and the largest share of each side.
        scale: (f64, f64),
        /// The least and the largest width divided by height.
        ratio: (f64, f64),
    },
}

/// A part of a picture, in pixels that need not be whole.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rect {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
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

/// One axis of a placement.
struct Span {
    from: f64,
    length: f64,
    at: u32,
    size: u32,
}

impl Recipe {
    /// Places a picture of this full size, by the draws of one sample: its crop, and whether it is mirrored.
    #[doc(hidden)]
    pub fn place(&self, width: u32, height: u32, sample_key: u64) -> Placement {
        self.place_boxes(width, height, &[], sample_key)
    }

    /// The same for a picture with boxes, which some fits look at; in pixels of the picture.
    #[doc(hidden)]
    pub fn place_boxes(&self, width: u32, height: u32, boxes: &[Rect], sample_key: u64) -> Placement {
        #[cfg(not(feature = "augment"))]
        let _ = boxes;
        let (w, h) = (f64::from(width), f64::from(height));
        let whole = |n: f64, size| Span { from: 0.0, length: n, at: 0, size };
        let spans = |r: &Rect| {
            let span = |from, length, size| Span { from, length, at: 0, size };
            (span(r.x, r.width, self.width), span(r.y, r.height, self.height))
        };
        let (x, y) = match self.fit {
            Fit::Stretch => (whole(w, self.width), whole(h, self.height)),
            Fit::CenterCrop { short } => {
                let (wide, high) = match short {
                    Some(short) if width <= height => (short, side(f64::from(short) * h / w)),
                    Some(short) => (side(f64::from(short) * w / h), short),
                    None => (width, height),
                };
                (middle(width, wide, self.width), middle(height, high, self.height))
            }
            Fit::RandomCrop { padding } => {
                let mut draw = Stream::Crop.draws(sample_key);
                let y = cut(height, padding, self.height, &mut draw);
                (cut(width, padding, self.width, &mut draw), y)
            }
            Fit::RandomResizedCrop { scale, ratio } => {
                spans(&random_rectangle(width, height, scale, ratio, sample_key))
            }
            #[cfg(feature = "augment")]
            Fit::AroundBoxes => spans(&boxed::around((width, height), boxes, &mut Stream::Crop.draws(sample_key))),
            #[cfg(feature = "augment")]
            Fit::OverlapBoxes { scale, ratio } => {
                let draw = &mut Stream::Crop.draws(sample_key);
                spans(&boxed::overlapping((width, height), scale, ratio, boxes, draw))
            }
            Fit::Letterbox => {
                let factor = (f64::from(self.width) / w).min(f64::from(self.height) / h);
                let inner = |n: f64, room: u32| {
                    let size = ((n * factor).round_ties_even() as u32).clamp(1, room);
                    Span { from: 0.0, length: n, at: (room - size) / 2, size }
                };
                (inner(w, self.width), inner(h, self.height))
            }
        };
        let mut draw = Stream::Flip.draws(sample_key);
        let (mirrored, flipped) = (draw.chance(self.hflip), draw.chance(self.vflip));
        Placement {
            source: Rect { x: x.from, y: y.from, width: x.length, height: y.length },
            x: turned(x.at, x.size, self.width, mirrored),
            y: turned(y.at, y.size, self.height, flipped),
            width: x.size,
            height: y.size,
            full_width: width,
            full_height: height,
            mirrored,
            flipped,
            output_width: self.width,
            output_height: self.height,
            warp: self.warp(sample_key),
            keep: self.keep(),
            shown: Shown::All,
        }
    }

    /// What moves the output's pixels once they are drawn.
    pub(super) fn warp(&self, sample_key: u64) -> Option<Map> {
        #[cfg(feature = "augment")]
        return augment::warp(self, sample_key);
        #[cfg(not(feature = "augment"))]
        {
            let _ = sample_key;
            None
        }
    }

    fn keep(&self) -> Keep {
        #[cfg(feature = "augment")]
        let center = matches!(self.fit, Fit::OverlapBoxes { .. });
        #[cfg(not(feature = "augment"))]
        let center = false;
        Keep { visible: self.visible, side: self.least_side, center }
    }
}

/// Where a part of `size` that begins at `at` of `all` begins when all of it is turned round.
pub(super) fn turned(at: u32, size: u32, all: u32, round: bool) -> u32 {
    if round { all.saturating_sub(at).saturating_sub(size) } else { at }
}

/// A side of a resized picture: whole, and at least one pixel.
fn side(pixels: f64) -> u32 {
    (pixels as u32).max(1)
}

/// The middle `target` of `n` pixels that were resized to `resized`; all of them, within filling, if that is less.
fn middle(n: u32, resized: u32, target: u32) -> Span {
    let factor = f64::from(n) / f64::from(resized);
    if resized < target {
        return Span { from: 0.0, length: f64::from(n), at: (target - resized) / 2, size: resized };
    }
    let from = (f64::from(resized - target) / 2.0).round_ties_even();
    Span { from: from * factor, length: f64::from(target) * factor, at: 0, size: target }
}

/// A random `target` of `n` pixels with padding on both sides.
fn cut(n: u32, padding: u32, target: u32, draw: &mut Draws) -> Span {
    let (n, target) = (u64::from(n), u64::from(target));
    let all = (n + 2 * u64::from(padding)).max(target);
    let lead = (all - n) / 2;
    // Never more than 2^32: sides and padding are at most 2^32 - 1 each.
    let choices = u32::try_from(all - target + 1).unwrap_or(u32::MAX);
    let start = u64::from(draw.below(choices));
    let (from, to) = (start.max(lead), (start + target).min(lead + n));
    let size = to.saturating_sub(from);
    if size == 0 {
        return Span { from: 0.0, length: 0.0, at: 0, size: 0 }; // all of it is padding
    }
    Span { from: (from - lead) as f64, length: size as f64, at: (from - start) as u32, size: size as u32 }
}

/// Ten tries for a rectangle that fits, then the largest in the middle.
fn random_rectangle(width: u32, height: u32, scale: (f64, f64), ratio: (f64, f64), sample_key: u64) -> Rect {
    let (w, h) = (f64::from(width), f64::from(height));
    let mut draw = Stream::Crop.draws(sample_key);
    for _ in 0..10 {
        let area = w * h * draw.between(scale.0, scale.1);
        let aspect = draw.between(ratio.0.ln(), ratio.1.ln()).exp();
        let (cut_w, cut_h) = ((area * aspect).sqrt().round_ties_even(), (area / aspect).sqrt().round_ties_even());
        if cut_w >= 1.0 && cut_w <= w && cut_h >= 1.0 && cut_h <= h {
            let y = f64::from(draw.below((h - cut_h) as u32 + 1));
            let x = f64::from(draw.below((w - cut_w) as u32 + 1));
            return Rect { x, y, width: cut_w, height: cut_h };
        }
    }
    let (cut_w, cut_h) = if w / h < ratio.0 {
        (w, (w / ratio.0).round_ties_even().clamp(1.0, h))
    } else if w / h > ratio.1 {
        ((h * ratio.1).round_ties_even().clamp(1.0, w), h)
    } else {
        (w, h)
    };
    Rect { x: ((w - cut_w) / 2.0).floor(), y: ((h - cut_h) / 2.0).floor(), width: cut_w, height: cut_h }
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
