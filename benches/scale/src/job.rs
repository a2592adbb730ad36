//! Who reads what, and how.

use std::ops::Range;

use forebay::{
    Result,
    order::{Item, Order, Settings, Shuffle, Source, Tail},
};

/// The order of samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ordering {
    /// As they are stored.
    Stored,
    /// All with all.
    Full,
    /// Blocks of neighbors, and inside of windows of this many blocks all with all.
    Blocks(u64, u64),
}

/// An epoch, or several, of a number of workers.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Processes that share an epoch.
    pub workers: u64,
    /// Bytes of all samples.
    pub bytes: u64,
    /// Bytes of each sample.
    pub sample_bytes: u64,
    /// Files.
    pub shards: u64,
    /// Prefixes that these lie under, by turns.
    pub prefixes: u64,
    /// Bytes in front of the samples of a shard, and behind them.
    pub around: (u64, u64),
    /// Samples of a worker's batch.
    pub batch: u64,
    /// In which order they come.
    pub order: Ordering,
    /// Whether every worker has shards of its own, and the order is among these; otherwise one order is shared.
    pub own_shards: bool,
    /// Decides everything random.
    pub seed: u64,
    /// Bytes that are fetched and not used, at most.
    pub read_ahead_bytes: u64,
    /// Bytes between ranges that are fetched together; the loader's own number if none.
    pub gap: Option<u64>,
    /// A host's cache.
    pub cache_bytes: Option<u64>,
    /// Whether the workers of a host are loaders of one process, which bring a block to its cache once for all of them.
    pub one_process: bool,
    /// Epochs that are simulated, one after another.
    pub epochs: u64,
    /// Epochs that went before and filled the cache, without being timed.
    pub before: u64,
    /// How long training takes for a batch.
    pub step_seconds: f64,
    /// How long making a sample of its bytes takes, with all threads of a worker.
    pub sample_seconds: f64,
    /// Whether no worker begins a step before all have taken the one in front of it.
    pub together: bool,
    /// After how long without an answer a second request is sent for the same bytes.
    pub hedge_seconds: Option<f64>,
}

impl Job {
    /// Some workers that read a dataset in a shared order, once, as fast as they can.
    pub fn new(workers: u64, bytes: u64) -> Job {
        Job {
            workers,
            bytes,
            sample_bytes: 100_000,
            shards: bytes.div_ceil(1_000_000_000).max(1),
            prefixes: 1,
            around: (64, 0),
            batch: 64,
            order: Ordering::Full,
            own_shards: false,
            seed: 1,
            read_ahead_bytes: forebay_native::ahead::USUAL_BYTES,
            gap: None,
            cache_bytes: None,
            one_process: false,
            epochs: 1,
            before: 0,
            step_seconds: 0.0,
            sample_seconds: 0.0,
            together: false,
            hedge_seconds: None,
        }
    }

    /// Samples of one shard.
    pub fn shard_samples(&self) -> u64 {
        self.bytes / self.sample_bytes.max(1) / self.shards.max(1)
    }

    /// The bytes of one shard.
    pub fn shard_len(&self) -> u64 {
        self.around.0 + self.shard_samples() * self.sample_bytes + self.around.1
    }

    /// The bytes of all shards that a worker opens.
    pub fn opened_bytes(&self) -> u64 {
        let shards = if self.own_shards { self.shards / self.workers } else { self.shards };
        shards.saturating_mul(self.shard_len())
    }

    /// Refuses what cannot be simulated.
    pub fn check(&self) -> std::result::Result<(), String> {
        let refuse = |what: &str| Err(what.to_owned());
        if self.workers == 0 || self.batch == 0 || self.epochs == 0 || self.prefixes == 0 {
            return refuse("workers, batch, epochs and prefixes are at least 1");
        }
        if self.sample_bytes == 0 || self.shards == 0 || self.shard_samples() == 0 {
            return refuse("there are no samples in a shard");
        }
        if self.own_shards && self.shards < self.workers {
            return refuse("with fewer shards than workers, some would have none of their own");
        }
        let sane = |seconds: f64| seconds.is_finite() && seconds >= 0.0;
        if !sane(self.step_seconds) || !sane(self.sample_seconds) || !self.hedge_seconds.is_none_or(sane) {
            return refuse("times are at least 0");
        }
        Ok(())
    }

    /// The order of a worker, with the rank that it has in it, and the first of the shards that it runs over. Workers
    /// with shards of their own have every `workers`th.
    pub fn order_of(&self, worker: u64) -> Result<(Order, u64)> {
        let (shards, world, rank, seed) = match self.own_shards {
            true => (self.shards / self.workers, 1, 0, self.seed.wrapping_add(worker)),
            false => (self.shards, self.workers, worker, self.seed),
        };
        let shuffle = match self.order {
            Ordering::Stored => Shuffle::None,
            Ordering::Full => Shuffle::Full,
            Ordering::Blocks(block, window) => Shuffle::Blocks { block, window },
        };
        let settings = Settings::default()
            .with_seed(seed)
            .with_shuffle(shuffle)
            .with_batch(self.batch)
            .with_world(world)
            .with_tail(Tail::Drop);
        let samples = self.shard_samples();
        let sources = (0..shards).map(|_| Source::new("", samples));
        Ok((Order::new(sources.collect::<Vec<_>>(), settings)?, rank))
    }

    /// The number among all shards of a worker's source.
    pub fn shard(&self, worker: u64, source: usize) -> u64 {
        match self.own_shards {
            true => source as u64 * self.workers + worker,
            false => source as u64,
        }
    }

    /// Where a sample lies in its shard.
    pub fn range(&self, item: &Item) -> Range<u64> {
        let start = self.around.0 + item.sample * self.sample_bytes;
        start..start + self.sample_bytes
    }
}
