//! Masks as Label Studio's brush leaves them: bits of a picture of four equal channels, row by row.

use crate::{Rle, holes::Painter};

/// Bits of a value, and of the four lengths that a run may have, each less one as the format counts.
const WORD: u64 = 7;
const LENGTHS: [u64; 4] = [2, 3, 7, 15];
const CHANNELS: u64 = 4;

/// The bytes of a mask; `None` where it has more pixels than can be told.
pub(super) fn written(mask: &Rle, painter: &mut Painter) -> Option<Vec<u8>> {
    let all = u64::from(mask.width()) * u64::from(mask.height()) * CHANNELS;
    let mut bits = Bits::default();
    bits.put(u64::from(u32::try_from(all).ok()?), 32);
    bits.put(WORD, 5);
    LENGTHS.iter().for_each(|length| bits.put(*length, 4));
    for (i, run) in painter.rows(mask)?.into_iter().enumerate() {
        let mut left = run * CHANNELS;
        while left > 0 {
            let kind = LENGTHS.iter().position(|length| left <= 1 << (length + 1)).unwrap_or(3);
            let now = left.min(1 << (LENGTHS[kind] + 1));
            bits.put(1, 1);
            bits.put(kind as u64, 2);
            bits.put(now - 1, LENGTHS[kind] as u32 + 1);
            bits.put(if i % 2 == 1 { 255 } else { 0 }, 8);
            left -= now;
        }
    }
    Some(bits.bytes)
}

#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    used: u32,
}

impl Bits {
    /// Adds the lowest bits of a value, the highest of them first.
    fn put(&mut self, value: u64, many: u32) {
        for k in (0..many).rev() {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= ((value >> k & 1) as u8) << (7 - self.used % 8);
            }
            self.used += 1;
        }
    }
}

/// Decodes a mask: a pixel is on if its fourth channel is. `None` if the bytes do not fit an image of this size, or it has more
/// than `most` pixels.
pub(super) fn read(bytes: &[u8], (width, height): (u32, u32), most: u64) -> Option<Rle> {
    let (wide, tall) = (usize::try_from(width).ok()?, usize::try_from(height).ok()?);
    let all = u64::from(width) * u64::from(height) * CHANNELS;
    let mut bits = Reader { bytes, at: 0 };
    if bits.take(32)? != all || all / CHANNELS > most {
        return None;
    }
    let word = bits.take(5)? as u32 + 1;
    let lengths = [bits.take(4)?, bits.take(4)?, bits.take(4)?, bits.take(4)?];
    // By columns, as masks count.
    let mut on = vec![false; wide * tall];
    let mut at = 0_u64;
    let mut set = |pixel: u64| on[pixel as usize % wide * tall + pixel as usize / wide] = true;
    while at < all {
        let same = bits.take(1)? == 1;
        let kind = bits.take(2)? as usize;
        let end = at + 1 + bits.take(lengths[kind] as u32 + 1)?;
        if end > all {
            return None;
        }
        if !same {
            for k in at..end {
                if bits.take(word)? > 0 && k % CHANNELS == CHANNELS - 1 {
                    set(k / CHANNELS);
                }
            }
        } else if bits.take(word)? > 0 {
            // Of the pixels whose fourth value is among these.
            (at / CHANNELS..end / CHANNELS).for_each(&mut set);
        }
        at = end;
    }
    let mut counts = vec![0_u32];
    let mut before = false;
    for now in on {
        if now != before {
            counts.push(0);
        }
        before = now;
        *counts.last_mut()? += 1;
    }
    Rle::new(width, height, counts).ok()
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Reader<'_> {
    fn take(&mut self, many: u32) -> Option<u64> {
        let mut value = 0;
        for _ in 0..many {
            let byte = self.bytes.get(self.at / 8)?;
            value = value << 1 | u64::from(byte >> (7 - self.at % 8) & 1);
            self.at += 1;
        }
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_brush_leaves_is_read_back() {
        let mut painter = Painter::default();
        for (width, height, counts) in [
            (4, 3, vec![4, 3, 5]),
            (4, 3, vec![12]),
            (2, 2, vec![0, 4]),
            (400, 300, vec![95, 3, 297, 5, 119_600]),
            (500, 200, vec![50_000, 50_000]),
        ] {
            let mask = Rle::new(width, height, counts).unwrap();
            let bytes = written(&mask, &mut painter).unwrap();
            assert_eq!(read(&bytes, (width, height), 1 << 20), Some(mask));
            assert_eq!(read(&bytes, (height, width + 1), 1 << 20), None);
            assert_eq!(read(&bytes, (width, height), 1), None);
            assert_eq!(read(&bytes[..bytes.len() - 1], (width, height), 1 << 20), None);
        }
        // Values that are listed one by one, as its own program writes the edges of a stroke.
        let mut bits = Bits::default();
        for (value, many) in [(8, 32), (7, 5), (2, 4), (3, 4), (7, 4), (15, 4), (0, 1), (0, 2), (7, 3)] {
            bits.put(value, many);
        }
        (0..8).for_each(|k| bits.put(if k > 3 { 9 } else { 0 }, 8));
        assert_eq!(read(&bits.bytes, (2, 1), 9).unwrap().counts(), [1, 1]);
    }
}
