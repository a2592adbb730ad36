//! From settings to a loader: what is opened, and what is refused.

use std::{path::PathBuf, sync::atomic::AtomicU64};

use forebay::{
    Error, Result,
    image::transform::Transformer,
    order::{Item, Order, Tail},
    warehouse::Transform,
};
use memmap2::MmapMut;

use super::{
    Annotations, Builder, Dtype, Loader, Mode, TargetKind,
    annotations::Annotated,
    codes,
    content::{Content, batch_bytes as bytes_of},
    decoded::Decoded,
    fetching::Fetching,
    flight::{Pools, SLOT_BYTES, SlotBytes},
    groups::Plan,
    labels::Resolver,
    pieces::Lists,
    pool::Pool,
    sampling::Selected,
    shared::Shared,
    sources::{Sources, Wanted},
    stats::Clock,
    stored::{self, Stored, prefetch_from_env},
    target::{Ready, TargetMemory, Terms, column_bytes},
    targets,
    timeline::Recorder,
    together,
};
use crate::{
    ahead::USUAL_BYTES,
    input::display,
    parallel::{
        MOST_THREADS,
        budget::{self, Budget},
    },
    shards::manifest_of,
    warehouse::decode_options,
};

/// Batches that are made ahead unless the loader is told otherwise.
const PREFETCH: usize = 2;
/// Places for boxes unless the loader is told otherwise.
const MAX_BOXES: u32 = 16;
/// Memory for batches that waits where none are made ahead.
const SPARE: usize = 4;

/// What was opened, and what follows from it.
struct Opened {
    sources: Sources,
    contents: Vec<Content>,
    places: usize,
    prefetch: usize,
}

fn refuse<T>(message: String) -> Result<T> {
    Err(Error::new(&codes::SETTINGS, message))
}

/// As [`refuse`], for what would change nothing.
fn refuse_idle<T>(message: String) -> Result<T> {
    Err(Error::new(&codes::IDLE, message))
}

impl Builder {
    /// Opens the files, selects, and checks that all fits together. No thread is started yet.
    pub fn build(mut self) -> Result<Loader> {
        if self.workers == 0 {
            return refuse("0 workers are invalid".into());
        }
        if self.workers > MOST_THREADS {
            return refuse(format!("{} workers are more than {MOST_THREADS}", self.workers));
        }
        if self.rank >= self.settings.world {
            return refuse(format!("there is no rank {} of {}", self.rank, self.settings.world));
        }
        let manifests: Vec<Option<PathBuf>> = self.paths.iter().map(|path| manifest_of(path)).collect();
        let opened = match manifests.iter().position(Option::is_some) {
            None => self.open_pictures()?,
            Some(first) => {
                let name = self.paths.get(first).map(|path| display(path)).unwrap_or_default();
                let Some(manifests) = manifests.into_iter().collect::<Option<Vec<_>>>() else {
                    let message = "a tensor warehouse is loaded with other warehouses, not with images";
                    return Err(Error::new(&codes::SETTINGS, message).file(name));
                };
                self.open_warehouses(&manifests)
                    .map_err(|e| if e.code() == &codes::SETTINGS { e.file(name) } else { e })?
            }
        };
        self.assemble(opened)
    }

    /// Pictures, to be decoded or not.
    fn open_pictures(&mut self) -> Result<Opened> {
        if let Some(setting) = self.of_warehouses.first() {
            let name = self.paths.first().map(|path| display(path)).unwrap_or_default();
            let message =
                format!("`{setting}` is about the shards of a tensor warehouse, and this is not one; leave it out");
            return Err(Error::new(&codes::SETTINGS, message).file(name));
        }
        let prefetch = self.prefetch.unwrap_or(PREFETCH);
        if prefetch == 0 {
            return refuse(format!("{} workers and {prefetch} batches ahead are invalid", self.workers));
        }
        let opening = self.of_pictures.iter().find(|setting| ["io", "class_level"].contains(*setting));
        if let Some(setting) = opening.filter(|_| !self.datasets.is_empty()) {
            return refuse(format!("`{setting}` says how files are opened, and these datasets were open already"));
        }
        self.refuse_idle_decoding()?;
        let prepared = matches!(self.content, Content::Prepared(_));
        self.decode.orient = self.orient.unwrap_or(prepared);
        let mut places = 0;
        if let Content::Prepared(transform) = &self.content {
            check_transform(transform, self.max_boxes, self.groups.is_some())?;
            self.decode = decode_options(self.decode.orient, &self.decode.limits);
            places = usize::try_from(transform.max_boxes).unwrap_or(usize::MAX);
            self.annotations.get_or_insert_with(Annotations::own);
        } else if self.annotations.is_some() {
            if !self.content.is_placed() {
                return refuse("boxes follow images onto their tensors: `annotations` needs `image`".into());
            }
            places = self.max_boxes.unwrap_or(MAX_BOXES) as usize;
        } else if self.max_boxes.is_some() {
            return refuse("`max_boxes` needs boxes: give `annotations`".into());
        }
        let contents = match &self.groups {
            Some(groups) => {
                groups.check()?;
                groups.sizes.iter().map(|&size| self.content.sized(size)).collect()
            }
            None => vec![self.content.clone()],
        };
        for content in &contents {
            if let Content::Images(image) = content {
                Transformer::new((**image).clone())?;
            }
        }
        contents.iter().try_for_each(|content| content.check(self.dtype))?;
        contents.iter().try_for_each(|content| content.slot_bytes(self.dtype).map(|_| ()))?;
        let sources = match &self.annotations {
            None if !self.datasets.is_empty() => Sources::opened(std::mem::take(&mut self.datasets)),
            None => Sources::open(&self.paths, &self.open)?,
            Some(_) if !self.datasets.is_empty() => {
                return refuse("`annotations` are found by the names of files, and these were open already".into());
            }
            Some(annotations) => {
                let how = (&self.open, self.decode.orient, self.orient.is_some());
                let (annotated, datasets) =
                    Annotated::open(&self.paths, annotations, how, (self.workers, self.on_broken))?;
                Sources::annotated(annotated, datasets)
            }
        };
        Ok(Opened { sources, contents, places, prefetch })
    }

    /// Refuses settings about decoding where nothing is decoded, neither the samples nor views of them.
    fn refuse_idle_decoding(&self) -> Result<()> {
        let (what, has_numbers) = match &self.content {
            Content::Payloads => ("payloads are given as they are stored", false),
            Content::Made { .. } => ("`made_by` does its own decoding", true),
            _ => return Ok(()),
        };
        if self.targets.iter().any(|(_, target)| target.kind() == TargetKind::View) {
            return Ok(());
        }
        let of_decoding = ["orient", "exact", "jpeg", "decoded_bytes"];
        let given = self.of_pictures.iter().find(|setting| of_decoding.contains(*setting)).copied();
        match given.or((!has_numbers && self.dtype != Dtype::default()).then_some("dtype")) {
            None => Ok(()),
            Some(setting) => {
                refuse_idle(format!("{what}, so `{setting}` means nothing: give `image`, or leave it out"))
            }
        }
    }

    /// Warehouses, of which nothing is decoded.
    fn open_warehouses(&mut self, manifests: &[PathBuf]) -> Result<Opened> {
        if let Some(setting) = self.of_pictures.first() {
            let hint = match *setting {
                "io" => "`mode` says how its shards are held",
                "verify" => "`allow_unproven` goes on without checksums",
                "image" => "leave it out, or give `warehouse_transform`, which says the same of images",
                _ => "leave it out, or load the images that it was built of",
            };
            return refuse_idle(format!(
                "the samples of a tensor warehouse are made already, so `{setting}` means nothing: {hint}"
            ));
        }
        if let Some(path) = self.annotations.as_ref().and_then(Annotations::path) {
            let message = "a tensor warehouse has its boxes already; give `Annotations::own()`, or leave it out";
            return Err(Error::new(&codes::SETTINGS, message).member(display(path)));
        }
        let get = |name: &str| std::env::var(name).ok();
        let mode = match self.mode {
            Some(mode) => mode,
            None => Mode::from_env(get)?.unwrap_or_default(),
        };
        let prefetch = match self.prefetch {
            Some(prefetch) => Some(prefetch),
            None => prefetch_from_env(get)?,
        };
        let terms = stored::Terms {
            mode,
            limits: self.open.limits.clone(),
            cache: self.open.cache.clone(),
            version: self.version.take(),
            allow_violations: self.allow_violations,
            allow_unproven: self.allow_unproven,
            fresh: self.fresh,
        };
        let (stored, datasets) = Stored::open(manifests, &terms)?;
        stored.check(self.dtype)?;
        let shape = stored.shape;
        for warehouse in stored.warehouses() {
            let made = &warehouse.manifest().transform;
            if let Content::Prepared(wanted) = &self.content
                && !same(made, wanted)
            {
                return refuse(format!(
                    "the warehouse was made by another transform: {} and not {}",
                    words(made),
                    words(wanted)
                ));
            }
        }
        if let Some(most) = self.max_boxes.filter(|most| *most != shape.max_boxes) {
            return refuse(format!("the warehouse has {} places for boxes, and not {most}", shape.max_boxes));
        }
        let contents = vec![Content::Stored(shape.width, shape.height)];
        let usual = if mode == Mode::Stream { PREFETCH } else { 0 };
        let places = stored.places();
        Ok(Opened { sources: Sources::stored(stored, datasets), contents, places, prefetch: prefetch.unwrap_or(usual) })
    }

    /// What is selected of the sources, and in which order it comes.
    fn order(&mut self, sources: &Sources) -> Result<Order> {
        let wanted = Wanted {
            filter: self.filter.as_ref(),
            samples: self.samples.as_deref(),
            split: self.split.as_ref(),
            whole: self.resume.is_some() || self.decoded_cache.is_some(),
        };
        let described = sources.describe(&wanted, self.on_broken)?;
        let selects = self.filter.is_some() || self.samples.is_some() || self.split.is_some();
        if selects && !self.allow_empty && described.iter().all(|source| source.selected() == 0) {
            let what = match (&self.filter, &self.split) {
                (Some(_), _) => "the filter selects no sample",
                (None, Some(_)) => "this part of the split has no sample",
                (None, None) => "the list of samples is empty",
            };
            return refuse(format!("{what}; allow_empty lets epochs be empty"));
        }
        let selected = Selected { sources, described: &described, on_broken: self.on_broken };
        self.settings.sampling = selected.sampling(self.weights.as_ref(), self.balance.as_ref())?;
        if self.groups.is_some() && self.settings.repeats != 1 {
            return refuse("`groups` would bring what is `repeated` onto one rank; leave one of them out".into());
        }
        Order::new(described, std::mem::take(&mut self.settings))
    }

    fn assemble(mut self, Opened { mut sources, contents, places, prefetch }: Opened) -> Result<Loader> {
        let slot_bytes = contents.iter().map(|content| content.slot_bytes(self.dtype)).collect::<Result<Vec<_>>>()?;
        let order = self.order(&sources)?;
        let most = most_in_a_step(&order);
        let waiting = most.saturating_mul(prefetch).min(MOST_WAITING);
        let resumed = self.resume.as_ref().map(|state| state.position(&order, self.groups.as_ref())).transpose()?;
        let labels = Resolver::new(self.labels.as_ref(), &sources)?;
        labels.refuse_nowhere(self.labels.as_ref(), order.sources(), &sources)?;
        let terms = Terms {
            paths: &self.paths,
            open: &self.open,
            orient: self.decode.orient,
            workers: self.workers,
            image: contents.first().and_then(Content::image),
            dtype: self.dtype,
            stored: sources.stored.is_some(),
            groups: self.groups.is_some(),
            padded: self.padding.is_some(),
        };
        let ready = Ready::new(&self.targets, &terms, &sources)?;
        together::check(&self.together, &contents, ready.has_other_pictures())?;
        let others = [
            ("mosaic", self.together.mosaic.is_some()),
            ("mixed", self.together.mixing.is_some()),
            ("groups", self.groups.is_some()),
            ("orient", self.decode.orient),
            ("decoded_cache", self.decoded_cache.is_some()),
        ];
        let padding = self.padding.map(|padding| padding.ready(&contents, &others, self.dtype)).transpose()?;
        let fetching = match self.read_ahead && prefetch > 0 {
            true => {
                let bound = self.read_ahead_bytes.unwrap_or(USUAL_BYTES);
                Fetching::new(&mut sources, self.groups.as_ref(), bound, labels.reads_records())
            }
            false => None,
        };
        let flights = prefetch.saturating_add(1);
        let largest = slot_bytes.iter().max().copied().unwrap_or(0);
        let pools = pools((largest, places, &ready), &order, prefetch)?;
        let decoded = match &self.decoded_cache {
            Some(wanted) => {
                let what = (&contents[..], (&self.decode, self.verify), !self.together.is_empty());
                Some(Decoded::new(wanted, what, (&sources, &order))?)
            }
            None => None,
        };
        // Of images elsewhere each is a request, so threads wait for several at once.
        let workers = sources.datasets().iter().fold(self.workers, |n, dataset| dataset.threads(n));
        let shared = Shared {
            sources,
            order,
            contents,
            slot_bytes,
            places,
            by_caller: prefetch == 0,
            read_ahead: self.read_ahead,
            dtype: self.dtype,
            labels,
            labeled: self.labels.is_some(),
            ready,
            together: self.together,
            padding,
            lists: Lists::new(most.saturating_mul(flights)),
            on_broken: self.on_broken,
            allow_empty: self.allow_empty,
            decode: self.decode,
            verify: self.verify,
            budget: Budget::new(self.decoded_bytes.unwrap_or_else(|| budget::usual(self.workers))),
            workers,
            clock: Clock::new(self.timeline.map(Recorder::new).transpose()?),
            decoded,
            generation: AtomicU64::new(0),
        };
        let skipped = self.resume.map_or(0, |state| state.skipped);
        let plan = Plan::new(self.groups);
        let ahead = (prefetch, waiting.max(1), fetching);
        Ok(Loader::new(shared, pools, plan, self.rank, workers, ahead, (resumed, skipped)))
    }
}

/// Memory for batches: of samples of this many bytes, with that many places for boxes, and their named targets.
fn pools((slot, places, ready): (usize, usize, &Ready), order: &Order, prefetch: usize) -> Result<Pools> {
    let (most, flights) = (most_in_a_step(order), prefetch.saturating_add(1));
    let batch_bytes = bytes_of(slot, most)?;
    // What is kept of a sample beside its numbers, which payloads have none of.
    let kept_bytes = bytes_of(SLOT_BYTES, most)?;
    let target_bytes = targets::bytes(places).checked_mul(most).filter(|bytes| *bytes as u64 <= MOST_TARGET_BYTES);
    let Some(target_bytes) = target_bytes else {
        return refuse(format!("{places} places for boxes in each of {most} samples are more than is reasonable"));
    };
    let named_bytes = column_bytes(&ready.columns, most).filter(|bytes| *bytes as u64 <= MOST_NAMED_BYTES);
    let Some(named_bytes) = named_bytes else {
        return refuse(format!("the targets of a batch of {most} samples are more than is reasonable"));
    };
    let all_bytes = batch_bytes.saturating_add(named_bytes).saturating_add(kept_bytes);
    fits_in_memory(all_bytes, order.steps(), prefetch)?;
    Ok(Pools {
        numbers: Pool::new(batch_bytes, if prefetch == 0 { SPARE } else { flights }),
        targets: Pool::new(target_bytes, flights),
        named: TargetMemory::new(ready.columns.clone(), most, flights),
    })
}

impl Shared {
    /// Whether the payload of an item, with its number in its file, will likely not be read, since it is kept decoded.
    pub(super) fn is_kept(&self, item: &Item, kind: usize) -> bool {
        self.decoded.as_ref().is_some_and(|decoded| !self.ready.is_seen() && decoded.has(item, kind))
    }

    /// What a flight's slots have of its memory, for a content of this number.
    pub(super) fn slot(&self, kind: usize) -> SlotBytes {
        let numbers = if self.by_caller { 0 } else { self.slot_bytes.get(kind).copied().unwrap_or(0) };
        SlotBytes { numbers, targets: targets::bytes(self.places), cell: None }
    }
    /// The same for a batch of these items, whose pictures may say how large it is.
    pub(super) fn slot_for(&self, kind: usize, items: &[Item]) -> SlotBytes {
        let bytes = self.slot(kind);
        let (Some((padding, _)), Some(image)) = (&self.padding, self.contents.get(kind).and_then(Content::image))
        else {
            return bytes;
        };
        let (width, height) = padding.cell(image, &self.sources, items);
        // No more than the largest size, of which there is memory.
        let numbers = width as usize * height as usize * 3 * self.dtype.bytes();
        SlotBytes { numbers, cell: Some((width, height)), ..bytes }
    }
}

/// Refuses a transform that says nothing or contradicts the other settings.
fn check_transform(transform: &Transform, max_boxes: Option<u32>, groups: bool) -> Result<()> {
    match transform.target_size {
        Some([width, height]) if width > 0 && height > 0 && width <= LARGEST && height <= LARGEST => {}
        size => {
            return refuse(format!("the size {size:?} of the transform is not one from 1 to {LARGEST} on each side"));
        }
    }
    if groups {
        return refuse("`groups` give batches sizes of their own, which a warehouse's transform has one of".into());
    }
    if let Some(most) = max_boxes.filter(|most| u64::from(*most) != transform.max_boxes) {
        return refuse(format!("the transform has {} places for boxes, and `max_boxes` {most}", transform.max_boxes));
    }
    Ok(())
}

fn same(a: &Transform, b: &Transform) -> bool {
    (a.target_size, a.resize_mode, a.max_boxes) == (b.target_size, b.resize_mode, b.max_boxes)
}

fn words(transform: &Transform) -> String {
    use forebay::words::Word as _;
    let size = match transform.target_size {
        Some([width, height]) => format!("{width}x{height}"),
        None => "any size".into(),
    };
    format!("{size} {} with {} places for boxes", transform.resize_mode.word(), transform.max_boxes)
}

/// The largest side of an image of a warehouse.
const LARGEST: u32 = 1 << 16;
/// Boxes of a batch beyond this are a mistake in the settings.
const MOST_TARGET_BYTES: u64 = 1 << 32;
/// The same of its named targets, which masks are among.
const MOST_NAMED_BYTES: u64 = 1 << 36;

/// The most tasks that wait in the queue; with more samples on their way, handing them out waits for the workers.
const MOST_WAITING: usize = 1 << 16;

/// The most samples that this rank can have in a step.
pub(super) fn most_in_a_step(order: &Order) -> usize {
    let (settings, n) = (order.settings(), order.epoch_samples());
    let most = match settings.tail {
        _ if order.steps() == 0 => 0,
        Tail::Uneven => settings.batch.min(n.div_ceil(settings.world.max(1))),
        _ => settings.batch,
    };
    usize::try_from(most).unwrap_or(usize::MAX)
}

/// Refuses what the system would not give, instead of ending the process over it later.
pub(super) fn fits_in_memory(batch_bytes: usize, steps: u64, prefetch: usize) -> Result<()> {
    let batches = usize::try_from(steps).unwrap_or(usize::MAX).min(prefetch.saturating_add(1));
    let all = batch_bytes.saturating_mul(batches);
    // Asked of the system and not of the allocator, which would take it for a habit: after a large piece was given back,
    // glibc takes pieces of that size from its heap, and clears them before the workers come to them.
    if all > 0 && MmapMut::map_anon(all).is_err() {
        let message = format!("there is no memory for {batches} batches of {batch_bytes} bytes each");
        return Err(Error::new(&codes::SETTINGS, message));
    }
    Ok(())
}
