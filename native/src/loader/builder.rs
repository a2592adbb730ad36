//! What a loader shall do.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicU64},
};

use forebay::{
    Error, Limits, Result,
    error::codes as common,
    filter::Filter,
    image::{
        decode::{JpegBackend, Options as DecodeOptions},
        transform::{Out, Transformer},
    },
    order::{Mix, Order, Settings, Shuffle, Tail},
};

use memmap2::MmapMut;

use super::{
    Dtype, Groups, Image, Labels, Loader, OnBroken, State, codes,
    content::{Content, Sample, batch_bytes},
    groups::Plan,
    labels::Resolver,
    pool::Pool,
    sources::Sources,
    stats::Clock,
    worker::Shared,
};
use crate::{
    OpenOptions,
    input::{Io, display, expand, is_pipe},
    parallel::{
        all_cores,
        budget::{self, Budget},
    },
};

/// Settings of a [`Loader`]. Each setter takes and gives the builder; the last one called counts.
#[derive(Debug)]
#[must_use = "a builder does nothing until it is built"]
pub struct Builder {
    paths: Vec<PathBuf>,
    settings: Settings,
    rank: u64,
    filter: Option<Filter>,
    workers: usize,
    prefetch: usize,
    content: Content,
    dtype: Dtype,
    labels: Option<Labels>,
    on_broken: OnBroken,
    decode: DecodeOptions,
    verify: bool,
    open: OpenOptions,
    resume: Option<State>,
    groups: Option<Groups>,
    read_ahead: bool,
    decoded_bytes: Option<u64>,
    allow_empty: bool,
}

impl Loader {
    /// Settings for a loader over a TBL, a TAR, a folder of pictures, or all that a pattern such as
    /// `shards/*.tbl` finds, in the order of their names: samples in stored order, in batches of 32 on as many
    /// threads as there are cores.
    pub fn open(path: impl AsRef<Path>) -> Result<Builder> {
        Self::open_all([path])
    }

    /// Settings for a loader over several files as one, in this order.
    pub fn open_all(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<Builder> {
        let mut all = Vec::new();
        for path in paths {
            let path = path.as_ref();
            match path.to_str() {
                Some(text) => all.extend(expand(&[text.to_owned()])?),
                None => all.push(path.to_owned()),
            }
        }
        if all.is_empty() {
            return Err(Error::new(&common::ARGUMENT, "a loader needs at least one file"));
        }
        // What is a pipe says so when it is opened.
        if let Some(absent) = all.iter().find(|path| !path.exists() && !is_pipe(path)) {
            return Err(Error::new(&common::IO, "there is no such file").file(display(absent)));
        }
        Ok(Builder {
            paths: all,
            settings: Settings::default().with_shuffle(Shuffle::None).with_batch(32),
            rank: 0,
            filter: None,
            workers: all_cores(),
            prefetch: 2,
            content: Content::default(),
            dtype: Dtype::default(),
            labels: None,
            on_broken: OnBroken::default(),
            decode: DecodeOptions::default(),
            verify: true,
            open: OpenOptions { io: Io::Read, ..OpenOptions::default() },
            resume: None,
            groups: None,
            read_ahead: true,
            decoded_bytes: None,
            allow_empty: false,
        })
    }
}

impl Builder {
    /// Takes only the samples that a filter accepts, such as `width >= 224 && height >= 224`. Building is refused if
    /// no sample has a field that it names, and if it selects none at all, unless [`allow_empty`](Self::allow_empty)
    /// says otherwise.
    pub fn filter(mut self, text: &str) -> Result<Self> {
        self.filter = Some(Filter::parse(text)?);
        self.settings.filter = Some(text.to_owned());
        Ok(self)
    }

    /// Whether epochs may have no batches, as a filter selects no sample or those that there are fill no batch; they may
    /// not otherwise, since training on nothing runs without a word.
    pub fn allow_empty(mut self, allow: bool) -> Self {
        self.allow_empty = allow;
        self
    }
    /// At which level of a folder of pictures the classes are, from 1; 0 for none. They are looked for otherwise.
    pub fn class_level(mut self, level: u32) -> Self {
        self.open.class_level = Some(level);
        self
    }

    /// Samples in a batch of this rank.
    pub fn batch(mut self, samples: u64) -> Self {
        self.settings.batch = samples;
        self
    }
    /// Threads that make samples.
    pub fn workers(mut self, threads: usize) -> Self {
        self.workers = threads;
        self
    }
    /// Batches that are made ahead, the next one included. Memory is bounded by one more than this.
    pub fn prefetch(mut self, batches: usize) -> Self {
        self.prefetch = batches;
        self
    }

    /// Shuffles fully, another way in every epoch.
    pub fn shuffle(self, seed: u64) -> Self {
        self.seed(seed).shuffle_as(Shuffle::Full)
    }
    /// Shuffles blocks of `block` neighbors, and the samples inside each window of `window` blocks, so that reads stay
    /// local: for disks that seek.
    pub fn shuffle_blocks(self, seed: u64, block: u64, window: u64) -> Self {
        self.seed(seed).shuffle_as(Shuffle::Blocks { block, window })
    }
    fn shuffle_as(mut self, shuffle: Shuffle) -> Self {
        self.settings.shuffle = shuffle;
        self
    }
    /// Decides what is random about samples where their order is not shuffled.
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = seed;
        self
    }
    /// Which share of every step this process takes: `rank` of `world`, from 0.
    pub fn shard(mut self, rank: u64, world: u64) -> Self {
        (self.rank, self.settings.world) = (rank, world);
        self
    }
    /// What becomes of samples that do not fill a batch on every rank; they are dropped otherwise.
    pub fn tail(mut self, tail: Tail) -> Self {
        self.settings.tail = tail;
        self
    }
    /// Draws from the files in fixed proportions instead of one after the other: one weight a file.
    pub fn mix(mut self, weights: impl Into<Vec<u32>>, epoch_samples: u64) -> Self {
        self.settings.mix = Some(Mix { weights: weights.into(), epoch_samples });
        self
    }

    /// Decodes pictures and makes them tensors.
    pub fn image(mut self, image: Image) -> Self {
        self.content = Content::Images(Box::new(image));
        self
    }
    /// Gives payloads as they are: for raw pixels without a copy, or to decode them oneself. This is the default.
    pub fn payloads(mut self) -> Self {
        self.content = Content::Payloads;
        self
    }
    /// Makes each sample's numbers, of this shape, by a function, on the workers. Memory holds anything before.
    pub fn made_by<F>(mut self, shape: impl Into<Vec<usize>>, make: F) -> Self
    where
        F: Fn(Sample<'_>, Out<'_>) -> Result<()> + Send + Sync + 'static,
    {
        self.content = Content::Made { shape: shape.into(), make: Arc::new(make) };
        self
    }
    /// The type of the numbers: floats otherwise.
    pub fn dtype(mut self, dtype: Dtype) -> Self {
        self.dtype = dtype;
        self
    }
    /// Gives every sample a label: a metadata field by its path, or one of [`Labels`].
    pub fn labels(mut self, labels: impl Into<Labels>) -> Self {
        self.labels = Some(labels.into());
        self
    }

    /// What happens with samples that cannot be read.
    pub fn on_broken(mut self, policy: OnBroken) -> Self {
        self.on_broken = policy;
        self
    }
    /// Which decoder reads JPEG.
    pub fn jpeg(mut self, backend: JpegBackend) -> Self {
        self.decode.jpeg = backend;
        self
    }
    /// Turns pictures as their EXIF orientation says.
    pub fn orient(mut self, orient: bool) -> Self {
        self.decode.orient = orient;
        self
    }
    /// Decodes at full size even where a smaller version would do, which is several times as fast for large pictures: for
    /// pixels that do not depend on how much larger than the tensor a picture is.
    pub fn exact(mut self, exact: bool) -> Self {
        self.decode.exact = exact;
        self
    }
    /// Bounds on what files may cost.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.decode.limits = limits.clone();
        self.open.limits = limits;
        self
    }
    /// About how many bytes all workers together may hold for decoding at once: pixels, and what decoders need beside
    /// them. A worker waits until there is room for its picture, and one that needs more than all of it is decoded
    /// while no other is; so giant pictures cost time and not memory. Otherwise 64 MiB for each worker, and at least
    /// 512 MiB.
    pub fn decoded_bytes(mut self, bytes: u64) -> Self {
        self.decoded_bytes = Some(bytes);
        self
    }
    /// How bytes come in: mapped, or read piece by piece.
    pub fn io(mut self, io: Io) -> Self {
        self.open.io = io;
        self
    }
    /// Whether payloads are checked against their checksums; they are by default.
    pub fn verify(mut self, verify: bool) -> Self {
        self.verify = verify;
        self
    }
    /// Whether the system is told which parts of a mapped file come next, so that it fetches them meanwhile; it is
    /// otherwise.
    pub fn read_ahead(mut self, ahead: bool) -> Self {
        self.read_ahead = ahead;
        self
    }
    /// Brings pictures of alike shape together in batches, each of the size that fits them best.
    pub fn groups(mut self, groups: Groups) -> Self {
        self.groups = Some(groups);
        self
    }
    /// Goes on where a saved run stood. Building is refused, by name, if anything differs that decides which
    /// sample comes when; batch and world may change as long as their product does not.
    pub fn resume(mut self, state: State) -> Self {
        self.resume = Some(state);
        self
    }

    /// Opens the files, selects, and checks that all fits together. No thread is started yet.
    pub fn build(self) -> Result<Loader> {
        let refuse = |message: String| Err(Error::new(&codes::SETTINGS, message));
        if self.workers == 0 || self.prefetch == 0 {
            return refuse(format!("{} workers and {} batches ahead are invalid", self.workers, self.prefetch));
        }
        if self.rank >= self.settings.world {
            return refuse(format!("there is no rank {} of {}", self.rank, self.settings.world));
        }
        let contents = match &self.groups {
            Some(groups) => {
                groups.check()?;
                groups.sizes.iter().map(|&size| self.content.sized(size)).collect()
            }
            None => vec![self.content],
        };
        for content in &contents {
            if let Content::Images(image) = content {
                Transformer::new((**image).clone())?;
            }
        }
        contents.iter().try_for_each(|content| content.check(self.dtype))?;
        let slot_bytes = contents.iter().map(|content| content.slot_bytes(self.dtype)).collect::<Result<Vec<_>>>()?;
        let sources = Sources::open(&self.paths, &self.open)?;
        let described = sources.describe(self.filter.as_ref(), self.on_broken)?;
        if self.filter.is_some() && !self.allow_empty && described.iter().all(|source| source.selected() == 0) {
            return refuse("the filter selects no sample; allow_empty lets epochs be empty".into());
        }
        let order = Order::new(described, self.settings)?;
        let most = most_in_a_step(&order);
        let batch_bytes = batch_bytes(slot_bytes.iter().max().copied().unwrap_or(0), most)?;
        let waiting = most.saturating_mul(self.prefetch).min(MOST_WAITING);
        fits_in_memory(batch_bytes, order.steps(), self.prefetch)?;
        let resumed = self.resume.as_ref().map(|state| state.position(&order, self.groups.as_ref())).transpose()?;
        let labels = Resolver::new(self.labels.as_ref(), &sources)?;
        let shared = Shared {
            sources,
            order,
            contents,
            slot_bytes,
            read_ahead: self.read_ahead,
            dtype: self.dtype,
            labels,
            labeled: self.labels.is_some(),
            on_broken: self.on_broken,
            allow_empty: self.allow_empty,
            decode: self.decode,
            verify: self.verify,
            budget: Budget::new(self.decoded_bytes.unwrap_or_else(|| budget::usual(self.workers))),
            workers: self.workers,
            clock: Clock::default(),
            generation: AtomicU64::new(0),
        };
        let pool = Pool::new(batch_bytes, self.prefetch.saturating_add(1));
        let skipped = self.resume.map_or(0, |state| state.skipped);
        let plan = Plan::new(self.groups);
        Ok(Loader::new(
            shared,
            pool,
            plan,
            self.rank,
            self.workers,
            (self.prefetch, waiting.max(1)),
            (resumed, skipped),
        ))
    }
}

/// The most tasks that wait in the queue; with more samples on their way, handing them out waits for the workers.
const MOST_WAITING: usize = 1 << 16;

/// The most samples that this rank can have in a step.
fn most_in_a_step(order: &Order) -> usize {
    let (settings, n) = (order.settings(), order.epoch_samples());
    let most = match settings.tail {
        _ if order.steps() == 0 => 0,
        Tail::Drop | Tail::Pad => settings.batch,
        Tail::Uneven => settings.batch.min(n.div_ceil(settings.world.max(1))),
    };
    usize::try_from(most).unwrap_or(usize::MAX)
}

/// Refuses what the system would not give, instead of ending the process over it later.
fn fits_in_memory(batch_bytes: usize, steps: u64, prefetch: usize) -> Result<()> {
    let batches = usize::try_from(steps).unwrap_or(usize::MAX).min(prefetch.saturating_add(1));
    let all = batch_bytes.saturating_mul(batches);
    // Asked of the system and not of the allocator, which would take it for a habit: after a large piece was given back,
    // glibc takes pieces of that size from its heap, and clears them before the workers come to them.
    if all > 0 && MmapMut::map_anon(all).is_err() {
        let message = format!("there is no memory for {batches} batches of {batch_bytes} bytes each");
        return Err(Error::new(&codes::SETTINGS, message));
    }
    Ok(())
}
