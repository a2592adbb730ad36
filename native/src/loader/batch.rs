//! A finished batch.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use forebay::{
    Result,
    image::transform::{Out, Placement},
    order::Item,
};
use serde_json::Value;

use super::{Dtype, Skipped, Tensor, pool::Pool, worker::Shared};

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
    pub(super) skipped: Vec<Skipped>,
    /// The batch's length and then the shape of one sample.
    pub(super) shape: Vec<usize>,
    pub(super) slot_bytes: usize,
    pub(super) dtype: Dtype,
    pub(super) memory: BytesMut,
    pub(super) pool: Arc<Pool>,
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
    pub fn images(&self) -> Tensor<'_> {
        self.dtype.view(self.memory.get(..self.bytes()).unwrap_or_default())
    }
    /// The tensor, to be changed in place.
    pub fn images_mut(&mut self) -> Out<'_> {
        let bytes = self.bytes();
        self.dtype.out(self.memory.get_mut(..bytes).unwrap_or_default())
    }
    fn bytes(&self) -> usize {
        self.len() * self.slot_bytes
    }
    /// The tensor's shape, the number of samples first.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }
    /// The type of its numbers.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }
    /// What became of each picture's geometry: which part of it was taken, at what size it was seen and where, and
    /// whether it was mirrored, so that boxes and points [can follow](Placement::rect). Empty unless the loader gives
    /// images.
    pub fn placements(&self) -> &[Placement] {
        &self.placements
    }
    /// The payloads, if the loader gives these: verified, decompressed, and parts of the mapped file where they
    /// are stored as they are. Empty otherwise.
    pub fn payloads(&self) -> &[Bytes] {
        &self.payloads
    }

    /// The labels; empty if none were asked for.
    pub fn labels(&self) -> &[i64] {
        &self.labels
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
        self.items.iter().map(|item| self.shared.sources.of(item)?.sample_name(item.sample)).collect()
    }
    /// The samples' metadata, if they have it: read when this is called.
    pub fn metadata(&self) -> Result<Vec<Option<Value>>> {
        self.items.iter().map(|item| self.shared.sources.of(item)?.metadata_value(item.sample)).collect()
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        self.pool.give(std::mem::take(&mut self.memory));
    }
}
