//! Where the time went.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

/// What a loader has done so far, in all epochs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Samples made, those of batches that nobody took included.
    pub samples: u64,
    /// Workers' time for reading: finding, verifying, decompressing, labels.
    pub reading: Duration,
    /// Workers' time for decoding, and for waiting until there is memory for it.
    pub decoding: Duration,
    /// Workers' time for transforming, or in a function of the user's.
    pub making: Duration,
    /// Workers' time without work.
    pub idle: Duration,
    /// The caller's time in `next_batch`: waiting for workers, or doing their work where there are none.
    pub waiting: Duration,
    /// The time that opening, proving and reading a warehouse's shards took when the loader was built.
    pub opening: Duration,
}

/// Adds up times; padded, so that counters do not share a line with what every thread reads.
#[derive(Debug, Default)]
pub(super) struct Clock(crossbeam_utils::CachePadded<Counters>);

#[derive(Debug, Default)]
struct Counters {
    samples: AtomicU64,
    reading: AtomicU64,
    decoding: AtomicU64,
    making: AtomicU64,
    idle: AtomicU64,
    waiting: AtomicU64,
}

fn add(counter: &AtomicU64, since: Instant) -> Instant {
    let now = Instant::now();
    let nanos = u64::try_from((now - since).as_nanos()).unwrap_or(u64::MAX);
    counter.fetch_add(nanos, Ordering::Relaxed);
    now
}

impl Clock {
    pub(super) fn idle(&self, since: Instant) {
        add(&self.0.idle, since);
    }
    pub(super) fn waited(&self, since: Instant) {
        add(&self.0.waiting, since);
    }
    /// Counts reading and says when it ended.
    pub(super) fn read(&self, since: Instant) -> Instant {
        add(&self.0.reading, since)
    }
    /// Counts decoding and says when it ended.
    pub(super) fn decoded(&self, since: Instant) -> Instant {
        add(&self.0.decoding, since)
    }
    pub(super) fn made(&self, since: Instant) {
        add(&self.0.making, since);
        self.0.samples.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn stats(&self) -> Stats {
        let time = |counter: &AtomicU64| Duration::from_nanos(counter.load(Ordering::Relaxed));
        Stats {
            samples: self.0.samples.load(Ordering::Relaxed),
            reading: time(&self.0.reading),
            decoding: time(&self.0.decoding),
            making: time(&self.0.making),
            idle: time(&self.0.idle),
            waiting: time(&self.0.waiting),
            opening: Duration::ZERO,
        }
    }
}
