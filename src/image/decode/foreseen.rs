//! What a decoder will make of a picture, told without decoding it: for hosts that keep pictures whole, and have to cut out
//! of them what a decoder would have made.

#[cfg(feature = "jpeg")]
use super::jpeg;
use super::{Options, Orientation, Region, orientation};
use crate::{image::probe, sample::MediaFormat};

/// What is known of a payload from its first bytes: enough to say what a decoder makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foreseen {
    /// The width of the stored picture, before it is turned.
    pub width: u32,
    /// Its height.
    pub height: u32,
    /// How it is turned.
    pub orientation: Orientation,
    /// Whether the decoder makes parts of it and reduced sizes, and not always all of it.
    pub in_parts: bool,
}

impl Foreseen {
    /// Looks at a payload; `None` where it says no size.
    pub fn of(payload: &[u8], options: &Options) -> Option<Foreseen> {
        let probed = probe(payload);
        // The crop is one of the picture as it is seen; the part and the size are those of the picture as it is stored.
        let orientation = if options.orient { orientation(payload) } else { Orientation::Upright };
        let in_parts = cfg!(feature = "jpeg") && probed.format == MediaFormat::Jpeg;
        let known = probed.width > 0 && probed.height > 0 && probed.format != MediaFormat::Unknown;
        known.then_some(Foreseen { width: probed.width, height: probed.height, orientation, in_parts })
    }

    /// The size of the picture as it is seen.
    pub fn seen(&self) -> (u32, u32) {
        self.orientation.size(self.width, self.height)
    }

    /// To how many eighths of its size it is decoded.
    pub fn eighths(&self, options: &Options) -> u32 {
        #[cfg(feature = "jpeg")]
        if self.in_parts {
            return jpeg::reduced((self.width, self.height), self.orientation, options);
        }
        let _ = options;
        8
    }

    /// Which part of the picture as it is seen, at that size, comes out.
    pub fn part(&self, options: &Options) -> Region {
        let eighths = self.eighths(options);
        let side = |full: u32| (u64::from(full) * u64::from(eighths)).div_ceil(8) as u32;
        let size = (side(self.width), side(self.height));
        #[cfg_attr(not(feature = "jpeg"), expect(unused_mut, reason = "no other decoder makes parts"))]
        let mut part = Region { x: 0, y: 0, width: size.0, height: size.1 };
        #[cfg(feature = "jpeg")]
        if self.in_parts {
            let region = options.region.map(|r| (r.x, r.y, r.width, r.height));
            let cut = crate::image::jpeg::Part::decoded((self.width, self.height), eighths, region);
            part = Region { x: cut.left, y: cut.top, width: cut.width, height: cut.height };
        }
        self.orientation.turned(part, size)
    }
}
