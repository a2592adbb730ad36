//! What `benches/loader.mjs` needs beside the command `forebay bench`:
//!
//!     loader dump FILE OUT bilinear|bilinear-plain
//!                                  writes the tensor of the first 64 samples in stored order, as it is
//!     loader copy IMAGES           copies as many bytes as that many tensors have, batch by batch: the floor for raw pixels
//!     loader many FILE N           writes a TBL of N tiny samples with names and classes, and FILE.csv that has them too
//!     loader build FILE KIND       from opening it to a loader that is ready, and to its first batch: plain, filter,
//!                                  metadata-filter, labels, folders or table
//!
//! Each prints one line of JSON.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a benchmark has a clock and files")]

mod common;
#[path = "common/many.rs"]
mod many;

use std::{fs, hint::black_box, process::ExitCode, time::Instant};

use forebay::{Error, Result, error::codes, image::transform::Resampling};
use forebay_native::{
    input::io_error,
    loader::{IMAGENET, Image, Loader},
};
use serde_json::{Value, json};

const SIDE: u32 = 224;
const BATCH: usize = 64;

fn main() -> ExitCode {
    let arguments = common::arguments();
    common::answer(match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["dump", file, out, filter] => dump(file, out, filter),
        ["copy", images] => Ok(copy(images.parse().unwrap_or(0))),
        ["many", file, n] => many::write(file, n.parse().unwrap_or(0)),
        ["build", file, kind] => many::build(file, kind),
        // What `cargo bench` runs; `npm run bench:loader` runs the rest.
        _ => Ok(
            json!({ "usage": "loader dump FILE OUT bilinear|bilinear-plain | copy IMAGES | many FILE N | build FILE KIND" }),
        ),
    })
}

fn dump(file: &str, out: &str, filter: &str) -> Result<Value> {
    let resampling = if filter == "bilinear-plain" { Resampling::BilinearPlain } else { Resampling::Bilinear };
    let mut loader = Loader::open(file)?
        .batch(BATCH as u64)
        .image(Image::new(SIDE, SIDE).resampling(resampling).normalize(IMAGENET))
        .build()?;
    let Some(batch) = loader.next_batch()? else {
        return Err(Error::new(&codes::ARGUMENT, format!("{file} has fewer than {BATCH} samples")));
    };
    fs::write(out, batch.images().bytes()).map_err(|e| io_error(out, "write", e))?;
    Ok(json!({ "images": batch.len(), "shape": batch.shape() }))
}

/// From one batch's memory to that of three others in turns, as a loader writes its batches.
fn copy(images: usize) -> Value {
    let values = BATCH * 3 * (SIDE * SIDE) as usize;
    let from = vec![0.5_f32; values];
    let mut to = vec![vec![0.25_f32; values]; 3];
    let batches = images.div_ceil(BATCH);
    let begun = Instant::now();
    for i in 0..batches {
        let target = &mut to[i % 3];
        target.copy_from_slice(&from);
        black_box(target);
    }
    json!({ "images": batches * BATCH, "seconds": begun.elapsed().as_secs_f64() })
}
