//! The pool that works on samples in order, beside rayon: the same work on the same bytes.
//!
//!     pool run ROUNDS    checks (CRC-32) and packs (LZ4) samples of about 91 kB, in turns
//!
//! Prints one line of JSON: milliseconds of the best round. What rayon collects is in order too; all of it at once is in
//! memory then, so it also works in blocks, each of which waits for its slowest sample.

#![allow(clippy::disallowed_methods, reason = "a benchmark has a clock")]

mod common;

use std::{collections::BTreeMap, hint::black_box, process::ExitCode, time::Instant};

use forebay::{
    Result,
    codec::{Codec, Compression, checksum::crc32},
};
use forebay_native::parallel::{all_cores, ordered};
use rayon::prelude::*;
use serde_json::{Value, json};

const SAMPLES: usize = 4000;
/// Samples of a block: as many as the ordered pool has under way when all its tickets are out.
const BLOCK: usize = 64;

fn main() -> ExitCode {
    let arguments = common::arguments();
    common::answer(match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["run", rounds] => measure(rounds.parse().unwrap_or(1)),
        _ => Ok(json!({ "usage": "pool run ROUNDS" })),
    })
}

/// Bytes half of which repeat, of lengths around 91 kB with a few ten times as long, as photographs are.
fn samples() -> Vec<Vec<u8>> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut bytes = |len: usize| -> Vec<u8> {
        (0..len.div_ceil(16)).flat_map(|_| [next().to_le_bytes(), *b"photogra"]).flatten().collect()
    };
    // Few distinct ones: the set is larger than the caches and smaller than the memory.
    (0..200).map(|i| bytes(if i % 50 == 0 { 910_000 } else { 60_000 + 311 * i })).collect()
}

fn measure(rounds: usize) -> Result<Value> {
    let all = samples();
    let lz4 = Compression::new(Codec::Lz4, Some(1))?;
    let check = |i: usize| u64::from(crc32(&all[i % all.len()]));
    let pack = |i: usize| lz4.compress(&all[i % all.len()]).ok().flatten().map_or(0, |packed| packed.len() as u64);
    let weigh = |i: usize| all[i % all.len()].len() as u64;
    Ok(
        json!({ "cores": all_cores(), "samples": SAMPLES, "check": compare(rounds, weigh, check)?, "pack": compare(rounds, weigh, pack)? }),
    )
}

fn compare(rounds: usize, weigh: impl Fn(usize) -> u64 + Sync, work: impl Fn(usize) -> u64 + Sync) -> Result<Value> {
    let expected: u64 = (0..SAMPLES).map(&work).fold(0, mixed);
    let mut best: BTreeMap<&str, f64> = BTreeMap::new();
    for _ in 0..rounds {
        let mut time = |name, way: &dyn Fn() -> Result<u64>| -> Result<()> {
            let begun = Instant::now();
            let sum = black_box(way()?);
            let took = begun.elapsed().as_secs_f64() * 1000.0;
            assert_eq!(sum, expected, "{name} has other results, or another order");
            best.entry(name).and_modify(|b| *b = b.min(took)).or_insert(took);
            Ok(())
        };
        time("ordered pool", &|| {
            let mut sum = 0;
            ordered(
                (0..SAMPLES).map(Ok),
                |i| weigh(*i),
                all_cores(),
                &work,
                |chunk| {
                    sum = chunk.into_iter().fold(sum, mixed);
                    Ok(())
                },
            )?;
            Ok(sum)
        })?;
        time("rayon, all at once", &|| {
            let results: Vec<u64> = (0..SAMPLES).into_par_iter().map(&work).collect();
            Ok(results.into_iter().fold(0, mixed))
        })?;
        time("rayon, in blocks", &|| {
            let mut sum = 0;
            for start in (0..SAMPLES).step_by(BLOCK) {
                let block: Vec<u64> = (start..SAMPLES.min(start + BLOCK)).into_par_iter().map(&work).collect();
                sum = block.into_iter().fold(sum, mixed);
            }
            Ok(sum)
        })?;
        time("one thread", &|| Ok((0..SAMPLES).map(&work).fold(0, mixed)))?;
    }
    Ok(json!(best))
}

/// A sum that tells orders apart.
fn mixed(sum: u64, n: u64) -> u64 {
    sum.rotate_left(7) ^ n
}
