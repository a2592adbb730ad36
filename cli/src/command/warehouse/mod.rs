//! `forebay warehouse`: tensor warehouses are built, listed and cleared away.

mod drift;
pub(super) mod print;

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
    /// Decode and resize images once, and store them as tensors.
    Build(Box<Build>),
    /// List the warehouses of a folder and mark the current ones.
    List {
        /// Folder of the warehouses.
        folder: PathBuf,
    },
    /// Compare the content of a warehouse with an earlier one.
    Drift(Box<drift::Args>),
    /// Export a summary as Parquet, or the samples as a table.
    Export {
        /// Manifest or folder of the warehouse.
        manifest: PathBuf,
        /// Output file.
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
        /// Write a row per sample, with its boxes.
        ///
        /// The output's extension decides the format. Without this option, write a row per run and one for all runs.
        #[arg(long)]
        samples: bool,
        /// With --samples, add channel means; reads every image.
        #[arg(long, requires = "samples")]
        means: bool,
        /// Overwrite an existing file.
        #[arg(long, short, alias = "overwrite")]
        force: bool,
    },
    /// Delete superseded warehouses and leftovers of aborted builds.
    Gc {
        /// Folder of the warehouses.
        folder: PathBuf,
        /// Only show what would be deleted.
        #[arg(long)]
        dry_run: bool,
    },
}

#[derive(Debug, clap::Args)]
struct Build {
    /// Folders of runs or images, TAR and TBL files, or patterns.
    ///
    /// A folder of runs has `labels/*.json` in each run.
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<PathBuf>,
    /// Folder for the warehouse; created if missing.
    ///
    /// The warehouse gets its own folder in it, named by its version.
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    #[command(flatten)]
    labels: LabelArgs,
    /// Width and height of the images.
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "384x384")]
    size: [u32; 2],
    /// Method to fit images to the size.
    #[arg(long, value_name = "METHOD", value_parser = word::<ResizeMode>(), default_value = "letterbox")]
    resize: ResizeMode,
    /// Most boxes per image.
    ///
    /// More are dropped and counted.
    #[arg(long, value_name = "N", default_value = "16")]
    max_boxes: u32,
    /// Number type of the pixels.
    ///
    /// Boxes have the same type, except f32 for u8.
    #[arg(long, value_name = "TYPE", value_parser = word::<Dtype>(), default_value = "f32")]
    dtype: Dtype,
    /// Store boxes as f32, whatever the type of the pixels.
    ///
    /// In f16, boxes are off by up to 0.02 %.
    #[arg(long, hide_short_help = true)]
    f32_boxes: bool,
    /// Skip frames without boxes.
    #[arg(long)]
    skip_empty: bool,
    /// Images that EXIF rotates: rotate, store as they are, or refuse.
    ///
    /// With this option, boxes are read as relative to the resulting image, unless the labels give the size of the other
    /// raster. Without it, boxes of rotated images are refused.
    #[arg(long, value_name = "MODE", hide_short_help = true, value_parser = exif(), default_value = "apply")]
    exif: Exif,
    /// Approximate size of a shard, in MiB.
    #[arg(long, hide_short_help = true, value_name = "MIB", default_value = "192", value_parser = clap::value_parser!(u64).range(1..1 << 24))]
    shard_mib: u64,
    #[command(flatten)]
    thresholds: ThresholdArgs,
    /// Keep a warehouse that breaks a threshold.
    ///
    /// The manifest records the violation.
    #[arg(long, help_heading = OF_THRESHOLDS, hide_short_help = true)]
    allow_violations: bool,
    /// Overwrite this version if it exists.
    #[arg(long)]
    clear: bool,
    /// Build nothing if this version is complete.
    #[arg(long, conflicts_with = "clear")]
    skip_if_exists: bool,
    /// Write a line of JSON per shard: timings and refused frames.
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Compare with this earlier warehouse.
    ///
    /// As `forebay warehouse drift` does.
    #[arg(long, value_name = "MANIFEST")]
    drift_from: Option<PathBuf>,
    /// Exit with code 1 if a distance is larger than this.
    ///
    /// The warehouse is kept.
    #[arg(long, hide_short_help = true, value_name = "DISTANCE", value_parser = drift::distance, requires = "drift_from")]
    drift_fail_above: Option<f64>,
    /// Version of the builder, part of the warehouse's version.
    #[arg(long, hide_short_help = true, value_name = "TEXT")]
    code_version: Option<String>,
    /// Number of threads.
    #[arg(long, value_name = "N", value_parser = threads, default_value_t = all_cores())]
    workers: usize,
    /// Do not wait until the data is on disk.
    #[arg(long, hide_short_help = true)]
    no_sync: bool,
}

/// Labels of images; runs have their own.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Labels")]
struct LabelArgs {
    /// Label file or folder of the images.
    ///
    /// Runs have their own labels.
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Format of the labels; detected by default.
    #[arg(long, value_parser = word::<Format>(), value_name = "FORMAT", requires = "labels")]
    labels_from: Option<Format>,
    /// Pascal VOC: number of the first pixel, 0 or 1.
    ///
    /// The files do not contain this number.
    #[arg(long, hide_short_help = true, value_name = "BASE", value_parser = clap::value_parser!(u8).range(0..=1))]
    voc_base: Option<u8>,
    /// YOLO: kind of annotation on each line.
    #[arg(long, value_name = "KIND", hide_short_help = true, value_parser = word::<Task>())]
    task: Option<Task>,
    /// Annotation to use if an image has several.
    ///
    /// `first` or `last` annotation that was not canceled, or the boxes of `all` annotators.
    #[arg(long, value_name = "MODE", hide_short_help = true, value_parser = word::<Pick>(), requires = "labels")]
    pick: Option<Pick>,
    /// Metadata field with boxes, such as json.boxes:xywh.
    ///
    /// For samples without a label file. The part after the colon says what the four numbers of a box mean; `none` means
    /// that no field has boxes.
    #[arg(long, hide_short_help = true, value_name = "FIELD", conflicts_with = "labels")]
    boxes: Option<BoxField>,
}

/// The heading of the options about bad frames.
const OF_THRESHOLDS: &str = "Thresholds";

/// How many frames may be bad; more fail the build.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = OF_THRESHOLDS)]
struct ThresholdArgs {
    /// Most frames with an invalid label, box or image.
    #[arg(long, hide_short_help = true, value_name = "N")]
    max_invalid: Option<String>,
    /// Most frames without their image.
    #[arg(long, hide_short_help = true, value_name = "N")]
    max_missing: Option<String>,
    /// Most frames without boxes.
    #[arg(long, hide_short_help = true, value_name = "N")]
    max_empty: Option<String>,
    /// Largest share of invalid frames, from 0 to 1.
    #[arg(long, hide_short_help = true, value_name = "SHARE")]
    max_invalid_ratio: Option<String>,
    /// Largest share of frames without their image.
    #[arg(long, hide_short_help = true, value_name = "SHARE")]
    max_missing_ratio: Option<String>,
    /// Largest share of frames without boxes.
    #[arg(long, hide_short_help = true, value_name = "SHARE")]
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

/// The meaning of the policies for images; for labels it differs.
fn exif() -> impl clap::builder::TypedValueParser<Value = Exif> {
    use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _};
    use forebay::words::Word as _;
    let meaning = |exif: &Exif| match exif {
        Exif::Apply => "they are rotated and stored as displayed",
        Exif::Ignore => "they are stored as in their files",
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
        return Err(Error::new(&codes::ARGUMENT, "the output must be a folder, but this is a file")
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
    print::built(&built, took, Some(print::drifted(&drift, most)), out);
    if !out.json() {
        drift::print(&drift, most, out);
    }
    Ok(drift::outcome(&drift, most))
}
