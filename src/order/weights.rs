//! Weights as whole numbers, and which sample a number below their sum belongs to.

use super::{codes, counting::holder};
use crate::error::{Error, Result};

/// Weights that are added up one by one: the sum before each run of them is kept.
const RUN: usize = 64;

/// The most samples that have weights: their sum then stays below 2^63.
const MOST_WEIGHTS: usize = 1 << 31;

/// Weights in proportion to these as whole numbers below 2^32. All are multiplied by the power of two that takes the
/// largest to at least 2^31, the rest behind the point is cut off (what was more than 0 stays at least 1), and what all
/// of them are multiples of is divided out. So small whole numbers stay what they are, and no host rounds otherwise.
pub(super) fn quanta(weights: &[f64]) -> Result<Vec<u32>> {
    if weights.len() > MOST_WEIGHTS {
        return Err(Error::new(&codes::SETTINGS, format!("{} weights are more than 2^31", weights.len())));
    }
    let wrong = |weight: &f64| !weight.is_finite() || *weight < 0.0;
    if let Some(at) = weights.iter().position(wrong) {
        let message = format!("weight {at} is {}, and not a number of at least 0", weights[at]);
        return Err(Error::new(&codes::SETTINGS, message));
    }
    let largest = weights.iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        return Ok(vec![0; weights.len()]);
    }
    let (digits, exponent) = parts(largest);
    let up = digits.leading_zeros() as i32 - 32 - exponent;
    let mut quanta: Vec<u32> = weights.iter().map(|&weight| quantum(weight, up)).collect();
    let divisor = quanta.iter().fold(0, |all, &one| if all == 1 { 1 } else { divisor(all, one) });
    if divisor > 1 {
        quanta.iter_mut().for_each(|one| *one /= divisor);
    }
    Ok(quanta)
}

/// The whole number and the power of two that a finite float of at least 0 is the product of.
fn parts(float: f64) -> (u64, i32) {
    let bits = float.to_bits();
    let (fraction, exponent) = (bits & ((1 << 52) - 1), (bits >> 52) as i32 & 0x7FF);
    match exponent {
        0 => (fraction, -1074),
        _ => (fraction | 1 << 52, exponent - 1075),
    }
}

/// A weight times 2^`up`, which is below 2^32.
fn quantum(weight: f64, up: i32) -> u32 {
    let (digits, exponent) = parts(weight);
    let shift = exponent + up;
    let whole = match shift {
        0.. => digits.checked_shl(shift.unsigned_abs()),
        _ => digits.checked_shr(shift.unsigned_abs()),
    };
    let least = u32::from(weight > 0.0);
    u32::try_from(whole.unwrap_or(0)).unwrap_or(u32::MAX).max(least)
}

fn divisor(mut a: u32, mut b: u32) -> u32 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The weights of all samples, side by side as numbers from 0 on: four bytes for each, and eight for each 64 of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Table {
    quanta: Vec<u32>,
    /// The sum before each run, and of all.
    before: Vec<u64>,
}

impl Table {
    pub(super) fn new(quanta: Vec<u32>) -> Self {
        let mut sum = 0;
        let mut before = vec![0];
        before.extend(quanta.chunks(RUN).map(|run| {
            sum += run.iter().map(|&one| u64::from(one)).sum::<u64>();
            sum
        }));
        Table { quanta, before }
    }

    pub(super) fn len(&self) -> u64 {
        self.quanta.len() as u64
    }
    pub(super) fn quanta(&self) -> &[u32] {
        &self.quanta
    }
    /// The sum of all.
    pub(super) fn total(&self) -> u64 {
        self.before.last().copied().unwrap_or(0)
    }

    /// The sum before sample `i`; of all where there is none.
    pub(super) fn before(&self, i: u64) -> u64 {
        let i = usize::try_from(i).unwrap_or(usize::MAX).min(self.quanta.len());
        let run = i / RUN;
        let rest = self.quanta.get(run * RUN..i).unwrap_or_default();
        self.before.get(run).copied().unwrap_or(0) + rest.iter().map(|&one| u64::from(one)).sum::<u64>()
    }

    /// The sample that holds `slot`, which is below the total.
    pub(super) fn holder(&self, slot: u64) -> u64 {
        let run = holder(&self.before, slot);
        let (mut left, mut i) = (slot - self.before[run], run * RUN);
        for &one in self.quanta.get(i..).unwrap_or_default() {
            let Some(less) = left.checked_sub(u64::from(one)) else { break };
            (left, i) = (less, i + 1);
        }
        i as u64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn small_whole_numbers_stay_what_they_are() {
        assert_eq!(quanta(&[3.0, 0.0, 1.0, 2.0]).unwrap(), [3, 0, 1, 2]);
        assert_eq!(quanta(&[0.75, 0.25]).unwrap(), [3, 1]);
        assert_eq!(quanta(&[f64::MAX, f64::MAX]).unwrap(), [1, 1]);
        assert_eq!(quanta(&[5e-324, 1e-323]).unwrap(), [1, 2]);
        assert_eq!(quanta(&[0.0, -0.0]).unwrap(), [0, 0]);
        assert!(quanta(&[]).unwrap().is_empty());
        // What is more than 0 can still be drawn, beside whatever.
        assert_eq!(quanta(&[f64::MAX, 5e-324]).unwrap(), [u32::MAX, 1]);
        assert_eq!(quanta(&[1.0, 1e-30]).unwrap(), [1 << 31, 1]);
        for wrong in [f64::NAN, f64::INFINITY, -1.0] {
            let e = quanta(&[1.0, wrong]).unwrap_err();
            assert!(e.code().id() == "order.settings" && e.to_string().contains("weight 1 is"), "{e}");
        }
    }

    proptest! {
        #[test]
        fn proportions_stay_within_the_last_of_31_bits(weights in proptest::collection::vec(1e-3..1e3_f64, 1..50)) {
            let quanta = quanta(&weights).unwrap();
            let (whole, all) = (quanta.iter().map(|&q| f64::from(q)).sum::<f64>(), weights.iter().sum::<f64>());
            for (&quantum, weight) in quanta.iter().zip(&weights) {
                let (has, wants) = (f64::from(quantum) / whole, weight / all);
                prop_assert!((has - wants).abs() < 50.0 / f64::from(1_u32 << 31), "{} {}", has, wants);
            }
        }

        #[test]
        fn every_number_belongs_to_the_sample_that_adding_up_finds(
            quanta in proptest::collection::vec(prop_oneof![Just(0), 0..5_u32, Just(u32::MAX)], 0..300), at: u64,
        ) {
            let table = Table::new(quanta.clone());
            let mut sum = 0;
            for (i, &one) in quanta.iter().enumerate() {
                prop_assert_eq!(table.before(i as u64), sum);
                for slot in [sum, sum + u64::from(one) / 2, sum + u64::from(one).saturating_sub(1)] {
                    if one > 0 {
                        prop_assert_eq!(table.holder(slot), i as u64);
                    }
                }
                sum += u64::from(one);
            }
            prop_assert_eq!((table.total(), table.before(table.len()), table.before(u64::MAX)), (sum, sum, sum));
            if let Some(slot) = at.checked_rem(sum) {
                let found = table.holder(slot);
                prop_assert!(table.before(found) <= slot && slot < table.before(found + 1));
            }
        }
    }
}
