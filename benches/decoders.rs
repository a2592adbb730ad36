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
        probe,
        transform::{Out, Recipe, Transformer},
    },
    order::sample_key,
};

const BACKENDS: [JpegBackend; 3] = [JpegBackend::Forebay, JpegBackend::Zune, JpegBackend::Turbo];
const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: decoders FOLDER")?;
    let mut paths: Vec<_> = fs::read_dir(folder)?.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "jpg" || e == "jpeg"));
    paths.sort();
    let files: Vec<Vec<u8>> = paths.iter().filter_map(|p| fs::read(p).ok()).collect();
    let bytes: usize = files.iter().map(Vec::len).sum();
    println!("{} files, {} bytes on average", files.len(), bytes / files.len().max(1));
    difference(&files);
    // Each picture's best of several rounds, the decoders in turns: what other work on the machine takes is left out.
    let mut times = vec![[[f64::MAX; 3]; BACKENDS.len()]; files.len()];
    let mut machine = Machine::new()?;
    for _ in 0..ROUNDS {
        for (i, (file, best)) in files.iter().zip(&mut times).enumerate() {
            for (jpeg, best) in BACKENDS.into_iter().zip(best) {
                for (now, best) in machine.times(file, i as u64, jpeg).into_iter().zip(best) {
                    *best = best.min(now);
                }
            }
        }
    }
    let count = files.len() as f64;
    println!(
        "milliseconds a picture: decoded whole; decoded at the size for 224 x 224; a random crop to a tensor of it"
    );
    for (b, jpeg) in BACKENDS.into_iter().enumerate() {
        let mean = |what: usize| times.iter().map(|t| t[b][what]).sum::<f64>() / count * 1e3;
        println!("{jpeg:?}: {:.3}; {:.3}; {:.3}", mean(0), mean(1), mean(2));
    }
    Ok(())
}

/// Decoders and a transformer with their buffers.
struct Machine {
    decoders: [Decoder; 3],
    transformer: Transformer,
    slot: Vec<f32>,
}

impl Machine {
    fn new() -> Result<Self, forebay::Error> {
        let transformer = Transformer::new(Recipe::new(224, 224).random_resized_crop().hflip().imagenet())?;
        Ok(Machine { decoders: Default::default(), slot: vec![0.0; transformer.values()], transformer })
    }

    /// Seconds for a picture: whole, reduced, cropped.
    fn times(&mut self, file: &[u8], index: u64, jpeg: JpegBackend) -> [f64; 3] {
        let decoder = &mut self.decoders[BACKENDS.iter().position(|b| *b == jpeg).unwrap_or(0)];
        let options = Options::default().with_jpeg(jpeg);
        let start = Instant::now();
        let whole = decoder.decode(file, None, &options).is_ok();
        let one = Instant::now();
        let smaller = options.clone().with_at_least(224, 224);
        let reduced = decoder.decode(file, None, &smaller).is_ok();
        let two = Instant::now();
        let key = sample_key(0, 0, index);
        let made = self.transformer.decode(decoder, file, None, &options, key, Out::F32(&mut self.slot)).is_ok();
        let three = Instant::now();
        assert!(whole && reduced && made, "a picture is not decoded by {jpeg:?}");
        [one - start, two - one, three - two].map(|t| t.as_secs_f64())
    }
}

/// How far apart the decoders' pixels are from the first's, and how many truncated files each takes for whole.
fn difference(files: &[Vec<u8>]) {
    let mut decoders: [Decoder; 3] = Default::default();
    let mut whole = [0; 3];
    for (b, jpeg) in BACKENDS.into_iter().enumerate() {
        let [first, rest @ ..] = &mut decoders;
        let other = if b == 0 { &mut rest[0] } else { &mut rest[b - 1] };
        let (mut sum, mut count, mut most, mut failed, mut same) = (0_u64, 0_u64, 0, 0, 0);
        for file in files {
            let options = |jpeg| Options::default().with_jpeg(jpeg);
            match (first.decode(file, None, &options(BACKENDS[0])), other.decode(file, None, &options(jpeg))) {
                (Ok(a), Ok(b)) => {
                    same += usize::from(a.pixels == b.pixels);
                    for (x, y) in a.pixels.iter().zip(b.pixels) {
                        sum += u64::from(x.abs_diff(*y));
                        most = most.max(x.abs_diff(*y));
                    }
                    count += a.pixels.len() as u64;
                }
                (Err(e), _) | (_, Err(e)) => {
                    failed += 1;
                    println!("{:?}: {e}", probe(file));
                }
            }
            for eighths in 1..8 {
                let cut = &file[..file.len() * eighths / 8];
                whole[b] += usize::from(other.decode(cut, None, &options(jpeg)).is_ok());
            }
        }
        let mean = sum as f64 / count.max(1) as f64;
        println!(
            "{jpeg:?} against {:?}: {same} the same; mean {mean:.3}, at most {most}; {failed} not decoded",
            BACKENDS[0]
        );
    }
    println!("of {} truncated files {whole:?} passed as whole {BACKENDS:?}", files.len() * 7);
}
