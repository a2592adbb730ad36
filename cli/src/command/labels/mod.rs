//! `forebay labels`: files with boxes, outlines and masks of pictures.

mod convert;
mod look;
mod meant;
mod skeleton;

use std::path::{Path, PathBuf};

use forebay::{Result, annotations::Format};
use forebay_native::{labels::Open, output::refuse_inputs};

pub(super) use meant::{MeantArgs, checked};

use super::{effect::Given, filtering::LimitArgs};
use crate::{exit::Outcome, output::Output, words::word};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Say whether label files are sound: the first fault, with line and path, and what else is worth knowing.
    Check(look::CheckArgs),
    /// Count pictures, annotations and classes, and what was found, by cause.
    Stats(look::StatsArgs),
    /// Convert labels to another format; what it cannot say is counted and named.
    Convert(convert::Args),
    /// Write a label file without labels, for a tool to begin with: names, sizes and places of pictures, from the index
    /// alone.
    Skeleton(skeleton::Args),
}

/// How label files are read.
#[derive(Debug, clap::Args)]
struct ReadArgs {
    /// The format of the files, if it is not to be found out.
    #[arg(long, value_parser = word::<Format>(), value_name = "FORMAT")]
    from: Option<Format>,
    /// Look at the pictures in this folder: their sizes count, and a missing one is a fault.
    #[arg(long, value_name = "FOLDER")]
    pictures: Option<PathBuf>,
    #[command(flatten)]
    meant: MeantArgs,
    #[command(flatten)]
    limits: LimitArgs,
}

impl ReadArgs {
    fn open(&self, given: &Given) -> Result<Open> {
        let open = self.meant.open(self.from, &self.limits.limits(), given)?;
        Ok(match &self.pictures {
            Some(folder) => open.pictures(folder),
            None => open,
        })
    }

    /// Refuses an output that is what is read beside the labels.
    fn refuse_beside(&self, output: &Path) -> Result<()> {
        refuse_inputs(output, self.pictures.as_deref().into_iter().chain(self.meant.classes()))
    }
}

impl Args {
    /// Whether something is left half done where it is ended in the middle.
    pub(super) fn has_work(&self) -> bool {
        matches!(self.what, What::Convert(_) | What::Skeleton(_))
    }
}

pub(super) fn run(args: &Args, given: &Given, out: &Output) -> Result<Outcome> {
    match &args.what {
        What::Check(args) => look::check(args, given, out),
        What::Stats(args) => look::stats(args, given, out),
        What::Convert(args) => convert::run(args, given, out),
        What::Skeleton(args) => skeleton::run(args, out),
    }
}
