//! A small gray version of a picture: every pixel is the exact average of what it covers.

use crate::image::Picture;

/// Shares of red, green and blue in a gray, of 65,536: those of ITU-R BT.601, as Pillow rounds them.
const SHARES: [u32; 3] = [19_595, 38_470, 7_471];

/// A gray picture, 8 bits a pixel, line by line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gray {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// The pixels.
    pub pixels: Vec<u8>,
}

impl Gray {
    /// Of a picture, at this size.
    pub fn of(picture: &Picture<'_>, (width, height): (u32, u32)) -> Gray {
        let gray = |rgb: &[u8]| {
            let sum: u32 = rgb.iter().zip(SHARES).map(|(level, share)| u32::from(*level) * share).sum();
            ((sum + (1 << 15)) >> 16) as u8
        };
        let lines = picture.pixels.chunks_exact((picture.width as usize * 3).max(1));
        let lines = lines.map(|line| line.chunks_exact(3).map(gray));
        averaged((picture.width, picture.height), (width, height), lines)
    }

    /// At another size.
    pub fn resized(&self, width: u32, height: u32) -> Gray {
        let lines = self.pixels.chunks_exact((self.width as usize).max(1)).map(|line| line.iter().copied());
        averaged((self.width, self.height), (width, height), lines)
    }
}

/// Which pixels of a line of `from` one pixel of a line of `to` covers, where each of those is `to` units long: the first
/// and the last, and how many units of each. What lies between is covered whole.
#[derive(Clone, Copy)]
struct Span {
    first: usize,
    first_share: u64,
    last: usize,
    last_share: u64,
}

impl Span {
    fn new(at: u32, from: u32, to: u32) -> Span {
        let (from, to) = (u64::from(from), u64::from(to));
        let (start, end) = (u64::from(at) * from, (u64::from(at) + 1) * from);
        let (first, last) = (start / to, (end - 1) / to);
        let share = |pixel: u64| end.min((pixel + 1) * to) - start.max(pixel * to);
        let last_share = if first == last { 0 } else { share(last) };
        Span { first: first as usize, first_share: share(first), last: last as usize, last_share }
    }

    fn sum(&self, line: &[u8], unit: u64) -> u64 {
        let level = |at: usize| line.get(at).copied().map_or(0, u64::from);
        let between = line.get(self.first + 1..self.last).unwrap_or_default();
        let whole: u64 = between.iter().map(|level| u64::from(*level)).sum();
        level(self.first) * self.first_share + whole * unit + level(self.last) * self.last_share
    }
}

/// Averages the lines of a picture of one size to another. A sum is at most 255 times the pixels that there are.
fn averaged<L: Iterator<Item = u8>>(from: (u32, u32), to: (u32, u32), lines: impl Iterator<Item = L>) -> Gray {
    let (width, height) = (to.0 as usize, to.1 as usize);
    let mut gray = Gray { width: to.0, height: to.1, pixels: vec![0; width * height] };
    if from.0 == 0 || from.1 == 0 || gray.pixels.is_empty() {
        return gray;
    }
    let spans: Vec<Span> = (0..to.0).map(|x| Span::new(x, from.0, to.0)).collect();
    let area = u64::from(from.0) * u64::from(from.1);
    let mut rows = gray.pixels.chunks_exact_mut(width).zip(0..).peekable();
    let (mut levels, mut sums) = (Vec::new(), vec![0_u64; width]);
    for (at, line) in (0..u64::from(from.1)).zip(lines) {
        levels.clear();
        levels.extend(line);
        // What is left of this line, in units.
        let (mut start, end) = (at * u64::from(to.1), (at + 1) * u64::from(to.1));
        while let Some((row, y)) = rows.peek_mut().filter(|_| start < end) {
            let row_end = (*y + 1) * u64::from(from.1);
            let share = end.min(row_end) - start;
            start += share;
            for (sum, span) in sums.iter_mut().zip(&spans) {
                *sum += span.sum(&levels, u64::from(to.0)) * share;
            }
            if start == row_end {
                row.iter_mut().zip(&mut sums).for_each(|(pixel, sum)| {
                    *pixel = ((std::mem::take(sum) + area / 2) / area) as u8;
                });
                rows.next();
            }
        }
    }
    gray
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(width: u32, height: u32, level: impl Fn(u32, u32) -> u8) -> Gray {
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| level(x, y)).collect();
        Gray { width, height, pixels }
    }

    #[test]
    fn averages_are_exact_where_pixels_are_cut() {
        // Three pixels into two: the middle one is halved.
        let three = plain(3, 1, |x, _| [0, 90, 240][x as usize]);
        assert_eq!(three.resized(2, 1).pixels, [30, 190]);
        // And back: what is larger repeats, and mixes where it is cut.
        assert_eq!(three.resized(2, 1).resized(3, 1).pixels, [30, 110, 190]);
        let tall = plain(1, 3, |_, y| [0, 90, 240][y as usize]);
        assert_eq!(tall.resized(1, 2).pixels, [30, 190]);
    }

    #[test]
    fn a_plain_picture_stays_plain_at_every_size() {
        for (width, height) in [(1, 1), (7, 5), (64, 3), (100, 100)] {
            for to in [(1, 1), (32, 32), (13, 90)] {
                assert!(plain(width, height, |_, _| 201).resized(to.0, to.1).pixels.iter().all(|level| *level == 201));
            }
        }
    }

    #[test]
    fn gray_is_pillows() {
        let picture = Picture::new(2, 1, &[255, 0, 0, 12, 200, 99]).unwrap();
        assert_eq!(Gray::of(&picture, (2, 1)).pixels, [76, 132]);
    }

    #[test]
    fn the_longest_line_fits() {
        let line = plain(1 << 24, 1, |_, _| 255);
        assert_eq!(line.resized(3, 2).pixels, [255; 6]);
    }

    #[test]
    fn it_is_the_sum_of_what_overlaps() {
        let level = |x: u32, y: u32| (x * 31 + y * 17 + x * y) as u8;
        let (from, to) = ((13_u32, 11_u32), (5_u32, 7_u32));
        let gray = plain(from.0, from.1, level).resized(to.0, to.1);
        let shared = |at: u32, of: u32, from: u32, to: u32| {
            ((at + 1) * from).min((of + 1) * to).saturating_sub((at * from).max(of * to))
        };
        for y in 0..to.1 {
            for x in 0..to.0 {
                let all = (0..from.1).flat_map(|v| (0..from.0).map(move |u| (u, v)));
                let sum: u32 = all
                    .map(|(u, v)| u32::from(level(u, v)) * shared(x, u, from.0, to.0) * shared(y, v, from.1, to.1))
                    .sum();
                let area = from.0 * from.1;
                assert_eq!(u32::from(gray.pixels[(y * to.0 + x) as usize]), (sum + area / 2) / area);
            }
        }
    }
}
