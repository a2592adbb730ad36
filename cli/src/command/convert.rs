//! `forebay convert`: TAR, TBL or a folder of images into TBL or TAR, and tables into tables.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use forebay::{
    Error, Limits, Result,
    annotations::{Cause, Format as LabelFormat, Loss},
    codec::{Codec, Compression},
    error::codes,
    tbl::{Layout, MetadataFormat},
    words::Word,
};
use forebay_native::{
    Dataset,
    convert::{Job, MetadataChoice, Options, StreamInput, Summary, To},
    input,
    labels::{self, Attached, Beside},
    output::{refuse_inputs, refuse_parts, refuse_promise},
    parallel::all_cores,
    remote::Traffic,
    sharding,
    tables::{ReadOptions, TableCompression, TableFormat},
};
use serde::Serialize;

use super::{
    asked,
    effect::{Given, Route, Uses},
    filtering::{FolderArgs, LimitArgs, filter, open, whole_sets},
    labels::MeaningArgs,
    pixels::DecodeArgs,
    table::{
        self,
        args::TableReadArgs,
        convert::{Common, TableWriteArgs},
    },
};
use crate::{
    exit::Outcome,
    human,
    output::{Output, describe},
    progress::Meter,
    words::{threads, word},
};

#[derive(Debug, clap::Args)]
#[command(override_usage = "forebay convert [OPTIONS] <INPUT>... <OUTPUT>")]
pub(super) struct Args {
    /// Inputs, then the output file; - for standard input or output.
    ///
    /// Samples: a TAR (also .tar.gz or .tar.zst), a ZIP, a TBL or a folder of images. Tables: CSV, JSON lines, Parquet,
    /// Arrow, TBF or IDV. Several inputs become one output, in this order.
    // In one list: options may then stand between them.
    #[arg(required = true, num_args = 1.., value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Output file, instead of the last argument.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Output format; by default, from the output's extension.
    #[arg(long, value_name = "FORMAT", value_parser = word::<AnyFormat>())]
    to: Option<AnyFormat>,
    #[command(flatten)]
    write: WriteArgs,
    #[command(flatten)]
    decode: DecodeArgs,
    /// Use only samples or rows that match a filter.
    ///
    /// For example 'width >= 224 && cls == 3'.
    #[arg(long = "where", alias = "filter", value_name = "FILTER")]
    filter: Option<String>,
    /// File with metadata for the whole output.
    ///
    /// Its fields are stored next to the samples; its `samples`, if any, are added to the samples' own metadata.
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    metadata: Option<PathBuf>,
    /// Format of the metadata, also of the --metadata file.
    #[arg(long, value_name = "NAME", hide_short_help = true, value_parser = word::<MetadataFormat>(), default_value = "json")]
    metadata_format: MetadataFormat,
    /// Skip and list damaged samples; still exit with 1.
    #[arg(long)]
    keep_going: bool,
    /// Write an empty output if no sample matches.
    #[arg(long, hide_short_help = true, requires = "filter")]
    allow_empty: bool,
    #[command(flatten)]
    labels: LabelArgs,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    table: TableReadArgs,
    #[command(flatten)]
    table_write: TableWriteArgs,
}

/// Labels that the samples get into their metadata.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Labels")]
struct LabelArgs {
    /// Add annotations from a label file or folder.
    ///
    /// They go into the metadata of the samples that have the names of the labeled images. Labels that lie in a ZIP archive with
    /// its images are added without this option; `none` leaves them out.
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    /// Format of the labels; detected by default.
    #[arg(long, hide_short_help = true, visible_alias = "labels-format", value_parser = word::<LabelFormat>(), value_name = "FORMAT")]
    labels_from: Option<LabelFormat>,
    /// Refuse samples without labels, and labeled images without a sample.
    #[arg(long, hide_short_help = true)]
    strict: bool,
    #[command(flatten)]
    meaning: MeaningArgs,
}

/// Options that are for labels.
pub(super) const OF_LABELS: [&str; 12] = [
    "labels_from",
    "strict",
    "voc_base",
    "task",
    "scores",
    "between",
    "pick",
    "exif",
    "names",
    "classes",
    "image_key",
    "boxes",
];

/// In the place of labels, for those of an archive that are not wanted.
const NO_LABELS: &str = "none";

impl LabelArgs {
    /// The labels, read before the samples are.
    fn read(&self, sources: &[Dataset], limits: &Limits, given: &Given) -> Result<Option<Arc<Beside>>> {
        let inside = || match sources {
            // Exports of labeling tools hold both.
            [only] if only.zip().is_some() && labels::inside(only).is_some() => Some(PathBuf::from(only.name())),
            _ => None,
        };
        let Some(path) = self.labels.clone().or_else(inside) else {
            return match OF_LABELS.iter().find_map(|id| given.written(id)) {
                Some(written) => Err(Error::new(&codes::ARGUMENT, format!("{written} is for --labels"))),
                None => Ok(None),
            };
        };
        if path.as_os_str() == NO_LABELS {
            return Ok(None);
        }
        let open = self.meaning.open(self.labels_from, limits, given)?.samples(sources.to_vec());
        let set = open.read(&path).map_err(|e| match self.labels {
            Some(_) => e,
            None => e.more("or leave the labels out: --labels none"),
        })?;
        Ok(Some(Arc::new(Beside::new(set, open.options().clone()).strict(self.strict))))
    }
}

/// Which options have an effect on what.
pub(super) const USES: Uses = &[
    (&["layout", "metadata", "metadata_format"], &[Route::Tbl]),
    (&["decode", "fit", "short", "resample", "fill", "orient", "exact", "max_pixels"], &[Route::Tbl]),
    (&["keep_going", "allow_empty", "class_level", "labels"], &[Route::Tbl, Route::Tar]),
    (&OF_LABELS, &[Route::Tbl, Route::Tar]),
    (&["max_sample_bytes"], &[Route::Tbl, Route::Tar, Route::Table, Route::Rows]),
    (&["compression", "level"], &[Route::Tbl, Route::Table, Route::Rows]),
    (&["columns", "lossy", "group_rows", "dialect"], &[Route::Table, Route::Rows]),
    (&["types", "schema", "null", "delimiter", "no_header", "sniff_rows"], &[Route::Table, Route::Rows]),
    (&["on_bad_row"], &[Route::Table]),
];

/// Arguments of every command that writes a dataset.
#[derive(Debug, clap::Args)]
pub(super) struct WriteArgs {
    /// TBL: layout to write.
    ///
    /// `guide` is the format guide's layout, `turboloader` that of the package.
    #[arg(long, hide_short_help = true, value_parser = word::<Layout>(), default_value = "guide")]
    layout: Layout,
    /// Compression of the output.
    ///
    /// Samples: none (default), lz4 or zstd, for payloads that shrink. Parquet: none, snappy (default), lz4 or zstd.
    /// Arrow: none, lz4 or zstd. IDV: none or deflate (default).
    #[arg(long, value_name = "CODEC", value_parser = word::<TableCompression>())]
    compression: Option<TableCompression>,
    /// Compression level: lz4 1 to 12, zstd 1 to 22, deflate 0 to 9.
    #[arg(long, value_name = "N", hide_short_help = true)]
    level: Option<u8>,
    /// Number of threads.
    #[arg(long, value_name = "N", value_parser = threads, default_value_t = all_cores())]
    workers: usize,
    /// Overwrite an existing output.
    #[arg(long, short, alias = "overwrite")]
    force: bool,
    /// Read the output back and compare before it appears.
    #[arg(long)]
    verify: bool,
    /// Do not wait until the data is on disk.
    ///
    /// The output still appears whole or not at all, unless the machine crashes.
    #[arg(long, hide_short_help = true)]
    no_sync: bool,
}

impl WriteArgs {
    /// For shards, what decides their bytes.
    pub fn shards(&self, shards: u64, to: To, limits: &Limits, metadata: MetadataFormat) -> Result<sharding::Settings> {
        let options = self.options(to, limits)?;
        let mut settings = sharding::Settings::new(shards).with_format(to);
        (settings.layout, settings.compression) = (options.layout, options.compression);
        (settings.metadata_format, settings.item_bytes) = (metadata, limits.item_bytes);
        Ok(settings)
    }

    /// For shards, what does not.
    pub fn making(&self) -> sharding::MakeOptions {
        let mut how = sharding::MakeOptions::default();
        (how.workers, how.force, how.verify, how.sync) = (self.workers, self.force, self.verify, !self.no_sync);
        how
    }

    /// Threads.
    pub fn workers(&self) -> usize {
        self.workers
    }

    /// Whether an output that exists is replaced.
    pub fn force(&self) -> bool {
        self.force
    }

    pub fn options(&self, to: To, limits: &Limits) -> Result<Options> {
        let mut options = Options::new(to);
        options.limits = limits.clone();
        options.layout = self.layout;
        let codec = match self.compression {
            None | Some(TableCompression::None) => Codec::None,
            Some(TableCompression::Lz4) => Codec::Lz4,
            Some(TableCompression::Zstd) => Codec::Zstd,
            Some(TableCompression::Packed) => Codec::Packed,
            Some(_) => {
                return Err(Error::new(&codes::ARGUMENT, "samples are compressed with lz4, zstd or packed"));
            }
        };
        options.compression = Compression::new(codec, self.level)?;
        options.workers = self.workers;
        options.force = self.force;
        options.verify = self.verify;
        options.sync = !self.no_sync;
        Ok(options)
    }
}

/// Every format that is written.
#[derive(Clone, Copy, Debug)]
enum AnyFormat {
    Samples(To),
    Table(TableFormat),
}

impl Word for AnyFormat {
    const ALL: &'static [Self] = &ANY;

    fn word(self) -> &'static str {
        match self {
            AnyFormat::Samples(to) => to.word(),
            AnyFormat::Table(format) => format.word(),
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            AnyFormat::Samples(to) => to.meaning(),
            AnyFormat::Table(format) => format.meaning(),
        }
    }
}

/// Those of samples, then those of tables.
const ANY: [AnyFormat; To::ALL.len() + TableFormat::ALL.len()] = {
    let mut all = [AnyFormat::Samples(To::Tbl); _];
    let mut i = 0;
    while i < all.len() {
        all[i] = match i < To::ALL.len() {
            true => AnyFormat::Samples(To::ALL[i]),
            false => AnyFormat::Table(TableFormat::ALL[i - To::ALL.len()]),
        };
        i += 1;
    }
    all
};

impl AnyFormat {
    fn samples(self) -> Option<To> {
        match self {
            AnyFormat::Samples(to) => Some(to),
            AnyFormat::Table(_) => None,
        }
    }
    fn table(self) -> Option<TableFormat> {
        match self {
            AnyFormat::Table(format) => Some(format),
            AnyFormat::Samples(_) => None,
        }
    }
}

/// The format to write: what the user says, else the output's extension.
pub(super) fn target(to: Option<To>, output: &Path) -> Result<To> {
    // A name such as x.tar.gz is a promise, whatever --to says.
    refuse_promise(output, "a TBL or TAR")?;
    to.or_else(|| To::from_name(output)).ok_or_else(|| {
        let message = "unknown output format; use a name that ends in .tbl or .tar, or give --to";
        Error::new(&codes::ARGUMENT, message).file(input::display(output))
    })
}

/// What the user gave with `--metadata` and `--metadata-format`.
pub(super) fn metadata(file: Option<&Path>, format: MetadataFormat, limits: &Limits) -> Result<MetadataChoice> {
    match file {
        Some(path) => {
            let bytes = fs::read(path).map_err(|e| input::io_error(&input::display(path), "read", e))?;
            MetadataChoice::parse(bytes, format, limits).map_err(|e| e.file(input::display(path)))
        }
        None => Ok(MetadataChoice::of(format)),
    }
}

/// What a conversion writes, decided before anything is read.
enum Plan {
    /// A table; of what is known of samples, or of other tables.
    Table {
        format: TableFormat,
        of_samples: bool,
    },
    Samples(To),
}

impl Args {
    /// The inputs, and the output behind them.
    fn paths(&self) -> Result<(&[PathBuf], &Path)> {
        let paths = self.output.as_ref().map(|output| (output, &self.files[..])).or(self.files.split_last());
        match paths.filter(|(_, inputs)| !inputs.is_empty()) {
            Some((output, inputs)) => Ok((inputs, output)),
            None => {
                let message = "an input and an output are required, as in: forebay convert train.tar train.tbl";
                Err(Error::new(&codes::ARGUMENT, message))
            }
        }
    }

    fn plan(&self, files: &[PathBuf], output: &Path, read: &ReadOptions) -> Result<Plan> {
        let shown = || files.first().map(|input| input::display(input)).unwrap_or_default();
        let refuse = |message: &str| Err(Error::new(&codes::ARGUMENT, message).file(shown()));
        let named = || To::from_name(output).is_none().then(|| TableFormat::from_name(output)).flatten();
        let to_table = self.to.map_or_else(named, AnyFormat::table);
        match (tables_or_samples(files, read, to_table.is_some())?, to_table) {
            (Some(_), None) => refuse(
                "this is a table; name an output ending in .csv, .jsonl (one object a line), .parquet, .arrow, .tbf or \
                 .idv, or give --to",
            ),
            (Some(_), Some(_)) if self.decode.wanted() => refuse("this is a table; --decode is for images"),
            (None, Some(_)) if files.iter().any(|file| input::is_pipe(file)) => {
                refuse("--from names the format of a pipe: csv, tsv, jsonl or arrows")
            }
            (None, Some(_)) if self.decode.wanted() => {
                refuse("a table stores no images; --decode is for writing a TBL")
            }
            (from, Some(format)) => Ok(Plan::Table { format, of_samples: from.is_none() }),
            (None, None) => Ok(Plan::Samples(target(self.to.and_then(AnyFormat::samples), output)?)),
        }
    }
}

pub(super) fn run(args: &Args, given: &Given, out: &Output) -> Result<Outcome> {
    let limits = args.limits.limits();
    let (inputs, output) = args.paths()?;
    let files = whole_sets(inputs)?;
    refuse_parts(output, files.iter().map(PathBuf::as_path))?;
    let beside =
        [args.labels.labels.as_deref(), args.labels.meaning.classes(), args.metadata.as_deref(), args.table.schema()];
    refuse_inputs(output, beside.into_iter().flatten())?;
    let mut read = args.table.options(&limits, args.table_write.lossy())?;
    match args.plan(&files, output, &read)? {
        Plan::Table { format, of_samples } => {
            given.check(USES, if of_samples { Route::Rows } else { Route::Table })?;
            let formats =
                files.iter().filter(|_| !of_samples).filter_map(|file| table::as_table(file, &read).transpose());
            given.check_formats(&formats.collect::<Result<Vec<_>>>()?, Some(format), &read)?;
            // Samples become a table of what is known of them.
            read.samples = of_samples;
            to_table(args, (files, output), read, format, out)
        }
        Plan::Samples(to) => {
            refuse_for_tar(args, to)?;
            given.check(USES, if to == To::Tar { Route::Tar } else { Route::Tbl })?;
            report(samples(args, given, &files, to)?, output, out)
        }
    }
}

fn to_table(
    args: &Args,
    (inputs, output): (Vec<PathBuf>, &Path),
    read: ReadOptions,
    format: TableFormat,
    out: &Output,
) -> Result<Outcome> {
    let common = Common {
        inputs,
        output,
        format,
        compression: args.write.compression,
        level: args.write.level,
        filter: args.filter.as_deref(),
        force: args.write.force,
        verify: args.write.verify,
        sync: !args.write.no_sync,
        workers: args.write.workers,
    };
    table::convert::run(common, read, &args.table_write, out)
}

/// Refuses what a tar archive has no place for.
fn refuse_for_tar(args: &Args, to: To) -> Result<()> {
    let message = match to {
        To::Tar if args.metadata.is_some() => "a tar archive has no place for a document; --metadata is for TBL",
        To::Tar if args.decode.wanted() => "a tar archive has no place for the size of raw pixels; decode into a .tbl",
        _ => return Ok(()),
    };
    Err(Error::new(&codes::ARGUMENT, message))
}

/// The conversion of samples to samples.
fn samples(args: &Args, given: &Given, files: &[PathBuf], to: To) -> Result<Job> {
    let limits = args.limits.limits();
    let mut options = args.write.options(to, &limits)?;
    (options.keep_going, options.allow_empty) = (args.keep_going, args.allow_empty);
    options.pixels = args.decode.pixels(&limits)?;
    options.metadata = metadata(args.metadata.as_deref(), args.metadata_format, &limits)?;
    let filter = filter(args.filter.as_deref())?;
    let stream = match files {
        [only] if !args.folder.given() => match StreamInput::open(only, &limits)? {
            None if !args.keep_going && args.labels.labels.is_none() => StreamInput::elsewhere(only, &limits)?,
            found => found,
        },
        _ => None,
    };
    let job = match stream {
        Some(stream) => {
            options.labels = args.labels.read(&[], &limits, given)?;
            Job::stream(stream, options)
        }
        None => {
            let open = |path: &PathBuf| args.folder.open(path, &limits, args.keep_going);
            let sources = files.iter().map(open).collect::<Result<Vec<_>>>()?;
            options.labels = args.labels.read(&sources, &limits, given)?;
            Job::new(sources, options)
        }
    };
    match &filter {
        Some(filter) => job.filter(filter),
        None => Ok(job),
    }
}

/// The format of the first input, if all are tables; `None` if all are samples. A Parquet file of images is what is written.
fn tables_or_samples(files: &[PathBuf], read: &ReadOptions, to_table: bool) -> Result<Option<TableFormat>> {
    let mut first = None;
    for (n, path) in files.iter().enumerate() {
        let found = if to_table { table::as_table(path, read)? } else { table::is_table(path, read)? };
        match first {
            None => first = Some(found),
            Some(before) if before.is_some() == found.is_some() => {}
            Some(before) => {
                let words = |is_table: bool| if is_table { "a table" } else { "a dataset of samples" };
                let message = format!(
                    "input {} is {}, and the first is {}: they do not become one",
                    n + 1,
                    words(found.is_some()),
                    words(before.is_some())
                );
                return Err(Error::new(&codes::ARGUMENT, message).file(input::display(path)));
            }
        }
    }
    Ok(first.flatten())
}

/// A job over one input, mapped where it can be and streamed where it must.
pub(crate) fn job(path: &Path, options: Options, limits: &Limits) -> Result<Job> {
    if let Some(stream) = StreamInput::open(path, limits)? {
        return Ok(Job::stream(stream, options));
    }
    let keep_going = options.keep_going;
    Ok(Job::new(vec![open(path, limits, keep_going)?], options))
}

/// Runs a job with progress, and prints what came of it.
pub(crate) fn report(job: Job, output: &Path, out: &Output) -> Result<Outcome> {
    let (summary, seconds) = run_job(job, output, out)?;
    print(&summary, seconds, out);
    Ok(if summary.faults.is_empty() { Outcome::Fine } else { Outcome::Damaged })
}

/// Runs a job with progress; says also how many seconds it took.
pub(super) fn run_job(job: Job, output: &Path, out: &Output) -> Result<(Summary, f64)> {
    let mut meter = Meter::new(out, "converting");
    let summary = job.run_with(output, &mut |progress| meter.update(progress))?;
    Ok((summary, meter.elapsed().as_secs_f64()))
}

/// How the output compares with the inputs, if all of these went into it.
fn saved(summary: &Summary) -> Option<(&'static str, String)> {
    if summary.input_bytes == 0 || !summary.whole || !summary.faults.is_empty() {
        return None;
    }
    let by = human::bytes(summary.saved().unsigned_abs());
    let percent = 100.0 * summary.saved().unsigned_abs() as f64 / summary.input_bytes as f64;
    Some((if summary.saved() < 0 { "larger by" } else { "saved" }, format!("{by} ({percent:.2} %)")))
}

/// The result of converting samples.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Convert"))]
pub(in crate::command) struct Converted<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    /// Bytes of the payloads for each stored byte.
    ratio: f64,
    /// How long it took.
    seconds: f64,
    /// How many samples a second.
    samples_per_second: f64,
    /// What was asked of stores and servers, if anything was.
    #[serde(skip_serializing_if = "Option::is_none")]
    network: Option<Traffic>,
}

pub(super) fn print(summary: &Summary, seconds: f64, out: &Output) {
    let row = |label: &str, value: String| out.note(format!("{label:<14}{value}"));
    if summary.output == input::PIPE {
        // The output itself goes there; what it lacks is said beside it.
        summary.faults.iter().for_each(|fault| row("left out", describe(fault)));
        return;
    }
    let rate = summary.samples as f64 / seconds.max(1e-6);
    if out.json() {
        let (ratio, network) = (summary.ratio(), asked());
        return out.value(&Converted { summary, ratio, seconds, samples_per_second: rate, network });
    }
    let inputs = summary.inputs.join(", ");
    row("input", format!("{inputs} ({})", human::bytes(summary.input_bytes)));
    row("output", format!("{} ({})", summary.output, human::bytes(summary.output_bytes)));
    row("samples", human::count(summary.samples));
    if let Some(mean) = summary.payload_bytes.checked_div(summary.samples) {
        row("mean size", human::bytes(mean));
    }
    row(
        "ratio",
        format!("{:.3} ({} of {} samples compressed)", summary.ratio(), summary.compressed_samples, summary.samples),
    );
    if let Some((label, value)) = saved(summary) {
        row(label, value);
    }
    if summary.verified > 0 {
        row("verified", format!("{} payloads read back equal", human::count(summary.verified)));
    }
    if summary.skipped_members > 0 {
        row(
            "skipped",
            format!("{} files, folders and links that are not samples", human::count(summary.skipped_members)),
        );
    }
    let bytes = human::bytes((summary.payload_bytes as f64 / seconds.max(1e-6)) as u64);
    row("throughput", format!("{} samples/s, {bytes}/s", human::count(rate as u64)));
    row("elapsed", format!("{seconds:.2} s"));
    if let Some(labels) = &summary.labels {
        print_labels(labels, &row);
    }
    summary.notes.iter().for_each(|note| row("note", note.clone()));
    for fault in &summary.faults {
        row("left out", describe(fault));
    }
}

/// What became of the labels.
fn print_labels(labels: &Attached, row: &dyn Fn(&str, String)) {
    let (samples, annotations) = (human::count(labels.samples), human::count(labels.annotations));
    row("labels", format!("{annotations} annotations ({}) in {samples} samples", labels.format));
    let some = |names: &[String], count: u64| {
        let more = if count > names.len() as u64 { ", ..." } else { "" };
        format!("{}{more}", names.join(", "))
    };
    let count = |n: u64, what: &str| {
        if n > 0 {
            row("", format!("{} {what}", human::count(n)));
        }
    };
    let named = |n: u64, what: &str, names: &[String]| count(n, &format!("{what}: {}", some(names, n)));
    named(labels.unmatched, "samples that the labels do not name", &labels.unmatched_names);
    named(labels.missing, "labeled images without a sample", &labels.missing_names);
    count(labels.unlabelled, "samples that nobody has labeled");
    count(labels.replaced, "samples had annotations before, which were replaced");
    for (word, n) in &labels.notes {
        let cause = Cause::ALL.iter().find(|cause| cause.word() == *word);
        cause.iter().for_each(|cause| count(*n, cause.meaning()));
    }
    for (word, n) in &labels.losses {
        let loss = Loss::ALL.iter().find(|loss| loss.word() == *word);
        loss.iter().for_each(|loss| row("lost", format!("{} {}", human::count(*n), loss.meaning())));
    }
}
