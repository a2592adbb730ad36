//! `forebay warehouse`: tensor warehouses are built, listed and cleared away.

mod drift;
mod print;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use clap::Subcommand;
use forebay::{
    Error, Limits, Result,
    annotations::{BoxField, Exif, Format, Pick, Task},
    error::codes,
    warehouse::{Dtype, Manifest, ResizeMode, set_threshold},
};
use forebay_native::{
    output::refuse_inputs,
    parallel::all_cores,
    warehouse::{self, Existing, Settings},
};

use super::{effect::Given, filtering::paths, labels::checked};
use crate::{
    exit::Outcome,
    output::Output,
    progress::Meter,
    words::{threads, word},
};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    work: Work,
}

#[derive(Debug, Subcommand)]
enum Work {
    /// Decode and resize pictures once, and store them as tensors with their boxes.
    Build(Box<Build>),
    /// List the warehouses of a folder, and which of them are current.
    List {
        /// The folder in which they were built.
        folder: PathBuf,
    },
    /// Compare what is in a warehouse with an earlier one: frames, runs, classes, boxes and pixels.
    Drift(Box<drift::Args>),
    /// Write the summary of a warehouse as a Parquet file: a row for each run, and one for all; or its samples as a table.
    Export {
        /// The manifest, or the warehouse's folder.
        manifest: PathBuf,
        /// The file to write.
        #[arg(short, long)]
        output: PathBuf,
        /// A row for each sample, with its boxes, in the format that the output's name says.
        #[arg(long)]
        samples: bool,
        /// With --samples: the mean of each channel too, for which every picture is read.
        #[arg(long, requires = "samples")]
        means: bool,
        /// Replace a file that is there.
        #[arg(long, short, alias = "overwrite")]
        force: bool,
    },
    /// Remove warehouses that a newer one of the same sources replaces, and what builds left that did not end.
    Gc {
        /// The folder in which they were built.
        folder: PathBuf,
        /// Only say what would be removed.
        #[arg(long)]
        dry_run: bool,
    },
}

#[derive(Debug, clap::Args)]
struct Build {
    /// Folders of runs, each with `labels/*.json`; folders of pictures, TAR and TBL files; or patterns.
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<PathBuf>,
    /// The folder in which the warehouse gets a folder of its own, named by its version.
    #[arg(short, long)]
    output: PathBuf,
    #[command(flatten)]
    labels: LabelArgs,
    /// Width and height of the images.
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "384x384")]
    size: [u32; 2],
    /// How pictures are made to fit.
    #[arg(long, value_parser = word::<ResizeMode>(), default_value = "letterbox")]
    resize: ResizeMode,
    /// Places for boxes; more of a picture are left out and counted.
    #[arg(long, value_name = "N", default_value = "16")]
    max_boxes: u32,
    /// The type of the pixels. Boxes are of the same, beside u8 of f32.
    #[arg(long, value_parser = word::<Dtype>(), default_value = "f32")]
    dtype: Dtype,
    /// Store boxes in f32 whatever the pixels are: in f16 they are off by up to 0.02 %.
    #[arg(long)]
    f32_boxes: bool,
    /// Leave out frames without boxes.
    #[arg(long)]
    skip_empty: bool,
    /// What becomes of pictures that EXIF turns. If this is given, boxes are taken to lie in the picture as it is then,
    /// unless their labels give the size of the other raster; else those of turned pictures are refused.
    #[arg(long, value_parser = exif(), default_value = "apply")]
    exif: Exif,
    /// About how many MiB a shard has.
    #[arg(long, value_name = "MIB", default_value = "192", value_parser = clap::value_parser!(u64).range(1..1 << 24))]
    shard_mib: u64,
    #[command(flatten)]
    thresholds: ThresholdArgs,
    /// Keep the warehouse even if it breaks a threshold; the manifest says so.
    #[arg(long)]
    allow_violations: bool,
    /// If this version is there already, replace it.
    #[arg(long)]
    clear: bool,
    /// If this version is there already, and whole, build nothing.
    #[arg(long, conflicts_with = "clear")]
    skip_if_exists: bool,
    /// Write a line of JSON for each shard: how long decoding, resizing and writing took, and what was refused.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Say how far the warehouse is from an earlier one, as `forebay warehouse drift` does.
    #[arg(long, value_name = "MANIFEST")]
    drift_from: Option<PathBuf>,
    /// End with exit code 1 if something is further apart than this. The warehouse is there nevertheless.
    #[arg(long, value_name = "DISTANCE", value_parser = drift::distance, requires = "drift_from")]
    drift_fail_above: Option<f64>,
    /// The builder's version, which is a part of the warehouse's.
    #[arg(long, value_name = "TEXT")]
    code_version: Option<String>,
    /// Threads.
    #[arg(long, value_name = "N", value_parser = threads, default_value_t = all_cores())]
    workers: usize,
    /// Do not make files durable before they take their place.
    #[arg(long)]
    no_sync: bool,
}

/// Labels of pictures; runs have their own.
#[derive(Debug, clap::Args)]
struct LabelArgs {
    /// The label file, or the folder of label files, of pictures in folders, TAR and TBL files.
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// The format of the labels, if it is not to be found out.
    #[arg(long, value_parser = word::<Format>(), value_name = "FORMAT", requires = "labels")]
    labels_from: Option<Format>,
    /// Pascal VOC: whether the first pixel is 0 or 1; a file cannot tell.
    #[arg(long, value_name = "BASE", value_parser = clap::value_parser!(u8).range(0..=1))]
    voc_base: Option<u8>,
    /// YOLO: what lines are.
    #[arg(long, value_parser = word::<Task>())]
    task: Option<Task>,
    /// Which of several annotations of one picture counts.
    #[arg(long, value_parser = word::<Pick>(), requires = "labels")]
    pick: Option<Pick>,
    /// Without a label file: which field of the samples' metadata has boxes, and what four numbers mean, as in
    /// json.boxes:xywh; none means that none has.
    #[arg(long, value_name = "FIELD", conflicts_with = "labels")]
    boxes: Option<BoxField>,
}

/// How many frames may be bad; more fail the build.
#[derive(Debug, clap::Args)]
struct ThresholdArgs {
    /// The most frames that may be invalid: label, boxes or picture.
    #[arg(long, value_name = "N")]
    max_invalid: Option<String>,
    /// The most frames whose picture may be missing.
    #[arg(long, value_name = "N")]
    max_missing: Option<String>,
    /// The most frames that may be without boxes.
    #[arg(long, value_name = "N")]
    max_empty: Option<String>,
    /// The same as a share of all frames, from 0 to 1.
    #[arg(long, value_name = "SHARE")]
    max_invalid_ratio: Option<String>,
    /// The same as a share of all frames.
    #[arg(long, value_name = "SHARE")]
    max_missing_ratio: Option<String>,
    /// The same as a share of all frames.
    #[arg(long, value_name = "SHARE")]
    max_empty_ratio: Option<String>,
}

impl ThresholdArgs {
    fn given(&self) -> [(&'static str, Option<&str>); 6] {
        [
            ("max_invalid", self.max_invalid.as_deref()),
            ("max_missing", self.max_missing.as_deref()),
            ("max_empty", self.max_empty.as_deref()),
            ("max_invalid_ratio", self.max_invalid_ratio.as_deref()),
            ("max_missing_ratio", self.max_missing_ratio.as_deref()),
            ("max_empty_ratio", self.max_empty_ratio.as_deref()),
        ]
    }
}

/// What the policies mean for pictures; of labels they mean something else.
fn exif() -> impl clap::builder::TypedValueParser<Value = Exif> {
    use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _};
    use forebay::words::Word as _;
    let meaning = |exif: &Exif| match exif {
        Exif::Apply => "they are turned, so that they are stored as they are seen",
        Exif::Ignore => "they are stored as they lie in their files",
        _ => "they are refused",
    };
    let value = move |exif: &Exif| PossibleValue::new(exif.word()).help(meaning(exif));
    PossibleValuesParser::new(Exif::ALL.iter().map(value)).try_map(|text| Exif::from_word(&text).ok_or("no such word"))
}

/// Reads `384x384`.
fn size(text: &str) -> std::result::Result<[u32; 2], String> {
    let sides = text.split_once(['x', 'X', '×']).and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    sides.filter(|sides| !sides.contains(&0)).ok_or_else(|| "a size is written as 384x384".into())
}

pub(super) fn run(args: &Args, given: &Given, out: &Output) -> Result<Outcome> {
    match &args.work {
        Work::Build(build) => run_build(build, given, out),
        Work::List { folder } => {
            print::list(&warehouse::list(folder)?, out);
            Ok(Outcome::Fine)
        }
        Work::Drift(args) => drift::run(args, out),
        Work::Export { manifest, output, samples, means, force } => {
            let read = warehouse::read_manifest(manifest)?;
            refuse_inputs(output, [manifest.as_path()])?;
            let rows = match samples {
                true => warehouse::export_samples(manifest, output, *means, *force, &Limits::host())?,
                false => export_summary(&read, output, *force)?,
            };
            print::exported(&read, rows, output, out);
            Ok(Outcome::Fine)
        }
        Work::Gc { folder, dry_run } => {
            print::removed(&warehouse::gc(folder, *dry_run)?, *dry_run, out);
            Ok(Outcome::Fine)
        }
    }
}

impl Build {
    fn settings(&self) -> Result<Settings> {
        let mut settings = Settings::default();
        settings.take_environment(|name| std::env::var(name).ok())?;
        settings.labels = self.labels.labels.clone();
        settings.label_format = self.labels.labels_from;
        settings.label_options.voc_base = self.labels.voc_base;
        settings.label_options.task = self.labels.task;
        settings.label_options.pick = self.labels.pick;
        settings.label_options.boxes = self.labels.boxes.clone();
        settings.size = self.size;
        settings.resize = self.resize;
        settings.max_boxes = self.max_boxes;
        settings.dtype = self.dtype;
        settings.f32_boxes = self.f32_boxes;
        settings.skip_empty = self.skip_empty;
        settings.exif = self.exif;
        settings.shard_bytes = self.shard_mib << 20;
        settings.allow_violations = self.allow_violations;
        settings.workers = Some(self.workers.max(1));
        settings.sync = !self.no_sync;
        settings.limits = Limits::host();
        // What is written on the command line counts more than the environment.
        for (name, text) in self.thresholds.given() {
            if let Some(text) = text {
                set_threshold(&mut settings.thresholds, name, text)?;
            }
        }
        match (self.clear, self.skip_if_exists) {
            (true, _) => settings.existing = Existing::Replace,
            (_, true) => settings.existing = Existing::Reuse,
            _ => {}
        }
        if let Some(path) = &self.trace {
            settings.trace = Some(path.clone());
        }
        if let Some(version) = &self.code_version {
            settings.code_version = Some(version.clone());
        }
        Ok(settings)
    }
}

#[cfg(feature = "arrow")]
fn export_summary(manifest: &Manifest, output: &Path, force: bool) -> Result<u64> {
    warehouse::export(manifest, output, force)?;
    Ok(manifest.summary.runs.len() as u64 + 1)
}

#[cfg(not(feature = "arrow"))]
fn export_summary(_: &Manifest, output: &Path, _: bool) -> Result<u64> {
    let message = "Parquet is not written in this build; --samples writes other formats";
    Err(Error::new(&codes::ARGUMENT, message).file(forebay_native::input::display(output)))
}

fn run_build(args: &Build, given: &Given, out: &Output) -> Result<Outcome> {
    if args.output.is_file() {
        return Err(Error::new(&codes::ARGUMENT, "the output is a folder, and here is a file")
            .file(forebay_native::input::display(&args.output)));
    }
    if let Some(old) = &args.drift_from {
        // Refused now, and not when all is built.
        warehouse::read_manifest(old)?;
    }
    let mut settings = args.settings()?;
    settings.label_options.exif = given.written("exif").map(|_| args.exif);
    if let Some(labels) = &settings.labels
        && ["voc_base", "task", "pick"].iter().any(|option| given.written(option).is_some())
    {
        // Refused if they would change nothing.
        checked(settings.label_options.clone(), settings.label_format, given).look(labels)?;
    }
    let sources = paths(&args.sources)?;
    let mut meter = Meter::of_frames(out, "building");
    let mut progress = forebay_native::convert::Progress::default();
    let built = warehouse::build_with(&sources, &args.output, &settings, &mut |now| {
        (progress.samples, progress.total, progress.bytes) = (now.frames, Some(now.total), now.bytes);
        meter.update(&progress);
    })?;
    let took: Duration = meter.elapsed();
    drop(meter);
    let Some(old) = &args.drift_from else {
        print::built(&built, took, None, out);
        return Ok(Outcome::Fine);
    };
    let (drift, most) = (drift::after_build(old, &built.manifest, &Limits::host())?, args.drift_fail_above);
    print::built(&built, took, Some(drift::value(&drift, most)), out);
    if !out.json() {
        drift::print(&drift, most, out);
    }
    Ok(drift::outcome(&drift, most))
}
