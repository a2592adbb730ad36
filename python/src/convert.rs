//! Converting: samples into a TBL or TAR, tables into any table format, samples into a table of what is known of them.

use std::path::{Path, PathBuf};

use forebay::{
    Error, Limits, Result,
    codec::{Codec, Compression},
    error::codes::ARGUMENT,
    filter::Filter,
    image::transform::Fit,
    samples::MetadataChoice,
    words::Word,
};
use forebay_native::{
    Dataset, OpenOptions,
    convert::{Job, Options, Pixels, StreamInput, To},
    input::expand,
    tables::{TableCompression, TableFormat, TableJob, rows_format, table_format},
};
use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    options::{optional, parse, scan, word},
    table,
    wait::{Wire, long},
};

/// How to convert. What is not given is the library's default.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Wanted {
    to: Option<String>,
    #[serde(rename = "where")]
    filter: Option<String>,
    compression: Option<String>,
    level: Option<u8>,
    layout: Option<String>,
    metadata: Option<Value>,
    metadata_format: Option<String>,
    size: Option<(u32, u32)>,
    fit: Option<String>,
    columns: Option<Vec<String>>,
    /// The numbers of the samples; all where they are not given.
    chosen: Option<Vec<u64>>,
    workers: Option<usize>,
    force: bool,
    verify: bool,
    keep_going: bool,
    allow_empty: bool,
    lossy: bool,
    sync: Option<bool>,
    /// How tables are read.
    table: Option<table::Wanted>,
}

/// Converts; what was done as JSON text.
#[pyfunction]
pub(crate) fn convert(
    py: Python<'_>,
    inputs: Vec<String>,
    output: PathBuf,
    options: String,
    metadata: Option<Vec<u8>>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    long(py, progress, move |wire| {
        let wanted: Wanted = parse(&options)?;
        let mut inputs = expand(&inputs)?;
        // `expand` keeps the order of what it was given.
        inputs.dedup();
        run(inputs, &output, &wanted, metadata, wire).map(|summary| summary.to_string())
    })
}

fn run(inputs: Vec<PathBuf>, output: &Path, wanted: &Wanted, metadata: Option<Vec<u8>>, wire: &Wire) -> Result<Value> {
    let samples = match &wanted.to {
        Some(to) => To::from_word(to),
        None => To::from_name(output),
    };
    // A Parquet file of images is what is written.
    let format_of = if samples.is_some() { rows_format } else { table_format };
    let mut tables = 0;
    for input in &inputs {
        tables += usize::from(format_of(input)?.is_some());
    }
    if tables > 0 && tables < inputs.len() {
        return Err(Error::new(&ARGUMENT, "some inputs are tables and some are samples: they do not become one"));
    }
    if let (Some(to), 0) = (samples, tables) {
        return into_samples(inputs, output, to, wanted, metadata, wire);
    }
    let format = match &wanted.to {
        Some(to) => TableFormat::from_word(to),
        None => TableFormat::from_name(output),
    };
    let Some(format) = format else {
        let known = To::ALL.iter().map(|to| to.word()).chain(TableFormat::ALL.iter().map(|to| to.word()));
        let known = known.collect::<Vec<_>>().join(", ");
        let message = match tables {
            0 => format!("the output's name does not name a format; `to` is one of {known}"),
            _ => "these are tables, and what is to be written holds samples".to_owned(),
        };
        return Err(Error::new(&ARGUMENT, message));
    };
    into_table(inputs, output, format, tables == 0, wanted, wire)
}

fn into_samples(
    inputs: Vec<PathBuf>,
    output: &Path,
    to: To,
    wanted: &Wanted,
    metadata: Option<Vec<u8>>,
    wire: &Wire,
) -> Result<Value> {
    refuse("columns", wanted.columns.is_some())?;
    refuse("lossy", wanted.lossy)?;
    refuse("table", wanted.table.is_some())?;
    let limits = Limits::host();
    let mut options = Options::new(to);
    if let Some(layout) = optional("layout", wanted.layout.as_deref())? {
        options.layout = layout;
    }
    options.compression = compression(wanted.compression.as_deref(), wanted.level)?;
    let format = optional("metadata_format", wanted.metadata_format.as_deref())?.unwrap_or_default();
    options.metadata = match (metadata, &wanted.metadata) {
        (Some(bytes), _) => MetadataChoice::parse(bytes, format, &limits)?,
        (None, Some(value)) => {
            // The user's object is JSON whatever it becomes in the file.
            let mut choice = MetadataChoice::parse(value.to_string().into_bytes(), Default::default(), &limits)?;
            choice.format = format;
            choice
        }
        (None, None) => MetadataChoice::of(format),
    };
    if let Some((width, height)) = wanted.size {
        let mut pixels = Pixels::new(width, height);
        pixels.fit = Fit::named(wanted.fit.as_deref().unwrap_or("stretch"), None, (width, height))?;
        options.pixels = Some(pixels);
    }
    options.workers = wanted.workers.unwrap_or(options.workers);
    options.sync = wanted.sync.unwrap_or(options.sync);
    (options.force, options.verify) = (wanted.force, wanted.verify);
    (options.keep_going, options.allow_empty) = (wanted.keep_going, wanted.allow_empty);
    let mut job = match inputs.as_slice() {
        [only] if wanted.chosen.is_some() => Job::new(vec![open(only, wanted)?], options),
        [only] => {
            let stream = match StreamInput::open(only, &limits)? {
                None if !wanted.keep_going => StreamInput::elsewhere(only, &limits)?,
                found => found,
            };
            match stream {
                Some(stream) => Job::stream(stream, options),
                None => Job::new(vec![open(only, wanted)?], options),
            }
        }
        many => Job::new(many.iter().map(|path| open(path, wanted)).collect::<Result<_>>()?, options),
    };
    if let Some(chosen) = &wanted.chosen {
        job = job.select(chosen.iter().map(|i| (0, *i)).collect());
    }
    if let Some(filter) = &wanted.filter {
        job = job.filter(&Filter::parse(filter)?)?;
    }
    let summary = job.run_with(output, &mut |progress| wire.tell(progress.samples, progress.total))?;
    let mut value = json!(summary);
    value["ratio"] = summary.ratio().into();
    Ok(value)
}

fn open(path: &Path, wanted: &Wanted) -> Result<Dataset> {
    let mut options = OpenOptions::default();
    options.keep_going = wanted.keep_going;
    Dataset::open_with(path, &options)
}

/// How samples are compressed.
pub(crate) fn compression(given: Option<&str>, level: Option<u8>) -> Result<Compression> {
    let codec = match given {
        None | Some("none") => Codec::None,
        Some("lz4") => Codec::Lz4,
        Some("zstd") => Codec::Zstd,
        Some("packed") => Codec::Packed,
        Some(other) => {
            let message = format!("compression of samples is one of none, lz4, zstd, packed, not {other:?}");
            return Err(Error::new(&ARGUMENT, message));
        }
    };
    Compression::new(codec, level)
}

fn into_table(
    inputs: Vec<PathBuf>,
    output: &Path,
    format: TableFormat,
    samples: bool,
    wanted: &Wanted,
    wire: &Wire,
) -> Result<Value> {
    refuse("metadata", wanted.metadata.is_some() || wanted.metadata_format.is_some())?;
    refuse("size", wanted.size.is_some() || wanted.fit.is_some())?;
    refuse("layout", wanted.layout.is_some())?;
    refuse("keep_going", wanted.keep_going)?;
    refuse("a selection of samples", wanted.chosen.is_some())?;
    let mut job = TableJob::new(inputs, format);
    job.scan = scan(wanted.columns.clone(), wanted.filter.as_deref())?;
    if let Some(table) = &wanted.table {
        job.read = table.read()?;
    }
    (job.read.samples, job.read.lossy) = (samples, wanted.lossy);
    job.write.core.lossy = wanted.lossy;
    job.write.level = wanted.level;
    job.write.compression =
        wanted.compression.as_deref().map(|given| word::<TableCompression>("compression", given)).transpose()?;
    if let Some(workers) = wanted.workers {
        (job.read.workers, job.write.workers) = (workers, workers);
    }
    (job.force, job.verify) = (wanted.force, wanted.verify);
    job.sync = wanted.sync.unwrap_or(job.sync);
    let summary = job.run_with(output, &mut |progress| wire.tell(progress.samples, progress.total))?;
    Ok(json!(summary))
}

/// An option that has no effect here is a mistake.
fn refuse(option: &str, given: bool) -> Result<()> {
    match given {
        true => Err(Error::new(&ARGUMENT, format!("`{option}` has no effect on this conversion"))),
        false => Ok(()),
    }
}
