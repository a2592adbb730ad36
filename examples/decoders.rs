//! Measures the JPEG decoders on a folder of JPEGs, in turn, on one thread: speed, difference, truncations.
//!
//! ```sh
//! cargo run --release --features decode,jpeg-turbo,transform --example decoders -- FOLDER
//! ```
#![allow(clippy::disallowed_methods, reason = "an example is a host: it reads files and the clock")]

use std::{error::Error, fs, time::Instant};

use forebay::{
    image::{
        decode::{Decoder, JpegBackend, Options},
        transform::{Out, Recipe, Transformer},
    },
    order::sample_key,
};

const BACKENDS: [JpegBackend; 2] = [JpegBackend::Zune, JpegBackend::Turbo];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: decoders FOLDER")?;
    let mut paths: Vec<_> = fs::read_dir(folder)?.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    let files: Vec<Vec<u8>> = paths.iter().filter_map(|p| fs::read(p).ok()).collect();
    let bytes: usize = files.iter().map(Vec::len).sum();
    println!("{} files, {} bytes on average", files.len(), bytes / files.len().max(1));
    difference(&files);
    for round in 1..=3 {
        for jpeg in BACKENDS {
            let options = Options::default().with_jpeg(jpeg);
            println!(
                "round {round}, {jpeg:?}: {:.0} decoded/s, {:.0} tensors/s",
                decode(&files, &options),
                tensors(&files, &options)?
            );
        }
    }
    Ok(())
}

/// How far apart the two decoders' pixels are, and how many truncated files each takes for whole.
fn difference(files: &[Vec<u8>]) {
    let (mut a, mut b) = (Decoder::default(), Decoder::default());
    let options = BACKENDS.map(|jpeg| Options::default().with_jpeg(jpeg));
    let (mut sum, mut count, mut most, mut failed) = (0_u64, 0_u64, 0, 0);
    let mut whole = [0; 2];
    for file in files {
        match (a.decode(file, None, &options[0]), b.decode(file, None, &options[1])) {
            (Ok(a), Ok(b)) => {
                for (x, y) in a.pixels.iter().zip(b.pixels) {
                    sum += u64::from(x.abs_diff(*y));
                    most = most.max(x.abs_diff(*y));
                }
                count += a.pixels.len() as u64;
            }
            _ => failed += 1,
        }
        for eighths in 1..8 {
            let cut = &file[..file.len() * eighths / 8];
            for (n, options) in whole.iter_mut().zip(&options) {
                *n += usize::from(a.decode(cut, None, options).is_ok());
            }
        }
    }
    println!("difference: mean {:.3}, at most {most}; {failed} files not decoded", sum as f64 / count.max(1) as f64);
    println!("of {} truncated files {whole:?} passed as whole (Zune, Turbo)", files.len() * 7);
}

/// Pictures a second, into a buffer that is kept.
fn decode(files: &[Vec<u8>], options: &Options) -> f64 {
    let mut decoder = Decoder::default();
    let start = Instant::now();
    let done = files.iter().filter(|file| decoder.decode(file, None, options).is_ok()).count();
    done as f64 / start.elapsed().as_secs_f64()
}

/// As [`decode`], each to a normalised crop of 224 × 224.
fn tensors(files: &[Vec<u8>], options: &Options) -> Result<f64, forebay::Error> {
    let mut decoder = Decoder::default();
    let mut transformer = Transformer::new(Recipe::new(224, 224).random_resized_crop().hflip(0.5).imagenet())?;
    let mut slot = vec![0.0_f32; transformer.values()];
    let start = Instant::now();
    let mut done = 0;
    for (i, file) in files.iter().enumerate() {
        let key = sample_key(0, 0, i as u64);
        done += usize::from(transformer.decode(&mut decoder, file, None, options, key, Out::F32(&mut slot)).is_ok());
    }
    Ok(f64::from(done as u32) / start.elapsed().as_secs_f64())
}
