//! Bitmaps of 1, 2, 4, 8, 16, 24 and 32 bits a pixel: with palettes, masks or runs, from the bottom up or from the top down.

use super::{Decoded, Options, room};
use crate::{
    error::{Error, Result},
    image::codes,
};

/// Programs write fewer pixels across, and from the bottom up.
const LONGEST: i32 = 0xffff;
/// A red, a green and a blue mask of pixels of 16 and 32 bits that have none of their own.
const MASKS_16: [u32; 3] = [0x7c00, 0x3e0, 0x1f];
const MASKS_32: [u32; 3] = [0xff_0000, 0xff00, 0xff];

/// What the headers say.
struct Bitmap {
    width: usize,
    height: usize,
    top_first: bool,
    bits: usize,
    kind: Kind,
    /// Where the pixels begin.
    at: usize,
}

enum Kind {
    Palette(Palette),
    Runs(Palette),
    /// Bytes of blue, green and red.
    Bytes,
    Masks(Box<[Mask; 3]>),
}

type Palette = Box<[[u8; 3]; 256]>;

/// The bits of a pixel that are one color.
struct Mask {
    shift: u32,
    most: u32,
    /// The level of each value from 0 to `most`.
    levels: [u8; 256],
}

fn bytes<const N: usize>(data: &[u8], at: usize) -> Option<[u8; N]> {
    data.get(at..)?.first_chunk().copied()
}

pub(super) fn decode(payload: &[u8], options: &Options, buffer: &mut Vec<u8>) -> Result<Decoded> {
    let bitmap = Bitmap::read(payload)?;
    let stored = payload.get(bitmap.at..).unwrap_or_default();
    let whole = bitmap.stride().checked_mul(bitmap.height).is_some_and(|bytes| bytes <= stored.len());
    if !whole && !matches!(bitmap.kind, Kind::Runs(_)) {
        return Err(cut());
    }
    let (width, height) = (bitmap.width as u32, bitmap.height as u32);
    let bytes = room(buffer, width, height, &options.limits)?;
    let out = buffer.get_mut(..bytes).unwrap_or_default();
    match &bitmap.kind {
        Kind::Runs(palette) => bitmap.runs(palette, stored, out)?,
        kind => bitmap.lines(kind, stored, out),
    }
    Ok(Decoded::whole(width, height, (width, height)))
}

impl Bitmap {
    fn read(payload: &[u8]) -> Result<Bitmap> {
        let u16_at = |at| bytes(payload, at).map(u16::from_le_bytes).ok_or_else(cut);
        let u32_at = |at| bytes(payload, at).map(u32::from_le_bytes).ok_or_else(cut);
        let side = |at| bytes(payload, at).map(i32::from_le_bytes).ok_or_else(cut);
        let (at, header) = (u32_at(10)?, u32_at(14)?);
        // The first of all headers is OS/2's.
        let first = header == 12;
        if !matches!(header, 12 | 40 | 52 | 56 | 108 | 124) {
            return Err(unsupported(format!("a bitmap with a header of {header} bytes")));
        }
        let (width, height, next) =
            if first { (u16_at(18)?.into(), u16_at(20)?.into(), 22) } else { (side(18)?, side(22)?, 26) };
        if !(0..=LONGEST).contains(&width) || height > LONGEST || height == i32::MIN {
            return Err(damaged(format!("a bitmap of {width} × {height} pixels")));
        }
        if width == 0 || height == 0 {
            return Err(unsupported(format!("a bitmap of {width} × {height} pixels")));
        }
        if u16_at(next)? != 1 {
            return Err(damaged("a bitmap of more than one plane"));
        }
        let (bits, packing) = (u16_at(next + 2)?, if first { 0 } else { u32_at(30)? });
        if height < 0 && !matches!(packing, 0 | 3) {
            return Err(damaged(format!("a bitmap from the top down that is packed ({packing})")));
        }
        let bits = match (packing, bits) {
            (0, 1 | 4 | 8 | 24) | (1, 8) | (2, 4) | (3, 16 | 32) => usize::from(bits),
            (0, 2 | 16 | 32) if !first => usize::from(bits),
            (4 | 5 | 11..=13, _) => return Err(unsupported(format!("a bitmap that is packed as {packing}"))),
            _ => return Err(damaged(format!("a bitmap of {bits} bits that is packed as {packing}"))),
        };
        // The last number of the header that all others begin with.
        let colors = if first { 0 } else { u32_at(50).and(u32_at(46))? };
        let palette = || palette(payload, header, bits, colors);
        let masks = |[r, g, b]: [u32; 3]| Ok([Mask::new(r, bits)?, Mask::new(g, bits)?, Mask::new(b, bits)?]);
        let kind = match (packing, bits) {
            (1 | 2, _) => Kind::Runs(palette()?),
            (3, _) => {
                let alpha = if header >= 56 { u32_at(66)? } else { 0 };
                if alpha != 0 {
                    Mask::new(alpha, bits)?;
                }
                Kind::Masks(Box::new(masks([u32_at(54)?, u32_at(58)?, u32_at(62)?])?))
            }
            (_, 16) => Kind::Masks(Box::new(masks(MASKS_16)?)),
            (_, 24) => Kind::Bytes,
            (_, 32) => Kind::Masks(Box::new(masks(MASKS_32)?)),
            _ => Kind::Palette(palette()?),
        };
        let (top_first, at) = (height < 0, usize::try_from(at).map_err(|_| cut())?);
        Ok(Bitmap { width: width as usize, height: height.unsigned_abs() as usize, top_first, bits, kind, at })
    }

    /// The bytes of a stored line, which are a multiple of four.
    fn stride(&self) -> usize {
        (self.width * self.bits).div_ceil(32) * 4
    }

    /// The pixels of the stored line of this number.
    fn line<'a>(&self, y: usize, out: &'a mut [u8]) -> &'a mut [[u8; 3]] {
        let y = if self.top_first { y } else { self.height - 1 - y };
        out.as_chunks_mut().0.get_mut(y * self.width..(y + 1) * self.width).unwrap_or_default()
    }

    fn lines(&self, kind: &Kind, stored: &[u8], out: &mut [u8]) {
        for (y, from) in stored.chunks_exact(self.stride()).take(self.height).enumerate() {
            let line = self.line(y, out).iter_mut();
            match kind {
                Kind::Palette(palette) | Kind::Runs(palette) => {
                    line.enumerate().for_each(|(x, to)| *to = color(palette, from, x, self.bits));
                }
                Kind::Bytes => line.zip(from.as_chunks().0).for_each(|(to, &[b, g, r])| *to = [r, g, b]),
                Kind::Masks(masks) if self.bits == 16 => {
                    line.zip(from.as_chunks().0)
                        .for_each(|(to, from)| *to = masked(masks, u16::from_le_bytes(*from).into()));
                }
                Kind::Masks(masks) => {
                    line.zip(from.as_chunks().0).for_each(|(to, from)| *to = masked(masks, u32::from_le_bytes(*from)));
                }
            }
        }
    }

    fn runs(&self, palette: &Palette, stored: &[u8], out: &mut [u8]) -> Result<()> {
        // What is gone past is black.
        out.fill(0);
        let mut rest = stored;
        let mut take = |bytes: usize| {
            let (front, behind) = rest.split_at_checked(bytes).ok_or_else(cut)?;
            rest = behind;
            Ok::<&[u8], Error>(front)
        };
        let (mut x, mut y) = (0, 0);
        while y < self.height {
            let &[first, second] = take(2)? else { return Err(cut()) };
            let (count, indices) = match (first, second) {
                (0, 0) => {
                    (x, y) = (0, y + 1);
                    continue;
                }
                (0, 1) => return Ok(()),
                (0, 2) => {
                    let &[right, down] = take(2)? else { return Err(cut()) };
                    let moved = (x + usize::from(right), y + usize::from(down));
                    if (moved != (x, y) && moved.0 > self.width) || moved.1 >= self.height {
                        return Err(damaged("a run begins outside of the bitmap"));
                    }
                    (x, y) = moved;
                    continue;
                }
                (0, count) => (usize::from(count), take((usize::from(count) * self.bits).div_ceil(16) * 2)?),
                (count, _) => (usize::from(count), &[second][..]),
            };
            // ImageMagick writes runs of 8 bits that are longer than the line.
            if x + count > self.width && (first == 0 || self.bits == 4) {
                return Err(damaged("a run is longer than its line"));
            }
            for (k, to) in self.line(y, out).iter_mut().skip(x).take(count).enumerate() {
                *to = color(palette, indices, k, self.bits);
            }
            x += count;
        }
        Ok(())
    }
}

impl Mask {
    /// Of as many bits as a pixel has at most; of more than eight, the highest count.
    fn new(mask: u32, bits: usize) -> Result<Mask> {
        let (low, length) = (mask.trailing_zeros(), mask.count_ones());
        if mask == 0 || mask >> low != u32::MAX >> (32 - length) || (low + length) as usize > bits {
            return Err(damaged(format!("a mask of {mask:#x} in pixels of {bits} bits")));
        }
        let shift = low + length.saturating_sub(8);
        let most = u32::MAX >> (32 - length.min(8));
        let mut levels = [0; 256];
        for (value, level) in (0..=most).zip(&mut levels) {
            *level = ((value * 255 + most / 2) / most) as u8;
        }
        Ok(Mask { shift, most, levels })
    }
}

fn masked(masks: &[Mask; 3], pixel: u32) -> [u8; 3] {
    masks.each_ref().map(|mask| mask.levels[(pixel >> mask.shift & mask.most) as usize & 255])
}

/// The color of the pixel of this number; of one byte alone, it is repeated.
fn color(palette: &Palette, indices: &[u8], number: usize, bits: usize) -> [u8; 3] {
    let bit = number * bits;
    let byte = indices.get(bit / 8).or(indices.first()).copied().unwrap_or_default();
    palette[usize::from(byte >> (8 - bits - bit % 8) & 0xff >> (8 - bits))]
}

/// The colors; those that the file leaves out are black.
fn palette(payload: &[u8], header: u32, bits: usize, colors: u32) -> Result<Palette> {
    let most = 1 << bits;
    if colors > most {
        return Err(damaged(format!("{colors} colors in a bitmap of {bits} bits")));
    }
    let count = if colors == 0 { most } else { colors } as usize;
    let (at, each) = (14 + header as usize, if header == 12 { 3 } else { 4 });
    let stored = payload.get(at..at + count * each).ok_or_else(cut)?;
    let mut palette = Box::new([[0; 3]; 256]);
    for (color, stored) in palette.iter_mut().zip(stored.chunks_exact(each)) {
        if let [b, g, r, ..] = *stored {
            *color = [r, g, b];
        }
    }
    Ok(palette)
}

fn cut() -> Error {
    damaged("the bitmap ends too early")
}

fn damaged(why: impl Into<String>) -> Error {
    Error::new(&codes::DAMAGED, why).section("payload")
}

fn unsupported(what: impl Into<String>) -> Error {
    Error::new(&codes::UNSUPPORTED, what).section("payload")
}
