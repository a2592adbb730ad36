//! Samples by class: which belong to each, and how many of a run of draws each class has.

use std::sync::Arc;

use super::{
    MOST_SAMPLES, Permutation, Shuffle,
    arrangement::Arrangement,
    codes,
    counting::{holder, sums},
};
use crate::{
    error::{Error, Result},
    random::Purpose,
};

/// The most classes; each costs some bytes whether it has samples or not.
const MOST_CLASSES: u32 = 1 << 24;

/// The samples of each class in their order, one class after the other: four bytes a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Members {
    members: Vec<u32>,
    /// Where each class begins, and where the last one ends.
    begins: Vec<u64>,
    /// Samples, those without a class included.
    samples: u64,
}

impl Members {
    pub(super) fn new(classes: &[Option<u32>]) -> Result<Self> {
        let refuse = |message: String| Err(Error::new(&codes::SETTINGS, message));
        if u32::try_from(classes.len()).is_err() {
            return refuse(format!("{} samples with classes are more than 2^32", classes.len()));
        }
        let count = classes.iter().flatten().max().map_or(0, |&last| last.saturating_add(1));
        if count > MOST_CLASSES {
            return refuse(format!("{count} classes are more than {MOST_CLASSES}; number them from 0 without gaps"));
        }
        let mut sizes = vec![0_u64; count as usize];
        classes.iter().flatten().for_each(|&class| sizes[class as usize] += 1);
        let begins = sums(sizes.iter().copied()).unwrap_or_default();
        let mut next = begins.clone();
        let mut members = vec![0; begins.last().map_or(0, |&all| all as usize)];
        for (sample, class) in (0..).zip(classes) {
            if let Some(class) = class {
                let place = &mut next[*class as usize];
                members[*place as usize] = sample;
                *place += 1;
            }
        }
        Ok(Members { members, begins, samples: classes.len() as u64 })
    }

    pub(super) fn samples(&self) -> u64 {
        self.samples
    }
    /// How many classes there are.
    pub(super) fn classes(&self) -> usize {
        self.begins.len().saturating_sub(1)
    }
    /// How many samples a class has.
    pub(super) fn size(&self, class: usize) -> u64 {
        self.begins[class + 1] - self.begins[class]
    }
    fn sample(&self, class: usize, i: u64) -> u64 {
        let place = usize::try_from(self.begins[class] + i).unwrap_or(usize::MAX);
        self.members.get(place).copied().map_or(0, u64::from)
    }

    /// What tells them from others: how many samples there are, and of each class how many and which.
    pub(super) fn bytes(&self) -> impl Iterator<Item = u8> + '_ {
        let class = |class: usize| {
            let range = self.begins[class] as usize..self.begins[class + 1] as usize;
            let members = self.members.get(range).unwrap_or_default();
            self.size(class).to_le_bytes().into_iter().chain(members.iter().flat_map(|one| one.to_le_bytes()))
        };
        self.samples.to_le_bytes().into_iter().chain((0..self.classes()).flat_map(class))
    }

    /// Weight 1 for every class that has samples.
    pub(super) fn equal(&self) -> Vec<f64> {
        (0..self.classes()).map(|class| f64::from(u8::from(self.size(class) > 0))).collect()
    }

    /// The running sums of the classes' weights: what each has of a period.
    pub(super) fn shares(&self, quanta: &[u32]) -> Result<Vec<u64>> {
        let refuse = |message: String| Err(Error::new(&codes::SETTINGS, message));
        if quanta.len() != self.classes() {
            return refuse(format!("{} weights are not one for each of {} classes", quanta.len(), self.classes()));
        }
        if let Some(class) = (0..quanta.len()).find(|&class| quanta[class] > 0 && self.size(class) == 0) {
            return refuse(format!("class {class} has a weight and no samples"));
        }
        match sums(quanta.iter().map(|&one| u64::from(one))) {
            Some(shares) if shares.last() > Some(&0) || self.samples == 0 => Ok(shares),
            Some(_) => refuse("no class has a weight and samples".into()),
            None => refuse(format!("the weights of {} classes are too fine; use whole numbers", quanta.len())),
        }
    }
}

/// From some epoch on, what each class has of a period, and how many of its draws came in earlier epochs.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    pub(super) from: u64,
    pub(super) shares: Arc<[u64]>,
    pub(super) drawn: Vec<u64>,
}

impl Stage {
    /// Sample number of draw `k` since this stage began.
    pub(super) fn draw(&self, members: &Members, shuffle: Shuffle, seed: u64, k: u64) -> u64 {
        let period = self.shares.last().copied().unwrap_or(1).max(1);
        let slot = Permutation::new(period, Purpose::Classes.key(seed, &[self.from, k / period])).at(k % period);
        let class = holder(&self.shares, slot);
        let (first, weight) = (self.shares[class], self.shares[class + 1] - self.shares[class]);
        let draw = self.drawn[class] + (k / period) * weight + (slot - first);
        let n = members.size(class).max(1);
        let pass_key = Purpose::ClassPass.key(seed, &[class as u64, draw / n]);
        members.sample(class, Arrangement::new(n, shuffle, pass_key).at(draw % n))
    }

    /// How many draws of each class there were when the next stage begins at epoch `next`, counted in whole periods.
    pub(super) fn drawn_until(&self, next: u64, draws: u64) -> Result<Vec<u64>> {
        let beyond = || Error::new(&codes::SETTINGS, format!("epoch {next} lies beyond 2^53 samples"));
        next.checked_mul(draws).filter(|&all| all <= MOST_SAMPLES).ok_or_else(beyond)?;
        let period = self.shares.last().copied().unwrap_or(1).max(1);
        let periods = ((next - self.from) * draws).div_ceil(period);
        let weights = self.shares.windows(2).map(|pair| pair[1] - pair[0]);
        Ok(self.drawn.iter().zip(weights).map(|(before, weight)| before.saturating_add(periods * weight)).collect())
    }
}
