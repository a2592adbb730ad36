//! A finished batch.

use std::sync::{Arc, OnceLock};

use bytes::{Bytes, BytesMut};
use forebay::{
    Result,
    image::transform::{Out, Placement},
    order::Item,
};
use serde_json::Value;

use super::{
    Dtype, OnBroken, Skipped, TargetView, Tensor,
    flight::{Pools, Slot},
    pieces::Piece,
    shared::Shared,
    target::{Filled, TargetPart},
    targets::Targets,
    together,
};

/// Samples, ready for training. Its memory goes back to the loader when it is dropped, so keep batches only as long
/// as they are needed; keeping them longer is safe and costs new memory for others.
#[derive(Debug)]
pub struct Batch {
    pub(super) epoch: u64,
    pub(super) step: u64,
    pub(super) items: Vec<Item>,
    pub(super) indices: Vec<u64>,
    pub(super) labels: Vec<i64>,
    pub(super) placements: Vec<Placement>,
    pub(super) payloads: Vec<Bytes>,
    /// Of each sample, where several pictures are brought together.
    pub(super) pieces: Vec<Vec<Piece>>,
    /// Of each sample, where pictures are padded, and the size of their places.
    pub(super) sizes: Vec<(u32, u32)>,
    pub(super) cell: Option<(u32, u32)>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) targets: Targets,
    pub(super) named: Vec<Filled>,
    /// The batch's length and then the shape of one sample.
    pub(super) shape: Vec<usize>,
    pub(super) slot_bytes: usize,
    /// Whether it is told where pictures were placed.
    pub(super) is_placed: bool,
    pub(super) dtype: Dtype,
    /// Not there until the tensor of samples that lie in shards is asked for.
    pub(super) memory: OnceLock<BytesMut>,
    pub(super) pools: Arc<Pools>,
    pub(super) shared: Arc<Shared>,
}

impl Batch {
    /// How many samples.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// True if there are none, which is so only if all of them were broken and skipped.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// The epoch that it belongs to.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }
    /// Which step of its epoch it is, the same on every rank.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The tensor: `[n, 3, height, width]` or `[n, height, width, 3]`, one sample after the other, at an address that is
    /// a multiple of [`ALIGNMENT`](super::ALIGNMENT). Empty if the loader gives payloads.
    ///
    /// Of a warehouse that is mapped or in memory, it is made in one pass when it is first asked for; who can do with
    /// [`view`](Self::view) does not pay for it.
    pub fn images(&self) -> Tensor<'_> {
        self.dtype.view(self.memory().get(..self.bytes()).unwrap_or_default())
    }
    /// The tensor, to be changed in place.
    pub fn images_mut(&mut self) -> Out<'_> {
        self.memory();
        if self.shared.sources.stored.is_some() {
            // Whoever looks at a sample afterwards is to see what was changed.
            self.payloads.clear();
        }
        let bytes = self.bytes();
        self.dtype.out(self.memory.get_mut().and_then(|memory| memory.get_mut(..bytes)).unwrap_or_default())
    }
    /// The numbers of sample `k`, where they lie: in the tensor, or, without one being made, in the shard of a warehouse
    /// that is mapped or in memory. None where they would have to be converted first.
    pub fn view(&self, k: usize) -> Option<Tensor<'_>> {
        if let (Some(stored), Some(bytes)) = (&self.shared.sources.stored, self.payloads.get(k))
            && let Some(view) = stored.view(bytes, self.dtype)
        {
            return Some(view);
        }
        let begin = k.checked_mul(self.slot_bytes).filter(|_| self.slot_bytes > 0 && k < self.len())?;
        self.dtype.try_view(self.memory.get()?.get(begin..begin + self.slot_bytes)?)
    }
    /// Takes what one sample became, the one at this place among those that were asked for.
    pub(super) fn settle(&mut self, place: usize, slot: Slot) -> Result<()> {
        let on_broken = self.shared.on_broken;
        let Slot { mut item, label, placement, payload, pieces, size, error, stand_in, .. } = slot;
        if error.is_some() && stand_in.is_none() {
            self.shared.lists.give(pieces);
        } else if !self.shared.together.is_empty() {
            self.pieces.push(pieces);
        }
        if let Some(error) = error {
            if !on_broken.forgives(&error) || (on_broken == OnBroken::Replace && stand_in.is_none()) {
                return Err(error);
            }
            let replaced_by = stand_in.map(|other| other.index);
            self.skipped.push(Skipped { position: item.position, index: item.index, error, replaced_by });
            let Some(other) = stand_in else { return Ok(()) };
            item = other;
        }
        let (kept, len) = (self.items.len(), self.slot_bytes);
        if let Some(memory) = self.memory.get_mut().filter(|_| place != kept) {
            // What was skipped leaves no gap.
            memory.copy_within(place * len..(place + 1) * len, kept * len);
        }
        if self.is_placed {
            self.placements.push(placement);
        }
        if self.cell.is_some() {
            self.sizes.push(size);
        }
        if len == 0 || self.shared.by_caller {
            self.payloads.push(payload);
        }
        self.take(item, label);
        Ok(())
    }
    /// Takes a sample whose numbers are there.
    pub(super) fn take(&mut self, item: Item, label: i64) {
        self.items.push(item);
        self.indices.push(item.index);
        if self.shared.labeled {
            self.labels.push(label);
        }
    }
    fn bytes(&self) -> usize {
        self.len() * self.slot_bytes
    }
    fn memory(&self) -> &BytesMut {
        self.memory.get_or_init(|| {
            let mut memory = self.pools.numbers.take();
            if let Some(stored) = &self.shared.sources.stored {
                for (bytes, out) in self.payloads.iter().zip(memory.chunks_exact_mut(self.slot_bytes.max(1))) {
                    stored.convert(bytes, self.dtype.out(out));
                }
            }
            memory
        })
    }
    /// The tensor's shape, the number of samples first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }
    /// The type of its numbers.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }
    /// Returns the geometry of each image: which part of it was taken, at what size it was seen and where, and
    /// whether it was mirrored, so that boxes and points [can follow](Placement::rect). Empty unless the loader gives
    /// images.
    pub fn placements(&self) -> &[Placement] {
        &self.placements
    }
    /// Width and height of each picture in the upper left of its place, if they are [padded](super::Builder::padded); empty
    /// otherwise.
    pub fn sizes(&self) -> &[(u32, u32)] {
        &self.sizes
    }
    /// Fills memory with bytes that say where pictures are, if they are [padded](super::Builder::padded): 1, and 0 around them.
    /// Gives the shape, `[n, height, width]`. Empty otherwise.
    pub fn pixel_mask(&self, mask: &mut Vec<u8>) -> [usize; 3] {
        mask.clear();
        let (width, height) = self.cell.unwrap_or_default();
        let (width, height) = (width as usize, height as usize);
        mask.resize(self.len().saturating_mul(width).saturating_mul(height), 0);
        for (place, (w, h)) in mask.chunks_exact_mut((width * height).max(1)).zip(&self.sizes) {
            for row in place.chunks_exact_mut(width.max(1)).take(*h as usize) {
                row.get_mut(..*w as usize).unwrap_or_default().fill(1);
            }
        }
        [self.len(), height, width]
    }
    /// The payloads, if the loader gives these: verified, decompressed, and parts of the mapped file where they
    /// are stored as they are. Of a warehouse without prefetching, the images as they are stored. Empty otherwise.
    pub fn payloads(&self) -> &[Bytes] {
        &self.payloads
    }

    /// The pictures on the tensor of sample `k`, its own first, where a [mosaic](super::Builder::mosaic) or a
    /// [mixture](super::Builder::mixed) was asked for; empty otherwise.
    pub fn pieces(&self, k: usize) -> &[Piece] {
        self.pieces.get(k).map(Vec::as_slice).unwrap_or_default()
    }
    /// The labels as shares of each class, `[n, classes]`: of each picture on a sample's tensor its [share](Piece::share), and
    /// 1 where there is only one.
    pub fn soft_labels(&self, classes: usize) -> Result<Vec<f32>> {
        together::soft_labels((&self.labels, self.len()), &self.pieces, classes)
    }

    /// The labels; empty if none were asked for.
    pub fn labels(&self) -> &[i64] {
        &self.labels
    }
    /// The [target](super::Target) of this name, if the loader was given one.
    pub fn target(&self, name: &str) -> Option<TargetView<'_>> {
        let (kind, range) = self.shared.ready.columns_of(name)?;
        let (columns, filled) = (self.shared.ready.columns.get(range.clone())?, self.named.get(range)?);
        Some(TargetView::new(kind, self.len(), columns, filled))
    }
    /// Shows every part of every target, to be changed in place: the target's name, the part's, which is empty for the values
    /// and `offsets` for where samples begin, the shape, and the numbers.
    #[doc(hidden)]
    pub fn targets_mut(&mut self, mut take: impl FnMut(&str, &str, Vec<usize>, TargetPart<'_>)) {
        let (shared, samples) = (self.shared.clone(), self.len());
        for name in shared.ready.names() {
            let Some((_, range)) = shared.ready.columns_of(name) else { continue };
            let columns = shared.ready.columns.get(range.clone()).unwrap_or_default();
            let filled = self.named.get_mut(range).unwrap_or_default();
            for (k, (column, filled)) in columns.iter().zip(filled).enumerate() {
                if k == 0 && column.has_offsets() {
                    let offsets = filled.offsets_mut();
                    take(name, "offsets", vec![offsets.len()], TargetPart::I64(offsets));
                }
                let (shape, part) = filled.part_mut(column, samples);
                take(name, column.part, shape, part);
            }
        }
    }
    /// The boxes, `[n, places, 4]`: left, top, right and bottom from 0 to 1 of the tensor; 0 where there is none. Empty
    /// if the loader was asked for none.
    pub fn boxes(&self) -> &[f32] {
        &self.targets.boxes
    }
    /// Where there is a box, `[n, places]`: 1, or 0 where there is none.
    pub fn mask(&self) -> &[f32] {
        &self.targets.mask
    }
    /// The classes of the boxes, `[n, places]`: numbers of [`Loader::box_classes`](super::Loader::box_classes), and -1
    /// where there is no box or nobody knows its class.
    pub fn box_classes(&self) -> &[i64] {
        &self.targets.classes
    }
    /// How many places for boxes each sample has.
    pub fn places(&self) -> usize {
        self.shared.places
    }
    /// The samples' frames, as their labels count them; their [indices](Self::indices) where nobody knows frames.
    pub fn frame_ids(&self) -> &[u64] {
        if self.targets.frames.len() == self.len() { &self.targets.frames } else { &self.indices }
    }
    /// Each sample's number among all samples of all sources.
    pub fn indices(&self) -> &[u64] {
        &self.indices
    }
    /// Where each sample comes from, and which only fill the tail.
    pub fn items(&self) -> &[Item] {
        &self.items
    }
    /// Samples that could not be read, which the loader was told to [skip or replace](super::OnBroken).
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// The samples' names, if they have them: read when this is called.
    pub fn names(&self) -> Result<Vec<Option<String>>> {
        let sources = &self.shared.sources;
        let name = |item| sources.in_file(item).and_then(|(dataset, item)| dataset.sample_name(item.sample));
        self.items.iter().map(name).collect()
    }
    /// The samples' metadata, if they have it: read when this is called.
    pub fn metadata(&self) -> Result<Vec<Option<Value>>> {
        let sources = &self.shared.sources;
        let metadata = |item| sources.in_file(item).and_then(|(dataset, item)| dataset.metadata_value(item.sample));
        self.items.iter().map(metadata).collect()
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        if let Some(memory) = self.memory.take() {
            self.pools.numbers.give(memory);
        }
        self.pools.named.give(std::mem::take(&mut self.named));
        self.pieces.drain(..).for_each(|pieces| self.shared.lists.give(pieces));
    }
}
