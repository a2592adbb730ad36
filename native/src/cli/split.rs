//! `forebay split`: one dataset becomes shards of almost equal length, in order.

use std::{
    fs,
    path::{Path, PathBuf},
};

use forebay::{Error, Result, error::codes};

use super::{
    Outcome, Output,
    convert::{MetadataFormatArg, WriteArgs, metadata, report},
    filtering::{LimitArgs, open},
};
use crate::{
    convert::{Job, To},
    input,
};

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
    #[arg(long, value_enum)]
    to: Option<To>,
    #[command(flatten)]
    write: WriteArgs,
    /// How metadata is written.
    #[arg(long, value_enum, default_value = "json")]
    metadata_format: MetadataFormatArg,
    #[command(flatten)]
    limits: LimitArgs,
}

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    if args.shards == 0 || args.shards > 1_000_000 {
        return Err(Error::new(&codes::ARGUMENT, "--shards takes a number from 1 to 1,000,000"));
    }
    let limits = args.limits.limits();
    let dataset = open(&args.file, &limits, false)?;
    let to = args.to.unwrap_or(if dataset.tar().is_some() { To::Tar } else { To::Tbl });
    let mut options = args.write.options(to)?;
    options.metadata = metadata(None, args.metadata_format.into(), &limits)?;
    fs::create_dir_all(&args.output)
        .map_err(|e| input::io_error(&input::display(&args.output), "make the folder", e))?;
    let stem = args.file.file_stem().map_or_else(|| "shard".into(), |s| s.to_string_lossy().into_owned());
    let extension = if to == To::Tar { "tar" } else { "tbl" };
    let name = |shard: u64| args.output.join(format!("{stem}-{shard:05}-of-{:05}.{extension}", args.shards));
    if !args.write.force() {
        refuse_existing((0..args.shards).map(name))?;
    }
    for shard in 0..args.shards {
        let range = bounds(dataset.len(), args.shards, shard)..bounds(dataset.len(), args.shards, shard + 1);
        let job = Job::new(vec![dataset.clone()], options.clone()).select(range.map(|i| (0, i)).collect());
        report(job, &name(shard), out)?;
    }
    Ok(Outcome::Fine)
}

/// Where shard number `shard` begins: lengths differ by at most one.
fn bounds(len: u64, shards: u64, shard: u64) -> u64 {
    (u128::from(len) * u128::from(shard) / u128::from(shards)) as u64
}

/// Nothing is written where a later shard could not be.
fn refuse_existing(mut names: impl Iterator<Item = PathBuf>) -> Result<()> {
    match names.find(|path: &PathBuf| Path::exists(path)) {
        Some(path) => {
            let message = "the output exists already; --force replaces it";
            Err(Error::new(&codes::ARGUMENT, message).file(input::display(&path)))
        }
        None => Ok(()),
    }
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
