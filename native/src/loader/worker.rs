//! The threads that make samples.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering, fence},
    },
    thread::{self, JoinHandle},
    time::Instant,
};

use bytes::{Bytes, BytesMut};
use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use forebay::{
    Error, Result,
    annotations::Raster,
    error::codes as common,
    image::{
        decode::{Decoder, Options as DecodeOptions, cost},
        transform::{Out, Placement, Rect, Together, Transformer, f16},
    },
    order::{Item, Order},
    warehouse::{self, Endianness, to_f32},
};

use super::{
    Dtype, codes,
    content::{Content, Sample},
    decoded::{Decoded, Keeping, Wish},
    flight::{Flight, Slot, Task},
    labels::Resolver,
    padding::{Around, Padding},
    policy::{OnBroken, TRIES},
    sources::Sources,
    stats::{Clock, Lap, Stage},
    target::{Eye, Ready, Seen},
    targets::{Parts, corners},
    together::Lists,
};
use crate::{
    dataset::Stored,
    parallel::{
        budget::Budget,
        seats::{Seat, Seats},
    },
    warehouse::{How, Imager, place},
};

/// What all threads of a loader share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) sources: Sources,
    pub(super) order: Order,
    /// What samples become: one content for every size that batches may have, at least one.
    pub(super) contents: Vec<Content>,
    /// Bytes of a sample's slot, for each content; 0 if there is no tensor.
    pub(super) slot_bytes: Vec<usize>,
    /// Places for boxes; 0 if none were asked for.
    pub(super) places: usize,
    /// Samples are taken by the caller's thread, and lent where they lie.
    pub(super) by_caller: bool,
    pub(super) read_ahead: bool,
    pub(super) dtype: Dtype,
    pub(super) labels: Resolver,
    pub(super) labeled: bool,
    /// Named targets.
    pub(super) ready: Ready,
    /// Several pictures on one tensor, and lists for what they are.
    pub(super) together: Together,
    /// Pictures of many sizes in one batch, and the numbers around them.
    pub(super) padding: Option<(Padding, Around)>,
    pub(super) lists: Lists,
    pub(super) on_broken: OnBroken,
    pub(super) allow_empty: bool,
    pub(super) decode: DecodeOptions,
    pub(super) verify: bool,
    /// What decoding may hold.
    pub(super) budget: Budget,
    pub(super) workers: usize,
    pub(super) clock: Clock,
    /// Decoded pictures that are kept.
    pub(super) decoded: Option<Decoded>,
    /// Counts up when what is on its way is no longer wanted.
    pub(super) generation: AtomicU64,
}

/// The threads, and the queues to and from them. They end when it is dropped.
#[derive(Debug)]
pub(super) struct Crew {
    tasks: Option<Sender<Task>>,
    /// Says that some batch has become whole.
    pub(super) ticks: Receiver<()>,
    threads: Vec<JoinHandle<()>>,
}

impl Crew {
    /// Starts the threads. At most `room` tasks wait.
    pub(super) fn start(shared: &Arc<Shared>, workers: usize, room: usize) -> Result<Crew> {
        let (give, take) = bounded::<Task>(room);
        let (tick, ticks) = bounded(1);
        let mut crew = Crew { tasks: Some(give), ticks, threads: Vec::new() };
        let seats = Seats::new(workers);
        for number in 0..workers {
            let (shared, take, tick) = (shared.clone(), take.clone(), tick.clone());
            let seat = Seat::new(seats.clone(), number);
            let run = move || Worker { number: number as u16, ..Worker::new(shared) }.work((&take, &tick), seat);
            // If this fails, dropping the crew ends the threads before.
            let thread = thread::Builder::new().name(format!("forebay-{number}")).spawn(run);
            crew.threads.push(thread.map_err(|e| no_thread((number, workers), e))?);
        }
        Ok(crew)
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

impl Drop for Crew {
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

/// One thread's own tools.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) shared: Arc<Shared>,
    /// Its number among the loader's.
    pub(super) number: u16,
    pub(super) keeping: Keeping,
    pub(super) decoder: Decoder,
    /// For each content that is pictures.
    pub(super) transformers: Vec<Option<Transformer>>,
    /// Where payloads are read to, in files that are not mapped.
    pub(super) buffer: BytesMut,
    /// For each content that is prepared as for a warehouse: how.
    hows: Vec<Option<How>>,
    imager: Imager,
    halves: Option<Box<[f16; 256]>>,
    /// Boxes of a picture, for crops that look at them.
    pub(super) rects: Vec<Rect>,
    pub(super) raster: Raster,
    pub(super) eye: Eye,
}

impl Worker {
    pub(super) fn new(shared: Arc<Shared>) -> Worker {
        let transformer = |content: &Content| match content {
            // The recipe was checked when the loader was built.
            Content::Images(image) => Transformer::new((**image).clone()).ok(),
            _ => None,
        };
        let transformers = shared.contents.iter().map(transformer).collect();
        let how = |content: &Content| match content {
            Content::Prepared(transform) => Some(How {
                size: transform.target_size.unwrap_or_default(),
                resize: transform.resize_mode,
                decode: shared.decode.clone(),
            }),
            _ => None,
        };
        let hows = shared.contents.iter().map(how).collect();
        let (decoder, buffer, imager) = (Decoder::default(), BytesMut::new(), Imager::default());
        let (halves, raster, eye) = (None, Raster::default(), shared.ready.eye());
        let keeping = Keeping::new(shared.decoded.as_ref());
        let (number, rects) = (0, Vec::new());
        Worker { shared, number, keeping, decoder, transformers, buffer, hows, imager, halves, raster, eye, rects }
    }

    /// Makes one sample by itself, in memory of a slot's size.
    #[cfg(feature = "burn")]
    pub(super) fn single(&mut self, epoch: u64, item: Item, (memory, targets): (BytesMut, BytesMut)) -> Result<Slot> {
        let mut slot = Slot::new(item, memory, targets, Vec::new());
        self.guarded((epoch, 0), &item, &item, &mut slot)?;
        Ok(slot)
    }

    fn work(mut self, (tasks, tick): (&Receiver<Task>, &Sender<()>), mut seat: Seat) {
        loop {
            let idle = Instant::now();
            let waiting = tasks.try_recv().or_else(|_| {
                seat.rise();
                tasks.recv()
            });
            let Ok(Task { flight, slot: number }) = waiting else { return };
            self.shared.clock.idle(self.number, idle);
            seat.sit();
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
        let outcome = catch_unwind(AssertUnwindSafe(|| self.make(what, item, drawn_as, slot)));
        outcome.unwrap_or_else(|panic| {
            *self = Worker { number: self.number, ..Worker::new(self.shared.clone()) };
            let said = words(&*panic).to_owned();
            // What was thrown may panic again when it is dropped, which would end this thread and lose its slot.
            if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
                std::mem::forget(again);
            }
            let file = self.shared.sources.of(item).map_or("", |dataset| dataset.name()).to_owned();
            let message = format!("a worker panicked: {said}");
            Err(Error::new(&codes::PANIC, message).file(file).sample(item.sample))
        })
    }

    fn make(&mut self, (epoch, kind): (u64, usize), item: &Item, drawn_as: &Item, slot: &mut Slot) -> Result<()> {
        if !self.shared.together.is_empty() {
            return self.bring_together((epoch, kind), (item, drawn_as), slot);
        }
        let Worker { shared, number, keeping, decoder, transformers, buffer, hows, imager, halves, raster, eye, rects } =
            self;
        let mut lap = shared.clock.lap(*number, epoch, item.index);
        slot.label = shared.labels.of(&shared.sources, item, buffer)?;
        if !shared.ready.is_empty() {
            shared.ready.read(&shared.sources, item, buffer, &mut slot.cells)?;
        }
        if shared.labeled || !shared.ready.is_empty() {
            lap.stage(Stage::Targets);
        }
        if let Some(stored) = &shared.sources.stored {
            stored.take(item, shared.dtype, slot)?;
            // Who lends samples counts them a batch at a time.
            if !shared.by_caller {
                lap.stage(Stage::Reading);
                lap.made();
            }
            return Ok(());
        }
        let frame = shared.sources.frame(item);
        slot.frame = frame.map(|frame| frame.id);
        let (dataset, item) = shared.sources.in_file(item)?;
        let named = |e: Error| e.file(dataset.name()).sample(item.sample);
        let key = shared.order.key_of(epoch, drawn_as);
        let wish = Wish { kind, item: &item, key, decode: &shared.decode };
        let transformer = transformers.get(kind).and_then(Option::as_ref);
        let cuts_by_boxes = transformer.is_some_and(|transformer| transformer.recipe().looks_at_boxes());
        let given = frame.filter(|_| cuts_by_boxes).map(|frame| &*frame.boxes).unwrap_or_default();
        // What is kept needs no payload, unless more is seen of it.
        let mut found = match (&shared.decoded, transformer) {
            (Some(decoded), Some(transformer)) => {
                let recipe = transformer.recipe();
                let place = |full: (u32, u32)| recipe.place_boxes(full.0, full.1, corners(given, full, rects), key);
                keeping.find(decoded, &wish, transformer, place)
            }
            _ => None,
        };
        let image = shared.decoded.as_ref().and_then(|decoded| keeping.find_image(decoded, &wish));
        let Stored { mut payload, raw } = match (found.is_some() || image.is_some()) && !shared.ready.is_seen() {
            true => Stored { payload: Bytes::new(), raw: None },
            false => {
                let read = || lap.stage(Stage::Reading);
                dataset.stored_then(item.sample, shared.verify, buffer, read).map_err(named)?
            }
        };
        lap.stage(if payload.is_empty() { Stage::Reading } else { Stage::Verifying });
        let mut tight = slot.memory.len();
        if let (Some(cell), Some((padding, _)), Some(Some(transformer))) =
            (slot.cell, &shared.padding, transformers.get_mut(kind))
        {
            let most =
                shared.contents.get(kind).and_then(Content::image).map_or(cell, |image| (image.width, image.height));
            slot.size = padding.own((&payload[..], raw), (most, cell));
            transformer.resize(slot.size.0, slot.size.1);
            tight = transformer.values().saturating_mul(shared.dtype.bytes());
        }
        let out = shared.dtype.out(slot.memory.get_mut(..tight).unwrap_or_default());
        match shared.contents.get(kind).unwrap_or(&Content::Payloads) {
            Content::Payloads => slot.payload = std::mem::take(&mut payload),
            Content::Images(_) => {
                if let Some(Some(transformer)) = transformers.get_mut(kind) {
                    let size = (transformer.recipe().width, transformer.recipe().height);
                    let mut follow = |placement: &Placement, lap: &mut Lap<'_>| {
                        slot.placement = *placement;
                        if let Some(frame) = frame {
                            Parts::new(&mut slot.targets).follow(&frame.boxes, placement, size);
                        }
                        if shared.ready.is_marked() {
                            shared.ready.place(&shared.sources, &item, (placement, size), &mut slot.cells, raster)?;
                            lap.stage(Stage::Targets);
                        }
                        Ok(())
                    };
                    let (mut cost, mut share) = (0, None);
                    let picture = || {
                        if found.is_none() {
                            let needs = transformer
                                .needs_among(&payload, raw, &shared.decode, key, |size| corners(given, size, rects));
                            let kept = shared.decoded.as_ref();
                            cost = kept.map_or_else(|| needs.cost(&payload), |d| d.cost(kind, &needs, &payload));
                            share = Some(shared.budget.take(cost));
                            let mut is_decoded = || {
                                // Raw pixels are there already.
                                if raw.is_none() {
                                    lap.stage(Stage::Decoding);
                                }
                            };
                            if let Some(kept) = kept {
                                let what = (&payload[..], raw, &needs);
                                found = keeping.fill(kept, &wish, what, (transformer, decoder), &mut is_decoded);
                            }
                            if found.is_none() {
                                let decoded = transformer.decode_as(&needs, decoder, &payload, key)?;
                                is_decoded();
                                follow(decoded.placement(), &mut lap)?;
                                return transformer.finish(&decoded, key, out);
                            }
                        }
                        let Some(found) = &found else { return Ok(()) };
                        follow(&found.placement, &mut lap)?;
                        keeping.finish(found, transformer, key, out)
                    };
                    let made = picture();
                    // A decoder keeps its buffers, of which these would be too large for every worker to keep.
                    if shared.budget.is_much(cost, shared.workers) {
                        *decoder = Decoder::default();
                        keeping.let_go();
                    }
                    drop(share);
                    made.map_err(named)?;
                    if let (Some(cell), Some((_, around))) = (slot.cell, &shared.padding) {
                        let layout = transformer.recipe().layout;
                        around.spread(&mut slot.memory, layout, slot.size, cell).map_err(named)?;
                    }
                }
            }
            Content::Prepared(transform) => {
                if let Some(Some(how)) = hows.get(kind) {
                    let needed = if image.is_some() || raw.is_some() { 0 } else { cost(&payload, &how.decode) };
                    let share = shared.budget.take(needed);
                    let make = || {
                        let mut parts = Parts::new(&mut slot.targets);
                        let most = u32::try_from(transform.max_boxes).unwrap_or(u32::MAX);
                        let given = frame.map(|frame| &*frame.boxes).unwrap_or_default();
                        let mut follow = |placement| {
                            place(given, placement, most, |corners, class| parts.push(corners, class));
                        };
                        if let Some(size) = image {
                            follow(&warehouse::Placement::new(how.resize, size, how.size));
                            numbers(keeping.image(), halves, out);
                            return Ok(());
                        }
                        let decoded = imager.decode(&payload, raw, how)?;
                        lap.stage(Stage::Decoding);
                        follow(&decoded.placement);
                        let size = decoded.placement.source;
                        let made = decoded.image()?;
                        if let Some(kept) = &shared.decoded {
                            keeping.keep_image(kept, &wish, size, made);
                        }
                        numbers(made, halves, out);
                        Ok(())
                    };
                    let made = make();
                    if shared.budget.is_much(needed, shared.workers) {
                        *imager = Imager::default();
                    }
                    drop(share);
                    made.map_err(named)?;
                }
            }
            // These never come here.
            Content::Stored(..) => {}
            Content::Made { make, .. } => {
                let (label, number) = (slot.label, item.sample);
                let sample = Sample { payload: &payload, index: item.index, key, raw, label, dataset, number };
                make(sample, out).map_err(named)?;
            }
        }
        if shared.ready.is_seen() {
            let seen = Seen {
                item,
                payload: if payload.is_empty() { &slot.payload } else { &payload },
                raw,
                drawn: (&shared.order, epoch, drawn_as),
                key,
                dtype: shared.dtype,
                decode: &shared.decode,
                verify: shared.verify,
                budget: &shared.budget,
                full: (slot.placement.full_width, slot.placement.full_height),
            };
            lap.stage(Stage::Making);
            shared.ready.see(&seen, eye, decoder, &mut slot.cells).map_err(named)?;
            lap.stage(Stage::Targets);
        } else {
            lap.stage(Stage::Making);
        }
        lap.made();
        Ok(())
    }
}

/// The values of an image as a warehouse of that type holds them.
fn numbers(values: &[u8], halves: &mut Option<Box<[f16; 256]>>, out: Out<'_>) {
    match out {
        Out::F32(out) => to_f32(warehouse::Dtype::U8, Endianness::Little, values, out),
        Out::F16(out) => {
            let table = halves
                .get_or_insert_with(|| Box::new(std::array::from_fn(|value| f16::from_f32(value as f32 / 255.0))));
            out.iter_mut().zip(values).for_each(|(to, value)| *to = table[usize::from(*value)]);
        }
        Out::U8(out) => out.copy_from_slice(values.get(..out.len()).unwrap_or_default()),
        _ => {}
    }
}

/// What a panic said.
fn words(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a word")
}
