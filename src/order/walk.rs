//! From the draws of an epoch to samples.

use std::ops::Range;

use super::{
    MOST_SAMPLES, Order, Permutation, arrangement::Arrangement, classes::Stage, codes, counting::holder, sampling::By,
    weights::Table,
};
use crate::{
    error::{Error, Result},
    random::{Purpose, scale_wide},
};

/// What the draws of one epoch are.
#[derive(Clone, Debug)]
pub(super) enum Walk<'a> {
    /// One pass over all samples.
    Pass(Arrangement),
    /// Passes that follow each other, wherever epochs end; `start` draws came before.
    Passes { start: u64 },
    /// Sources in proportion; of each its samples pass by, or are drawn by weight.
    Mixed { start: u64, weighted: Option<Weighted<'a>> },
    /// Samples by their weights.
    Weighted(Weighted<'a>),
    /// Classes in proportion; `start` draws came before since the stage began.
    Classes { stage: &'a Stage, start: u64 },
}

/// Weights of samples for the draws of one epoch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weighted<'a> {
    table: &'a Table,
    seed: u64,
    epoch: u64,
}

impl Weighted<'_> {
    /// The sample that draw `d` gives, among those of this range.
    fn draw(&self, d: u64, range: Range<u64>) -> u64 {
        let (first, end) = (self.table.before(range.start), self.table.before(range.end));
        let random = Purpose::Weights.key(self.seed, &[self.epoch, d]);
        self.table.holder(first + scale_wide(random, end - first))
    }
}

/// The last of the stages that has begun in this epoch.
fn stage<T>(stages: &[T], epoch: u64, from: impl Fn(&T) -> u64) -> Option<&T> {
    stages.get(stages.partition_point(|stage| from(stage) <= epoch).checked_sub(1)?)
}

impl<'a> Walk<'a> {
    pub(super) fn new(order: &'a Order, epoch: u64) -> Result<Walk<'a>> {
        let settings = &order.settings;
        let beyond = || Error::new(&codes::SETTINGS, format!("epoch {epoch} lies beyond 2^53 samples"));
        let start = || {
            let end = epoch.checked_add(1).and_then(|e| e.checked_mul(order.draws));
            let end = end.filter(|&end| end <= MOST_SAMPLES).ok_or_else(beyond)?;
            Ok::<u64, Error>(end - order.draws)
        };
        let weighted = match settings.sampling.as_ref().map(|sampling| &sampling.by) {
            Some(By::Weights(stages)) => {
                stage(stages, epoch, |(from, _)| *from).map(|(_, table)| Weighted { table, seed: settings.seed, epoch })
            }
            _ => None,
        };
        if settings.mix.is_some() {
            return Ok(Walk::Mixed { start: start()?, weighted });
        }
        if let Some(weighted) = weighted {
            return Ok(Walk::Weighted(weighted));
        }
        if let Some(stage) = stage(&order.stages, epoch, |stage| stage.from) {
            let start = start()? - stage.from * order.draws;
            return Ok(Walk::Classes { stage, start });
        }
        if settings.draws.is_some() {
            return Ok(Walk::Passes { start: start()? });
        }
        let pass_key = Purpose::Epoch.key(settings.seed, &[epoch]);
        Ok(Walk::Pass(Arrangement::new(order.draws, settings.shuffle, pass_key)))
    }

    /// Source and place among its wanted samples, for draw `d` of the epoch.
    pub(super) fn at(&self, order: &Order, d: u64) -> (usize, u64) {
        let settings = &order.settings;
        let all = order.selected();
        let number = match self {
            Walk::Pass(arrangement) => arrangement.at(d),
            Walk::Passes { start } => {
                let (k, n) = (start + d, all.max(1));
                let pass_key = Purpose::Epoch.key(settings.seed, &[k / n]);
                Arrangement::new(n, settings.shuffle, pass_key).at(k % n)
            }
            Walk::Weighted(weighted) => weighted.draw(d, 0..all),
            Walk::Classes { stage, start } => match settings.sampling.as_ref().map(|sampling| &sampling.by) {
                Some(By::Classes(members, _)) => stage.draw(members, settings.shuffle, settings.seed, start + d),
                _ => 0,
            },
            Walk::Mixed { start, weighted } => {
                let (source, draw) = order.next_of_mix(start + d);
                let Some(weighted) = weighted else { return (source, order.of_source(source, draw)) };
                weighted.draw(d, order.selected_before[source]..order.selected_before[source + 1])
            }
        };
        let source = holder(&order.selected_before, number);
        (source, number - order.selected_before[source])
    }
}

impl Order {
    /// The source of draw `k` of all draws of a mix, and how often that source was drawn from before.
    fn next_of_mix(&self, k: u64) -> (usize, u64) {
        let period = self.weight_before.last().copied().unwrap_or(1).max(1);
        let slot = Permutation::new(period, Purpose::Mix.key(self.settings.seed, &[k / period])).at(k % period);
        let source = holder(&self.weight_before, slot);
        let (first, weight) = (self.weight_before[source], self.weight_before[source + 1] - self.weight_before[source]);
        (source, (k / period) * weight + (slot - first))
    }

    /// Draw `draw` of a source, whose samples pass by again and again.
    fn of_source(&self, source: usize, draw: u64) -> u64 {
        let n = self.sources[source].selected().max(1);
        let pass_key = Purpose::MixPass.key(self.settings.seed, &[source as u64, draw / n]);
        Arrangement::new(n, self.settings.shuffle, pass_key).at(draw % n)
    }
}
