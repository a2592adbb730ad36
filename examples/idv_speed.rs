//! How fast an IDV file of a million rows and 20 columns is read, on one thread.
//!
//!     cargo run --release --example idv_speed -- [none|deflate] [FILE]
//!
//! The file stays behind (default: `idv_speed.idv` in the temporary folder), so that
//! `scripts/idv-oracle.sh time FILE` can say how long ML.NET takes on the same machine.

#![allow(clippy::disallowed_methods)]

use std::{path::PathBuf, time::Instant};

use bytes::Bytes;
use forebay::{
    Result,
    codec::deflate::Inflater,
    idv::{Block, Codec, ColumnSpec, Encoder, Item, Layout, Opener, Packing, Texts, Values, WriteOptions},
    step::drive,
};

const ROWS: u64 = 1_000_000;
const PER_BLOCK: u64 = 8192;

fn columns() -> Result<Vec<ColumnSpec>> {
    let mut columns = Vec::new();
    let mut add = |layout, n| {
        for _ in 0..n {
            columns.push(ColumnSpec::new(format!("c{}", columns.len()), Codec::scalar(Item::plain(layout))));
        }
    };
    add(Layout::Float32, 8);
    add(Layout::Float64, 2);
    add(Layout::Int32, 3);
    add(Layout::Int64, 2);
    add(Layout::Bool, 1);
    add(Layout::Text, 2);
    for count in [10, 100_000] {
        columns.push(ColumnSpec::new(format!("k{count}"), Codec::scalar(Item::key(Layout::UInt32, count)?)));
    }
    Ok(columns)
}

fn block(spec: &ColumnSpec, seed: u64, rows: std::ops::Range<u64>) -> Block {
    let noise = |row: u64| {
        let mut z = (row ^ seed << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z ^= z >> 29;
        z.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20
    };
    let key = spec.codec.item.key_count;
    Block::Scalars(match spec.codec.item.layout {
        Layout::Float32 => Values::Float32(rows.map(|r| (noise(r) % 100_000) as f32 / 1000.0).collect()),
        Layout::Float64 => Values::Float64(rows.map(|r| noise(r) as f64 / 3.0).collect()),
        Layout::Int32 => Values::Int32(rows.map(|r| (noise(r) % 1000) as i32).collect()),
        Layout::Int64 => Values::Int64(rows.map(|r| r as i64).collect()),
        Layout::Bool => Values::Bool(rows.map(|r| noise(r) % 3 == 0).collect()),
        Layout::UInt32 => Values::UInt32(rows.map(|r| (noise(r) % key.unwrap_or(1)) as u32 + 1).collect()),
        _ => {
            let mut texts = Texts::default();
            rows.for_each(|r| texts.push(&format!("user {}", noise(r) % 100_000)));
            Values::Text(texts)
        }
    })
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let packing = if args.next().as_deref() == Some("none") { Packing::None } else { Packing::Deflate };
    let path = args.next().map_or_else(|| std::env::temp_dir().join("idv_speed.idv"), PathBuf::from);

    let started = Instant::now();
    let mut encoder = Encoder::new(columns()?, WriteOptions::default().with_packing(packing))?;
    let mut out = vec![0; 256];
    for start in (0..ROWS).step_by(PER_BLOCK as usize) {
        for column in 0..encoder.columns().len() {
            let rows = start..(start + PER_BLOCK).min(ROWS);
            let packed = encoder.encode(column, &block(&encoder.columns()[column], column as u64, rows))?;
            encoder.place(column, &packed)?;
            out.extend(packed.stored);
        }
    }
    let ending = encoder.finish()?;
    out.extend(ending.tables);
    out[..256].copy_from_slice(&ending.header);
    std::fs::write(&path, &out)?;
    println!("wrote {} ({} bytes) in {:.0} ms", path.display(), out.len(), started.elapsed().as_secs_f64() * 1e3);

    let bytes = Bytes::from(out);
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let started = Instant::now();
        let file = drive(Opener::new(bytes.len() as u64), &bytes)?;
        let mut inflater = Inflater::default();
        let mut rows = 0;
        for group in 0..file.blocks() {
            for column in 0..file.columns.len() {
                let range = file.entry(column, group)?.range();
                let stored = &bytes[range.start as usize..range.end as usize];
                rows += std::hint::black_box(file.decode(column, group, stored, &mut inflater)?).rows();
            }
        }
        assert_eq!(rows as u64, ROWS * file.columns.len() as u64);
        best = best.min(started.elapsed().as_secs_f64() * 1e3);
    }
    println!("read every column in {best:.1} ms, one thread, best of five");
    Ok(())
}
