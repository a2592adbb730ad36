//! Which sample comes when, for every epoch, rank and worker: arithmetic, no lists.
//!
//! Every rank computes the same order from the settings alone, so ranks never talk, a position is one number,
//! and a run continues exactly where it stopped, also on another number of ranks. Item `k` costs the same
//! wherever it stands, and memory does not grow with the dataset (a filter's selection aside). `docs/order.md`
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
mod permutation;
mod source;
mod state;

use std::ops::Range;

use serde::{Deserialize, Serialize};

pub use arrangement::Shuffle;
#[doc(hidden)]
pub use permutation::Permutation;
pub use source::Source;
pub use state::{Position, SourceState, State};

use crate::{
    error::{Error, Result},
    random::Purpose,
};
use arrangement::Arrangement;

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

/// What becomes of the samples that do not fill a batch on every rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Tail {
    /// They are left out of this epoch: every batch is full. For training.
    #[default]
    Drop,
    /// The epoch's first samples come again, marked, until every batch is full.
    Pad,
    /// The last batches are smaller, by at most one sample between ranks; with fewer samples than ranks some
    /// ranks have one batch less. For evaluation.
    Uneven,
}

impl crate::words::Word for Tail {
    const ALL: &'static [Self] = &[Tail::Drop, Tail::Pad, Tail::Uneven];

    fn word(self) -> &'static str {
        match self {
            Tail::Drop => "drop",
            Tail::Pad => "pad",
            Tail::Uneven => "uneven",
        }
    }
}

/// Draws from several sources in fixed proportions instead of one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mix {
    /// How many of each `sum(weights)` samples come from each source. A source that is used up begins again, in
    /// another order; nothing comes twice before that, over the ends of epochs too.
    pub weights: Vec<u32>,
    /// Samples in an epoch.
    pub epoch_samples: u64,
}

/// What decides an order.
///
/// ```
/// use forebay::order::{Mix, Order, Settings, Shuffle, Source, Tail};
/// // Two files, three samples of the first for each one of the second, mixed in stretches that lie together.
/// let settings = Settings::default()
///     .with_batch(8)
///     .with_shuffle(Shuffle::Blocks { block: 16, window: 64 })
///     .with_tail(Tail::Pad)
///     .with_filter("width > 32")
///     .with_mix(Mix { weights: vec![3, 1], epoch_samples: 400 });
/// let day = Source::new("day.tbl", 1000).identity("crc 1f2e").select([0, 2, 4, 600])?;
/// let night = Source::new("night.tbl", 50);
/// let order = Order::new(vec![day, night], settings)?;
/// let epoch = order.epoch(0)?;
/// let of_night = epoch.batch(0, 0).filter(|item| item.source == 1).count();
/// assert_eq!(of_night, 2);
/// # Ok::<(), forebay::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// Decides the shuffles.
    pub seed: u64,
    /// How an epoch mixes samples.
    pub shuffle: Shuffle,
    /// Samples in a batch of one rank.
    pub batch: u64,
    /// How many ranks share an epoch.
    pub world: u64,
    /// What becomes of the rest.
    pub tail: Tail,
    /// Proportions between sources; without it they follow each other as one.
    pub mix: Option<Mix>,
    /// The text of the filter that made the selections, so that a state made with another is refused by name.
    pub filter: Option<String>,
}

impl Default for Settings {
    /// Seed 0, fully shuffled, batches of 1 on one rank, the tail dropped.
    fn default() -> Self {
        Settings { seed: 0, shuffle: Shuffle::Full, batch: 1, world: 1, tail: Tail::Drop, mix: None, filter: None }
    }
}

impl Settings {
    /// Sets the seed.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
    /// Sets how an epoch mixes samples.
    #[must_use]
    pub fn with_shuffle(mut self, shuffle: Shuffle) -> Self {
        self.shuffle = shuffle;
        self
    }
    /// Sets the samples in a batch of one rank.
    #[must_use]
    pub fn with_batch(mut self, batch: u64) -> Self {
        self.batch = batch;
        self
    }
    /// Sets how many ranks share an epoch.
    #[must_use]
    pub fn with_world(mut self, world: u64) -> Self {
        self.world = world;
        self
    }
    /// Sets what becomes of the rest.
    #[must_use]
    pub fn with_tail(mut self, tail: Tail) -> Self {
        self.tail = tail;
        self
    }
    /// Sets proportions between sources.
    #[must_use]
    pub fn with_mix(mut self, mix: Mix) -> Self {
        self.mix = Some(mix);
        self
    }
    /// Sets the text of the filter that made the selections.
    #[must_use]
    pub fn with_filter(mut self, filter: impl Into<String>) -> Self {
        self.filter = Some(filter.into());
        self
    }
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
    global_batch: u64,
}

impl Order {
    /// Checks the settings against the sources.
    pub fn new(sources: Vec<Source>, settings: Settings) -> Result<Self> {
        let refuse = |message: String| Err(Error::new(&codes::SETTINGS, message));
        let fits = |n: Option<u64>| n.filter(|&n| n <= MOST_SAMPLES);
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
        let mut epoch_samples = selected_before.last().copied().unwrap_or(0);
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
            if fits(Some(mix.epoch_samples)).is_none() {
                return refuse(format!("an epoch of {} samples is too long", mix.epoch_samples));
            }
            epoch_samples = mix.epoch_samples;
            weight_before = all;
        }
        Ok(Order { sources, settings, selected_before, samples_before, weight_before, epoch_samples, global_batch })
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

    /// The order of one epoch. Refused only for a mix after more than 2^53 samples.
    pub fn epoch(&self, epoch: u64) -> Result<Epoch<'_>> {
        let walk = if self.settings.mix.is_some() {
            let end = epoch.checked_add(1).and_then(|e| e.checked_mul(self.epoch_samples));
            match end.filter(|&end| end <= MOST_SAMPLES) {
                Some(end) => Walk::Mixed { start: end - self.epoch_samples },
                None => return Err(Error::new(&codes::SETTINGS, format!("epoch {epoch} lies beyond 2^53 samples"))),
            }
        } else {
            let pass_key = Purpose::Epoch.key(self.settings.seed, &[epoch]);
            Walk::Together(Arrangement::new(self.epoch_samples, self.settings.shuffle, pass_key))
        };
        Ok(Epoch { order: self, epoch, walk })
    }

    /// Source and place among its wanted samples, for position `k` of all draws of a mix.
    fn draw(&self, k: u64) -> (usize, u64) {
        let period = self.weight_before.last().copied().unwrap_or(1).max(1);
        let seed = self.settings.seed;
        let slot = Permutation::new(period, Purpose::Mix.key(seed, &[k / period])).at(k % period);
        let source = holder(&self.weight_before, slot);
        let (first, weight) = (self.weight_before[source], self.weight_before[source + 1] - self.weight_before[source]);
        let draw = (k / period) * weight + (slot - first);
        let n = self.sources[source].selected().max(1);
        let pass_key = Purpose::MixPass.key(seed, &[source as u64, draw / n]);
        (source, Arrangement::new(n, self.settings.shuffle, pass_key).at(draw % n))
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
    walk: Walk,
}

#[derive(Clone, Debug)]
enum Walk {
    Together(Arrangement),
    Mixed { start: u64 },
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
        let (source, chosen) = match &self.walk {
            Walk::Together(arrangement) => {
                let at = arrangement.at(k);
                let source = holder(&order.selected_before, at);
                (source, at - order.selected_before[source])
            }
            Walk::Mixed { start } => order.draw(start + k),
        };
        let sample = order.sources.get(source)?.sample(chosen);
        let index = order.samples_before[source] + sample;
        Some(Item { position, source, sample, index, padded: position >= n })
    }

    /// The positions that one rank takes in one step: empty for a step or rank that does not exist.
    #[doc(hidden)]
    pub fn positions(&self, step: u64, rank: u64) -> Range<u64> {
        let (order, settings) = (self.order, &self.order.settings);
        if step >= order.steps() || rank >= settings.world {
            return 0..0;
        }
        let start = step * order.global_batch;
        let left = order.epoch_samples - start;
        if settings.tail == Tail::Uneven && left < order.global_batch {
            let (each, more) = (left / settings.world, left % settings.world);
            let first = start + rank * each + rank.min(more);
            return first..first + each + u64::from(rank < more);
        }
        let first = start + rank * settings.batch;
        first..first + settings.batch
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
        "The batch, world, shuffle, weights or selection do not fit together; the message says which.",
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
        "Seed, shuffle, tail, mix or global batch (batch × world) is not the one the loader state was saved with.",
    );
    /// The position is beyond the epoch.
    pub const STATE_POSITION: Code =
        Code::usage("order.state_position", "A saved loader state stands beyond the end of its epoch.");
    /// Every code of this module.
    pub const ALL: &[&Code] = &[&SETTINGS, &STATE_VERSION, &STATE_FILE, &STATE_FILTER, &STATE_SETTING, &STATE_POSITION];
}
