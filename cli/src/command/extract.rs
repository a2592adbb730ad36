//! `forebay extract`: samples become files again.

use std::{
    io::{IoSlice, Write},
    path::{Path, PathBuf},
};

use forebay::{Error, Result, error::codes};
use forebay_native::{
    dataset::Dataset,
    extract::Target,
    input::{self, PIPE},
    output::{AtomicFile, refuse_inputs},
    select::matching,
};
use serde::Serialize;

use super::filtering::{LimitArgs, filter, open};
use crate::{exit::Outcome, human, output::Output, progress::Meter};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Dataset to extract from.
    file: PathBuf,
    /// Extract the sample with this number.
    #[arg(short, long, value_name = "N", conflicts_with = "all")]
    index: Option<u64>,
    /// Output file for that sample, or - for standard output.
    #[arg(short, long, value_name = "FILE", requires = "index", conflicts_with = "to")]
    output: Option<PathBuf>,
    /// Extract all samples and their sidecar files.
    ///
    /// They keep their original names.
    #[arg(long, requires = "to")]
    all: bool,
    /// Output folder; created if it does not exist.
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
    /// With --all, use only samples that match: 'width >= 224'.
    #[arg(long = "where", alias = "filter", value_name = "FILTER", requires = "all", conflicts_with = "index")]
    filter: Option<String>,
    /// Overwrite existing files.
    #[arg(long, short, alias = "overwrite")]
    force: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    if args.index.is_none() && !args.all {
        let file = input::display(&args.file);
        let message = format!(
            "say which samples: one by its number, forebay extract {file} -i 17 -o 17.jpg, or all of them: forebay extract \
             {file} --all --to folder"
        );
        return Err(Error::new(&codes::ARGUMENT, message));
    }
    let dataset = open(&args.file, &args.limits.limits(), false)?;
    match (args.index, &args.to) {
        (Some(i), None) => one(&dataset, i, args, out),
        (Some(i), Some(folder)) => {
            let mut target = Target::open(folder, args.force)?;
            target.write(&dataset, i)?;
            done(target, out, 1, folder)
        }
        (None, Some(folder)) => all(&dataset, folder, args, out),
        (None, None) => Err(Error::new(&codes::ARGUMENT, "say which sample: -i NUMBER, or --all --to FOLDER")),
    }
}

fn one(dataset: &Dataset, i: u64, args: &Args, out: &Output) -> Result<Outcome> {
    let payload = dataset.payload(i)?;
    let target = match &args.output {
        Some(path) => path.clone(),
        None => PathBuf::from(format!("{i:08}.{}", dataset.info(i)?.format.extension())),
    };
    if target.as_os_str() == PIPE {
        // Not printed: a reader that goes away would be no fault, and these bytes are the output itself.
        let failed = |e| input::io_error("stdout", "write", e);
        let mut out = std::io::stdout().lock();
        out.write_all(&payload).and_then(|()| out.flush()).map_err(failed)?;
        return Ok(Outcome::Fine);
    }
    refuse_inputs(&target, [Path::new(dataset.name())])?;
    write_file(&target, &payload, args.force)?;
    if out.json() {
        out.value(&Extracted { i, file: input::display(&target), bytes: payload.len() });
    } else if args.output.is_none() {
        // Nobody could know the name, which has the number and the format.
        out.line(format!("{}: {}", input::display(&target), human::bytes(payload.len() as u64)));
    } else if out.verbose() {
        out.note(format!("{}: {}", input::display(&target), human::bytes(payload.len() as u64)));
    }
    Ok(Outcome::Fine)
}

fn all(dataset: &Dataset, folder: &Path, args: &Args, out: &Output) -> Result<Outcome> {
    // All are looked at first: a filter that cannot mean anything is refused before the first file is written.
    let chosen = filter(args.filter.as_deref())?.map(|filter| matching(dataset, &filter)).transpose()?;
    let samples = chosen.as_ref().map_or(dataset.len(), |chosen| chosen.len() as u64);
    let mut meter = Meter::new(out, "extracting");
    let mut target = Target::open(folder, args.force)?;
    let numbers: Box<dyn Iterator<Item = u64>> = match chosen {
        Some(chosen) => Box::new(chosen.into_iter()),
        None => Box::new(0..samples),
    };
    for (done, i) in (1..).zip(numbers) {
        target.write(dataset, i)?;
        meter.count(done, samples);
    }
    drop(meter);
    done(target, out, samples, folder)
}

/// A sample that was written as a file.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Extract"))]
pub(super) struct Extracted {
    /// The sample's number.
    i: u64,
    /// The file.
    file: String,
    /// Its bytes.
    bytes: usize,
}

/// Samples that were written as files.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ExtractAll"))]
pub(super) struct ExtractedAll {
    /// How many samples.
    samples: u64,
    /// How many files, those of metadata included.
    files: u64,
    /// Files that did not get the name that their sample has.
    renamed: u64,
    /// The folder that they lie in.
    folder: String,
    /// Things worth knowing.
    notes: Vec<String>,
}

/// Says what was written.
fn done(target: Target, out: &Output, samples: u64, folder: &Path) -> Result<Outcome> {
    let (files, renamed) = (target.files(), target.renamed());
    let notes = target.notes();
    if out.json() {
        out.value(&ExtractedAll { samples, files, renamed, folder: input::display(folder), notes });
    } else {
        let (of, files) = (human::count(samples), human::count(files));
        out.note(format!("{of} samples, {files} files in {}", input::display(folder)));
        notes.iter().for_each(|note| out.note(format!("note: {note}")));
    }
    Ok(Outcome::Fine)
}

/// How files begin that are compressed as a whole.
const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

fn write_file(path: &Path, bytes: &[u8], force: bool) -> Result<()> {
    // A file that is compressed may be called as such.
    let mut file = match bytes.starts_with(&GZIP) || bytes.starts_with(&ZSTD) {
        true => AtomicFile::create_as_named(path, force)?,
        false => AtomicFile::create(path, force)?,
    };
    file.append(&mut [IoSlice::new(bytes)])?;
    // Thousands of small files: waiting for the disk after each would take minutes.
    file.commit(false)
}
