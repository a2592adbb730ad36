//! The order of one epoch.

use std::ops::Range;

use super::{Order, walk::Walk};
use crate::{error::Result, random::Purpose};

/// One sample of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// The position in the epoch; at and beyond [`Order::epoch_samples`] where the tail is padded.
    pub position: u64,
    /// Which source it is from.
    pub source: usize,
    /// Its number in that source.
    pub sample: u64,
    /// Its number among all samples of all sources.
    pub index: u64,
    /// True if it only fills the tail.
    pub padded: bool,
}

/// The order of one epoch.
#[derive(Clone, Debug)]
pub struct Epoch<'a> {
    pub(super) order: &'a Order,
    pub(super) epoch: u64,
    pub(super) walk: Walk<'a>,
}

impl<'a> Epoch<'a> {
    /// The epoch's number.
    #[doc(hidden)]
    pub fn number(&self) -> u64 {
        self.epoch
    }
    /// See [`Order::steps`].
    pub fn steps(&self) -> u64 {
        self.order.steps()
    }

    /// The sample at a position of the epoch, counted over all ranks; positions beyond the end come from the start
    /// again. `None` in an epoch without samples.
    pub fn item(&self, position: u64) -> Option<Item> {
        let order = self.order;
        let n = order.epoch_samples;
        let k = position.checked_rem(n)?;
        let (source, chosen) = self.walk.at(order, order.draw_at(k));
        let sample = order.sources.get(source)?.sample(chosen);
        let index = order.samples_before[source] + sample;
        Some(Item { position, source, sample, index, padded: position >= n })
    }

    /// The positions that one rank takes in one step: empty for a step or rank that does not exist.
    #[doc(hidden)]
    pub fn positions(&self, step: u64, rank: u64) -> Range<u64> {
        self.order.positions(step, rank)
    }

    /// The samples that one rank takes in one step.
    pub fn batch(&self, step: u64, rank: u64) -> impl Iterator<Item = Item> + use<'_, 'a> {
        self.positions(step, rank).filter_map(|position| self.item(position))
    }

    /// The steps that one of several worker processes takes, from step `from` on: they take turns.
    #[doc(hidden)]
    pub fn worker_steps(&self, from: u64, worker: u64, workers: u64) -> impl Iterator<Item = u64> + use<> {
        let steps = self.steps();
        let stride = workers.max(1);
        let first = if worker < stride { from.checked_add(worker) } else { None };
        std::iter::successors(first, move |step| step.checked_add(stride)).take_while(move |&step| step < steps)
    }
}

impl Order {
    /// The order of one epoch. Refused only after more than 2^53 samples, where draws are counted over all epochs.
    pub fn epoch(&self, epoch: u64) -> Result<Epoch<'_>> {
        Ok(Epoch { order: self, epoch, walk: Walk::new(self, epoch)? })
    }

    /// The key for everything random about a sample: see [`sample_key`]; where samples may come more than once in an epoch,
    /// each time has a key of its own.
    #[doc(hidden)]
    pub fn key_of(&self, epoch: u64, item: &Item) -> u64 {
        let (purpose, number) = self.drawn_by(item);
        purpose.key(self.settings.seed, &[epoch, number])
    }

    /// The same for another view of that sample, numbered from 1.
    #[doc(hidden)]
    pub fn key_of_view(&self, epoch: u64, item: &Item, view: u64) -> u64 {
        let (purpose, number) = self.drawn_by(item);
        purpose.key(self.settings.seed, &[epoch, number, view])
    }

    /// What decides everything random about a sample, beside seed and epoch.
    fn drawn_by(&self, item: &Item) -> (Purpose, u64) {
        let settings = &self.settings;
        if settings.sampling.is_none() && settings.draws.is_none() && settings.repeats == 1 {
            return (Purpose::Sample, item.index);
        }
        (Purpose::Place, item.position.checked_rem(self.epoch_samples).unwrap_or(item.position))
    }
}
