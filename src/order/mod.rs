//! Which sample comes when, for every epoch, rank and worker: arithmetic, no lists.
//!
//! Every rank computes the same order from the settings alone, so ranks never talk, a position is one number,
//! and a run continues exactly where it stopped, also on another number of ranks. Item `k` costs the same
//! wherever it stands, and memory does not grow with the dataset (a filter's selection aside). `docs/formats/order.md`
//! specifies the arithmetic; `tests/fixtures/order.json` holds results for other languages.
//!
//! ```
//! use forebay::order::{Order, Settings, Source};
//! let settings = Settings::default().with_seed(42).with_batch(4).with_world(2);
//! let order = Order::new(vec![Source::new("train.tbl", 100)], settings)?;
//! let epoch = order.epoch(3)?;
//! assert_eq!(epoch.steps(), 12); // 100 / (4 × 2); the tail of 4 is dropped
//! let batch: Vec<u64> = epoch.batch(0, 1).map(|item| item.sample).collect();
//! assert_eq!(batch.len(), 4);
//!
//! let state = order.state(3, 7); // serde; after seven steps of epoch 3
//! let elsewhere = Settings::default().with_seed(42).with_batch(8).with_world(1);
//! let order = Order::new(vec![Source::new("train.tbl", 100)], elsewhere)?;
//! let at = order.resume(&state)?;
//! assert_eq!((at.epoch, at.step), (3, 7));
//! # Ok::<(), forebay::Error>(())
//! ```

mod arrangement;
mod classes;
mod partners;
mod permutation;
mod sampling;
mod settings;
mod source;
mod state;
mod walk;
mod weights;

use std::{ops::Range, sync::Arc};

pub use arrangement::Shuffle;
#[doc(hidden)]
pub use permutation::Permutation;
pub use sampling::Sampling;
pub use settings::{Mix, Settings, Tail};
pub use source::Source;
pub use state::{Position, SourceState, State};

use crate::{
    error::{Error, Result},
    random::Purpose,
};
use arrangement::Arrangement;
use classes::Stage;
use sampling::By;
use walk::Walk;

/// The most samples an order runs over: what a JavaScript number counts exactly.
#[doc(hidden)]
pub const MOST_SAMPLES: u64 = 1 << 53;

/// The key for everything random about one sample in one epoch, such as its crop: a function of these three
/// numbers alone. `index` is [`Item::index`].
#[doc(hidden)]
pub fn sample_key(seed: u64, epoch: u64, index: u64) -> u64 {
    Purpose::Sample.key(seed, &[epoch, index])
}

/// The key for everything random about one batch in one epoch, such as how its pictures are mixed. `position` is
/// where it begins, [`Epoch::positions`]'s start: so every rank draws for itself.
#[doc(hidden)]
pub fn batch_key(seed: u64, epoch: u64, position: u64) -> u64 {
    Purpose::Batch.key(seed, &[epoch, position])
}

/// The order of all epochs.
#[derive(Clone, Debug)]
pub struct Order {
    sources: Vec<Source>,
    settings: Settings,
    /// Selected and all samples before each source, with the totals at the end.
    selected_before: Vec<u64>,
    samples_before: Vec<u64>,
    /// Weights before each source, with the total at the end; empty without a mix.
    weight_before: Vec<u64>,
    epoch_samples: u64,
    /// What is drawn for an epoch: as many, but for what is repeated.
    draws: u64,
    /// Where classes are drawn from, from which epoch on in which proportions.
    stages: Arc<[Stage]>,
    /// What states remember of the sampling.
    sampling: Option<String>,
    global_batch: u64,
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
    fn selected(&self) -> u64 {
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
    fn positions(&self, step: u64, rank: u64) -> Range<u64> {
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

    /// The draw that is at position `k`. In each step those that are repeated come one after the other, and then again.
    fn draw_at(&self, k: u64) -> u64 {
        let times = self.settings.repeats;
        if times == 1 {
            return k;
        }
        let first = k - k % self.global_batch;
        let here = self.global_batch.min(self.epoch_samples - first) / times;
        first / times + (k - first) % here.max(1)
    }
}

/// A number of samples that can be counted.
fn fits(n: Option<u64>) -> Option<u64> {
    n.filter(|&n| n <= MOST_SAMPLES)
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

/// Running sums from 0, as long as they stay countable.
fn sums(numbers: impl Iterator<Item = u64>) -> Option<Vec<u64>> {
    let mut all = vec![0];
    let mut sum = 0_u64;
    for n in numbers {
        sum = sum.checked_add(n).filter(|&s| s <= MOST_SAMPLES)?;
        all.push(sum);
    }
    Some(all)
}

/// Which part holds `x`, given running sums whose last is more than `x`.
fn holder(sums: &[u64], x: u64) -> usize {
    sums.partition_point(|&before| before <= x).saturating_sub(1)
}

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
    order: &'a Order,
    epoch: u64,
    walk: Walk<'a>,
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

/// The codes of orders.
#[doc(hidden)]
pub mod codes {
    use crate::error::Code;
    /// The settings do not fit together.
    pub const SETTINGS: Code = Code::usage(
        "order.settings",
        "The batch, world, shuffle, weights, classes, draws or selection do not fit together; the message says which.",
    );
    /// A saved state is of another version.
    pub const STATE_VERSION: Code =
        Code::usage("order.state_version", "A saved loader state is of a version that this one does not read.");
    /// A file is not the one of the state.
    pub const STATE_FILE: Code = Code::usage(
        "order.state_file",
        "A file has changed, or is another, since the loader state was saved; the message names it.",
    );
    /// The selection is not the one of the state.
    pub const STATE_FILTER: Code = Code::usage(
        "order.state_filter",
        "The filter, or what it selects, is not the one the loader state was saved with.",
    );
    /// A setting is not the one of the state.
    pub const STATE_SETTING: Code = Code::usage(
        "order.state_setting",
        "Seed, shuffle, tail, mix, draws, repeats or global batch (batch × world) is not the one the loader state was saved \
         with.",
    );
    /// The weights or classes are not those of the state.
    pub const STATE_SAMPLING: Code = Code::usage(
        "order.state_sampling",
        "The weights or classes that samples are drawn by are not those the loader state was saved with.",
    );
    /// The position is beyond the epoch.
    pub const STATE_POSITION: Code =
        Code::usage("order.state_position", "A saved loader state is beyond the end of its epoch.");
    /// Every code of this module.
    pub const ALL: &[&Code] =
        &[&SETTINGS, &STATE_VERSION, &STATE_FILE, &STATE_FILTER, &STATE_SETTING, &STATE_SAMPLING, &STATE_POSITION];
}
