//! JPEG through zune-jpeg.

use zune_jpeg::{
    JpegDecoder,
    errors::DecodeErrors,
    zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions},
};

use super::{Decoded, Options, damaged, room};
use crate::{
    error::{Error, Result},
    image::codes,
};

pub(super) fn decode(payload: &[u8], options: &Options, buffer: &mut Vec<u8>) -> Result<Decoded> {
    let settings = DecoderOptions::default()
        .jpeg_set_out_colorspace(ColorSpace::RGB)
        // Strict means that missing data is an error, not gray.
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
        return Err(Error::new(&codes::UNSUPPORTED, "the JPEG's colors are not RGB, gray or CMYK").section("payload"));
    }
    decoder.decode_into(buffer.get_mut(..bytes).unwrap_or_default()).map_err(explain)?;
    Ok(Decoded::whole(width, height, (width, height)))
}

fn explain(error: DecodeErrors) -> Error {
    match error {
        DecodeErrors::Unsupported(_) => Error::caused(&codes::UNSUPPORTED, error.to_string(), error).section("payload"),
        other => damaged(other),
    }
}
