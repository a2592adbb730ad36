//! What decides an order.

use serde::{Deserialize, Serialize};

use super::{Sampling, Shuffle};

/// The rule for the samples that do not fill a batch on every rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// The settings of an order.
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
    /// The rule for the rest.
    pub tail: Tail,
    /// Proportions between sources; without it they follow each other as one.
    pub mix: Option<Mix>,
    /// The text of the filter that made the selections, so that a state made with another is refused by name.
    pub filter: Option<String>,
    /// By what samples are drawn; without it each comes once.
    pub sampling: Option<Sampling>,
    /// Samples in an epoch; as many as are selected otherwise.
    pub draws: Option<u64>,
    /// How often each draw comes in its step.
    pub repeats: u64,
}

impl Default for Settings {
    /// Seed 0, fully shuffled, batches of 1 on one rank, the tail dropped.
    fn default() -> Self {
        Settings {
            seed: 0,
            shuffle: Shuffle::Full,
            batch: 1,
            world: 1,
            tail: Tail::Drop,
            mix: None,
            filter: None,
            sampling: None,
            draws: None,
            repeats: 1,
        }
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
    /// Draws samples by weight or by class instead of each once.
    #[must_use]
    pub fn with_sampling(mut self, sampling: Sampling) -> Self {
        self.sampling = Some(sampling);
        self
    }
    /// Sets how many samples an epoch has, however many are selected: the next one goes on where it ends, so that each
    /// sample still comes once before any comes again.
    ///
    /// ```
    /// use forebay::order::{Order, Settings, Source};
    /// let settings = Settings::default().with_seed(42).with_draws(4);
    /// let order = Order::new(vec![Source::new("train.tbl", 10)], settings)?;
    /// let mut of_five: Vec<u64> = (0..20).map(|k| order.epoch(k / 4).unwrap().item(k % 4).unwrap().sample).collect();
    /// of_five.sort();
    /// assert!(of_five.chunks(2).zip(0..).all(|(pair, sample)| pair == [sample, sample]));
    /// # Ok::<(), forebay::Error>(())
    /// ```
    #[must_use]
    pub fn with_draws(mut self, draws: u64) -> Self {
        self.draws = Some(draws);
        self
    }
    /// Lets each draw come this often in its step, each time changed by draws of its own and, if there are as many ranks,
    /// on another rank: repeated augmentation. An epoch is as much longer, unless
    /// [`with_draws`](Self::with_draws) says how long it is. Batch × world must be a multiple of it.
    ///
    /// ```
    /// use forebay::order::{Order, Settings, Source};
    /// let settings = Settings::default().with_seed(42).with_batch(4).with_world(3).with_repeats(3);
    /// let order = Order::new(vec![Source::new("train.tbl", 8)], settings)?;
    /// let epoch = order.epoch(0)?;
    /// assert_eq!(epoch.steps(), 2); // 8 × 3 / (4 × 3)
    /// let of_rank = |rank| epoch.batch(0, rank).map(|item| item.sample).collect::<Vec<_>>();
    /// assert!(of_rank(0) == of_rank(1) && of_rank(1) == of_rank(2));
    /// # Ok::<(), forebay::Error>(())
    /// ```
    #[must_use]
    pub fn with_repeats(mut self, times: u64) -> Self {
        self.repeats = times;
        self
    }
}
