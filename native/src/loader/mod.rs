//! Batches for training: samples in a shuffled order, decoded and transformed on many threads, in order.
//!
//! ```no_run
//! use forebay_native::loader::{IMAGENET, Image, Loader};
//! # let (rank, world) = (0, 1);
//! let mut loader = Loader::open("train.tbl")?
//!     .filter("width >= 224 && height >= 224")?
//!     .batch(64).workers(8).shuffle(42).shard(rank, world)
//!     .image(Image::new(224, 224).random_resized_crop().hflip().normalize(IMAGENET))
//!     .labels("cls")
//!     .build()?;
//! for epoch in 0..90 {
//!     for batch in loader.epoch(epoch)? {
//!         let batch = batch?;
//!         assert_eq!(batch.shape(), [64, 3, 224, 224]);
//!         let (images, labels) = (batch.images(), batch.labels());
//!     }
//! }
//! # Ok::<(), forebay::Error>(())
//! ```
//!
//! The same loader gives the tensors of a [warehouse](mod@crate::warehouse), of which nothing is decoded, and the boxes of
//! either. A trainer that is to use one or the other changes one path:
//!
//! ```no_run
//! use forebay::warehouse::{ResizeMode, Transform};
//! use forebay_native::loader::Loader;
//! # let path = "captures";
//! // `path` is "captures", of which pictures are decoded, or "warehouse/v…/manifest.json", which was built of them.
//! let mut loader = Loader::open(path)?
//!     .warehouse_transform(Transform::new(Some([384, 384]), ResizeMode::Letterbox, 16))
//!     .batch(64).shuffle(42)
//!     .build()?;
//! for batch in loader.epoch(0)? {
//!     let batch = batch?;
//!     let (images, boxes, mask) = (batch.images(), batch.boxes(), batch.mask()); // [64, 3, 384, 384], [64, 16, 4], [64, 16]
//!     let (classes, frames) = (batch.box_classes(), batch.frame_ids());
//! }
//! # Ok::<(), forebay::Error>(())
//! ```
//!
//! Opening refuses a warehouse that does not hold: a version that does not follow from its key or is not the one that
//! was asked for, a summary that breaks its thresholds, a shard that does not match its checksum. A shard that was
//! proven is not read again by this process as long as its file is the same. What is let through nevertheless stands in
//! [`Loader::notes`]. Settings that mean nothing for what was opened are refused when the loader is built.
//!
//! | file | what it holds |
//! |---|---|
//! | `settings/`, `builder.rs` | the settings: all of them once, and what is said of them in Rust |
//! | `build.rs` | what is opened and refused |
//! | `mod.rs` | the loader: what it does and where it stands |
//! | `worker.rs`, `flight.rs`, `pool.rs` | threads, a batch while it is filled, its memory |
//! | `make.rs` | from a sample's payload to its place in a batch |
//! | `fetching.rs` | reading ahead, where files lie elsewhere |
//! | `batch.rs`, `tensor.rs` | a finished batch, its numbers |
//! | `content.rs`, `labels/`, `policy.rs` | what samples become, their labels, what happens with broken ones |
//! | `annotations.rs`, `targets.rs` | the boxes of pictures, boxes on their way into a batch |
//! | `target/` | named targets of any kind |
//! | `rows/` | rows of tables as batches |
//! | `together.rs` | several pictures on one tensor |
//! | `padding.rs` | pictures of many sizes in one batch |
//! | `stored/` | samples of warehouses |
//! | `sampling.rs` | by what samples are drawn: weights, classes |
//! | `groups.rs`, `split.rs` | batches of pictures of alike shape; parts to train on and to validate with |
//! | `decoded/` | decoded pictures that are kept |
//! | `sources.rs`, `state.rs` | the files, saved positions |
//! | `stats.rs`, `timeline.rs` | times: their sums, and what happened when |
//! | `burn.rs` | the same samples for burn (feature `burn`) |
//! | `codes.rs` | its errors |
//!
//! `docs/loader.md` explains how it works and what was measured.

mod annotations;
mod batch;
mod build;
mod builder;
#[cfg(feature = "burn")]
pub mod burn;
#[doc(hidden)]
mod chosen;
pub mod codes;
mod content;
mod decoded;
mod fetching;
mod flight;
mod groups;
mod host;
mod labels;
mod make;
mod padding;
mod pieces;
mod policy;
mod pool;
mod rows;
mod sampling;
mod settings;
mod shared;
mod sources;
mod split;
mod state;
mod stats;
mod stored;
mod target;
mod targets;
mod tensor;
mod timeline;
mod together;
mod worker;

use std::{
    collections::{BTreeMap, VecDeque},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, OnceLock,
        atomic::{Ordering, fence},
    },
    time::{Duration, Instant},
};

use bytes::BytesMut;
use crossbeam_channel::RecvTimeoutError;

pub use annotations::Annotations;
pub use batch::Batch;
pub use content::Sample;
pub use decoded::{DecodedCache, DecodedStats};
/// What becomes of each picture.
pub use forebay::image::transform::Recipe as Image;
/// Random changes of pictures, and the datasets of AutoAugment.
pub use forebay::image::transform::{Augment, Policy};
/// Where a picture landed on its tensor, and which way round.
pub use forebay::image::transform::{Map, Placement, Rect};
/// Several pictures on one tensor.
pub use forebay::image::transform::{Mixing, Mosaic};
use forebay::{
    Result,
    image::transform::Normalize,
    order::{Item, Order, Position},
    warehouse::Warehouse,
};
pub use groups::Groups;
pub use labels::Labels;
pub use padding::Padding;
pub use pieces::Piece;
pub use policy::{OnBroken, Skipped};
pub use pool::ALIGNMENT;
pub use rows::{RowBatch, RowBatches, RowColumn, Rows, RowsBuilder};
pub use sampling::{Balance, Weights};
pub use settings::{Builder, LoaderSettings};
#[doc(hidden)]
pub use settings::{ImageSettings, Setting};
pub use split::{Split, SplitBy};
pub use state::{Phase, State};
pub use stats::Stats;
pub use stored::Mode;
#[doc(hidden)]
pub use target::TargetPart;
pub use target::{Target, TargetKind, TargetView, padded};
pub use tensor::{Dtype, Tensor};
pub use timeline::{Event, Timeline};

use crate::{identity::lacks_samples, warehouse::Refused};
use fetching::Fetching;
use flight::{Flight, Pools, Task};
use groups::Plan;
use shared::Shared;
use targets::Targets;
use worker::{Threads, Worker};

/// The means and deviations of ImageNet.
pub const IMAGENET: Normalize = Normalize::IMAGENET;

/// Makes batches. Dropping it, at any moment, ends its threads and waits for them.
#[derive(Debug)]
pub struct Loader {
    // First, so that threads end before what they use.
    threads: Option<Threads>,
    /// Does the work of the threads where there is none.
    own: Option<Box<Worker>>,
    /// Reads ahead, where files do not lie on this machine.
    fetching: Option<Fetching>,
    /// Batches on their way, the next one first.
    flights: VecDeque<Arc<Flight>>,
    shared: Arc<Shared>,
    pools: Arc<Pools>,
    plan: Plan,
    rank: u64,
    workers: usize,
    prefetch: usize,
    /// The most tasks that wait.
    room: usize,
    phase: Phase,
    /// The batch that comes next.
    next: Position,
    /// The batch that is sent to the workers next, of the same epoch or the one behind it.
    ahead: Position,
    /// What a saved state says: behind the last good batch.
    done: Position,
    /// True from resuming until the epoch that it stands in is asked for.
    resumed: bool,
    skipped: u64,
    /// The same since this epoch was begun or continued, with its number.
    skipped_here: (u64, u64),
    /// The same since this loader was built, by their causes.
    causes: BTreeMap<&'static str, u64>,
    /// The epoch for which the shards of warehouses were last looked at.
    looked_for: Option<u64>,
    /// Whether an epoch was read to its end, and another asked for.
    goes_on: bool,
    /// All that tells its files from others, once a state was saved; until then no bytes of files elsewhere are asked
    /// for only for that.
    identities: OnceLock<Vec<String>>,
}

impl Loader {
    fn new(
        shared: Shared,
        pools: Pools,
        plan: Plan,
        rank: u64,
        workers: usize,
        (prefetch, room, fetching): (usize, usize, Option<Fetching>),
        (resumed, skipped): (Option<Position>, u64),
    ) -> Loader {
        let next = resumed.unwrap_or(Position { epoch: 0, step: 0 });
        let mut fetching = fetching;
        fetching.iter_mut().for_each(|fetching| fetching.go_to(next));
        Loader {
            threads: None,
            own: None,
            fetching,
            flights: VecDeque::new(),
            shared: Arc::new(shared),
            pools: Arc::new(pools),
            plan,
            rank,
            workers,
            prefetch,
            room,
            phase: Phase::Idle,
            next,
            ahead: next,
            done: next,
            resumed: resumed.is_some(),
            skipped,
            skipped_here: (0, 0),
            causes: BTreeMap::new(),
            looked_for: None,
            goes_on: false,
            identities: OnceLock::new(),
        }
    }

    /// How many threads make samples from its next start on.
    pub(crate) fn set_workers(&mut self, workers: usize) {
        self.workers = workers.max(1);
    }

    /// Stands at this step of the first epoch, with nothing on its way.
    pub(crate) fn stand_at(&mut self, step: u64) {
        self.go_to(Position { epoch: 0, step });
    }
    /// How many events were taken down.
    pub(crate) fn events(&self) -> usize {
        self.shared.clock.recorder.as_ref().map_or(0, timeline::Recorder::events)
    }

    /// The order of samples.
    pub fn order(&self) -> &Order {
        &self.shared.order
    }
    /// Batches of every epoch, on this rank.
    pub fn steps(&self) -> u64 {
        self.shared.order.steps_on(self.rank)
    }
    /// The names of the classes, in the order of their numbers, if labels are names.
    pub fn classes(&self) -> Vec<&str> {
        self.shared.labels.names()
    }
    /// Returns its phase.
    pub fn phase(&self) -> Phase {
        self.phase
    }
    /// The epoch and step that come next.
    pub fn position(&self) -> Position {
        self.next
    }
    /// The names of its [targets](Target), in the order in which they were given.
    pub fn targets(&self) -> impl Iterator<Item = &str> {
        self.shared.ready.names()
    }
    /// The names of the classes of a target, in the order of their numbers; none where these have no names.
    pub fn target_classes(&self, name: &str) -> Vec<&str> {
        self.shared.ready.classes_of(name)
    }
    /// The names of the classes that boxes have, in the order of their numbers.
    pub fn box_classes(&self) -> &[String] {
        let of_warehouse = || self.warehouse().and_then(|warehouse| warehouse.manifest().classes.as_deref());
        let annotated = self.shared.sources.annotated.as_ref();
        annotated.map(|annotated| &*annotated.classes).or_else(of_warehouse).unwrap_or_default()
    }
    /// The warehouse, the first of several, if that is what was opened.
    pub fn warehouse(&self) -> Option<&Warehouse> {
        self.shared.sources.stored.as_ref()?.warehouses().next()
    }
    /// How the shards of a warehouse are held.
    pub fn mode(&self) -> Option<Mode> {
        self.shared.sources.stored.as_ref().map(stored::Stored::mode)
    }
    /// Returns remarks about the inputs: violations of a warehouse that were permitted, shards that could not be proven, and how
    /// long shards took to be opened; of annotations what was left out.
    pub fn notes(&self) -> &[String] {
        let annotated = self.shared.sources.annotated.as_ref().map(|annotated| &annotated.notes);
        let notes = annotated.or(self.shared.sources.stored.as_ref().map(|stored| &stored.notes));
        notes.map(Vec::as_slice).unwrap_or_default()
    }
    /// Frames that are left out since their labels, or what those name, cannot be used.
    pub fn refused(&self) -> &[Refused] {
        self.shared.sources.annotated.as_ref().map(|annotated| &*annotated.refused).unwrap_or_default()
    }
    /// Where the time went so far.
    pub fn stats(&self) -> Stats {
        let mut stats = self.shared.clock.stats();
        stats.decoded = self.shared.decoded.as_ref().map(decoded::Decoded::stats).unwrap_or_default();
        stats.opening = self.shared.sources.stored.as_ref().map_or(Duration::ZERO, |stored| stored.opening);
        stats
    }
    /// Returns the timeline, if [`timeline`](Builder::timeline) asked for one.
    pub fn timeline(&self) -> Option<Timeline> {
        self.shared.clock.recorder.as_ref().map(timeline::Recorder::timeline)
    }
    /// How many bytes of its file an item takes.
    pub(crate) fn stored_bytes(&self, item: &Item) -> u64 {
        let found = self.shared.sources.in_file(item).ok();
        let range = found.and_then(|(dataset, item)| dataset.stored_range(item.sample));
        range.map_or(0, |range| range.end.saturating_sub(range.start))
    }
    /// Broken samples of this rank so far that were skipped or replaced.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Why samples were skipped or replaced since this loader was built: how many, by the code of the error.
    pub fn causes(&self) -> &BTreeMap<&'static str, u64> {
        &self.causes
    }

    /// Where the run stands: behind the last batch that was given. Batches that are only on their way do not count,
    /// nor one that was an error.
    ///
    /// Where files lie elsewhere the first call asks for some bytes of each, which tell it from another of its layout. If
    /// they do not come, the state goes without, and resuming compares the rest.
    pub fn state(&self) -> State {
        let mut order = self.shared.order.state(self.done.epoch, self.done.step);
        if order.sources.iter().any(|source| lacks_samples(&source.identity))
            && let Some(whole) = self.identities()
        {
            order.sources.iter_mut().zip(whole).for_each(|(source, whole)| source.identity.clone_from(whole));
        }
        State { order, version: state::VERSION, groups: self.plan.groups().cloned(), skipped: self.skipped }
    }

    /// All that tells its files from others, if it can be read.
    fn identities(&self) -> Option<&Vec<String>> {
        self.identities.get().or_else(|| {
            let found = self.shared.sources.identities().ok()?;
            Some(self.identities.get_or_init(|| found))
        })
    }

    /// The batches of one epoch. If the loader was resumed in the middle of it, the first call gives what is left
    /// of it; otherwise it begins at its beginning. This starts a loader that was [stopped](Self::stop).
    pub fn epoch(&mut self, epoch: u64) -> Result<Batches<'_>> {
        self.refuse_empty()?;
        let resumes = std::mem::take(&mut self.resumed) && self.next.epoch == epoch;
        // What was made ahead of this very epoch is wanted.
        let follows = self.next == Position { epoch, step: 0 };
        if resumes || follows {
            // Asking for an epoch starts a loader that was stopped, this one too.
            self.phase = if self.phase == Phase::Stopped { Phase::Idle } else { self.phase };
        } else {
            self.shared.order.epoch(epoch)?;
            self.go_to(Position { epoch, step: 0 });
        }
        if follows || !resumes {
            self.done = self.next;
        }
        Ok(Batches { loader: self, ended: false })
    }

    /// Starts making batches, from where the loader stands. [`next_batch`](Self::next_batch) does so by itself,
    /// unless the loader was [stopped](Self::stop).
    pub fn start(&mut self) -> Result<()> {
        self.refuse_empty()?;
        self.run()?;
        self.fill()
    }

    /// Training on nothing would run without a word.
    fn refuse_empty(&self) -> Result<()> {
        let order = self.order();
        if order.steps() > 0 || self.shared.allow_empty {
            return Ok(());
        }
        let (n, batch, world) = (order.epoch_samples(), order.settings().batch, order.settings().world);
        if n == 0 {
            let message = "there is no sample to give: the filter, the chosen samples or the labels leave none";
            return Err(forebay::Error::new(&codes::SETTINGS, message));
        }
        Err(forebay::Error::new(
            &codes::SETTINGS,
            format!(
                "{n} samples do not fill a batch of {batch} on each of {world} ranks, and the tail is dropped: take a \
                 smaller batch, a tail of pad or uneven, or allow_empty for epochs without a batch"
            ),
        ))
    }

    fn run(&mut self) -> Result<()> {
        if self.threads.is_none() && !self.shared.by_caller {
            self.threads = Some(Threads::start(&self.shared, self.workers, self.room)?);
        }
        self.phase = Phase::Running;
        Ok(())
    }

    /// The next batch; `None` once at the end of an epoch, after which the next one begins. A batch with a broken
    /// sample is an error, if these are to be raised, and the batch behind it comes next.
    pub fn next_batch(&mut self) -> Result<Option<Batch>> {
        self.next_until(None).map(Option::flatten)
    }

    /// The same, or nothing where it is not there by then.
    fn next_until(&mut self, until: Option<Instant>) -> Result<Option<Option<Batch>>> {
        if self.phase == Phase::Stopped {
            return Err(forebay::Error::new(&codes::STOPPED, "the loader was stopped; start it again first"));
        }
        self.refuse_empty()?;
        self.run()?;
        if self.shared.by_caller {
            return self.next_by_caller().map(Some);
        }
        // What is wrong with later batches, such as a file that became shorter, is said when it is their turn.
        let filled = self.fill();
        let Some(flight) = self.flights.front().filter(|flight| flight.epoch == self.next.epoch).cloned() else {
            if self.ahead.epoch == self.next.epoch && self.ahead.step < self.shared.order.steps() {
                filled?;
            }
            return Ok(Some(self.end_epoch()));
        };
        if !self.wait(&flight, until)? {
            return Ok(None);
        }
        self.flights.pop_front();
        self.next.step = flight.step + 1;
        if let Some(fetching) = &mut self.fetching {
            fetching.done(Position { epoch: flight.epoch, step: flight.step });
        }
        // The workers go on while the caller looks at this batch; if they cannot, the next call says so.
        let _ = self.fill();
        let mut targets = Targets::default();
        let (slots, memory, named) = flight.land(|slots| targets = Targets::of(slots, self.shared.places));
        let mut batch = self.begin((flight.epoch, flight.step, flight.kind), slots.len());
        if flight.bytes.cell.is_some() {
            (batch.cell, batch.slot_bytes) = (flight.bytes.cell, flight.bytes.numbers);
            batch.sizes.reserve_exact(slots.len());
        }
        (batch.targets, batch.named, batch.memory) = (targets, named, OnceLock::from(memory));
        for (place, slot) in slots.into_iter().enumerate() {
            batch.settle(place, slot)?;
        }
        self.give(batch, flight.kind).map(|batch| Some(Some(batch)))
    }

    /// Stands behind the epoch's end.
    fn end_epoch(&mut self) -> Option<Batch> {
        self.next = match self.next.epoch.checked_add(1) {
            Some(epoch) => Position { epoch, step: 0 },
            // No epoch is behind the last that can be counted.
            None => Position { step: self.shared.order.steps(), ..self.next },
        };
        if self.ahead.epoch < self.next.epoch {
            self.ahead = self.next;
        }
        self.done = self.next;
        self.phase = Phase::Idle;
        self.goes_on = true;
        None
    }

    /// Refuses the first broken sample of a batch that is more than an epoch may have.
    fn refuse_many_broken(&mut self, batch: &mut Batch) -> Result<()> {
        let before = if self.skipped_here.0 == batch.epoch { self.skipped_here.1 } else { 0 };
        self.skipped_here = (batch.epoch, before + batch.skipped.len() as u64);
        let room =
            self.shared.max_broken.map(|most| usize::try_from(most.saturating_sub(before)).unwrap_or(usize::MAX));
        match room.filter(|room| *room < batch.skipped.len()) {
            Some(room) => Err(batch.skipped.swap_remove(room).error.with_options(&["max_broken"])),
            None => Ok(()),
        }
    }

    /// Gives a batch that has all of its samples.
    fn give(&mut self, mut batch: Batch, kind: usize) -> Result<Batch> {
        self.refuse_many_broken(&mut batch)?;
        batch.shape.push(batch.items.len());
        let content = self.shared.contents.get(kind);
        batch.shape.extend(match (batch.cell, content.and_then(content::Content::image)) {
            (Some((width, height)), Some(image)) => image.layout.shape(width as usize, height as usize).to_vec(),
            _ => content.map(content::Content::shape).unwrap_or_default(),
        });
        self.done = self.next;
        self.skipped += batch.skipped.len() as u64;
        for one in &batch.skipped {
            *self.causes.entry(one.error.code().id()).or_default() += 1;
        }
        Ok(batch)
    }

    /// As [`next_batch`](Self::next_batch), where no batch is made ahead: this thread takes its samples.
    fn next_by_caller(&mut self) -> Result<Option<Batch>> {
        let begun = Instant::now();
        let shared = self.shared.clone();
        let epoch = shared.order.epoch(self.next.epoch)?;
        let samples = shared.order.epoch_samples();
        while self.next.step < epoch.steps() {
            let (step_here, sources) = ((self.next.step, self.rank), (samples, &shared.sources));
            let (items, kind) = self.plan.items(&epoch, shared.order.settings(), step_here, sources)?;
            if items.is_empty() {
                self.next.step += 1;
                continue;
            }
            self.look_at_shards(epoch.number())?;
            let what = (epoch.number(), self.next.step, kind);
            self.next.step += 1;
            self.ahead = self.next;
            let mut batch = self.begin(what, items.len());
            if shared.ready.is_empty() {
                batch.targets = Targets::with_room(items.len(), shared.places);
                for item in &items {
                    self.lend(&mut batch, item, kind)?;
                }
            } else {
                self.make_here(&mut batch, &items, kind)?;
            }
            shared.clock.lent(begun, items.len(), (what.0, what.1));
            return self.give(batch, kind).map(Some);
        }
        Ok(self.end_epoch())
    }

    /// Makes all samples of a batch here, each in a slot of its own: named targets are written, also those of samples that
    /// are lent.
    fn make_here(&mut self, batch: &mut Batch, items: &[Item], kind: usize) -> Result<()> {
        let shared = batch.shared.clone();
        let (mut slots, rest, named) = self.pools.slots(items, shared.slot(kind));
        let worker = self.own.get_or_insert_with(|| Box::new(Worker::new(shared.clone(), 0)));
        slots.iter_mut().for_each(|slot| worker.try_to_fill((batch.epoch, kind), slot));
        batch.targets = Targets::of(&slots, shared.places);
        batch.named = self.pools.take_back(&mut slots, rest, named);
        slots.into_iter().enumerate().try_for_each(|(place, slot)| batch.settle(place, slot))
    }

    /// Takes a sample of a warehouse into a batch, where it lies. What cannot be lent goes the way of all others, which
    /// knows what becomes of broken samples.
    fn lend(&mut self, batch: &mut Batch, item: &Item, kind: usize) -> Result<()> {
        let shared = &batch.shared;
        let (before, mut buffer) = (batch.items.len(), BytesMut::new());
        let lent = shared.sources.stored.as_ref().map(|stored| {
            let targets = &mut batch.targets;
            catch_unwind(AssertUnwindSafe(|| {
                let label = shared.labels.of(&shared.sources, item, &mut buffer)?;
                Ok::<_, forebay::Error>((label, stored.lend(item, shared.places, targets)?))
            }))
        });
        if let Some(Ok(Ok((label, image)))) = lent {
            batch.payloads.push(image);
            batch.take(*item, label);
            return Ok(());
        }
        batch.targets.truncate(before, shared.places);
        let shared = shared.clone();
        let (mut slots, rest, named) = self.pools.slots(std::slice::from_ref(item), shared.slot(kind));
        let worker = self.own.get_or_insert_with(|| Box::new(Worker::new(shared, 0)));
        slots.iter_mut().for_each(|slot| worker.try_to_fill((batch.epoch, kind), slot));
        slots.iter().filter(|slot| !slot.is_left_out()).for_each(|slot| batch.targets.take(slot));
        let named = self.pools.take_back(&mut slots, rest, named);
        self.pools.named.give(named);
        slots.into_iter().try_for_each(|slot| batch.settle(before, slot))
    }

    /// Once an epoch, whether the shards of warehouses are still what was proven.
    fn look_at_shards(&mut self, epoch: u64) -> Result<()> {
        if let Some(stored) = self.shared.sources.stored.as_ref().filter(|_| self.looked_for != Some(epoch)) {
            stored.unchanged()?;
            self.looked_for = Some(epoch);
        }
        Ok(())
    }

    fn flight(&self, (epoch, step): (u64, u64), items: Vec<Item>, kind: usize) -> Flight {
        let now = (epoch, step, self.shared.generation.load(Ordering::Relaxed));
        let bytes = self.shared.slot_for(kind, &items);
        Flight::new(now, items, (kind, bytes), &self.pools)
    }

    /// Stops: what is on its way is thrown away, the threads end. The position stays, so that
    /// [`start`](Self::start) goes on behind the last batch that was given.
    pub fn stop(&mut self) {
        self.go_to(self.next);
        self.threads = None;
        self.fetching.iter_mut().for_each(Fetching::stop);
        self.phase = Phase::Stopped;
    }

    /// Goes back to the beginning of the epoch. The threads wait.
    pub fn reset(&mut self) {
        self.go_to(Position { epoch: self.next.epoch, step: 0 });
        self.done = self.next;
    }

    /// Throws away what is on its way and stands elsewhere.
    fn go_to(&mut self, position: Position) {
        self.shared.generation.fetch_add(1, Ordering::Relaxed);
        self.flights.clear();
        self.fetching.iter_mut().for_each(|fetching| fetching.go_to(position));
        self.looked_for = None;
        self.skipped_here = (position.epoch, 0);
        (self.next, self.ahead) = (position, position);
        self.phase = Phase::Idle;
    }

    /// Sends batches to the workers until enough are on their way, those of this epoch first and then the next one's.
    fn fill(&mut self) -> Result<()> {
        if let Some(fetching) = self.fetching.as_mut().filter(|_| self.threads.is_some()) {
            let following = if self.goes_on { self.prefetch } else { 0 };
            fetching.look(&self.shared, (self.rank, self.next.epoch, following));
        }
        self.fill_from(self.next.epoch)?;
        // Files elsewhere cost requests, and whoever has read one epoch alone may want no other.
        if self.fetching.is_some() && !self.goes_on {
            return Ok(());
        }
        let Some(following) = self.next.epoch.checked_add(1) else { return Ok(()) };
        if self.flights.len() < self.prefetch && self.ahead.epoch == self.next.epoch {
            self.ahead = Position { epoch: following, step: 0 };
        }
        // What is wrong with that epoch is said when it has begun.
        let _ = self.fill_from(following);
        Ok(())
    }

    fn fill_from(&mut self, number: u64) -> Result<()> {
        if self.threads.is_none() || self.ahead.epoch != number || self.flights.len() >= self.prefetch {
            return Ok(());
        }
        let shared = self.shared.clone();
        let epoch = shared.order.epoch(number)?;
        let samples = shared.order.epoch_samples();
        while self.flights.len() < self.prefetch && self.ahead.step < epoch.steps() {
            let step = self.ahead.step;
            let (step_here, sources) = ((step, self.rank), (samples, &shared.sources));
            let (items, kind) = self.plan.items(&epoch, shared.order.settings(), step_here, sources)?;
            if items.is_empty() {
                self.ahead.step += 1;
                continue; // An uneven tail that is too small for all ranks.
            }
            self.look_at_shards(number)?;
            let known = self.fetching.as_mut().and_then(|fetching| fetching.known(self.ahead));
            shared.announce(&epoch, &items, (kind, known))?;
            if let Some(fetching) = &mut self.fetching {
                fetching.begun(self.ahead);
            }
            self.ahead.step += 1;
            let flight = Arc::new(self.flight((epoch.number(), step), items, kind));
            let threads = self.threads.as_ref().ok_or_else(worker::ended)?;
            for slot in 0..flight.len() {
                threads.send(Task { flight: flight.clone(), slot })?;
            }
            self.flights.push_back(flight);
        }
        Ok(())
    }

    /// Waits for the workers; false where the time came first.
    fn wait(&self, flight: &Flight, until: Option<Instant>) -> Result<bool> {
        let begun = Instant::now();
        let ticks = &self.threads.as_ref().ok_or_else(worker::ended)?.ticks;
        while !flight.is_done() {
            match until {
                None => ticks.recv().map_err(|_| worker::ended())?,
                Some(until) => match ticks.recv_deadline(until) {
                    Ok(()) => {}
                    Err(RecvTimeoutError::Timeout) => break,
                    Err(RecvTimeoutError::Disconnected) => return Err(worker::ended()),
                },
            }
            // A worker that found this tick waiting sent none of its own: what it finished must be seen now.
            fence(Ordering::SeqCst);
        }
        self.shared.clock.waited(begun, (flight.epoch, flight.step));
        Ok(flight.is_done())
    }

    /// A batch with room for this many samples.
    fn begin(&self, (epoch, step, kind): (u64, u64, usize), samples: usize) -> Batch {
        let shared = &self.shared;
        let slot_bytes = shared.slot_bytes.get(kind).copied().unwrap_or(0);
        let mut batch = Batch {
            epoch,
            step,
            items: Vec::with_capacity(samples),
            indices: Vec::with_capacity(samples),
            labels: Vec::new(),
            placements: Vec::new(),
            payloads: Vec::new(),
            pieces: Vec::new(),
            sizes: Vec::new(),
            cell: None,
            skipped: Vec::new(),
            shape: Vec::new(),
            slot_bytes,
            is_placed: shared.contents.get(kind).is_some_and(content::Content::is_placed),
            dtype: shared.dtype,
            memory: OnceLock::new(),
            targets: Targets::default(),
            named: Vec::new(),
            pools: self.pools.clone(),
            shared: shared.clone(),
        };
        if batch.is_placed {
            batch.placements.reserve_exact(samples);
        }
        if !shared.together.is_empty() {
            batch.pieces.reserve_exact(samples);
        }
        if shared.by_caller {
            batch.payloads.reserve_exact(samples);
        }
        batch
    }
}

impl Drop for Loader {
    fn drop(&mut self) {
        // So that the workers pass over what waits instead of finishing it.
        self.stop();
    }
}

/// The batches of one epoch, in order.
#[derive(Debug)]
pub struct Batches<'a> {
    loader: &'a mut Loader,
    ended: bool,
}

impl Batches<'_> {
    /// The loader, to ask for its state between batches.
    pub fn loader(&self) -> &Loader {
        self.loader
    }
}

impl Iterator for Batches<'_> {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Result<Batch>> {
        if self.ended {
            return None;
        }
        let before = self.loader.next;
        let batch = self.loader.next_batch().transpose();
        // An error that is not of one batch, such as of a file that became shorter, would come for ever.
        let stuck = matches!(batch, Some(Err(_))) && self.loader.next == before;
        self.ended = batch.is_none() || stuck;
        batch
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.loader.steps().saturating_sub(self.loader.next.step);
        let left = if self.ended { 0 } else { usize::try_from(left).unwrap_or(usize::MAX) };
        // A file that became shorter ends it with one error.
        (left.min(1), Some(left))
    }
}
