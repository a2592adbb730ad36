//! How much memory decoding may hold at once, over all threads of one piece of work.
//!
//! A picture of a few kilobytes may be one of hundreds of megabytes once it is decoded. Each thread takes a share of a
//! [`Budget`] of about what its picture will cost, and waits until there is room. A picture that costs more than all of it
//! is decoded while nothing else is.

use std::sync::{Condvar, Mutex, PoisonError};

use super::all_cores;

/// Bytes that may be held at once.
#[derive(Debug)]
pub(crate) struct Budget {
    most: u64,
    used: Mutex<u64>,
    freed: Condvar,
}

/// A part of a budget, until it is dropped.
#[derive(Debug)]
pub(crate) struct Share<'a> {
    budget: &'a Budget,
    bytes: u64,
}

/// For each thread: enough for a photograph of 20 megapixels.
const EACH: u64 = 64 << 20;
/// At least for all of them.
const LEAST: u64 = 512 << 20;

/// What this many threads may hold unless they are told otherwise.
pub(crate) fn usual(threads: usize) -> u64 {
    (threads as u64).saturating_mul(EACH).max(LEAST)
}

impl Default for Budget {
    fn default() -> Self {
        Budget::new(usual(all_cores()))
    }
}

impl Budget {
    pub fn new(most: u64) -> Self {
        Budget { most: most.max(1), used: Mutex::new(0), freed: Condvar::new() }
    }

    /// Waits until this many bytes are free. More than there are count as all of them.
    pub fn take(&self, bytes: u64) -> Share<'_> {
        let bytes = bytes.min(self.most);
        // Nothing can panic while the lock is held, so a poisoned one is sound.
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        while *used > self.most - bytes {
            used = self.freed.wait(used).unwrap_or_else(PoisonError::into_inner);
        }
        *used += bytes;
        Share { budget: self, bytes }
    }

    /// Whether buffers of this size are too large to be kept by one of this many threads: what all of them keep is then
    /// no more than the budget.
    pub fn is_much(&self, bytes: u64, threads: usize) -> bool {
        bytes > self.most / (threads.max(1) as u64)
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let mut used = self.budget.used.lock().unwrap_or_else(PoisonError::into_inner);
        *used = used.saturating_sub(self.bytes);
        drop(used);
        if self.bytes > 0 {
            self.budget.freed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicU64, Ordering},
        thread,
    };

    use super::*;

    #[test]
    fn no_more_is_held_than_there_is_and_what_is_larger_is_held_alone() {
        let budget = Budget::new(100);
        let (held, most) = (AtomicU64::new(0), AtomicU64::new(0));
        thread::scope(|scope| {
            for worker in 0..6_u64 {
                let (budget, held, most) = (&budget, &held, &most);
                scope.spawn(move || {
                    for i in 0..200 {
                        let bytes = [0, 1, 30, 60, 100, 5000][((worker + i) % 6) as usize];
                        let share = budget.take(bytes);
                        let now = held.fetch_add(bytes.min(100), Ordering::SeqCst) + bytes.min(100);
                        most.fetch_max(now, Ordering::SeqCst);
                        thread::yield_now();
                        held.fetch_sub(bytes.min(100), Ordering::SeqCst);
                        drop(share);
                    }
                });
            }
        });
        assert!((1..=100).contains(&most.load(Ordering::SeqCst)), "{most:?}");
        assert_eq!(*budget.used.lock().unwrap(), 0);
    }

    #[test]
    fn a_panic_gives_its_share_back() {
        let budget = Budget::new(10);
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _share = budget.take(10);
            panic!("over a sample");
        }));
        assert!(outcome.is_err());
        drop(budget.take(10));
    }
}
