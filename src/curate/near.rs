//! Hashes that differ in few bits, found without comparing all with all.
//!
//! A hash has four quarters of 16 bits. Two hashes that differ in at most `d` bits differ in at most `d / 4` in one of the
//! quarters; so hashes are filed by each quarter, and looked for under every value that is that near.

use super::codes;
use crate::error::{Error, Result};

/// Bits of a quarter.
const BITS: u32 = 16;
/// Quarters.
const QUARTERS: u32 = 4;
/// The most comparisons: some ten seconds. Everything with everything is less for 90,000 hashes.
pub(super) const MOST_WORK: u64 = 1 << 33;

/// Distinct hashes, filed by their quarters.
#[derive(Debug)]
pub(super) struct Index {
    hashes: Vec<u64>,
    distance: u32,
    /// What may be in a quarter's place: itself, and the values that differ in few bits.
    near: Vec<u16>,
    files: Vec<File>,
    work: u64,
}

/// The numbers of hashes by one quarter: those of value `v` stand from `starts[v]` to `starts[v + 1]`.
#[derive(Debug)]
struct File {
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

fn quarter(hash: u64, which: u32) -> u16 {
    (hash >> (which * BITS)) as u16
}

impl File {
    fn new(hashes: &[u64], which: u32) -> File {
        let mut starts = vec![0_u32; (1 << BITS) + 1];
        for hash in hashes {
            if let Some(count) = starts.get_mut(usize::from(quarter(*hash, which)) + 1) {
                *count += 1;
            }
        }
        let mut so_far = 0;
        for start in &mut starts {
            so_far += *start;
            *start = so_far;
        }
        let (mut next, mut numbers) = (starts.clone(), vec![0_u32; hashes.len()]);
        for (hash, number) in hashes.iter().zip(0_u32..) {
            if let Some(at) = next.get_mut(usize::from(quarter(*hash, which))) {
                if let Some(place) = numbers.get_mut(*at as usize) {
                    *place = number;
                }
                *at += 1;
            }
        }
        File { starts, numbers }
    }

    fn of(&self, value: u16) -> &[u32] {
        let start = |value: usize| self.starts.get(value).map_or(0, |start| *start as usize);
        self.numbers.get(start(value.into())..start(usize::from(value) + 1)).unwrap_or_default()
    }
}

impl Index {
    /// Of hashes that are all different, at most 2^32 - 1; `distance` is below 16.
    pub fn new(hashes: Vec<u64>, distance: u32) -> Index {
        let near = (0..=u16::MAX).filter(|mask| mask.count_ones() <= distance / QUARTERS).collect();
        let files = (0..QUARTERS).map(|which| File::new(&hashes, which)).collect();
        Index { hashes, distance, near, files, work: 0 }
    }

    /// Calls `found` with the number of every hash within the distance of `hash`, and how far it is, in no order. Those
    /// that `skip` names are not looked at.
    pub fn near(&mut self, hash: u64, skip: impl Fn(u32) -> bool, mut found: impl FnMut(u32, u32)) -> Result<()> {
        let radius = self.distance / QUARTERS;
        for (which, file) in (0_u32..).zip(&self.files) {
            for mask in &self.near {
                let numbers = file.of(quarter(hash, which) ^ mask);
                self.work += 1 + numbers.len() as u64;
                for &number in numbers {
                    let Some(other) = self.hashes.get(number as usize).filter(|_| !skip(number)) else { continue };
                    let apart = hash ^ other;
                    // What an earlier quarter finds too was found.
                    let before = (0..which).any(|earlier| quarter(apart, earlier).count_ones() <= radius);
                    if apart.count_ones() <= self.distance && !before {
                        found(number, apart.count_ones());
                    }
                }
            }
        }
        if self.work > MOST_WORK {
            let message = format!(
                "the hashes of {} images resemble each other so much that comparing them takes too long at a distance of {}",
                self.hashes.len(),
                self.distance
            );
            return Err(Error::new(&codes::MANY, message).with_options(&["distance"]));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Draws;

    #[test]
    fn everything_near_is_found_once_and_nothing_else() {
        let mut draws = Draws::new(5);
        let seeds: Vec<u64> = (0..40).map(|_| draws.bits()).collect();
        let mut hashes: Vec<u64> = seeds.clone();
        for seed in &seeds {
            for flips in 1..20 {
                hashes.push((0..flips).fold(*seed, |hash, _| hash ^ 1 << draws.below(64)));
            }
        }
        hashes.sort_unstable();
        hashes.dedup();
        for distance in [0, 1, 3, 4, 6, 9, 15] {
            let mut index = Index::new(hashes.clone(), distance);
            for hash in hashes.iter().step_by(7) {
                let mut found = Vec::new();
                index.near(*hash, |_| false, |number, apart| found.push((number, apart))).unwrap();
                found.sort_unstable();
                let all = (0_u32..).zip(&hashes).map(|(number, other)| (number, (hash ^ other).count_ones()));
                let expected: Vec<_> = all.filter(|(_, apart)| *apart <= distance).collect();
                assert_eq!(found, expected, "{distance}");
            }
        }
    }

    #[test]
    fn what_would_take_too_long_is_refused() {
        let mut index = Index::new((0..1000).collect(), 6);
        index.work = MOST_WORK;
        let e = index.near(0, |_| false, |_, _| ()).unwrap_err();
        assert_eq!((e.code().id(), e.options()), ("curate.many", &["distance"][..]));
    }
}
