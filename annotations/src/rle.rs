//! Masks as runs of pixels, column by column from the upper left: COCO's uncompressed runs, and its text for them.

use crate::error::Error;

use super::{Rect, codes};

/// A mask: how many pixels are off, then on, then off ..., column by column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rle {
    width: u32,
    height: u32,
    counts: Vec<u32>,
}

/// Bits of a run that one character of the text holds.
const BITS: u32 = 5;

impl Rle {
    /// A mask from its runs, which must add up to its pixels.
    pub fn new(width: u32, height: u32, counts: Vec<u32>) -> Result<Rle, Error> {
        let total: u64 = counts.iter().map(|n| u64::from(*n)).sum();
        if total != u64::from(width) * u64::from(height) {
            let message = format!("the runs add up to {total} pixels, and {width} x {height} are there");
            return Err(Error::new(&codes::VALUE, message));
        }
        Ok(Rle { width, height, counts })
    }

    /// A mask from COCO's text for runs: five bits a character, and from the fourth run on the difference to the
    /// one before the last.
    ///
    /// ```
    /// use forebay_annotations::Rle;
    /// let mask = Rle::from_text(4, 3, "525").unwrap();
    /// assert_eq!(mask.counts(), [5, 2, 5]);
    /// assert_eq!(mask.text(), "525");
    /// ```
    pub fn from_text(width: u32, height: u32, text: &str) -> Result<Rle, Error> {
        let bad = |why: &str| Error::new(&codes::VALUE, format!("the text of a mask {why}"));
        let mut counts: Vec<u32> = Vec::new();
        let mut chars = text.bytes();
        while chars.len() > 0 {
            let (mut value, mut shift) = (0i64, 0);
            loop {
                let byte = chars.next().ok_or_else(|| bad("ends inside a run"))?;
                let bits = byte.checked_sub(48).filter(|bits| *bits < 64).ok_or_else(|| bad("has other characters"))?;
                if shift > 30 {
                    return Err(bad("has a run of more than 32 bits"));
                }
                value |= i64::from(bits & 0x1f) << shift;
                shift += BITS;
                if bits & 0x20 == 0 {
                    // The last character's highest bit is the sign.
                    if bits & 0x10 != 0 {
                        value |= -1 << shift;
                    }
                    break;
                }
            }
            if let Some(before) = counts.len().checked_sub(2).filter(|_| counts.len() > 2) {
                value += i64::from(counts[before]);
            }
            counts.push(u32::try_from(value).map_err(|_| bad("has a negative run"))?);
        }
        Rle::new(width, height, counts)
    }

    /// COCO's text for the runs.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (i, count) in self.counts.iter().enumerate() {
            let mut value = i64::from(*count);
            if i > 2 {
                value -= i64::from(self.counts[i - 2]);
            }
            loop {
                let bits = (value & 0x1f) as u8;
                value >>= BITS;
                let more = if bits & 0x10 != 0 { value != -1 } else { value != 0 };
                out.push(char::from((bits | if more { 0x20 } else { 0 }) + 48));
                if !more {
                    break;
                }
            }
        }
        out
    }

    /// Pixels across.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Pixels down.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The runs: pixels off, on, off ...
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// How many pixels are on.
    pub fn area(&self) -> u64 {
        self.counts.iter().skip(1).step_by(2).map(|n| u64::from(*n)).sum()
    }

    /// The smallest rectangle around the pixels that are on; `None` where none is.
    pub fn bounds(&self) -> Option<Rect> {
        let height = u64::from(self.height);
        let mut found: Option<[u64; 4]> = None;
        let mut at = 0u64;
        for (i, count) in self.counts.iter().enumerate() {
            let (from, to) = (at, at + u64::from(*count));
            at = to;
            if i % 2 == 0 || from == to {
                continue;
            }
            let (x0, x1) = (from / height, (to - 1) / height);
            // A run that goes on into the next column covers the last row of one and the first of the other.
            let (y0, y1) = if x0 == x1 { (from % height, (to - 1) % height) } else { (0, height - 1) };
            let b = found.unwrap_or([x0, y0, x1, y1]);
            found = Some([b[0].min(x0), b[1].min(y0), b[2].max(x1), b[3].max(y1)]);
        }
        found.map(|[x0, y0, x1, y1]| Rect::new(x0 as f64, y0 as f64, (x1 + 1) as f64, (y1 + 1) as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_runs_are_one_thing() {
        for counts in [vec![12], vec![0, 12], vec![3, 2, 7], vec![1, 2, 1, 1, 1, 1, 5], vec![0, 1, 0, 11], vec![]] {
            let total: u32 = counts.iter().sum();
            let mask = Rle::new(total, 1, counts).unwrap();
            assert_eq!(Rle::from_text(total, 1, &mask.text()).unwrap(), mask, "{}", mask.text());
        }
        let mask = Rle::new(70_000, 60_000, vec![4_199_999_000, 1_000]).unwrap();
        assert_eq!(Rle::from_text(70_000, 60_000, &mask.text()).unwrap(), mask);
    }

    #[test]
    fn texts_that_are_no_masks_are_refused() {
        for text in ["P", "\u{1}", "PPPPPPPPPP0", "é", "1"] {
            assert!(Rle::from_text(4, 3, text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn bounds_are_those_of_the_pixels_that_are_on() {
        // 4 across, 3 down: the second and third pixel of column 1, the first of column 2.
        let mask = Rle::new(4, 3, vec![4, 3, 5]).unwrap();
        assert_eq!((mask.area(), mask.bounds()), (3, Some(Rect::new(1.0, 0.0, 3.0, 3.0))));
        let mask = Rle::new(4, 3, vec![4, 1, 7]).unwrap();
        assert_eq!(mask.bounds(), Some(Rect::new(1.0, 1.0, 2.0, 2.0)));
        assert_eq!(Rle::new(4, 3, vec![12]).unwrap().bounds(), None);
    }
}
