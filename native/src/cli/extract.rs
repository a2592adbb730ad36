//! `forebay extract`: samples become files again.

use std::{
    io::{IoSlice, Write},
    path::{Path, PathBuf},
};

use forebay::{
    Error, Result,
    error::codes,
    filter::Filter,
    record::{RestoredFile, files},
};
use serde_json::json;

use super::{
    Outcome, Output,
    filtering::{LimitArgs, filter, open},
    human,
    progress::Meter,
};
use crate::{
    dataset::Dataset,
    input::{self, PIPE},
    output::{AtomicFile, Beneath, Names, Written},
    select::accepts,
};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The dataset.
    file: PathBuf,
    /// One sample, by its number.
    #[arg(short, long, required_unless_present = "all", conflicts_with = "all")]
    index: Option<u64>,
    /// The file for the one sample's payload, or - for standard output.
    #[arg(short, long, requires = "index")]
    output: Option<PathBuf>,
    /// Every sample with its sidecars, under the names that they had.
    #[arg(long, requires = "to")]
    all: bool,
    /// The folder to write into. It is made if it does not exist.
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
    /// With --all: only samples that this filter accepts.
    #[arg(long = "where", value_name = "FILTER", requires = "all")]
    filter: Option<String>,
    /// Replace files that exist.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    limits: LimitArgs,
}

pub(super) fn run(args: &Args, out: &Output) -> Result<Outcome> {
    let dataset = open(&args.file, &args.limits.limits(), false)?;
    match (args.index, &args.to) {
        (Some(i), None) => one(&dataset, i, args, out),
        (Some(i), Some(folder)) => {
            let written = Target::open(folder, args.force)?.write(&dataset, i)?;
            done(out, 1, written, folder)
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
        let failed = |e| input::io_error("stdout", "write", e);
        let mut out = std::io::stdout().lock();
        out.write_all(&payload).and_then(|()| out.flush()).map_err(failed)?;
        return Ok(Outcome::Fine);
    }
    write_file(&target, &payload, args.force)?;
    if out.json() {
        out.value(&json!({ "i": i, "file": target.display().to_string(), "bytes": payload.len() }));
    } else if out.verbose() {
        out.note(format!("{}: {}", target.display(), human::bytes(payload.len() as u64)));
    }
    Ok(Outcome::Fine)
}

fn all(dataset: &Dataset, folder: &Path, args: &Args, out: &Output) -> Result<Outcome> {
    let filter = filter(args.filter.as_deref())?;
    filter.iter().try_for_each(Filter::check_for_samples)?;
    let mut meter = Meter::new(out, "extracting");
    let mut target = Target::open(folder, args.force)?;
    let (mut samples, mut written) = (0, 0);
    for i in 0..dataset.len() {
        if let Some(filter) = &filter
            && !accepts(dataset, i, filter)?
        {
            continue;
        }
        written += target.write(dataset, i)?;
        samples += 1;
        meter.samples(i + 1, dataset.len());
    }
    drop(meter);
    done(out, samples, written, folder)
}

fn done(out: &Output, samples: u64, files: u64, folder: &Path) -> Result<Outcome> {
    if out.json() {
        out.value(&json!({ "samples": samples, "files": files, "folder": folder.display().to_string() }));
    } else {
        out.note(format!("{} samples, {} files in {}", human::count(samples), human::count(files), folder.display()));
    }
    Ok(Outcome::Fine)
}

/// The folder that samples go to.
struct Target {
    folder: Beneath,
    force: bool,
    names: Names,
}

impl Target {
    fn open(folder: &Path, force: bool) -> Result<Target> {
        Ok(Target { folder: Beneath::open(folder)?, force, names: Names::default() })
    }

    /// Writes a sample's files; returns how many. Nothing leaves the folder, whatever the names say.
    fn write(&mut self, dataset: &Dataset, i: u64) -> Result<u64> {
        let extension = dataset.info(i)?.format.extension();
        let files = match dataset.record(i)? {
            Some(record) => files(&record, i, extension).map_err(|e| e.file(dataset.name()))?,
            None => vec![RestoredFile { name: format!("{i:08}.{extension}"), content: None }],
        };
        let payload = dataset.payload(i)?;
        for file in &files {
            let content = file.content.as_deref().unwrap_or(&payload);
            let (folder, force) = (&mut self.folder, self.force);
            // The file system may take names for the same that are not, such as those that differ in case.
            let write = |path: &Path| Ok(folder.write(path, content, force)? == Written::Whole);
            self.names.give(&file.name, i, write).map_err(|e| match e.code() == &forebay::record::codes::NAME {
                true => e.sample(i).file(dataset.name()),
                false => e,
            })?;
        }
        Ok(files.len() as u64)
    }
}

fn write_file(path: &Path, bytes: &[u8], force: bool) -> Result<()> {
    let mut file = AtomicFile::create(path, force)?;
    file.append(&mut [IoSlice::new(bytes)])?;
    // Thousands of small files: waiting for the disk after each would take minutes.
    file.commit(false)
}
