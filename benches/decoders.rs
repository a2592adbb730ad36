//! Measures our JPEG decoder and zune-jpeg on a folder of JPEGs, in turn, on one thread: speed, difference, truncations.
//!
//! ```sh
//! cargo run --profile dist --features decode,transform --example decoders -- FOLDER
//! ```
#![allow(clippy::disallowed_methods, reason = "an example is a host: it reads files and the clock")]

use std::{error::Error, fs, time::Instant};

use forebay::{
    image::{
        decode::{Decoder, Options},
        transform::{Out, Recipe, Transformer},
    },
    order::sample_key,
};
use zune_jpeg::{
    JpegDecoder,
    errors::DecodeErrors,
    zune_core::{bytestream::ZCursor, colorspace::ColorSpace, options::DecoderOptions},
};

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
    let mut times = vec![[f64::MAX; 4]; files.len()];
    let mut machine = Machine::new()?;
    for _ in 0..ROUNDS {
        for (i, (file, best)) in files.iter().zip(&mut times).enumerate() {
            for (now, best) in machine.times(file, i as u64).into_iter().zip(best) {
                *best = best.min(now);
            }
        }
    }
    let mean = |what: usize| times.iter().map(|t| t[what]).sum::<f64>() / files.len() as f64 * 1e3;
    println!("milliseconds an image");
    println!("whole: {:.3}, zune-jpeg {:.3}", mean(0), mean(3));
    println!("at the size for 224 x 224: {:.3}", mean(1));
    println!("a random crop to a tensor of 224 x 224: {:.3}", mean(2));
    Ok(())
}

/// A decoder and a transformer with their buffers.
struct Machine {
    decoder: Decoder,
    transformer: Transformer,
    slot: Vec<f32>,
}

impl Machine {
    fn new() -> Result<Self, forebay::Error> {
        let transformer = Transformer::new(Recipe::new(224, 224).random_resized_crop().hflip().imagenet())?;
        Ok(Machine { decoder: Decoder::default(), slot: vec![0.0; transformer.values()], transformer })
    }

    /// Seconds for a picture: whole, reduced, cropped; and whole by zune-jpeg.
    fn times(&mut self, file: &[u8], index: u64) -> [f64; 4] {
        let (decoder, options) = (&mut self.decoder, Options::default());
        let start = Instant::now();
        let whole = decoder.decode(file, None, &options).is_ok();
        let one = Instant::now();
        let reduced = decoder.decode(file, None, &options.clone().with_at_least(224, 224)).is_ok();
        let two = Instant::now();
        let key = sample_key(0, 0, index);
        let made = self.transformer.decode(decoder, file, None, &options, key, Out::F32(&mut self.slot)).is_ok();
        let three = Instant::now();
        let other = zune(file).is_ok();
        let four = Instant::now();
        assert!(whole && reduced && made && other, "an image is not decoded");
        [one - start, two - one, three - two, four - three].map(|t| t.as_secs_f64())
    }
}

/// The whole picture by zune-jpeg, for which missing bytes are an error.
fn zune(file: &[u8]) -> Result<Vec<u8>, DecodeErrors> {
    let options = DecoderOptions::default().jpeg_set_out_colorspace(ColorSpace::RGB).set_strict_mode(true);
    JpegDecoder::new_with_options(ZCursor::new(file), options).decode()
}

/// How far the pixels of zune-jpeg are from ours, and how many truncated files each takes for whole.
fn difference(files: &[Vec<u8>]) {
    let mut decoder = Decoder::default();
    let (mut sum, mut count, mut most, mut failed, mut same, mut whole) = (0_u64, 0_u64, 0, 0, 0, [0; 2]);
    for file in files {
        match (decoder.decode(file, None, &Options::default()), zune(file)) {
            (Ok(ours), Ok(other)) => {
                same += usize::from(ours.pixels == other);
                for (x, y) in ours.pixels.iter().zip(&other) {
                    sum += u64::from(x.abs_diff(*y));
                    most = most.max(x.abs_diff(*y));
                }
                count += other.len() as u64;
            }
            (ours, other) => {
                failed += 1;
                println!("ours: {:?}; zune-jpeg: {:?}", ours.err(), other.err());
            }
        }
        for eighths in 1..8 {
            let cut = &file[..file.len() * eighths / 8];
            whole[0] += usize::from(decoder.decode(cut, None, &Options::default()).is_ok());
            whole[1] += usize::from(zune(cut).is_ok());
        }
    }
    let mean = sum as f64 / count.max(1) as f64;
    println!("zune-jpeg against ours: {same} the same; mean {mean:.3}, at most {most}; {failed} not decoded");
    println!("of {} truncated files {} passed as whole, {} by zune-jpeg", files.len() * 7, whole[0], whole[1]);
}
