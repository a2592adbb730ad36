//! From settings to a loader: what is opened, and what is refused.

use std::{path::PathBuf, sync::atomic::AtomicU64};

use forebay::{
    Error, Result,
    filter::Filter,
    image::{
        decode::Options as DecodeOptions,
        transform::{Together, Transformer},
    },
    order::{self, Item, Order, Tail},
    warehouse::Transform,
};
use memmap2::MmapMut;

use super::{
    Annotations, Builder, Loader, LoaderSettings, Mode, OnBroken,
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
    settings::There,
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
    OpenOptions,
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
    decode: DecodeOptions,
}

fn refuse<T>(message: String) -> Result<T> {
    Err(Error::new(&codes::SETTINGS, message))
}

impl Builder {
    /// Opens the files, selects, and checks that all fits together. No thread is started yet.
    pub fn build(mut self) -> Result<Loader> {
        let LoaderSettings { workers, rank, world, .. } = self.settings;
        if workers == 0 {
            return refuse("0 workers are invalid".into());
        }
        if workers > MOST_THREADS {
            return refuse(format!("{workers} workers are more than {MOST_THREADS}"));
        }
        if rank >= world {
            return refuse(format!("there is no rank {rank} of {world}"));
        }
        if self.settings.on_error == OnBroken::Raise {
            self.settings.refuse_idle(There::Raising)?;
        }
        let order = self.settings.order()?;
        if let Some(image) = self.settings.image()? {
            self.content = Some(Content::Images(Box::new(image)));
        }
        self.settings.annotations = self.settings.annotations()?;
        if let Some(cache) = self.settings.cache()? {
            self = self.cache(&cache);
        }
        let manifests: Vec<Option<PathBuf>> = self.paths.iter().map(|path| manifest_of(path)).collect();
        let opened = match manifests.iter().position(Option::is_some) {
            None => self.open_samples()?,
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
        self.assemble(opened, order)
    }

    /// How files are opened.
    fn opening(&self) -> OpenOptions {
        let mut open = OpenOptions::default();
        (open.limits, open.cache) = (self.limits.clone(), self.cache.clone());
        (open.io, open.class_level) = (self.settings.io.unwrap_or_default(), self.settings.class_level);
        open
    }

    /// Samples, to be decoded or not.
    fn open_samples(&mut self) -> Result<Opened> {
        let name = || self.paths.first().map(|path| display(path)).unwrap_or_default();
        self.settings.refuse_idle(There::Samples).map_err(|e| e.file(name()))?;
        let prefetch = self.settings.prefetch.unwrap_or(PREFETCH);
        if prefetch == 0 {
            return refuse(format!("{} workers and {prefetch} batches ahead are invalid", self.settings.workers));
        }
        if !self.datasets.is_empty() {
            self.settings.refuse_idle(There::Opened)?;
        }
        let (open, settings) = (self.opening(), &mut self.settings);
        let content = match (self.content.take(), settings.warehouse_transform.take()) {
            (Some(content), _) => content,
            (None, Some(transform)) => Content::Prepared(Box::new(transform)),
            (None, None) => Content::Payloads,
        };
        let has_views = settings.targets.iter().any(|(_, target)| target.is_view());
        match &content {
            Content::Payloads if !has_views => settings.refuse_idle(There::Payloads)?,
            Content::Made { .. } if !has_views => settings.refuse_idle(There::Made)?,
            _ => {}
        }
        let prepared = matches!(content, Content::Prepared(_));
        let orient = settings.orient.unwrap_or(prepared);
        let mut decode = DecodeOptions::default().with_limits(self.limits.clone()).with_orient(orient);
        decode.exact = settings.exact;
        let mut places = 0;
        if let Content::Prepared(transform) = &content {
            check_transform(transform, settings.max_boxes, settings.groups.is_some())?;
            decode = decode_options(orient, &self.limits);
            places = usize::try_from(transform.max_boxes).unwrap_or(usize::MAX);
            settings.annotations.get_or_insert_with(Annotations::own);
        } else if settings.annotations.is_some() {
            if !content.is_placed() {
                return refuse("boxes follow images onto their tensors: `annotations` needs `image`".into());
            }
            places = settings.max_boxes.unwrap_or(MAX_BOXES) as usize;
        } else if settings.max_boxes.is_some() {
            return refuse("`max_boxes` needs boxes: give `annotations`".into());
        }
        let contents = match &settings.groups {
            Some(groups) => {
                groups.check()?;
                groups.sizes.iter().map(|&size| content.sized(size)).collect()
            }
            None => vec![content],
        };
        for content in &contents {
            if let Content::Images(image) = content {
                Transformer::new((**image).clone())?;
            }
            content.check(settings.dtype)?;
            content.slot_bytes(settings.dtype)?;
        }
        let sources = match &settings.annotations {
            None if !self.datasets.is_empty() => Sources::opened(std::mem::take(&mut self.datasets)),
            None => Sources::open(&self.paths, &open)?,
            Some(_) if !self.datasets.is_empty() => {
                return refuse("`annotations` are found by the names of files, and these were open already".into());
            }
            Some(annotations) => {
                let how = (&open, orient, settings.orient.is_some());
                let (annotated, datasets) =
                    Annotated::open(&self.paths, annotations, how, (settings.workers, settings.on_error))?;
                Sources::annotated(annotated, datasets)
            }
        };
        Ok(Opened { sources, contents, places, prefetch, decode })
    }

    /// Warehouses, of which nothing is decoded.
    fn open_warehouses(&mut self, manifests: &[PathBuf]) -> Result<Opened> {
        self.settings.refuse_idle(There::Warehouse)?;
        if let Some(content) = &self.content {
            return Err(There::Warehouse.refusal(content.setting()));
        }
        let settings = &mut self.settings;
        if let Some(path) = settings.annotations.as_ref().and_then(Annotations::path) {
            let message = "a tensor warehouse has its boxes already; give `Annotations::own()`, or leave it out";
            return Err(Error::new(&codes::SETTINGS, message).member(display(path)));
        }
        let get = |name: &str| std::env::var(name).ok();
        let mode = match settings.mode {
            Some(mode) => mode,
            None => Mode::from_env(get)?.unwrap_or_default(),
        };
        let prefetch = match settings.prefetch {
            Some(prefetch) => Some(prefetch),
            None => prefetch_from_env(get)?,
        };
        let terms = stored::Terms {
            mode,
            limits: self.limits.clone(),
            cache: self.cache.clone(),
            version: settings.version.take(),
            allow_violations: settings.allow_violations,
            allow_unproven: settings.allow_unproven,
            fresh: settings.fresh,
        };
        let (stored, datasets) = Stored::open(manifests, &terms)?;
        stored.check(settings.dtype)?;
        let shape = stored.shape;
        for warehouse in stored.warehouses() {
            let made = &warehouse.manifest().transform;
            if let Some(wanted) = &settings.warehouse_transform
                && !same(made, wanted)
            {
                return refuse(format!(
                    "the warehouse was made by another transform: {} and not {}",
                    words(made),
                    words(wanted)
                ));
            }
        }
        if let Some(most) = settings.max_boxes.filter(|most| *most != shape.max_boxes) {
            return refuse(format!("the warehouse has {} places for boxes, and not {most}", shape.max_boxes));
        }
        let contents = vec![Content::Stored(shape.width, shape.height)];
        let usual = if mode == Mode::Stream { PREFETCH } else { 0 };
        let places = stored.places();
        let (sources, prefetch) = (Sources::stored(stored, datasets), prefetch.unwrap_or(usual));
        let decode = DecodeOptions::default().with_limits(self.limits.clone());
        Ok(Opened { sources, contents, places, prefetch, decode })
    }

    /// What is selected of the sources, and in which order it comes.
    fn order(&self, sources: &Sources, mut order: order::Settings) -> Result<Order> {
        let settings = &self.settings;
        let filter = settings.r#where.as_deref().map(Filter::parse).transpose()?;
        let wanted = Wanted {
            filter: filter.as_ref(),
            samples: settings.indices.as_deref(),
            split: settings.split.as_ref(),
            whole: self.resume.is_some() || settings.decoded_cache.is_some(),
        };
        let described = sources.describe(&wanted, settings.on_error)?;
        let selects = filter.is_some() || settings.indices.is_some() || settings.split.is_some();
        if selects && !settings.allow_empty && described.iter().all(|source| source.selected() == 0) {
            let what = match (&filter, &settings.split) {
                (Some(_), _) => "the filter selects no sample",
                (None, Some(_)) => "this part of the split has no sample",
                (None, None) => "the list of samples is empty",
            };
            return refuse(format!("{what}; allow_empty lets epochs be empty"));
        }
        let selected = Selected { sources, described: &described, on_broken: settings.on_error };
        order.sampling = selected.sampling(settings.weights.as_ref(), settings.balanced.as_ref())?;
        if settings.groups.is_some() && settings.repeated != 1 {
            return refuse("`groups` would bring what is `repeated` onto one rank; leave one of them out".into());
        }
        Order::new(described, order)
    }

    fn assemble(self, opened: Opened, order: order::Settings) -> Result<Loader> {
        let Opened { mut sources, contents, places, prefetch, decode } = opened;
        let dtype = self.settings.dtype;
        let slot_bytes = contents.iter().map(|content| content.slot_bytes(dtype)).collect::<Result<Vec<_>>>()?;
        let order = self.order(&sources, order)?;
        let (open, settings) = (self.opening(), self.settings);
        let most = most_in_a_step(&order);
        let waiting = most.saturating_mul(prefetch).min(MOST_WAITING);
        let resumed = self.resume.as_ref().map(|state| state.position(&order, settings.groups.as_ref())).transpose()?;
        let labels = Resolver::new(settings.labels.as_ref(), &sources)?;
        labels.refuse_nowhere(settings.labels.as_ref(), order.sources(), &sources)?;
        let terms = Terms {
            paths: &self.paths,
            open: &open,
            orient: decode.orient,
            workers: settings.workers,
            image: contents.first().and_then(Content::image),
            dtype,
            stored: sources.stored.is_some(),
            groups: settings.groups.is_some(),
            padded: settings.padded.is_some(),
        };
        let ready = Ready::new(&settings.targets, &terms, &sources)?;
        let together = Together { mosaic: settings.mosaic, mixing: settings.mixed };
        together::check(&together, &contents, ready.has_other_pictures())?;
        let padding = match settings.padded {
            Some(padding) => {
                settings.refuse_idle(There::Padded)?;
                Some(padding.ready(&contents, dtype)?)
            }
            None => None,
        };
        let fetching = match settings.read_ahead && prefetch > 0 {
            true => {
                let bound = settings.read_ahead_bytes.unwrap_or(USUAL_BYTES);
                Fetching::new(&mut sources, settings.groups.as_ref(), bound, labels.reads_records())
            }
            false => None,
        };
        let flights = prefetch.saturating_add(1);
        let largest = slot_bytes.iter().max().copied().unwrap_or(0);
        let pools = pools((largest, places, &ready), &order, prefetch)?;
        let decoded = match settings.decoded()? {
            Some(wanted) => {
                let what = (&contents[..], (&decode, settings.verify), !together.is_empty());
                Some(Decoded::new(&wanted, what, (&sources, &order))?)
            }
            None => None,
        };
        // Of images elsewhere each is a request, so threads wait for several at once.
        let workers = sources.datasets().iter().fold(settings.workers, |n, dataset| dataset.threads(n));
        let shared = Shared {
            sources,
            order,
            contents,
            slot_bytes,
            places,
            by_caller: prefetch == 0,
            read_ahead: settings.read_ahead,
            dtype,
            labels,
            labeled: settings.labels.is_some(),
            ready,
            together,
            padding,
            lists: Lists::new(most.saturating_mul(flights)),
            on_broken: settings.on_error,
            max_broken: settings.max_broken,
            allow_empty: settings.allow_empty,
            decode,
            verify: settings.verify,
            budget: Budget::new(settings.decoded_bytes.unwrap_or_else(|| budget::usual(settings.workers))),
            workers,
            clock: Clock::new(settings.timeline.map(Recorder::new).transpose()?),
            decoded,
            generation: AtomicU64::new(0),
        };
        let skipped = self.resume.map_or(0, |state| state.skipped);
        let plan = Plan::new(settings.groups);
        let ahead = (prefetch, waiting.max(1), fetching);
        Ok(Loader::new(shared, pools, plan, settings.rank, workers, ahead, (resumed, skipped)))
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
