//! `forebay labels`: files with boxes, outlines and masks of pictures.

pub(super) mod convert;
pub(super) mod look;
mod meaning;
pub(super) mod skeleton;

use std::path::{Path, PathBuf};

use forebay::{Result, annotations::Format};
use forebay_native::{labels::Open, output::refuse_inputs};

pub(super) use meaning::{MeaningArgs, checked};

use super::{effect::Given, filtering::LimitArgs};
use crate::{exit::Outcome, output::Output, words::word};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Verify label files and report the first fault with its location.
    Check(look::CheckArgs),
    /// Count images, annotations, classes and findings.
    Stats(look::StatsArgs),
    /// Convert labels to another format and report what is lost.
    Convert(convert::Args),
    /// Write a label file of unlabeled images, for an annotation tool.
    Skeleton(skeleton::Args),
}

/// How label files are read.
#[derive(Debug, clap::Args)]
struct ReadArgs {
    /// Label format; detected by default.
    #[arg(long, value_parser = word::<Format>(), value_name = "FORMAT")]
    from: Option<Format>,
    /// Folder of the images; a missing image is a fault.
    ///
    /// Sizes are those of the images.
    #[arg(long, value_name = "FOLDER")]
    pictures: Option<PathBuf>,
    #[command(flatten)]
    meaning: MeaningArgs,
    #[command(flatten)]
    limits: LimitArgs,
}

impl ReadArgs {
    fn open(&self, given: &Given) -> Result<Open> {
        let open = self.meaning.open(self.from, &self.limits.limits(), given)?;
        Ok(match &self.pictures {
            Some(folder) => open.pictures(folder),
            None => open,
        })
    }

    /// Refuses an output that is what is read beside the labels.
    fn refuse_beside(&self, output: &Path) -> Result<()> {
        refuse_inputs(output, self.pictures.as_deref().into_iter().chain(self.meaning.classes()))
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
