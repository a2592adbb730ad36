//! `forebay split`: one dataset becomes shards of almost equal length, in order.

use std::{fs, path::PathBuf};

use forebay::{Error, Result, error::codes, tbl::MetadataFormat};
use forebay_native::{
    convert::{Job, To},
    input::{self, remote},
    output::Stage,
};

use super::{
    convert::{WriteArgs, metadata, print, run_job},
    effect::{Given, Route, Uses},
    filtering::{LimitArgs, open},
};
use crate::{exit::Outcome, output::Output, words::word};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The dataset.
    file: PathBuf,
    /// How many shards.
    #[arg(long)]
    shards: u64,
    /// The folder for the shards, NAME-00000-of-00008.tbl and so on. It is made if it does not exist.
    #[arg(short, long)]
    output: PathBuf,
    /// The format to write; by default that of the input.
    #[arg(long, value_parser = word::<To>())]
    to: Option<To>,
    #[command(flatten)]
    write: WriteArgs,
    /// How metadata is written.
    #[arg(long, value_parser = word::<MetadataFormat>(), default_value = "json")]
    metadata_format: MetadataFormat,
    #[command(flatten)]
    limits: LimitArgs,
}

/// Which options have an effect on what.
pub(super) const USES: Uses = &[(&["layout", "compression", "level", "metadata_format"], &[Route::Tbl])];

pub(super) fn run(args: &Args, given: &Given, out: &Output) -> Result<Outcome> {
    if args.shards == 0 || args.shards > 1_000_000 {
        return Err(Error::new(&codes::ARGUMENT, "--shards takes a number from 1 to 1,000,000"));
    }
    let limits = args.limits.limits();
    let dataset = open(&args.file, &limits, false)?;
    let to = args.to.unwrap_or(if dataset.tar().is_some() { To::Tar } else { To::Tbl });
    given.check(USES, if to == To::Tar { Route::Tar } else { Route::Tbl })?;
    let mut options = args.write.options(to, &limits)?;
    options.metadata = metadata(None, args.metadata_format, &limits)?;
    remote::refuse_writing(&args.output)?;
    fs::create_dir_all(&args.output)
        .map_err(|e| input::io_error(&input::display(&args.output), "make the folder", e))?;
    let stem = args.file.file_stem().map_or_else(|| "shard".into(), |s| s.to_string_lossy().into_owned());
    let extension = if to == To::Tar { "tar" } else { "tbl" };
    let name = |shard: u64| format!("{stem}-{shard:05}-of-{:05}.{extension}", args.shards);
    let names: Vec<String> = (0..args.shards).map(name).collect();
    let stage = Stage::begin(&args.output, stem.as_ref(), names.iter().cloned(), args.write.force())?;
    let mut written = Vec::with_capacity(names.len());
    for (shard, name) in (0..).zip(&names) {
        let range = bounds(dataset.len(), args.shards, shard)..bounds(dataset.len(), args.shards, shard + 1);
        let job = Job::new(vec![dataset.clone()], options.clone()).select(range.map(|i| (0, i)).collect());
        let (mut summary, seconds) = run_job(job, &stage.at(name), out)?;
        summary.output = input::display(&args.output.join(name));
        written.push((summary, seconds));
    }
    stage.commit(&names, options.sync)?;
    // Said when it is true.
    written.iter().for_each(|(summary, seconds)| print(summary, *seconds, out));
    Ok(Outcome::Fine)
}

/// Where shard number `shard` begins: lengths differ by at most one.
fn bounds(len: u64, shards: u64, shard: u64) -> u64 {
    (u128::from(len) * u128::from(shard) / u128::from(shards)) as u64
}

#[cfg(test)]
mod tests {
    use super::bounds;

    #[test]
    fn shards_cover_everything_once_and_differ_by_one() {
        for (len, shards) in [(0, 3), (7, 3), (8, 8), (5, 8), (u64::MAX, 7)] {
            assert_eq!((bounds(len, shards, 0), bounds(len, shards, shards)), (0, len));
            let lens: Vec<u64> = (0..shards).map(|s| bounds(len, shards, s + 1) - bounds(len, shards, s)).collect();
            assert!(lens.iter().max().unwrap() - lens.iter().min().unwrap() <= 1);
        }
    }
}
