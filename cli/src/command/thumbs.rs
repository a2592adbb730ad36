//! `forebay thumbs`: the thumbnails of a dataset in a file beside it.

use std::path::PathBuf;

use forebay::Result;
use forebay_native::{
    input::display,
    parallel::all_cores,
    thumbs::{Strip, ThumbsOptions, beside, write},
};
use serde::Serialize;

use super::{
    curating::tell_faults,
    filtering::{LimitArgs, PixelLimitArgs, open},
};
use crate::{
    exit::Outcome,
    human,
    output::{Output, printable},
    progress::Meter,
    words::threads,
};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// TBL or TAR.
    #[arg(value_name = "DATASET")]
    file: PathBuf,
    /// Output file; by default, the dataset's name plus .thumbs.
    ///
    /// Viewers look for it there.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Longest edge of a thumbnail, in pixels.
    ///
    /// Smaller images keep their size.
    #[arg(long, value_name = "PIXELS", default_value_t = 160, value_parser = clap::value_parser!(u32).range(2..=2048))]
    size: u32,
    /// JPEG quality.
    #[arg(long, value_name = "1..100", default_value_t = 80, value_parser = clap::value_parser!(u8).range(1..=100))]
    quality: u8,
    /// Only check that existing thumbnails match the dataset.
    #[arg(long, conflicts_with_all = ["size", "quality", "force"])]
    check: bool,
    /// Overwrite existing thumbnails.
    #[arg(long, short, alias = "overwrite")]
    force: bool,
    /// Number of threads.
    #[arg(long, value_name = "N", value_parser = threads, default_value_t = all_cores())]
    workers: usize,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    pixel_limit: PixelLimitArgs,
}

/// Thumbnails that belong to a file.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "CheckThumbs"))]
pub(super) struct Checked<'a> {
    /// The dataset's name.
    input: &'a str,
    /// The name of the file of thumbnails.
    output: String,
    /// Samples, of which each has a place in it.
    samples: u64,
    /// No edge is longer, in pixels.
    size: u32,
    /// Bytes of the file of thumbnails.
    output_bytes: u64,
}

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    let limits = args.limits.limits();
    let dataset = open(&args.file, &limits, false)?;
    let output = args.output.clone().unwrap_or_else(|| beside(&args.file));
    if args.check {
        let strip = Strip::open(&output, &dataset)?;
        let (samples, size, bytes) = (strip.len(), strip.size(), strip.file_len());
        if out.json() {
            let (input, output) = (dataset.name(), display(&output));
            out.value(&Checked { input, output, samples, size, output_bytes: bytes });
        } else {
            let (samples, bytes) = (human::count(samples), human::bytes(bytes));
            out.line(format!("{}: {samples} thumbnails within {size} pixels, {bytes}, of this file", display(&output)));
        }
        return Ok(Outcome::Fine);
    }
    let mut options = ThumbsOptions::default();
    (options.size, options.quality) = (args.size, args.quality);
    (options.workers, options.force) = (args.workers, args.force);
    options.limits = args.pixel_limit.limits(limits);
    let mut meter = Meter::new(out, "drawing");
    let made = write(&dataset, &output, &options, &mut |now| meter.update(now))?;
    drop(meter);
    if out.json() {
        out.value(&made);
    } else {
        let (samples, bytes) = (human::count(made.samples), human::bytes(made.output_bytes));
        out.line(format!("{}: {samples} thumbnails within {} pixels, {bytes}", printable(&made.output), made.size));
        if made.not_pictures > 0 {
            out.note(format!("{} samples are not images", human::count(made.not_pictures)));
        }
    }
    Ok(tell_faults(made.fault_count, &made.faults, out))
}
