//! The threads that make samples.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{Ordering, fence},
    },
    thread::{self, JoinHandle},
    time::Instant,
};

#[cfg(feature = "burn")]
use bytes::BytesMut;
use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use forebay::{Error, Result, error::codes as common, order::Item};

use super::{
    codes,
    flight::{Flight, Slot, Task},
    make::Tools,
    policy::{OnBroken, TRIES},
    shared::Shared,
};
use crate::parallel::cores::{Core, Cores};

/// The threads, and the queues to and from them. They end when it is dropped.
#[derive(Debug)]
pub(super) struct Threads {
    tasks: Option<Sender<Task>>,
    /// Says that some batch has become whole.
    pub(super) ticks: Receiver<()>,
    threads: Vec<JoinHandle<()>>,
}

impl Threads {
    /// Starts the threads. At most `room` tasks wait.
    pub(super) fn start(shared: &Arc<Shared>, workers: usize, room: usize) -> Result<Threads> {
        let (give, take) = bounded::<Task>(room);
        let (tick, ticks) = bounded(1);
        let mut threads = Threads { tasks: Some(give), ticks, threads: Vec::new() };
        let cores = Cores::new(workers);
        for number in 0..workers {
            let (shared, take, tick) = (shared.clone(), take.clone(), tick.clone());
            let core = Core::new(cores.clone(), number);
            let run = move || Worker::new(shared, number as u16).work((&take, &tick), core);
            // If this fails, dropping the threads ends the threads before.
            let thread = thread::Builder::new().name(format!("forebay-{number}")).spawn(run);
            threads.threads.push(thread.map_err(|e| no_thread((number, workers), e))?);
        }
        Ok(threads)
    }

    /// Hands a task to the workers.
    pub(super) fn send(&self, task: Task) -> Result<()> {
        match self.tasks.as_ref().map(|tasks| tasks.send(task)) {
            Some(Ok(())) => Ok(()),
            _ => Err(ended()),
        }
    }
}

fn no_thread((started, wanted): (usize, usize), e: std::io::Error) -> Error {
    let message = format!(
        "cannot start worker {} of {wanted}: {e}; give the loader fewer workers, or the process more threads and memory \
         (`ulimit -u`, `ulimit -v`, the limits of its container)",
        started + 1
    );
    Error::caused(&common::IO, message, e)
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.tasks = None;
        for thread in self.threads.drain(..) {
            // A worker catches panics; one that ended by one has nothing more to say.
            let _ = thread.join();
        }
    }
}

pub(super) fn ended() -> Error {
    Error::new(&codes::PANIC, "the loader's workers ended before their work was done")
}

/// One thread.
#[derive(Debug)]
pub(super) struct Worker {
    shared: Arc<Shared>,
    tools: Tools,
}

impl Worker {
    pub(super) fn new(shared: Arc<Shared>, number: u16) -> Worker {
        let tools = Tools::new(&shared, number);
        Worker { shared, tools }
    }

    /// Makes one sample by itself, in memory of a slot's size.
    #[cfg(feature = "burn")]
    pub(super) fn single(&mut self, epoch: u64, item: Item, (memory, targets): (BytesMut, BytesMut)) -> Result<Slot> {
        let mut slot = Slot::new(item, memory, targets, Vec::new());
        self.guarded((epoch, 0), &item, &item, &mut slot)?;
        Ok(slot)
    }

    fn work(mut self, (tasks, tick): (&Receiver<Task>, &Sender<()>), mut core: Core) {
        loop {
            let idle = Instant::now();
            let waiting = tasks.try_recv().or_else(|_| {
                core.rise();
                tasks.recv()
            });
            let Ok(Task { flight, slot: number }) = waiting else { return };
            self.shared.clock.idle(self.tools.number, idle);
            core.sit();
            if self.fill(&flight, number) {
                drop(flight);
                fence(Ordering::SeqCst);
                // If a tick waits already, the loader will look at all batches.
                if let Err(TrySendError::Disconnected(())) = tick.try_send(()) {
                    return;
                }
            }
        }
    }

    /// Fills a slot; true if it was the last of its flight.
    fn fill(&mut self, flight: &Flight, number: usize) -> bool {
        let mut slot = flight.take(number);
        if let Some(slot) = &mut slot
            && self.shared.generation.load(Ordering::Relaxed) == flight.generation
        {
            self.try_to_fill((flight.epoch, flight.kind), slot);
        }
        flight.give(number, slot)
    }

    /// Makes the sample of a slot, or one that stands in for it, or says what is wrong with it.
    pub(super) fn try_to_fill(&mut self, what: (u64, usize), slot: &mut Slot) {
        let item = slot.item;
        if let Err(error) = self.guarded(what, &item, &item, slot) {
            if self.shared.on_broken == OnBroken::Replace && self.shared.on_broken.forgives(&error) {
                slot.stand_in = self.replace(what, slot);
            }
            slot.error = Some(error);
        }
    }

    /// Makes the first good sample of those that follow a broken one.
    fn replace(&mut self, what: (u64, usize), slot: &mut Slot) -> Option<Item> {
        let shared = self.shared.clone();
        let order = shared.order.epoch(what.0).ok()?;
        let (broken, samples) = (slot.item, shared.order.epoch_samples());
        (1..=TRIES.min(samples)).find_map(|further| {
            let mut position = broken.position.checked_add(further)?;
            if !broken.padded {
                // Behind the epoch's end its first samples come again, but this one fills no tail.
                position %= samples;
            }
            let item = order.item(position)?;
            self.guarded(what, &item, &broken, slot).ok().map(|()| item)
        })
    }

    /// Makes a sample; a panic becomes an error, and the tools that were in use then are replaced.
    fn guarded(&mut self, what: (u64, usize), item: &Item, drawn_as: &Item, slot: &mut Slot) -> Result<()> {
        let Worker { shared, tools } = self;
        let outcome = catch_unwind(AssertUnwindSafe(|| tools.make(shared, what, (item, drawn_as), slot)));
        outcome.unwrap_or_else(|panic| {
            *tools = Tools::new(shared, tools.number);
            let said = words(&*panic).to_owned();
            // What was thrown may panic again when it is dropped, which would end this thread and lose its slot.
            if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
                std::mem::forget(again);
            }
            let file = shared.sources.of(item).map_or("", |dataset| dataset.name()).to_owned();
            let message = format!("a worker panicked: {said}");
            Err(Error::new(&codes::PANIC, message).file(file).sample(item.sample))
        })
    }
}

/// What a panic said.
fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a word")
}
