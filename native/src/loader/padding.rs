//! Pictures of many sizes in one batch, which is as large as the largest of them.
//!
//! How large each picture becomes follows from itself alone, and so do its numbers: it is made as [`Image`] of its own size
//! makes it, in a slot as large as the batch's pictures, and then spread over it. How large a batch is follows from what the
//! index says of its pictures (or their first bytes, if nothing else does), before any of them is decoded.

use forebay::{
    Error, Result,
    image::{
        Picture, probe,
        transform::{Fit, Layout, Transformer},
    },
    order::Item,
};
use serde::Deserialize;

use super::{Dtype, Image, codes, content::Content, sources::Sources};

/// How pictures of many sizes come together: each undistorted in the upper left of its place, which is as large as the largest
/// of the batch.
///
/// ```no_run
/// use forebay_native::loader::{IMAGENET, Image, Loader, Padding};
/// // As detectors are trained: the shorter side has 800 pixels, or less where the longer one would have more than 1344.
/// let mut loader = Loader::open("train2017")?
///     .image(Image::new(1344, 1344).hflip().normalize(IMAGENET))
///     .padded(Padding::new().short(800).multiple(32))
///     .batch(8).shuffle(42)
///     .build()?;
/// for batch in loader.epoch(0)? {
///     let batch = batch?;
///     let (height, width) = (batch.shape()[2], batch.shape()[3]); // those of its largest picture, rounded up to 32
///     let sizes = batch.sizes(); // width and height of each picture
/// }
/// # Ok::<(), forebay::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Padding {
    /// How many pixels the shorter side of a picture has, where the longer one then fits; without it a picture keeps its size,
    /// where it fits.
    pub short: Option<u32>,
    /// Width and height of a batch are multiples of this.
    pub multiple: u32,
    /// The color around pictures; without one numbers there are 0, whatever they are normalized by.
    pub fill: Option<[u8; 3]>,
}

impl Default for Padding {
    fn default() -> Self {
        Padding { short: None, multiple: 1, fill: None }
    }
}

impl Padding {
    /// Pictures of their own size, none larger than [`image`](super::Builder::image) says, with zeros around them.
    pub fn new() -> Self {
        Padding::default()
    }
    /// Sets how many pixels the shorter side has.
    #[must_use]
    pub fn short(mut self, pixels: u32) -> Self {
        self.short = Some(pixels);
        self
    }
    /// Sets of what width and height of a batch are multiples.
    #[must_use]
    pub fn multiple(mut self, pixels: u32) -> Self {
        self.multiple = pixels;
        self
    }
    /// Sets the color around pictures.
    #[must_use]
    pub fn fill(mut self, color: [u8; 3]) -> Self {
        self.fill = Some(color);
        self
    }

    /// Refuses what does not go together with it; gives it with the numbers around pictures.
    pub(super) fn ready(self, contents: &[Content], dtype: Dtype) -> Result<(Padding, Around)> {
        let refuse = |message: String| Err(Error::new(&codes::SETTINGS, message));
        let [Content::Images(image)] = contents else {
            return refuse("`padded` is about the sizes of images: it needs `image`, and no `groups`".into());
        };
        if image.fit != Fit::Stretch {
            return refuse(
                "`padded` says which part of an image is taken, all of it, so `image` says nothing of that".into(),
            );
        }
        if self.short == Some(0) || self.multiple == 0 {
            return refuse("a shorter side of 0 pixels and multiples of 0 are invalid".into());
        }
        let rest = [image.width % self.multiple, image.height % self.multiple];
        if rest != [0, 0] {
            return refuse(format!(
                "the largest size, {} x {}, is not a multiple of {}: take {} x {}",
                image.width,
                image.height,
                self.multiple,
                image.width.next_multiple_of(self.multiple),
                image.height.next_multiple_of(self.multiple)
            ));
        }
        Ok((self, Around::new(&self, image, dtype)?))
    }

    /// The size that a picture becomes which has this one; all that is allowed where nobody knows it.
    fn size(&self, (width, height): (u32, u32), most: (u32, u32)) -> (u32, u32) {
        if width == 0 || height == 0 {
            return most;
        }
        let (w, h) = (f64::from(width), f64::from(height));
        let wanted = self.short.map_or(1.0, |short| f64::from(short) / w.min(h));
        let factor = wanted.min(f64::from(most.0) / w).min(f64::from(most.1) / h);
        let side = |n: f64, most: u32| ((n * factor).round_ties_even() as u32).clamp(1, most.max(1));
        (side(w, most.0), side(h, most.1))
    }

    /// How large the places of a batch are: as the largest of its pictures, by what is known of them before they are read.
    pub(super) fn cell(&self, image: &Image, sources: &Sources, items: &[Item]) -> (u32, u32) {
        let most = (image.width, image.height);
        let of = |item: &Item| {
            let info = sources.in_file(item).and_then(|(dataset, item)| dataset.info(item.sample));
            // What cannot be looked at is broken, and found to be so later.
            info.map_or((1, 1), |info| self.size((info.width, info.height), most))
        };
        let (width, height) = items.iter().map(of).fold((1, 1), |a, b| (a.0.max(b.0), a.1.max(b.1)));
        let up = |n: u32, most: u32| n.checked_next_multiple_of(self.multiple.max(1)).unwrap_or(most).min(most);
        (up(width, most.0), up(height, most.1))
    }

    /// The size that a payload's picture becomes. One that turns out to be larger than was known, or that stands in for a smaller
    /// one, is made to fit.
    pub(super) fn own(
        &self,
        (payload, raw): (&[u8], Option<(u32, u32)>),
        (most, cell): ((u32, u32), (u32, u32)),
    ) -> (u32, u32) {
        let seen = raw.unwrap_or_else(|| {
            let found = probe(payload);
            (found.width, found.height)
        });
        match self.size(seen, most) {
            (width, height) if width <= cell.0 && height <= cell.1 => (width, height),
            _ => self.size(seen, cell),
        }
    }
}

/// The numbers around pictures: those of one pixel, as they lie in memory.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around {
    bytes: [u8; 12],
    len: usize,
}

impl Around {
    pub fn new(padding: &Padding, image: &Image, dtype: Dtype) -> Result<Around> {
        let mut around = Around { bytes: [0; 12], len: 3 * dtype.bytes() };
        let Some(color) = padding.fill else { return Ok(around) };
        let mut plain = Image::new(1, 1);
        plain.normalize = image.normalize;
        // On words of four bytes, so that numbers may lie there.
        let mut words = [0_u32; 3];
        let room = bytemuck::cast_slice_mut::<u32, u8>(&mut words);
        let out = dtype.out(room.get_mut(..around.len).unwrap_or_default());
        Transformer::new(plain)?.apply(&Picture::new(1, 1, &color)?, 0, out)?;
        around.bytes.copy_from_slice(bytemuck::cast_slice(&words));
        Ok(around)
    }

    /// Spreads a picture, which lies at the beginning of a place's memory, over all of it.
    pub fn spread(
        &self,
        memory: &mut [u8],
        layout: Layout,
        (w, h): (u32, u32),
        (width, height): (u32, u32),
    ) -> Result<()> {
        let number = self.len / 3;
        let (planes, pixel) = if layout == Layout::Nhwc { (1, self.len) } else { (3, number) };
        let (w, h, width, height) = (w as usize, h as usize, width as usize, height as usize);
        let line = width.checked_mul(pixel);
        let all = line.and_then(|line| line.checked_mul(height)).and_then(|plane| plane.checked_mul(planes));
        if w > width || h > height || all != Some(memory.len()) {
            return Err(Error::new(&codes::SETTINGS, "an image is larger than its place in the batch"));
        }
        let (short, line) = (w * pixel, width * pixel);
        // From behind, since every row moves that way or stays: what is written was moved before.
        for plane in (0..planes).rev() {
            let color = self.bytes.get(plane * pixel..(plane + 1) * pixel).unwrap_or_default();
            let begin = plane * height * line;
            fill(memory.get_mut(begin + h * line..begin + height * line), color);
            for row in (0..h).rev() {
                let (from, to) = ((plane * h + row) * short, begin + row * line);
                if from != to {
                    memory.copy_within(from..from + short, to);
                }
                fill(memory.get_mut(to + short..to + line), color);
            }
        }
        Ok(())
    }
}

fn fill(memory: Option<&mut [u8]>, color: &[u8]) {
    let memory = memory.unwrap_or_default();
    match color {
        [first, rest @ ..] if rest.iter().all(|byte| byte == first) => memory.fill(*first),
        color => memory.chunks_exact_mut(color.len().max(1)).for_each(|pixel| pixel.copy_from_slice(color)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_bounded_and_keep_their_shape() {
        let plain = Padding::new();
        assert_eq!(plain.size((30, 20), (100, 100)), (30, 20));
        assert_eq!(plain.size((300, 200), (100, 100)), (100, 67));
        assert_eq!(plain.size((200, 301), (100, 100)), (66, 100));
        assert_eq!(plain.size((0, 7), (100, 90)), (100, 90));
        assert_eq!(plain.size((100_000, 1), (100, 90)), (100, 1));
        assert_eq!(plain.short(80).size((30, 20), (100, 100)), (100, 67));
        assert_eq!(plain.short(60).size((30, 20), (100, 100)), (90, 60));
        assert_eq!(plain.short(60).size((u32::MAX, u32::MAX), (100, 100)), (60, 60));
        for (w, h) in (1..40).flat_map(|w| (1..40).map(move |h| (w, h))) {
            for padding in [plain, plain.short(9), plain.short(400)] {
                let (a, b) = padding.size((w, h), (24, 17));
                assert!((1..=24).contains(&a) && (1..=17).contains(&b));
            }
        }
    }

    #[test]
    fn a_picture_is_spread_where_it_lies() {
        for (layout, planes, pixel) in [(Layout::Nchw, 3, 2), (Layout::Nhwc, 1, 6)] {
            let around = Around { bytes: [201, 202, 203, 204, 205, 206, 0, 0, 0, 0, 0, 0], len: 6 };
            for (w, h) in (1..=5_usize).flat_map(|w| (1..=4_usize).map(move |h| (w, h))) {
                let mut memory = vec![99_u8; 5 * 4 * 6];
                for (i, byte) in memory.iter_mut().take(w * h * 6).enumerate() {
                    *byte = i as u8;
                }
                around.spread(&mut memory, layout, (w as u32, h as u32), (5, 4)).unwrap();
                for (plane, y, x, k) in places(planes, 4, 5, pixel) {
                    let wanted = match x < w && y < h {
                        true => (((plane * h + y) * w + x) * pixel + k) as u8,
                        false => 201 + (plane * pixel + k) as u8,
                    };
                    assert_eq!(memory[((plane * 4 + y) * 5 + x) * pixel + k], wanted, "{layout:?} {w} {h}");
                }
            }
            assert!(around.spread(&mut [0; 119], layout, (1, 1), (5, 4)).is_err());
            assert!(around.spread(&mut [0; 120], layout, (6, 1), (5, 4)).is_err());
        }
    }

    /// Every plane, row, column and byte.
    fn places(
        planes: usize,
        rows: usize,
        columns: usize,
        bytes: usize,
    ) -> impl Iterator<Item = (usize, usize, usize, usize)> {
        (0..planes * rows * columns * bytes).map(move |i| {
            let (i, k) = (i / bytes, i % bytes);
            (i / columns / rows, i / columns % rows, i % columns, k)
        })
    }
}
