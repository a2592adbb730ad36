//! Where a picture's time goes, on one thread: decoding, and making a tensor of what was decoded.
//!
//! ```text
//! cargo run --profile dist --features decode,transform --example stages -- FOLDER [ROUNDS] [whole|resized|crops]
//! ```
//!
//! For every JPEG of the folder the best of ROUNDS (7), so that what other work on the machine takes is left out; then the mean
//! over all. The checksums say whether two builds make the same.
#![allow(clippy::disallowed_methods, reason = "an example is a host: it reads files and the clock")]

use std::{error::Error, fs, time::Instant};

use forebay::{
    image::{
        decode::{Decoder, Options},
        transform::{Out, Recipe, Transformer},
    },
    order::sample_key,
};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: stages FOLDER [ROUNDS]")?;
    let rounds: usize = std::env::args().nth(2).map_or(Ok(7), |n| n.parse())?;
    let only = std::env::args().nth(3);
    let wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
    let mut paths: Vec<_> = fs::read_dir(folder)?.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "jpg" || e == "jpeg"));
    paths.sort();
    let files: Vec<Vec<u8>> = paths.iter().filter_map(|path| fs::read(path).ok()).collect();
    println!("{} files; milliseconds an image, and a checksum of the pixels", files.len());
    let options = Options::default();
    let mut decoder = Decoder::default();
    let whole = |file: &[u8], _, sum: &mut crc32fast::Hasher| {
        let begun = Instant::now();
        let picture = decoder.decode(file, None, &options)?;
        let taken = begun.elapsed().as_secs_f64();
        sum.update(picture.pixels);
        Ok([taken, 0.0])
    };
    if wanted("whole") {
        let whole = each(&files, rounds, whole)?;
        println!("whole: decode {:.3} {:08x}", whole.0[0], whole.1);
    }
    let recipes = [
        ("resized", Recipe::new(224, 224).imagenet()),
        ("crops", Recipe::new(224, 224).random_resized_crop().hflip().imagenet()),
    ];
    for (name, recipe) in recipes.into_iter().filter(|(name, _)| wanted(name)) {
        let mut transformer = Transformer::new(recipe)?;
        let mut slot = vec![0.0_f32; transformer.values()];
        let made = each(&files, rounds, |file, key, sum| {
            let begun = Instant::now();
            let decoded = transformer.decode_for(&mut decoder, file, None, &options, key)?;
            let between = Instant::now();
            transformer.finish(&decoded, key, Out::F32(&mut slot))?;
            let end = Instant::now();
            sum.update(bytemuck::cast_slice(&slot));
            Ok([between - begun, end - between].map(|t| t.as_secs_f64()))
        })?;
        println!("{name} to 224: decode {:.3}, tensor {:.3} {:08x}", made.0[0], made.0[1], made.1);
    }
    Ok(())
}

/// The means of what each file takes at best, in milliseconds, and a checksum over all.
fn each(
    files: &[Vec<u8>],
    rounds: usize,
    mut make: impl FnMut(&[u8], u64, &mut crc32fast::Hasher) -> Result<[f64; 2], forebay::Error>,
) -> Result<([f64; 2], u32), forebay::Error> {
    let mut best = vec![[f64::MAX; 2]; files.len()];
    let mut sum = crc32fast::Hasher::new();
    for round in 0..rounds {
        for (i, (file, best)) in files.iter().zip(&mut best).enumerate() {
            let mut unused = crc32fast::Hasher::new();
            let hasher = if round == 0 { &mut sum } else { &mut unused };
            let times = make(file, sample_key(0, 0, i as u64), hasher)?;
            best.iter_mut().zip(times).for_each(|(best, time)| *best = best.min(time));
        }
    }
    let mean = |what: usize| best.iter().map(|times| times[what]).sum::<f64>() / files.len().max(1) as f64 * 1e3;
    Ok(([mean(0), mean(1)], sum.finalize()))
}
