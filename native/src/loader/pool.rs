//! Memory for batches: aligned, split among workers while it is filled, and used again.
//!
//! A batch's memory is one [`BytesMut`]. It is split into slots that workers own while they write, and joined again,
//! which costs a comparison of pointers: many threads write one buffer without `unsafe` and without copying.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::BytesMut;

/// Every batch begins at a multiple of this many bytes: a cache line, the widest vector register, what DLPack asks.
pub const ALIGNMENT: usize = 64;

/// Buffers of one size that wait to be used again.
#[derive(Debug)]
pub(super) struct Pool {
    bytes: usize,
    /// How many may wait; others are freed.
    most: usize,
    free: Mutex<Vec<BytesMut>>,
}

impl Pool {
    pub(super) fn new(bytes: usize, most: usize) -> Self {
        Pool { bytes, most, free: Mutex::default() }
    }

    /// A buffer of the pool's size. Its content is what it last held, or zeros.
    pub(super) fn take(&self) -> BytesMut {
        lock(&self.free).pop().unwrap_or_else(|| aligned(self.bytes))
    }

    /// Gives a buffer back. What is not whole is freed.
    pub(super) fn give(&self, buffer: BytesMut) {
        if buffer.is_empty() {
            return;
        }
        let mut free = lock(&self.free);
        if buffer.len() == self.bytes && free.len() < self.most {
            free.push(buffer);
        }
    }
}

/// The lock is held for moments in which nothing can panic, so a poisoned one is sound.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn aligned(bytes: usize) -> BytesMut {
    if bytes == 0 {
        return BytesMut::new();
    }
    let mut buffer = BytesMut::zeroed(bytes + ALIGNMENT);
    let lead = buffer.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
    drop(buffer.split_to(lead));
    crate::map::large_pages(&mut buffer);
    // Split and not truncated, so that what remains ends where its capacity does.
    drop(buffer.split_off(bytes));
    buffer
}

/// Joins what was split. Pieces that do not follow each other in memory would be copied; none here are.
pub(super) fn join(pieces: impl IntoIterator<Item = BytesMut>) -> BytesMut {
    let mut whole = BytesMut::new();
    for piece in pieces {
        if whole.is_empty() {
            whole = piece;
        } else {
            whole.unsplit(piece);
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_split_and_joined_is_the_same_aligned_memory() {
        let pool = Pool::new(1000, 2);
        let mut buffer = pool.take();
        let start = buffer.as_ptr();
        assert_eq!((start.align_offset(ALIGNMENT), buffer.len()), (0, 1000));
        for round in 0..3_u8 {
            let mut pieces: Vec<BytesMut> = (0..9).map(|_| buffer.split_to(100)).collect();
            pieces.push(buffer);
            pieces.iter_mut().enumerate().for_each(|(i, piece)| piece.fill(i as u8 + round));
            buffer = join(pieces);
            assert_eq!((buffer.as_ptr(), buffer.len()), (start, 1000));
            assert!(buffer.chunks(100).enumerate().all(|(i, c)| c.iter().all(|b| *b == i as u8 + round)));
        }
        pool.give(buffer);
        assert_eq!(pool.take().as_ptr(), start, "the same buffer comes again");
    }

    #[test]
    fn only_whole_buffers_wait_and_only_so_many() {
        let pool = Pool::new(100, 1);
        let (a, b, mut c) = (pool.take(), pool.take(), pool.take());
        drop(c.split_to(10));
        pool.give(c);
        assert_eq!(lock(&pool.free).len(), 0);
        pool.give(a);
        pool.give(b);
        assert_eq!(lock(&pool.free).len(), 1);
        assert!(Pool::new(0, 1).take().is_empty());
    }
}
