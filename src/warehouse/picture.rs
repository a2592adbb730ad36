//! Images as pictures: 8 bits a value, pixel by pixel, and what of them is not a letterbox's bars.

use super::{
    codes,
    element::to_f32,
    raw::{CHANNELS, Dtype, Endianness, Shape},
};
use crate::error::{Error, Result};

impl Shape {
    /// An image as a picture: red, green and blue of each pixel, row by row. What is not a number is 0, and what is not
    /// between 0 and 1 is cut.
    pub fn picture(&self, image: &[u8]) -> Result<Vec<u8>> {
        let planes = self.planes(image)?;
        let pixels = planes.len() / CHANNELS as usize;
        let mut out = vec![0; planes.len()];
        for (channel, plane) in planes.chunks_exact(pixels.max(1)).enumerate() {
            for (pixel, value) in out.as_chunks_mut::<{ CHANNELS as usize }>().0.iter_mut().zip(plane) {
                pixel[channel] = *value;
            }
        }
        Ok(out)
    }

    /// An image in 8 bits, channel by channel as it is stored.
    pub fn planes(&self, image: &[u8]) -> Result<Vec<u8>> {
        if self.dtype == Dtype::U8 {
            self.floats_len(image)?;
            return Ok(image.to_vec());
        }
        // Every value of 8 bits that was divided comes back; a cast cuts, and makes 0 of what is not a number.
        Ok(self.floats(image)?.into_iter().map(|value| (value * 255.0).round() as u8).collect())
    }

    /// An image in f32, from 0 to 1, channel by channel as it is stored.
    pub fn floats(&self, image: &[u8]) -> Result<Vec<f32>> {
        let mut out = vec![0.0; self.floats_len(image)?];
        to_f32(self.dtype, self.endianness, image, &mut out);
        Ok(out)
    }

    /// The bits of an image of 16 bits a value, channel by channel as it is stored.
    pub fn bits(&self, image: &[u8]) -> Result<Vec<u16>> {
        self.floats_len(image)?;
        let read = if self.endianness == Endianness::Little { u16::from_le_bytes } else { u16::from_be_bytes };
        Ok(image.as_chunks::<2>().0.iter().map(|bytes| read(*bytes)).collect())
    }

    /// How many values an image of these bytes has: as many as this shape has.
    fn floats_len(&self, image: &[u8]) -> Result<usize> {
        if Some(image.len() as u64) != self.image_len() {
            let Shape { width, height, .. } = self;
            let message = format!("{} bytes are not an image of {width} x {height}", image.len());
            return Err(Error::new(&codes::TRUNCATED, message).section("images"));
        }
        Ok(image.len() / self.dtype.size() as usize)
    }
}

/// What of a picture is not a letterbox's bars: left, top, width and height.
///
/// A warehouse does not keep the sizes of its sources, so bars are looked for: black rows above and below, or black columns
/// on both sides, as many on one side as on the other or one more. A picture that is black at its edges has less than it
/// had; one that is all black is taken as it is.
pub fn without_bars(picture: &[u8], width: u32, height: u32) -> [u32; 4] {
    let whole = [0, 0, width, height];
    let (w, h) = (width as usize, height as usize);
    let pixels = picture.as_chunks::<{ CHANNELS as usize }>().0;
    if pixels.len() != w * h || w == 0 || h == 0 {
        return whole;
    }
    let rows = pixels.chunks_exact(w);
    let is_black = |row: &[[u8; 3]]| row.iter().all(|pixel| *pixel == [0; 3]);
    let top = rows.clone().take_while(|row| is_black(row)).count();
    if top == h {
        return whole;
    }
    let bottom = rows.clone().rev().take_while(|row| is_black(row)).count();
    let black_from = |row: &[[u8; 3]]| row.iter().take_while(|pixel| **pixel == [0; 3]).count();
    let black_to = |row: &[[u8; 3]]| row.iter().rev().take_while(|pixel| **pixel == [0; 3]).count();
    let left = rows.clone().map(black_from).min().unwrap_or(0);
    let right = rows.map(black_to).min().unwrap_or(0);
    // What is left over of an odd number goes to the end.
    let bars = |before: usize, after: usize| {
        let before = before.min(after);
        (before, after.min(before + 1))
    };
    let (top, bottom) = bars(top, bottom);
    let (left, right) = bars(left, right);
    // A picture has bars on two sides, not on four: the larger ones are taken.
    let (x, y, right, bottom) = if top * w >= left * h { (0, top, 0, bottom) } else { (left, 0, right, 0) };
    [x, y, w - x - right, h - y - bottom].map(|n| n as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::warehouse::{from_f32, from_pixels};

    #[test]
    fn every_type_gives_the_picture_back() {
        let pixels: Vec<u8> = (0..=255).chain(0..44).collect();
        let by_pixel: Vec<u8> = (0..100).flat_map(|k| [pixels[k], pixels[100 + k], pixels[200 + k]]).collect();
        for dtype in [Dtype::F32, Dtype::F16, Dtype::U8] {
            for endianness in [Endianness::Little, Endianness::Big] {
                let shape = Shape::new(10, 10, 0, dtype).with_endianness(endianness);
                let mut image = Vec::new();
                from_pixels(dtype, endianness, &pixels, &mut image);
                assert_eq!(shape.planes(&image).unwrap(), pixels, "{dtype:?}");
                assert_eq!(shape.picture(&image).unwrap(), by_pixel, "{dtype:?}");
                assert_eq!(shape.picture(&image[1..]).unwrap_err().code(), &codes::TRUNCATED);
            }
        }
        let mut image = Vec::new();
        from_f32(Dtype::F32, Endianness::Little, &[f32::NAN, -1.0, 2.0], &mut image);
        assert_eq!(Shape::new(1, 1, 0, Dtype::F32).picture(&image).unwrap(), [0, 0, 255]);
    }

    #[test]
    fn bars_are_found_on_two_sides() {
        let picture = |width: u32, height: u32, [x, y, w, h]: [u32; 4]| -> Vec<u8> {
            let inside = |px: u32, py: u32| px >= x && px < x + w && py >= y && py < y + h;
            (0..height).flat_map(|py| (0..width).flat_map(move |px| [0, 0, u8::from(inside(px, py))])).collect()
        };
        for content in [[0, 3, 8, 2], [0, 2, 8, 3], [3, 0, 2, 8], [0, 0, 8, 8]] {
            assert_eq!(without_bars(&picture(8, 8, content), 8, 8), content);
        }
        // Black on one side alone is a dark picture.
        assert_eq!(without_bars(&picture(8, 8, [4, 0, 4, 8]), 8, 8), [0, 0, 8, 8]);
        assert_eq!(without_bars(&picture(8, 8, [0; 4]), 8, 8), [0, 0, 8, 8]);
        assert_eq!(without_bars(&[], 8, 8), [0, 0, 8, 8]);
    }
}
