//! Reading on from where it ended: who reads from front to back gets the bytes out of large pieces that are fetched ahead.
//!
//! A read that begins where the last one ended, or a little behind that, belongs to a run. The pieces of a run grow as
//! long as it goes on, and once it has gone on for long they are asked for before anybody wants them. Reads here and
//! there are no runs: they get what they ask for and no more.

use std::{
    collections::VecDeque,
    ops::Range,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use bytes::Bytes;

use super::plan::{GAP, TOGETHER};

/// The first piece of a run, and the largest.
const FIRST: u64 = 256 << 10;
const MOST: u64 = TOGETHER;

/// From pieces of this size on, others are asked for ahead: as many of the size as keep a link of 1 Gb/s busy for 200 ms.
const PROVEN: u64 = 1 << 20;
const AHEAD: u64 = 3;

/// Runs that a source remembers: payloads and metadata, and columns that are read side by side.
const RUNS: usize = 8;

/// The most bytes in all pieces of this process; when there are as many, nothing more is asked for ahead.
const MOST_HELD: u64 = 256 << 20;
static HELD: AtomicU64 = AtomicU64::new(0);

/// Bytes that are on their way, or here.
#[derive(Debug)]
pub(super) struct Piece {
    pub range: Range<u64>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
enum State {
    Coming,
    Here(Bytes),
    /// Whoever wanted it asks for itself, and hears why.
    Failed,
}

impl Piece {
    fn new(range: Range<u64>) -> Arc<Piece> {
        HELD.fetch_add(range.end - range.start, Relaxed);
        Arc::new(Piece { range, state: Mutex::new(State::Coming), changed: Condvar::new() })
    }

    /// Says what came of it.
    pub fn fill(&self, came: Option<Bytes>) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = came.map_or(State::Failed, State::Here);
        self.changed.notify_all();
    }

    /// Waits for it; nothing if it did not come.
    pub fn wait(&self) -> Option<Bytes> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match &*state {
                State::Here(bytes) => return Some(bytes.clone()),
                State::Failed => return None,
                State::Coming => {
                    let waited = self.changed.wait_timeout(state, Duration::from_secs(1));
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
    }

    pub fn has_failed(&self) -> bool {
        matches!(*self.state.lock().unwrap_or_else(PoisonError::into_inner), State::Failed)
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        HELD.fetch_sub(self.range.end - self.range.start, Relaxed);
    }
}

/// What to do for a read.
#[derive(Debug, Default)]
pub(super) struct Look {
    /// The pieces that together hold it, in order; none if it is to be asked for by itself.
    pub pieces: Vec<Arc<Piece>>,
    /// Pieces that are to be fetched now, some of them for later.
    pub begin: Vec<Arc<Piece>>,
}

/// The runs of one source.
#[derive(Debug, Default)]
pub(super) struct Runs {
    /// The last used is last.
    runs: VecDeque<Run>,
}

#[derive(Debug)]
struct Run {
    /// Where the last read ended.
    next: u64,
    size: u64,
    /// One after the other.
    pieces: VecDeque<Arc<Piece>>,
}

impl Run {
    fn front(&self) -> u64 {
        self.pieces.back().map_or(self.next, |piece| piece.range.end)
    }
    fn back(&self) -> u64 {
        self.pieces.front().map_or(self.next, |piece| piece.range.start)
    }
    fn takes(&self, start: u64) -> bool {
        self.back() <= start && start <= self.front().saturating_add(GAP)
    }

    /// Adds pieces until they reach `end`.
    fn reach(&mut self, mut from: u64, end: u64, begin: &mut Vec<Arc<Piece>>) {
        while from < end {
            let piece = Piece::new(from..end.min(from + MOST));
            from = piece.range.end;
            begin.push(piece.clone());
            self.pieces.push_back(piece);
        }
    }
}

impl Runs {
    /// What to do for a read of these bytes of a file of `len`.
    pub fn look(&mut self, range: &Range<u64>, len: u64) -> Look {
        // What failed on its way is asked for again by whoever wants it.
        self.runs.iter_mut().filter(|run| run.pieces.iter().any(|p| p.has_failed())).for_each(|run| run.pieces.clear());
        let Some(at) = self.runs.iter().rposition(|run| run.takes(range.start)) else {
            if self.runs.len() >= RUNS {
                self.runs.pop_front();
            }
            self.runs.push_back(Run { next: range.end, size: 0, pieces: VecDeque::new() });
            return Look::default();
        };
        let Some(mut run) = self.runs.remove(at) else { return Look::default() };
        let mut look = Look::default();
        let front = run.front();
        if range.end > front {
            run.size = (run.size * 2).max(range.end - range.start).clamp(FIRST, MOST);
            // Pieces stay one after the other: what lies between is less than another request would cost.
            let from = if run.pieces.is_empty() { range.start } else { front };
            let end = range.end.max(from.saturating_add(run.size)).min(len);
            run.reach(from, end, &mut look.begin);
        }
        run.next = run.next.max(range.end);
        let wanted = run.next.saturating_add(AHEAD * run.size).min(len);
        // What is asked for ahead comes in whole pieces.
        let lacking = wanted.saturating_sub(run.front());
        if run.size >= PROVEN && (lacking >= run.size || wanted == len) && HELD.load(Relaxed) < MOST_HELD {
            let from = run.front();
            run.reach(from, wanted, &mut look.begin);
            run.size = (run.size * 2).min(MOST);
        }
        // Threads that work side by side read a little behind the foremost.
        while run.pieces.front().is_some_and(|piece| piece.range.end.saturating_add(run.size) <= range.start) {
            run.pieces.pop_front();
        }
        let inside = |piece: &&Arc<Piece>| piece.range.start < range.end && range.start < piece.range.end;
        look.pieces = run.pieces.iter().filter(inside).cloned().collect();
        // Nobody reads on behind the end, and many files that were read to theirs hold nothing.
        if run.next < len {
            self.runs.push_back(run);
        }
        look
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEN: u64 = 1 << 30;

    /// What is fetched for these reads, each of which must be held by its pieces or stand alone.
    fn fetched(runs: &mut Runs, reads: impl IntoIterator<Item = Range<u64>>) -> (Vec<Range<u64>>, usize) {
        let (mut all, mut alone) = (Vec::new(), 0);
        for read in reads {
            let look = runs.look(&read, LEN);
            look.begin.iter().for_each(|piece| piece.fill(Some(Bytes::new())));
            all.extend(look.begin.iter().map(|piece| piece.range.clone()));
            if look.pieces.is_empty() {
                alone += 1;
                all.push(read);
                continue;
            }
            let (first, last) = (&look.pieces[0], &look.pieces[look.pieces.len() - 1]);
            assert!(first.range.start <= read.start && read.end <= last.range.end, "{read:?} {:?}", look.pieces);
            assert!(look.pieces.windows(2).all(|pair| pair[0].range.end == pair[1].range.start));
        }
        (all, alone)
    }

    #[test]
    fn reading_on_takes_pieces_that_grow_and_are_asked_for_ahead() {
        let mut runs = Runs::default();
        let (all, alone) = fetched(&mut runs, (0..2000).map(|i| i * 50_000..(i + 1) * 50_000));
        assert_eq!(alone, 1);
        assert!(all.len() < 40, "{}", all.len());
        assert!(all.iter().all(|piece| piece.end - piece.start <= MOST));
        let mut sorted = all.clone();
        sorted.sort_by_key(|piece| piece.start);
        assert!(sorted.windows(2).all(|pair| pair[0].end == pair[1].start), "nothing twice: {sorted:?}");
        assert!(sorted.last().unwrap().end <= 100_000_000 + (AHEAD + 1) * MOST);
    }

    #[test]
    fn reading_here_and_there_takes_what_is_asked_for() {
        let reads: Vec<_> = (0..500).map(|i| (i * 7919 % 500) * 2_000_000).map(|at| at..at + 100_000).collect();
        let (all, alone) = fetched(&mut Runs::default(), reads.clone());
        assert_eq!((all, alone), (reads, 500));
    }

    #[test]
    fn two_threads_that_read_in_turn_share_a_run() {
        let swapped = (0..1000_u64).map(|i| i ^ 1).map(|i| i * 100_000..(i + 1) * 100_000);
        let (all, alone) = fetched(&mut Runs::default(), swapped);
        assert!(alone <= 3 && all.len() < 40, "{alone} {}", all.len());
    }

    #[test]
    fn jumps_over_payloads_are_read_through() {
        // The headers of an archive of files of 300 kB.
        let (all, _) = fetched(&mut Runs::default(), (0..500).map(|i| i * 300_000..i * 300_000 + 512));
        assert!(all.len() < 60, "{}", all.len());
    }

    #[test]
    fn what_failed_is_asked_for_again() {
        let mut runs = Runs::default();
        runs.look(&(0..10), LEN);
        let look = runs.look(&(10..20), LEN);
        assert_eq!(look.begin.len(), 1);
        look.begin[0].fill(None);
        assert!(look.pieces[0].wait().is_none());
        assert_eq!(runs.look(&(20..30), LEN).begin.len(), 1);
    }

    #[test]
    fn a_file_that_was_read_to_its_end_holds_nothing() {
        let mut runs = Runs::default();
        let pieces: Vec<_> = (0..20).flat_map(|i| runs.look(&(i * MOST..(i + 1) * MOST), MOST * 20).pieces).collect();
        assert!(pieces.len() >= 19 && pieces.iter().all(|piece| Arc::strong_count(piece) == 1));
    }
}
