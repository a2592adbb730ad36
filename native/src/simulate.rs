//! How fast a loader would be with more workers, told from what one worker takes for each sample.
//!
//! A few samples are made by one worker, and timed. Then the loader is acted out: tasks are taken in order by whichever worker
//! is free, a batch is sent when the one that is `prefetch` before it was taken, and the thread that takes batches needs its
//! own time for each. Where more threads work than there are cores, all of it takes longer in proportion. What cannot be known
//! from one worker is how much several slow each other down: caches, memory and cores of a processor that they share. So a few more
//! samples are made by as many workers as this machine has cores, and what these took longer for than their own times say is
//! what as many workers cost each other, and fewer their part of it.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    time::{Duration, Instant},
};

use forebay::{Error, Result, error::codes::ARGUMENT};
use serde::Serialize;

use crate::{
    loader::{Builder, Loader},
    parallel::all_cores,
};

/// Batches that a loader makes ahead.
const PREFETCH: usize = 2;
/// Batches that are not counted, in which caches warm up and memory for all batches is touched for the first time.
const WARM: u64 = PREFETCH as u64 + 1;

/// What one worker took for each sample.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Measured {
    /// Nanoseconds of each sample: reading, verifying, decoding, transforming, targets.
    pub samples: Vec<[u64; 5]>,
    /// Samples in a batch.
    pub batch: usize,
    /// What the thread that takes batches needs for each of them, beside waiting.
    pub taking: Duration,
    /// Stored bytes of a sample.
    pub bytes: u64,
    /// How many workers made samples together, one on each core, and how many in a second; none where there is only one core.
    pub together: Option<(usize, f64)>,
}

/// What a machine has.
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

/// What this number of workers would do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Predicted {
    /// Threads that make samples.
    pub workers: usize,
    /// Pictures in a second.
    pub images_per_second: f64,
    /// The share of the workers' time in which they work.
    pub busy: f64,
    /// What bounds it: `workers`, `cores`, `read`.
    pub bound: &'static str,
}

/// Makes about that many samples with one worker and times them, behind a batch that is not counted.
pub fn measure(builder: Builder, batch: u64, samples: u64) -> Result<Measured> {
    let refuse = |what: &str| Err(Error::new(&ARGUMENT, what.to_owned()));
    if samples == 0 || batch == 0 {
        return refuse("no samples leave nothing to measure");
    }
    let batches = samples.div_ceil(batch);
    // Each has five stages, and some more are made ahead.
    let events = batches.saturating_add(2 * WARM + 4).saturating_mul(batch).saturating_mul(8);
    let events = usize::try_from(events).unwrap_or(usize::MAX).min(MOST_EVENTS);
    let mut loader = builder.batch(batch).workers(1).prefetch(PREFETCH).timeline(events).build()?;
    let warm = take(&mut loader, WARM)?;
    if warm.batches == 0 {
        return refuse("there is no batch to measure");
    }
    let before = loader.stats().waiting;
    let alone = take(&mut loader, batches)?;
    let waited = loader.stats().waiting.saturating_sub(before);
    let taking = alone.time.saturating_sub(waited) / u32::try_from(alone.batches.max(1)).unwrap_or(u32::MAX);
    loader.stop();
    let mut samples: Vec<[u64; 5]> = Vec::new();
    let mut last = None;
    for event in loader.timeline().unwrap_or_default().events {
        let stages = ["read", "verify", "decode", "transform", "targets"];
        let Some(stage) = stages.iter().position(|name| *name == event.name) else { continue };
        // One worker makes one sample after the other.
        if last.replace((event.epoch, event.number)) != Some((event.epoch, event.number)) {
            samples.push([0; 5]);
        }
        if let Some(sample) = samples.last_mut() {
            sample[stage] += event.nanos;
        }
    }
    let warm = WARM.saturating_mul(batch);
    samples.drain(..samples.len().min(usize::try_from(warm).unwrap_or(usize::MAX)));
    if samples.is_empty() {
        return refuse("there are too few samples to measure: take smaller batches");
    }
    let (mut bytes, mut counted) = (0, 0);
    let epoch = loader.order().epoch(0)?;
    for item in (0..loader.order().epoch_samples().min(1000)).filter_map(|position| epoch.item(position)) {
        (bytes, counted) = (bytes + loader.stored_bytes(&item), counted + 1);
    }
    let bytes = bytes / counted.max(1);
    let cores = all_cores();
    let together = match cores {
        ..2 => None,
        cores => {
            loader.stop();
            loader.set_workers(cores);
            loader.start()?;
            take(&mut loader, WARM)?;
            let made = take(&mut loader, batches.saturating_mul(cores.min(MOST_TOGETHER) as u64))?;
            loader.stop();
            Some((cores, made.samples as f64 / made.time.as_secs_f64().max(1e-9)))
        }
    };
    Ok(Measured { samples, batch: alone.most.max(1), taking, bytes, together })
}

/// Batches that were taken.
struct Taken {
    batches: u64,
    samples: usize,
    /// Samples of the largest.
    most: usize,
    time: Duration,
}

/// Takes that many batches, of as many epochs as that takes.
fn take(loader: &mut Loader, batches: u64) -> Result<Taken> {
    let begun = Instant::now();
    let (mut taken, mut epochs) = (Taken { batches: 0, samples: 0, most: 0, time: Duration::ZERO }, 0);
    while taken.batches < batches && epochs <= batches {
        match loader.next_batch()? {
            Some(batch) => {
                taken.batches += 1;
                taken.samples += batch.len();
                taken.most = taken.most.max(batch.len());
            }
            None => epochs += 1,
        }
    }
    taken.time = begun.elapsed();
    Ok(taken)
}

/// Samples are made by all workers together as long as by one alone, but not for more workers than these.
const MOST_TOGETHER: usize = 16;

/// More are never taken down.
const MOST_EVENTS: usize = 1 << 21;
/// Batches that are acted out.
const ACTED: usize = 200;
/// How many times as long a sample takes beside others, at least and at most, and in how many steps that is found.
const SLOWER: (f64, f64) = (0.5, 16.0);
const HALVED: usize = 24;

impl Measured {
    /// From times that were taken elsewhere: of each sample, and of the thread that takes batches of that size for each of them.
    pub fn new(samples: impl Into<Vec<[u64; 5]>>, batch: usize, taking: Duration) -> Measured {
        Measured { samples: samples.into(), batch: batch.max(1), taking, bytes: 0, together: None }
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
        let machine = Machine::new(cores);
        // More is slower, so that it is found by halving.
        let (mut least, mut most) = SLOWER;
        for _ in 0..HALVED {
            let middle = f64::midpoint(least, most);
            match self.act(cores, &machine, middle).images_per_second > real {
                true => least = middle,
                false => most = middle,
            }
        }
        let part = (workers.clamp(1, cores) - 1) as f64 / (cores - 1) as f64;
        1.0 + (f64::midpoint(least, most) - 1.0) * part
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
        self.act(workers, machine, self.slower(workers))
    }

    fn act(&self, workers: usize, machine: &Machine, slower: f64) -> Predicted {
        let workers = workers.max(1);
        let time = |sample: &[u64; 5]| (sample.iter().sum::<u64>() as f64 * slower) as u64;
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
