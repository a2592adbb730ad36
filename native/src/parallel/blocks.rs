//! Work over all samples of a dataset, a block of them at a time on every core.

use std::{
    ops::Range,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use forebay::Result;

use super::all_cores;

/// Samples in a block: enough that a thread's turn costs nothing, few enough that all cores end together.
const BLOCK: u64 = 8192;

/// What `work` makes of each block of `0..n`, in the order of the blocks. Where blocks fail, the first of them says why,
/// whatever the threads did. Few samples are worked on here and now, without a thread.
pub(crate) fn in_blocks<T: Send>(n: u64, work: impl Fn(Range<u64>) -> Result<T> + Sync) -> Result<Vec<T>> {
    in_blocks_of(BLOCK, all_cores(), n, work)
}

/// The same in blocks of this many samples, on at most this many threads.
pub(crate) fn in_blocks_of<T: Send>(
    size: u64,
    threads: usize,
    n: u64,
    work: impl Fn(Range<u64>) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let count = n.div_ceil(size);
    let block = |i: u64| work(i * size..n.min((i + 1) * size));
    let threads = threads.min(usize::try_from(count).unwrap_or(usize::MAX));
    if threads <= 1 {
        return (0..count).map(block).collect();
    }
    let (next, made) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    let turns = || {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            if i >= count {
                return;
            }
            let outcome = block(i);
            if outcome.is_err() {
                // Blocks before this one are being worked on already; none behind it is needed.
                next.store(count, Ordering::Relaxed);
            }
            made.lock().unwrap_or_else(PoisonError::into_inner).push((i, outcome));
        }
    };
    thread::scope(|scope| {
        for number in 1..threads {
            // If the system has no thread to give, those that there are do all of it.
            let _ = thread::Builder::new().name(format!("forebay-scan-{number}")).spawn_scoped(scope, turns);
        }
        turns();
    });
    let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
    made.sort_unstable_by_key(|(i, _)| *i);
    made.into_iter().map(|(_, outcome)| outcome).collect()
}

#[cfg(test)]
mod tests {
    use forebay::{Error, error::codes};

    use super::*;

    #[test]
    fn blocks_come_in_order_and_cover_everything_once() {
        for n in [0, 1, BLOCK, BLOCK + 1, 20 * BLOCK - 1] {
            let ranges = in_blocks(n, Ok).unwrap();
            assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
            assert_eq!((ranges.first().map_or(0, |r| r.start), ranges.last().map_or(0, |r| r.end)), (0, n));
        }
    }

    #[test]
    fn the_first_block_that_fails_says_why() {
        for _ in 0..50 {
            let fail = |range: Range<u64>| match range.start / BLOCK {
                3 | 4 | 9 => Err(Error::new(&codes::ARGUMENT, "no").sample(range.start / BLOCK)),
                _ => Ok(()),
            };
            assert_eq!(in_blocks(12 * BLOCK, fail).unwrap_err().place().sample, Some(3));
        }
    }
}
