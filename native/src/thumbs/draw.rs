//! One picture made small.

use std::sync::{Mutex, PoisonError};

use forebay::{
    Error, Limits, Result,
    error::codes::ARGUMENT,
    image::{
        decode::{self, Decoder},
        probe,
        transform::{Layout, Out, Recipe, Transformer},
    },
    sample::MediaFormat,
};
use jpeg_encoder::{ChromaSubsamplingMethod, ColorType, Encoder};

use crate::parallel::{all_cores, budget::Budget};

/// A picture that was made small.
pub(super) struct Drawn {
    pub jpeg: Vec<u8>,
    /// Width and height of the picture as it is seen, and its orientation in EXIF.
    pub picture: (u32, u32, u32),
}

/// Draws for as many threads as ask at once; what each uses stays warm.
pub(super) struct Drawing {
    size: u32,
    quality: u8,
    limits: Limits,
    /// Of all threads together.
    budget: Budget,
    idle: Mutex<Vec<Pencil>>,
}

#[derive(Default)]
struct Pencil {
    decoder: Decoder,
    /// The last one, for pictures of the same size as the one before.
    transformer: Option<Transformer>,
    pixels: Vec<u8>,
}

impl Drawing {
    pub fn new(size: u32, quality: u8, limits: Limits) -> Drawing {
        Drawing { size, quality, limits, budget: Budget::default(), idle: Mutex::default() }
    }

    /// A payload's picture; raw pixels need their width and height.
    pub fn draw(&self, payload: &[u8], raw: Option<(u32, u32)>) -> Result<Drawn> {
        // A thread that panicked while it held the lock had no time to leave anything half done.
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut pencil = taken.unwrap_or_default();
        let drawn = self.draw_with(&mut pencil, payload, raw);
        idle().push(pencil);
        drawn
    }

    fn draw_with(&self, pencil: &mut Pencil, payload: &[u8], raw: Option<(u32, u32)>) -> Result<Drawn> {
        let options = decode::Options::default().with_limits(self.limits.clone()).with_orient(true);
        let orientation = decode::orientation(payload);
        let seen = match (raw, probe(payload)) {
            (Some(size), _) => size,
            (None, probed) if probed.width > 0 && probed.height > 0 => orientation.size(probed.width, probed.height),
            // Some say their size only to a decoder.
            (None, _) => {
                let picture = pencil.decoder.decode(payload, None, &options)?;
                (picture.full_width, picture.full_height)
            }
        };
        let (width, height) = fitted(seen, self.size);
        let mut transformer = match pencil.transformer.take() {
            Some(last) if (last.recipe().width, last.recipe().height) == (width, height) => last,
            _ => Transformer::new(Recipe::new(width, height).layout(Layout::Nhwc))?,
        };
        let needs = transformer.needs(payload, raw, &options, 0);
        let cost = needs.cost(payload);
        let share = self.budget.take(cost);
        pencil.pixels.clear();
        pencil.pixels.resize(transformer.values(), 0);
        let decoded = transformer.decode_as(&needs, &mut pencil.decoder, payload, 0);
        let done = decoded.and_then(|decoded| transformer.finish(&decoded, 0, Out::U8(&mut pencil.pixels)));
        if self.budget.is_much(cost, all_cores()) {
            pencil.decoder = Decoder::default();
        }
        drop(share);
        pencil.transformer = Some(transformer);
        done?;
        let turned = if raw.is_some() { 1 } else { orientation as u32 };
        Ok(Drawn { jpeg: encode(&pencil.pixels, width, height, self.quality)?, picture: (seen.0, seen.1, turned) })
    }
}

/// What stands in the place of what cannot be drawn: one pixel.
pub(super) fn nothing() -> Result<Vec<u8>> {
    encode(&[255; 3], 1, 1, 80)
}

/// Whether samples of this format are drawn, as far as that is known before they are looked at.
pub(super) fn is_picture(format: MediaFormat) -> bool {
    use MediaFormat::{Bmp, Jpeg, Png, RawU8, Tiff, Unknown, WebP};
    matches!(format, Jpeg | Png | WebP | Bmp | Tiff | RawU8 | Unknown)
}

fn encode(rgb: &[u8], width: u32, height: u32, quality: u8) -> Result<Vec<u8>> {
    let refused = |e: &dyn std::fmt::Display| Error::new(&ARGUMENT, format!("the thumbnail cannot be written: {e}"));
    let (width, height) =
        u16::try_from(width).ok().zip(u16::try_from(height).ok()).ok_or_else(|| refused(&"it is too large"))?;
    let mut jpeg = Vec::new();
    let mut encoder = Encoder::new(&mut jpeg, quality);
    encoder.set_chroma_subsampling_method(ChromaSubsamplingMethod::Average);
    // They are made once, and sent often.
    encoder.set_optimized_huffman_tables(true);
    encoder.encode(rgb, width, height, ColorType::Rgb).map_err(|e| refused(&e))?;
    Ok(jpeg)
}

/// The sides of a picture of which none is longer than `size`; as `fitted` of the npm package has them.
fn fitted((width, height): (u32, u32), size: u32) -> (u32, u32) {
    let scale = (f64::from(size) / f64::from(width.max(height).max(1))).min(1.0);
    let side = |side: u32| ((f64::from(side) * scale + 0.5).floor() as u32).max(1);
    (side(width), side(height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thumbnails_keep_their_shape_and_enlarge_nothing() {
        assert_eq!(fitted((640, 480), 160), (160, 120));
        assert_eq!(fitted((46, 120), 160), (46, 120));
        assert_eq!(fitted((60_000, 1), 160), (160, 1));
        assert_eq!(fitted((333, 500), 120), (80, 120));
    }

    #[test]
    fn raw_pixels_become_a_jpeg_of_their_size() {
        let drawing = Drawing::new(8, 80, Limits::host());
        let pixels = [10_u8, 200, 30].repeat(32 * 16);
        let drawn = drawing.draw(&pixels, Some((32, 16))).unwrap();
        assert_eq!(drawn.picture, (32, 16, 1));
        let probed = probe(&drawn.jpeg);
        assert_eq!((probed.format, probed.width, probed.height), (MediaFormat::Jpeg, 8, 4));
        let mut decoder = Decoder::default();
        let picture = decoder.decode(&drawn.jpeg, None, &decode::Options::default()).unwrap();
        assert!(picture.pixels.as_chunks::<3>().0.iter().all(|[r, g, b]| *r < 20 && *g > 190 && *b < 40));
    }
}
