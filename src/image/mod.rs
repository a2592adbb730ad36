//! What Forebay knows about pictures.
//!
//! | module | what it does | feature |
//! |---|---|---|
//! | [`probe`](mod@probe) | format, width and height from the first bytes, without decoding | |
//! | `decode` | pixels of JPEG, PNG, WebP, BMP, TIFF and raw RGB | `decode`, or one format's name |
//! | `transform` | crops, resizing, augmentation, tensors | `transform` |

#[cfg(any(feature = "jpeg", feature = "png", feature = "webp", feature = "bmp", feature = "tiff"))]
pub mod decode;
pub mod probe;

pub use probe::{Probe, format_of, probe};

/// The codes of pictures.
pub mod codes {
    use crate::error::Code;
    /// The picture's bytes contradict its format.
    pub const DAMAGED: Code =
        Code::damaged("image.damaged", "A picture is truncated or damaged; the message has the decoder's words.");
    /// The picture's kind is not decoded.
    pub const UNSUPPORTED: Code = Code::unsupported(
        "image.unsupported",
        "A picture's format, or a variant of it, is one that this build does not decode.",
    );
    /// Too many pixels.
    pub const PIXELS: Code = Code::limit("image.pixels", "A picture has more pixels than the limit `pixels`.");
    /// Raw pixels of another size than the index says.
    pub const RAW_SIZE: Code =
        Code::damaged("image.raw_size", "A raw RGB sample does not have height × width × 3 bytes.");
    /// A recipe that makes no sense.
    pub const RECIPE: Code =
        Code::usage("image.recipe", "A transform's sizes, ranges or buffers make no sense; the message says which.");
    /// Every code of this module.
    pub const ALL: &[&Code] = &[&DAMAGED, &UNSUPPORTED, &PIXELS, &RAW_SIZE, &RECIPE];
}
