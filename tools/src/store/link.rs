//! How long bytes take, and which answers fail.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread::sleep,
    time::{Duration, Instant},
};

/// What a link may send at once that has sent nothing for a while: a thread that was to sleep sleeps a little longer.
const BURST: Duration = Duration::from_millis(5);

/// One link that all connections share. Bytes that go and bytes that come are not in each other's way.
#[derive(Debug, Default)]
pub(super) struct Link {
    set: Mutex<Set>,
    /// Until when each way is taken.
    out: Mutex<Option<Instant>>,
    back: Mutex<Option<Instant>>,
    pub counts: Counts,
}

/// What was set.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Set {
    /// How long nothing of an answer is sent.
    pub latency: Duration,
    /// Bits a second; as many as come if not set.
    pub bits: Option<f64>,
    /// Of that many answers one is 503 SlowDown; and of that many one breaks off in its middle.
    pub fail: Option<u64>,
    pub reset: Option<u64>,
}

/// What was answered since it was set.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub requests: AtomicU64,
    pub bytes: AtomicU64,
    /// Bytes that were written.
    pub received: AtomicU64,
    pub failed: AtomicU64,
    pub reset: AtomicU64,
    pub now: AtomicU64,
    pub most: AtomicU64,
}

impl Counts {
    fn clear(&self) {
        for count in [&self.requests, &self.bytes, &self.received, &self.failed, &self.reset, &self.most] {
            count.store(0, Relaxed);
        }
    }
}

/// How an answer goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    SlowDown,
    Reset,
}

/// One of `n` by number, in no pattern that meets another's.
fn one_of(number: u64, n: Option<u64>, key: u64) -> bool {
    let mixed = (number ^ key).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    n.is_some_and(|n| n > 0 && (mixed >> 33).is_multiple_of(n))
}

impl Link {
    pub fn set(&self, set: Set) {
        *self.set.lock().unwrap_or_else(PoisonError::into_inner) = set;
        self.counts.clear();
    }

    fn now_set(&self) -> Set {
        *self.set.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits as long as an answer takes to begin, and says whether it goes wrong.
    pub fn begin(&self) -> Option<Fault> {
        let set = self.now_set();
        let number = self.counts.requests.fetch_add(1, Relaxed);
        self.counts.most.fetch_max(self.counts.now.fetch_add(1, Relaxed) + 1, Relaxed);
        sleep(set.latency);
        match () {
            () if one_of(number, set.fail, 1) => Some(Fault::SlowDown),
            () if one_of(number, set.reset, 2) => Some(Fault::Reset),
            () => None,
        }
    }

    pub fn end(&self) {
        self.counts.now.fetch_sub(1, Relaxed);
    }

    /// Waits until the link has carried that many bytes to who reads.
    pub fn carry(&self, bytes: u64) {
        self.counts.bytes.fetch_add(bytes, Relaxed);
        self.pass(&self.out, bytes);
    }

    /// Waits until the link has brought that many bytes from who writes.
    pub fn bring(&self, bytes: u64) {
        self.counts.received.fetch_add(bytes, Relaxed);
        self.pass(&self.back, bytes);
    }

    fn pass(&self, taken: &Mutex<Option<Instant>>, bytes: u64) {
        let Some(bits) = self.now_set().bits else { return };
        let takes = Duration::from_secs_f64(bytes as f64 * 8.0 / bits);
        let now = Instant::now();
        let until = {
            let mut taken = taken.lock().unwrap_or_else(PoisonError::into_inner);
            let earliest = now.checked_sub(BURST).unwrap_or(now);
            let until = taken.filter(|taken| *taken > earliest).unwrap_or(earliest) + takes;
            *taken = Some(until);
            until
        };
        sleep(until.saturating_duration_since(now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_go_wrong_as_are_to() {
        let fives = (0..100_000).filter(|&i| one_of(i, Some(20), 1)).count();
        let ones = (0..100_000).filter(|&i| one_of(i, Some(100), 2)).count();
        assert!((4700..5300).contains(&fives) && (900..1100).contains(&ones), "{fives} {ones}");
        assert!(!one_of(0, None, 1) && !one_of(0, Some(0), 1));
    }
}
