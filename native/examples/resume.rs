//! Batches for training, in an order that can be resumed at any batch: here after an interruption, and the second run goes
//! on with the next batch as if nothing had happened.
//!
//! ```text
//! $ cargo run -p forebay-native --example resume
//! before: samples [16, 15, 13, 19]
//! before: samples [12, 14, 18, 2]
//! saved: epoch 0, step 2
//! after: samples [3, 5, 4, 8], 49152 values
//! after: samples [11, 10, 0, 17], 49152 values
//! after: samples [6, 1, 7, 9], 49152 values
//! ```

use std::error::Error;

use forebay::Result;
use forebay_native::loader::{Builder, IMAGENET, Image, Loader, State};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/corpus/tbl/jpeg20_lz4.tbl");

fn settings() -> Result<Builder> {
    let image = Image::new(64, 64).random_resized_crop().hflip().normalize(IMAGENET);
    Ok(Loader::open(FILE)?.batch(4).workers(2).shuffle(42).image(image))
}

/// The first batches of a run, and the state behind them.
fn interrupted(batches: usize) -> Result<State> {
    let mut loader = settings()?.build()?;
    for batch in loader.epoch(0)?.take(batches) {
        let batch = batch?;
        println!("before: samples {:?}", batch.indices());
    }
    Ok(loader.state())
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let state = interrupted(2)?;
    println!("saved: epoch {}, step {}", state.order.epoch, state.order.step);

    // A state is a small JSON document; another number of ranks may resume it too.
    let mut loader = settings()?.resume(state).build()?;
    while let Some(batch) = loader.next_batch()? {
        println!("after: samples {:?}, {} values", batch.indices(), batch.images().f32().map_or(0, <[f32]>::len));
    }
    Ok(())
}
