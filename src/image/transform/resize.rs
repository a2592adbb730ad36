//! Resizing a part of a picture, with the sums of Pillow.

use fast_image_resize::{
    FilterType, ResizeAlg, ResizeOptions, Resizer,
    images::{TypedImage, TypedImageRef},
    pixels::U8x3,
};

use super::{Rect, Resampling};
use crate::{
    error::{Error, Result},
    image::{Picture, codes},
};

/// A resizer with its buffers.
#[derive(Debug, Default)]
pub(super) struct Resizing {
    resizer: Resizer,
    /// Lines resized across but not yet down.
    lines: Vec<u8>,
}

impl Resizing {
    /// Resizes a part of a picture to `w` × `h` pixels, which is all that the target holds.
    pub(super) fn resize(
        &mut self,
        picture: &Picture<'_>,
        source: &Rect,
        resampling: Resampling,
        (target, w, h): (&mut [u8], u32, u32),
    ) -> Result<()> {
        let whole = (picture.pixels, picture.width, picture.height);
        // How far the filter reaches, for those whose sums leave the range of a byte.
        let (algorithm, overshooting) = match resampling {
            Resampling::Nearest => (ResizeAlg::Nearest, None),
            Resampling::Bilinear => (ResizeAlg::Convolution(FilterType::Bilinear), None),
            Resampling::BilinearPlain => (ResizeAlg::Interpolation(FilterType::Bilinear), None),
            Resampling::Bicubic => (ResizeAlg::Convolution(FilterType::CatmullRom), Some(2.0)),
            Resampling::Lanczos => (ResizeAlg::Convolution(FilterType::Lanczos3), Some(3.0)),
        };
        let Some(reach) = overshooting else {
            return one(&mut self.resizer, whole, source, algorithm, (target, w, h));
        };
        // The resizer goes down before it goes across, and clips between the two. Pillow goes across first; where
        // sums are clipped that is another picture, by up to a dozen levels, so these go one way at a time.
        let margin = reach * (source.height / f64::from(h)).max(1.0) + 1.0;
        let top = (source.y - margin).floor().max(0.0);
        let bottom = (source.y + source.height + margin).ceil().min(f64::from(picture.height));
        let count = (bottom - top) as u32;
        self.lines.resize(w as usize * count as usize * 3, 0);
        let across = Rect { y: top, height: bottom - top, ..*source };
        one(&mut self.resizer, whole, &across, algorithm, (&mut self.lines, w, count))?;
        let down = Rect { x: 0.0, y: source.y - top, width: f64::from(w), height: source.height };
        one(&mut self.resizer, (&self.lines, w, count), &down, algorithm, (target, w, h))
    }
}

fn one(
    resizer: &mut Resizer,
    (pixels, width, height): (&[u8], u32, u32),
    source: &Rect,
    algorithm: ResizeAlg,
    (target, w, h): (&mut [u8], u32, u32),
) -> Result<()> {
    let refuse = |e: &dyn std::fmt::Display| Error::new(&codes::RECIPE, format!("resizing failed: {e}"));
    let options = ResizeOptions::new().resize_alg(algorithm).crop(source.x, source.y, source.width, source.height);
    // Of this type and no other: the others would weigh a megabyte in what a page loads.
    let from = TypedImageRef::<U8x3>::from_buffer(width, height, pixels).map_err(|e| refuse(&e))?;
    let mut to = TypedImage::<U8x3>::from_buffer(w, h, target).map_err(|e| refuse(&e))?;
    resizer.resize_typed(&from, &mut to, &options).map_err(|e| refuse(&e))
}
