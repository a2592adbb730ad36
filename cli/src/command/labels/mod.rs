//! `forebay labels`: files with boxes, outlines and masks of pictures.

mod convert;
mod look;

use std::path::PathBuf;

use forebay::{
    Result,
    annotations::{Between, Exif, Format, Names, Pick, ReadOptions, Task},
};
use forebay_native::{input, labels::Open};

use super::filtering::LimitArgs;
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
}

/// What a file cannot say by itself.
#[derive(Debug, clap::Args)]
struct ReadArgs {
    /// The format of the files, if it is not to be found out.
    #[arg(long, value_parser = word::<Format>(), value_name = "FORMAT")]
    from: Option<Format>,
    /// Look at the pictures in this folder: their sizes count, and a missing one is a fault.
    #[arg(long, value_name = "FOLDER")]
    pictures: Option<PathBuf>,
    /// Pascal VOC: whether the first pixel is 0 or 1; a file cannot tell.
    #[arg(long, value_name = "BASE", value_parser = clap::value_parser!(u8).range(0..=1))]
    voc_base: Option<u8>,
    /// YOLO: what lines are.
    #[arg(long, value_parser = word::<Task>())]
    task: Option<Task>,
    /// YOLO: lines of six columns are boxes with a score.
    #[arg(long)]
    scores: bool,
    /// CVAT for video: what becomes of frames between those that a track lists.
    #[arg(long, value_parser = word::<Between>(), default_value = "interpolate")]
    between: Between,
    /// Which of several annotations of one picture counts.
    #[arg(long, value_parser = word::<Pick>())]
    pick: Option<Pick>,
    /// Pictures that EXIF turns: in which raster their boxes are to be.
    #[arg(long, value_parser = word::<Exif>())]
    exif: Option<Exif>,
    /// Names of pictures: whole, or only their last part.
    #[arg(long, value_parser = word::<Names>(), default_value = "whole")]
    names: Names,
    /// A file with the names of the classes, one a line, for formats that only number them.
    #[arg(long, value_name = "FILE")]
    classes: Option<PathBuf>,
    /// Label Studio: the key of the task's data that has the picture.
    #[arg(long, value_name = "KEY")]
    image_key: Option<String>,
    #[command(flatten)]
    limits: LimitArgs,
}

impl ReadArgs {
    fn open(&self) -> Result<Open> {
        let mut options = ReadOptions::default();
        options.voc_base = self.voc_base;
        options.task = self.task;
        options.scores = self.scores;
        options.between = self.between;
        options.pick = self.pick;
        options.exif = self.exif;
        options.names = self.names;
        options.image_key = self.image_key.clone();
        options.limits = self.limits.limits();
        if let Some(path) = &self.classes {
            let file = input::Input::read(path)?;
            let text = file.slice(0..file.len())?;
            let text = String::from_utf8_lossy(&text);
            options.classes =
                Some(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(Into::into).collect());
        }
        let open = Open::new(options).format(self.from);
        Ok(match &self.pictures {
            Some(folder) => open.pictures(folder),
            None => open,
        })
    }
}

impl Args {
    /// Whether something is left half done where it is ended in the middle.
    pub(super) fn has_work(&self) -> bool {
        matches!(self.what, What::Convert(_))
    }
}

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    match &args.what {
        What::Check(args) => look::check(args, out),
        What::Stats(args) => look::stats(args, out),
        What::Convert(args) => convert::run(args, out),
    }
}
