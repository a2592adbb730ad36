//! The next batch for a host that has more to do than to wait for it.

use std::time::{Duration, Instant};

use forebay::Result;

use super::{Batch, Loader, Phase};

impl Loader {
    /// Waits for the next batch, but no longer than this; false where it is not there yet. After true
    /// [`next_batch`](Self::next_batch) answers at once, with an error too. For a host that has to look up now and then,
    /// to hear a signal.
    pub fn ready_within(&mut self, most: Duration) -> bool {
        if self.phase == Phase::Stopped || self.shared.by_caller || self.refuse_empty().is_err() || self.run().is_err()
        {
            return true;
        }
        let _ = self.fill();
        let Some(flight) = self.flights.front().filter(|flight| flight.epoch == self.next.epoch).cloned() else {
            return true;
        };
        self.wait(&flight, Instant::now().checked_add(most)).unwrap_or(true)
    }

    /// The next batch as [`next_batch`](Self::next_batch) gives it; nothing where it is not there after this long. To ask
    /// [`ready_within`](Self::ready_within) first does half of the work twice.
    #[doc(hidden)]
    pub fn next_within(&mut self, most: Duration) -> Result<Option<Option<Batch>>> {
        self.next_until(Instant::now().checked_add(most))
    }

    /// True if the next batch is there already, so that asking for it takes microseconds.
    #[doc(hidden)]
    #[must_use]
    pub fn is_at_hand(&self) -> bool {
        let front = self.flights.front();
        self.phase != Phase::Stopped && front.is_some_and(|flight| flight.epoch == self.next.epoch && flight.is_done())
    }
}
