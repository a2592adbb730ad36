//! Counts the samples of an opened warehouse.

use bytes::Bytes;

use super::{
    Warehouse,
    element::to_f32,
    statistics::{Counter, Statistics},
};
use crate::{
    error::Result,
    step::{Pieces, Step, Stepper},
};

/// Bytes of boxes and masks that are asked for at a time.
const WINDOW: u64 = 1 << 20;

/// Reads the boxes of a warehouse, and the pixels of some samples, and counts them as [`Statistics`].
///
/// Nothing is proven by checksums; a check is another matter.
#[derive(Debug)]
pub struct Surveyor {
    warehouse: Warehouse,
    counter: Option<Counter>,
    every: u64,
    /// The sample that is next, first by its boxes, then by its pixels.
    boxes_at: u64,
    pixels_at: u64,
    pieces: Pieces,
}

impl Surveyor {
    /// Counts all boxes, and the pixels of about `pictures` samples: those whose numbers are multiples of the samples
    /// divided by `pictures`, rounded up. 0 leaves pixels out.
    pub fn new(warehouse: &Warehouse, pictures: u64) -> Self {
        let every = match pictures {
            0 => 0,
            n => warehouse.len().div_ceil(n).max(1),
        };
        let counter = Some(Counter::new(warehouse.manifest(), every));
        Surveyor { warehouse: warehouse.clone(), counter, every, boxes_at: 0, pixels_at: 0, pieces: Pieces::default() }
    }

    /// Samples whose boxes were counted so far.
    pub fn counted(&self) -> u64 {
        self.boxes_at
    }

    /// Boxes and masks of as many samples of a shard as are asked for at a time; what is lacking of them, if anything.
    fn boxes(&mut self, counter: &mut Counter) -> Result<Vec<std::ops::Range<u64>>> {
        let (shard, k) = self.warehouse.locate(self.boxes_at)?;
        let shape = shard.header().shape;
        let (boxes_len, mask_len) = (shape.boxes_len(), shape.mask_len());
        let left = shard.header().samples - k;
        let n = (WINDOW / (boxes_len + mask_len).max(1)).clamp(1, left);
        let base = shard.range().start;
        let boxes = base + shard.boxes(k).start..base + shard.boxes(k).start + n * boxes_len;
        let mask = base + shard.mask(k).start..base + shard.mask(k).start + n * mask_len;
        let lacking = [&boxes, &mask].into_iter().flat_map(|range| self.pieces.lacking(range.clone()));
        let lacking: Vec<_> = lacking.collect();
        if !lacking.is_empty() {
            return Ok(lacking);
        }
        let read = |range| -> Result<Vec<f32>> {
            let bytes = self.pieces.expect(range)?;
            let mut out = vec![0.0; bytes.len() / shape.boxes_dtype.size() as usize];
            to_f32(shape.boxes_dtype, shape.endianness, &bytes, &mut out);
            Ok(out)
        };
        let (boxes, mask) = (read(boxes)?, read(mask)?);
        let places = shape.max_boxes as usize;
        let mut there = Vec::new();
        for number in 0..n as usize {
            let part = number * places..(number + 1) * places;
            let corners = boxes.as_chunks::<4>().0.get(part.clone()).unwrap_or_default();
            let mask = mask.get(part).unwrap_or_default();
            there.clear();
            there.extend(corners.iter().zip(mask).filter(|(_, there)| **there != 0.0).map(|(corners, _)| *corners));
            let record = shard.record(k + number as u64)?;
            counter.add(record.as_ref(), &shape, &there);
        }
        self.boxes_at += n;
        self.pieces = Pieces::default();
        Ok(Vec::new())
    }

    fn pixels(&mut self, counter: &mut Counter) -> Result<Vec<std::ops::Range<u64>>> {
        let (shard, k) = self.warehouse.locate(self.pixels_at)?;
        let (base, image) = (shard.range().start, shard.image(k));
        let range = base + image.start..base + image.end;
        let lacking = self.pieces.lacking(range.clone());
        if lacking.is_empty() {
            counter.add_pixels(&shard.header().shape, &self.pieces.expect(range)?);
            self.pixels_at = self.pixels_at.saturating_add(self.every);
            self.pieces = Pieces::default();
        }
        Ok(lacking)
    }
}

impl Stepper for Surveyor {
    type Output = Statistics;

    fn step(&mut self) -> Result<Step<Statistics>> {
        let mut counter = match self.counter.take() {
            Some(counter) => counter,
            None => Counter::new(self.warehouse.manifest(), self.every),
        };
        let samples = self.warehouse.len();
        loop {
            let lacking = if self.boxes_at < samples {
                self.boxes(&mut counter)?
            } else if self.every > 0 && self.pixels_at < samples {
                self.pixels(&mut counter)?
            } else {
                return Ok(Step::Done(counter.finish()));
            };
            if !lacking.is_empty() {
                self.counter = Some(counter);
                return Ok(Step::Need(lacking));
            }
        }
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }
}
