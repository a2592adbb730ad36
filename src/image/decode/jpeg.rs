//! JPEG, by our own decoder.

use super::{Decoded, Options, Orientation, check_pixels, room};
use crate::{error::Result, image::jpeg::Jpeg};

pub(super) fn decode(payload: &[u8], options: &Options, buffer: &mut Vec<u8>, own: &mut Jpeg) -> Result<Decoded> {
    let opened = own.open(payload)?;
    let full = opened.full();
    check_pixels(full.0, full.1, &options.limits)?;
    let eighths = reduced(full, options.turn(payload), options);
    let plan = opened.plan(eighths, options.region.map(|r| (r.x, r.y, r.width, r.height)));
    let part = plan.part();
    let bytes = room(buffer, part.width, part.height, &options.limits)?;
    own.decode(payload, &opened, &plan, options.damaged, buffer.get_mut(..bytes).unwrap_or_default())?;
    let corner = (part.left, part.top);
    Ok(Decoded { width: part.width, height: part.height, full, eighths, corner })
}

/// To how many eighths of its size a picture is decoded that is then turned.
pub(super) fn reduced(full: (u32, u32), turn: Orientation, options: &Options) -> u32 {
    // Turned, the last pixel of a smaller version would come first, which may stand for fewer than others.
    let (across, down) = turn.mirrors();
    let fits = |side: u32, eighths: u32, mirrored: bool| !mirrored || (u64::from(side) * u64::from(eighths)) % 8 == 0;
    let fits = |n: u32| fits(full.0, n, across) && fits(full.1, n, down);
    options.least().map_or(8, |least| (eighths(full, least)..8).find(|n| fits(*n)).unwrap_or(8))
}

/// The fewest eighths that leave at least the asked-for size.
pub(super) fn eighths(full: (u32, u32), (width, height): (u32, u32)) -> u32 {
    let reduced = |side: u32, eighths: u32| (u64::from(side) * u64::from(eighths)).div_ceil(8);
    let fits = |n: &u32| reduced(full.0, *n) >= width.into() && reduced(full.1, *n) >= height.into();
    (1..8).find(fits).unwrap_or(8)
}
