//! How fast a loader would be with more workers, told from what one worker takes for each sample.
//!
//! A few samples are made by one worker, and timed. Then the loader is acted out: tasks are taken in order by whichever worker
//! is free, a batch is sent when the one that is `prefetch` before it was taken, and the thread that takes batches needs its
//! own time for each. Where more threads work than there are cores, all of it takes longer in proportion.
//!
//! Two things cannot be told from the times of samples. What lies between them (a task taken from its queue, a batch begun and
//! ended) is what the worker took longer for than these. And how much several slow each other down, by caches, memory and halves
//! of cores that they share, is told by as many workers as this machine has cores making the same samples: what these took longer
//! for than one alone is what as many cost each other, and fewer their part of it.
//!
//! What is measured is taken from several places of the epoch, since a file's first samples need not be like its last, and
//! alone and together in turns, since a machine is not equally fast all the time.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    time::{Duration, Instant},
};

use forebay::{Error, Result, error::codes::ARGUMENT};
use serde::Serialize;

use crate::{
    loader::{Builder, Event, Loader},
    parallel::all_cores,
};

/// Batches that a loader makes ahead.
const PREFETCH: usize = 2;
/// Batches that are not counted, in which caches warm up and memory for all batches is touched for the first time.
const WARM: u64 = PREFETCH as u64 + 1;
/// Places of an epoch at which samples are made, alone and then together.
const TURNS: u64 = 3;
/// How long they are made at each place and in each way, at least: small pictures are made too quickly to be timed.
const LEAST: Duration = Duration::from_millis(200);

/// The times of one worker for each sample.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Measured {
    /// Nanoseconds of each sample: reading, verifying, decoding, transforming, targets.
    pub samples: Vec<[u64; 5]>,
    /// Samples in a batch.
    pub batch: usize,
    /// The time that the thread that takes batches needs for each of them, besides waiting.
    pub taking: Duration,
    /// Stored bytes of a sample.
    pub bytes: u64,
    /// How many samples one worker made in a second, if that was measured.
    pub alone: Option<f64>,
    /// How many workers made samples together, one on each core, and how many in a second; none where there is only one core.
    pub together: Option<(usize, f64)>,
}

/// A machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Machine {
    /// Threads that work at once.
    pub cores: usize,
    /// Bytes that can be read in a second, if that is a bound.
    pub read_bytes: Option<u64>,
}

impl Machine {
    /// A machine with this number of cores that reads as fast as was measured.
    pub fn new(cores: usize) -> Machine {
        Machine { cores: cores.max(1), read_bytes: None }
    }
    /// Sets how many bytes can be read in a second.
    #[must_use]
    pub fn read_bytes(mut self, bytes: Option<u64>) -> Machine {
        self.read_bytes = bytes;
        self
    }
}

/// The prediction for a number of workers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Predicted {
    /// Threads that make samples.
    pub workers: usize,
    /// Pictures in a second.
    pub images_per_second: f64,
    /// The share of the workers' time in which they work.
    pub busy: f64,
    /// The bound: `workers`, `cores`, `read`.
    pub bound: &'static str,
}

/// Makes at least that many samples with one worker, and as many for each core with one on each, and times them. Batch, rank and
/// order are the builder's.
pub fn measure(builder: Builder, samples: u64) -> Result<Measured> {
    let refuse = |what: &str| Err(Error::new(&ARGUMENT, what.to_owned()));
    if samples == 0 {
        return refuse("no samples leave nothing to measure");
    }
    let mut loader = builder.workers(1).prefetch(PREFETCH).timeline(MOST_EVENTS).build()?;
    let (steps, cores) = (loader.steps(), all_cores());
    let batches = samples.div_ceil(loader.order().settings().batch.max(1)).div_ceil(TURNS);
    let mut windows = Vec::new();
    let (mut alone, mut together, mut waited) = (Taken::default(), Taken::default(), Duration::ZERO);
    for turn in 0..TURNS {
        let at = (u128::from(steps) * u128::from(turn) / u128::from(TURNS)) as u64;
        set_out(&mut loader, 1, at)?;
        let (events, before) = (loader.events(), loader.stats());
        alone.add(take(&mut loader, batches, LEAST)?);
        let after = loader.stats();
        waited += after.waiting.saturating_sub(before.waiting);
        windows.push((events..loader.events(), after.samples.saturating_sub(before.samples)));
        if cores > 1 {
            set_out(&mut loader, cores, at)?;
            together.add(take(&mut loader, batches.saturating_mul(cores.min(MOST_TOGETHER) as u64), LEAST)?);
        }
    }
    loader.stop();
    if alone.batches == 0 {
        return refuse("there is no batch to measure");
    }
    let taking = alone.time.saturating_sub(waited) / u32::try_from(alone.batches).unwrap_or(u32::MAX);
    let events = loader.timeline().unwrap_or_default().events;
    let samples: Vec<[u64; 5]> =
        windows.into_iter().flat_map(|(w, made)| stages(events.get(w).unwrap_or_default(), made)).collect();
    if samples.is_empty() {
        return refuse("there are too few samples to measure: take smaller batches");
    }
    let (mut bytes, mut counted) = (0, 0);
    let epoch = loader.order().epoch(0)?;
    for item in (0..loader.order().epoch_samples().min(1000)).filter_map(|position| epoch.item(position)) {
        (bytes, counted) = (bytes + loader.stored_bytes(&item), counted + 1);
    }
    Ok(Measured {
        samples,
        batch: alone.most.max(1),
        taking,
        bytes: bytes / counted.max(1),
        alone: Some(alone.rate()),
        together: (together.batches > 0).then(|| (cores, together.rate())),
    })
}

/// Starts with this number of workers at this step, and takes what is not counted.
fn set_out(loader: &mut Loader, workers: usize, step: u64) -> Result<()> {
    loader.stop();
    loader.set_workers(workers);
    loader.stand_at(step);
    loader.start()?;
    // Each worker is to have made a sample.
    let batch = loader.order().settings().batch.max(1);
    take(loader, WARM.max(1 + (workers as u64).div_ceil(batch)), Duration::ZERO).map(|_| ())
}

/// The time of each stage of that many samples, which one worker made, one after the other.
fn stages(events: &[Event], made: u64) -> Vec<[u64; 5]> {
    let mut samples: Vec<[u64; 5]> = Vec::new();
    let mut last = None;
    for event in events {
        let names = ["read", "verify", "decode", "transform", "targets"];
        let Some(stage) = names.iter().position(|name| *name == event.name) else { continue };
        let this = (event.epoch, event.number);
        if last.replace(this) != Some(this) {
            samples.push([0; 5]);
        }
        if let Some(sample) = samples.last_mut() {
            sample[stage] += event.nanos;
        }
    }
    // One that was begun before, and one that is not ended. Where more is missing, samples came twice in a row or are made of
    // several, and cannot be told apart: each is then taken to need as long as the others.
    if (samples.len() as u64).abs_diff(made) <= 2 || events.len() >= MOST_EVENTS || made == 0 {
        return samples;
    }
    let mean = std::array::from_fn(|stage| samples.iter().map(|sample| sample[stage]).sum::<u64>() / made);
    vec![mean; usize::try_from(made).unwrap_or(MOST_EVENTS).min(MOST_EVENTS)]
}

/// Batches that were taken.
#[derive(Default)]
struct Taken {
    batches: u64,
    samples: usize,
    /// Samples of the largest.
    most: usize,
    time: Duration,
}

impl Taken {
    fn add(&mut self, more: Taken) {
        self.batches += more.batches;
        self.samples += more.samples;
        self.most = self.most.max(more.most);
        self.time += more.time;
    }
    fn rate(&self) -> f64 {
        self.samples as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

/// Takes that many batches, and more until so much time is over, of as many epochs as that takes.
fn take(loader: &mut Loader, batches: u64, least: Duration) -> Result<Taken> {
    let begun = Instant::now();
    let (mut taken, mut empty) = (Taken::default(), 0);
    // An epoch may have nothing for this rank.
    while (taken.batches < batches || begun.elapsed() < least) && empty < 2 {
        match loader.next_batch()? {
            Some(batch) => {
                taken.batches += 1;
                taken.samples += batch.len();
                taken.most = taken.most.max(batch.len());
                empty = 0;
            }
            None => empty += 1,
        }
    }
    taken.time = begun.elapsed();
    Ok(taken)
}

/// Samples are made by all workers together as long as by one alone, but not for more workers than these.
const MOST_TOGETHER: usize = 16;

/// More are never taken down.
const MOST_EVENTS: usize = 1 << 20;
/// Batches that are acted out.
const ACTED: usize = 200;
/// How many times as long a sample takes beside others, at least and at most, and in how many steps that is found.
const SLOWER: (f64, f64) = (0.5, 16.0);
const HALVED: usize = 24;

impl Measured {
    /// From times that were taken elsewhere: of each sample, and of the thread that takes batches of that size for each of them.
    pub fn new(samples: impl Into<Vec<[u64; 5]>>, batch: usize, taking: Duration) -> Measured {
        Measured { samples: samples.into(), batch: batch.max(1), taking, bytes: 0, alone: None, together: None }
    }
    /// Adds what one worker made in a second.
    #[must_use]
    pub fn alone(mut self, images_per_second: f64) -> Measured {
        self.alone = Some(images_per_second);
        self
    }
    /// Adds what that many workers made in a second together, on a machine with as many cores.
    #[must_use]
    pub fn together(mut self, workers: usize, images_per_second: f64) -> Measured {
        self.together = Some((workers, images_per_second));
        self
    }

    /// How many times as long each sample takes where this number of workers makes them: 1 for one alone.
    pub fn slower(&self, workers: usize) -> f64 {
        let Some((cores, real)) = self.together.filter(|(cores, real)| *cores > 1 && *real > 0.0) else { return 1.0 };
        let (machine, between) = (Machine::new(cores), self.between());
        let found =
            least_above(SLOWER, |slower| self.act(cores, &machine, (slower, between)).images_per_second <= real);
        let part = (workers.clamp(1, cores) - 1) as f64 / (cores - 1) as f64;
        1.0 + (found - 1.0) * part
    }

    /// Returns the time that a worker needs between two samples.
    pub fn between(&self) -> Duration {
        let Some(real) = self.alone.filter(|real| *real > 0.0) else { return Duration::ZERO };
        let machine = Machine::new(self.together.map_or(1, |(cores, _)| cores));
        let rate = |nanos: f64| self.act(1, &machine, (1.0, Duration::from_nanos(nanos as u64))).images_per_second;
        match rate(0.0) <= real {
            true => Duration::ZERO,
            false => Duration::from_nanos(least_above((0.0, 1e9 / real), |nanos| rate(nanos) <= real) as u64),
        }
    }

    /// The mean time of each stage for a sample: reading, verifying, decoding, transforming, targets.
    pub fn stages(&self) -> [Duration; 5] {
        let n = self.samples.len().max(1) as u64;
        std::array::from_fn(|stage| {
            Duration::from_nanos(self.samples.iter().map(|sample| sample[stage]).sum::<u64>() / n)
        })
    }

    /// Acts the loader out with this number of workers.
    pub fn simulate(&self, workers: usize, machine: &Machine) -> Predicted {
        self.act(workers, machine, (self.slower(workers), self.between()))
    }

    fn act(&self, workers: usize, machine: &Machine, (slower, between): (f64, Duration)) -> Predicted {
        let workers = workers.max(1);
        let between = between.as_nanos() as f64;
        let time = |sample: &[u64; 5]| ((sample.iter().sum::<u64>() as f64 + between) * slower) as u64;
        let times: Vec<u64> = self.samples.iter().map(time).collect();
        let taking = u64::try_from(self.taking.as_nanos()).unwrap_or(u64::MAX);
        // When each worker is free; when each batch was sent, and when it was taken.
        let mut free: BinaryHeap<Reverse<u64>> = (0..workers).map(|_| Reverse(0)).collect();
        let (mut taken, mut sent) = (0_u64, std::collections::VecDeque::from(vec![0_u64; PREFETCH]));
        let (mut worked, mut begun) = (0_u64, (0, 0));
        // Without samples there is nothing to act out.
        let mut next = times.iter().copied().cycle();
        for batch in 0..ACTED {
            let at = sent.pop_front().unwrap_or(taken);
            let mut done = at;
            for time in next.by_ref().take(self.batch) {
                let Reverse(since) = free.pop().unwrap_or(Reverse(0));
                let end = since.max(at).saturating_add(time);
                (done, worked) = (done.max(end), worked.saturating_add(time));
                free.push(Reverse(end));
            }
            // Whoever takes it sends the next one before anything else.
            taken = taken.max(done).saturating_add(taking);
            sent.push_back(taken);
            if batch == ACTED / 4 {
                // Until here everything began at once.
                begun = (taken, worked);
            }
        }
        let batches = (ACTED - 1 - ACTED / 4) as f64;
        let seconds = (taken - begun.0).max(1) as f64 / 1e9;
        let busy = (worked - begun.1) as f64 / 1e9 / seconds;
        let threads = busy + batches * self.taking.as_secs_f64() / seconds;
        let crowded = (threads / machine.cores as f64).max(1.0);
        let rate = batches * self.batch as f64 / (seconds * crowded);
        let read = machine.read_bytes.map(|bytes| bytes as f64 / self.bytes.max(1) as f64).filter(|most| *most < rate);
        let bound = match (read, crowded > 1.001) {
            (Some(_), _) => "read",
            (None, true) => "cores",
            (None, false) => "workers",
        };
        let images_per_second = read.unwrap_or(rate);
        let busy = busy / crowded / workers as f64 * images_per_second / rate;
        Predicted { workers, images_per_second, busy, bound }
    }
}

/// The least number, of those from one to the other, from which on this holds: found by halving.
fn least_above((mut from, mut to): (f64, f64), holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..HALVED {
        let middle = f64::midpoint(from, to);
        match holds(middle) {
            true => to = middle,
            false => from = middle,
        }
    }
    f64::midpoint(from, to)
}
