//! TIFF, by the crate of this name.

use std::io::Cursor;

use tiff::{
    ColorType, TiffError,
    decoder::{ChunkType, Decoder, Limits},
    tags::Tag,
};

use super::{
    Decoded, Options, damaged, make_room,
    other::{Depth, from_16, narrower, room, to_rgb, unsupported},
};
use crate::{
    error::{Error, Result},
    image::{codes, probe::tiff_claims},
};

/// Values of the field that says what numbers are stored.
const WHOLE_NUMBERS: u16 = 1;
const FLOATS: u16 = 3;

pub(super) fn decode(payload: &[u8], options: &Options, buffer: &mut Vec<u8>) -> Result<Decoded> {
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
    let (channels, depth) = stored_as(colors, format)?;
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
            return Err(unsupported("a TIFF with a plane for each color, of CMYK or of tiles beyond its lower edge"));
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
        _ => to_rgb(buffer, pixels, channels, depth),
    }
    Ok(Decoded::whole(width, height, (width, height)))
}

/// How many numbers a pixel has, and of which kind; of single bits, those of the gray that they become.
fn stored_as(colors: ColorType, format: u16) -> Result<(usize, Depth)> {
    let (channels, bits) = match colors {
        ColorType::Gray(1) => (1, 8),
        ColorType::Gray(bits @ (8 | 16)) => (1, bits),
        ColorType::RGB(bits) => (3, bits),
        ColorType::RGBA(bits) | ColorType::CMYK(bits @ (8 | 16)) => (4, bits),
        _ => (0, 0),
    };
    match (bits, format) {
        (8, WHOLE_NUMBERS) => Ok((channels, Depth::Bits8)),
        (16, WHOLE_NUMBERS) => Ok((channels, Depth::Native16)),
        (32, FLOATS) => Ok((channels, Depth::Float)),
        _ => Err(unsupported(format!("a TIFF of the colors {colors:?} and the sample format {format}"))),
    }
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

fn explain(e: TiffError) -> Error {
    let code = match &e {
        TiffError::UnsupportedError(_) => &codes::UNSUPPORTED,
        TiffError::LimitsExceeded => &codes::PIXELS,
        _ => return damaged(e),
    };
    Error::caused(code, e.to_string(), e).section("payload")
}
