//! Reading samples and opening files, timed from inside: what `benches/run.mjs` cannot see from outside.
//!
//!     samples read FILE      every sample once in random order, and the same bytes by memcpy and CRC-32
//!     samples many FILE N    writes a TBL of N tiny samples
//!     samples open FILE      opens it once and reads one sample
//!
//! Each prints one line of JSON.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a benchmark has a clock and files")]

mod common;

use std::{fs, hint::black_box, path::Path, process::ExitCode, time::Instant};

use bytes::Bytes;
use forebay::{
    Error, Result,
    codec::{Compression, checksum::crc32},
    error::codes,
    model::MediaFormat,
    tbl::{Encoder, Layout, PackOptions, Patch, pack},
};
use forebay_native::{Dataset, Input, input::io_error};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let arguments = common::arguments();
    common::answer(match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["read", file] => read(file.as_ref()),
        ["many", file, n] => many(file.as_ref(), n.parse().unwrap_or(0)),
        ["open", file] => open(file.as_ref()),
        // What `cargo bench` runs; `npm run bench` runs the rest.
        _ => Ok(json!({ "usage": "samples read FILE | many FILE N | open FILE" })),
    })
}

/// The samples in an order without pattern, the same at every run.
fn shuffled(n: u64) -> Vec<u64> {
    let mut order: Vec<u64> = (0..n).collect();
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for i in (1..order.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(i, (state >> 33) as usize % (i + 1));
    }
    order
}

fn read(path: &Path) -> Result<Value> {
    let dataset = Dataset::open(path)?;
    let order = shuffled(dataset.len());
    let one_pass = |each: &mut dyn FnMut(Bytes)| -> Result<f64> {
        let begun = Instant::now();
        for &i in &order {
            each(dataset.payload(i)?);
        }
        Ok(begun.elapsed().as_secs_f64())
    };
    let mut bytes = 0;
    // The first pass maps the pages, as any reader's second epoch finds them.
    one_pass(&mut |payload| bytes += payload.len())?;
    let verified = one_pass(&mut |payload| drop(black_box(payload)))?;
    let mut copy = Vec::new();
    let copied = one_pass(&mut |payload| {
        copy.clear();
        copy.extend_from_slice(&payload);
        black_box(&copy);
    })?;
    // The floor: the same bytes in the same order, with nothing of this project in between but the checksum.
    let input = dataset.input().ok_or_else(|| Error::new(&codes::ARGUMENT, "a file is wanted"))?;
    let mut ranges = Vec::with_capacity(order.len());
    for &i in &order {
        ranges.push(dataset.info(i)?.range());
    }
    // Mapped, as the floor is not reading.
    let file = Input::map(path)?.slice(0..input.len())?;
    let begun = Instant::now();
    for range in &ranges {
        copy.clear();
        copy.extend_from_slice(&file[range.start as usize..range.end as usize]);
        black_box(crc32(&copy));
    }
    let floor = begun.elapsed().as_secs_f64();
    Ok(json!({
        "samples": order.len(), "bytes": bytes,
        "verified_seconds": verified, "copied_seconds": copied, "floor_seconds": floor,
    }))
}

/// A guide file as small as this many samples can be.
fn many(path: &Path, n: u64) -> Result<Value> {
    let options = PackOptions { layout: Layout::Guide, compression: Compression::None };
    let mut encoder = Encoder::new(options, Some(n))?;
    let mut file = vec![0; usize::try_from(64 + 24 * n).unwrap_or(0)];
    for i in 0..n {
        let payload = Bytes::copy_from_slice(&i.to_le_bytes());
        let packed = pack(payload, MediaFormat::Unknown, 0, 0, &options)?;
        encoder.place(&packed, false)?;
        file.extend_from_slice(&packed.stored);
        file.extend_from_slice(packed.trailer());
    }
    for patch in encoder.finish(None)? {
        if let Patch::Bytes { at, bytes } = patch {
            file[at as usize..at as usize + bytes.len()].copy_from_slice(&bytes);
        }
    }
    fs::write(path, &file).map_err(|e| io_error(&path.display().to_string(), "write", e))?;
    Ok(json!({ "samples": n, "bytes": file.len() }))
}

fn open(path: &Path) -> Result<Value> {
    let before = resident();
    let begun = Instant::now();
    let dataset = Dataset::open(path)?;
    let opened = begun.elapsed().as_secs_f64();
    let after = resident();
    let begun = Instant::now();
    let payload = dataset.payload(dataset.len() / 2)?;
    let first = begun.elapsed().as_secs_f64();
    Ok(json!({
        "samples": dataset.len(), "index_bytes": dataset.len() * 24, "opened_seconds": opened,
        "first_sample_seconds": first, "sample_bytes": payload.len(), "resident_bytes": after.saturating_sub(before),
    }))
}

/// Bytes of this process that are in memory, shared pages of files included; 0 if the system does not say.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok()).map_or(0, |kib| kib * 1024)
}
