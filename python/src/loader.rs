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

use forebay::{Error, Result, error::codes::ARGUMENT};
use forebay_native::{
    loader::{self, LoaderSettings, Phase},
    output::AtomicFile,
};
use pyo3::prelude::*;
use serde_json::json;

use crate::{
    batch::{Batch, Gives},
    errors::Raise,
    options::parse,
    wait::long,
};

/// How long a batch is waited for until signals are heard: Ctrl-C is to work within 100 ms. Each time costs a thread's going
/// to sleep and waking up, and Python's lock.
const LISTEN: Duration = Duration::from_millis(80);

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
            let settings = parse::<LoaderSettings>(&options)?;
            let mut builder = loader::Loader::open_all(paths)?.settings(settings);
            if let Some(state) = state {
                let state = serde_json::from_str(&state);
                builder = builder.resume(state.map_err(|e| Error::new(&ARGUMENT, format!("this is no state: {e}")))?);
            }
            let built = builder.build()?;
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
