//! `forebay concat`: several datasets become one.

use std::path::PathBuf;

use forebay::Result;

use super::{
    Outcome, Output,
    convert::{MetadataFormatArg, WriteArgs, metadata, report, target},
    filtering::{LimitArgs, filter, open, paths},
};
use crate::convert::{Job, To};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The datasets, in order: files, folders or patterns.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// The file to write, or - for standard output.
    #[arg(short, long)]
    output: PathBuf,
    /// The format to write; by default the output's extension says it.
    #[arg(long, value_enum)]
    to: Option<To>,
    #[command(flatten)]
    write: WriteArgs,
    /// Only samples that this filter accepts.
    #[arg(long = "where", value_name = "FILTER")]
    filter: Option<String>,
    /// How metadata is written.
    #[arg(long, value_enum, default_value = "json")]
    metadata_format: MetadataFormatArg,
    #[command(flatten)]
    limits: LimitArgs,
}

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    let limits = args.limits.limits();
    let mut options = args.write.options(target(args.to, &args.output)?)?;
    options.metadata = metadata(None, args.metadata_format.into(), &limits)?;
    let sources = paths(&args.files)?.iter().map(|p| open(p, &limits, false)).collect::<Result<_>>()?;
    let mut job = Job::new(sources, options);
    if let Some(filter) = filter(args.filter.as_deref())? {
        job = job.filter(&filter)?;
    }
    report(job, &args.output, out)
}
