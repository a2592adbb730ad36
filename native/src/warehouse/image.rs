//! One picture and its boxes made into what a warehouse holds of them: for the builder, and for the loader that makes the
//! same tensors without a warehouse.

use forebay::{
    Limits, Result,
    image::{
        Picture,
        decode::{Decoder, Options as DecodeOptions},
    },
    warehouse::{BoxCounts, Placement, ResizeMode, Resizer, choose},
};

use super::frames::GivenBox;

/// How pictures become images.
#[derive(Clone, Debug)]
pub(crate) struct How {
    /// Width and height.
    pub size: [u32; 2],
    pub resize: ResizeMode,
    pub decode: DecodeOptions,
}

/// How pictures are decoded for a warehouse: in full, and turned as EXIF says if `orient` says so.
pub(crate) fn decode_options(orient: bool, limits: &Limits) -> DecodeOptions {
    DecodeOptions::default().with_limits(limits.clone()).with_exact(true).with_orient(orient)
}

/// What a thread makes images with, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Imager {
    decoder: Decoder,
    resizer: Resizer,
    planes: Vec<u8>,
}

/// A picture that was decoded, and where it lies on its image.
#[derive(Debug)]
pub(crate) struct Decoded<'a> {
    picture: Picture<'a>,
    pub placement: Placement,
    resizer: &'a mut Resizer,
    planes: &'a mut Vec<u8>,
}

impl Imager {
    /// Decodes a picture and places it.
    pub fn decode<'a>(&'a mut self, payload: &'a [u8], raw: Option<(u32, u32)>, how: &How) -> Result<Decoded<'a>> {
        let picture = self.decoder.decode(payload, raw, &how.decode)?;
        let placement = Placement::new(how.resize, [picture.width, picture.height], how.size);
        Ok(Decoded { picture, placement, resizer: &mut self.resizer, planes: &mut self.planes })
    }
}

impl<'a> Decoded<'a> {
    /// The image: channel by channel, row by row.
    pub fn image(self) -> Result<&'a [u8]> {
        let [width, height] = self.placement.target.map(|side| side as usize);
        self.planes.resize(width * height * 3, 0);
        self.resizer.image(&self.picture, &self.placement, self.planes)?;
        Ok(self.planes)
    }
}

/// Gives `take` the boxes of a picture as they lie on its image, at most as many as there are places, each with its class.
pub(crate) fn place(
    given: &[GivenBox],
    placement: &Placement,
    most: u32,
    mut take: impl FnMut([f32; 4], Option<u32>),
) -> BoxCounts {
    let mut counts = BoxCounts::default();
    for one in given {
        let Some(chosen) = choose(one.pixels, one.shares, placement.source) else { continue };
        counts.disagreeing += u64::from(chosen.disagrees);
        match placement.place(chosen.corners) {
            None => counts.dropped += 1,
            Some(_) if counts.stored >= u64::from(most) => counts.truncated += 1,
            Some(placed) => {
                counts.stored += 1;
                take(placed, one.class);
            }
        }
    }
    counts
}
