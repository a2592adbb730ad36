//! The settings of a loader, and what opening refuses.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Instant,
};

use forebay::{
    Error, Limits, Result,
    codec::checksum::fnv1a,
    error::codes::ARGUMENT,
    order::{Order, Position, Settings, Shuffle, Source, State, Tail},
    warehouse::{Shape, Warehouse, codes},
};

use super::{
    Loader, Mode, Shared, proof,
    store::{Store, prefetch_from_env},
};
use crate::{
    input::display,
    shards::{self, WarehouseOptions},
};

/// Batches that are made ahead where samples are read when they are needed.
const PREFETCH: usize = 2;

/// How to make batches. Made with [`Loader::open`].
#[derive(Clone, Debug)]
pub struct Builder {
    path: PathBuf,
    limits: Limits,
    settings: Settings,
    shuffled: bool,
    rank: u64,
    mode: Mode,
    prefetch: Option<usize>,
    samples: Option<Vec<u64>>,
    version: Option<String>,
    allow_violations: bool,
    allow_unproven: bool,
    resume: Option<State>,
}

impl Builder {
    /// For this manifest, or the folder that has it. The environment's `WAREHOUSE_STORE_MODE`, `WAREHOUSE_STORE` and
    /// `WAREHOUSE_PREFETCH` count as far as nothing else is set.
    pub(super) fn open(path: PathBuf) -> Result<Builder> {
        let get = |name: &str| std::env::var(name).ok();
        Ok(Builder {
            path,
            limits: Limits::default(),
            settings: Settings::default(),
            shuffled: false,
            rank: 0,
            mode: Mode::from_env(get)?.unwrap_or_default(),
            prefetch: prefetch_from_env(get)?,
            samples: None,
            version: None,
            allow_violations: false,
            allow_unproven: false,
            resume: None,
        })
    }

    /// Samples in a batch of one rank; 1 without it.
    #[must_use]
    pub fn batch(mut self, samples: u64) -> Self {
        self.settings = self.settings.with_batch(samples);
        self
    }
    /// Mixes the samples of every epoch anew, as this seed decides. Without it they come in the warehouse's order.
    #[must_use]
    pub fn shuffle(mut self, seed: u64) -> Self {
        self.settings = self.settings.with_seed(seed);
        self.shuffled = true;
        self
    }
    /// This process is one of `world`, and gets its part of each epoch.
    #[must_use]
    pub fn shard(mut self, rank: u64, world: u64) -> Self {
        self.rank = rank;
        self.settings = self.settings.with_world(world);
        self
    }
    /// What becomes of the samples that do not fill a batch on every rank.
    #[must_use]
    pub fn tail(mut self, tail: Tail) -> Self {
        self.settings = self.settings.with_tail(tail);
        self
    }
    /// How shards are held.
    #[must_use]
    pub fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }
    /// How many batches are made ahead, by a thread. Without it 2 where samples are read when they are needed, and
    /// none where they are in memory or mapped.
    #[must_use]
    pub fn prefetch(mut self, batches: usize) -> Self {
        self.prefetch = Some(batches);
        self
    }
    /// Only these samples, in rising order: a part for training, or for validation.
    #[must_use]
    pub fn samples(mut self, samples: Vec<u64>) -> Self {
        self.samples = Some(samples);
        self
    }
    /// Refuses a warehouse of another version.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }
    /// Goes on where the summary breaks thresholds; the loader's notes say so.
    #[must_use]
    pub fn allow_violations(mut self, allow: bool) -> Self {
        self.allow_violations = allow;
        self
    }
    /// Goes on without proving shards by their checksums; the loader's notes say so.
    #[must_use]
    pub fn allow_unproven(mut self, allow: bool) -> Self {
        self.allow_unproven = allow;
        self
    }
    /// Goes on where a saved run stopped, on as many ranks as there are now.
    #[must_use]
    pub fn resume(mut self, state: State) -> Self {
        self.resume = Some(state);
        self
    }
    /// Bounds on what the files may cost.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Opens the warehouse and refuses what does not hold.
    pub fn build(self) -> Result<Loader> {
        let name = display(&self.path);
        let named = |e: Error| e.file(&name);
        let begun = Instant::now();
        let manifest = shards::manifest_of(&self.path).unwrap_or_else(|| self.path.clone());
        let mut how = WarehouseOptions::default();
        (how.limits, how.io) = (self.limits.clone(), self.mode.io());
        let opened = shards::open(&manifest, &how)?;
        let mut notes = vec![format!("{} shards opened in {} ms", opened.shards.len(), begun.elapsed().as_millis())];
        self.hold(&opened.warehouse, &mut notes).map_err(named)?;
        self.prove(&opened, &mut notes)?;
        let warehouse = opened.warehouse.clone();
        let begun = Instant::now();
        let store = Store::new(&opened, self.mode)?;
        if self.mode == Mode::Memory {
            notes.push(format!(
                "{} bytes read into memory in {} ms",
                warehouse.file_len(),
                begun.elapsed().as_millis()
            ));
        }
        if self.rank >= self.settings.world {
            let message = format!("there is no rank {} of {}", self.rank, self.settings.world);
            return Err(Error::new(&ARGUMENT, message));
        }
        let order = self.order(&name, &warehouse)?;
        let begin = match &self.resume {
            Some(state) => order.resume(state)?,
            None => Position { epoch: 0, step: 0 },
        };
        let shape = warehouse.shape().unwrap_or(Shape::new(1, 1, 0, Default::default()));
        let frames = frames(&warehouse).map_err(named)?;
        let shared = Shared { warehouse, shape, store, order, rank: self.rank, frames, spare: Arc::default() };
        let ahead = if self.mode == Mode::Stream { PREFETCH } else { 0 };
        Ok(Loader { shared: Arc::new(shared), prefetch: self.prefetch.unwrap_or(ahead), notes, begin })
    }

    /// Version and thresholds.
    fn hold(&self, warehouse: &Warehouse, notes: &mut Vec<String>) -> Result<()> {
        let manifest = warehouse.manifest();
        if let Some(wanted) = self.version.as_ref().filter(|wanted| **wanted != manifest.version) {
            let message = format!("the warehouse is of version {}, and {wanted} was asked for", manifest.version);
            return Err(Error::new(&codes::VERSION_KEY, message).section("manifest"));
        }
        if !manifest.has_own_version() {
            let message = "the version is not the SHA-256 of `version_key`";
            return Err(Error::new(&codes::VERSION_KEY, message).section("manifest"));
        }
        let broken = manifest.thresholds.broken_by(&manifest.summary.totals);
        if broken.is_empty() {
            return Ok(());
        }
        if self.allow_violations {
            notes.extend(broken.into_iter().map(|broken| format!("allowed: {broken}")));
            return Ok(());
        }
        let e = Error::new(&codes::THRESHOLD, broken.join("; ")).section("manifest");
        Err(e.with_options(&["allow_violations"]))
    }

    fn prove(&self, opened: &shards::OpenWarehouse, notes: &mut Vec<String>) -> Result<()> {
        if self.allow_unproven {
            notes.push("allowed: the shards were not proven by their checksums".into());
            return Ok(());
        }
        let begun = Instant::now();
        let (read, without) = proof::prove(opened)?;
        if !read.is_empty() {
            notes.push(format!("{} shards proven in {} ms", read.len(), begun.elapsed().as_millis()));
        }
        if !without.is_empty() {
            notes.push(format!("{} shards have no checksum in the manifest, so nothing proves them", without.len()));
        }
        Ok(())
    }

    fn order(&self, name: &str, warehouse: &Warehouse) -> Result<Order> {
        let manifest = warehouse.manifest();
        let sums = manifest.shards.iter().map(|shard| shard.checksum_sha256.as_deref().unwrap_or_default());
        let sums = fnv1a(sums.flat_map(str::bytes));
        let name = Path::new(name).file_name().map_or(name.into(), |name| name.to_string_lossy());
        let mut source = Source::new(name, warehouse.len()).identity(format!("{} {sums:016x}", manifest.version));
        if let Some(samples) = &self.samples {
            source = source.select(samples.clone())?;
        }
        let shuffle = if self.shuffled { self.settings.shuffle } else { Shuffle::None };
        Order::new(vec![source], self.settings.clone().with_shuffle(shuffle))
    }
}

/// The frame of every sample; its number where the warehouse knows none.
fn frames(warehouse: &Warehouse) -> Result<Vec<u64>> {
    let mut frames = Vec::new();
    for shard in warehouse.shards() {
        for (k, i) in shard.samples().enumerate() {
            let record = shard.record(k as u64).map_err(|e| e.sample(i))?;
            frames.push(record.and_then(|record| record.frame_id).unwrap_or(i));
        }
    }
    Ok(frames)
}
