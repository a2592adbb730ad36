//! PNG and WebP by their crates; and what a crate leaves, TIFF's as well, to 8-bit RGB.

use std::io::Cursor;

use super::{Decoded, Options, check_pixels, damaged, make_room};
use crate::{
    error::{Error, Result},
    image::codes,
};

/// How a color of a decoded pixel is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(all(feature = "png", feature = "tiff")), expect(dead_code, reason = "not every format has them all"))]
pub(super) enum Depth {
    Bits8,
    /// Two bytes, the most significant first.
    Big16,
    /// Two bytes in the machine's order.
    Native16,
    Float,
}

#[cfg(feature = "png")]
pub(super) fn png(payload: &[u8], options: &Options, buffer: &mut Vec<u8>) -> Result<Decoded> {
    use png::{BitDepth, ColorType, Decoder, DecodingError, Limits, Transformations};

    let explain = |e| match e {
        DecodingError::LimitsExceeded => Error::caused(&codes::PIXELS, e.to_string(), e).section("payload"),
        other => damaged(other),
    };
    // Profiles and texts are not needed. What is stored of them is kept, so that much is allowed; what they would be, once
    // inflated, may be a thousand times as much.
    let limits = Limits { bytes: payload.len().saturating_mul(2).saturating_add(8 << 20) };
    let mut decoder = Decoder::new_with_limits(Cursor::new(payload), limits);
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(explain)?;
    let (color, depth) = reader.output_color_type();
    let (depth, bytes) = match depth {
        BitDepth::Eight => (Depth::Bits8, 1),
        BitDepth::Sixteen => (Depth::Big16, 2),
        other => return Err(unsupported(format!("{color:?} of {other:?} bits"))),
    };
    let channels = match color {
        ColorType::Grayscale => 1,
        ColorType::GrayscaleAlpha => 2,
        ColorType::Rgb => 3,
        ColorType::Rgba => 4,
        ColorType::Indexed => return Err(unsupported("colors without a palette")),
    };
    let (width, height) = reader.info().size();
    let (stored, pixels) = room((width, height), channels * bytes, options)?;
    make_room(buffer, stored.max(pixels * 3));
    reader.next_frame(buffer.get_mut(..stored).unwrap_or_default()).map_err(explain)?;
    to_rgb(buffer, pixels, channels, depth);
    Ok(Decoded::whole(width, height, (width, height)))
}

#[cfg(feature = "webp")]
pub(super) fn webp(payload: &[u8], options: &Options, buffer: &mut Vec<u8>) -> Result<Decoded> {
    let mut decoder = image_webp::WebPDecoder::new(Cursor::new(payload)).map_err(damaged)?;
    let (width, height) = decoder.dimensions();
    let channels = if decoder.has_alpha() { 4 } else { 3 };
    let (stored, pixels) = room((width, height), channels, options)?;
    make_room(buffer, stored.max(pixels * 3));
    decoder.read_image(buffer.get_mut(..stored).unwrap_or_default()).map_err(damaged)?;
    to_rgb(buffer, pixels, channels, Depth::Bits8);
    Ok(Decoded::whole(width, height, (width, height)))
}

/// How many bytes pixels of as many bytes take, and how many pixels there are, if that is within the limits.
pub(super) fn room((width, height): (u32, u32), each: usize, options: &Options) -> Result<(usize, usize)> {
    let pixels = check_pixels(width, height, &options.limits)?;
    let stored = pixels.saturating_mul(each as u64);
    let beyond = |why| Err(Error::new(&codes::PIXELS, why).section("payload"));
    // Deep colors take more while they are decoded, so that there may be fewer of them.
    if stored / 4 > options.limits.pixels {
        let most = options.limits.pixels;
        return beyond(format!(
            "{width} × {height} pixels of {each} bytes each are over the limit of {most} of 4 (pixels)"
        ));
    }
    match (usize::try_from(stored), usize::try_from(pixels.saturating_mul(3))) {
        (Ok(stored), Ok(_)) => Ok((stored, pixels as usize)),
        _ => beyond(format!("{stored} bytes do not fit this machine")),
    }
}

pub(super) fn from_16(value: u16) -> u8 {
    ((u32::from(value) + 128) / 257) as u8
}

/// Makes 8-bit RGB of pixels, in their place: alpha is left out, 16 bits are rounded.
pub(super) fn to_rgb(buffer: &mut [u8], pixels: usize, channels: usize, depth: Depth) {
    let of_16 = |bytes: [u8; 2]| {
        from_16(if depth == Depth::Big16 { u16::from_be_bytes(bytes) } else { u16::from_ne_bytes(bytes) })
    };
    match (depth, channels) {
        (Depth::Bits8, 1) => wider(buffer, pixels, |[gray]| [gray; 3]),
        (Depth::Bits8, 2) => wider(buffer, pixels, |[gray, _]| [gray; 3]),
        (Depth::Bits8, 3) => {}
        (Depth::Bits8, _) => narrower(buffer, pixels, |[r, g, b, _]| [r, g, b]),
        (Depth::Float, 3) => narrower(buffer, pixels, |bytes: [u8; 12]| floats(&bytes)),
        (Depth::Float, _) => narrower(buffer, pixels, |bytes: [u8; 16]| floats(&bytes)),
        (_, 1) => wider(buffer, pixels, |gray| [of_16(gray); 3]),
        (_, 2) => narrower(buffer, pixels, |[a, b, ..]: [u8; 4]| [of_16([a, b]); 3]),
        (_, 3) => narrower(buffer, pixels, |[a, b, c, d, e, f]| [of_16([a, b]), of_16([c, d]), of_16([e, f])]),
        (..) => {
            narrower(buffer, pixels, |[a, b, c, d, e, f, ..]: [u8; 8]| [of_16([a, b]), of_16([c, d]), of_16([e, f])])
        }
    }
}

fn floats(bytes: &[u8]) -> [u8; 3] {
    let [r, g, b, ..] = bytes.as_chunks().0 else { return [0; 3] };
    [r, g, b].map(|bytes| from_float(f32::from_ne_bytes(*bytes)))
}

pub(super) fn from_float(value: f32) -> u8 {
    // What is not a number is white.
    let value = if value < 1.0 { value.max(0.0) } else { 1.0 };
    (value * 255.0).round() as u8
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
pub(super) fn narrower<const N: usize>(buffer: &mut [u8], pixels: usize, rgb: impl Fn([u8; N]) -> [u8; 3]) {
    for i in 0..pixels {
        let Some(from) = buffer.get(i * N..).and_then(|rest| rest.first_chunk().copied()) else { return };
        if let Some(to) = buffer.get_mut(i * 3..i * 3 + 3) {
            to.copy_from_slice(&rgb(from));
        }
    }
}

#[cfg(any(feature = "png", feature = "tiff"))]
pub(super) fn unsupported(what: impl Into<String>) -> Error {
    Error::new(&codes::UNSUPPORTED, what).section("payload")
}
