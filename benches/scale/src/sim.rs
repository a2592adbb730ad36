//! Everything at one moment: the workers, what is on its way, and what happens next.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
};

use forebay::{
    order::{Item, Order, Position},
    random::{Draws, key},
};
use forebay_native::{
    ahead::{Planner, Turn, Walk, Window},
    cost::Kept,
};

use crate::{
    fetches::{Block, Fetch, Request, Slab},
    job::Job,
    link::Link,
    parameters::Parameters,
    store::Store,
    worker::{Slope, Worker},
};

/// Batches that a loader makes ahead.
const PREFETCH: u64 = 2;
/// What tells the draws of deaths from those of requests.
const DEATHS: u64 = 77;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Event {
    /// The first byte of an answer comes.
    Answer(u32, u32),
    /// An answer says that there will be none.
    Failure(u32, u32),
    /// A request is made again.
    Again(u32, u32),
    /// Transfers of a link end.
    Link(usize, u64),
    /// A batch is made.
    Made(usize, u32, Turn),
    /// Training wants the next batch.
    Want(usize, u32),
    /// A worker dies.
    Death(usize),
    /// It is back.
    Back(usize, u32),
}

/// When, and which of those that are at the same time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct At(f64, u64, Event);

impl Eq for At {}
impl PartialOrd for At {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for At {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0).then(self.1.cmp(&other.1))
    }
}

/// Everything at one moment.
pub(crate) struct Sim<'a> {
    pub(crate) job: &'a Job,
    pub(crate) parameters: &'a Parameters,
    pub(crate) orders: &'a [(Order, u64)],
    pub(crate) store: Store<'a>,
    pub(crate) workers: Vec<Worker<'a>>,
    /// The hosts' networks, and then their disks.
    pub(crate) links: Vec<Link>,
    pub(crate) caches: Vec<Kept>,
    /// Blocks of each host that are on their way, and which fetch brings them.
    pub(crate) arriving: Vec<BTreeMap<Block, u32>>,
    /// Whether all that a worker has opened fits its host's cache, so that whole blocks are fetched.
    pub(crate) fits: bool,
    pub(crate) fetches: Slab<Fetch>,
    pub(crate) requests: Slab<Request>,
    pub(crate) events: BinaryHeap<Reverse<At>>,
    pub(crate) number: u64,
    pub(crate) asked: u64,
    pub(crate) now: f64,
    /// Batches of each worker, and after how many of them numbers are taken.
    pub(crate) steps: u64,
    pub(crate) warm: u64,
    pub(crate) done: usize,
    /// Workers that have their batch, where all go together.
    pub(crate) arrived: usize,
    pub(crate) waits: Vec<f32>,
}

impl<'a> Sim<'a> {
    pub(crate) fn new(
        (job, parameters): (&'a Job, &'a Parameters),
        orders: &'a [(Order, u64)],
        store: Store<'a>,
        (links, caches): (Vec<Link>, Vec<Kept>),
        (steps, warm): (u64, u64),
    ) -> Sim<'a> {
        Sim {
            job,
            parameters,
            orders,
            store,
            workers: Vec::new(),
            arriving: vec![BTreeMap::new(); links.len()],
            links,
            caches,
            fits: job.cache_bytes.is_some_and(|most| job.opened_bytes() <= most),
            fetches: Slab::default(),
            requests: Slab::default(),
            events: BinaryHeap::new(),
            number: 0,
            asked: 0,
            now: 0.0,
            steps,
            warm,
            done: 0,
            arrived: 0,
            waits: Vec::new(),
        }
    }

    pub(crate) fn walk(&self, order: &'a Order, worker: u64, from: Position) -> Walk<'a> {
        let mut planner = Planner::new(self.job.read_ahead_bytes);
        if let Some(gap) = self.job.gap {
            planner = planner.gap(gap);
        }
        let rank = if self.job.own_shards { 0 } else { worker };
        Walk::new(order, (rank, from), PREFETCH, planner)
    }

    pub(crate) fn order(&self, w: usize) -> Option<&'a Order> {
        let orders: &'a [(Order, u64)] = self.orders;
        orders.get(if self.job.own_shards { w } else { 0 }).map(|(order, _)| order)
    }

    /// The epochs that went before: what they leave in the caches, a batch of each worker after another.
    pub(crate) fn fill_caches(&mut self) -> forebay::Result<()> {
        if self.caches.is_empty() {
            return Ok(());
        }
        let job = self.job;
        for epoch in 0..job.before {
            let mut walks: Vec<_> = (0..self.workers.len())
                .filter_map(|w| {
                    let number = self.workers.get(w)?.number;
                    Some(self.walk(self.order(w)?, number, Position { epoch, step: 0 }))
                })
                .collect();
            let mut going = true;
            while going {
                going = false;
                for (walk, worker) in walks.iter_mut().zip(&self.workers) {
                    let asked = walk.fill(&mut |item: &Item| Some((item.source, job.range(item))))?;
                    let Some(kept) = self.caches.get_mut(worker.host) else { continue };
                    let fetched = asked.fetches.into_iter().map(|fetch| (fetch.source, fetch.range));
                    for (source, range) in
                        fetched.chain(asked.alone.into_iter().map(|(_, source, range)| (source, range)))
                    {
                        kept.requests(job.shard(worker.number, source) as usize, job.shard_len(), range);
                    }
                    going |= walk.give().is_some();
                }
            }
        }
        Ok(())
    }

    pub(crate) fn at(&mut self, time: f64, event: Event) {
        self.number += 1;
        self.events.push(Reverse(At(time, self.number, event)));
    }

    pub(crate) fn epoch(&mut self) -> forebay::Result<()> {
        (self.done, self.arrived) = (0, 0);
        self.waits.clear();
        for w in 0..self.workers.len() {
            let now = self.now;
            let Some(worker) = self.workers.get_mut(w) else { continue };
            (worker.is_done, worker.steps) = (false, 0);
            worker.marks = [worker.mark(now); 2];
            worker.slope = Slope::default();
            self.plan_death(w);
            self.want(w)?;
        }
        let all = self.workers.len();
        while let Some(Reverse(At(time, _, event))) = self.events.pop() {
            self.now = time.max(self.now);
            self.happen(event)?;
            // A part is not followed to its end: nobody stops there.
            if self.done == all && self.workers.iter().any(|worker| !worker.walk.is_at_end()) {
                break;
            }
        }
        for worker in &mut self.workers {
            if worker.walk.is_at_end() {
                // What was asked for before the end came behind it.
                worker.marks[1].asked = worker.counts;
            }
            worker.walk.end_epoch();
        }
        Ok(())
    }

    pub(crate) fn happen(&mut self, event: Event) -> forebay::Result<()> {
        match event {
            Event::Answer(request, stamp) if self.requests.stamp(request) == stamp => self.answer(request),
            Event::Failure(request, stamp) if self.requests.stamp(request) == stamp => self.again(request, 0.0)?,
            Event::Again(request, stamp) if self.requests.stamp(request) == stamp => self.submit(request),
            Event::Link(link, version) => {
                let ended = match self.links.get_mut(link).filter(|link| link.version == version) {
                    Some(link) => link.ended(self.now),
                    None => return Ok(()),
                };
                self.announce(link);
                for (request, stamp) in ended {
                    if self.requests.stamp(request) == stamp {
                        self.came(request)?;
                    }
                }
            }
            Event::Made(w, generation, turn) => {
                if let Some(worker) = self.workers.get_mut(w).filter(|worker| worker.generation == generation) {
                    worker
                        .flights
                        .iter_mut()
                        .filter(|flight| flight.turn == turn)
                        .for_each(|flight| flight.is_made = true);
                    self.advance(w)?;
                }
            }
            Event::Want(w, generation) if self.workers.get(w).is_some_and(|one| one.generation == generation) => {
                self.want(w)?;
            }
            Event::Death(w) => self.die(w)?,
            Event::Back(w, generation) if self.workers.get(w).is_some_and(|one| one.generation == generation) => {
                self.plan_death(w);
                self.want(w)?;
            }
            _ => {}
        }
        Ok(())
    }

    pub(crate) fn announce(&mut self, link: usize) {
        if let Some((end, version)) = self.links.get(link).and_then(|one| Some((one.next_end()?, one.version))) {
            self.at(end, Event::Link(link, version));
        }
    }

    /// Training wants a batch.
    pub(crate) fn want(&mut self, w: usize) -> forebay::Result<()> {
        self.fill(w)?;
        let now = self.now;
        if let Some(worker) = self.workers.get_mut(w) {
            worker.wanting = Some(now);
        }
        self.advance(w)
    }

    /// Gives training batches, as long as it wants one and there is one.
    pub(crate) fn advance(&mut self, w: usize) -> forebay::Result<()> {
        loop {
            let (now, steps, warm) = (self.now, self.steps, self.warm);
            let Some(worker) = self.workers.get_mut(w) else { return Ok(()) };
            let Some(since) = worker.wanting else { return Ok(()) };
            if worker.walk.is_at_end() {
                worker.wanting = None;
                return Ok(());
            }
            if !worker.flights.front().is_some_and(|flight| flight.is_made) {
                return Ok(());
            }
            worker.flights.pop_front();
            worker.wanting = None;
            worker.counts.waited += now - since;
            worker.steps += 1;
            if !worker.is_done && worker.steps > warm {
                self.waits.push((now - since) as f32);
            }
            if let Some(turn) = worker.walk.give() {
                worker.let_go(turn);
            }
            if worker.steps >= warm && !worker.is_done {
                worker.slope.add(worker.steps, now, &worker.counts);
            }
            if worker.steps == steps {
                worker.is_done = true;
                worker.marks[1] = worker.mark(now);
                self.done += 1;
            }
            self.fill(w)?;
            let generation = self.workers.get(w).map_or(0, |worker| worker.generation);
            if self.job.together {
                self.arrived += 1;
                if self.arrived == self.workers.len() {
                    self.arrived = 0;
                    for w in 0..self.workers.len() {
                        let generation = self.workers.get(w).map_or(0, |worker| worker.generation);
                        self.at(now + self.job.step_seconds, Event::Want(w, generation));
                    }
                }
                return Ok(());
            }
            if self.job.step_seconds > 0.0 {
                self.at(now + self.job.step_seconds, Event::Want(w, generation));
                return Ok(());
            }
            if let Some(worker) = self.workers.get_mut(w) {
                worker.wanting = Some(now);
            }
        }
    }

    pub(crate) fn plan_death(&mut self, w: usize) {
        let rate = self.parameters.deaths_per_worker_hour / 3600.0;
        if rate > 0.0
            && let Some(worker) = self.workers.get(w)
        {
            let words = [DEATHS, worker.number, worker.counts.deaths];
            let after = -(1.0 - Draws::new(key(self.job.seed, &words)).unit()).ln() / rate;
            self.at(self.now + after, Event::Death(w));
        }
    }

    /// A worker dies: what it fetched is lost, and it goes on with the batch that would have come next.
    pub(crate) fn die(&mut self, w: usize) -> forebay::Result<()> {
        let Some(order) = self.order(w) else { return Ok(()) };
        // What it has done by then is what counts.
        let Some(worker) = self.workers.get(w).filter(|worker| !worker.is_done) else { return Ok(()) };
        let (number, host, at) = (worker.number, worker.host, worker.walk.position());
        let mine = self.requests.numbers(|request| request.worker == w);
        let cut = match self.links.get_mut(host) {
            Some(link) => link.cut(self.now, |(request, _)| mine.binary_search(&request).is_ok()),
            None => Vec::new(),
        };
        self.announce(host);
        let mut came = 0.0;
        for ((request, _), left) in cut {
            came += self.requests.at(request).map_or(0.0, |request| (request.coming - left).max(0.0));
        }
        for request in mine {
            self.requests.take(request);
        }
        let fetches = self.fetches.numbers(|fetch| fetch.worker == w);
        let waiting: Vec<u32> =
            fetches.into_iter().filter_map(|fetch| self.release(fetch, false)).flat_map(|fetch| fetch.others).collect();
        let walk = self.walk(order, number, at);
        if let Some(worker) = self.workers.get_mut(w) {
            worker.counts.bytes += came;
            worker.die(walk, Window::new(self.job.read_ahead_bytes));
            let generation = worker.generation;
            self.at(self.now + self.parameters.restart_seconds, Event::Back(w, generation));
        }
        // Others of the host that waited for its blocks do so no longer.
        for fetch in waiting {
            self.one_less(fetch)?;
        }
        Ok(())
    }
}
