//! Measures packed JPEGs on a folder of JPEGs, next to the JPEGs themselves, in turn, on one thread: size, and speed to pixels at
//! several sizes. Holds that the pixels are the same.
//!
//! ```sh
//! cargo run --profile dist --features decode --example packed_speed -- FOLDER
//! ```
#![allow(clippy::disallowed_methods, reason = "an example is a host: it reads files and the clock")]

use std::{collections::BTreeMap, error::Error, fs, sync::Arc, time::Instant};

use forebay::{
    codec::packed::{Packer, Trainer, Unpacker},
    image::decode::{Decoder, Options, Region},
};

const ROUNDS: usize = 12;
const NAMES: [&str; 6] = ["8/8", "4/8", "2/8", "1/8", "a crop of 40 %", "the JPEG again"];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: packed_speed FOLDER")?;
    let mut paths: Vec<_> = fs::read_dir(folder)?.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    let files: Vec<Vec<u8>> = paths.iter().filter_map(|path| fs::read(path).ok()).collect();
    let mut trainer = Trainer::default();
    let mut kept = BTreeMap::<_, usize>::new();
    files.iter().filter_map(|file| trainer.add(file).err()).for_each(|why| *kept.entry(why.name()).or_default() += 1);
    let tables = Arc::new(trainer.finish()?);
    let mut packer = Packer::default();
    let start = Instant::now();
    let packed: Vec<_> = files.iter().filter_map(|file| Some((file, packer.pack(file, &tables).ok()?))).collect();
    let seconds = start.elapsed().as_secs_f64();
    let sum = |of: fn(&(&Vec<u8>, Vec<u8>)) -> usize| packed.iter().map(of).sum::<usize>();
    let (before, after) = (sum(|(file, _)| file.len()), sum(|(_, packed)| packed.len()) + tables.bytes().len());
    println!("{} of {} files packed, {kept:?}; {before} to {after} bytes", packed.len(), files.len());
    println!(
        "size with tables: {:.4}; packing {:.1} MB/s",
        after as f64 / before as f64,
        before as f64 / 1e6 / seconds
    );
    let (mut own, mut other, mut unpacker) = (Decoder::default(), Decoder::default(), Unpacker::default());
    own.packed_with(Some(tables.clone()));
    let mut sums = [[0.0; 2]; NAMES.len()];
    for (file, packed) in &packed {
        let half = tables.half(packed, file.len() as u64)?;
        let full = other.decode(file, None, &Options::default())?;
        let (width, height) = (full.width, full.height);
        let at = |eighths| Options::default().with_at_least(width * eighths / 8, height * eighths / 8);
        let crop = Region { x: width / 4, y: height / 3, width: width * 2 / 5, height: height * 2 / 5 };
        let ways = [Options::default(), at(4), at(2), at(1), Options::default().with_region(crop)];
        let mut best = [[f64::MAX; 2]; NAMES.len()];
        let mut least = |n: usize, k: usize, start: Instant| best[n][k] = best[n][k].min(start.elapsed().as_secs_f64());
        for _ in 0..ROUNDS {
            for (n, way) in ways.iter().enumerate() {
                let start = Instant::now();
                let expected = other.decode(file, None, way)?;
                least(n, 0, start);
                let start = Instant::now();
                let found = own.decode(&half, None, way)?;
                least(n, 1, start);
                assert!(found.pixels == expected.pixels, "other pixels");
            }
            let start = Instant::now();
            assert!(unpacker.restore(packed, file.len(), &tables)? == **file, "another file");
            least(NAMES.len() - 1, 1, start);
        }
        for (sum, best) in sums.iter_mut().zip(best) {
            *sum = [sum[0] + best[0], sum[1] + best[1]];
        }
    }
    for (name, [jpeg, packed_too]) in NAMES.iter().zip(sums.map(|two| two.map(|t| t * 1e3 / packed.len() as f64))) {
        match jpeg < 1e9 {
            true => println!("{name}: JPEG {jpeg:.3} ms, packed {packed_too:.3} ms, x{:.2}", jpeg / packed_too),
            false => println!("{name}: {packed_too:.3} ms"),
        }
    }
    Ok(())
}
