//! A batch: views of what lies in the shards, and one tensor of all of them when it is asked for.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bytes::Bytes;
use forebay::{
    Result,
    warehouse::{Dtype, Shape, is_native, to_f32},
};

use super::Shared;

/// Tensors that wait to be used again: memory that was touched before is quicker than new memory.
#[derive(Debug, Default)]
pub(super) struct Spare(Mutex<Vec<Vec<f32>>>);

/// How many tensors wait.
const MOST: usize = 4;

impl Spare {
    fn take(&self, len: usize) -> Vec<f32> {
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut values = match free.iter().position(|values| values.capacity() >= len) {
            Some(k) => free.swap_remove(k),
            None => {
                let mut values = vec![0.0; len];
                crate::map::large_pages(bytemuck::cast_slice_mut(&mut values));
                values
            }
        };
        values.resize(len, 0.0);
        values
    }
    fn give(&self, values: Vec<f32>) {
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if free.len() < MOST && !values.is_empty() {
            free.push(values);
        }
    }
}

/// Samples, ready for training. Its memory goes back to the loader when it is dropped.
#[derive(Debug)]
pub struct Batch {
    epoch: u64,
    step: u64,
    shape: Shape,
    indices: Vec<u64>,
    frames: Vec<u64>,
    stored: Vec<Bytes>,
    images: OnceLock<Vec<f32>>,
    boxes: Vec<f32>,
    mask: Vec<f32>,
    spare: Arc<Spare>,
}

impl Shared {
    /// The batch of this rank at a step.
    pub fn batch(&self, epoch: u64, step: u64) -> Result<Batch> {
        let order = self.order.epoch(epoch)?;
        let indices: Vec<u64> = order.batch(step, self.rank).map(|item| item.sample).collect();
        let places = self.shape.max_boxes as usize;
        let (mut boxes, mut mask) = (vec![0.0; indices.len() * places * 4], vec![0.0; indices.len() * places]);
        let (mut stored, mut frames) = (Vec::with_capacity(indices.len()), Vec::with_capacity(indices.len()));
        for (k, &i) in indices.iter().enumerate() {
            let (shard, number) = self.warehouse.locate(i)?;
            let read = |range| self.store.read(shard.number(), range).map_err(|e| e.sample(i));
            stored.push(read(shard.image(number))?);
            let (dtype, order) = (self.shape.boxes_dtype, self.shape.endianness);
            to_f32(dtype, order, &read(shard.boxes(number))?, part(&mut boxes, k, places * 4));
            to_f32(dtype, order, &read(shard.mask(number))?, part(&mut mask, k, places));
            frames.push(usize::try_from(i).ok().and_then(|i| self.frames.get(i)).copied().unwrap_or(i));
        }
        let (shape, spare, images) = (self.shape, self.spare.clone(), OnceLock::new());
        Ok(Batch { epoch, step, shape, indices, frames, stored, images, boxes, mask, spare })
    }
}

fn part(all: &mut [f32], k: usize, len: usize) -> &mut [f32] {
    all.get_mut(k * len..(k + 1) * len).unwrap_or_default()
}

impl Batch {
    /// How many samples.
    pub fn len(&self) -> usize {
        self.indices.len()
    }
    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }
    /// The epoch that it belongs to.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }
    /// Which step of its epoch it is, the same on every rank.
    pub fn step(&self) -> u64 {
        self.step
    }
    /// The tensor's shape: samples, channels, height, width.
    pub fn shape(&self) -> [usize; 4] {
        [self.len(), 3, self.shape.height as usize, self.shape.width as usize]
    }
    /// The type in which the pixels are stored.
    pub fn stored_dtype(&self) -> Dtype {
        self.shape.dtype
    }
    /// The samples' numbers in the warehouse.
    pub fn indices(&self) -> &[u64] {
        &self.indices
    }
    /// The samples' frames, as their labels count them; the samples' numbers where the warehouse knows no frames.
    pub fn frame_ids(&self) -> &[u64] {
        &self.frames
    }
    /// The boxes: samples, places, and left, top, right, bottom from 0 to 1.
    pub fn boxes(&self) -> &[f32] {
        &self.boxes
    }
    /// Where there is a box: samples, places.
    pub fn mask(&self) -> &[f32] {
        &self.mask
    }

    /// The image of a sample as it is stored, without a copy where the shards are held in memory or mapped.
    pub fn stored(&self, k: usize) -> Option<&Bytes> {
        self.stored.get(k)
    }
    /// The image of a sample as numbers, without a copy: where it is stored as f32 in this machine's byte order, and
    /// lies where numbers may.
    pub fn view(&self, k: usize) -> Option<&[f32]> {
        if self.shape.dtype != Dtype::F32 || !is_native(self.shape.endianness) {
            return None;
        }
        bytemuck::try_cast_slice(self.stored.get(k)?).ok()
    }

    /// All images as one tensor, converted in one pass when it is first asked for.
    pub fn images(&self) -> &[f32] {
        self.images.get_or_init(|| self.gather())
    }

    fn gather(&self) -> Vec<f32> {
        let len = self.shape().iter().skip(1).product::<usize>();
        let mut values = self.spare.take(len * self.len());
        for (out, stored) in values.chunks_exact_mut(len.max(1)).zip(&self.stored) {
            to_f32(self.shape.dtype, self.shape.endianness, stored, out);
        }
        values
    }

    /// With the tensor made already.
    pub(super) fn gathered(self) -> Batch {
        self.images();
        self
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        if let Some(values) = self.images.take() {
            self.spare.give(values);
        }
    }
}
