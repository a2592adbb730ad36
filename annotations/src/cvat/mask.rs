//! Masks: CVAT's go row by row through a box, the model's column by column through the picture.

use super::super::Rle;
use crate::limits::Limits;

/// Pixels of masks that are looked at for each byte that they take in a file: far above what masks of objects need, and low
/// enough that a file of masks that are one run each takes no time beyond its size.
const PIXELS_A_BYTE: u64 = 4096;
/// Bytes that a mask takes besides its runs, about.
const BYTES_A_MASK: u64 = 256;

/// An account of the pixels of masks that are looked at, read or written: what takes few bytes may not take long.
#[derive(Debug)]
pub(super) struct Account {
    /// Pixels that may still be looked at.
    left: u64,
    /// Pixels that one mask may have looked at: they are in memory at once.
    most: u64,
}

impl Account {
    pub(super) fn new(limits: &Limits) -> Account {
        Account { left: limits.pixels, most: limits.pixels }
    }

    /// Another mask, whose runs take this many bytes.
    pub(super) fn give(&mut self, bytes: usize) {
        let bytes = BYTES_A_MASK + bytes as u64;
        self.left = self.left.saturating_add(bytes.saturating_mul(PIXELS_A_BYTE));
    }

    /// Whether this many pixels of a mask can be looked at.
    pub(super) fn take(&mut self, pixels: u64) -> bool {
        let left = self.left.checked_sub(pixels).filter(|_| pixels <= self.most);
        left.inspect(|left| self.left = *left).is_some()
    }
}

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

/// The runs of a mask in the smallest box around it, and the box; `None` where no pixel is on, or there would be more of
/// them than the account of all masks allows.
pub(super) fn to_rows(mask: &Rle, account: &mut Account) -> Option<(String, [u32; 4])> {
    let bounds = mask.bounds()?;
    let (left, top) = (bounds.x0 as u32, bounds.y0 as u32);
    let (width, height) = (bounds.width() as u32, bounds.height() as u32);
    account.give(mask.counts().len());
    // Where runs begin and end: column and row.
    let place = |at: u64| (at / u64::from(mask.height()), at % u64::from(mask.height()));
    let (mut at, mut runs) = (0u64, Vec::new());
    for (i, count) in mask.counts().iter().enumerate() {
        let end = at + u64::from(*count);
        if i % 2 == 1 && end > at {
            runs.push((place(at), place(end)));
        }
        at = end;
    }
    // Rows between two in which a run begins or ends are alike.
    let (first, last) = (u64::from(top), u64::from(top) + u64::from(height));
    let rows = runs.iter().flat_map(|((_, begin), (_, end))| [*begin, *end]);
    let mut cuts: Vec<u64> = rows.filter(|row| (first..last).contains(row)).chain([first, last]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let mut counts = Counts::default();
    let area = u64::from(width) * u64::from(height);
    // Where rows differ this much it is less work to look at every pixel.
    if (cuts.len() as u64).saturating_mul(runs.len() as u64) >= area {
        if !account.take(area) {
            return None;
        }
        add_pixels(&mut counts, mask, &runs, [left, top, width, height])?;
        cuts.clear();
    }
    let mut room = MOST;
    for band in cuts.windows(2) {
        let &[from, to] = band else { continue };
        // Which columns a run covers in a row: from where it begins to where it ends, and in the rows above one further.
        let column = |(column, row): (u64, u64)| column + u64::from(from < row) - u64::from(left);
        let covered =
            runs.iter().map(|(begin, end)| column(*begin)..column(*end)).filter(|columns| !columns.is_empty());
        let mut on: Vec<std::ops::Range<u64>> = Vec::new();
        for columns in covered {
            match on.last_mut().filter(|before| before.end == columns.start) {
                Some(before) => before.end = columns.end,
                None => on.push(columns),
            }
        }
        let alike = match &on[..] {
            [] => Some(false),
            [all] if *all == (0..u64::from(width)) => Some(true),
            _ => None,
        };
        let each = 2 * on.len() as u64 + 1;
        let added = alike.map_or(each.saturating_mul(to - from), |_| 1);
        // They are in memory at once, those of all bands, and each is a number in the file.
        room = room.checked_sub(added)?;
        if !account.take(runs.len() as u64 + added) {
            return None;
        }
        if let Some(on) = alike {
            counts.add(on, (to - from) * u64::from(width));
            continue;
        }
        for _ in from..to {
            let mut x = 0;
            for columns in &on {
                counts.add(false, columns.start - x);
                counts.add(true, columns.end - columns.start);
                x = columns.end;
            }
            counts.add(false, u64::from(width) - x);
        }
    }
    let texts: Vec<String> = counts.done()?.iter().map(u32::to_string).collect();
    Some((texts.join(", "), [left, top, width, height]))
}

/// A place in a mask: column and row.
type Place = (u64, u64);

/// Adds every pixel of the box around a mask.
fn add_pixels(
    counts: &mut Counts,
    mask: &Rle,
    runs: &[(Place, Place)],
    [left, top, width, height]: [u32; 4],
) -> Option<()> {
    let mut on = vec![false; usize::try_from(u64::from(width) * u64::from(height)).ok()?];
    let tall = u64::from(mask.height());
    let at = |(column, row): Place| (column - u64::from(left)) * tall + row;
    for (begin, end) in runs {
        for pixel in at(*begin)..at(*end) {
            let (x, y) = (pixel / tall, pixel % tall);
            if let Some(on) = on.get_mut(((y - u64::from(top)) * u64::from(width) + x) as usize) {
                *on = true;
            }
        }
    }
    on.iter().for_each(|on| counts.add(*on, 1));
    Some(())
}

/// Runs that one mask may have where rows are alike.
const MOST: u64 = 1 << 24;

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
    use crate::limits::Limits;

    fn account(pixels: u64) -> Account {
        Account::new(&Limits::default().with_pixels(pixels))
    }

    #[test]
    fn rows_and_columns_are_one_mask() {
        for (runs, place) in [
            ("1, 2, 1", [4, 5, 2, 2]),
            ("0, 6", [0, 0, 3, 2]),
            ("0, 1, 4, 1", [7, 8, 3, 2]),
            ("0, 2, 2, 2", [0, 0, 2, 3]),
        ] {
            let mask = from_rows(runs, place, (10, 10)).unwrap();
            assert_eq!(to_rows(&mask, &mut account(100)).unwrap(), (runs.to_owned(), place));
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
        assert_eq!(to_rows(&Rle::new(4, 3, vec![12]).unwrap(), &mut account(100)), None);
    }

    #[test]
    fn masks_of_few_runs_take_no_time_beyond_their_size() {
        let mut account = account(Limits::default().pixels);
        let mask = Rle::new(60_000, 60_000, vec![0, 3_600_000_000]).unwrap();
        let all = Some(("0, 3600000000".to_owned(), [0, 0, 60_000, 60_000]));
        assert!((0..10_000).all(|_| to_rows(&mask, &mut account) == all));
        // Two columns of three, row by row, would be three billion runs.
        let columns = Rle::new(3, 1_000_000_000, vec![0, 1_000_000_000, 1_000_000_000, 1_000_000_000]).unwrap();
        assert_eq!(to_rows(&columns, &mut account), None);
    }

    #[test]
    fn a_mask_has_bounds_of_its_own_however_much_a_file_gives() {
        let mut rich = account(1000);
        rich.give(1 << 40);
        assert!(!rich.take(1001) && rich.take(1000));
        // Four bands of columns, each of which is within what one mask may have, and all of which together are not.
        let (high, band) = (10_000_u32, 2_500_u32);
        let mut counts = Counts::default();
        for column in 0..2_400_u64 {
            let from = column % 4 * u64::from(band);
            counts.add(false, from);
            counts.add(true, u64::from(high) - from);
            counts.add(false, u64::from(high));
        }
        let mask = Rle::new(4_800, high, counts.done().unwrap()).unwrap();
        let mut rich = account(1 << 40);
        assert_eq!(to_rows(&mask, &mut rich), None);
    }

    proptest::proptest! {
        #[test]
        fn rows_are_those_of_the_pixels(
            width in 1_u32..9,
            height in 1_u32..9,
            pixels in proptest::collection::vec(proptest::prelude::any::<bool>(), 81),
        ) {
            let mut counts = Counts::default();
            pixels.iter().take((width * height) as usize).for_each(|on| counts.add(*on, 1));
            let mask = Rle::new(width, height, counts.done().unwrap()).unwrap();
            match to_rows(&mask, &mut account(1000)) {
                Some((runs, place)) => {
                    proptest::prop_assert_eq!(from_rows(&runs, place, (width, height)), Some(mask));
                }
                None => proptest::prop_assert_eq!(mask.bounds(), None),
            }
        }
    }
}
