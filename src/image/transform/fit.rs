//! Which part of a picture is wanted, and parts of pictures.

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

/// Where a part of `size` that begins at `at` of `all` begins when all of it is turned round.
pub(super) fn turned(at: u32, size: u32, all: u32, round: bool) -> u32 {
    if round { all.saturating_sub(at).saturating_sub(size) } else { at }
}
