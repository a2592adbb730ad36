//! One change with all that was drawn for it.

use super::{
    super::{Map, Resampling},
    Canvas, perspective, tone,
    warp::{self, Back},
};

/// What is done to a picture. Its pixels are those of torchvision's functions for bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Operation {
    /// Lines are moved across by a share of their distance from the top.
    ShearX(f64),
    /// Columns are moved down by a share of their distance from the left.
    ShearY(f64),
    /// Everything is moved by whole pixels, across and down.
    Translate(i32, i32),
    /// Turned by degrees, counterclockwise.
    Rotate(f64),
    /// Turned by degrees, clockwise, with all else that is affine.
    Affine {
        /// The angle.
        degrees: f64,
        /// Pixels, across and down.
        translate: (f64, f64),
        /// The scale.
        scale: f64,
        /// Angles, in degrees.
        shear: (f64, f64),
    },
    /// The corners move to these: upper left, upper right, lower right, lower left.
    Perspective([(f64, f64); 4]),
    /// 0 is black, 1 unchanged.
    Brightness(f64),
    /// 0 is gray, 1 unchanged.
    Saturation(f64),
    /// 0 is of one gray, 1 unchanged.
    Contrast(f64),
    /// 0 is blurred, 1 unchanged.
    Sharpness(f64),
    /// This number of upper bits is kept.
    Posterize(u32),
    /// Levels from here on are turned over.
    Solarize(f64),
    /// See [`Augment`](super::Augment).
    AutoContrast,
    /// See [`Augment`](super::Augment).
    Equalize,
    /// See [`Augment`](super::Augment).
    Invert,
}

impl Operation {
    /// Changes pixels.
    pub fn apply(&self, canvas: &mut Canvas<'_>, resampling: Resampling) {
        match *self {
            Operation::Brightness(factor) => tone::brightness(canvas.pixels, factor),
            Operation::Saturation(factor) => tone::saturation(canvas.pixels, factor),
            Operation::Contrast(factor) => tone::contrast(canvas.pixels, factor),
            Operation::Sharpness(factor) => tone::sharpness(canvas, factor),
            Operation::Posterize(bits) => tone::posterize(canvas.pixels, bits),
            Operation::Solarize(threshold) => tone::solarize(canvas.pixels, threshold),
            Operation::AutoContrast => tone::autocontrast(canvas.pixels),
            Operation::Equalize => tone::equalize(canvas.pixels),
            Operation::Invert => tone::invert(canvas.pixels),
            _ => {
                if let Some(back) = self.back(canvas.size) {
                    warp::apply(canvas, &back, resampling);
                }
            }
        }
    }

    /// Where pixels of a picture of this size go, if they go anywhere.
    pub fn map(&self, size: (u32, u32)) -> Option<Map> {
        self.back(size).and_then(|back| back.map(size).inverse())
    }

    /// Where the pixels of the result come from.
    fn back(&self, (width, height): (u32, u32)) -> Option<Back> {
        // Around the middle, except shears, which are around the upper left corner.
        let corner = (f64::from(width) * -0.5, f64::from(height) * -0.5);
        let middle = (0.0, 0.0);
        let affine = |center, degrees: f64, translate, scale, shear| {
            Some(Back::Affine(inverse(center, degrees, translate, scale, shear)))
        };
        match *self {
            Operation::ShearX(level) => affine(corner, 0.0, (0.0, 0.0), 1.0, (level.atan().to_degrees(), 0.0)),
            Operation::ShearY(level) => affine(corner, 0.0, (0.0, 0.0), 1.0, (0.0, level.atan().to_degrees())),
            Operation::Translate(x, y) => affine(middle, 0.0, (f64::from(x), f64::from(y)), 1.0, (0.0, 0.0)),
            // torchvision turns by the angle from 0 to 360, and then the other way around than `affine`.
            Operation::Rotate(degrees) => affine(middle, -degrees.rem_euclid(360.0), (0.0, 0.0), 1.0, (0.0, 0.0)),
            Operation::Affine { degrees, translate, scale, shear } => affine(middle, degrees, translate, scale, shear),
            Operation::Perspective(corners) => {
                perspective::coefficients(corners, (width, height)).map(Back::Perspective)
            }
            _ => None,
        }
    }
}

/// The affine map from the result to the picture, around its middle: two rows.
fn inverse(
    (cx, cy): (f64, f64),
    degrees: f64,
    (tx, ty): (f64, f64),
    scale: f64,
    (shear_x, shear_y): (f64, f64),
) -> [f64; 6] {
    let (turn, sx, sy) = (degrees.to_radians(), shear_x.to_radians(), shear_y.to_radians());
    // Forwards it is a rotation times a shear down times a shear across; their product has the determinant 1.
    let a = (turn - sy).cos() / sy.cos();
    let b = -(a * sx.tan() + turn.sin());
    let c = (turn - sy).sin() / sy.cos();
    let d = turn.cos() - c * sx.tan();
    let (a, b, c, d) = (d / scale, -b / scale, -c / scale, a / scale);
    [a, b, cx - a * (cx + tx) - b * (cy + ty), c, d, cy - c * (cx + tx) - d * (cy + ty)]
}
