//! PNG, WebP, bitmaps and TIFF, through the crate `image`, which puts one face over a maintained crate for each.

use std::io::Cursor;

use image::{DynamicImage, ImageDecoder, ImageError, ImageResult, metadata};

use super::{Decoded, Options, Orientation, check_pixels, damaged};
use crate::{
    error::{Error, Result},
    image::codes,
};

#[cfg(feature = "png")]
pub(super) fn png(payload: &[u8], options: &Options, buffer: &mut Vec<u8>) -> Result<Decoded> {
    read(image::codecs::png::PngDecoder::new(Cursor::new(payload)), options, buffer)
}

#[cfg(feature = "webp")]
pub(super) fn webp(payload: &[u8], options: &Options, buffer: &mut Vec<u8>) -> Result<Decoded> {
    read(image::codecs::webp::WebPDecoder::new(Cursor::new(payload)), options, buffer)
}

#[cfg(feature = "bmp")]
pub(super) fn bmp(payload: &[u8], options: &Options, buffer: &mut Vec<u8>) -> Result<Decoded> {
    read(image::codecs::bmp::BmpDecoder::new(Cursor::new(payload)), options, buffer)
}

#[cfg(feature = "tiff")]
pub(super) fn tiff(payload: &[u8], options: &Options, buffer: &mut Vec<u8>) -> Result<Decoded> {
    read(image::codecs::tiff::TiffDecoder::new(Cursor::new(payload)), options, buffer)
}

fn read<D: ImageDecoder>(decoder: ImageResult<D>, options: &Options, buffer: &mut Vec<u8>) -> Result<Decoded> {
    let mut decoder = decoder.map_err(explain)?;
    let (width, height) = decoder.dimensions();
    let pixels = check_pixels(width, height, &options.limits)?;
    let mut limits = image::Limits::default();
    // Up to 16 bytes a pixel for the widest formats, and as much again for what the decoder holds meanwhile.
    limits.max_alloc = Some(pixels.saturating_mul(32).saturating_add(64 << 20));
    decoder.set_limits(limits).map_err(explain)?;
    let orientation = if options.orient { turned(decoder.orientation().map_err(explain)?) } else { Default::default() };
    let picture = DynamicImage::from_decoder(decoder).map_err(explain)?;
    *buffer = picture.into_rgb8().into_raw();
    Ok(Decoded { width, height, full: (width, height), reduction: 1, orientation })
}

fn turned(orientation: metadata::Orientation) -> Orientation {
    Orientation::from_exif(orientation.to_exif().into())
}

fn explain(error: ImageError) -> Error {
    let message = error.to_string();
    let code = match error {
        ImageError::Unsupported(_) => &codes::UNSUPPORTED,
        ImageError::Limits(_) => &codes::PIXELS,
        other => return damaged(other),
    };
    Error::caused(code, message, error).section("payload")
}
