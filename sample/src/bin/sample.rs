//! `forebay-sample`: draws a labeled dataset and writes it as a WebDataset tar.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a command is a host: files and clocks are its own"
)]

use std::{
    fs::File,
    io::{BufWriter, IsTerminal, Write},
    path::PathBuf,
    process::ExitCode,
    time::Instant,
};

use clap::Parser;
use forebay_sample::dataset::{Error, Formats, Set, write};

/// Draws a labeled dataset and writes it as a WebDataset tar: the same bytes for the same options.
#[derive(Debug, Parser)]
struct Options {
    /// The tar to write.
    output: PathBuf,
    /// How many pictures (240, with --bench 2000).
    #[arg(long)]
    count: Option<u64>,
    /// Which pictures.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Width and height of all pictures, such as 500x375; many sizes where not given.
    #[arg(long, value_parser = size)]
    size: Option<(u32, u32)>,
    /// The quality of JPEG, 10 to 100 (90, with --bench 98).
    #[arg(long, value_parser = clap::value_parser!(u8).range(10..=100))]
    quality: Option<u8>,
    /// Which formats.
    #[arg(long, value_parser = ["jpg", "mixed"], default_value = "mixed")]
    format: String,
    /// The set for benchmarks: JPEG of about 100 kB, some progressive, some without color.
    #[arg(long, conflicts_with = "format")]
    bench: bool,
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let parse = |n: &str| n.parse().ok().filter(|n| (16..=8192).contains(n));
    text.split_once('x')
        .and_then(|(w, h)| parse(w).zip(parse(h)))
        .ok_or_else(|| "two numbers from 16 to 8192, such as 500x375".into())
}

fn run(options: &Options) -> Result<(), Error> {
    let set = Set {
        count: options.count.unwrap_or(if options.bench { 2000 } else { 240 }),
        seed: options.seed,
        size: options.size,
        quality: options.quality.unwrap_or(if options.bench { 98 } else { 90 }),
        formats: match options.format.as_str() {
            _ if options.bench => Formats::Bench,
            "jpg" => Formats::Jpeg,
            _ => Formats::Mixed,
        },
    };
    if let Some(folder) = options.output.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let started = Instant::now();
    // Beside the output and then renamed, so that an interrupted run leaves no half set.
    let part = options.output.with_extension("tar.part");
    let mut file = BufWriter::with_capacity(1 << 20, File::create(&part)?);
    let terminal = std::io::stderr().is_terminal();
    write(&set, &mut file, |done| {
        if terminal {
            eprint!("\r{done} of {} images", set.count);
        }
    })?;
    file.flush()?;
    drop(file);
    let bytes = std::fs::metadata(&part)?.len();
    std::fs::rename(&part, &options.output)?;
    let (megabytes, seconds) = (bytes as f64 / 1e6, started.elapsed().as_secs_f64());
    let clear = if terminal { "\r" } else { "" };
    eprintln!("{clear}{}: {} images, {megabytes:.1} MB, drawn in {seconds:.1} s", options.output.display(), set.count);
    Ok(())
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("forebay-sample: {e}");
            ExitCode::from(2)
        }
    }
}
