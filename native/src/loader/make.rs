//! From a sample's payload to its place in a batch: what is kept or read, what it becomes, then its targets.

use bytes::BytesMut;
use forebay::{
    Error, Result,
    annotations::Raster,
    image::{
        decode::{Decoder, cost},
        transform::{Needs, Out, Placement, Rect, Transformer, f16},
    },
    order::Item,
    warehouse::{self, Endianness, Transform, to_f32},
};

use super::{
    annotations::Frame,
    content::{Content, Make, Sample},
    decoded::{Found, Lookup, Query},
    flight::Slot,
    shared::Shared,
    stats::Lap,
    target::{OtherImages, Seen},
    targets::{Parts, corners},
    timeline::Stage,
};
use crate::{
    Dataset,
    dataset::Stored,
    warehouse::{GivenBox, How, Imager, place},
};

/// One thread's own tools.
#[derive(Debug)]
pub(super) struct Tools {
    /// The thread's number among the loader's.
    pub(super) number: u16,
    pub(super) lookup: Lookup,
    pub(super) decoder: Decoder,
    /// For each content that is images.
    pub(super) transformers: Vec<Option<Transformer>>,
    /// Where payloads are read to, in files that are not mapped.
    pub(super) buffer: BytesMut,
    /// For each content that is prepared as for a warehouse: how.
    hows: Vec<Option<How>>,
    imager: Imager,
    halves: Option<Box<[f16; 256]>>,
    /// Boxes of an image, for crops that look at them.
    pub(super) rects: Vec<Rect>,
    pub(super) raster: Raster,
    pub(super) others: OtherImages,
}

/// A sample to be made: where it is, and what its random changes follow from.
pub(super) struct Job<'a> {
    pub(super) shared: &'a Shared,
    pub(super) epoch: u64,
    /// Which of the loader's contents it becomes.
    pub(super) kind: usize,
    pub(super) drawn_as: &'a Item,
    pub(super) frame: Option<&'a Frame>,
    pub(super) dataset: &'a Dataset,
    /// With its number in its file.
    pub(super) item: Item,
    pub(super) key: u64,
}

impl<'a> Job<'a> {
    pub(super) fn new(
        shared: &'a Shared,
        (epoch, kind): (u64, usize),
        (item, drawn_as): (&Item, &'a Item),
        key: u64,
    ) -> Result<Job<'a>> {
        let frame = shared.sources.frame(item);
        let (dataset, item) = shared.sources.in_file(item)?;
        Ok(Job { shared, epoch, kind, drawn_as, frame, dataset, item, key })
    }

    pub(super) fn named(&self, e: Error) -> Error {
        e.file(self.dataset.name()).sample(self.item.sample)
    }
    pub(super) fn query(&self) -> Query<'_> {
        Query { kind: self.kind, item: &self.item, key: self.key, decode: &self.shared.decode }
    }
    pub(super) fn boxes(&self) -> &'a [GivenBox] {
        self.frame.map(|frame| &*frame.boxes).unwrap_or_default()
    }
    /// The boxes that decide what is cut out.
    pub(super) fn cuts_by(&self, transformer: &Transformer) -> &'a [GivenBox] {
        if transformer.recipe().looks_at_boxes() { self.boxes() } else { &[] }
    }

    /// Fills the cells of a sample with its other images.
    pub(super) fn see(
        &self,
        stored: &Stored,
        slot: &mut Slot,
        (others, decoder): (&mut OtherImages, &mut Decoder),
    ) -> Result<()> {
        let Job { shared, .. } = *self;
        let seen = Seen {
            item: self.item,
            payload: &stored.payload,
            raw: stored.raw,
            drawn: (&shared.order, self.epoch, self.drawn_as),
            key: self.key,
            dtype: shared.dtype,
            decode: &shared.decode,
            verify: shared.verify,
            budget: &shared.budget,
            full: (slot.placement.full_width, slot.placement.full_height),
        };
        shared.ready.see(&seen, others, decoder, &mut slot.cells).map_err(|e| self.named(e))
    }
}

impl Tools {
    pub(super) fn new(shared: &Shared, number: u16) -> Tools {
        let transformer = |content: &Content| match content {
            // The recipe was checked when the loader was built.
            Content::Images(image) => Transformer::new((**image).clone()).ok(),
            _ => None,
        };
        let how = |content: &Content| match content {
            Content::Prepared(transform) => Some(How {
                size: transform.target_size.unwrap_or_default(),
                resize: transform.resize_mode,
                decode: shared.decode.clone(),
            }),
            _ => None,
        };
        Tools {
            number,
            lookup: Lookup::new(shared.decoded.as_ref()),
            decoder: Decoder::default(),
            transformers: shared.contents.iter().map(transformer).collect(),
            buffer: BytesMut::new(),
            hows: shared.contents.iter().map(how).collect(),
            imager: Imager::default(),
            halves: None,
            rects: Vec::new(),
            raster: Raster::default(),
            others: shared.ready.others(),
        }
    }

    /// Makes a sample, which stands where `drawn_as` was drawn.
    pub(super) fn make(
        &mut self,
        shared: &Shared,
        (epoch, kind): (u64, usize),
        (item, drawn_as): (&Item, &Item),
        slot: &mut Slot,
    ) -> Result<()> {
        if !shared.together.is_empty() {
            return self.bring_together(shared, (epoch, kind), (item, drawn_as), slot);
        }
        let mut lap = shared.clock.lap(self.number, epoch, item.index);
        slot.label = self.read_label(shared, item, slot, true)?;
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
        let job = Job::new(shared, (epoch, kind), (item, drawn_as), shared.order.key_of(epoch, drawn_as))?;
        slot.frame = job.frame.map(|frame| frame.id);
        let made = self.make_of_payload(&job, slot, &mut lap);
        made.map_err(|e| job.named(e))?;
        lap.made();
        Ok(())
    }

    /// The label of a sample; its named targets too, if the slot is its own.
    pub(super) fn read_label(&mut self, shared: &Shared, item: &Item, slot: &mut Slot, is_own: bool) -> Result<i64> {
        let label = shared.labels.of(&shared.sources, item, &mut self.buffer)?;
        if is_own && !shared.ready.is_empty() {
            shared.ready.read(&shared.sources, item, &mut self.buffer, &mut slot.cells)?;
        }
        Ok(label)
    }

    fn make_of_payload(&mut self, job: &Job<'_>, slot: &mut Slot, lap: &mut Lap<'_>) -> Result<()> {
        let shared = job.shared;
        let content = shared.contents.get(job.kind).unwrap_or(&Content::Payloads);
        let found = self.find(job);
        let image = shared.decoded.as_ref().and_then(|decoded| self.lookup.find_image(decoded, &job.query()));
        // What is kept needs no payload, unless more is seen of it.
        let stored = match (found.is_some() || image.is_some()) && !shared.ready.is_seen() {
            true => Stored::default(),
            false => {
                let is_read = || lap.stage(Stage::Reading);
                let half = matches!(content, Content::Images(_)) && !shared.ready.is_seen();
                job.dataset.stored_then(job.item.sample, shared.verify, (&mut self.buffer, half), is_read)?
            }
        };
        self.decoder.packed_with(stored.tables.clone());
        lap.stage(if stored.payload.is_empty() { Stage::Reading } else { Stage::Verifying });
        match content {
            Content::Payloads => slot.payload = stored.payload.clone(),
            Content::Images(_) => self.make_image(job, &stored, found, slot, lap)?,
            Content::Prepared(transform) => self.prepare(job, &stored, (transform, image), slot, lap)?,
            Content::Made { make, .. } => call(&**make, job, &stored, slot)?,
            // These never come here.
            Content::Stored(..) => {}
        }
        lap.stage(Stage::Making);
        if shared.ready.is_seen() {
            job.see(&stored, slot, (&mut self.others, &mut self.decoder))?;
            lap.stage(Stage::Targets);
        }
        Ok(())
    }

    /// Looks for a decoded image that was kept.
    fn find(&mut self, job: &Job<'_>) -> Option<Found> {
        let Tools { lookup, transformers, rects, .. } = self;
        let decoded = job.shared.decoded.as_ref()?;
        let transformer = transformers.get(job.kind)?.as_ref()?;
        let (given, recipe) = (job.cuts_by(transformer), transformer.recipe());
        let place = |full: (u32, u32)| recipe.place_boxes(full.0, full.1, corners(given, full, rects), job.key);
        lookup.find(decoded, &job.query(), transformer, place)
    }

    /// An image on its tensor, as a recipe says.
    fn make_image(
        &mut self,
        job: &Job<'_>,
        stored: &Stored,
        found: Option<Found>,
        slot: &mut Slot,
        lap: &mut Lap<'_>,
    ) -> Result<()> {
        let shared = job.shared;
        let tight = self.fit(job, stored, slot);
        let Some(Some(transformer)) = self.transformers.get_mut(job.kind) else { return Ok(()) };
        let (mut cost, mut share) = (0, None);
        let made = match found {
            Some(found) => self.finish(job, &found, slot, (tight, lap)),
            None => {
                let (given, rects) = (job.cuts_by(transformer), &mut self.rects);
                let needs = transformer.needs_among(&stored.payload, stored.raw, &shared.decode, job.key, |size| {
                    corners(given, size, rects)
                });
                cost = shared.cost(job.kind, &needs, &stored.payload);
                share = Some(shared.budget.take(cost));
                self.decode(job, (stored, &needs), slot, (tight, lap))
            }
        };
        self.let_go_of_much(shared, cost);
        drop(share);
        made?;
        if let (Some(cell), Some((_, around)), Some(Some(transformer))) =
            (slot.cell, &shared.padding, self.transformers.get(job.kind))
        {
            around.spread(&mut slot.memory, transformer.recipe().layout, slot.size, cell)?;
        }
        Ok(())
    }

    /// A decoder keeps its buffers, of which these would be too large for every worker to keep.
    pub(super) fn let_go_of_much(&mut self, shared: &Shared, cost: u64) {
        if shared.budget.is_much(cost, shared.workers) {
            self.decoder = Decoder::default();
            self.lookup.let_go();
        }
    }

    /// Gives an image that is padded its own size; how many bytes of the slot it takes.
    fn fit(&mut self, job: &Job<'_>, stored: &Stored, slot: &mut Slot) -> usize {
        let (shared, Some(Some(transformer))) = (job.shared, self.transformers.get_mut(job.kind)) else {
            return slot.memory.len();
        };
        let (Some(cell), Some((padding, _))) = (slot.cell, &shared.padding) else { return slot.memory.len() };
        let most = shared.contents.get(job.kind).and_then(Content::image);
        let most = most.map_or(cell, |image| (image.width, image.height));
        slot.size = padding.own((&stored.payload, stored.raw), (most, cell));
        transformer.resize(slot.size.0, slot.size.1);
        transformer.values().saturating_mul(shared.dtype.bytes())
    }

    fn decode(
        &mut self,
        job: &Job<'_>,
        (stored, needs): (&Stored, &Needs),
        slot: &mut Slot,
        (tight, lap): (usize, &mut Lap<'_>),
    ) -> Result<()> {
        let Stored { payload, raw, .. } = stored;
        let Tools { lookup, decoder, transformers, raster, .. } = self;
        let Some(Some(transformer)) = transformers.get_mut(job.kind) else { return Ok(()) };
        if let Some(kept) = &job.shared.decoded {
            let what = (&payload[..], *raw, needs);
            let mut is_decoded = || lap.decoded(*raw);
            if let Some(found) = lookup.fill(kept, &job.query(), what, (transformer, decoder), &mut is_decoded) {
                return self.finish(job, &found, slot, (tight, lap));
            }
        }
        let decoded = transformer.decode_as(needs, decoder, payload, job.key)?;
        lap.decoded(*raw);
        let size = (transformer.recipe().width, transformer.recipe().height);
        follow(job, (decoded.placement(), size), slot, (raster, lap))?;
        transformer.finish(&decoded, job.key, out_of(job, slot, tight))
    }

    /// The same of an image that was kept.
    fn finish(
        &mut self,
        job: &Job<'_>,
        found: &Found,
        slot: &mut Slot,
        (tight, lap): (usize, &mut Lap<'_>),
    ) -> Result<()> {
        let Tools { lookup, transformers, raster, .. } = self;
        let Some(Some(transformer)) = transformers.get_mut(job.kind) else { return Ok(()) };
        let size = (transformer.recipe().width, transformer.recipe().height);
        follow(job, (&found.placement, size), slot, (raster, lap))?;
        lookup.finish(found, transformer, job.key, out_of(job, slot, tight))
    }

    /// What the builder of a warehouse makes of an image, or made of it and was kept.
    fn prepare(
        &mut self,
        job: &Job<'_>,
        stored: &Stored,
        (transform, image): (&Transform, Option<[u32; 2]>),
        slot: &mut Slot,
        lap: &mut Lap<'_>,
    ) -> Result<()> {
        let shared = job.shared;
        let Tools { lookup, hows, imager, halves, .. } = self;
        let Some(Some(how)) = hows.get(job.kind) else { return Ok(()) };
        let most = u32::try_from(transform.max_boxes).unwrap_or(u32::MAX);
        let out = shared.dtype.out(&mut slot.memory);
        let mut parts = Parts::new(&mut slot.targets);
        let mut follow = |placement: &warehouse::Placement| {
            place(job.boxes(), placement, most, |corners, class| parts.push(corners, class));
        };
        if let Some(size) = image {
            follow(&warehouse::Placement::new(how.resize, size, how.size));
            numbers(lookup.image(), halves, out);
            return Ok(());
        }
        let needed = if stored.raw.is_some() { 0 } else { cost(&stored.payload, &how.decode) };
        let share = shared.budget.take(needed);
        let made = imager.decode(&stored.payload, stored.raw, how).and_then(|decoded| {
            lap.stage(Stage::Decoding);
            follow(&decoded.placement);
            let size = decoded.placement.source;
            let made = decoded.image()?;
            if let Some(kept) = &shared.decoded {
                lookup.keep_image(kept, &job.query(), size, made);
            }
            numbers(made, halves, out);
            Ok(())
        });
        if shared.budget.is_much(needed, shared.workers) {
            *imager = Imager::default();
        }
        drop(share);
        made
    }
}

impl Shared {
    /// About how many bytes decoding an image will hold.
    pub(super) fn cost(&self, kind: usize, needs: &Needs, payload: &[u8]) -> u64 {
        self.decoded.as_ref().map_or_else(|| needs.cost(payload), |kept| kept.cost(kind, needs, payload))
    }
}

impl Lap<'_> {
    /// Counts the time of decoding, of which raw pixels need none.
    pub(super) fn decoded(&mut self, raw: Option<(u32, u32)>) {
        if raw.is_none() {
            self.stage(Stage::Decoding);
        }
    }
}

/// Where the numbers of a sample go.
fn out_of<'a>(job: &Job<'_>, slot: &'a mut Slot, tight: usize) -> Out<'a> {
    job.shared.dtype.out(slot.memory.get_mut(..tight).unwrap_or_default())
}

/// Boxes, masks and key points follow an image onto its tensor.
fn follow(
    job: &Job<'_>,
    (placement, size): (&Placement, (u32, u32)),
    slot: &mut Slot,
    (raster, lap): (&mut Raster, &mut Lap<'_>),
) -> Result<()> {
    slot.placement = *placement;
    if let Some(frame) = job.frame {
        Parts::new(&mut slot.targets).follow(&frame.boxes, placement, size);
    }
    let Shared { ready, sources, .. } = job.shared;
    if ready.is_marked() {
        ready.place(sources, &job.item, (placement, size), &mut slot.cells, raster)?;
        lap.stage(Stage::Targets);
    }
    Ok(())
}

/// Numbers that a function of the user's makes.
fn call(make: &Make, job: &Job<'_>, stored: &Stored, slot: &mut Slot) -> Result<()> {
    let sample = Sample {
        payload: &stored.payload,
        index: job.item.index,
        key: job.key,
        raw: stored.raw,
        label: slot.label,
        dataset: job.dataset,
        number: job.item.sample,
    };
    make(sample, job.shared.dtype.out(&mut slot.memory))
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
