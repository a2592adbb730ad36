//! Where the time went.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use super::{
    DecodedStats,
    timeline::{CALLER, Recorder, Stage},
};

/// Counts and times of a loader so far, in all epochs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Samples made, those of batches that nobody took included.
    pub samples: u64,
    /// Workers' time for finding and reading payloads, or decoded pictures that were kept.
    pub reading: Duration,
    /// Workers' time for checksums and decompression. What is mapped is read there too.
    pub verifying: Duration,
    /// Workers' time for decoding, and for waiting until there is memory for it.
    pub decoding: Duration,
    /// Workers' time for transforming, or in a function of the user's.
    pub making: Duration,
    /// Workers' time for labels and targets, further pictures of a sample included.
    pub targets: Duration,
    /// Workers' time without work: all batches that may be made ahead are made, and wait for the trainer.
    pub idle: Duration,
    /// The caller's time in `next_batch`: waiting for workers, or doing their work where there are none.
    pub waiting: Duration,
    /// The time that opening, proving and reading a warehouse's shards took when the loader was built.
    pub opening: Duration,
    /// Decoded pictures that are kept; all 0 without a [cache](super::DecodedCache) of them.
    pub decoded: DecodedStats,
}

/// Adds up times; padded, so that counters do not share a line with what every thread reads.
#[derive(Debug, Default)]
pub(super) struct Clock {
    counters: crossbeam_utils::CachePadded<Counters>,
    /// When what happened, if that is asked for.
    pub(super) recorder: Option<Recorder>,
}

#[derive(Debug, Default)]
struct Counters {
    samples: AtomicU64,
    stages: [AtomicU64; Stage::ALL.len()],
    idle: AtomicU64,
    waiting: AtomicU64,
}

/// A worker's time for one sample, stage by stage. It is counted when this is dropped.
#[derive(Debug)]
pub(super) struct Lap<'a> {
    clock: &'a Clock,
    /// The worker, the epoch and the sample.
    who: (u16, u64, u64),
    last: Instant,
    spent: [u64; Stage::ALL.len()],
}

impl Lap<'_> {
    /// All since the last stage was this one.
    pub(super) fn stage(&mut self, stage: Stage) {
        let now = Instant::now();
        let spent = nanos(now - self.last);
        if let Some(sum) = self.spent.get_mut(stage as usize) {
            *sum = sum.saturating_add(spent);
        }
        if let Some(recorder) = &self.clock.recorder {
            recorder.sample(self.who, stage, (self.last, spent));
        }
        self.last = now;
    }
    /// Counts the sample.
    pub(super) fn made(self) {
        self.clock.counters.samples.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Lap<'_> {
    fn drop(&mut self) {
        for (sum, spent) in self.clock.counters.stages.iter().zip(self.spent) {
            if spent > 0 {
                sum.fetch_add(spent, Ordering::Relaxed);
            }
        }
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn add(counter: &AtomicU64, since: Instant) -> Duration {
    let time = since.elapsed();
    counter.fetch_add(nanos(time), Ordering::Relaxed);
    time
}

impl Clock {
    pub(super) fn new(recorder: Option<Recorder>) -> Clock {
        Clock { recorder, ..Clock::default() }
    }

    pub(super) fn lap(&self, worker: u16, epoch: u64, sample: u64) -> Lap<'_> {
        Lap { clock: self, who: (worker, epoch, sample), last: Instant::now(), spent: [0; Stage::ALL.len()] }
    }

    pub(super) fn idle(&self, worker: u16, since: Instant) {
        let time = add(&self.counters.idle, since);
        if let Some(recorder) = &self.recorder {
            recorder.wait(worker, (since, nanos(time)), None);
        }
    }
    /// The caller waited for a batch.
    pub(super) fn waited(&self, since: Instant, (epoch, step): (u64, u64)) {
        let time = add(&self.counters.waiting, since);
        if let Some(recorder) = &self.recorder {
            recorder.wait(CALLER, (since, nanos(time)), Some((epoch, step)));
        }
    }

    /// Counts samples that the caller's thread took, who waited for them.
    pub(super) fn lent(&self, since: Instant, samples: usize, at: (u64, u64)) {
        add(&self.counters.stages[Stage::Making as usize], since);
        self.waited(since, at);
        self.counters.samples.fetch_add(samples as u64, Ordering::Relaxed);
    }

    pub(super) fn stats(&self) -> Stats {
        let time = |counter: &AtomicU64| Duration::from_nanos(counter.load(Ordering::Relaxed));
        let [reading, verifying, decoding, making, targets] = self.counters.stages.each_ref().map(time);
        Stats {
            samples: self.counters.samples.load(Ordering::Relaxed),
            reading,
            verifying,
            decoding,
            making,
            targets,
            idle: time(&self.counters.idle),
            waiting: time(&self.counters.waiting),
            ..Stats::default()
        }
    }
}
