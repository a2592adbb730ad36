//! What Forebay knows about pictures.
//!
//! | module | what it does | feature |
//! |---|---|---|
//! | [`probe`](fn@probe) | format, width and height from the first bytes, without decoding | |
//! | `decode` | pixels of JPEG, PNG, WebP, BMP, TIFF and raw RGB | `decode`, or one format's name |
//! | `transform` | crops, resizing, augmentation, tensors | `transform` |

use crate::error::{Error, Result};

#[cfg(any(feature = "jpeg", feature = "png", feature = "webp", feature = "bmp", feature = "tiff"))]
pub mod decode;
#[cfg(feature = "jpeg")]
mod jpeg;
#[cfg(any(feature = "jpeg", feature = "transform"))]
mod lanes;
#[cfg(feature = "transform")]
pub mod transform;

#[doc(inline)]
pub use forebay_base::image::{HEAD_BYTES, Probe, format_of, probe, probe_named};

/// A decoded picture, in the buffer of what decoded it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Picture<'a> {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Red, green, blue, line by line: width × height × 3 bytes.
    pub pixels: &'a [u8],
    /// The `width` of the image decoded in full.
    pub full_width: u32,
    /// The `height` of the image decoded in full.
    pub full_height: u32,
    /// The size to which it was decoded, in eighths of the full one, rounded up: 8 unless less was asked for.
    pub eighths: u32,
    /// Pixels of that size left of these, if only a part was decoded; otherwise 0.
    pub left: u32,
    /// Pixels of that size above these, if only a part was decoded; otherwise 0.
    pub top: u32,
}

impl<'a> Picture<'a> {
    /// A picture in full; refused if the pixels are not width × height × 3 bytes.
    pub fn new(width: u32, height: u32, pixels: &'a [u8]) -> Result<Self> {
        let bytes = u128::from(width) * u128::from(height) * 3;
        if pixels.len() as u128 != bytes {
            let message = format!("{width} × {height} × 3 is {bytes} bytes, the pixels have {}", pixels.len());
            return Err(Error::new(&codes::RAW_SIZE, message).section("payload"));
        }
        Ok(Picture { width, height, pixels, full_width: width, full_height: height, eighths: 8, left: 0, top: 0 })
    }
}

/// The codes of pictures.
#[doc(hidden)]
pub mod codes {
    use crate::error::Code;
    /// The picture's bytes contradict its format.
    pub const DAMAGED: Code =
        Code::damaged("image.damaged", "An image is truncated or damaged; the message has the decoder's words.");
    /// The picture's kind is not decoded.
    pub const UNSUPPORTED: Code = Code::unsupported(
        "image.unsupported",
        "An image's format, or a variant of it, is one that this build does not decode.",
    );
    /// Too many pixels.
    pub const PIXELS: Code =
        Code::limit("image.pixels", "An image has more pixels than the limit `pixels`, or than there is memory for.");
    /// Too many scans.
    pub const SCANS: Code = Code::limit(
        "image.scans",
        "A JPEG of several scans asks for more passes over its pixels than programs write: over 100 scans, or 24 passes over a large image.",
    );
    /// Raw pixels of another size than the index says.
    pub const RAW_SIZE: Code =
        Code::damaged("image.raw_size", "A raw RGB sample does not have height × width × 3 bytes.");
    /// A recipe that is invalid.
    pub const RECIPE: Code =
        Code::usage("image.recipe", "A transform's sizes, ranges or buffers are invalid; the message says which.");
    /// Every code of this module.
    pub const ALL: &[&Code] = &[&DAMAGED, &UNSUPPORTED, &PIXELS, &SCANS, &RAW_SIZE, &RECIPE];
}
