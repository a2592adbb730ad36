//! Who goes where in a split: training, validation and test, each with its share of every class, and no group torn.

use crate::{
    error::{Error, Result, codes::ARGUMENT},
    random::Purpose,
};

/// Shares are whole numbers of this.
const WHOLE: u64 = 1_000_000;
/// The most parts.
const MOST: usize = 16;

/// How large the parts are to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fractions(Vec<u64>);

impl Fractions {
    /// Fractions of all samples, which together are 1.
    pub fn new(fractions: &[f64]) -> Result<Fractions> {
        let refuse = |message: String| Err(Error::new(&ARGUMENT, message));
        if fractions.is_empty() || fractions.len() > MOST {
            return refuse(format!("a split has 1 to {MOST} parts, not {}", fractions.len()));
        }
        if let Some(wrong) = fractions.iter().find(|part| !(0.0..=1.0).contains(*part)) {
            return refuse(format!("a part is a fraction from 0 to 1, not {wrong}"));
        }
        let sum: f64 = fractions.iter().sum();
        if (sum - 1.0).abs() > 1e-6 {
            return refuse(format!("the parts are {sum} of all samples together, and must be 1"));
        }
        let mut shares: Vec<u64> = fractions.iter().map(|part| (part * WHOLE as f64).round() as u64).collect();
        // What rounding left over belongs to the largest.
        let all: u64 = shares.iter().sum();
        if let Some(largest) = shares.iter_mut().max() {
            *largest = (*largest + WHOLE).saturating_sub(all);
        }
        Ok(Fractions(shares))
    }
}

/// Samples that stay together, often one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The lowest number of its samples.
    pub first: u64,
    /// How many they are.
    pub samples: u64,
    /// The number of its class; classes are numbered from 0 in the order in which they come.
    pub class: u32,
}

/// The number of the part that each unit belongs to.
///
/// Class by class, the larger units first (by powers of two), among those of about one size in the order of random keys, each
/// goes to the part that lacks most samples. What a class could not divide evenly is carried to the next one, so that
/// many small classes come out right together.
pub fn divide(units: &[Unit], fractions: &Fractions, seed: u64) -> Vec<u8> {
    let mut order: Vec<(u32, u32, u64, usize)> = units
        .iter()
        .enumerate()
        .map(|(at, unit)| {
            let smallness = u64::BITS - unit.samples.max(1).ilog2();
            (unit.class, smallness, Purpose::Part.key(seed, &[unit.first]), at)
        })
        .collect();
    order.sort_unstable();
    let mut parts = vec![0_u8; units.len()];
    // How many samples each part lacks, in millionths.
    let mut lacks = vec![0_i128; fractions.0.len()];
    for class in order.chunk_by(|a, b| a.0 == b.0) {
        let samples = |at: usize| units.get(at).map_or(0, |unit| unit.samples);
        let all: u128 = class.iter().map(|(.., at)| u128::from(samples(*at))).sum();
        for (lack, share) in lacks.iter_mut().zip(&fractions.0) {
            *lack += all as i128 * i128::from(*share);
        }
        for &(.., at) in class {
            // A part that is to be empty stays so.
            let wanted = (0_u8..).zip(lacks.iter_mut().zip(&fractions.0)).filter(|(_, (_, share))| **share > 0);
            // Of equals the first.
            let Some((part, (lack, _))) = wanted.max_by_key(|(part, (lack, _))| (**lack, std::cmp::Reverse(*part)))
            else {
                continue;
            };
            *lack -= i128::from(samples(at)) * i128::from(WHOLE);
            if let Some(place) = parts.get_mut(at) {
                *place = part;
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn single(first: u64, class: u32) -> Unit {
        Unit { first, samples: 1, class }
    }

    fn counts(units: &[Unit], parts: &[u8], part: u8, class: Option<u32>) -> u64 {
        let these = units.iter().zip(parts).filter(|(unit, of)| **of == part && class.is_none_or(|c| unit.class == c));
        these.map(|(unit, _)| unit.samples).sum()
    }

    #[test]
    fn every_class_is_divided_and_many_small_ones_come_out_right() {
        let units: Vec<Unit> = (0..1000).map(|i| single(i, (i % 4) as u32)).collect();
        let fractions = Fractions::new(&[0.8, 0.1, 0.1]).unwrap();
        let parts = divide(&units, &fractions, 7);
        for class in 0..4 {
            let of = |part| counts(&units, &parts, part, Some(class));
            assert_eq!((of(0), of(1), of(2)), (200, 25, 25));
        }
        assert_ne!(parts, divide(&units, &fractions, 8));
        assert_eq!(parts, divide(&units, &fractions, 7));
        let alone: Vec<Unit> = (0..1000).map(|i| single(i, i as u32)).collect();
        let parts = divide(&alone, &fractions, 7);
        assert_eq!((counts(&alone, &parts, 0, None), counts(&alone, &parts, 1, None)), (800, 100));
    }

    #[test]
    fn large_groups_go_where_there_is_room() {
        let mut units: Vec<Unit> = (0..200).map(|i| single(i, 0)).collect();
        units.push(Unit { first: 1000, samples: 150, class: 0 });
        let parts = divide(&units, &Fractions::new(&[0.5, 0.5]).unwrap(), 1);
        assert_eq!((counts(&units, &parts, 0, None), counts(&units, &parts, 1, None)), (175, 175));
    }

    #[test]
    fn fractions_that_make_no_whole_are_refused() {
        for wrong in [&[0.8][..], &[0.8, 0.3], &[1.2, -0.2], &[f64::NAN, 1.0], &[], &[0.0; 17]] {
            assert_eq!(Fractions::new(wrong).unwrap_err().code().id(), "usage.argument", "{wrong:?}");
        }
        let thirds = Fractions::new(&[1.0 / 3.0; 3]).unwrap();
        assert_eq!(thirds.0.iter().sum::<u64>(), WHOLE);
        let units: Vec<Unit> = (0..10).map(|i| single(i, 0)).collect();
        assert_eq!(divide(&units, &Fractions::new(&[0.0, 1.0]).unwrap(), 3), [1; 10]);
    }

    proptest! {
        #[test]
        fn no_part_is_further_off_than_the_largest_group(
            sizes in proptest::collection::vec((1_u64..20, 0_u32..5), 1..200),
            share in 0.0_f64..1.0,
            seed: u64,
        ) {
            let units: Vec<Unit> =
                sizes.iter().zip(0..).map(|(&(samples, class), first)| Unit { first, samples, class }).collect();
            let fractions = Fractions::new(&[share, 1.0 - share]).unwrap();
            let parts = divide(&units, &fractions, seed);
            let all: u64 = units.iter().map(|unit| unit.samples).sum();
            let largest = units.iter().map(|unit| unit.samples).max().unwrap() as f64;
            let off = counts(&units, &parts, 0, None) as f64 - all as f64 * share;
            prop_assert!(off.abs() <= largest + 1.0, "{off}");
        }
    }
}
