//! What an epoch costs that is read from elsewhere, before it is read: requests and bytes, by the very arithmetic that the
//! loader reads ahead by, and about how long that takes.

use std::{collections::BTreeMap, ops::Range, time::Duration};

use forebay::{
    Error, Result,
    error::codes::ARGUMENT,
    order::{Item, Position},
};
use serde::Serialize;

use crate::{
    ahead::{AT_ONCE, Planner, USUAL_BYTES, Walk},
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// The blocks that a cache of some size holds, and what is asked for where they are missing: what `Cached` does, without
/// bytes.
#[derive(Debug)]
pub struct Kept {
    most: u64,
    /// Whether all sources fit, so that whole blocks are fetched.
    whole: bool,
    held: BTreeMap<(usize, u64), u64>,
    by_use: BTreeMap<u64, (usize, u64)>,
    uses: u64,
}

impl Kept {
    /// An empty cache of at most this many bytes, for sources whose bytes are `of` in all.
    pub fn new(most: u64, of: u64) -> Kept {
        Kept { most, whole: of <= most, held: BTreeMap::new(), by_use: BTreeMap::new(), uses: 0 }
    }

    /// How many bytes it holds.
    pub fn bytes(&self) -> u64 {
        self.held.len() as u64 * BLOCK
    }

    /// The requests for a range of a source of this length; what they bring is kept.
    pub fn requests(&mut self, source: usize, len: u64, range: Range<u64>) -> Vec<Range<u64>> {
        if self.most < BLOCK {
            return vec![range];
        }
        let numbers = range.start / BLOCK..range.end.div_ceil(BLOCK);
        let missing: Vec<u64> = numbers.filter(|number| !self.touch((source, *number), false)).collect();
        let requests = Spans::of(missing, len, &range, self.whole).requests;
        for request in &requests {
            let first = request.start.div_ceil(BLOCK);
            let end = if request.end == len { len.div_ceil(BLOCK) } else { request.end / BLOCK };
            for number in first..end {
                self.touch((source, number), true);
                self.shrink();
            }
        }
        requests
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
        if self.bytes() > above {
            while self.bytes() > to {
                let Some((_, block)) = self.by_use.pop_first() else { break };
                self.held.remove(&block);
            }
        }
    }
}

/// What is asked of the store, through a cache if there is one.
#[derive(Debug)]
struct Store {
    lens: Vec<u64>,
    cache: Option<Kept>,
    cost: Cost,
}

impl Store {
    fn read(&mut self, source: usize, range: Range<u64>) {
        let len = self.lens.get(source).copied().unwrap_or(0);
        let requests = match &mut self.cache {
            Some(kept) => kept.requests(source, len, range),
            None => vec![range],
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
/// the files and labels from their metadata come on top. The first batches of a following epoch count where they are asked
/// for, which is before the end of the one in front of it.
pub fn cost(plan: &Plan, (epoch, rank): (u64, u64), link: &Link, cache_bytes: Option<u64>) -> Result<[Cost; 2]> {
    let world = plan.order().settings().world;
    if rank >= world {
        return Err(Error::new(&ARGUMENT, format!("there is no rank {rank} of {world}")));
    }
    plan.refuse_endless()?;
    let datasets: Vec<_> = plan.files().map(|(dataset, _)| dataset).collect();
    let lens: Vec<u64> = datasets.iter().map(|dataset| dataset.file_len()).collect();
    let len = lens.iter().fold(0_u64, |sum, len| sum.saturating_add(*len));
    let mut store = Store { lens, cache: cache_bytes.map(|most| Kept::new(most, len)), cost: Cost::default() };
    let mut walk = Walk::new(plan.order(), (rank, Position { epoch, step: 0 }), PREFETCH, Planner::new(USUAL_BYTES));
    let mut lies = |item: &Item| Some((item.source, datasets.get(item.source)?.taken_range(item.sample)?));
    let (mut both, mut wanted) = ([Cost::default(); 2], BTreeMap::<u64, u64>::new());
    for (number, cost) in (epoch..).zip(&mut both) {
        loop {
            let asked = walk.fill(&mut lies)?;
            for ((of, _), ranges) in &asked.begun {
                *wanted.entry(*of).or_default() += ranges.iter().map(|(_, range)| range.end - range.start).sum::<u64>();
            }
            asked.fetches.into_iter().for_each(|fetch| store.read(fetch.source, fetch.range));
            // What there was no room for is read as it is needed, and a file of a folder by itself.
            asked.alone.into_iter().for_each(|(_, source, range)| store.read(source, range));
            store.cost.requests += asked.files;
            if walk.give().is_none() {
                break;
            }
        }
        walk.end_epoch();
        *cost = Cost { wanted_bytes: wanted.remove(&number).unwrap_or(0), ..store.cost(link) };
    }
    Ok(both)
}
