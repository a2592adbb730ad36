//! Reading ahead for files that do not lie on this machine: the loader's order, told to a planner.

use std::{collections::VecDeque, sync::Arc};

use forebay::order::{Item, Position};

use super::{
    groups::{Groups, Plan},
    shared::Shared,
    sources::Sources,
};
use crate::ahead::{ALWAYS, AT_ONCE, Fetch, Inputs, Planner, Store, Threads, Turn};

/// Metadata of a file up to this share of what may wait is fetched as a whole and stays, where labels come from it.
const SHARE: u64 = 8;

/// What is fetched ahead, and how far the order was told.
#[derive(Debug)]
pub(super) struct Fetching {
    // First, so that threads end before what they use.
    threads: Option<Threads>,
    store: Arc<Store>,
    inputs: Inputs,
    planner: Planner,
    plan: Plan,
    bound: u64,
    /// Whether samples' records are read.
    records: bool,
    /// Of which files these are fetched as a whole.
    resident: Vec<Option<Fetch>>,
    /// The batch that the planner is told next.
    told: Position,
    /// What is read for the batches that it knows, if that is more than their own samples.
    known: VecDeque<(Turn, Vec<Item>)>,
}

fn turn(at: Position) -> Turn {
    (at.epoch, at.step)
}

impl Fetching {
    /// For files elsewhere; none if all of them are here. From then on their bytes come out of a store.
    pub(super) fn new(sources: &mut Sources, groups: Option<&Groups>, bound: u64, records: bool) -> Option<Fetching> {
        if bound == 0 || sources.are_local() {
            return None;
        }
        let store = Arc::new(Store::new(bound));
        let inputs = sources.fetched_ahead(&store);
        let resident = |(source, dataset): (usize, &crate::Dataset)| {
            inputs.get(source)?.as_ref()?;
            let range = dataset.tbl()?.header().metadata.clone()?;
            let fits = range.end - range.start <= bound / SHARE / inputs.len() as u64;
            (records && fits).then_some(Fetch { source, range, last: ALWAYS })
        };
        Some(Fetching {
            threads: None,
            resident: sources.datasets().iter().enumerate().map(resident).collect(),
            store,
            inputs: Arc::new(inputs),
            planner: Planner::new(bound),
            plan: Plan::new(groups.cloned()),
            bound,
            records,
            told: Position { epoch: 0, step: 0 },
            known: VecDeque::new(),
        })
    }

    /// Fetches from here on, and nothing that was asked for before.
    pub(super) fn go_to(&mut self, at: Position) {
        self.store.clear();
        self.planner = Planner::new(self.bound);
        self.told = at;
        self.known.clear();
    }

    /// Ends the threads.
    pub(super) fn stop(&mut self) {
        self.threads = None;
    }

    /// Looks ahead. Of an epoch that nobody asked for yet no more is fetched than this many batches, which are made of it.
    pub(super) fn look(&mut self, shared: &Shared, (rank, now, following): (u64, u64, usize)) {
        if self.threads.is_none() {
            self.threads = Some(Threads::start(&self.store, &self.inputs, AT_ONCE));
            self.resident.iter().flatten().for_each(|fetch| self.store.ask(fetch.clone()));
        }
        loop {
            self.tell(shared, (rank, now, following));
            let Some(fetch) = self.planner.fetch() else { break };
            self.store.ask(fetch);
        }
    }

    /// Tells the planner what comes, as far as it wants to know.
    fn tell(&mut self, shared: &Shared, (rank, now, following): (u64, u64, usize)) {
        while self.planner.is_hungry() {
            if self.told.epoch > now && self.told.step >= following as u64 {
                break;
            }
            let Ok(epoch) = shared.order.epoch(self.told.epoch) else { break };
            if self.told.step >= epoch.steps() {
                if self.told.epoch > now || epoch.steps() == 0 {
                    break;
                }
                self.told = Position { epoch: self.told.epoch + 1, step: 0 };
                continue;
            }
            let (at, samples) = ((self.told.step, rank), (shared.order.epoch_samples(), &shared.sources));
            let Ok((items, kind)) = self.plan.items(&epoch, shared.order.settings(), at, samples) else { break };
            let read = shared.read_for(&epoch, items, kind);
            for item in &read {
                let record = self.records && self.resident.get(item.source).is_none_or(Option::is_none);
                for (source, range) in shared.sources.ranges(item, record, |item| shared.is_kept(item, kind)) {
                    if self.inputs.get(source).is_some_and(Option::is_some) {
                        self.planner.want(turn(self.told), source, range);
                    }
                }
            }
            if !shared.together.is_empty() {
                self.known.push_back((turn(self.told), read));
            }
            self.told.step += 1;
        }
    }

    /// What is read for a batch, if the planner knows it.
    pub(super) fn known(&mut self, at: Position) -> Option<Vec<Item>> {
        while self.known.front().is_some_and(|(of, _)| *of < turn(at)) {
            self.known.pop_front();
        }
        self.known.pop_front_if(|(of, _)| *of == turn(at)).map(|(_, read)| read)
    }

    /// A batch is sent to the workers.
    pub(super) fn begun(&mut self, at: Position) {
        self.planner.begun(turn(at));
        if turn(self.told) <= turn(at) {
            self.told = Position { epoch: at.epoch, step: at.step + 1 };
        }
    }

    /// A batch was made, and those before it.
    pub(super) fn done(&mut self, at: Position) {
        self.planner.done(turn(at));
        self.store.done(turn(at));
    }
}
