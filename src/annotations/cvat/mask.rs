//! Masks: CVAT's go row by row through a box, the model's column by column through the picture.

use super::super::Rle;

/// A mask from runs of pixels off, on, off ... in a box at `[left, top, width, height]` of a picture; `None` where they do
/// not fit. Looks at every pixel of the box, which the caller has bounded.
pub(super) fn from_rows(runs: &str, [left, top, width, height]: [u32; 4], size: (u32, u32)) -> Option<Rle> {
    let fits = |from: u32, length: u32, all: u32| length > 0 && from.checked_add(length).is_some_and(|end| end <= all);
    if !fits(left, width, size.0) || !fits(top, height, size.1) {
        return None;
    }
    let all = u64::from(width) * u64::from(height);
    let mut on = vec![false; usize::try_from(all).ok()?];
    let mut at = 0usize;
    for (i, run) in runs.split(',').enumerate() {
        let run: usize = run.trim().parse().ok()?;
        let end = at.checked_add(run).filter(|end| *end <= on.len())?;
        if i % 2 == 1 {
            on[at..end].fill(true);
        }
        at = end;
    }
    if at != on.len() {
        return None;
    }
    let mut counts = Counts::default();
    counts.add(false, u64::from(left) * u64::from(size.1));
    for x in 0..width as usize {
        counts.add(false, u64::from(top));
        for y in 0..height as usize {
            counts.add(on[y * width as usize + x], 1);
        }
        counts.add(false, u64::from(size.1 - top - height));
    }
    counts.add(false, u64::from(size.0 - left - width) * u64::from(size.1));
    Rle::new(size.0, size.1, counts.done()?).ok()
}

/// The runs of a mask in the smallest box around it, and the box; `None` where no pixel is on, or the box has more pixels
/// than `most`.
pub(super) fn to_rows(mask: &Rle, most: u64) -> Option<(String, [u32; 4])> {
    let bounds = mask.bounds()?;
    let (left, top) = (bounds.x0 as u32, bounds.y0 as u32);
    let (width, height) = (bounds.width() as u32, bounds.height() as u32);
    if u64::from(width) * u64::from(height) > most {
        return None;
    }
    let mut on = vec![false; width as usize * height as usize];
    let mut at = 0u64;
    for (i, count) in mask.counts().iter().enumerate() {
        let end = at + u64::from(*count);
        if i % 2 == 1 {
            for pixel in at..end {
                let (x, y) = (pixel / u64::from(mask.height()), pixel % u64::from(mask.height()));
                on[((y - u64::from(top)) * u64::from(width) + x - u64::from(left)) as usize] = true;
            }
        }
        at = end;
    }
    let mut counts = Counts::default();
    on.iter().for_each(|on| counts.add(*on, 1));
    let texts: Vec<String> = counts.done()?.iter().map(u32::to_string).collect();
    Some((texts.join(", "), [left, top, width, height]))
}

/// Runs that grow pixel by pixel, the first of which is off.
#[derive(Default)]
struct Counts {
    counts: Vec<u64>,
}

impl Counts {
    fn add(&mut self, on: bool, n: u64) {
        // Runs with even numbers are off.
        if n == 0 {
            return;
        }
        let last_is_on = self.counts.len().is_multiple_of(2);
        match self.counts.last_mut().filter(|_| last_is_on == on) {
            Some(count) => *count += n,
            None => {
                if self.counts.is_empty() && on {
                    self.counts.push(0);
                }
                self.counts.push(n);
            }
        }
    }

    fn done(self) -> Option<Vec<u32>> {
        self.counts.into_iter().map(|n| u32::try_from(n).ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_are_one_mask() {
        for (runs, place) in [
            ("1, 2, 1", [4, 5, 2, 2]),
            ("0, 6", [0, 0, 3, 2]),
            ("0, 1, 4, 1", [7, 8, 3, 2]),
            ("0, 2, 2, 2", [0, 0, 2, 3]),
        ] {
            let mask = from_rows(runs, place, (10, 10)).unwrap();
            assert_eq!(to_rows(&mask, 100).unwrap(), (runs.to_owned(), place));
        }
    }

    #[test]
    fn masks_that_do_not_fit_are_none() {
        for (runs, place) in [
            ("1, 2", [4, 5, 2, 2]),
            ("1, 2, 2", [4, 5, 2, 2]),
            ("1, x, 1", [4, 5, 2, 2]),
            ("1, 2, 1", [9, 5, 2, 2]),
            ("1, 2, 1", [u32::MAX, 5, 2, 2]),
            ("", [0, 0, 0, 0]),
        ] {
            assert_eq!(from_rows(runs, place, (10, 10)), None, "{runs}");
        }
        assert_eq!(to_rows(&Rle::new(4, 3, vec![12]).unwrap(), 100), None);
        assert_eq!(to_rows(&Rle::new(4, 3, vec![0, 12]).unwrap(), 11), None);
    }
}
