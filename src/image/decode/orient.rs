//! Turning pictures upright.

use super::Region;

/// How stored pixels must be turned to be seen as they were taken. The numbers are EXIF's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
#[non_exhaustive]
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

#[doc(hidden)]
impl Orientation {
    /// The orientation of this number in EXIF; upright where it is none.
    #[doc(hidden)]
    pub fn from_exif(number: u32) -> Self {
        use Orientation::*;
        [Mirrored, Half, Flipped, Transposed, Clockwise, Transverse, Counterclockwise]
            .into_iter()
            .find(|o| *o as u32 == number)
            .unwrap_or_default()
    }

    /// True where width and height change places.
    pub(crate) const fn swaps(self) -> bool {
        self as u8 >= 5
    }

    /// The size after turning.
    #[doc(hidden)]
    pub const fn size(self, width: u32, height: u32) -> (u32, u32) {
        if self.swaps() { (height, width) } else { (width, height) }
    }

    /// Whether stored columns and lines come in the opposite order, across and down.
    pub(super) const fn mirrors(self) -> (bool, bool) {
        use Orientation::*;
        let across = matches!(self, Mirrored | Half | Transverse | Counterclockwise);
        (across, matches!(self, Half | Flipped | Transverse | Clockwise))
    }

    /// Where a part of a stored picture of this size is once that is turned.
    pub(super) fn turned(self, part: Region, (width, height): (u32, u32)) -> Region {
        let part = self.mirrored(part, (width, height));
        if self.swaps() { swapped(part) } else { part }
    }

    /// Where a part of the turned picture lies in the stored one, which has this size.
    #[doc(hidden)]
    pub fn stored(self, part: Region, (width, height): (u32, u32)) -> Region {
        self.mirrored(if self.swaps() { swapped(part) } else { part }, (width, height))
    }

    fn mirrored(self, part: Region, (width, height): (u32, u32)) -> Region {
        let (across, down) = self.mirrors();
        let place = |from: u32, length: u32, all: u32, mirrored: bool| {
            let (from, to) = (from.min(all), from.saturating_add(length).min(all));
            (if mirrored { all - to } else { from }, to - from)
        };
        let ((x, width), (y, height)) =
            (place(part.x, part.width, width, across), place(part.y, part.height, height, down));
        Region { x, y, width, height }
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
        // The stored pixel of each line's first, and the way from each to the next, in pixels.
        let (across, down) = self.mirrors();
        let (right, below) = (if across { -1 } else { 1 }, if down { -(w as isize) } else { w as isize });
        let first = usize::from(across) * (w - 1) + usize::from(down) * (h - 1) * w;
        let (step, next) = if self.swaps() { (below, right) } else { (right, below) };
        for (y, line) in out.chunks_exact_mut(out_w * 3).take(out_h).enumerate() {
            let from = first.wrapping_add_signed(next * y as isize);
            if step == 1 {
                line.copy_from_slice(pixels.get(from * 3..(from + out_w) * 3).unwrap_or_default());
                continue;
            }
            for (x, pixel) in line.as_chunks_mut::<3>().0.iter_mut().enumerate() {
                let at = from.wrapping_add_signed(step * x as isize) * 3;
                if let Some(source) = pixels.get(at..).and_then(|rest| rest.first_chunk()) {
                    *pixel = *source;
                }
            }
        }
    }
}

fn swapped(part: Region) -> Region {
    Region { x: part.y, y: part.x, width: part.height, height: part.width }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_goes_where_its_pixels_go_and_back() {
        let (w, h) = (5_u32, 3);
        for number in 1..=8 {
            let orientation = Orientation::from_exif(number);
            for (x, y, width, height) in [(0, 0, 2, 1), (3, 1, 1, 2), (1, 0, 4, 3), (4, 2, 1, 1)] {
                let part = Region { x, y, width, height };
                let inside = |at: u32| (x..x + width).contains(&(at % w)) && (y..y + height).contains(&(at / w));
                let pixels: Vec<u8> = (0..w * h).flat_map(|at| [u8::from(inside(at)); 3]).collect();
                let mut out = Vec::new();
                orientation.turn(&pixels, w, h, &mut out);
                let turned = orientation.turned(part, (w, h));
                let (out_w, out_h) = orientation.size(w, h);
                for at in 0..out_w * out_h {
                    let (ax, ay) = (at % out_w, at / out_w);
                    let there = (turned.x..turned.x + turned.width).contains(&ax)
                        && (turned.y..turned.y + turned.height).contains(&ay);
                    assert_eq!(out[at as usize * 3] == 1, there, "{orientation:?} {part:?} {turned:?} {ax} {ay}");
                }
                assert_eq!(orientation.stored(turned, (w, h)), part, "{orientation:?}");
            }
        }
    }

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
