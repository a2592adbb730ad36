//! A loader's way through its epochs, without a loader: what is fetched ahead, and when, by the calls that a loader makes
//! in the order in which it makes them. So what an epoch costs can be said, and simulated, before it is read.

use std::{
    collections::{BTreeMap, VecDeque},
    ops::Range,
};

use forebay::{
    Result,
    order::{Item, Order, Position},
};

use super::{Fetch, Planner, Turn};

/// Where samples lie: the source, and the bytes of it that are read.
pub type Lies<'a> = dyn FnMut(&Item) -> Option<(usize, Range<u64>)> + 'a;

/// Ranges, each with its source.
pub type Reads = Vec<(usize, Range<u64>)>;

/// What a loader does when it is asked for a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// What is fetched ahead from now on, in this order.
    pub fetches: Vec<Fetch>,
    /// Batches that are begun, with the ranges that each needs.
    pub begun: Vec<(Turn, Reads)>,
    /// Ranges of these that nothing was fetched ahead for, so that whoever makes the batch reads them.
    pub alone: Vec<(Turn, usize, Range<u64>)>,
    /// Samples that are files of their own, which are read by themselves.
    pub files: u64,
}

/// The way of one rank.
#[derive(Debug)]
pub struct Walk<'a> {
    order: &'a Order,
    rank: u64,
    /// Batches that are made at once.
    prefetch: u64,
    planner: Planner,
    /// The batch that the planner is told next.
    told: Position,
    /// The batch that is begun next.
    ahead: Position,
    /// The batch that is given next.
    next: Position,
    /// Batches that are begun and not given.
    flights: VecDeque<Turn>,
    /// The ranges of those that were told and are not begun.
    needs: BTreeMap<Turn, Reads>,
    /// Whether an epoch was ended, and the one behind it begun: only then is one begun before its time.
    goes_on: bool,
}

fn turn(at: Position) -> Turn {
    (at.epoch, at.step)
}

impl<'a> Walk<'a> {
    /// A rank's way from a batch on, with this many batches made at once.
    pub fn new(order: &'a Order, (rank, from): (u64, Position), prefetch: u64, planner: Planner) -> Walk<'a> {
        Walk {
            order,
            rank,
            prefetch,
            planner,
            told: from,
            ahead: from,
            next: from,
            flights: VecDeque::new(),
            needs: BTreeMap::new(),
            goes_on: false,
        }
    }

    /// The batch that is given next.
    pub fn position(&self) -> Position {
        self.next
    }

    /// Whether every batch of the epoch was given, so that [`end_epoch`](Self::end_epoch) is next.
    pub fn is_at_end(&self) -> bool {
        self.flights.front().is_none_or(|flight| flight.0 != self.next.epoch)
    }

    /// What the loader does before it waits for the next batch, and once more when it has given one.
    pub fn fill(&mut self, lies: &mut Lies<'_>) -> Result<Asked> {
        let mut asked = Asked::default();
        if self.planner.bound() > 0 {
            loop {
                self.tell(lies, &mut asked)?;
                let Some(fetch) = self.planner.fetch() else { break };
                asked.fetches.push(fetch);
            }
        }
        self.begin(self.next.epoch, lies, &mut asked)?;
        if !self.goes_on {
            return Ok(asked);
        }
        let following = self.next.epoch.saturating_add(1);
        if (self.flights.len() as u64) < self.prefetch && self.ahead.epoch == self.next.epoch {
            self.ahead = Position { epoch: following, step: 0 };
        }
        self.begin(following, lies, &mut asked)?;
        Ok(asked)
    }

    /// The next batch is given. Which it was, unless the epoch is at its end.
    pub fn give(&mut self) -> Option<Turn> {
        let flight = self.flights.pop_front_if(|flight| flight.0 == self.next.epoch)?;
        self.next.step = flight.1.saturating_add(1);
        self.planner.done(flight);
        Some(flight)
    }

    /// Goes on with the next epoch.
    pub fn end_epoch(&mut self) {
        self.goes_on = true;
        self.next = Position { epoch: self.next.epoch.saturating_add(1), step: 0 };
        if self.ahead.epoch < self.next.epoch {
            self.ahead = self.next;
        }
    }

    fn ranges(&self, at: Position, lies: &mut Lies<'_>, files: &mut u64) -> Result<Reads> {
        let mut ranges = Vec::new();
        for item in self.order.epoch(at.epoch)?.batch(at.step, self.rank) {
            match lies(&item) {
                Some(range) => ranges.push(range),
                None => *files += 1,
            }
        }
        Ok(ranges)
    }

    fn tell(&mut self, lies: &mut Lies<'_>, asked: &mut Asked) -> Result<()> {
        let (now, steps) = (self.next.epoch, self.order.steps());
        while self.planner.is_hungry() {
            if self.told.epoch > now && (!self.goes_on || self.told.step >= self.prefetch) {
                break;
            }
            if self.told.step >= steps {
                if self.told.epoch > now || steps == 0 {
                    break;
                }
                self.told = Position { epoch: self.told.epoch.saturating_add(1), step: 0 };
                continue;
            }
            let ranges = self.ranges(self.told, lies, &mut asked.files)?;
            for (source, range) in &ranges {
                self.planner.want(turn(self.told), *source, range.clone());
            }
            self.needs.insert(turn(self.told), ranges);
            self.told.step += 1;
        }
        Ok(())
    }

    fn begin(&mut self, epoch: u64, lies: &mut Lies<'_>, asked: &mut Asked) -> Result<()> {
        if self.ahead.epoch != epoch {
            return Ok(());
        }
        while (self.flights.len() as u64) < self.prefetch && self.ahead.step < self.order.steps() {
            let at = turn(self.ahead);
            let left = self.planner.begun(at).into_iter().map(|(source, range)| (at, source, range));
            asked.alone.extend(left);
            let ranges = match self.needs.remove(&at) {
                Some(ranges) => ranges,
                None => {
                    let ranges = self.ranges(self.ahead, lies, &mut asked.files)?;
                    asked.alone.extend(ranges.iter().map(|(source, range)| (at, *source, range.clone())));
                    ranges
                }
            };
            if turn(self.told) <= at {
                self.told = Position { epoch: self.ahead.epoch, step: self.ahead.step + 1 };
            }
            self.ahead.step += 1;
            self.flights.push_back(at);
            asked.begun.push((at, ranges));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use forebay::order::{Settings, Shuffle, Source};

    use super::*;

    /// Every batch of two epochs is begun once, in order, and every byte of it is fetched ahead or read alone.
    fn walked(settings: Settings, bound: u64) -> (usize, usize) {
        let order = Order::new(vec![Source::new("a", 500), Source::new("b", 300)], settings).unwrap();
        let mut lies = |item: &Item| Some((item.source, item.sample * 100_000..(item.sample + 1) * 100_000));
        let mut walk = Walk::new(&order, (0, Position { epoch: 0, step: 0 }), 2, Planner::new(bound));
        let (mut fetches, mut alone, mut given) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..2 {
            loop {
                let asked = walk.fill(&mut lies).unwrap();
                fetches.extend(asked.fetches);
                alone.extend(asked.alone);
                for (turn, ranges) in asked.begun {
                    for (source, range) in ranges {
                        let ahead = fetches.iter().any(|fetch| {
                            fetch.source == source
                                && fetch.last >= turn
                                && fetch.range.start <= range.start
                                && range.end <= fetch.range.end
                        });
                        assert!(ahead || alone.contains(&(turn, source, range.clone())), "{turn:?} {range:?}");
                    }
                }
                match walk.give() {
                    Some(turn) => given.push(turn),
                    None => break,
                }
            }
            assert!(walk.is_at_end());
            walk.end_epoch();
        }
        let steps = order.steps();
        assert_eq!(given, (0..2).flat_map(|epoch| (0..steps).map(move |step| (epoch, step))).collect::<Vec<_>>());
        (fetches.len(), alone.len())
    }

    #[test]
    fn a_walk_gives_every_batch_and_asks_for_what_each_needs() {
        let settings = Settings::default().with_batch(10).with_seed(3);
        let (fetches, alone) = walked(settings.clone().with_shuffle(Shuffle::None), 64 << 20);
        assert!(fetches < 30 && alone == 0, "{fetches} {alone}");
        let full = settings.with_shuffle(Shuffle::Full);
        let (fetches, alone) = walked(full.clone(), 16 << 20);
        assert!(fetches > 500 && alone == 0, "{fetches} {alone}");
        // With the first two batches of the epoch behind, since the second one was begun.
        assert_eq!(walked(full, 0), (0, 1620));
    }
}
