//! The order of all epochs: the settings, checked against the sources.

use std::{ops::Range, sync::Arc};

use super::{
    MOST_SAMPLES, Sampling, Settings, Shuffle, Source, Tail,
    classes::Stage,
    codes,
    counting::{fits, sums},
    sampling::By,
};
use crate::error::{Error, Result};

/// The order of all epochs.
#[derive(Clone, Debug)]
pub struct Order {
    pub(super) sources: Vec<Source>,
    pub(super) settings: Settings,
    /// Selected and all samples before each source, with the totals at the end.
    pub(super) selected_before: Vec<u64>,
    pub(super) samples_before: Vec<u64>,
    /// Weights before each source, with the total at the end; empty without a mix.
    pub(super) weight_before: Vec<u64>,
    pub(super) epoch_samples: u64,
    /// What is drawn for an epoch: as many, but for what is repeated.
    pub(super) draws: u64,
    /// Where classes are drawn from, from which epoch on in which proportions.
    pub(super) stages: Arc<[Stage]>,
    /// What states remember of the sampling.
    pub(super) sampling: Option<String>,
    pub(super) global_batch: u64,
}

impl Order {
    /// Checks the settings against the sources.
    pub fn new(sources: Vec<Source>, settings: Settings) -> Result<Self> {
        let refuse = |message: String| Err(Error::new(&codes::SETTINGS, message));
        let Some(global_batch) = fits(settings.batch.checked_mul(settings.world)).filter(|&n| n > 0) else {
            return refuse(format!("batches of {} on {} ranks are invalid", settings.batch, settings.world));
        };
        if let Shuffle::Blocks { block, window } = settings.shuffle
            && fits(block.checked_mul(window)).is_none_or(|n| n == 0)
        {
            return refuse(format!("windows of {window} blocks of {block} samples are invalid"));
        }
        let (Some(selected_before), Some(samples_before)) =
            (sums(sources.iter().map(Source::selected)), sums(sources.iter().map(|s| s.samples)))
        else {
            return refuse(format!("more than {MOST_SAMPLES} samples"));
        };
        let mut weight_before = Vec::new();
        if let Some(mix) = &settings.mix {
            let all = sums(mix.weights.iter().map(|&w| u64::from(w))).unwrap_or_default();
            if mix.weights.len() != sources.len() || !(1..=1 << 32).contains(&all.last().copied().unwrap_or(0)) {
                return refuse(format!(
                    "a mix of {} sources needs as many weights, together 1 to 2^32, not {:?}",
                    sources.len(),
                    mix.weights
                ));
            }
            if let Some((s, _)) = sources.iter().zip(&mix.weights).find(|(s, w)| **w > 0 && s.selected() == 0) {
                return refuse(format!("{} has a weight and no samples", s.name));
            }
            weight_before = all;
        }
        let epoch_samples = length(&settings, global_batch, selected_before.last().copied().unwrap_or(0))?;
        let draws = epoch_samples / settings.repeats;
        let mut order = Order {
            sources,
            settings,
            selected_before,
            samples_before,
            weight_before,
            epoch_samples,
            draws,
            stages: Arc::default(),
            sampling: None,
            global_batch,
        };
        if let Some(sampling) = &order.settings.sampling {
            order.check(sampling)?;
            order.stages = sampling.stages(draws)?.into();
            order.sampling = Some(sampling.identity());
        }
        Ok(order)
    }

    /// Refuses a sampling that does not go with the rest.
    fn check(&self, sampling: &Sampling) -> Result<()> {
        let refuse = |message: String| Err(Error::new(&codes::SETTINGS, message));
        if sampling.samples() != self.selected() {
            return refuse(format!(
                "the weights or classes are those of {} samples, and {} are selected",
                sampling.samples(),
                self.selected()
            ));
        }
        match (&sampling.by, &self.settings.mix) {
            (By::Weights(_), _) if matches!(self.settings.shuffle, Shuffle::Blocks { .. }) => {
                refuse("weights draw from all samples at any time, so there are no blocks to shuffle".into())
            }
            (By::Classes(..), Some(_)) => {
                refuse("classes and a mix each say where the next sample comes from; give one of them".into())
            }
            (By::Weights(stages), Some(mix)) => {
                let wanted = (0..).zip(&mix.weights).filter(|(_, weight)| **weight > 0).map(|(source, _)| source);
                let ranges = wanted
                    .map(|source: usize| (source, self.selected_before[source], self.selected_before[source + 1]));
                for (source, first, end) in ranges {
                    if let Some((from, _)) = stages.iter().find(|(_, table)| table.before(first) == table.before(end)) {
                        let name = &self.sources[source].name;
                        return refuse(format!(
                            "the mix draws from {name}, and from epoch {from} on all weights there are 0"
                        ));
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Selected samples of all sources.
    pub(super) fn selected(&self) -> u64 {
        self.selected_before.last().copied().unwrap_or(0)
    }

    /// The settings.
    #[doc(hidden)]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
    /// The sources.
    #[doc(hidden)]
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }
    /// Samples in an epoch, before the tail is dropped or padded.
    #[doc(hidden)]
    pub fn epoch_samples(&self) -> u64 {
        self.epoch_samples
    }

    /// The number of steps in every epoch: batches that each rank takes (but see [`Tail::Uneven`]).
    pub fn steps(&self) -> u64 {
        match self.settings.tail {
            Tail::Drop => self.epoch_samples / self.global_batch,
            Tail::Pad | Tail::Uneven => self.epoch_samples.div_ceil(self.global_batch),
        }
    }

    /// The batches that one rank takes in every epoch: with [`Tail::Uneven`], the last step may have none for it.
    #[doc(hidden)]
    pub fn steps_on(&self, rank: u64) -> u64 {
        match self.steps().checked_sub(1) {
            _ if rank >= self.settings.world => 0,
            Some(last) if self.positions(last, rank).is_empty() => last,
            _ => self.steps(),
        }
    }

    /// The positions that one rank takes in one step of an epoch: empty for a step or rank that does not exist.
    pub(super) fn positions(&self, step: u64, rank: u64) -> Range<u64> {
        let settings = &self.settings;
        if step >= self.steps() || rank >= settings.world {
            return 0..0;
        }
        let start = step * self.global_batch;
        let left = self.epoch_samples - start;
        if settings.tail == Tail::Uneven && left < self.global_batch {
            let (each, more) = (left / settings.world, left % settings.world);
            let first = start + rank * each + rank.min(more);
            return first..first + each + u64::from(rank < more);
        }
        let first = start + rank * settings.batch;
        first..first + settings.batch
    }

    /// The draw that is at position `k`. In each step those that are repeated come one after the other, and then again.
    pub(super) fn draw_at(&self, k: u64) -> u64 {
        let times = self.settings.repeats;
        if times == 1 {
            return k;
        }
        let first = k - k % self.global_batch;
        let here = self.global_batch.min(self.epoch_samples - first) / times;
        first / times + (k - first) % here.max(1)
    }
}

/// Samples in an epoch.
fn length(settings: &Settings, global_batch: u64, selected: u64) -> Result<u64> {
    let refuse = |message: String| Err(Error::new(&codes::SETTINGS, message));
    let times = settings.repeats;
    if global_batch.checked_rem(times) != Some(0) {
        return refuse(format!(
            "a step of {global_batch} samples (batch × world) cannot hold each sample {times} times"
        ));
    }
    let length = match (&settings.mix, settings.draws) {
        (Some(_), Some(_)) => return refuse("a mix says itself how many samples an epoch has; leave draws out".into()),
        (Some(mix), None) => Some(mix.epoch_samples),
        // Of nothing nothing is drawn.
        (None, Some(_)) if selected == 0 => Some(0),
        (None, Some(draws)) => Some(draws),
        (None, None) => selected.checked_mul(times),
    };
    match fits(length) {
        Some(length) if length % times == 0 => Ok(length),
        Some(length) => refuse(format!("an epoch of {length} samples cannot hold each of them {times} times")),
        None => {
            let length = length.map_or("more than 2^64".into(), |length| length.to_string());
            refuse(format!("an epoch of {length} samples is too long"))
        }
    }
}
