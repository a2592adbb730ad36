//! Memory that reading uses again, so that a pass over a large file asks the system for little of it.

use std::{
    hint::black_box,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use forebay::{Error, Result, error::codes::IO};

/// Bytes that wait to be used again, at most.
const KEPT: usize = 16 << 20;
/// Buffers of more bytes than this are not kept.
const LARGEST: usize = 4 << 20;
/// Sizes are rounded up to a multiple of this, so that one that was given back fits others.
const GRAIN: usize = 16 << 10;
/// What is asked for at once above this may be more than there is.
const DOUBTFUL: usize = 64 << 20;

/// The buffers of one file that nobody uses.
#[derive(Debug, Default)]
pub(super) struct Buffers(Mutex<Vec<Vec<u8>>>);

impl Buffers {
    /// A buffer of this many bytes, filled by `fill`. It comes back here once nobody has it any more.
    pub fn fill(self: &Arc<Self>, len: usize, fill: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<Bytes> {
        if len > LARGEST {
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
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = free.iter().enumerate().filter(|(_, bytes)| (len..=2 * len + GRAIN).contains(&bytes.len()));
        match fits.min_by_key(|(_, bytes)| bytes.len()).map(|(i, _)| i) {
            Some(i) => Ok(free.swap_remove(i)),
            None => {
                drop(free);
                cleared(len.next_multiple_of(GRAIN))
            }
        }
    }

    fn give_back(&self, bytes: Vec<u8>) {
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        free.push(bytes);
        let mut sum: usize = free.iter().map(Vec::len).sum();
        while sum > KEPT && !free.is_empty() {
            sum -= free.remove(0).len();
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
    fn what_waits_is_bounded() {
        let home = Arc::new(Buffers::default());
        let many: Vec<_> = (0..40).map(|_| home.fill(1 << 20, |_| Ok(())).unwrap()).collect();
        drop(many);
        let kept: usize = home.0.lock().unwrap().iter().map(Vec::len).sum();
        assert!(kept <= KEPT && kept > KEPT / 2, "{kept}");
    }

    #[test]
    fn more_than_there_is_is_an_error() {
        let e = Arc::new(Buffers::default()).fill(usize::MAX / 2, |_| Ok(())).unwrap_err();
        assert_eq!(e.code().id(), "io");
    }
}
