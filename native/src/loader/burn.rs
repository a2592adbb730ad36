//! burn's trait `Dataset` over a loader (feature `burn`).
//!
//! [burn](https://burn.dev) has batchers and a loader of its own, which take samples one by one and by number. [`Pictures`]
//! makes each of them as a loader would, with the same filter, labels and transforms, on the thread that asks. If a
//! training loop need not go through burn's loader, prefer [`Loader`] itself: its batches are whole tensors, made ahead.
//!
//! ```no_run
//! use burn_dataset::Dataset as _;
//! use forebay_native::loader::{IMAGENET, Image, Loader, burn::Pictures};
//! let loader = Loader::open("train.tbl")?
//!     .filter("width >= 32")?
//!     .image(Image::new(32, 32).normalize(IMAGENET))
//!     .labels("cls")
//!     .build()?;
//! let pictures = Pictures::new(loader)?;
//! for picture in pictures.iter() {
//!     let picture = picture?;
//!     assert_eq!((picture.values.len(), picture.shape), (3 * 32 * 32, [3, 32, 32]));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `examples/burn` trains a small network with it.

use std::sync::{Arc, Mutex};

use burn_dataset::{Dataset, DatasetError};
use forebay::{Error, Result, error::codes as common};

use super::{
    Dtype, Loader, Placement, codes,
    content::Content,
    pool::{Pool, lock},
    shared::Shared,
    targets::{self, Targets},
    worker::Worker,
};

/// A picture as numbers, with its label.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Picture {
    /// The tensor's numbers.
    pub values: Vec<f32>,
    /// Its shape: `[3, height, width]`, or `[height, width, 3]` where the loader was told so.
    pub shape: [usize; 3],
    /// Its label; 0 if the loader reads none.
    pub label: i64,
    /// Its number among all samples of all sources.
    pub index: u64,
    /// Which part of it was taken, and whether it was mirrored. Nothing where the tensor is a warehouse's.
    pub placement: Placement,
    /// Its boxes: left, top, right and bottom from 0 to 1 of the tensor.
    pub boxes: Vec<[f32; 4]>,
    /// The class of each box; -1 where nobody knows it.
    pub box_classes: Vec<i64>,
    /// Its frame, as its labels count them; its index where nobody knows frames.
    pub frame_id: u64,
}

/// The samples of a loader, by number.
///
/// Number `i` is position `i` of one epoch of the loader's order: the `i`th selected sample as it is stored, unless the
/// loader shuffles. What is random about it is that epoch's.
#[derive(Debug)]
pub struct Pictures {
    shared: Arc<Shared>,
    shape: [usize; 3],
    pool: Arc<Pool>,
    targets: Arc<Pool>,
    epoch: u64,
    /// One for every thread that asks at once.
    idle: Mutex<Vec<Worker>>,
}

impl Pictures {
    /// The samples of a loader that makes images of 32-bit floats, or has them in a warehouse; any other is refused.
    pub fn new(loader: Loader) -> Result<Self> {
        let shared = loader.shared.clone();
        if !shared.ready.is_empty() {
            let message = "burn's samples have no named targets: leave `target` out";
            return Err(Error::new(&codes::SETTINGS, message));
        }
        if shared.padding.is_some() {
            let message = "burn's samples come one by one, and are not padded to others: leave `padded` out";
            return Err(Error::new(&codes::SETTINGS, message));
        }
        let shape = match (shared.contents.as_slice(), shared.dtype) {
            ([images @ (Content::Images(_) | Content::Prepared(_) | Content::Stored(..))], Dtype::F32) => {
                images.shape()
            }
            _ => Vec::new(),
        };
        let shape = match *shape.as_slice() {
            [a, b, c] => [a, b, c],
            _ => {
                let message =
                    "burn takes images of 32-bit floats: give the loader an `image`, no other `dtype`, no groups";
                return Err(Error::new(&codes::SETTINGS, message));
            }
        };
        let pool = Arc::new(Pool::new(shape.iter().product::<usize>() * Dtype::F32.bytes(), loader.workers));
        let targets = Arc::new(Pool::new(targets::bytes(shared.places), loader.workers));
        Ok(Pictures { shared, shape, pool, targets, epoch: 0, idle: Mutex::new(Vec::new()) })
    }

    /// Takes order and randomness of another epoch.
    pub fn set_epoch(&mut self, epoch: u64) {
        self.epoch = epoch;
    }

    /// The names of the classes, in the order of their numbers, if labels are names.
    pub fn classes(&self) -> Vec<&str> {
        self.shared.labels.names()
    }

    fn make(&self, index: usize) -> Result<Picture> {
        let order = &self.shared.order;
        let position = u64::try_from(index).ok().filter(|&i| i < order.epoch_samples());
        let item = match position {
            Some(position) => order.epoch(self.epoch)?.item(position),
            None => None,
        };
        let Some(item) = item else {
            let message = format!("there is no sample {index} of {}", order.epoch_samples());
            return Err(Error::new(&common::OUT_OF_RANGE, message));
        };
        let idle = lock(&self.idle).pop();
        let mut worker = idle.unwrap_or_else(|| Worker::new(self.shared.clone(), 0));
        let made = worker.single(self.epoch, item, (self.pool.take(), self.targets.take()));
        lock(&self.idle).push(worker);
        let slot = made?;
        let values = Dtype::F32.view(&slot.memory).f32().unwrap_or_default().to_vec();
        let mut found = Targets::default();
        found.take(&slot);
        let there = |k: &usize| found.mask.get(*k).is_some_and(|mask| *mask != 0.0);
        let places: Vec<usize> = (0..found.mask.len()).filter(there).collect();
        let corners = found.boxes.as_chunks::<4>().0;
        let picture = Picture {
            values,
            shape: self.shape,
            label: slot.label,
            index: item.index,
            placement: slot.placement,
            boxes: places.iter().filter_map(|k| corners.get(*k).copied()).collect(),
            box_classes: places.iter().filter_map(|k| found.classes.get(*k).copied()).collect(),
            frame_id: slot.frame.unwrap_or(item.index),
        };
        self.pool.give(slot.memory);
        self.targets.give(slot.targets);
        Ok(picture)
    }
}

/// A broken sample is an error, whatever the loader was told to do about them: burn's loader has nothing to skip with.
impl Dataset<Picture> for Pictures {
    fn get(&self, index: usize) -> Result<Picture, DatasetError> {
        self.make(index).map_err(DatasetError::new)
    }

    fn len(&self) -> usize {
        usize::try_from(self.shared.order.epoch_samples()).unwrap_or(usize::MAX)
    }
}
