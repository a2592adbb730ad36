//! Where the time goes when a TBF of a million rows is read into typed columns.
//!
//!     cargo run --profile dist --example tbf_speed -- [ROUNDS]

#![allow(clippy::disallowed_methods)]

use std::{hint::black_box, sync::Arc, time::Instant};

use bytes::Bytes;
use forebay::{
    Limits, Result,
    codec::checksum::crc32,
    step::{Pieces, drive},
    table::{Batch, Column, DataType, Field, Schema},
    tbf,
};

const ROWS: u64 = 1_000_000;

/// The table of the benchmark in `benches/tables`, with texts of the same lengths and numbers.
fn table() -> Result<Batch> {
    let noise = |row: u64, column: u64| {
        let mut z = (row ^ column << 40).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z ^= z >> 29;
        z.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20
    };
    let fields = [
        ("id", DataType::U32),
        ("name", DataType::String),
        ("age", DataType::U8),
        ("salary", DataType::F64),
        ("active", DataType::Bool),
        ("city", DataType::String),
        ("ts", DataType::I64),
    ];
    let schema = Schema::new(fields.into_iter().map(|(name, dtype)| Field::new(name, dtype)).collect())?;
    let rows = || 0..ROWS;
    let columns = vec![
        rows().map(|r| r as u32).collect::<Vec<_>>().into(),
        Column::strings(rows().map(|r| Some(format!("First {:>9}", noise(r, 1) % 1000)))),
        rows().map(|r| (18 + noise(r, 2) % 73) as u8).collect::<Vec<_>>().into(),
        rows().map(|r| 1000.0 + (noise(r, 3) % 1_100_000) as f64 / 100.0).collect::<Vec<_>>().into(),
        rows().map(|r| noise(r, 4) % 2 == 0).collect::<Vec<_>>().into(),
        Column::strings(rows().map(|r| Some(format!("City {:>3}", noise(r, 5) % 50)))),
        rows().map(|r| 1_700_000_000_000 + (r * 1000 + noise(r, 6) % 1000) as i64).collect::<Vec<_>>().into(),
    ];
    Batch::new(Arc::new(schema), columns)
}

/// The best time of some rounds in milliseconds.
fn best(rounds: usize, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let start = Instant::now();
        work()?;
        best = best.min(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(best)
}

fn main() -> Result<()> {
    let rounds = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(101);
    let file = Bytes::from(tbf::write(&table()?, Default::default())?);
    let opened = drive(tbf::Opener::new(file.len() as u64), &file)?;
    let opened = opened.table()?;
    let mut pieces = Pieces::default();
    pieces.push(0, file.clone());
    println!("{} bytes", file.len());
    let whole = best(rounds, || tbf::read(&file, &Limits::host()).map(|batch| drop(black_box(batch))))?;
    println!("{:<22}{whole:>8.3} ms", "all columns");
    let opening = best(rounds, || drive(tbf::Opener::new(file.len() as u64), &file).map(|file| drop(black_box(file))))?;
    println!("{:<22}{opening:>8.3} ms", "opening");
    let all: Vec<usize> = (0..opened.schema().len()).collect();
    let decode = best(rounds, || opened.decode(0, &all, &pieces).map(|batch| drop(black_box(batch))))?;
    println!("{:<22}{decode:>8.3} ms", "decoding all");
    let sum = best(rounds, || {
        black_box(crc32(&file));
        Ok(())
    })?;
    println!("{:<22}{sum:>8.3} ms", "CRC-32 of the file");
    for (i, field) in opened.schema().fields().iter().enumerate() {
        let bytes: u64 = opened.plan(0, &[i])?.iter().map(|range| range.end - range.start).sum();
        let part = file.slice(..bytes as usize);
        let read = best(rounds, || opened.decode(0, &[i], &pieces).map(|batch| drop(black_box(batch))))?;
        let sum = best(rounds, || {
            black_box(crc32(&part));
            Ok(())
        })?;
        println!("{:<10}{bytes:>10} B {read:>8.3} ms, of which CRC-32 {sum:.3}", field.name);
    }
    let fresh = best(rounds, || {
        black_box(vec![1u64; ROWS as usize]);
        Ok(())
    })?;
    println!("{:<22}{fresh:>8.3} ms", "8 MB of new memory");
    Ok(())
}
