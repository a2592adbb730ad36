//! One reader: which fetches are its own, which batches are on their way, and how long it waited.

use std::{
    collections::{BTreeMap, VecDeque},
    ops::Range,
};

use forebay_native::ahead::{Turn, Walk, Window};

use crate::fetches::Place;

/// Fetches that a range is looked for in, as the loader does.
const NEAREST: usize = 16;

/// Bytes that were fetched, or are.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Where they end.
    pub end: u64,
    /// The last batch that needs them.
    pub last: Turn,
    /// The fetch that brings them; none once they are here.
    pub fetch: Option<u32>,
}

/// A batch on its way.
#[derive(Clone, Copy, Debug)]
pub struct Flight {
    /// Which.
    pub turn: Turn,
    /// Fetches that it waits for.
    pub missing: u32,
    /// Whether it can be given.
    pub is_made: bool,
}

/// How far a worker was at some moment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mark {
    /// When.
    pub at: f64,
    /// Batches that were given.
    pub steps: u64,
    /// What was asked for.
    pub asked: Counts,
}

/// How many numbers are followed.
pub const FOLLOWED: usize = 8;

/// By how much numbers grow with each batch. Batches come in clumps, as reading ahead brings them, so the two ends of a
/// window say little: the line through all of its batches is what counts (least squares).
#[derive(Clone, Copy, Debug, Default)]
pub struct Slope {
    batches: f64,
    step: f64,
    squares: f64,
    sums: [f64; FOLLOWED],
    products: [f64; FOLLOWED],
}

impl Slope {
    /// Takes in where a worker was after some batches.
    pub fn add(&mut self, steps: u64, at: f64, counts: &Counts) {
        let step = steps as f64;
        self.batches += 1.0;
        self.step += step;
        self.squares += step * step;
        for ((sum, product), value) in self.sums.iter_mut().zip(&mut self.products).zip(counts.followed(at)) {
            *sum += value;
            *product += step * value;
        }
    }

    /// How much each of the numbers grows with a batch; nothing if there were too few.
    pub fn of(&self) -> [f64; FOLLOWED] {
        let spread = self.batches * self.squares - self.step * self.step;
        let mut slopes = [0.0; FOLLOWED];
        if spread > 0.0 {
            for ((slope, sum), product) in slopes.iter_mut().zip(self.sums).zip(self.products) {
                *slope = (self.batches * product - self.step * sum) / spread;
            }
        }
        slopes
    }
}

/// What was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Requests, each try of its own.
    pub requests: u64,
    /// Those of them that the store turned away.
    pub refused: u64,
    /// Those that were made again.
    pub retries: u64,
    /// Ranges that were given up after as many tries as the loader makes.
    pub given_up: u64,
    /// Bytes that came.
    pub bytes: f64,
    /// Seconds in which training waited for a batch.
    pub waited: f64,
    /// Times that the worker died.
    pub deaths: u64,
}

impl Counts {
    /// The time and all of these, in the order in which outcomes take them.
    pub fn followed(&self, at: f64) -> [f64; FOLLOWED] {
        [
            at,
            self.requests as f64,
            self.refused as f64,
            self.retries as f64,
            self.given_up as f64,
            self.bytes,
            self.waited,
            self.deaths as f64,
        ]
    }
}

/// A worker.
#[derive(Debug)]
pub struct Worker<'a> {
    /// Its number among all workers.
    pub number: u64,
    /// The host that it runs on.
    pub host: usize,
    /// Which part of an epoch it reads, and when.
    pub walk: Walk<'a>,
    /// Another after each death.
    pub generation: u32,
    /// Fetches that wait for a thread.
    pub pending: VecDeque<u32>,
    /// Threads that fetch.
    pub reading: usize,
    /// How many bytes they may fetch at once.
    pub window: Window,
    /// Requests that are under way.
    pub under_way: usize,
    /// Requests that wait until there are fewer.
    pub queue: VecDeque<u32>,
    /// What was fetched and is not let go.
    pub parts: BTreeMap<Place, Part>,
    /// Tells parts from each other.
    pub numbers: u64,
    /// Batches on their way.
    pub flights: VecDeque<Flight>,
    /// When the batches that came are made.
    pub busy_until: f64,
    /// Since when training waits for a batch.
    pub wanting: Option<f64>,
    /// Whether it has given all batches that it is to give.
    pub is_done: bool,
    /// Batches that it gave in this epoch.
    pub steps: u64,
    /// What it asked for.
    pub counts: Counts,
    /// Where the epoch began, and where what is simulated of it ended.
    pub marks: [Mark; 2],
    /// What each batch of the window adds.
    pub slope: Slope,
}

impl<'a> Worker<'a> {
    /// A worker that has not begun.
    pub fn new(number: u64, host: usize, walk: Walk<'a>, window: Window) -> Worker<'a> {
        Worker {
            number,
            host,
            walk,
            generation: 0,
            pending: VecDeque::new(),
            reading: 0,
            window,
            under_way: 0,
            queue: VecDeque::new(),
            parts: BTreeMap::new(),
            numbers: 0,
            flights: VecDeque::new(),
            busy_until: 0.0,
            wanting: None,
            is_done: false,
            steps: 0,
            counts: Counts::default(),
            marks: [Mark::default(); 2],
            slope: Slope::default(),
        }
    }

    /// Loses all that is not on a disk, and goes on from the batch that would have come next.
    pub fn die(&mut self, walk: Walk<'a>, window: Window) {
        let counts = Counts { deaths: self.counts.deaths + 1, ..self.counts };
        let fresh = Worker::new(self.number, self.host, walk, window);
        let before = std::mem::replace(self, fresh);
        self.generation = before.generation + 1;
        (self.is_done, self.steps, self.marks, self.counts) = (before.is_done, before.steps, before.marks, counts);
        (self.numbers, self.slope) = (before.numbers, before.slope);
    }

    /// Keeps a place for bytes that a fetch will bring.
    pub fn expect(&mut self, source: usize, range: &Range<u64>, last: Turn) -> Place {
        self.numbers += 1;
        let place = (source, range.start, self.numbers);
        self.parts.insert(place, Part { end: range.end, last, fetch: None });
        place
    }

    /// Where a range is among what was fetched, or will be.
    pub fn find(&self, source: usize, range: &Range<u64>) -> Option<Part> {
        let before = self.parts.range((source, 0, 0)..=(source, range.start, u64::MAX)).rev().take(NEAREST);
        before.map(|(_, part)| *part).find(|part| range.end <= part.end)
    }

    /// Lets go what no batch behind this one needs.
    pub fn let_go(&mut self, turn: Turn) {
        self.parts.retain(|_, part| part.last > turn);
    }

    /// Where it is now.
    pub fn mark(&self, at: f64) -> Mark {
        Mark { at, steps: self.steps, asked: self.counts }
    }
}
