//! How fast a warehouse is built of JPEGs, against the loader making the same tensors into nothing.
//!
//!     cargo run --release -p forebay-native --example warehouse_speed -- FOLDER [SIDE [WORKERS [ROUNDS]]]
//!
//! Rounds take turns: the loader, then a build in f32, in f16 and in u8, into a folder beside the pictures that is removed
//! after each. The loader decodes as exactly as the builder does, and letterboxes with its own filter.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a program that measures")]

use std::{path::PathBuf, time::Instant};

use forebay::{Result, warehouse::Dtype};
use forebay_native::{
    Dataset,
    loader::{Image, Loader},
    warehouse::{Settings, build},
};

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let folder = PathBuf::from(args.next().expect("a folder of JPEGs"));
    let mut number = |default: usize| args.next().map_or(default, |text| text.parse().expect("a number"));
    let (side, workers, rounds) = (number(384), number(2), number(3));
    let images = Dataset::open(&folder)?.len();
    println!("{images} images to {side} x {side}, {workers} workers");
    for round in 1..=rounds {
        let begun = Instant::now();
        let image = Image::new(side as u32, side as u32).letterbox([0; 3]);
        let mut loader = Loader::open(&folder)?.image(image).batch(32).workers(workers).exact(true).build()?;
        let mut made = 0;
        for batch in loader.epoch(0)? {
            made += batch?.len() as u64;
        }
        let base = made as f64 / begun.elapsed().as_secs_f64();
        println!("round {round}: loader {base:.1} images/s ({made})");
        for dtype in [Dtype::F32, Dtype::F16, Dtype::U8] {
            let out = folder.with_extension("warehouse");
            let mut settings = Settings::default().with_size(side as u32, side as u32).with_dtype(dtype);
            (settings.workers, settings.sync) = (Some(workers), false);
            let begun = Instant::now();
            let built = build(std::slice::from_ref(&folder), &out, &settings)?;
            let rate = built.samples as f64 / begun.elapsed().as_secs_f64();
            println!("round {round}: build {} {rate:.1} images/s, {:.2} of the loader", dtype.name(), rate / base);
            std::fs::remove_dir_all(out).expect("the folder is ours");
        }
    }
    Ok(())
}
