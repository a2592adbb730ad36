//! The one thing that EXIF says about pixels: which way up they are.

use super::Orientation;
use crate::image::probe::tiff_value;

/// The orientation in an EXIF block, with or without its `Exif` signature. Whatever is wrong with the block,
/// the picture is upright.
pub(super) fn orientation(block: &[u8]) -> Orientation {
    const ORIENTATION: u64 = 0x0112;
    let tiff = block.strip_prefix(b"Exif\0\0").unwrap_or(block);
    tiff_value(tiff, ORIENTATION).map(Orientation::from_exif).unwrap_or_default()
}
