//! JPEG: by our own decoder, and what that does not read through zune-jpeg.

use zune_jpeg::{
    JpegDecoder,
    errors::DecodeErrors,
    zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions},
};

use super::{Decoded, JpegBackend, Options, Orientation, check_pixels, damaged, exif, room};
use crate::{
    error::{Error, Result},
    image::{codes, jpeg::Jpeg},
};

pub(super) fn decode(
    payload: &[u8],
    options: &Options,
    buffer: &mut Vec<u8>,
    own: &mut Option<Box<Jpeg>>,
) -> Result<Decoded> {
    if options.jpeg == JpegBackend::Forebay
        && let Some(decoded) = forebay(payload, options, buffer, own.get_or_insert_default())?
    {
        return Ok(decoded);
    }
    #[cfg(feature = "jpeg-turbo")]
    if options.jpeg == JpegBackend::Turbo
        && let Some(decoded) = super::jpeg_turbo::decode(payload, options, buffer)?
    {
        return Ok(decoded);
    }
    let settings = DecoderOptions::default()
        .jpeg_set_out_colorspace(ColorSpace::RGB)
        // Strict means that missing data is an error, not grey.
        .set_strict_mode(!options.damaged)
        // The pixels are what is limited, here and not by either side alone.
        .set_max_width(usize::from(u16::MAX))
        .set_max_height(usize::from(u16::MAX));
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(payload), settings);
    decoder.decode_headers().map_err(explain)?;
    let Some(info) = decoder.info() else {
        return Err(Error::new(&codes::DAMAGED, "the JPEG has no frame").section("payload"));
    };
    let (width, height) = (u32::from(info.width), u32::from(info.height));
    let bytes = room(buffer, width, height, &options.limits)?;
    if decoder.output_buffer_size() != Some(bytes) {
        return Err(Error::new(&codes::UNSUPPORTED, "the JPEG's colours are not RGB, grey or CMYK").section("payload"));
    }
    decoder.decode_into(buffer.get_mut(..bytes).unwrap_or_default()).map_err(explain)?;
    let orientation = decoder.exif().map(|data| exif::orientation(data)).unwrap_or_default();
    Ok(Decoded { orientation, ..Decoded::whole(width, height, (width, height)) })
}

/// `None` for pictures that our own decoder does not read.
fn forebay(payload: &[u8], options: &Options, buffer: &mut Vec<u8>, own: &mut Jpeg) -> Result<Option<Decoded>> {
    let Some(opened) = own.open(payload)? else { return Ok(None) };
    let full = opened.full();
    check_pixels(full.0, full.1, &options.limits)?;
    let orientation = opened.exif(payload).map(exif::orientation).unwrap_or_default();
    // The part of a picture that is turned lies elsewhere.
    let region = options.region.filter(|_| !options.orient || orientation == Orientation::Upright);
    let eighths = options.at_least.map_or(8, |least| eighths(full, least));
    let plan = opened.plan(eighths, region.map(|r| (r.x, r.y, r.width, r.height)));
    let part = plan.part();
    let bytes = room(buffer, part.width, part.height, &options.limits)?;
    own.decode(payload, &opened, &plan, options.damaged, buffer.get_mut(..bytes).unwrap_or_default())?;
    let corner = (part.left, part.top);
    Ok(Some(Decoded { width: part.width, height: part.height, full, eighths, corner, orientation }))
}

/// The fewest eighths that leave at least the asked-for size.
fn eighths(full: (u32, u32), (width, height): (u32, u32)) -> u32 {
    let reduced = |side: u32, eighths: u32| (u64::from(side) * u64::from(eighths)).div_ceil(8);
    let fits = |n: &u32| reduced(full.0, *n) >= width.into() && reduced(full.1, *n) >= height.into();
    (1..8).find(fits).unwrap_or(8)
}

fn explain(error: DecodeErrors) -> Error {
    match error {
        DecodeErrors::Unsupported(_) => Error::caused(&codes::UNSUPPORTED, error.to_string(), error).section("payload"),
        other => damaged(other),
    }
}
