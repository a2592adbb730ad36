//! What a picture looks like, in a few numbers.

use super::{gray::Gray, hash::hash, measure::measure};
use crate::image::Picture;
#[cfg(feature = "jpeg")]
use crate::{
    Limits,
    error::Result,
    image::{
        decode::{Decoder, Options},
        probe,
    },
};

/// Pixels of the longer side of the gray version that is looked at; smaller pictures are looked at as they are.
pub const SIDE: u32 = 256;

/// What a picture looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Look {
    /// Pixels across, of the whole picture as it is seen.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// The perceptual hash; none of a picture in which nothing is to be seen.
    pub hash: Option<u64>,
    /// The mean level of gray, in hundredths.
    pub brightness: u32,
    /// The standard deviation of the levels, in hundredths.
    pub contrast: u32,
    /// The variance of the Laplacian, in hundredths.
    pub sharpness: u32,
}

/// The size of the gray version of a picture of this size.
pub fn size_for(width: u32, height: u32) -> (u32, u32) {
    let longer = width.max(height);
    if longer <= SIDE {
        return (width.max(1), height.max(1));
    }
    let side = |side: u32| ((u64::from(side) * u64::from(SIDE) + u64::from(longer) / 2) / u64::from(longer)) as u32;
    (side(width).max(1), side(height).max(1))
}

impl Look {
    /// Of a decoded picture, whose size in full is said beside it: it may have been decoded at a smaller one.
    pub fn of(picture: &Picture<'_>, full: (u32, u32)) -> Look {
        let gray = Gray::of(picture, size_for(full.0, full.1));
        let measured = measure(&gray);
        Look {
            width: full.0,
            height: full.1,
            hash: hash(&gray),
            brightness: measured.brightness,
            contrast: measured.contrast,
            sharpness: measured.sharpness,
        }
    }
}

/// Looks at payloads, one after the other, with buffers that it keeps.
#[cfg(feature = "jpeg")]
#[derive(Debug, Default)]
pub struct Looker {
    decoder: Decoder,
}

#[cfg(feature = "jpeg")]
impl Looker {
    /// Looks at a payload: as it is seen, turned as its EXIF block says, and decoded at a reduced size where that is enough.
    /// Of raw pixels the index says width and height.
    pub fn look(&mut self, payload: &[u8], raw: Option<(u32, u32)>, limits: &Limits) -> Result<Look> {
        let mut options = Options::default().with_limits(limits.clone()).with_orient(true);
        let probed = probe(payload);
        if raw.is_none() && probed.width > 0 && probed.height > 0 {
            let (width, height) = size_for(probed.width, probed.height);
            options = options.with_at_least(width, height);
        }
        let picture = self.decoder.decode(payload, raw, &options)?;
        Ok(Look::of(&picture, (picture.full_width, picture.full_height)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gray_version_keeps_the_shape_and_enlarges_nothing() {
        assert_eq!(size_for(4000, 3000), (256, 192));
        assert_eq!(size_for(100, 7), (100, 7));
        assert_eq!(size_for(60_000, 1), (256, 1));
        assert_eq!(size_for(0, 0), (1, 1));
    }
}
