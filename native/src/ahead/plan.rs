//! Which bytes are fetched together, and when.
//!
//! The ranges that samples need come in the order of their use. The first that is not fetched yet takes with it what lies
//! near it and is needed soon: within half of the bytes that may wait. So a shuffle of blocks costs about one request a
//! block, and a full shuffle one a sample.
//!
//! Where nothing waits, as in the beginning, somebody waits for the first batch: what it needs is fetched by itself, in
//! small pieces that come at once. Fetches behind it read over what it took rather than stop there.

use std::{
    collections::{BTreeMap, VecDeque},
    ops::Range,
};

/// A batch: its epoch and step. Later ones are greater.
pub type Turn = (u64, u64);

/// Bytes between two ranges that are fetched with them, since another request would cost as much.
const GAP: u64 = 64 << 10;
/// The most bytes of a fetch of several ranges.
const MOST: u64 = 8 << 20;
/// The same for a batch that is waited for.
const MOST_SOON: u64 = 1 << 20;
/// Ranges beside one that are looked at for others of a batch that is waited for.
const MOST_BESIDE: usize = 64;
/// Ranges that are looked at ahead, however small they are.
const MOST_RANGES: usize = 1 << 16;

/// Bytes to be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// Of which source.
    pub source: usize,
    /// Which bytes.
    pub range: Range<u64>,
    /// The last batch that needs some of them.
    pub last: Turn,
}

#[derive(Debug)]
struct Wanted {
    source: usize,
    range: Range<u64>,
    turn: Turn,
    fetched: bool,
}

/// Plans fetches. It holds no bytes and reads none.
#[derive(Debug)]
pub struct Planner {
    bound: u64,
    gap: u64,
    /// What comes, in order. The first of them has the number `first`.
    coming: VecDeque<Wanted>,
    first: u64,
    /// The first that is not fetched.
    next: u64,
    /// Those that are not fetched, by where they lie.
    places: BTreeMap<(usize, u64, u64), u64>,
    /// Bytes from the first that is not fetched on.
    ahead: u64,
    /// Bytes that were fetched, by the last batch that needs them.
    waiting: BTreeMap<Turn, u64>,
    waits: u64,
    /// The batch that is waited for: nothing was there when it was to be fetched.
    soon: Option<Turn>,
    /// What was fetched for it, and where each ends.
    taken: BTreeMap<(usize, u64), u64>,
}

impl Planner {
    /// Plans with at most this many bytes that wait to be used.
    pub fn new(bound: u64) -> Planner {
        Planner {
            bound,
            gap: GAP,
            coming: VecDeque::new(),
            first: 0,
            next: 0,
            places: BTreeMap::new(),
            ahead: 0,
            waiting: BTreeMap::new(),
            waits: 0,
            soon: None,
            taken: BTreeMap::new(),
        }
    }

    /// With this many bytes between two ranges that are fetched together, at most.
    #[must_use]
    pub fn gap(mut self, bytes: u64) -> Planner {
        self.gap = bytes;
        self
    }

    /// The most bytes that may wait.
    pub fn bound(&self) -> u64 {
        self.bound
    }

    /// Whether it should be told more of what comes, which is so after each fetch again: one that is planned before its
    /// neighbors are known goes without them.
    pub fn is_hungry(&self) -> bool {
        self.ahead < self.bound / 2 && self.places.len() < MOST_RANGES
    }

    /// Says that a batch, none before those that were named, needs a range.
    pub fn want(&mut self, turn: Turn, source: usize, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let number = self.first + self.coming.len() as u64;
        self.places.insert((source, range.start, number), range.end);
        self.ahead += range.end - range.start;
        self.coming.push_back(Wanted { source, range, turn, fetched: false });
    }

    fn at(&mut self, number: u64) -> Option<&mut Wanted> {
        self.coming.get_mut(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    /// What is to be fetched now; none while there is no room, or nothing to fetch.
    pub fn fetch(&mut self) -> Option<Fetch> {
        while self.at(self.next).is_some_and(|wanted| wanted.fetched) {
            self.next += 1;
        }
        let next = self.next;
        let wanted = self.at(next)?;
        let (source, mut range, turn) = (wanted.source, wanted.range.clone(), wanted.turn);
        let mut last = turn;
        if self.waits == 0 {
            self.soon = Some(turn);
            self.taken.clear();
        }
        let soon = self.soon.filter(|soon| *soon == turn);
        // What is needed first is fetched even if it is too much by itself. Otherwise there must be room for neighbors,
        // or else each would be fetched by itself as soon as it fits.
        let (room, most) = (self.bound.saturating_sub(self.waits), MOST.min(self.bound / 8));
        let most = if soon.is_some() { most.min(MOST_SOON) } else { most };
        if self.waits > 0 && room < most.max(range.end - range.start) {
            return None;
        }
        self.take(next, &mut last);
        while let Some((number, joined)) = self.neighbor(source, &range, (most, soon)) {
            self.take(number, &mut last);
            range = joined;
        }
        if soon.is_some() {
            self.taken.insert((source, range.start), range.end);
        }
        let bytes = range.end - range.start;
        *self.waiting.entry(last).or_default() += bytes;
        self.waits += bytes;
        Some(Fetch { source, range, last })
    }

    /// A range that lies near one, and both together: of the batch that is waited for, if one is.
    fn neighbor(
        &self,
        source: usize,
        range: &Range<u64>,
        (most, soon): (u64, Option<Turn>),
    ) -> Option<(u64, Range<u64>)> {
        let joined = |((_, start, number), end): (&(usize, u64, u64), &u64)| {
            let joined = range.start.min(*start)..range.end.max(*end);
            // So little comes in no time, whoever needs it.
            let is_little = joined.end - joined.start <= self.gap;
            let is_of_it = || soon.is_none_or(|soon| self.turn(*number) == Some(soon));
            let fits = joined == *range || (joined.end - joined.start <= most && (is_little || is_of_it()));
            let near = || self.is_near(source, range.end..*start) && self.is_near(source, *end..range.start);
            (fits && near()).then_some((*number, joined))
        };
        let beside = if soon.is_some() { MOST_BESIDE } else { 1 };
        let mut behind = self.places.range((source, range.start, 0)..(source, u64::MAX, u64::MAX)).take(beside);
        let mut before = self.places.range((source, 0, 0)..(source, range.start, 0)).rev().take(beside);
        behind.find_map(joined).or_else(|| before.find_map(joined))
    }

    /// Whether so little lies between two ranges that both are fetched together. What the batch that is waited for took
    /// does not count.
    fn is_near(&self, source: usize, between: Range<u64>) -> bool {
        let len = between.end.saturating_sub(between.start);
        let taken = || -> u64 {
            let inside = self.taken.range((source, between.start)..(source, between.end));
            inside.map(|((_, start), end)| end.min(&between.end).saturating_sub(*start)).sum()
        };
        len <= self.gap || (len <= MOST && len.saturating_sub(taken()) <= self.gap)
    }

    fn turn(&self, number: u64) -> Option<Turn> {
        let at = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.coming.get(at).map(|wanted| wanted.turn)
    }

    /// Marks a range as fetched.
    fn take(&mut self, number: u64, last: &mut Turn) {
        let Some(wanted) = self.at(number) else { return };
        wanted.fetched = true;
        *last = wanted.turn.max(*last);
        let (place, bytes) = ((wanted.source, wanted.range.start, number), wanted.range.end - wanted.range.start);
        self.places.remove(&place);
        self.ahead -= bytes;
    }

    /// Says that a batch and those before it are being made: what was not fetched for them is read as it is needed.
    /// Gives these, each with its source.
    pub fn begun(&mut self, turn: Turn) -> Vec<(usize, Range<u64>)> {
        let mut alone = Vec::new();
        while self.coming.front().is_some_and(|wanted| wanted.turn <= turn) {
            let number = self.first;
            if let Some(wanted) = self.coming.front().filter(|wanted| !wanted.fetched) {
                alone.push((wanted.source, wanted.range.clone()));
                self.take(number, &mut (0, 0));
            }
            self.coming.pop_front();
            self.first += 1;
        }
        self.next = self.next.max(self.first);
        alone
    }

    /// Says that a batch and those before it are made: what only they needed is let go.
    pub fn done(&mut self, turn: Turn) {
        while let Some(entry) = self.waiting.first_entry().filter(|entry| *entry.key() <= turn) {
            self.waits -= entry.remove();
        }
    }

    /// Bytes that were fetched and are not let go.
    pub fn waits(&self) -> u64 {
        self.waits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An epoch of `n` samples of `bytes` bytes in this order, 10 a batch, two batches at a time; the fetches, and what had
    /// to be read by itself.
    fn epoch(bound: u64, bytes: u64, order: &[u64]) -> (Vec<Fetch>, u64) {
        let mut planner = Planner::new(bound);
        let (mut fetches, mut alone, mut told) = (Vec::new(), 0, 0);
        let batches: Vec<&[u64]> = order.chunks(10).collect();
        for step in 0..batches.len() {
            if let Some(before) = step.checked_sub(2) {
                planner.done((0, before as u64));
            }
            loop {
                while planner.is_hungry() && told < batches.len() {
                    for sample in batches[told] {
                        planner.want((0, told as u64), 0, sample * bytes..(sample + 1) * bytes);
                    }
                    told += 1;
                }
                let Some(fetch) = planner.fetch() else { break };
                fetches.push(fetch);
                assert!(planner.waits() <= bound.max(bytes), "{} of {bound}", planner.waits());
            }
            alone += planner.begun((0, step as u64)).len() as u64;
            // What it did not know yet is read by itself too.
            alone += if told <= step { batches[step].len() as u64 } else { 0 };
            told = told.max(step + 1);
        }
        planner.done((1, 0));
        assert_eq!(planner.waits(), 0);
        (fetches, alone)
    }

    /// Every byte of the order is fetched for the batch that needs it, or read alone.
    fn covers(fetches: &[Fetch], bytes: u64, order: &[u64]) -> u64 {
        let mut lacking = 0;
        for (k, sample) in order.iter().enumerate() {
            let (turn, range) = ((0, k as u64 / 10), sample * bytes..(sample + 1) * bytes);
            let has = |f: &Fetch| f.last >= turn && f.range.start <= range.start && range.end <= f.range.end;
            lacking += u64::from(!fetches.iter().any(has));
        }
        lacking
    }

    /// The numbers below n in another order.
    fn shuffled(n: u64, key: u64) -> Vec<u64> {
        let order = forebay::order::Permutation::new(n, key);
        (0..n).map(|k| order.at(k)).collect()
    }

    #[test]
    fn neighbors_in_order_are_few_requests_and_scattered_ones_are_one_each() {
        let straight: Vec<u64> = (0..1000).collect();
        let (fetches, alone) = epoch(64 << 20, 100_000, &straight);
        assert_eq!((alone, covers(&fetches, 100_000, &straight)), (0, 0));
        assert!(fetches.len() <= 14, "{}", fetches.len());
        let all = fetches.iter().map(|f| f.range.end - f.range.start).sum::<u64>();
        assert_eq!(all, 100_000_000);
        let scattered: Vec<u64> = shuffled(1000, 7).iter().map(|sample| sample * 50).collect();
        let (fetches, alone) = epoch(64 << 20, 100_000, &scattered);
        assert_eq!((fetches.len(), alone, covers(&fetches, 100_000, &scattered)), (1000, 0, 0));
    }

    #[test]
    fn a_shuffle_of_blocks_costs_about_a_request_a_block() {
        let mut order = Vec::new();
        // Windows of 16 blocks of 64.
        for window in shuffled(4, 1).chunks(1) {
            let inside = shuffled(1024, window[0]);
            order.extend(inside.iter().map(|k| window[0] * 1024 + k));
        }
        let (fetches, alone) = epoch(256 << 20, 100_000, &order);
        assert_eq!((alone, covers(&fetches, 100_000, &order)), (0, 0));
        assert!(fetches.len() < 80, "{}", fetches.len());
    }

    #[test]
    fn the_first_batch_comes_alone_and_what_follows_reads_over_it() {
        // A window of 16 blocks of 64, of which each batch needs samples here and there.
        let order = shuffled(1024, 5);
        let mut planner = Planner::new(256 << 20);
        for (step, batch) in order.chunks(64).enumerate() {
            let bytes = |sample: &u64| sample * 100_000..(sample + 1) * 100_000;
            batch.iter().for_each(|sample| planner.want((0, step as u64), 0, bytes(sample)));
        }
        let fetches: Vec<Fetch> = std::iter::from_fn(|| planner.fetch()).collect();
        let (soon, later): (Vec<_>, Vec<_>) = fetches.iter().partition(|fetch| fetch.last == (0, 0));
        let bytes = |fetches: &[&Fetch]| fetches.iter().map(|f| f.range.end - f.range.start).sum::<u64>();
        assert_eq!(bytes(&soon), 6_400_000);
        assert!(soon.iter().all(|fetch| fetch.range.end - fetch.range.start <= MOST_SOON));
        // All else, with what it took read again rather than left out.
        assert!(later.len() <= 24, "{}", later.len());
        assert!((95_000_000..=102_400_000).contains(&bytes(&later)), "{}", bytes(&later));
        assert!(fetches.iter().take(soon.len()).all(|fetch| fetch.last == (0, 0)));
    }

    #[test]
    fn a_bound_that_is_too_small_reads_more_and_never_stops() {
        let order = shuffled(500, 3);
        for bound in [0, 1, 99_999, 100_000, 1 << 20] {
            let (fetches, alone) = epoch(bound, 100_000, &order);
            assert!(covers(&fetches, 100_000, &order) <= alone, "{bound}");
        }
    }

    #[test]
    fn the_same_sample_again_is_one_fetch() {
        let order = [5; 30];
        let (fetches, alone) = epoch(1 << 20, 1000, &order);
        assert_eq!((fetches.len(), alone), (1, 0));
        assert_eq!(fetches[0].last, (0, 2));
    }
}
