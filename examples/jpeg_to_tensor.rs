//! Decodes a JPEG to a normalized tensor, the shorter side resized to 64 and the middle 48 x 48 taken.
//!
//! ```text
//! $ cargo run --features decode,transform --example jpeg_to_tensor
//! red: mean -0.76
//! green: mean -0.22
//! blue: mean -1.05
//! ```
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a host: it reads files")]

use std::{error::Error, fs};

use bytes::Bytes;
use forebay::{
    Limits,
    image::{
        decode::{Decoder, Options},
        transform::{Fit, Out, Recipe, Transformer},
    },
    samples::Opener,
    step::drive,
};

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let file = Bytes::from(fs::read("tests/corpus/tbl/jpeg20_lz4.tbl")?);
    let plan = drive(Opener::new(file.len() as u64), &file)?.plan(1)?;
    let range = plan.range();
    let jpeg = plan.decode(&file.slice(range.start as usize..range.end as usize), &Limits::default())?;

    // Both are kept from picture to picture: once warm they allocate nothing.
    let mut decoder = Decoder::default();
    let mut transformer = Transformer::new(Recipe::new(48, 48).fit(Fit::CenterCrop { short: Some(64) }).imagenet())?;
    let mut tensor = vec![0_f32; transformer.values()];
    transformer.decode(&mut decoder, &jpeg, None, &Options::default(), 0, Out::F32(&mut tensor))?;

    for (plane, color) in tensor.chunks_exact(48 * 48).zip(["red", "green", "blue"]) {
        println!("{color}: mean {:.2}", plane.iter().sum::<f32>() / plane.len() as f32);
    }
    Ok(())
}
