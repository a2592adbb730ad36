//! The loader.

use std::{
    path::PathBuf,
    process,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use forebay::{
    Error, Result,
    annotations::{Format, ReadOptions},
    error::codes::ARGUMENT,
    order::{Mix, Shuffle, Tail},
    warehouse::{ResizeMode, Transform},
};
use forebay_native::{
    cache::Cache,
    input::Io,
    loader::{
        self, Annotations, Balance, Builder, DecodedCache, Dtype, Groups, Labels, Mode, OnBroken, Padding, Phase,
        Split, SplitBy, Target, Weights,
    },
    output::AtomicFile,
};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::json;

use crate::{
    batch::{Batch, Gives},
    errors::Raise,
    options::{parse, word},
    recipe::Image,
    wait::long,
};

/// How long a batch is waited for until signals are heard: Ctrl-C is to work within 100 ms. Each time costs a thread's going
/// to sleep and waking up, and Python's lock.
const LISTEN: Duration = Duration::from_millis(80);

/// What a loader shall do. What is not given is the library's default.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Wanted {
    batch: Option<u64>,
    #[serde(rename = "where")]
    filter: Option<String>,
    allow_empty: bool,
    workers: Option<usize>,
    prefetch: Option<usize>,
    shuffle: Option<Shuffle>,
    seed: u64,
    rank: u64,
    world: Option<u64>,
    tail: Option<String>,
    mix: Option<Mix>,
    weights: Option<Vec<(u64, Weighing)>>,
    balanced: Option<Balancing>,
    draws: Option<u64>,
    repeated: Option<u64>,
    image: Option<Image>,
    dtype: Option<String>,
    labels: Option<From>,
    on_error: Option<String>,
    orient: bool,
    exact: bool,
    io: Option<String>,
    verify: Option<bool>,
    class_level: Option<u32>,
    decoded_bytes: Option<u64>,
    decoded_cache: Option<u64>,
    decoded_cache_file: Option<PathBuf>,
    timeline: Option<usize>,
    cache: Option<PathBuf>,
    cache_bytes: Option<u64>,
    read_ahead_bytes: Option<u64>,
    groups: Option<Groups>,
    indices: Option<Vec<u64>>,
    split: Option<Parts>,
    annotations: Option<Boxes>,
    warehouse_transform: Option<Prepared>,
    padded: Option<Padded>,
    max_boxes: Option<u32>,
    /// Names and what they are, as text.
    targets: Vec<(String, String)>,
    /// Other views of pictures.
    views: Vec<(String, Image)>,
    mode: Option<String>,
    version: Option<String>,
    allow_violations: bool,
    allow_unproven: bool,
    fresh: bool,
}

/// Weights from an epoch on: a field, or a number for each sample.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
enum Weighing {
    Field(String),
    Numbers(Vec<f64>),
}

impl Weighing {
    fn weights(self) -> Weights {
        match self {
            Weighing::Field(path) => Weights::field(path),
            Weighing::Numbers(numbers) => Weights::numbers(numbers),
        }
    }
}

/// Classes in proportion.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Balancing {
    labels: From,
    since: Vec<(u64, Vec<(String, f64)>)>,
}

/// One of two parts of the samples.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Parts {
    share: f64,
    seed: u64,
    validation: bool,
    by_sample: bool,
}

/// What the builder of a warehouse makes of pictures.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Prepared {
    size: [u32; 2],
    resize: String,
    max_boxes: u64,
}

impl Prepared {
    fn transform(&self) -> Result<Transform> {
        Ok(Transform::new(Some(self.size), word::<ResizeMode>("resize", &self.resize)?, self.max_boxes))
    }
}

/// How pictures of many sizes come together.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Padded {
    short: Option<u32>,
    multiple: u32,
    fill: Option<[u8; 3]>,
}

impl Padded {
    fn padding(self) -> Padding {
        let mut padding = Padding::new().multiple(self.multiple);
        (padding.short, padding.fill) = (self.short, self.fill);
        padding
    }
}

/// Where boxes come from: a label file, or else they are with the samples.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Boxes {
    path: Option<PathBuf>,
    format: Option<String>,
    boxes: Option<String>,
}

impl Boxes {
    fn annotations(self) -> Result<Annotations> {
        let mut options = ReadOptions::default();
        options.boxes = self.boxes.as_deref().map(str::parse).transpose()?;
        let annotations = self.path.map_or_else(Annotations::own, Annotations::file).options(options);
        Ok(match self.format {
            Some(format) => annotations.format(word::<Format>("annotation_format", &format)?),
            None => annotations,
        })
    }
}

/// Where labels come from.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct From {
    field: Option<String>,
    table: Option<(PathBuf, String, String)>,
    classes: Option<Vec<String>>,
    missing: Option<i64>,
}

impl From {
    fn labels(self) -> Labels {
        let mut labels = match (self.field, self.table) {
            (Some(field), _) => Labels::field(field),
            (None, Some((path, key, label))) => Labels::table(path, key, label),
            (None, None) => Labels::folder(),
        };
        if let Some(classes) = self.classes {
            labels = labels.classes(classes);
        }
        match self.missing {
            Some(label) => labels.missing(label),
            None => labels,
        }
    }
}

impl Wanted {
    fn builder(mut self, paths: Vec<PathBuf>, state: Option<&str>) -> Result<Builder> {
        let mut builder = loader::Loader::open_all(paths)?;
        if let Some(state) = state {
            let state = serde_json::from_str(state);
            builder = builder.resume(state.map_err(|e| Error::new(&ARGUMENT, format!("this is no state: {e}")))?);
        }
        builder = self.select(builder)?;
        builder = self.draw(builder)?;
        builder = self.make(builder)?;
        builder = self.keep(builder)?;
        builder = with(builder, self.version, Builder::version);
        builder = builder.allow_violations(self.allow_violations).allow_unproven(self.allow_unproven).fresh(self.fresh);
        if let Some(mode) = &self.mode {
            builder = builder.mode(word::<Mode>("mode", mode)?);
        }
        Ok(builder.on_broken(match self.on_error.as_deref() {
            None | Some("raise") => OnBroken::Raise,
            Some("skip") => OnBroken::Skip,
            Some("replace") => OnBroken::Replace,
            Some(other) => {
                let message = format!("on_error is one of raise, skip, replace, not {other:?}");
                return Err(Error::new(&ARGUMENT, message));
            }
        }))
    }

    /// Which samples.
    fn select(&mut self, mut builder: Builder) -> Result<Builder> {
        builder = builder.allow_empty(self.allow_empty);
        if let Some(filter) = &self.filter {
            builder = builder.filter(filter)?;
        }
        builder = with(builder, self.class_level, Builder::class_level);
        builder = with(builder, self.indices.take(), Builder::samples);
        if let Some(Parts { share, seed, validation, by_sample }) = self.split.take() {
            let split = if validation { Split::validation(share, seed) } else { Split::train(share, seed) };
            builder = builder.split(split.by(if by_sample { SplitBy::Sample } else { SplitBy::Run }));
        }
        Ok(builder)
    }

    /// In which order.
    fn draw(&mut self, mut builder: Builder) -> Result<Builder> {
        builder = builder.seed(self.seed).shard(self.rank, self.world.unwrap_or(1));
        builder = match self.shuffle.take() {
            None | Some(Shuffle::None) => builder,
            Some(Shuffle::Full) => builder.shuffle(self.seed),
            Some(Shuffle::Blocks { block, window }) => builder.shuffle_blocks(self.seed, block, window),
            Some(other) => return Err(Error::new(&ARGUMENT, format!("this package does not know {other:?}"))),
        };
        builder = with(builder, self.mix.take(), |builder, mix| builder.mix(mix.weights, mix.epoch_samples));
        if let Some(weights) = self.weights.take() {
            let stages = weights.into_iter().map(|(epoch, values)| (epoch, values.weights()));
            let weights = stages.reduce(|(first, all), (epoch, weights)| (first, all.since(epoch, weights)));
            builder = with(builder, weights.map(|(_, weights)| weights), Builder::weights);
        }
        if let Some(Balancing { labels, since }) = self.balanced.take() {
            let stages = since.into_iter();
            builder =
                builder.balanced(stages.fold(Balance::by(labels.labels()), |all, (epoch, of)| all.since(epoch, of)));
        }
        builder = with(builder, self.draws, Builder::draws);
        builder = with(builder, self.repeated, Builder::repeated);
        builder = with(builder, self.batch, Builder::batch);
        builder = with(builder, self.groups.take(), Builder::groups);
        match &self.tail {
            Some(tail) => Ok(builder.tail(word::<Tail>("tail", tail)?)),
            None => Ok(builder),
        }
    }

    /// What samples become.
    fn make(&mut self, mut builder: Builder) -> Result<Builder> {
        builder = builder.exact(self.exact);
        // Unsaid, it is what each way of making tensors does by itself.
        if self.orient {
            builder = builder.orient(true);
        }
        if let Some(image) = &self.image {
            builder = builder.image(image.recipe()?);
            builder = with(builder, image.mosaic(), Builder::mosaic);
            builder = with(builder, image.mixing(), |builder, (mixing, p)| builder.mixed(mixing, p));
        }
        builder = with(builder, self.labels.take().map(From::labels), Builder::labels);
        builder = with(builder, self.padded.take().map(Padded::padding), Builder::padded);
        builder = with(builder, self.max_boxes, Builder::max_boxes);
        if let Some(boxes) = self.annotations.take() {
            builder = builder.annotations(boxes.annotations()?);
        }
        if let Some(prepared) = &self.warehouse_transform {
            builder = builder.warehouse_transform(prepared.transform()?);
        }
        for (name, target) in std::mem::take(&mut self.targets) {
            builder = builder.target(name, target);
        }
        for (name, view) in std::mem::take(&mut self.views) {
            builder = builder.target(name, Target::view(view.alone()?));
        }
        match &self.dtype {
            Some(dtype) => Ok(builder.dtype(word::<Dtype>("dtype", dtype)?)),
            None => Ok(builder),
        }
    }

    /// How bytes come in, and what is kept.
    fn keep(&mut self, mut builder: Builder) -> Result<Builder> {
        builder = with(builder, self.workers, Builder::workers);
        builder = with(builder, self.prefetch, Builder::prefetch);
        builder = with(builder, self.verify, Builder::verify);
        builder = with(builder, self.decoded_bytes, Builder::decoded_bytes);
        builder = with(builder, self.timeline, Builder::timeline);
        builder = with(builder, self.read_ahead_bytes, Builder::read_ahead_bytes);
        builder = match (self.decoded_cache, self.decoded_cache_file.take()) {
            (Some(bytes), None) => builder.decoded_cache(DecodedCache::memory(bytes)),
            (Some(bytes), Some(path)) => builder.decoded_cache(DecodedCache::file(path, bytes)),
            (None, Some(_)) => {
                let message =
                    "`decoded_cache_file` is where a `decoded_cache` lies, which says how many bytes it may have";
                return Err(Error::new(&ARGUMENT, message));
            }
            (None, None) => builder,
        };
        builder = match (self.cache.take(), self.cache_bytes) {
            (Some(folder), most) => {
                let cache = Cache::open(folder)?;
                builder.cache(&most.map_or(cache.clone(), |most| cache.bytes(most)))
            }
            (None, Some(_)) => return Err(Error::new(&ARGUMENT, "`cache_bytes` needs a `cache`")),
            (None, None) => builder,
        };
        match &self.io {
            Some(io) => Ok(builder.io(word::<Io>("io", io)?)),
            None => Ok(builder),
        }
    }
}

fn with<T>(builder: Builder, value: Option<T>, set: impl FnOnce(Builder, T) -> Builder) -> Builder {
    match value {
        Some(value) => set(builder, value),
        None => builder,
    }
}

/// A loader that ends its threads in the process that started them. After a fork they are not there, and waiting for
/// them would last for ever.
#[derive(Debug)]
struct Owned {
    loader: Option<loader::Loader>,
    process: u32,
}

impl Drop for Owned {
    fn drop(&mut self) {
        if self.process != process::id() {
            std::mem::forget(self.loader.take());
        }
    }
}

/// What `stats` tells: samples, broken ones, seconds, what is kept, and the hit rate that is to be expected.
type Told = (u64, u64, [f64; 8], [u64; 8], Option<f64>);

/// Makes batches.
#[pyclass(frozen, module = "forebay._forebay")]
#[derive(Debug)]
pub(crate) struct Loader {
    owned: Mutex<Owned>,
    process: u32,
    /// Which iteration is the loader's: the last that has begun.
    turn: AtomicU64,
    /// Batches of an epoch, on this rank.
    steps: u64,
    /// One more than the epoch that an iteration would begin behind the last batch that was given; 0 before.
    given: AtomicU64,
    /// The caller's time between batches, in nanoseconds.
    training: AtomicU64,
}

/// Whether it is a warehouse, names of classes, notes, and what was refused.
type Boxed = (bool, Vec<String>, Vec<String>, Vec<(String, String)>);

/// One epoch, or the rest of it.
#[pyclass(frozen, module = "forebay._forebay")]
#[derive(Debug)]
pub(crate) struct Epoch {
    loader: Py<Loader>,
    turn: u64,
    gives: Gives,
    /// When the caller was given a batch.
    left: Mutex<Option<Instant>>,
    /// An iterator that has ended stays at its end: what comes next is another epoch's.
    ended: AtomicBool,
}

#[pymethods]
impl Epoch {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    /// The one call that a batch costs: everything else is made when it is asked for.
    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let loader = self.loader.get();
        if self.ended.load(Relaxed) {
            return Ok(None);
        }
        if loader.turn.load(Relaxed) != self.turn {
            let message = "another iteration over this loader has begun since";
            return Err(Error::new(&ARGUMENT, message)).raise(py);
        }
        if let Some(left) = lock(&self.left).take() {
            let nanos = u64::try_from(left.elapsed().as_nanos()).unwrap_or(u64::MAX);
            loader.training.fetch_add(nanos, Relaxed);
        }
        let Some(batch) = loader.wait(py, &self.ended)? else { return Ok(None) };
        let last = batch.step().saturating_add(1) >= loader.steps;
        let batch = Batch::new(batch);
        loader.given.store(batch.epoch_of().saturating_add(1 + u64::from(last)), Relaxed);
        let found = match self.gives {
            Gives::Batches => Bound::new(py, batch)?.into_any(),
            gives => batch.given(py, gives)?,
        };
        *lock(&self.left) = Some(Instant::now());
        Ok(Some(found))
    }
}

#[pymethods]
impl Loader {
    /// Opens the files and checks that all fits together, from a saved state on where there is one.
    #[new]
    fn new(py: Python<'_>, paths: Vec<PathBuf>, options: String, state: Option<String>) -> PyResult<Loader> {
        let (built, steps) = long(py, None, move |_| {
            let built = parse::<Wanted>(&options)?.builder(paths, state.as_deref())?.build()?;
            let steps = built.steps();
            Ok((built, steps))
        })?;
        let process = process::id();
        Ok(Loader {
            steps,
            owned: Mutex::new(Owned { loader: Some(built), process }),
            process,
            turn: AtomicU64::new(0),
            given: AtomicU64::new(0),
            training: AtomicU64::new(0),
        })
    }

    /// Begins to give batches, pairs of images and labels, or images. What was begun before ends.
    fn iterate(slf: Py<Self>, gives: &str) -> PyResult<Epoch> {
        let gives = Gives::of(gives);
        let turn = slf.get().turn.fetch_add(1, Relaxed) + 1;
        Ok(Epoch { loader: slf, turn, gives, left: Mutex::default(), ended: AtomicBool::new(false) })
    }

    /// Ends the iteration that has begun.
    fn retire(&self) {
        self.turn.fetch_add(1, Relaxed);
    }

    /// The epoch that an iteration would begin behind the last batch that was given, known also behind a fork.
    fn given(&self) -> Option<u64> {
        self.given.load(Relaxed).checked_sub(1)
    }

    /// Takes the rest of an epoch without Python: what a loop over it costs beside this is Python's part.
    fn drain(&self, py: Python<'_>) -> PyResult<u64> {
        let drained = py.detach(|| {
            self.with(|loader| {
                let (mut n, mut kept) = (0, None);
                loop {
                    let batch = loop {
                        if let Some(batch) = loader.next_within(LISTEN)? {
                            break batch;
                        }
                    };
                    let Some(batch) = batch else { return Ok(n) };
                    // As a loop keeps a batch until it has the next one.
                    drop(kept.replace(batch));
                    n += 1;
                }
            })
        });
        drained.raise(py)
    }

    /// Goes to the beginning of an epoch, or to where a saved state stands in it; without a number to that of the epoch
    /// that comes next: behind the last batch of one it is the following, whether or not anybody asked for its end.
    fn begin(&self, py: Python<'_>, epoch: Option<u64>) -> PyResult<u64> {
        let begun = py.detach(|| {
            self.with(|loader| {
                let at = loader.position();
                // A state may stand where this rank has nothing left of an epoch that other ranks go on with: then an empty
                // rest is given, and no rank is an epoch ahead.
                let given = self.steps > 0 && at.step >= self.steps && loader.phase() != Phase::Idle;
                let over = given || loader.order().steps() > 0 && at.step >= loader.order().steps();
                if epoch.is_none() && over && loader.phase() == Phase::Running {
                    // The end is taken as any caller takes it, so that batches that were made ahead are kept.
                    loader.next_batch()?;
                }
                let epoch = epoch.unwrap_or(at.epoch.saturating_add(u64::from(over)));
                loader.epoch(epoch).map(|_| epoch)
            })
        });
        begun.raise(py)
    }

    /// Ends the threads; the next batch starts them again.
    fn stop(&self, py: Python<'_>) -> PyResult<()> {
        let stopped = py.detach(|| {
            self.with(|loader| {
                loader.stop();
                Ok(())
            })
        });
        stopped.raise(py)
    }

    /// The position and what must be the same for it to mean the same, as JSON text.
    fn state(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.with(|loader| Ok(json!(loader.state()).to_string()))).raise(py)
    }

    /// Epoch and step that come next.
    fn position(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        py.detach(|| self.with(|loader| Ok((loader.position().epoch, loader.position().step)))).raise(py)
    }

    /// Batches of an epoch, samples of an epoch.
    fn size(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        py.detach(|| self.with(|loader| Ok((self.steps, loader.order().epoch_samples())))).raise(py)
    }

    /// The names of the classes.
    fn classes(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        py.detach(|| self.with(|loader| Ok(loader.classes().into_iter().map(str::to_owned).collect()))).raise(py)
    }

    /// The names of the classes of each target.
    fn target_classes(&self, py: Python<'_>) -> PyResult<Vec<(String, Vec<String>)>> {
        let of = |loader: &mut loader::Loader| {
            let classes = |name: &str| loader.target_classes(name).into_iter().map(str::to_owned).collect();
            Ok(loader.targets().map(|name| (name.to_owned(), classes(name))).collect())
        };
        py.detach(|| self.with(of)).raise(py)
    }

    /// Whether it is a warehouse's, the names of the classes of boxes, what was let through, and what was refused: file and
    /// reason.
    fn boxes(&self, py: Python<'_>) -> PyResult<Boxed> {
        let about = |loader: &mut loader::Loader| {
            let refused = loader.refused().iter().map(|one| (one.file.clone(), one.reason.clone())).collect();
            Ok((loader.warehouse().is_some(), loader.box_classes().to_vec(), loader.notes().to_vec(), refused))
        };
        py.detach(|| self.with(about)).raise(py)
    }

    /// Samples, broken ones, and seconds: reading, verifying, decoding, making, targets, idle, waiting, and the caller's
    /// between batches; then, of decoded pictures that are kept: hits, misses, without room, entries, bytes, the most bytes,
    /// evictions, such as could not be written, and the hit rate that is to be expected.
    fn stats(&self, py: Python<'_>) -> PyResult<Told> {
        let stats = py.detach(|| self.with(|loader| Ok((loader.stats(), loader.skipped())))).raise(py)?;
        let (s, skipped) = stats;
        let training = Duration::from_nanos(self.training.load(Relaxed));
        let times = [s.reading, s.verifying, s.decoding, s.making, s.targets, s.idle, s.waiting, training];
        let d = s.decoded;
        let kept = [d.hits, d.misses, d.without_room, d.entries, d.bytes, d.most_bytes, d.evictions, d.unwritten];
        Ok((s.samples, skipped, times.map(|time| time.as_secs_f64()), kept, d.expected_hit_rate()))
    }

    /// Writes when what happened; gives how many events, and how many there was no room for. None if nothing was taken down.
    fn write_timeline(&self, py: Python<'_>, path: PathBuf, force: bool) -> PyResult<Option<(usize, u64)>> {
        let write = |loader: &mut loader::Loader| {
            let Some(timeline) = loader.timeline() else { return Ok(None) };
            timeline.save(AtomicFile::create(&path, force)?)?;
            Ok(Some((timeline.events.len(), timeline.left_out)))
        };
        py.detach(|| self.with(write)).raise(py)
    }
}

impl Loader {
    /// The next batch; nothing at the end of an epoch. Waits without Python's lock, and hears signals meanwhile.
    fn wait(&self, py: Python<'_>, ended: &AtomicBool) -> PyResult<Option<loader::Batch>> {
        if let Some(found) = self.at_hand(ended) {
            return found.raise(py);
        }
        loop {
            // The lock is never held while Python's is waited for.
            let turn = py.detach(|| {
                self.with(|loader| {
                    let found = unless_ended(ended, || loader.next_within(LISTEN))?;
                    Ok(found.map(|batch| batch.map(Box::new)))
                })
            });
            match turn.raise(py)? {
                Some(batch) => return Ok(batch.map(|batch| *batch)),
                None => py.check_signals()?,
            }
        }
    }

    /// The next batch where it is there already: taking it is done sooner than Python's lock is given away and had again.
    fn at_hand(&self, ended: &AtomicBool) -> Option<Result<Option<loader::Batch>>> {
        if self.process != process::id() {
            return None;
        }
        // Who has the lock may wait for a batch.
        let mut owned = self.owned.try_lock().ok()?;
        let loader = owned.loader.as_mut().filter(|loader| loader.is_at_hand())?;
        unless_ended(ended, || loader.next_batch().map(Some)).transpose()
    }

    fn with<T>(&self, work: impl FnOnce(&mut loader::Loader) -> Result<T>) -> Result<T> {
        if self.process != process::id() {
            let message = "this loader belongs to the process that this one was forked from";
            return Err(Error::new(&ARGUMENT, message));
        }
        let mut owned = lock(&self.owned);
        let loader = owned.loader.as_mut();
        work(loader.ok_or_else(|| Error::new(&ARGUMENT, "the loader is gone"))?)
    }
}

/// What the loader gives, which is held while it is asked: another thread that waited for it meanwhile may have come to the end,
/// and what comes next is another epoch's.
fn unless_ended<T>(ended: &AtomicBool, next: impl FnOnce() -> Result<Option<Option<T>>>) -> Result<Option<Option<T>>> {
    if ended.load(Relaxed) {
        return Ok(Some(None));
    }
    let found = next()?;
    if matches!(found, Some(None)) {
        ended.store(true, Relaxed);
    }
    Ok(found)
}

/// A loader that panicked is as good as before: its next answer is an error.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
