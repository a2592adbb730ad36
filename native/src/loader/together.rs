//! Several samples on one tensor: mosaics, MixUp and CutMix, with their boxes, masks, key points and labels.

use std::sync::Mutex;

use bytes::Bytes;
use forebay::{
    Error, Result,
    image::transform::{Cut, MOST_PIECES, Pieces, Placement, Shown, Together},
    order::{Epoch, Item},
};

use super::{
    OnBroken, codes,
    content::Content,
    decoded::Wish,
    flight::Slot,
    policy::TRIES,
    pool::lock,
    stats::{Lap, Stage},
    target::Seen,
    targets::{Parts, corners},
    worker::{Shared, Worker},
};
use crate::{dataset::Stored, warehouse::GivenBox};

/// A picture on a sample's tensor, of those that a [mosaic](super::Builder::mosaic) or a
/// [mixture](super::Builder::mixed) brought together there.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Piece {
    /// Which sample it is.
    pub item: Item,
    /// Its label; 0 if the loader reads none.
    pub label: i64,
    /// Its share of the tensor, and of the label: those of all pieces together are 1.
    pub share: f64,
    /// Where it was placed.
    pub placement: Placement,
}

impl Piece {
    /// The rectangle of the tensor that another picture was cut into, or which this one was cut to, and whether it lies inside.
    pub fn cut(&self) -> Option<(Cut, bool)> {
        match self.placement.shown {
            Shown::Inside(cut) => Some((cut, true)),
            Shown::Outside(cut) => Some((cut, false)),
            _ => None,
        }
    }
}

/// Lists of pieces that are used again.
#[derive(Debug, Default)]
pub(super) struct Lists {
    spare: Mutex<Vec<Vec<Piece>>>,
    most: usize,
}

impl Lists {
    pub(super) fn new(most: usize) -> Lists {
        Lists { spare: Mutex::default(), most }
    }
    fn take(&self) -> Vec<Piece> {
        lock(&self.spare).pop().unwrap_or_else(|| Vec::with_capacity(MOST_PIECES))
    }
    pub(super) fn give(&self, mut list: Vec<Piece>) {
        let mut spare = lock(&self.spare);
        if list.capacity() > 0 && spare.len() < self.most {
            list.clear();
            spare.push(list);
        }
    }
}

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

impl Worker {
    /// Makes a sample of several pictures.
    pub(super) fn bring_together(
        &mut self,
        (epoch, kind): (u64, usize),
        (item, drawn_as): (&Item, &Item),
        slot: &mut Slot,
    ) -> Result<()> {
        let shared = self.shared.clone();
        let mut lap = shared.clock.lap(self.number, epoch, item.index);
        let epoch = shared.order.epoch(epoch)?;
        let pieces = shared.pieces(&epoch, (item, drawn_as), kind);
        let mut layer = 0;
        self.begin(&shared, kind, slot);
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
            let at = At { shared: &shared, epoch: &epoch, kind, pieces: &pieces, number, drawn_as };
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
        let Worker { keeping, decoder, transformers, buffer, raster, eye, rects, .. } = self;
        let Some(Some(transformer)) = transformers.get_mut(at.kind) else { return Ok(()) };
        let label = shared.labels.of(&shared.sources, item, buffer)?;
        let is_own = at.number == 0;
        if is_own {
            slot.label = label;
            if !shared.ready.is_empty() {
                shared.ready.read(&shared.sources, item, buffer, &mut slot.cells)?;
            }
        }
        let frame = shared.sources.frame(item);
        let (dataset, in_file) = shared.sources.in_file(item)?;
        let named = |e: Error| e.file(dataset.name()).sample(in_file.sample);
        let recipe = transformer.recipe();
        let size = (recipe.width, recipe.height);
        let given: &[GivenBox] = frame.map(|frame| &*frame.boxes).unwrap_or_default();
        let cuts_by = if recipe.looks_at_boxes() { given } else { &[] };
        let wish = Wish { kind: at.kind, item: &in_file, key: piece.key, decode: &shared.decode };
        let mut found = shared.decoded.as_ref().and_then(|decoded| {
            let place = |full| pieces.place(piece, recipe, (full, corners(cuts_by, full, rects)));
            keeping.find(decoded, &wish, transformer, place)
        });
        // What is kept needs no payload, unless more is seen of it.
        let Stored { payload, raw } = match found.is_some() && !(is_own && shared.ready.is_seen()) {
            true => Stored { payload: Bytes::new(), raw: None },
            false => dataset.stored(in_file.sample, shared.verify, buffer).map_err(named)?,
        };
        lap.stage(Stage::Reading);
        let (mut cost, mut held) = (0, None);
        let mut make = || {
            if found.is_none() {
                let needs = transformer
                    .needs_for((pieces, piece), (&payload, raw), &shared.decode, |full| corners(cuts_by, full, rects));
                let kept = shared.decoded.as_ref();
                cost = kept.map_or_else(|| needs.cost(&payload), |kept| kept.cost(at.kind, &needs, &payload));
                held = Some(shared.budget.take(cost));
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
                    return transformer.lay((pieces, piece), (&needs, decoder, &payload), || {
                        is_decoded();
                        shared.ready.check_marks(&shared.sources, &in_file, size)
                    });
                }
            }
            let Some(found) = &found else { return Ok(Placement::default()) };
            shared.ready.check_marks(&shared.sources, &in_file, size)?;
            keeping.lay_down(found, transformer)?;
            Ok(found.placement)
        };
        let made = make();
        if shared.budget.is_much(cost, shared.workers) {
            *decoder = Default::default();
            keeping.let_go();
        }
        drop(held);
        lap.stage(Stage::Making);
        let placement = made.map_err(named)?;
        if !given.is_empty() {
            Parts::more(&mut slot.targets).follow(given, &placement, size);
        }
        if shared.ready.is_marked() {
            let is_faint = pieces.keep(piece.layer) < 0.5 && placement.shown == Shown::All;
            let placed = (&placement, size);
            shared.ready.add_marks(&in_file, placed, &mut slot.cells, (raster, is_faint));
        }
        slot.pieces.push(Piece { item: *item, label, share: pieces.share(piece, size), placement });
        if is_own {
            slot.frame = frame.map(|frame| frame.id);
            slot.placement = placement;
            if shared.ready.is_seen() {
                let seen = Seen {
                    item: in_file,
                    payload: &payload,
                    raw,
                    drawn: (&shared.order, at.epoch.number(), at.drawn_as),
                    key: piece.key,
                    dtype: shared.dtype,
                    decode: &shared.decode,
                    verify: shared.verify,
                    budget: &shared.budget,
                    full: (placement.full_width, placement.full_height),
                };
                shared.ready.see(&seen, eye, decoder, &mut slot.cells).map_err(named)?;
            }
        }
        lap.stage(Stage::Targets);
        Ok(())
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
