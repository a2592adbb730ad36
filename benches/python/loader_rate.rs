//! The Rust loader with the settings of `loader_rate.py`: samples a second of a warm epoch, and a checksum of its batches.
//!
//! `loader_rate FILE.tbl pictures|payloads|tiny WORKERS`; `npm run bench:python` runs both in turns.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, reason = "a program that measures")]

use std::{env, time::Instant};

use forebay::codec::checksum::crc32;
use forebay_native::loader::{Batch, Dtype, IMAGENET, Image, Loader};

/// A checksum of what a batch holds.
fn sum(batch: &Batch) -> u32 {
    match batch.payloads() {
        [] => crc32(batch.images().bytes()),
        all => all.iter().fold(0, |sum, payload| sum ^ crc32(payload)),
    }
}

fn main() {
    let [path, kind, workers] = env::args().skip(1).collect::<Vec<_>>().try_into().unwrap();
    let mut builder = Loader::open(path).unwrap().batch(64).shuffle(42).workers(workers.parse().unwrap());
    if kind == "images" {
        builder = builder.image(Image::new(224, 224).random_resized_crop().hflip().normalize(IMAGENET));
    }
    if kind == "tiny" {
        builder = builder.batch(8).image(Image::new(8, 8)).dtype(Dtype::U8);
    }
    let mut loader = builder.build().unwrap();
    // The first epoch warms it, and says what it holds.
    let sums: Vec<u32> = loader.epoch(0).unwrap().map(|batch| sum(&batch.unwrap())).collect();
    let begun = Instant::now();
    let samples: usize = loader.epoch(1).unwrap().map(|batch| batch.unwrap().len()).sum();
    let rate = samples as f64 / begun.elapsed().as_secs_f64();
    println!("{{\"rate\":{rate:.1},\"sums\":{sums:?}}}");
}
