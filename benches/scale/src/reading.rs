//! Event by event: what is fetched, how it is asked for, and what comes.

use std::{collections::BTreeSet, ops::Range};

use forebay::order::Item;
use forebay_native::{
    ahead::{AT_ONCE, Asked, Turn},
    cache::{BLOCK, Spans},
    remote::{FORGIVES, TRIES, wait},
};

use crate::{
    fetches::{Fetch, Place, Request},
    sim::{Event, Sim},
    store::Answer,
    worker::Flight,
};

impl Sim<'_> {
    /// Asks for what a loader would ask for now.
    pub(crate) fn fill(&mut self, w: usize) -> forebay::Result<()> {
        let job = self.job;
        let Some(worker) = self.workers.get_mut(w) else { return Ok(()) };
        let asked = worker.walk.fill(&mut |item: &Item| Some((item.source, job.range(item))))?;
        let Asked { fetches, begun, alone, .. } = asked;
        for fetch in fetches {
            let Some(worker) = self.workers.get_mut(w) else { continue };
            let place = worker.expect(fetch.source, &fetch.range, fetch.last);
            let number = self.fetch(w, fetch.source, fetch.range, Some(place));
            if let Some(worker) = self.workers.get_mut(w) {
                worker.parts.entry(place).and_modify(|part| part.fetch = Some(number));
                worker.pending.push_back(number);
            }
        }
        let mut by_itself = Vec::new();
        for (turn, ranges) in begun {
            let mut flight = Flight { turn, missing: 0, is_made: false };
            for (source, range) in ranges {
                let is_alone = alone.contains(&(turn, source, range.clone()));
                let found = self.workers.get(w).filter(|_| !is_alone).and_then(|worker| worker.find(source, &range));
                let fetch = match found {
                    Some(part) => part.fetch,
                    None => {
                        let number = self.fetch(w, source, range, None);
                        by_itself.push(number);
                        Some(number)
                    }
                };
                if let Some(fetch) = fetch.and_then(|number| self.fetches.at(number))
                    && fetch.batches.last() != Some(&turn)
                {
                    fetch.batches.push(turn);
                    flight.missing += 1;
                }
            }
            if let Some(worker) = self.workers.get_mut(w) {
                worker.flights.push_back(flight);
            }
            if flight.missing == 0 {
                self.arrive(w, turn);
            }
        }
        by_itself.into_iter().for_each(|fetch| self.begin(fetch));
        self.start(w);
        Ok(())
    }

    fn fetch(&mut self, w: usize, source: usize, range: Range<u64>, place: Option<Place>) -> u32 {
        let number = self.workers.get(w).map_or(0, |worker| worker.number);
        let shard = self.job.shard(number, source);
        // Workers that are simulated have other numbers than all: what matters is that they do not share prefixes by them.
        let prefix = if self.job.own_shards { w as u64 + source as u64 } else { shard };
        self.fetches.put(Fetch {
            worker: w,
            shard,
            prefix,
            range,
            place,
            left: 0,
            batches: Vec::new(),
            others: Vec::new(),
            blocks: Vec::new(),
        })
    }

    /// Gives fetches to threads that have nothing to do.
    fn start(&mut self, w: usize) {
        while let Some(worker) = self.workers.get_mut(w).filter(|worker| worker.reading < AT_ONCE)
            && let Some(&fetch) = worker.pending.front()
            && let Some(bytes) = self.fetches.at(fetch).map(|fetch| fetch.range.end - fetch.range.start)
            && worker.window.has_room(bytes)
        {
            worker.pending.pop_front();
            worker.window.ask(bytes);
            worker.reading += 1;
            self.begin(fetch);
        }
    }

    fn begin(&mut self, number: u32) {
        let Some(fetch) = self.fetches.at(number) else { return };
        let (w, shard, range) = (fetch.worker, fetch.shard as usize, fetch.range.clone());
        let Some(host) = self.workers.get(w).map(|worker| worker.host) else { return };
        let (mut requests, mut others, mut blocks) = (vec![range.clone()], Vec::new(), Vec::new());
        if let (Some(kept), Some(arriving)) = (self.caches.get_mut(host), self.arriving.get_mut(host)) {
            let len = self.job.shard_len();
            let covered = |request: &Range<u64>| request.start / BLOCK..request.end.div_ceil(BLOCK);
            let mut missing: BTreeSet<u64> =
                kept.requests(shard, len, range.clone()).iter().flat_map(covered).collect();
            // Within a process a block is fetched once; what another process fetches is not there yet.
            let process = if self.job.one_process { 0 } else { w };
            for block in covered(&range) {
                match arriving.get(&(shard, block, process)) {
                    Some(other) if !others.contains(other) => others.push(*other),
                    Some(_) => {}
                    None if arriving.range((shard, block, 0)..=(shard, block, usize::MAX)).next().is_some() => {
                        missing.insert(block);
                    }
                    None => {}
                }
            }
            requests = Spans::of(missing.iter().copied(), len, &range, self.fits).requests;
            for block in missing {
                arriving.entry((shard, block, process)).or_insert_with(|| {
                    blocks.push((shard, block, process));
                    number
                });
            }
        }
        let is_here = requests.is_empty() && others.is_empty();
        for other in &others {
            if let Some(other) = self.fetches.at(*other) {
                other.others.push(number);
            }
        }
        if let Some(fetch) = self.fetches.at(number) {
            fetch.left = (requests.len() + others.len()) as u32 + u32::from(is_here);
            fetch.blocks = blocks;
        }
        if is_here {
            // Off the host's disk.
            let disk = self.links.len() / 2 + host;
            let bytes = (range.end - range.start) as f64;
            let request = self.request(w, number, bytes, true);
            let stamp = self.requests.turn(request);
            if let Some(link) = self.links.get_mut(disk) {
                link.add(self.now, (request, stamp), bytes);
            }
            self.announce(disk);
        }
        for range in requests {
            let request = self.request(w, number, (range.end - range.start) as f64, false);
            self.submit(request);
        }
    }

    fn request(&mut self, worker: usize, fetch: u32, bytes: f64, local: bool) -> u32 {
        self.requests.put(Request { worker, fetch, left: bytes, coming: bytes, tries: 0, came: 0.0, local })
    }

    /// Makes a request as soon as fewer than the most are under way.
    pub(crate) fn submit(&mut self, number: u32) {
        let Some(w) = self.requests.at(number).map(|request| request.worker) else { return };
        let Some(worker) = self.workers.get_mut(w) else { return };
        if worker.under_way >= AT_ONCE {
            worker.queue.push_back(number);
            return;
        }
        worker.under_way += 1;
        self.ask(number);
    }

    /// One request fewer is under way.
    fn leave(&mut self, w: usize) {
        let Some(worker) = self.workers.get_mut(w) else { return };
        worker.under_way = worker.under_way.saturating_sub(1);
        if let Some(next) = worker.queue.pop_front() {
            worker.under_way += 1;
            self.ask(next);
        }
    }

    fn ask(&mut self, number: u32) {
        self.asked += 1;
        let (now, asked) = (self.now, self.asked);
        let Some(request) = self.requests.at(number) else { return };
        let Some(prefix) = self.fetches.at(request.fetch).map(|fetch| fetch.prefix) else { return };
        let answer = self.store.ask(now, prefix, asked);
        let Some(worker) = self.workers.get_mut(request.worker) else { return };
        worker.counts.requests += 1;
        request.coming = request.left;
        let (after, broken) = match answer {
            Answer::Bytes { after, share, requests } => {
                worker.counts.requests += requests - 1;
                request.coming = request.left * share;
                (after, false)
            }
            Answer::Refused { after } => {
                worker.counts.refused += 1;
                (after, true)
            }
            Answer::Failed { after } => (after, true),
        };
        let stamp = self.requests.turn(number);
        let event = if broken { Event::Failure(number, stamp) } else { Event::Answer(number, stamp) };
        self.at(now + after, event);
    }

    /// The first byte is here, and the others come.
    pub(crate) fn answer(&mut self, number: u32) {
        let stamp = self.requests.turn(number);
        let Some(request) = self.requests.at(number) else { return };
        let Some(host) = self.workers.get(request.worker).map(|worker| worker.host) else { return };
        if let Some(link) = self.links.get_mut(host) {
            link.add(self.now, (number, stamp), request.coming);
        }
        self.announce(host);
    }

    /// The bytes that were to come have come.
    pub(crate) fn came(&mut self, number: u32) -> forebay::Result<()> {
        let Some(request) = self.requests.at(number) else { return Ok(()) };
        let (w, fetch, came) = (request.worker, request.fetch, request.coming);
        if request.local {
            self.requests.take(number);
            return self.one_less(fetch);
        }
        request.left -= came;
        let is_whole = request.left <= 0.5;
        if let Some(worker) = self.workers.get_mut(w) {
            worker.counts.bytes += came;
        }
        if !is_whole {
            return self.again(number, came);
        }
        self.requests.take(number);
        self.leave(w);
        self.one_less(fetch)
    }

    /// A try failed, of which this many bytes came.
    pub(crate) fn again(&mut self, number: u32, came: f64) -> forebay::Result<()> {
        let Some(request) = self.requests.at(number) else { return Ok(()) };
        let (w, fetch) = (request.worker, request.fetch);
        request.came += came;
        if request.came >= FORGIVES as f64 {
            (request.tries, request.came) = (0, 0.0);
        }
        request.tries += 1;
        let (tries, given_up) = (request.tries, request.tries >= TRIES);
        self.leave(w);
        if given_up {
            // A loader tries once more for whoever needs the bytes, and is then at its end. Here it goes on, and is counted.
            if let Some(worker) = self.workers.get_mut(w) {
                worker.counts.given_up += 1;
            }
            self.requests.take(number);
            return self.one_less(fetch);
        }
        if let Some(worker) = self.workers.get_mut(w) {
            worker.counts.retries += 1;
        }
        self.asked += 1;
        let after = wait(tries, self.store.chance(self.asked)).as_secs_f64().max(1e-3);
        let stamp = self.requests.turn(number);
        self.at(self.now + after, Event::Again(number, stamp));
        Ok(())
    }

    /// Forgets a fetch, which came or never will, and gives what waited for it.
    pub(crate) fn release(&mut self, number: u32, came: bool) -> Option<Fetch> {
        let fetch = self.fetches.take(number)?;
        let host = self.workers.get(fetch.worker).map(|worker| worker.host)?;
        if let Some(arriving) = self.arriving.get_mut(host) {
            for block in &fetch.blocks {
                let first = arriving.remove(block).is_some();
                if came && first {
                    // From now on it is in the cache for all, also for those who fetch it at the same time.
                    let (shard, number, _) = *block;
                    let others = (shard, number, 0)..=(shard, number, usize::MAX);
                    let others: Vec<_> = arriving.range(others).map(|(other, _)| *other).collect();
                    for other in others {
                        arriving.remove(&other);
                    }
                }
            }
        }
        Some(fetch)
    }

    /// A fetch waits for one thing less; what waits for fetches that are whole goes on.
    pub(crate) fn one_less(&mut self, number: u32) -> forebay::Result<()> {
        let mut less = vec![number];
        let mut touched = Vec::new();
        while let Some(number) = less.pop() {
            let Some(fetch) = self.fetches.at(number) else { continue };
            fetch.left = fetch.left.saturating_sub(1);
            if fetch.left > 0 {
                continue;
            }
            let Some(fetch) = self.release(number, true) else { continue };
            let w = fetch.worker;
            less.extend(fetch.others);
            let Some(worker) = self.workers.get_mut(w) else { continue };
            if let Some(place) = fetch.place {
                worker.parts.entry(place).and_modify(|part| part.fetch = None);
                worker.reading = worker.reading.saturating_sub(1);
                worker.window.end(fetch.range.end - fetch.range.start);
            }
            for turn in fetch.batches {
                let Some(worker) = self.workers.get_mut(w) else { continue };
                let flight = worker.flights.iter_mut().find(|flight| flight.turn == turn);
                let is_last = flight.is_some_and(|flight| {
                    flight.missing = flight.missing.saturating_sub(1);
                    flight.missing == 0
                });
                if is_last {
                    self.arrive(w, turn);
                }
            }
            touched.push(w);
        }
        for w in touched {
            self.start(w);
            self.advance(w)?;
        }
        Ok(())
    }

    /// All bytes of a batch are here: it is made, behind those that came before.
    fn arrive(&mut self, w: usize, turn: Turn) {
        let (now, work) = (self.now, self.job.sample_seconds * self.job.batch as f64);
        let Some(worker) = self.workers.get_mut(w) else { return };
        let made = worker.busy_until.max(now) + work;
        worker.busy_until = made;
        if made <= now {
            worker.flights.iter_mut().filter(|flight| flight.turn == turn).for_each(|flight| flight.is_made = true);
        } else {
            let generation = worker.generation;
            self.at(made, Event::Made(w, generation, turn));
        }
    }
}
