//! JPEG through libjpeg-turbo-rs.

use libjpeg_turbo_rs::{DecodeLimits, Decoder, JpegError, PixelFormat, ScalingFactor};

use super::{Decoded, Options, check_pixels, damaged, room};
use crate::{
    error::{Error, Result},
    image::codes,
};

/// A progressive picture of a few kB can ask for thousands of passes over all its pixels; programs write ten.
const MOST_SCANS: usize = 100;

/// `None` for pictures of four components, which this decoder (0.9.0) may panic on.
pub(super) fn decode(payload: &[u8], options: &Options, buffer: &mut Vec<u8>) -> Result<Option<Decoded>> {
    let mut limits = DecodeLimits::default();
    limits.max_pixels = options.limits.pixels;
    limits.max_scans = MOST_SCANS;
    let mut decoder = Decoder::new_with_limits(payload, limits).map_err(explain)?;
    let header = decoder.header();
    if header.components.len() > 3 {
        return Ok(None);
    }
    let full = (u32::from(header.width), u32::from(header.height));
    check_pixels(full.0, full.1, &options.limits)?;
    decoder.set_output_format(PixelFormat::Rgb);
    decoder.set_lenient(options.damaged);
    // A smaller version that is turned must begin with a whole pixel.
    let whole = |side: u32, d: u32, mirrored: bool| !mirrored || side.is_multiple_of(d);
    let (across, down) = options.turn(payload).mirrors();
    let reduction = Some(reduction(full, options.least()))
        .filter(|d| whole(full.0, *d, across) && whole(full.1, *d, down))
        .unwrap_or(1);
    decoder.set_scale(ScalingFactor::try_new(1, reduction).map_err(explain)?);
    let (width, height) = (side(decoder.output_width()), side(decoder.output_height()));
    let bytes = room(buffer, width, height, &options.limits)?;
    let out = buffer.get_mut(..bytes).unwrap_or_default();
    let info = decoder.decode_image_into(out).map_err(explain)?;
    if let Some(warning) = info.warnings.first().filter(|_| !options.damaged) {
        return Err(Error::new(&codes::DAMAGED, format!("{warning:?}")).section("payload"));
    }
    if info.bytes_written != bytes {
        return Err(Error::new(&codes::DAMAGED, "the decoder wrote another size than it said").section("payload"));
    }
    Ok(Some(Decoded { eighths: 8 / reduction, ..Decoded::whole(width, height, full) }))
}

/// The largest of 8, 4 and 2 that leaves at least the asked-for size; the steps between are slower than the
/// next larger of these.
fn reduction(full: (u32, u32), at_least: Option<(u32, u32)>) -> u32 {
    let Some((width, height)) = at_least else { return 1 };
    [8, 4, 2].into_iter().find(|&d| full.0.div_ceil(d) >= width && full.1.div_ceil(d) >= height).unwrap_or(1)
}

fn side(pixels: usize) -> u32 {
    u32::try_from(pixels).unwrap_or(u32::MAX)
}

fn explain(error: JpegError) -> Error {
    let message = error.to_string();
    let code = match error {
        JpegError::Unsupported(_) => &codes::UNSUPPORTED,
        JpegError::LimitExceeded { .. } | JpegError::AllocationFailed { .. } => &codes::PIXELS,
        other => return damaged(other),
    };
    Error::caused(code, message, error).section("payload")
}
