//! What is on its way: fetches, and the requests that each is made of.

use std::ops::Range;

use forebay_native::ahead::Turn;

/// Bytes that a loader fetches.
#[derive(Debug)]
pub struct Fetch {
    /// Who fetches.
    pub worker: usize,
    /// Its shard, among all.
    pub shard: u64,
    /// Under which prefix that lies.
    pub prefix: u64,
    /// Which bytes.
    pub range: Range<u64>,
    /// Where the worker keeps what came; none for what it reads as it needs it.
    pub place: Option<Place>,
    /// Requests, and fetches of others, that it waits for.
    pub left: u32,
    /// Batches that wait for it.
    pub batches: Vec<Turn>,
    /// Fetches that wait for blocks that this one brings.
    pub others: Vec<u32>,
    /// Blocks that it brings to a cache.
    pub blocks: Vec<Block>,
}

/// A block that is fetched: its shard, its number, and the worker that does it, or 0 where a host's are one process.
pub type Block = (usize, u64, usize);

/// Source, start, and a number that tells fetches from each other.
pub type Place = (usize, u64, u64);

/// One range that is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// Who asks.
    pub worker: usize,
    /// For which fetch.
    pub fetch: u32,
    /// Bytes that have not come.
    pub left: f64,
    /// Bytes that the answer under way brings.
    pub coming: f64,
    /// Tries that failed, but for those that were made up for.
    pub tries: u32,
    /// Bytes that came since a try was made up for.
    pub came: f64,
    /// Whether it reads a host's disk.
    pub local: bool,
}

/// Things with numbers, which are used again; with each goes how often its number was.
#[derive(Debug)]
pub struct Slab<T> {
    slots: Vec<(u32, Option<T>)>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Slab { slots: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    /// Puts something there.
    pub fn put(&mut self, thing: T) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.slots.push((0, None));
            (self.slots.len() - 1) as u32
        });
        if let Some(slot) = self.slots.get_mut(number as usize) {
            slot.1 = Some(thing);
        }
        number
    }

    /// What is there.
    pub fn at(&mut self, number: u32) -> Option<&mut T> {
        self.slots.get_mut(number as usize)?.1.as_mut()
    }

    /// Which use of a number this is; another after [`turn`](Self::turn) and [`take`](Self::take).
    pub fn stamp(&self, number: u32) -> u32 {
        self.slots.get(number as usize).map_or(0, |slot| slot.0)
    }

    /// Makes earlier stamps untrue.
    pub fn turn(&mut self, number: u32) -> u32 {
        self.slots.get_mut(number as usize).map_or(0, |slot| {
            slot.0 = slot.0.wrapping_add(1);
            slot.0
        })
    }

    /// Takes it away.
    pub fn take(&mut self, number: u32) -> Option<T> {
        self.turn(number);
        let thing = self.slots.get_mut(number as usize)?.1.take()?;
        self.free.push(number);
        Some(thing)
    }

    /// The numbers of those that are so.
    pub fn numbers(&self, which: impl Fn(&T) -> bool) -> Vec<u32> {
        let numbered = self.slots.iter().enumerate();
        numbered.filter(|(_, (_, thing))| thing.as_ref().is_some_and(&which)).map(|(i, _)| i as u32).collect()
    }
}
