//! How fast an IDV file of a million rows and 20 columns is read.
//!
//!     cargo run --profile dist --example idv_speed -- [none|deflate|read] [FILE]
//!
//! `read` reads a file that is there. The file stays behind (default: `idv_speed.idv` in the temporary folder), so that
//! `scripts/idv-oracle.sh time FILE` can say how long ML.NET takes on the same machine.

#![allow(clippy::disallowed_methods)]

use std::{path::PathBuf, time::Instant};

use bytes::Bytes;
use forebay::{
    Limits, Result,
    codec::deflate::Inflater,
    idv::{Encoder, Opener, Packing, WriteOptions},
    step::drive,
    table::{Column, DataType, Field, KeyType},
};

const ROWS: u64 = 1_000_000;
const PER_BLOCK: u64 = 8192;

fn fields() -> Vec<Field> {
    let key = |count| DataType::Key { inner: KeyType::U32, count };
    let types = [
        (DataType::F32, 8),
        (DataType::F64, 2),
        (DataType::I32, 3),
        (DataType::I64, 2),
        (DataType::Bool, 1),
        (DataType::String, 2),
        (key(10), 1),
        (key(100_000), 1),
    ];
    let types = types.iter().flat_map(|(dtype, n)| std::iter::repeat_n(dtype.clone(), *n));
    types.enumerate().map(|(i, dtype)| Field::new(format!("c{i}"), dtype)).collect()
}

fn block(dtype: &DataType, seed: u64, rows: std::ops::Range<u64>) -> Result<Column> {
    let noise = |row: u64| {
        let mut z = (row ^ seed << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z ^= z >> 29;
        z.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20
    };
    Ok(match dtype {
        DataType::F32 => rows.map(|r| (noise(r) % 100_000) as f32 / 1000.0).collect::<Vec<_>>().into(),
        DataType::F64 => rows.map(|r| noise(r) as f64 / 3.0).collect::<Vec<_>>().into(),
        DataType::I32 => rows.map(|r| (noise(r) % 1000) as i32).collect::<Vec<_>>().into(),
        DataType::I64 => rows.map(|r| r as i64).collect::<Vec<_>>().into(),
        DataType::Bool => rows.map(|r| noise(r) % 3 == 0).collect::<Vec<_>>().into(),
        DataType::Key { count, .. } => {
            let keys: Column = rows.map(|r| (noise(r) % count) as u32 + 1).collect::<Vec<_>>().into();
            keys.cast_logical(dtype.clone())?
        }
        _ => Column::strings(rows.map(|r| Some(format!("user {}", noise(r) % 100_000)))),
    })
}

fn write(packing: Packing) -> Result<Vec<u8>> {
    let fields = fields();
    let mut encoder = Encoder::new(fields.clone(), WriteOptions::default().with_packing(packing))?;
    let mut out = vec![0; 256];
    for start in (0..ROWS).step_by(PER_BLOCK as usize) {
        for (column, field) in fields.iter().enumerate() {
            let rows = start..(start + PER_BLOCK).min(ROWS);
            let packed = encoder.encode(column, &block(&field.dtype, column as u64, rows)?)?;
            encoder.place(column, &packed)?;
            out.extend(packed.stored);
        }
    }
    let ending = encoder.finish()?;
    out.extend(ending.tables);
    out[..256].copy_from_slice(&ending.header);
    Ok(out)
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let mode = args.next().unwrap_or_else(|| "deflate".into());
    let path = args.next().map_or_else(|| std::env::temp_dir().join("idv_speed.idv"), PathBuf::from);
    if mode != "read" {
        let started = Instant::now();
        let packing = if mode == "none" { Packing::None } else { Packing::Deflate };
        let bytes = write(packing)?;
        std::fs::write(&path, &bytes)?;
        let ms = started.elapsed().as_secs_f64() * 1e3;
        println!("wrote {} ({} bytes) in {ms:.0} ms", path.display(), bytes.len());
    }
    let bytes = Bytes::from(std::fs::read(&path)?);
    for threads in [1, std::thread::available_parallelism()?.get()] {
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            let started = Instant::now();
            read(&bytes, threads)?;
            best = best.min(started.elapsed().as_secs_f64() * 1e3);
        }
        println!("read every column in {best:.1} ms, {threads} threads, best of five");
    }
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let started = Instant::now();
        inflate(&bytes)?;
        best = best.min(started.elapsed().as_secs_f64() * 1e3);
    }
    println!("of which unpacking alone takes {best:.1} ms of one thread");
    Ok(())
}

/// Unpacks every block that is packed, and nothing else.
fn inflate(bytes: &Bytes) -> Result<()> {
    let file = drive(Opener::new(bytes.len() as u64), bytes)?;
    let mut inflater = Inflater::default();
    for group in 0..file.blocks() {
        for column in 0..file.columns.len() {
            let entry = file.entry(column, group)?;
            if entry.stored_bytes != entry.bytes {
                let range = entry.range();
                let stored = &bytes[range.start as usize..range.end as usize];
                std::hint::black_box(inflater.inflate(stored, entry.bytes.into(), &Limits::host())?);
            }
        }
    }
    Ok(())
}

/// Decodes every block; of `threads` threads each takes its own groups.
fn read(bytes: &Bytes, threads: usize) -> Result<()> {
    let file = drive(Opener::new(bytes.len() as u64), bytes)?;
    let part = |first: usize| -> Result<usize> {
        let (mut inflater, mut rows) = (Inflater::default(), 0);
        for group in (first as u64..file.blocks()).step_by(threads) {
            for column in 0..file.columns.len() {
                let range = file.entry(column, group)?.range();
                let stored = bytes.slice(range.start as usize..range.end as usize);
                let block = file.decode_block(column, group, &stored, &mut inflater)?;
                rows += std::hint::black_box(block).column.len();
            }
        }
        Ok(rows)
    };
    let rows = std::thread::scope(|scope| {
        let part = &part;
        let others: Vec<_> = (1..threads).map(|first| scope.spawn(move || part(first))).collect();
        let own = part(0);
        others.into_iter().map(|t| t.join().expect("a thread that reads")).fold(own, |sum, n| Ok(sum? + n?))
    })?;
    assert_eq!(rows as u64, file.rows() * file.columns.len() as u64);
    Ok(())
}
