//! Decodes the JPEGs whose paths come in, a line each, and answers with the nanoseconds that it took and a checksum
//! (FNV-1a) of the pixels: one side of `benches/jpeg.mjs`, whose other side is the C library.
//!
//! ```sh
//! cargo run --profile dist --features decode --example turns < PATHS
//! ```
#![allow(clippy::disallowed_methods, reason = "an example is a host: it reads files and the clock")]

use std::{error::Error, fs, io, time::Instant};

use forebay::image::decode::{Decoder, Options};

fn main() -> Result<(), Box<dyn Error>> {
    let mut decoder = Decoder::default();
    for path in io::stdin().lines() {
        let file = fs::read(path?)?;
        let begun = Instant::now();
        let picture = decoder.decode(&file, None, &Options::default())?;
        let taken = begun.elapsed().as_nanos();
        let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        println!("{taken} {:016x}", picture.pixels.iter().fold(0xcbf2_9ce4_8422_2325, step));
    }
    Ok(())
}
