//! Several samples on one tensor: mosaics, MixUp and CutMix, with their boxes, masks, key points and labels.

use forebay::{
    Error, Result,
    image::transform::{self, MOST_PIECES, Pieces, Placement, Shown, Together},
    order::{Epoch, Item},
};

use super::{
    OnBroken, codes,
    content::Content,
    flight::Slot,
    make::{Job, Tools},
    pieces::Piece,
    policy::TRIES,
    shared::Shared,
    stats::Lap,
    targets::{Parts, corners},
    timeline::Stage,
};
use crate::dataset::Stored;

/// Refuses what does not go together with pictures of several samples.
pub(super) fn check(together: &Together, contents: &[Content], has_pictures: bool) -> Result<()> {
    if together.is_empty() {
        return Ok(());
    }
    together.check()?;
    let refuse = |message: &str| Err(Error::new(&codes::SETTINGS, message));
    if !contents.iter().all(Content::is_placed) {
        return refuse("`mosaic` and `mixed` bring images together on a tensor: they need `image`");
    }
    if has_pictures {
        return refuse("images and label maps of other datasets do not follow `mosaic` and `mixed` yet");
    }
    Ok(())
}

impl Shared {
    /// What an item of an epoch becomes on a tensor of the content of this number.
    fn pieces(&self, epoch: &Epoch<'_>, (item, drawn_as): (&Item, &Item), kind: usize) -> Pieces {
        let image = self.contents.get(kind).and_then(Content::image);
        let size = image.map_or((1, 1), |image| (image.width, image.height));
        self.together.pieces(epoch, (*item, *drawn_as), size)
    }

    /// Tells the system what is read for these items, which may be known already.
    pub(super) fn announce(
        &self,
        epoch: &Epoch<'_>,
        items: &[Item],
        (kind, known): (usize, Option<Vec<Item>>),
    ) -> Result<()> {
        let read = match known {
            None if !self.together.is_empty() => Some(self.read_for(epoch, items.to_vec(), kind)),
            known => known,
        };
        let items = read.as_deref().unwrap_or(items);
        self.sources.announce(items, self.read_ahead, |item| self.is_kept(item, kind))
    }

    /// The items and all others that are read for them.
    pub(super) fn read_for(&self, epoch: &Epoch<'_>, items: Vec<Item>, kind: usize) -> Vec<Item> {
        if self.together.is_empty() {
            return items;
        }
        let of = |item: &Item| {
            let pieces = self.pieces(epoch, (item, item), kind);
            (0..MOST_PIECES).map_while(move |k| pieces.all().get(k).map(|piece| piece.item))
        };
        items.iter().flat_map(of).collect()
    }
}

impl Tools {
    /// Makes a sample of several pictures.
    pub(super) fn bring_together(
        &mut self,
        shared: &Shared,
        (epoch, kind): (u64, usize),
        (item, drawn_as): (&Item, &Item),
        slot: &mut Slot,
    ) -> Result<()> {
        let mut lap = shared.clock.lap(self.number, epoch, item.index);
        let epoch = shared.order.epoch(epoch)?;
        let pieces = shared.pieces(&epoch, (item, drawn_as), kind);
        let mut layer = 0;
        self.begin(shared, kind, slot);
        for number in 0..pieces.all().len() {
            let Some(piece) = pieces.all().get(number) else { break };
            if piece.layer != layer {
                layer = piece.layer;
                if let Some(Some(transformer)) = self.transformers.get_mut(kind) {
                    transformer.end_layer(pieces.layer_key(0));
                    transformer.keep_layer();
                    transformer.begin_layer();
                }
            }
            let at = At { shared, epoch: &epoch, kind, pieces: &pieces, number, drawn_as };
            self.add_good(&at, slot, &mut lap)?;
        }
        if let Some(Some(transformer)) = self.transformers.get_mut(kind) {
            transformer.end_layer(pieces.layer_key(layer));
            if let (Some(mixed), 1..) = (&pieces.mixed, layer) {
                transformer.mix_layers(mixed);
            }
            transformer.write_layers(shared.dtype.out(&mut slot.memory))?;
        }
        lap.stage(Stage::Making);
        lap.made();
        Ok(())
    }

    /// Everything is empty.
    fn begin(&mut self, shared: &Shared, kind: usize, slot: &mut Slot) {
        if slot.pieces.capacity() == 0 {
            slot.pieces = shared.lists.take();
        }
        slot.pieces.clear();
        Parts::new(&mut slot.targets);
        shared.ready.clear_marks(&mut slot.cells);
        if let Some(Some(transformer)) = self.transformers.get_mut(kind) {
            transformer.begin_layer();
        }
    }

    /// Adds a piece. For a partner that is broken the next good sample of the epoch comes in, where broken samples are
    /// forgiven: it is listed when its own turn comes.
    fn add_good(&mut self, at: &At<'_>, slot: &mut Slot, lap: &mut Lap<'_>) -> Result<()> {
        let Some(piece) = at.pieces.all().get(at.number) else { return Ok(()) };
        let mut item = piece.item;
        let tries = if at.number > 0 && at.shared.on_broken != OnBroken::Raise { TRIES } else { 0 };
        for further in 0..=tries {
            match self.add(at, &item, slot, lap) {
                Err(error) if further < tries && at.shared.on_broken.forgives(&error) => {
                    let next = piece.item.position.saturating_add(further + 1);
                    item = at.epoch.item(next).ok_or(error)?;
                }
                outcome => return outcome,
            }
        }
        Ok(())
    }

    fn add(&mut self, at: &At<'_>, item: &Item, slot: &mut Slot, lap: &mut Lap<'_>) -> Result<()> {
        let At { shared, pieces, .. } = *at;
        let Some(piece) = pieces.all().get(at.number) else { return Ok(()) };
        let Some(Some(transformer)) = self.transformers.get(at.kind) else { return Ok(()) };
        let size = (transformer.recipe().width, transformer.recipe().height);
        let is_own = at.number == 0;
        let label = self.read_label(shared, item, slot, is_own)?;
        let job = Job::new(shared, (at.epoch.number(), at.kind), (item, at.drawn_as), piece.key)?;
        let (stored, placement) = self.lay(at, (piece, &job), lap).map_err(|e| job.named(e))?;
        if !job.boxes().is_empty() {
            Parts::more(&mut slot.targets).follow(job.boxes(), &placement, size);
        }
        if shared.ready.is_marked() {
            let is_faint = pieces.keep(piece.layer) < 0.5 && placement.shown == Shown::All;
            shared.ready.add_marks(&job.item, (&placement, size), &mut slot.cells, (&mut self.raster, is_faint));
        }
        slot.pieces.push(Piece { item: *item, label, share: pieces.share(piece, size), placement });
        if is_own {
            (slot.label, slot.placement) = (label, placement);
            slot.frame = job.frame.map(|frame| frame.id);
            if shared.ready.is_seen() {
                job.see(&stored, slot, (&mut self.others, &mut self.decoder))?;
            }
        }
        lap.stage(Stage::Targets);
        Ok(())
    }

    /// Lays an image on the tensor.
    fn lay(
        &mut self,
        at: &At<'_>,
        (piece, job): (&transform::Piece, &Job<'_>),
        lap: &mut Lap<'_>,
    ) -> Result<(Stored, Placement)> {
        let At { shared, pieces, .. } = *at;
        let Tools { lookup, decoder, transformers, buffer, rects, .. } = self;
        let Some(Some(transformer)) = transformers.get_mut(at.kind) else { return Ok(Default::default()) };
        let recipe = transformer.recipe();
        let (size, given) = ((recipe.width, recipe.height), job.cuts_by(transformer));
        let mut found = shared.decoded.as_ref().and_then(|decoded| {
            let place = |full| pieces.place(piece, recipe, (full, corners(given, full, rects)));
            lookup.find(decoded, &job.query(), transformer, place)
        });
        // What is kept needs no payload, unless more is seen of it.
        let stored = match found.is_some() && !(at.number == 0 && shared.ready.is_seen()) {
            true => Stored::default(),
            false => {
                let half = !shared.ready.is_seen();
                job.dataset.stored_then(job.item.sample, shared.verify, (buffer, half), || ())?
            }
        };
        decoder.packed_with(stored.tables.clone());
        lap.stage(Stage::Reading);
        let Stored { payload, raw, .. } = &stored;
        let (mut cost, mut held) = (0, None);
        let mut make = || {
            if found.is_none() {
                let needs = transformer
                    .needs_for((pieces, piece), (payload, *raw), &shared.decode, |full| corners(given, full, rects));
                cost = shared.cost(at.kind, &needs, payload);
                held = Some(shared.budget.take(cost));
                if let Some(kept) = &shared.decoded {
                    let (what, mut is_decoded) = ((&payload[..], *raw, &needs), || lap.decoded(*raw));
                    found = lookup.fill(kept, &job.query(), what, (transformer, decoder), &mut is_decoded);
                }
                if found.is_none() {
                    return transformer.lay((pieces, piece), (&needs, decoder, payload), || {
                        lap.decoded(*raw);
                        shared.ready.check_marks(&shared.sources, &job.item, size)
                    });
                }
            }
            let Some(found) = &found else { return Ok(Placement::default()) };
            shared.ready.check_marks(&shared.sources, &job.item, size)?;
            lookup.lay_down(found, transformer)?;
            Ok(found.placement)
        };
        let made = make();
        self.let_go_of_much(shared, cost);
        drop(held);
        lap.stage(Stage::Making);
        Ok((stored, made?))
    }
}

/// A piece on its way.
#[derive(Clone, Copy)]
struct At<'a> {
    shared: &'a Shared,
    epoch: &'a Epoch<'a>,
    kind: usize,
    pieces: &'a Pieces,
    number: usize,
    drawn_as: &'a Item,
}

/// Labels as shares of each class.
pub(super) fn soft_labels(
    (labels, samples): (&[i64], usize),
    pieces: &[Vec<Piece>],
    classes: usize,
) -> Result<Vec<f32>> {
    let wrong = |message: String| Error::new(&codes::SETTINGS, message);
    if labels.len() != samples {
        return Err(wrong("there are no labels to take shares of: give the loader `labels`".into()));
    }
    if let Some(label) = labels.first().filter(|_| classes == 0) {
        return Err(wrong(format!("the label {label} is not one of 0 classes")));
    }
    let len = labels.len().checked_mul(classes).filter(|&len| len <= isize::MAX as usize / size_of::<f32>());
    let len = len.ok_or_else(|| wrong(format!("{} labels of {classes} classes are too many", labels.len())))?;
    let mut rows = vec![0.0; len];
    for (k, row) in rows.chunks_exact_mut(classes.max(1)).enumerate() {
        let mut add = |label: i64, share: f64| {
            let class = usize::try_from(label).ok().and_then(|class| row.get_mut(class));
            let class = class.ok_or_else(|| wrong(format!("the label {label} is not one of {classes} classes")))?;
            *class += share as f32;
            Ok::<(), Error>(())
        };
        match pieces.get(k).map(Vec::as_slice).unwrap_or_default() {
            [] => add(labels.get(k).copied().unwrap_or(0), 1.0)?,
            all => all.iter().try_for_each(|piece| add(piece.label, piece.share))?,
        }
    }
    Ok(rows)
}
