//! From a decoded picture to a tensor: crop, resize, augment, normalize.
//!
//! A [`Recipe`] says what is wanted; a [`Transformer`] belongs to one thread, keeps its buffers and does it.
//! Everything random is a function of one key (see [`order::sample_key`](crate::order::sample_key)): the same
//! sample of the same epoch looks the same whichever thread or machine makes it, and each kind of change draws
//! from a stream of its own, so adding a color jitter does not move the crops.
//!
//! Whole batches are mixed by [`Mixing`]: MixUp and CutMix.
//!
//! Resizing is antialiased and agrees with Pillow to one level of 255 (Lanczos to two); normalizing agrees with
//! torchvision to the last bit or the one before it. Crops are resized straight out of the picture: nothing is computed
//! that is cut off later.
//!
//! ```
//! use forebay::image::{Picture, transform::{Out, Recipe, Transformer}};
//! let red = [255, 0, 0].repeat(64 * 48);
//! let picture = Picture::new(64, 48, &red)?;
//! let recipe = Recipe::new(16, 16).random_resized_crop().hflip().imagenet();
//! let mut transformer = Transformer::new(recipe)?;
//! let mut tensor = vec![0.0_f32; transformer.values()]; // 3 × 16 × 16
//! transformer.apply(&picture, 42, Out::F32(&mut tensor))?;
//! assert!((tensor[0] - (1.0 - 0.485) / 0.229).abs() < 1e-6);
//! # Ok::<(), forebay::Error>(())
//! ```

mod across;
#[cfg(feature = "augment")]
mod augment;
#[cfg(feature = "augment")]
mod boxed;
mod color;
mod down;
mod fit;
mod follow;
mod geometry;
mod map;
mod mix;
mod names;
mod pixels;
mod placement;
mod recipe;
mod resize;
mod shown;
mod tensor;
#[cfg(all(feature = "augment", feature = "jpeg"))]
mod together;
mod weights;

#[doc(hidden)]
pub use half::f16;

#[cfg(feature = "augment")]
pub use augment::{Augment, Policy};
#[cfg(feature = "augment")]
#[doc(hidden)]
pub use augment::{Canvas, Operation};
pub use fit::Fit;
#[doc(hidden)]
pub use fit::Rect;
#[doc(hidden)]
pub use map::Map;
#[doc(hidden)]
pub use mix::{Cut, Mixed, Mixing};
pub use pixels::{Layout, Resampling};
#[doc(hidden)]
pub use placement::Keep;
#[doc(hidden)]
pub use placement::Placement;
pub use recipe::{Blur, Erase, Jitter, Normalize, Recipe};
#[doc(hidden)]
pub use shown::Shown;
pub use tensor::Out;
#[cfg(all(feature = "augment", feature = "jpeg"))]
pub use together::Mosaic;
#[cfg(all(feature = "augment", feature = "jpeg"))]
#[doc(hidden)]
pub use together::{MOST_PIECES, Piece, Pieces, Tile, Together};

#[cfg(any(feature = "jpeg", feature = "png", feature = "webp", feature = "bmp", feature = "tiff"))]
use super::decode::Foreseen;
use super::{Picture, codes};
use crate::error::{Error, Result};
use fit::turned;
use resize::{Resizing, Target, Wanted};
use tensor::{Tables, View};

/// Carries out one recipe, picture after picture, in buffers that it keeps.
#[derive(Debug)]
pub struct Transformer {
    recipe: Recipe,
    tables: Tables,
    /// The picture at the size of the output, before it becomes a tensor.
    canvas: Vec<u8>,
    /// What was resized, if it covers only a part of the canvas; also the blur's second buffer.
    scratch: Vec<u8>,
    /// A layer that waits to be mixed with another.
    #[cfg(all(feature = "augment", feature = "jpeg"))]
    aside: Vec<u8>,
    resizing: Resizing,
}

impl Transformer {
    /// Checks the recipe.
    pub fn new(recipe: Recipe) -> Result<Self> {
        recipe.check()?;
        let tables = Tables::new(recipe.normalize.as_ref());
        Ok(Transformer {
            recipe,
            tables,
            canvas: Vec::new(),
            scratch: Vec::new(),
            #[cfg(all(feature = "augment", feature = "jpeg"))]
            aside: Vec::new(),
            resizing: Resizing::default(),
        })
    }

    /// The recipe.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Sets another size of the output, at least one pixel each way and no larger than one that was checked.
    #[doc(hidden)]
    pub fn resize(&mut self, width: u32, height: u32) {
        (self.recipe.width, self.recipe.height) = (width.max(1), height.max(1));
    }

    /// How many values a picture becomes: width × height × 3.
    pub fn values(&self) -> usize {
        self.recipe.width as usize * self.recipe.height as usize * 3
    }

    /// Makes a picture's tensor. Its randomness comes from `sample_key` alone.
    pub fn apply(&mut self, picture: &Picture<'_>, sample_key: u64, out: Out<'_>) -> Result<()> {
        let placement = self.recipe.place(picture.full_width, picture.full_height, sample_key);
        self.apply_placed(picture, &placement, sample_key, out)
    }

    /// As [`apply`](Self::apply), with a placement made beforehand for the full size of the picture, which may have
    /// been decoded to a smaller one since. What the key still decides is colors.
    #[doc(hidden)]
    pub fn apply_placed(
        &mut self,
        picture: &Picture<'_>,
        placement: &Placement,
        sample_key: u64,
        out: Out<'_>,
    ) -> Result<()> {
        let recipe = &self.recipe;
        let (width, height) = (recipe.width as usize, recipe.height as usize);
        if out.len() != width * height * 3 {
            let message = format!("the output holds {} values, {width} × {height} × 3 are needed", out.len());
            return Err(Error::new(&codes::RECIPE, message));
        }
        let (mirror, flip) = (placement.mirrored, placement.flipped);
        let source = placement.source_in(picture);
        let whole = placement.covers(recipe.width, recipe.height);
        let exact = placement.pixel_for_pixel(&source);
        let plain = whole && exact.is_none() && !recipe.changes_canvas() && recipe.resampling != Resampling::Nearest;
        let out = match out {
            // What most recipes ask for: resized straight to the tensor.
            Out::F32(out) if plain && recipe.layout == Layout::Nchw && source.width > 0.0 && source.height > 0.0 => {
                let wanted = Wanted {
                    width: recipe.width,
                    height: recipe.height,
                    resampling: recipe.resampling,
                    mirrored: (mirror, flip),
                };
                return self.resizing.resize(picture, &source, &wanted, Target::Planes(out, self.tables.normalizer()));
            }
            out => out,
        };
        #[cfg_attr(not(feature = "augment"), expect(unused_mut, reason = "nothing is mirrored before"))]
        let mut turning = (mirror, flip);
        let view = match exact {
            Some((x, y)) if whole && !recipe.changes_canvas() => View {
                data: picture.pixels,
                start: (y * picture.width as usize + x) * 3,
                stride: picture.width as usize * 3,
            },
            exact => {
                self.draw(picture, placement, &source, exact)?;
                #[cfg_attr(not(feature = "augment"), expect(unused_mut, reason = "nothing turns it"))]
                let mut turned = (false, false);
                #[cfg(feature = "augment")]
                if self.recipe.is_augmented() {
                    // What is drawn for them is drawn for the picture as it is seen.
                    turned = std::mem::take(&mut turning);
                    turn(&mut self.canvas, width, turned);
                    augment::change(&self.recipe, &mut self.canvas, &mut self.scratch, sample_key);
                }
                color::change(&self.recipe, &mut self.canvas, &mut self.scratch, turned, sample_key);
                View { data: &self.canvas, start: 0, stride: width * 3 }
            }
        };
        tensor::write(&view, (width, height), turning, &self.recipe, &self.tables, out);
        Ok(())
    }

    /// Brings the picture onto the canvas: copied where pixels fall on pixels, resized otherwise.
    fn draw(
        &mut self,
        picture: &Picture<'_>,
        placement: &Placement,
        source: &Rect,
        exact: Option<(usize, usize)>,
    ) -> Result<()> {
        let (width, height) = (self.recipe.width, self.recipe.height);
        self.canvas.resize(self.values(), 0);
        let whole = placement.covers(width, height);
        if !whole {
            self.canvas.chunks_exact_mut(3).for_each(|pixel| pixel.copy_from_slice(&self.recipe.fill));
        }
        let (w, h) = (placement.width, placement.height);
        if w == 0 || h == 0 || source.width <= 0.0 || source.height <= 0.0 {
            return Ok(());
        }
        let line = w as usize * 3;
        let (from, start, stride) = match exact {
            Some((x, y)) => {
                let stride = picture.width as usize * 3;
                (picture.pixels, y * stride + x * 3, stride)
            }
            None => {
                let target = if whole {
                    &mut self.canvas
                } else {
                    self.scratch.resize(line * h as usize, 0);
                    &mut self.scratch
                };
                let resampling = self.recipe.resampling;
                if resampling == Resampling::Nearest {
                    resize::nearest(picture, source, (target, w, h));
                } else {
                    let wanted = Wanted { width: w, height: h, resampling, mirrored: (false, false) };
                    self.resizing.resize(picture, source, &wanted, Target::Pixels(target))?;
                }
                if whole {
                    return Ok(());
                }
                (&self.scratch[..], 0, line)
            }
        };
        // The canvas is mirrored afterwards, when it becomes a tensor.
        let left = turned(placement.x, w, width, placement.mirrored) as usize * 3;
        let top = turned(placement.y, h, height, placement.flipped) as usize;
        let rows = self.canvas.chunks_exact_mut(width as usize * 3).skip(top).take(h as usize);
        for (y, row) in rows.enumerate() {
            let at = start + y * stride;
            if let (Some(from), Some(to)) = (from.get(at..at + line), row.get_mut(left..left + line)) {
                to.copy_from_slice(from);
            }
        }
        Ok(())
    }

    /// Options with which a decoder may leave out what the tensor of a picture so placed does not need: the other parts,
    /// and detail where the picture is at least 1.75 times as large as the tensor on both sides. Closer to the tensor's
    /// size the reduction itself would be seen; so it is below half a level of 255 on average over photographs, though up
    /// to 0.75 in some and several levels in noise and fine text. [`Options::exact`](super::decode::Options::exact) asks for
    /// all detail.
    #[cfg(any(feature = "jpeg", feature = "png", feature = "webp", feature = "bmp", feature = "tiff"))]
    #[doc(hidden)]
    pub fn enough(
        &self,
        placement: &Placement,
        (full_width, full_height): (u32, u32),
        options: &super::decode::Options,
    ) -> super::decode::Options {
        const MARGIN: f64 = 1.75;
        let (width, height) = placement.at_least(full_width, full_height);
        let more = |side: u32| (f64::from(side) * MARGIN).ceil() as u32;
        // The others take single pixels, which a reduced picture does not have.
        let antialiased = !matches!(self.recipe.resampling, Resampling::Nearest | Resampling::BilinearPlain);
        super::decode::Options {
            at_least: (antialiased && !options.exact).then_some((more(width), more(height))),
            region: placement.region(self.recipe.resampling),
            ..options.clone()
        }
    }

    /// Decodes a payload and makes its tensor: [`decode_for`](Self::decode_for) and [`finish`](Self::finish).
    #[cfg(any(feature = "jpeg", feature = "png", feature = "webp", feature = "bmp", feature = "tiff"))]
    pub fn decode(
        &mut self,
        decoder: &mut super::decode::Decoder,
        payload: &[u8],
        raw: Option<(u32, u32)>,
        options: &super::decode::Options,
        sample_key: u64,
        out: Out<'_>,
    ) -> Result<()> {
        let decoded = self.decode_for(decoder, payload, raw, options, sample_key)?;
        self.finish(&decoded, sample_key, out)
    }

    /// Decodes a payload for this recipe: places the crop first, so that only that part is decoded, and a picture that is
    /// much larger than needed at a reduced size, if the decoder can (see [`enough`](Self::enough)).
    #[cfg(any(feature = "jpeg", feature = "png", feature = "webp", feature = "bmp", feature = "tiff"))]
    #[doc(hidden)]
    pub fn decode_for<'a>(
        &self,
        decoder: &'a mut super::decode::Decoder,
        payload: &'a [u8],
        raw: Option<(u32, u32)>,
        options: &super::decode::Options,
        sample_key: u64,
    ) -> Result<Decoded<'a>> {
        self.decode_as(&self.needs(payload, raw, options, sample_key), decoder, payload, sample_key)
    }

    /// What of a payload is needed for this recipe: where its picture lands, and so what has to be decoded.
    #[cfg(any(feature = "jpeg", feature = "png", feature = "webp", feature = "bmp", feature = "tiff"))]
    #[doc(hidden)]
    pub fn needs(
        &self,
        payload: &[u8],
        raw: Option<(u32, u32)>,
        options: &super::decode::Options,
        sample_key: u64,
    ) -> Needs {
        self.needs_among(payload, raw, options, sample_key, |_| &[])
    }

    /// The same for a picture with boxes, which crops may look at: the caller gives those of the picture of this size
    /// as it is seen.
    #[cfg(any(feature = "jpeg", feature = "png", feature = "webp", feature = "bmp", feature = "tiff"))]
    #[doc(hidden)]
    pub fn needs_among<'b>(
        &self,
        payload: &[u8],
        raw: Option<(u32, u32)>,
        options: &super::decode::Options,
        sample_key: u64,
        boxes: impl FnOnce((u32, u32)) -> &'b [Rect],
    ) -> Needs {
        let place = |full: (u32, u32)| self.recipe.place_boxes(full.0, full.1, boxes(full), sample_key);
        self.needs_placed(payload, raw, options, place)
    }

    /// The same for a picture that the caller places, given its full size as it is seen.
    #[cfg(any(feature = "jpeg", feature = "png", feature = "webp", feature = "bmp", feature = "tiff"))]
    pub(crate) fn needs_placed(
        &self,
        payload: &[u8],
        raw: Option<(u32, u32)>,
        options: &super::decode::Options,
        place: impl FnOnce((u32, u32)) -> Placement,
    ) -> Needs {
        if let Some(size) = raw {
            return Needs { raw, options: options.clone(), placed: Some(place(size)) };
        }
        match Foreseen::of(payload, options) {
            Some(foreseen) => self.needs_of(&foreseen, options, place),
            None => Needs { raw, options: options.clone(), placed: None },
        }
    }

    /// The same of a picture of which is known what its first bytes say.
    #[cfg(any(feature = "jpeg", feature = "png", feature = "webp", feature = "bmp", feature = "tiff"))]
    #[doc(hidden)]
    pub fn needs_of(
        &self,
        foreseen: &Foreseen,
        options: &super::decode::Options,
        place: impl FnOnce((u32, u32)) -> Placement,
    ) -> Needs {
        let (stored, orientation) = ((foreseen.width, foreseen.height), foreseen.orientation);
        let (width, height) = foreseen.seen();
        let placement = place((width, height));
        let mut options = self.enough(&placement, (width, height), options);
        options.region = options.region.map(|region| orientation.stored(region, stored));
        options.at_least = options.at_least.map(|(width, height)| orientation.size(width, height));
        Needs { raw: None, options, placed: Some(placement) }
    }

    /// Decodes a payload as its [needs](Self::needs) say, which were found with the same key.
    #[cfg(any(feature = "jpeg", feature = "png", feature = "webp", feature = "bmp", feature = "tiff"))]
    #[doc(hidden)]
    pub fn decode_as<'a>(
        &self,
        needs: &Needs,
        decoder: &'a mut super::decode::Decoder,
        payload: &'a [u8],
        sample_key: u64,
    ) -> Result<Decoded<'a>> {
        self.decode_placed(needs, decoder, payload, |(width, height)| self.recipe.place(width, height, sample_key))
    }

    /// The same for a picture that the caller places.
    #[cfg(any(feature = "jpeg", feature = "png", feature = "webp", feature = "bmp", feature = "tiff"))]
    pub(crate) fn decode_placed<'a>(
        &self,
        needs: &Needs,
        decoder: &'a mut super::decode::Decoder,
        payload: &'a [u8],
        place: impl FnOnce((u32, u32)) -> Placement,
    ) -> Result<Decoded<'a>> {
        let picture = decoder.decode(payload, needs.raw, &needs.options)?;
        let full = (picture.full_width, picture.full_height);
        let placed = needs.placed.filter(|placed| (placed.full_width, placed.full_height) == full);
        let placement = placed.unwrap_or_else(|| place(full));
        Ok(Decoded { picture, placement })
    }

    /// Makes the tensor of what was decoded for this recipe and the same key.
    #[cfg(any(feature = "jpeg", feature = "png", feature = "webp", feature = "bmp", feature = "tiff"))]
    #[doc(hidden)]
    pub fn finish(&mut self, decoded: &Decoded<'_>, sample_key: u64, out: Out<'_>) -> Result<()> {
        self.apply_placed(&decoded.picture, &decoded.placement, sample_key, out)
    }
}

/// Mirrors pixels where they are, left to right and top to bottom.
#[cfg(feature = "augment")]
fn turn(canvas: &mut [u8], width: usize, (mirror, flip): (bool, bool)) {
    let pixels = canvas.as_chunks_mut::<3>().0;
    match (mirror, flip) {
        (true, true) => pixels.reverse(),
        (true, false) => pixels.chunks_exact_mut(width).for_each(<[_]>::reverse),
        (false, true) => {
            let mut lines = pixels.chunks_exact_mut(width);
            while let (Some(upper), Some(lower)) = (lines.next(), lines.next_back()) {
                upper.swap_with_slice(lower);
            }
        }
        (false, false) => {}
    }
}

/// What is needed of a payload.
#[cfg(any(feature = "jpeg", feature = "png", feature = "webp", feature = "bmp", feature = "tiff"))]
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Needs {
    raw: Option<(u32, u32)>,
    options: super::decode::Options,
    placed: Option<Placement>,
}

#[cfg(any(feature = "jpeg", feature = "png", feature = "webp", feature = "bmp", feature = "tiff"))]
impl Needs {
    /// About how many bytes decoding will hold; see [`decode::cost`](super::decode::cost).
    pub fn cost(&self, payload: &[u8]) -> u64 {
        // Raw pixels are the payload itself.
        if self.raw.is_some() { 0 } else { super::decode::cost(payload, &self.options) }
    }

    /// What the decoder is asked for.
    pub fn options(&self) -> &super::decode::Options {
        &self.options
    }
    /// Where the picture lands, if its size was known before.
    pub fn placed(&self) -> Option<&Placement> {
        self.placed.as_ref()
    }
    /// The same for all of the picture at that size instead of a part.
    #[must_use]
    pub fn whole(&self) -> Needs {
        let mut needs = self.clone();
        needs.options.region = None;
        needs
    }
}

/// A picture that was [decoded for](Transformer::decode_for) a recipe.
#[cfg(any(feature = "jpeg", feature = "png", feature = "webp", feature = "bmp", feature = "tiff"))]
#[derive(Debug)]
#[doc(hidden)]
pub struct Decoded<'a> {
    picture: Picture<'a>,
    placement: Placement,
}

#[cfg(any(feature = "jpeg", feature = "png", feature = "webp", feature = "bmp", feature = "tiff"))]
impl<'a> Decoded<'a> {
    /// A picture that was decoded before, with its place on the output.
    pub fn new(picture: Picture<'a>, placement: Placement) -> Decoded<'a> {
        Decoded { picture, placement }
    }
    /// What was decoded.
    pub fn picture(&self) -> &Picture<'a> {
        &self.picture
    }
    /// Where it will land on the output.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }
}
