//! PNG, WebP, bitmaps and TIFF, through the crate `image`, which puts one face over a maintained crate for each.

use std::io::Cursor;

use image::{DynamicImage, ImageDecoder, ImageError, ImageResult, metadata};

use super::{Decoded, Options, Orientation, check_pixels, damaged};
#[cfg(feature = "tiff")]
use crate::image::probe::tiff_claims;
use crate::{
    error::{Error, Result},
    image::codes,
};

#[cfg(feature = "png")]
pub(super) fn png(payload: &[u8], options: &Options, buffer: &mut Vec<u8>) -> Result<Decoded> {
    read(image::codecs::png::PngDecoder::new(Cursor::new(payload)), payload.len(), options, buffer)
}

#[cfg(feature = "webp")]
pub(super) fn webp(payload: &[u8], options: &Options, buffer: &mut Vec<u8>) -> Result<Decoded> {
    read(image::codecs::webp::WebPDecoder::new(Cursor::new(payload)), payload.len(), options, buffer)
}

#[cfg(feature = "bmp")]
pub(super) fn bmp(payload: &[u8], options: &Options, buffer: &mut Vec<u8>) -> Result<Decoded> {
    read(image::codecs::bmp::BmpDecoder::new(Cursor::new(payload)), payload.len(), options, buffer)
}

#[cfg(feature = "tiff")]
pub(super) fn tiff(payload: &[u8], options: &Options, buffer: &mut Vec<u8>) -> Result<Decoded> {
    // The decoder makes room for as many values as a field claims, before it sees whether the file has them.
    let claims = tiff_claims(payload);
    if claims > payload.len() as u64 {
        let message = format!("the fields claim {claims} values, and there are {} bytes in all", payload.len());
        return Err(Error::new(&codes::DAMAGED, message).section("payload"));
    }
    read(image::codecs::tiff::TiffDecoder::new(Cursor::new(payload)), payload.len(), options, buffer)
}

fn read<D: ImageDecoder>(
    decoder: ImageResult<D>,
    payload_bytes: usize,
    options: &Options,
    buffer: &mut Vec<u8>,
) -> Result<Decoded> {
    let mut decoder = decoder.map_err(explain)?;
    let (width, height) = decoder.dimensions();
    let pixels = check_pixels(width, height, &options.limits)?;
    let mut limits = image::Limits::default();
    // Up to 16 bytes a pixel for the widest formats, as much again for what the decoder holds meanwhile, and the
    // picture's tables: a damaged count of them must not cost more than the file could hold.
    let tables = (payload_bytes as u64).saturating_mul(8).saturating_add(8 << 20);
    limits.max_alloc = Some(pixels.saturating_mul(32).saturating_add(tables));
    decoder.set_limits(limits).map_err(explain)?;
    let orientation = if options.orient { turned(decoder.orientation().map_err(explain)?) } else { Default::default() };
    let picture = DynamicImage::from_decoder(decoder).map_err(explain)?;
    *buffer = picture.into_rgb8().into_raw();
    Ok(Decoded { orientation, ..Decoded::whole(width, height, (width, height)) })
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
