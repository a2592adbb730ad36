//! Turning pictures upright.

/// How stored pixels must be turned to be seen as they were taken. The numbers are EXIF's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Orientation {
    /// As it is.
    #[default]
    Upright = 1,
    /// Mirrored left to right.
    Mirrored = 2,
    /// Upside down.
    Half = 3,
    /// Mirrored top to bottom.
    Flipped = 4,
    /// Mirrored along the diagonal from the top left.
    Transposed = 5,
    /// To be turned a quarter clockwise.
    Clockwise = 6,
    /// Mirrored along the other diagonal.
    Transverse = 7,
    /// To be turned a quarter counter-clockwise.
    Counterclockwise = 8,
}

impl Orientation {
    /// The orientation of this number in EXIF; upright where it is none.
    pub fn from_exif(number: u32) -> Self {
        use Orientation::*;
        [Mirrored, Half, Flipped, Transposed, Clockwise, Transverse, Counterclockwise]
            .into_iter()
            .find(|o| *o as u32 == number)
            .unwrap_or_default()
    }

    /// True where width and height change places.
    pub const fn swaps(self) -> bool {
        self as u8 >= 5
    }

    /// The size after turning.
    pub const fn size(self, width: u32, height: u32) -> (u32, u32) {
        if self.swaps() { (height, width) } else { (width, height) }
    }

    /// Writes the turned RGB pixels to the front of `out`, which grows as needed.
    pub(super) fn turn(self, pixels: &[u8], width: u32, height: u32, out: &mut Vec<u8>) {
        if out.len() < pixels.len() {
            out.resize(pixels.len(), 0);
        }
        let (w, h) = (width as usize, height as usize);
        let (out_w, out_h) = if self.swaps() { (h, w) } else { (w, h) };
        if w == 0 || h == 0 {
            return;
        }
        for (y, line) in out.chunks_exact_mut(out_w * 3).take(out_h).enumerate() {
            for (x, pixel) in line.chunks_exact_mut(3).enumerate() {
                let (from_x, from_y) = match self {
                    Orientation::Upright => (x, y),
                    Orientation::Mirrored => (w - 1 - x, y),
                    Orientation::Half => (w - 1 - x, h - 1 - y),
                    Orientation::Flipped => (x, h - 1 - y),
                    Orientation::Transposed => (y, x),
                    Orientation::Clockwise => (y, h - 1 - x),
                    Orientation::Transverse => (w - 1 - y, h - 1 - x),
                    Orientation::Counterclockwise => (w - 1 - y, x),
                };
                let at = (from_y * w + from_x) * 3;
                if let Some(source) = pixels.get(at..at + 3) {
                    pixel.copy_from_slice(source);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_orientation_moves_the_corners_as_exif_says() {
        // a b
        // c d
        // e f
        let pixels: Vec<u8> = (b'a'..=b'f').flat_map(|c| [c; 3]).collect();
        let expected = ["abcdef", "badcfe", "fedcba", "efcdab", "acebdf", "ecafdb", "fdbeca", "bdface"];
        for (number, expected) in (1..).zip(expected) {
            let orientation = Orientation::from_exif(number);
            let mut out = Vec::new();
            orientation.turn(&pixels, 2, 3, &mut out);
            let letters: String = out.chunks(3).map(|p| char::from(p[0])).collect();
            assert_eq!(letters, expected, "{orientation:?}");
            assert_eq!(orientation.size(2, 3), if number > 4 { (3, 2) } else { (2, 3) });
        }
        assert_eq!(Orientation::from_exif(0), Orientation::Upright);
        assert_eq!(Orientation::from_exif(9), Orientation::Upright);
    }
}
