//! PNG, WebP, bitmaps and TIFF, through the crate `image`, which puts one face over a maintained crate for each.

use std::io::Cursor;

use image::{ColorType, ImageDecoder, ImageError, ImageResult};

use super::{Decoded, Options, check_pixels, damaged, make_room};
#[cfg(feature = "tiff")]
use crate::image::probe::tiff_claims;
use crate::{
    error::{Error, Result},
    image::codes,
};

#[cfg(feature = "png")]
pub(super) fn png(payload: &[u8], options: &Options, buffer: &mut Vec<u8>) -> Result<Decoded> {
    // Profiles and texts are not needed. What is stored of them is kept, so that much is allowed; what they would be, once
    // inflated, may be a thousand times as much.
    let mut limits = image::Limits::no_limits();
    limits.max_alloc = Some((payload.len() as u64).saturating_mul(2).saturating_add(8 << 20));
    let decoder = image::codecs::png::PngDecoder::with_limits(Cursor::new(payload), limits);
    read(decoder, payload.len(), options, buffer)
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
    // Deep colors take more while they are decoded, so that there may be fewer of them.
    let (stored, colors) = (decoder.total_bytes(), decoder.color_type());
    if stored / 4 > options.limits.pixels {
        let message = format!(
            "{width} × {height} pixels of {} bytes each are over the limit of {} of 4 (pixels)",
            colors.bytes_per_pixel(),
            options.limits.pixels
        );
        return Err(Error::new(&codes::PIXELS, message).section("payload"));
    }
    let mut limits = image::Limits::default();
    // As much again for what a decoder holds meanwhile, twice, and the picture's tables: a damaged count of them must not
    // cost more than the file could hold.
    let tables = (payload_bytes as u64).saturating_mul(8).saturating_add(8 << 20);
    limits.max_alloc = Some(stored.saturating_mul(3).saturating_add(tables));
    decoder.set_limits(limits).map_err(explain)?;
    let fits = |bytes: u64| {
        usize::try_from(bytes).map_err(|_| {
            Error::new(&codes::PIXELS, format!("{bytes} bytes do not fit this machine")).section("payload")
        })
    };
    let (stored, pixels) = (fits(stored)?, fits(pixels)?);
    make_room(buffer, stored.max(pixels * 3));
    decoder.read_image(buffer.get_mut(..stored).unwrap_or_default()).map_err(explain)?;
    to_rgb(buffer, pixels, colors)?;
    Ok(Decoded::whole(width, height, (width, height)))
}

/// Makes 8-bit RGB of pixels, in their place: alpha is left out, 16 bits are rounded.
fn to_rgb(buffer: &mut [u8], pixels: usize, colors: ColorType) -> Result<()> {
    let from_16 = |bytes: [u8; 2]| ((u32::from(u16::from_ne_bytes(bytes)) + 128) / 257) as u8;
    let from_float = |bytes: [u8; 4]| {
        let value = f32::from_ne_bytes(bytes);
        // What is not a number is white, as in the crate.
        let value = if value < 1.0 { value.max(0.0) } else { 1.0 };
        (value * 255.0).round() as u8
    };
    match colors {
        ColorType::Rgb8 => {}
        ColorType::L8 => wider(buffer, pixels, |[gray]| [gray; 3]),
        ColorType::La8 => wider(buffer, pixels, |[gray, _]| [gray; 3]),
        ColorType::L16 => wider(buffer, pixels, |gray| [from_16(gray); 3]),
        ColorType::Rgba8 => narrower(buffer, pixels, |[r, g, b, _]| [r, g, b]),
        ColorType::La16 => narrower(buffer, pixels, |[a, b, ..]: [u8; 4]| [from_16([a, b]); 3]),
        ColorType::Rgb16 => {
            narrower(buffer, pixels, |[a, b, c, d, e, f]| [from_16([a, b]), from_16([c, d]), from_16([e, f])])
        }
        ColorType::Rgba16 => narrower(buffer, pixels, |[a, b, c, d, e, f, ..]: [u8; 8]| {
            [from_16([a, b]), from_16([c, d]), from_16([e, f])]
        }),
        ColorType::Rgb32F => narrower(buffer, pixels, |bytes: [u8; 12]| floats(&bytes, from_float)),
        ColorType::Rgba32F => narrower(buffer, pixels, |bytes: [u8; 16]| floats(&bytes, from_float)),
        other => {
            let message = format!("the picture's colors are {other:?}, which are not made into RGB");
            return Err(Error::new(&codes::UNSUPPORTED, message).section("payload"));
        }
    }
    Ok(())
}

fn floats(bytes: &[u8], from: impl Fn([u8; 4]) -> u8) -> [u8; 3] {
    let [r, g, b, ..] = bytes.as_chunks::<4>().0 else { return [0; 3] };
    [from(*r), from(*g), from(*b)]
}

/// Of pixels of fewer than three bytes: from the last one on, so that none is written over before it is read.
fn wider<const N: usize>(buffer: &mut [u8], pixels: usize, rgb: impl Fn([u8; N]) -> [u8; 3]) {
    for i in (0..pixels).rev() {
        let Some(from) = buffer.get(i * N..).and_then(|rest| rest.first_chunk().copied()) else { return };
        if let Some(to) = buffer.get_mut(i * 3..i * 3 + 3) {
            to.copy_from_slice(&rgb(from));
        }
    }
}

/// Of pixels of more than three.
fn narrower<const N: usize>(buffer: &mut [u8], pixels: usize, rgb: impl Fn([u8; N]) -> [u8; 3]) {
    for i in 0..pixels {
        let Some(from) = buffer.get(i * N..).and_then(|rest| rest.first_chunk().copied()) else { return };
        if let Some(to) = buffer.get_mut(i * 3..i * 3 + 3) {
            to.copy_from_slice(&rgb(from));
        }
    }
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
