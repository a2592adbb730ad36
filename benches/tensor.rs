//! One picture as a tensor, natively: what the browser's numbers are compared with, and how long it takes.
//!
//! ```text
//! cargo run --profile dist --features decode,transform --example tensor -- FILE WIDTH HEIGHT f32|u8 nchw|nhwc
//!     stretch|center-crop|pad|letterbox imagenet|unit [TIMES]
//! ```
//!
//! Writes the values as they lie in memory; with TIMES, makes it so often and prints the pictures of a second instead.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "an example is a host: it reads files and a clock"
)]

use std::{error::Error, io::Write, time::Instant};

use forebay::image::{
    decode::{Decoder, Options},
    transform::{Fit, Layout, Out, Recipe, Transformer},
};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let arg = |i: usize| args.get(i).map(String::as_str).ok_or("FILE WIDTH HEIGHT DTYPE LAYOUT FIT NORMALIZE [TIMES]");
    let payload = std::fs::read(arg(0)?)?;
    let (width, height) = (arg(1)?.parse()?, arg(2)?.parse()?);
    let fit = Fit::named(arg(5)?, None, (width, height))?;
    let layout = if arg(4)? == "nhwc" { Layout::Nhwc } else { Layout::Nchw };
    let mut recipe = Recipe::new(width, height).fit(fit).layout(layout);
    if arg(6)? == "imagenet" {
        recipe = recipe.imagenet();
    }
    let (mut decoder, mut transformer) = (Decoder::default(), Transformer::new(recipe)?);
    let (mut floats, mut bytes) = (vec![0f32; transformer.values()], vec![0u8; transformer.values()]);
    let is_f32 = arg(3)? == "f32";
    let mut make = || {
        let out = if is_f32 { Out::F32(&mut floats) } else { Out::U8(&mut bytes) };
        transformer.decode(&mut decoder, &payload, None, &Options::default(), 0, out)
    };
    make()?;
    if let Some(times) = args.get(7) {
        let times: u32 = times.parse()?;
        let started = Instant::now();
        for _ in 0..times {
            make()?;
        }
        println!("{}", f64::from(times) / started.elapsed().as_secs_f64());
        return Ok(());
    }
    let mut stdout = std::io::stdout().lock();
    match is_f32 {
        true => stdout.write_all(bytemuck::cast_slice(&floats))?,
        false => stdout.write_all(&bytes)?,
    }
    Ok(())
}
