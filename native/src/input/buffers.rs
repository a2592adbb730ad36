//! Memory that reading uses again, so that a pass over a large file asks the system for little of it.

use std::{
    hint::black_box,
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, TryLockError},
};

use bytes::Bytes;
use forebay::{Error, Result, error::codes::IO};

/// Bytes that wait to be used again, at most.
const KEPT: usize = 16 << 20;
/// Buffers of more bytes than this are not kept.
const LARGEST: usize = 4 << 20;
/// The same of the buffers of all files, in which columns lie that somebody may keep for long.
const KEPT_OF_ALL: usize = 64 << 20;
/// Sizes are rounded up to a multiple of this, so that one that was given back fits others.
const GRAIN: usize = 16 << 10;
/// What is asked for at once above this may be more than there is.
const DOUBTFUL: usize = 64 << 20;

/// The buffers of one file that nobody uses.
#[derive(Debug)]
pub(super) struct Buffers {
    free: Mutex<Vec<Vec<u8>>>,
    /// How many bytes wait at most, and in buffers of how many at most.
    kept: usize,
    largest: usize,
    /// Whether it outlives all files.
    lasting: bool,
}

impl Default for Buffers {
    fn default() -> Self {
        Buffers { free: Mutex::default(), kept: KEPT, largest: LARGEST, lasting: false }
    }
}

impl Buffers {
    /// Those of all files. New memory costs more than what is read into it from a file that the system has in memory, and
    /// whoever looks at a table a second time has often freed what came the first time.
    pub fn of_all() -> &'static Arc<Self> {
        static ALL: LazyLock<Arc<Buffers>> = LazyLock::new(|| Arc::new(Buffers::lasting()));
        &ALL
    }

    fn lasting() -> Buffers {
        Buffers { free: Mutex::default(), kept: KEPT_OF_ALL, largest: KEPT_OF_ALL / 2, lasting: true }
    }

    /// A buffer of this many bytes, filled by `fill`. It comes back here once nobody has it any more.
    pub fn fill(self: &Arc<Self>, len: usize, fill: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<Bytes> {
        if len > self.largest {
            let mut bytes = cleared(len)?;
            fill(&mut bytes)?;
            return Ok(bytes.into());
        }
        let mut held = Held { bytes: self.take(len)?, len, home: self.clone() };
        fill(&mut held.bytes[..len])?;
        Ok(Bytes::from_owner(held))
    }

    /// The smallest that is large enough and wastes no more than it holds.
    fn take(&self, len: usize) -> Result<Vec<u8>> {
        let waiting = self.free().and_then(|mut free| {
            let fits = free.iter().enumerate().filter(|(_, bytes)| (len..=2 * len + GRAIN).contains(&bytes.len()));
            fits.min_by_key(|(_, bytes)| bytes.len()).map(|(i, _)| i).map(|i| free.swap_remove(i))
        });
        waiting.map_or_else(|| cleared(len.next_multiple_of(GRAIN)), Ok)
    }

    fn give_back(&self, bytes: Vec<u8>) {
        let Some(mut free) = self.free() else { return };
        free.push(bytes);
        let mut sum: usize = free.iter().map(Vec::len).sum();
        while sum > self.kept && !free.is_empty() {
            sum -= free.remove(0).len();
        }
    }

    /// Behind a fork the thread that has it may not be there, so nobody waits for what all share.
    fn free(&self) -> Option<MutexGuard<'_, Vec<Vec<u8>>>> {
        match self.free.try_lock() {
            Ok(free) => Some(free),
            Err(TryLockError::Poisoned(free)) => Some(free.into_inner()),
            Err(TryLockError::WouldBlock) if self.lasting => None,
            Err(TryLockError::WouldBlock) => Some(self.free.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }
}

/// This many zeros, or an error if there is no memory for them, which would end the process otherwise.
fn cleared(len: usize) -> Result<Vec<u8>> {
    if len > DOUBTFUL {
        let mut asked = Vec::<u8>::new();
        // Looked at, so that asking is not left out as needless.
        if let Err(e) = black_box(&mut asked).try_reserve_exact(len) {
            return Err(Error::caused(&IO, format!("there is no memory for {len} bytes"), e));
        }
    }
    let mut bytes = vec![0; len];
    // All of it is about to be read into, and faults of small pages cost as much as reading what the system has in memory.
    crate::map::large_pages(&mut bytes);
    Ok(bytes)
}

/// A buffer that somebody has.
struct Held {
    bytes: Vec<u8>,
    len: usize,
    home: Arc<Buffers>,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.home.give_back(std::mem::take(&mut self.bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(byte: u8) -> impl FnOnce(&mut [u8]) -> Result<()> {
        move |out| {
            out.fill(byte);
            Ok(())
        }
    }

    #[test]
    fn a_buffer_that_was_let_go_is_used_again() {
        let home = Arc::new(Buffers::default());
        let first = home.fill(100_000, with(7)).unwrap();
        let place = first.as_ptr();
        assert!(first.iter().all(|b| *b == 7) && first.len() == 100_000);
        let second = home.fill(100_000, |_| Ok(())).unwrap();
        assert_ne!(second.as_ptr(), place);
        drop(first);
        let third = home.fill(90_000, with(1)).unwrap();
        assert_eq!((third.as_ptr(), third.len()), (place, 90_000));
    }

    #[test]
    fn those_of_all_files_keep_larger_ones_and_wait_for_nobody() {
        let all = Arc::new(Buffers::lasting());
        let kept = || all.free.lock().unwrap().iter().map(Vec::len).collect::<Vec<_>>();
        let large = all.fill(KEPT_OF_ALL / 4, with(3)).unwrap();
        let place = large.as_ptr();
        drop(large);
        assert_eq!(all.fill(KEPT_OF_ALL / 4, |_| Ok(())).unwrap().as_ptr(), place);
        let many: Vec<_> = (0..6).map(|_| all.fill(KEPT_OF_ALL / 3, |_| Ok(())).unwrap()).collect();
        drop(many);
        drop(all.fill(KEPT_OF_ALL / 2 + 1, |_| Ok(())).unwrap());
        assert!(kept().iter().sum::<usize>() <= KEPT_OF_ALL && kept().len() == 2, "{:?}", kept());
        let locked = all.free.lock().unwrap();
        assert_eq!(all.fill(1 << 20, with(5)).unwrap()[..9], [5; 9]);
        assert_eq!(locked.len(), 2);
    }

    #[test]
    fn what_waits_is_bounded() {
        let home = Arc::new(Buffers::default());
        let many: Vec<_> = (0..40).map(|_| home.fill(1 << 20, |_| Ok(())).unwrap()).collect();
        drop(many);
        let kept: usize = home.free.lock().unwrap().iter().map(Vec::len).sum();
        assert!(kept <= KEPT && kept > KEPT / 2, "{kept}");
    }

    #[test]
    fn more_than_there_is_is_an_error() {
        let e = Arc::new(Buffers::default()).fill(usize::MAX / 2, |_| Ok(())).unwrap_err();
        assert_eq!(e.code().id(), "io");
    }
}
