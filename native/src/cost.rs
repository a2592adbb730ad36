//! What an epoch costs that is read from elsewhere, before it is read: requests and bytes, by the very arithmetic that the
//! loader reads ahead by, and about how long that takes.

use std::{collections::BTreeMap, time::Duration};

use forebay::{Error, Result, error::codes::ARGUMENT};
use serde::Serialize;

use crate::{
    ahead::{AT_ONCE, Planner, USUAL_BYTES},
    cache::{BLOCK, Spans, room},
    plan::Plan,
};

/// Batches that a loader makes ahead.
const PREFETCH: u64 = 2;

/// The way to the files.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Link {
    /// How long it takes until the first byte of an answer.
    pub latency: Duration,
    /// How many bits come in a second.
    pub bits_per_second: u64,
}

impl Default for Link {
    fn default() -> Self {
        Link { latency: Duration::from_millis(50), bits_per_second: 1_000_000_000 }
    }
}

/// What an epoch of one rank costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Cost {
    /// Ranges that are asked for.
    pub requests: u64,
    /// Bytes that come.
    pub bytes: u64,
    /// Bytes of samples, each as often as it is needed.
    pub wanted_bytes: u64,
    /// What the link takes for that at least, with as many requests under way as the loader has.
    pub seconds: f64,
}

/// What is asked of the store, through a cache if there is one.
#[derive(Debug)]
struct Store {
    lens: Vec<u64>,
    /// All of them together.
    len: u64,
    cache: Option<Blocks>,
    cost: Cost,
}

/// The blocks of a cache.
#[derive(Debug)]
struct Blocks {
    most: u64,
    held: BTreeMap<(usize, u64), u64>,
    by_use: BTreeMap<u64, (usize, u64)>,
    uses: u64,
}

impl Blocks {
    fn new(most: u64) -> Blocks {
        Blocks { most, held: BTreeMap::new(), by_use: BTreeMap::new(), uses: 0 }
    }

    /// Whether a block is there; from now on it is the one that was used last.
    fn touch(&mut self, block: (usize, u64), put: bool) -> bool {
        let before = self.held.get(&block).copied();
        if before.is_some() || put {
            self.uses += 1;
            before.and_then(|before| self.by_use.remove(&before));
            self.held.insert(block, self.uses);
            self.by_use.insert(self.uses, block);
        }
        before.is_some()
    }

    fn shrink(&mut self) {
        let (above, to) = room(self.most);
        if self.held.len() as u64 * BLOCK > above {
            while self.held.len() as u64 * BLOCK > to {
                let Some((_, block)) = self.by_use.pop_first() else { break };
                self.held.remove(&block);
            }
        }
    }
}

impl Store {
    fn read(&mut self, source: usize, range: std::ops::Range<u64>) {
        let len = self.lens.get(source).copied().unwrap_or(0);
        let requests = match &mut self.cache {
            Some(blocks) if blocks.most >= BLOCK => {
                let numbers = range.start / BLOCK..range.end.div_ceil(BLOCK);
                let missing: Vec<u64> = numbers.filter(|number| !blocks.touch((source, *number), false)).collect();
                let requests = Spans::of(missing, len, &range, self.len <= blocks.most).requests;
                for request in &requests {
                    let first = request.start.div_ceil(BLOCK);
                    let end = if request.end == len { len.div_ceil(BLOCK) } else { request.end / BLOCK };
                    for number in first..end {
                        blocks.touch((source, number), true);
                        blocks.shrink();
                    }
                }
                requests
            }
            _ => vec![range],
        };
        self.cost.requests += requests.len() as u64;
        self.cost.bytes += requests.iter().map(|request| request.end - request.start).sum::<u64>();
    }

    /// What was asked for since this was last asked.
    fn cost(&mut self, link: &Link) -> Cost {
        let mut cost = std::mem::take(&mut self.cost);
        let link_seconds = cost.bytes as f64 * 8.0 / link.bits_per_second.max(1) as f64;
        let latency = link.latency.as_secs_f64();
        let rounds = cost.requests as f64 / AT_ONCE as f64;
        cost.seconds = if cost.requests == 0 { 0.0 } else { link_seconds.max(rounds * latency) + latency };
        cost
    }
}

/// What two epochs of one rank cost that follow each other: without a cache or with an empty one of this size. Opening
/// the files and labels from their metadata come on top.
pub fn cost(plan: &Plan, (epoch, rank): (u64, u64), link: &Link, cache_bytes: Option<u64>) -> Result<[Cost; 2]> {
    let world = plan.order().settings().world;
    if rank >= world {
        return Err(Error::new(&ARGUMENT, format!("there is no rank {rank} of {world}")));
    }
    let lens: Vec<u64> = plan.files().map(|(dataset, _)| dataset.file_len()).collect();
    let len = lens.iter().fold(0_u64, |sum, len| sum.saturating_add(*len));
    let mut store = Store { lens, len, cache: cache_bytes.map(Blocks::new), cost: Cost::default() };
    let following = epoch.saturating_add(1);
    let first = one(plan, (epoch, rank), &mut store)?;
    let first = Cost { wanted_bytes: first, ..store.cost(link) };
    let later = one(plan, (following, rank), &mut store)?;
    Ok([first, Cost { wanted_bytes: later, ..store.cost(link) }])
}

/// Reads an epoch as a loader does. Gives the bytes of its samples.
fn one(plan: &Plan, (number, rank): (u64, u64), store: &mut Store) -> Result<u64> {
    let epoch = plan.order().epoch(number)?;
    let datasets: Vec<_> = plan.files().map(|(dataset, _)| dataset).collect();
    let mut planner = Planner::new(USUAL_BYTES);
    let (mut told, mut wanted) = (0, 0);
    // Step by step: one more batch is made, and the one that was begun first is done.
    for step in 0..epoch.steps().saturating_add(PREFETCH) {
        loop {
            while planner.is_hungry() && told < epoch.steps() {
                for item in epoch.batch(told, rank) {
                    let range = datasets.get(item.source).and_then(|dataset| dataset.taken_range(item.sample));
                    // A file of a folder is read by itself.
                    let Some(range) = range else {
                        store.cost.requests += 1;
                        continue;
                    };
                    wanted += range.end - range.start;
                    planner.want((number, told), item.source, range);
                }
                told += 1;
            }
            let Some(fetch) = planner.fetch() else { break };
            store.read(fetch.source, fetch.range);
        }
        // What there was no room for is read as it is needed.
        for (source, range) in planner.begun((number, step)) {
            store.read(source, range);
        }
        told = told.max(step.saturating_add(1));
        if let Some(done) = step.checked_sub(PREFETCH) {
            planner.done((number, done));
        }
    }
    Ok(wanted)
}
