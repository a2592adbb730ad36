//! How fast a large CSV becomes every other format, and in how much memory.
//!
//! `cargo run --profile dist -p forebay-native --example table_speed -- 1000` takes megabytes of CSV (default 100). The
//! peak of memory is the process's own, so it is that of the hungriest route so far; name one route to see its own:
//! `... -- 1000 tbf`. The first route is from the generated CSV, the following from the file made before.
#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "an example is a host")]

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::Path,
    time::Instant,
};

use forebay_native::tables::{TableFormat, TableJob};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let megabytes: u64 = args.next().map_or(Ok(100), |n| n.parse())?;
    let only = args.next();
    let folder = tempfile::tempdir()?;
    let csv = folder.path().join("people.csv");
    generate(&csv, megabytes * 1_000_000)?;
    let routes = [TableFormat::Tbf, TableFormat::Parquet, TableFormat::Arrow, TableFormat::Idv, TableFormat::Jsonl];
    println!("{:<10}{:>10}{:>14}{:>14}{:>16}", "to", "seconds", "MB/s of CSV", "output MB", "peak so far MiB");
    for format in routes.into_iter().filter(|f| only.as_deref().is_none_or(|name| name == f.name())) {
        let output = folder.path().join(format!("people.{}", format.name()));
        let mut job = TableJob::new(vec![csv.clone()], format);
        job.sync = false;
        let started = Instant::now();
        let summary = job.run(&output)?;
        let seconds = started.elapsed().as_secs_f64();
        println!(
            "{:<10}{seconds:>10.2}{:>14.0}{:>14.1}{:>16.0}",
            format.name(),
            summary.input_bytes as f64 / 1e6 / seconds,
            summary.output_bytes as f64 / 1e6,
            peak_mib().unwrap_or(f64::NAN),
        );
        fs::remove_file(output)?;
    }
    Ok(())
}

/// Rows of seven columns, as in the table that TBF is measured by.
fn generate(path: &Path, bytes: u64) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    writeln!(out, "id,name,age,salary,active,city,ts")?;
    let (mut written, mut id, mut seed) = (0u64, 0u64, 1u64);
    while written < bytes {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (a, b) = (seed >> 33, seed >> 12);
        let line = format!(
            "{id},person {},{},{}.{:02},{},city {},{}\n",
            a % 1000,
            18 + b % 73,
            30_000 + a % 100_000,
            b % 100,
            a % 2 == 0,
            b % 50,
            1_700_000_000_000u64 + id * 1000,
        );
        out.write_all(line.as_bytes())?;
        written += line.len() as u64;
        id += 1;
    }
    out.flush()
}

/// The most memory that this process ever had, if the system tells.
fn peak_mib() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kib| kib / 1024.0)
}
