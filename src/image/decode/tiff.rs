//! TIFF, by the crate of this name.

use std::io::Cursor;

use forebay_base::image::{tiff_claims, tiff_value};
use tiff::{
    ColorType, TiffError,
    decoder::{ChunkType, Decoder, Limits},
    tags::Tag,
};

use super::{
    Decoded, Options, damaged, make_room,
    other::{Depth, from_16, from_float, narrower, room, to_rgb, unsupported},
};
use crate::{
    error::{Error, Result},
    image::codes,
};

/// Values of the field that says what numbers are stored.
const WHOLE_NUMBERS: u16 = 1;
const FLOATS: u16 = 3;

/// The value of the field of samples that are no colors for alpha by which the colors are multiplied.
const ASSOCIATED: u32 = 1;

pub(super) fn decode(payload: &[u8], options: &Options, buffer: &mut Vec<u8>) -> Result<Decoded> {
    let explain = |e| explain(e, payload);
    // The decoder makes room for as many values as a field claims, before it sees whether the file has them.
    let claims = tiff_claims(payload);
    if claims > payload.len() as u64 {
        let message = format!("the fields claim {claims} values, and there are {} bytes in all", payload.len());
        return Err(Error::new(&codes::DAMAGED, message).section("payload"));
    }
    let mut decoder = Decoder::new(Cursor::new(payload)).map_err(explain)?;
    let (width, height) = decoder.dimensions().map_err(explain)?;
    let colors = decoder.colortype().map_err(explain)?;
    let formats: Option<Vec<u16>> = decoder.find_tag_unsigned_vec(Tag::SampleFormat).map_err(explain)?;
    let format = formats.and_then(|formats| formats.first().copied()).unwrap_or(WHOLE_NUMBERS);
    let (channels, depth) = stored_as(colors, format).ok_or_else(|| refused(payload))?;
    let bytes = match depth {
        Depth::Bits8 => 1,
        Depth::Big16 | Depth::Native16 => 2,
        Depth::Float => 4,
    };
    let (stored, pixels) = room((width, height), channels * bytes, options)?;
    // For what the decoder holds meanwhile: a damaged count must not cost more than the file could hold.
    let mut limits = Limits::default();
    limits.intermediate_buffer_size =
        stored.saturating_mul(2).saturating_add(payload.len().saturating_mul(8)).saturating_add(8 << 20);
    decoder = decoder.with_limits(limits);
    let layout = decoder.image_buffer_layout().map_err(explain)?;
    make_room(buffer, stored.max(pixels * 3));
    if layout.planes > 1 {
        // The crate (0.11.3) takes the lowest tiles of every plane but the first for higher ones than they are, and panics.
        let tiled = decoder.get_chunk_type() == ChunkType::Tile;
        if matches!(colors, ColorType::CMYK(_)) || tiled && !height.is_multiple_of(decoder.chunk_dimensions().1) {
            let what = "TIFFs with a plane for each color are not decoded if they are CMYK or their tiles reach below the image";
            return Err(unsupported(what));
        }
        let mut planes = vec![0; layout.complete_len];
        decoder.read_image_bytes(&mut planes).map_err(explain)?;
        interleave(&planes, layout.planes, (channels, bytes), buffer);
    } else {
        let stored = buffer.get_mut(..layout.complete_len).unwrap_or_default();
        // Where tiles have samples that are no colors, the crate adds up what it has not written yet.
        stored.fill(0);
        decoder.read_image_bytes(stored).map_err(explain)?;
    }
    match colors {
        ColorType::Gray(1) => from_bits(buffer, width as usize, pixels),
        ColorType::CMYK(8) => {
            narrower(buffer, pixels, |cmyk: [u8; 4]| from_cmyk(cmyk.map(f32::from), 255.0).map(|v| v as u8));
        }
        ColorType::CMYK(_) => narrower(buffer, pixels, |bytes: [u8; 8]| {
            let [c, m, y, k, ..] = bytes.as_chunks().0 else { return [0; 3] };
            let cmyk = [c, m, y, k].map(|ink| f32::from(u16::from_ne_bytes(*ink)));
            from_cmyk(cmyk, 65535.0).map(|v| from_16(v as u16))
        }),
        ColorType::RGBA(_) if tiff_value(payload, u64::from(Tag::ExtraSamples.to_u16())) == Some(ASSOCIATED) => {
            without_alpha(buffer, pixels, depth);
        }
        _ => to_rgb(buffer, pixels, channels, depth),
    }
    Ok(Decoded::whole(width, height, (width, height)))
}

/// How many numbers a pixel has, and of which kind; of single bits, those of the gray that they become. `None` is not decoded.
fn stored_as(colors: ColorType, format: u16) -> Option<(usize, Depth)> {
    let (channels, bits) = match colors {
        ColorType::Gray(1) => (1, 8),
        ColorType::Gray(bits @ (8 | 16)) => (1, bits),
        ColorType::RGB(bits) => (3, bits),
        ColorType::RGBA(bits) | ColorType::CMYK(bits @ (8 | 16)) => (4, bits),
        _ => return None,
    };
    Some(match (bits, format) {
        (8, WHOLE_NUMBERS) => (channels, Depth::Bits8),
        (16, WHOLE_NUMBERS) => (channels, Depth::Native16),
        (32, FLOATS) => (channels, Depth::Float),
        _ => return None,
    })
}

/// Puts the numbers of a pixel, which lie in as many planes, beside each other.
fn interleave(planes: &[u8], count: usize, (channels, bytes): (usize, usize), pixels: &mut [u8]) {
    for (channel, plane) in planes.chunks_exact((planes.len() / count).max(1)).take(channels).enumerate() {
        for (pixel, from) in pixels.chunks_exact_mut(channels * bytes).zip(plane.chunks_exact(bytes)) {
            if let Some(to) = pixel.get_mut(channel * bytes..(channel + 1) * bytes) {
                to.copy_from_slice(from);
            }
        }
    }
}

/// Red, green and blue that four inks leave.
fn from_cmyk([c, m, y, k]: [f32; 4], most: f32) -> [f32; 3] {
    [c, m, y].map(|ink| (most - ink) * (1.0 - k / most))
}

/// Gray of lines of single bits, each of which begins with a whole byte: from the last pixel on, so that none is written over
/// before it is read.
fn from_bits(buffer: &mut [u8], width: usize, pixels: usize) {
    for i in (0..pixels).rev() {
        let (y, x) = (i / width, i % width);
        let byte = buffer.get(y * width.div_ceil(8) + x / 8).copied().unwrap_or_default();
        if let Some(to) = buffer.get_mut(i * 3..i * 3 + 3) {
            to.fill(if byte >> (7 - x % 8) & 1 == 1 { 255 } else { 0 });
        }
    }
}

/// Red, green and blue that were multiplied by the alpha behind them, as Pillow takes it out; black where nothing shows.
fn without_alpha(buffer: &mut [u8], pixels: usize, depth: Depth) {
    let divided = |color: u32, alpha: u32, most: u32| (color * most).checked_div(alpha).unwrap_or(0).min(most);
    match depth {
        Depth::Bits8 => narrower(buffer, pixels, |[r, g, b, alpha]: [u8; 4]| {
            [r, g, b].map(|color| divided(color.into(), alpha.into(), 255) as u8)
        }),
        Depth::Float => narrower(buffer, pixels, |bytes: [u8; 16]| {
            let [r, g, b, alpha] = bytes.as_chunks().0 else { return [0; 3] };
            let [r, g, b, alpha] = [r, g, b, alpha].map(|bytes| f32::from_ne_bytes(*bytes));
            [r, g, b].map(|color| from_float(if alpha > 0.0 { color / alpha } else { 0.0 }))
        }),
        Depth::Big16 | Depth::Native16 => narrower(buffer, pixels, |bytes: [u8; 8]| {
            let [r, g, b, alpha] = bytes.as_chunks().0 else { return [0; 3] };
            let [r, g, b, alpha] = [r, g, b, alpha].map(|bytes| u32::from(u16::from_ne_bytes(*bytes)));
            [r, g, b].map(|color| from_16(divided(color, alpha, 65535) as u16))
        }),
    }
}

fn explain(e: TiffError, payload: &[u8]) -> Error {
    match &e {
        TiffError::UnsupportedError(_) => refused(payload),
        TiffError::LimitsExceeded => Error::caused(&codes::PIXELS, e.to_string(), e).section("payload"),
        _ => damaged(e),
    }
}

/// Says what kind a TIFF is that is not decoded.
fn refused(payload: &[u8]) -> Error {
    let value = |tag: Tag, default: u32| tiff_value(payload, u64::from(tag.to_u16())).unwrap_or(default);
    let number = |n: u32, words: &[(u32, &str)]| {
        words
            .iter()
            .find(|(number, _)| *number == n)
            .map_or_else(|| format!("number {n}"), |(_, word)| (*word).to_owned())
    };
    let colors =
        [(0, "gray"), (1, "gray"), (2, "RGB"), (3, "palette"), (4, "mask"), (5, "CMYK"), (6, "YCbCr"), (8, "Lab")];
    let formats = [(1, "unsigned"), (2, "signed"), (3, "floating-point"), (5, "complex"), (6, "complex")];
    let packings = [
        (1, "none"),
        (2, "CCITT"),
        (3, "fax group 3"),
        (4, "fax group 4"),
        (5, "LZW"),
        (6, "old JPEG"),
        (7, "JPEG"),
        (8, "Deflate"),
        (32773, "PackBits"),
        (32946, "Deflate"),
        (34712, "JPEG 2000"),
        (34887, "LERC"),
        (34925, "LZMA"),
        (50000, "Zstandard"),
        (50001, "WebP"),
    ];
    unsupported(format!(
        "this kind of TIFF is not decoded: colors {}, {} samples a pixel of {} bits, {} numbers, compression {}",
        number(value(Tag::PhotometricInterpretation, 0), &colors),
        value(Tag::SamplesPerPixel, 1),
        value(Tag::BitsPerSample, 1),
        number(value(Tag::SampleFormat, 1), &formats),
        number(value(Tag::Compression, 1), &packings),
    ))
}
