//! How fast a loader would be with more workers, told from what one worker takes for each sample.
//!
//! A few samples are made by one worker, and timed. Then the loader is acted out: tasks are taken in order by whichever worker
//! is free, a batch is sent when the one that is `prefetch` before it was taken, and the thread that takes batches needs its
//! own time for each. Where more threads work than there are cores, all of it takes longer in proportion. What cannot be known
//! from one worker is how much several slow each other down: caches and memory that they share.

use std::{cmp::Reverse, collections::BinaryHeap, time::Duration};

use forebay::{Error, Result, error::codes::ARGUMENT};
use serde::Serialize;

use crate::loader::Builder;

/// Batches that a loader makes ahead.
const PREFETCH: usize = 2;
/// Batches that warm caches and buffers up, and are not counted.
const WARM: u64 = 1;

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
    let events = batches.saturating_add(WARM + 4).saturating_mul(batch).saturating_mul(8);
    let events = usize::try_from(events).unwrap_or(usize::MAX).min(MOST_EVENTS);
    let mut loader = builder.batch(batch).workers(1).prefetch(PREFETCH).timeline(events).build()?;
    let first = loader.next_batch()?;
    let Some(first) = first else { return refuse("there is no batch to measure") };
    drop(first);
    let begun = std::time::Instant::now();
    let before = loader.stats().waiting;
    let (mut taken, mut made, mut epochs) = (0_u64, 0_usize, 0);
    while taken < batches && epochs <= batches {
        match loader.next_batch()? {
            Some(batch) => (taken, made) = (taken + 1, made.max(batch.len())),
            None => epochs += 1,
        }
    }
    let waited = loader.stats().waiting.saturating_sub(before);
    let taking = begun.elapsed().saturating_sub(waited) / u32::try_from(taken.max(1)).unwrap_or(u32::MAX);
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
    samples.drain(..samples.len().min(usize::try_from(batch).unwrap_or(usize::MAX)));
    if samples.is_empty() {
        return refuse("there are too few samples to measure: take smaller batches");
    }
    let (mut bytes, mut counted) = (0, 0);
    let epoch = loader.order().epoch(0)?;
    for item in (0..loader.order().epoch_samples().min(1000)).filter_map(|position| epoch.item(position)) {
        (bytes, counted) = (bytes + loader.stored_bytes(&item), counted + 1);
    }
    Ok(Measured { samples, batch: made.max(1), taking, bytes: bytes / counted.max(1) })
}

/// More are never taken down.
const MOST_EVENTS: usize = 1 << 21;
/// Batches that are acted out.
const ACTED: usize = 200;

impl Measured {
    /// From times that were taken elsewhere: of each sample, and of the thread that takes batches of that size for each of them.
    pub fn new(samples: impl Into<Vec<[u64; 5]>>, batch: usize, taking: Duration) -> Measured {
        Measured { samples: samples.into(), batch: batch.max(1), taking, bytes: 0 }
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
        let workers = workers.max(1);
        let times: Vec<u64> = self.samples.iter().map(|sample| sample.iter().sum()).collect();
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
        let slower = (threads / machine.cores as f64).max(1.0);
        let rate = batches * self.batch as f64 / (seconds * slower);
        let read = machine.read_bytes.map(|bytes| bytes as f64 / self.bytes.max(1) as f64).filter(|most| *most < rate);
        let bound = match (read, slower > 1.001) {
            (Some(_), _) => "read",
            (None, true) => "cores",
            (None, false) => "workers",
        };
        let images_per_second = read.unwrap_or(rate);
        let busy = busy / slower / workers as f64 * images_per_second / rate;
        Predicted { workers, images_per_second, busy, bound }
    }
}
