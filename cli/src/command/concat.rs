//! `forebay concat`: several datasets become one.

use std::path::PathBuf;

use forebay::{Error, Result, error::codes::ARGUMENT, tbl::MetadataFormat};
use forebay_native::{
    convert::{Job, To},
    input,
    tables::TableFormat,
};

use super::{
    convert::{WriteArgs, metadata, report, target},
    effect::{Given, Route, Uses},
    filtering::{FolderArgs, LimitArgs, filter, whole_sets},
};
use crate::{exit::Outcome, output::Output, words::word};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, folders or patterns, in order.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Output file, or - for standard output.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Output format; by default, from the output's extension.
    #[arg(long, value_name = "FORMAT", value_parser = word::<To>())]
    to: Option<To>,
    #[command(flatten)]
    write: WriteArgs,
    /// Use only samples that match, such as 'width >= 224'.
    #[arg(long = "where", alias = "filter", value_name = "FILTER")]
    filter: Option<String>,
    /// Format of the metadata.
    #[arg(long, value_name = "NAME", hide_short_help = true, value_parser = word::<MetadataFormat>(), default_value = "json")]
    metadata_format: MetadataFormat,
    /// Write an empty output if no sample matches.
    #[arg(long, requires = "filter")]
    allow_empty: bool,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    folder: FolderArgs,
}

/// Which options have an effect on what.
pub(super) const USES: Uses = &[
    (&["layout", "compression", "level", "metadata_format"], &[Route::Tbl]),
    (&["class_level"], &[Route::Tbl, Route::Tar]),
];

pub(super) fn run(args: &Args, given: &Given, out: &Output) -> Result<Outcome> {
    let limits = args.limits.limits();
    if args.to.is_none() && TableFormat::from_name(&args.output).is_some() && To::from_name(&args.output).is_none() {
        let message = "concat joins samples; convert joins tables: forebay convert a.csv b.csv x.csv";
        return Err(Error::new(&ARGUMENT, message).file(input::display(&args.output)));
    }
    let to = target(args.to, &args.output)?;
    given.check(USES, if to == To::Tar { Route::Tar } else { Route::Tbl })?;
    let mut options = args.write.options(to, &limits)?;
    options.allow_empty = args.allow_empty;
    options.metadata = metadata(None, args.metadata_format, &limits)?;
    let sources =
        whole_sets(&args.files)?.iter().map(|p| args.folder.open(p, &limits, false)).collect::<Result<_>>()?;
    let mut job = Job::new(sources, options);
    if let Some(filter) = filter(args.filter.as_deref())? {
        job = job.filter(&filter)?;
    }
    report(job, &args.output, out)
}
