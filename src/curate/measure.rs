//! Brightness, contrast and sharpness of a gray picture, in whole numbers.

use super::gray::Gray;

/// How bright, how varied and how sharp, each in hundredths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Measured {
    /// The mean level, of 25,500.
    pub brightness: u32,
    /// The standard deviation of the levels.
    pub contrast: u32,
    /// The variance of the Laplacian.
    pub sharpness: u32,
}

/// Measures a picture; one without pixels is black.
pub(super) fn measure(gray: &Gray) -> Measured {
    let levels = gray.pixels.iter().map(|level| i64::from(*level));
    let (mean, variance) = spread(levels);
    Measured {
        brightness: mean,
        contrast: u32::try_from((variance * 100).isqrt()).unwrap_or(u32::MAX),
        sharpness: u32::try_from(spread(laplacian(gray)).1).unwrap_or(u32::MAX),
    }
}

/// Four times each pixel less its neighbors; those at the edge have none and are left out.
fn laplacian(gray: &Gray) -> impl Iterator<Item = i64> + '_ {
    let width = gray.width as usize;
    let lines: Vec<&[u8]> = gray.pixels.chunks_exact(width.max(1)).collect();
    let middle = move |three: &[&[u8]]| -> Vec<i64> {
        let [above, line, below] = three else { return Vec::new() };
        let inner = line.windows(3).zip(above.iter().skip(1).zip(below.iter().skip(1)));
        let each = inner.map(|(three, (above, below))| match three {
            [left, here, right] => {
                4 * i64::from(*here) - [left, right, above, below].map(|n| i64::from(*n)).iter().sum::<i64>()
            }
            _ => 0,
        });
        each.collect()
    };
    let all: Vec<Vec<i64>> = lines.windows(3).map(middle).collect();
    all.into_iter().flatten()
}

/// The mean, 0 for one below that, and the variance, both in hundredths and rounded down.
fn spread(values: impl Iterator<Item = i64>) -> (u32, u64) {
    let (mut count, mut sum, mut squares) = (0_i128, 0_i128, 0_i128);
    for value in values {
        count += 1;
        sum += i128::from(value);
        squares += i128::from(value * value);
    }
    if count == 0 {
        return (0, 0);
    }
    let variance = 100 * (squares * count - sum * sum) / (count * count);
    (u32::try_from(100 * sum / count).unwrap_or(0), u64::try_from(variance).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gray(width: u32, height: u32, level: impl Fn(u32, u32) -> u8) -> Gray {
        Gray { width, height, pixels: (0..width * height).map(|i| level(i % width, i / width)).collect() }
    }

    #[test]
    fn known_pictures_have_known_numbers() {
        let plain = measure(&gray(20, 10, |_, _| 77));
        assert_eq!(plain, Measured { brightness: 7700, contrast: 0, sharpness: 0 });
        // Half black, half white: the deviation is half of the range.
        let halves = measure(&gray(20, 10, |x, _| if x < 10 { 0 } else { 255 }));
        assert_eq!((halves.brightness, halves.contrast), (12_750, 12_750));
        // A slope has no second derivative, a checkerboard nothing else: 4 × 255 and its negative.
        assert_eq!(measure(&gray(20, 10, |x, y| (5 * x + 3 * y) as u8)).sharpness, 0);
        let board = measure(&gray(20, 10, |x, y| if (x + y) % 2 == 0 { 0 } else { 255 }));
        assert_eq!(board.sharpness, 1020 * 1020 * 100);
    }

    #[test]
    fn what_has_no_inside_is_not_sharp() {
        for (width, height) in [(0, 0), (1, 1), (2, 9), (9, 2)] {
            assert_eq!(measure(&gray(width, height, |x, _| (x * 100) as u8)).sharpness, 0);
        }
    }
}
