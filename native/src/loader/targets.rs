//! What belongs to a batch's samples beside their numbers: boxes with a mask and classes, and frames.

use forebay::image::transform::{Placement, Rect};

use super::flight::Slot;
use crate::warehouse::GivenBox;

/// The class of a place without a box, and of a box without a class.
pub(super) const NO_CLASS: i32 = -1;

/// Words of four bytes for each place: four corners, the mask, the class.
const WORDS: usize = 6;

/// Bytes for the boxes of a sample on their way into a batch.
pub(super) fn bytes(places: usize) -> usize {
    places.saturating_mul(WORDS * 4)
}

/// The boxes of a sample while they are written.
#[derive(Debug)]
pub(super) struct Parts<'a> {
    pub(super) boxes: &'a mut [f32],
    pub(super) mask: &'a mut [f32],
    pub(super) classes: &'a mut [i32],
    next: usize,
}

impl<'a> Parts<'a> {
    /// The places in memory of a slot, all of them empty.
    pub(super) fn new(memory: &'a mut [u8]) -> Self {
        memory.fill(0);
        // The memory is a part of one that is aligned, at a multiple of four.
        let words: &mut [f32] = bytemuck::try_cast_slice_mut(memory).unwrap_or_default();
        let places = words.len() / WORDS;
        let (boxes, rest) = words.split_at_mut(places * 4);
        let (mask, classes) = rest.split_at_mut(places);
        let classes: &mut [i32] = bytemuck::cast_slice_mut(classes);
        classes.fill(NO_CLASS);
        Parts { boxes, mask, classes, next: 0 }
    }

    /// The places in memory of a slot that has some boxes already.
    pub(super) fn more(memory: &'a mut [u8]) -> Self {
        let words: &mut [f32] = bytemuck::try_cast_slice_mut(memory).unwrap_or_default();
        let places = words.len() / WORDS;
        let (boxes, rest) = words.split_at_mut(places * 4);
        let (mask, classes) = rest.split_at_mut(places);
        let next = mask.iter().take_while(|there| **there > 0.0).count();
        Parts { boxes, mask, classes: bytemuck::cast_slice_mut(classes), next }
    }

    /// How many boxes there can be.
    pub(super) fn places(&self) -> usize {
        self.mask.len()
    }

    /// Takes a box into the next place; one too many is left out.
    pub(super) fn push(&mut self, corners: [f32; 4], class: Option<u32>) {
        let k = self.next;
        if let (Some(to), Some(mask)) = (self.boxes.as_chunks_mut::<4>().0.get_mut(k), self.mask.get_mut(k)) {
            (*to, *mask) = (corners, 1.0);
            self.classes[k] = class.and_then(|class| i32::try_from(class).ok()).unwrap_or(NO_CLASS);
            self.next += 1;
        }
    }

    /// Takes the boxes of a picture that was placed by a recipe: what its tensor shows of them, in shares of that.
    pub(super) fn follow(&mut self, given: &[GivenBox], placement: &Placement, (width, height): (u32, u32)) {
        let full = [placement.full_width, placement.full_height];
        for one in given {
            let Some(chosen) = forebay::warehouse::choose(one.pixels, one.shares, full) else { continue };
            let [left, top, right, bottom] = chosen.corners;
            let Some(seen) = placement.rect(&Rect { x: left, y: top, width: right - left, height: bottom - top })
            else {
                continue;
            };
            let (w, h) = (f64::from(width), f64::from(height));
            let shares = [seen.x / w, seen.y / h, (seen.x + seen.width) / w, (seen.y + seen.height) / h];
            let shares = shares.map(|share| share.clamp(0.0, 1.0) as f32);
            if shares[0] < shares[2] && shares[1] < shares[3] {
                self.push(shares, one.class);
            }
        }
    }
}

/// The boxes of a picture of this size in its pixels, in memory that is used again.
pub(super) fn corners<'a>(given: &[GivenBox], (width, height): (u32, u32), to: &'a mut Vec<Rect>) -> &'a [Rect] {
    let chosen = |one: &GivenBox| forebay::warehouse::choose(one.pixels, one.shares, [width, height]);
    to.clear();
    to.extend(given.iter().filter_map(chosen).map(|chosen| {
        let [left, top, right, bottom] = chosen.corners;
        Rect { x: left, y: top, width: right - left, height: bottom - top }
    }));
    to
}

/// Boxes and frames of a batch.
#[derive(Debug, Default)]
pub(super) struct Targets {
    pub(super) boxes: Vec<f32>,
    pub(super) mask: Vec<f32>,
    pub(super) classes: Vec<i64>,
    /// Empty where nobody knows frames.
    pub(super) frames: Vec<u64>,
}

impl Targets {
    /// Those of all samples that are not left out, with that many places each.
    pub(super) fn of(slots: &[Slot], places: usize) -> Self {
        let mut targets = Targets::default();
        let known = slots.iter().any(|slot| slot.frame.is_some());
        if places == 0 && !known {
            return targets;
        }
        let all = places * slots.len();
        targets.boxes.reserve_exact(all * 4);
        targets.mask.reserve_exact(all);
        targets.classes.reserve_exact(all);
        targets.frames.reserve_exact(if known { slots.len() } else { 0 });
        slots.iter().filter(|slot| !slot.is_left_out()).for_each(|slot| targets.take(slot));
        targets
    }

    /// Room for as many samples, with that many places each.
    pub(super) fn with_room(samples: usize, places: usize) -> Self {
        let all = places * samples;
        Targets {
            boxes: Vec::with_capacity(all * 4),
            mask: Vec::with_capacity(all),
            classes: Vec::with_capacity(all),
            frames: Vec::with_capacity(samples),
        }
    }

    /// The empty places of one more sample.
    pub(super) fn room(&mut self, places: usize) -> (&mut [f32], &mut [f32], &mut [i64]) {
        let before = self.mask.len();
        self.boxes.resize((before + places) * 4, 0.0);
        self.mask.resize(before + places, 0.0);
        self.classes.resize(before + places, NO_CLASS.into());
        (&mut self.boxes[before * 4..], &mut self.mask[before..], &mut self.classes[before..])
    }

    /// Forgets what came behind this many samples.
    pub(super) fn truncate(&mut self, samples: usize, places: usize) {
        self.boxes.truncate(samples * places * 4);
        self.mask.truncate(samples * places);
        self.classes.truncate(samples * places);
        self.frames.truncate(samples);
    }

    /// Takes those of a sample.
    pub(super) fn take(&mut self, slot: &Slot) {
        let words: &[f32] = bytemuck::try_cast_slice(&slot.targets).unwrap_or_default();
        let places = words.len() / WORDS;
        let (boxes, rest) = words.split_at(places * 4);
        let (mask, classes) = rest.split_at(places);
        self.boxes.extend_from_slice(boxes);
        self.mask.extend_from_slice(mask);
        let classes: &[i32] = bytemuck::cast_slice(classes);
        self.classes.extend(classes.iter().map(|class| i64::from(*class)));
        self.frames.extend(slot.frame);
    }
}
