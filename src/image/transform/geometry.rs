//! Which part of a picture lands where on the output.

use super::{Fit, Keep, Map, Placement, Recipe, Rect, Shown, fit::turned};
#[cfg(feature = "augment")]
use super::{augment, boxed};
use crate::random::{Draws, Stream};

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
