//! Every fault of a file, found on all cores.

use std::{
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use bytes::Bytes;
use forebay::{
    Error, Result,
    check::Report,
    error,
    image::decode::{self, Decoder},
    sample::MediaFormat,
    warehouse::{self, Warehouse},
};

use crate::{
    dataset::{Dataset, release},
    input::{Input, is_of_source},
    parallel::{all_cores, ordered},
    shards::{GLANCE, stale},
};

/// Bytes of a gap that are looked at in one piece.
const PIECE: u64 = 8 << 20;

/// How to check.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CheckOptions {
    /// Threads.
    pub workers: usize,
    /// Decode every picture too, from the first line to the last, in this way.
    pub decode: Option<decode::Options>,
}

impl Default for CheckOptions {
    /// All cores, nothing decoded.
    fn default() -> Self {
        CheckOptions { workers: all_cores(), decode: None }
    }
}

/// Checks an opened dataset: structure first, then every payload on `workers` threads, then the metadata.
/// `progress` hears how many samples were checked.
pub fn check(dataset: &Dataset, workers: usize, progress: &mut dyn FnMut(u64)) -> Result<Report> {
    check_with(dataset, &CheckOptions { workers, ..CheckOptions::default() }, progress)
}

/// As [`check`], with options.
pub fn check_with(dataset: &Dataset, options: &CheckOptions, progress: &mut dyn FnMut(u64)) -> Result<Report> {
    if let (Some(input), Some(warehouse)) = (dataset.input(), dataset.warehouse()) {
        return check_shards(input, warehouse, options.workers, progress);
    }
    let (mut report, mut rest) = begin(dataset);
    check_around(dataset, &mut report, &mut rest)?;
    check_samples(dataset, options, &mut report, progress)?;
    report.merge(rest);
    Ok(report)
}

/// Checks the manifest and every shard of a warehouse.
fn check_shards(input: &Input, warehouse: &Warehouse, workers: usize, progress: &mut dyn FnMut(u64)) -> Result<Report> {
    let shards = warehouse.shards();
    let mut report = Report::new(warehouse.len());
    let manifest = Path::new(input.name());
    let stale = manifest.parent().and_then(|folder| stale(folder, warehouse.manifest(), GLANCE));
    stale.into_iter().for_each(|said| report.note(&Error::new(&error::codes::NOTE, said)));
    // A warehouse without shards still has a manifest.
    let parts = shards.len().max(1);
    let window = |k: &usize| shards.get(*k).map_or(0, |shard| shard.range().end - shard.range().start).min(PIECE);
    let work = |k: usize| input.drive(&mut warehouse::Checker::part(warehouse, k..k + 1).with_window(PIECE), |_| 0);
    let mut checked = 0;
    ordered((0..parts).map(Ok), window, workers, work, |chunk| {
        for found in chunk {
            report.merge(found?);
            if let Some(shard) = shards.get(checked) {
                input.release(shard.range());
                progress(shard.samples().end);
            }
            checked += 1;
        }
        Ok(())
    })?;
    Ok(report)
}

/// All of a check but what it finds in payloads.
pub(crate) fn check_structure(dataset: &Dataset) -> Result<Report> {
    let (mut report, mut rest) = begin(dataset);
    check_around(dataset, &mut report, &mut rest)?;
    report.merge(rest);
    Ok(report)
}

/// What stands before the samples in a report, and what behind them.
fn begin(dataset: &Dataset) -> (Report, Report) {
    let rest = Report::new(dataset.len());
    let mut report = dataset.container().map_or_else(|| rest.clone(), |found| found.report(dataset.stopped()));
    dataset.notes_on_samples().into_iter().for_each(|said| report.note(&Error::new(&error::codes::NOTE, said)));
    (report, rest)
}

/// All of a TBL but its samples.
fn check_around(dataset: &Dataset, report: &mut Report, rest: &mut Report) -> Result<()> {
    let (Some(input), Some(tbl)) = (dataset.input(), dataset.tbl()) else { return Ok(()) };
    for gap in tbl.check_index(report) {
        let mut at = gap.range.start;
        while at < gap.range.end {
            let range = at..gap.range.end.min(at + PIECE);
            at = range.end;
            // One fault a gap is enough.
            if !tbl.check_gap(&gap, range.start, &input.lend(range)?, rest) {
                break;
            }
        }
    }
    let header = tbl.header();
    let slice =
        |range: &Option<std::ops::Range<u64>>| range.clone().map_or_else(|| Ok(Default::default()), |r| input.slice(r));
    tbl.check_metadata(&slice(&header.metadata)?, &slice(&header.sample_index)?, rest);
    Ok(())
}

fn check_samples(
    dataset: &Dataset,
    options: &CheckOptions,
    report: &mut Report,
    progress: &mut dyn FnMut(u64),
) -> Result<()> {
    let pictures = options.decode.as_ref().map(Pictures::new);
    let work = |i: u64| check_sample(dataset, i, pictures.as_ref());
    let weigh = |i: &u64| dataset.weight(*i);
    let shared = Arc::new(dataset.clone());
    let mut checked = 0;
    ordered((0..dataset.len()).map(Ok), weigh, dataset.threads(options.workers), work, |chunk| {
        let seen = checked..checked + chunk.len() as u64;
        checked = seen.end;
        release(seen.map(|i| Some((shared.clone(), dataset.stored_range(i)?))));
        for outcome in chunk {
            // What could not be read is not the file's fault.
            let outcome = match outcome {
                Err(e) if is_of_source(&e) => return Err(e),
                outcome => outcome,
            };
            for found in report.keep(outcome).into_iter().flatten() {
                match found {
                    Outcome::Fault(e) => report.fault(&e),
                    Outcome::Note(e) => report.note(&e),
                }
            }
        }
        progress(checked);
        Ok(())
    })?;
    if let Some(pictures) = pictures {
        report.decoded = Some(pictures.decoded.into_inner());
        let other = pictures.other.into_inner();
        if other > 0 {
            let message = match other {
                1 => "1 sample is not an image that is decoded here, and only its bytes were checked".to_owned(),
                n => format!("{n} samples are not images that are decoded here, and only their bytes were checked"),
            };
            report.note(&Error::new(&error::codes::NOTE, message));
        }
    }
    Ok(())
}

fn check_sample(dataset: &Dataset, i: u64, pictures: Option<&Pictures>) -> Result<Vec<Outcome>> {
    let mut found = Vec::new();
    match (dataset.input(), dataset.tbl()) {
        (Some(input), Some(tbl)) => {
            // An entry that cannot be planned was reported with the index.
            let Ok(plan) = tbl.plan(i) else { return Ok(found) };
            match tbl.check_sample(i, &input.lend(plan.range()).map_err(|e| e.sample(i))?) {
                Ok(odd) => found.extend(odd.map(Outcome::Note)),
                // What does not come out of the file is not a picture either.
                Err(e) => return Ok(vec![Outcome::Fault(e)]),
            }
        }
        // Neither TARs nor folders have checksums: that the bytes can be read is all there is to say. A ZIP has one of
        // every file, sidecars too.
        (Some(_), None) if dataset.zip().is_some() => {
            let name = dataset.zip().and_then(|zip| zip.name(i)).unwrap_or_default();
            dataset.payload(i).map_err(|e| e.member(name))?;
            dataset.record(i)?;
        }
        (Some(_), None) if dataset.door().is_some() => {
            dataset.payload(i)?;
            dataset.record(i)?;
        }
        (Some(_), None) => {}
        _ => drop(dataset.payload(i)?),
    }
    if let Some(pictures) = pictures
        && let Err(e) = pictures.decode(dataset, i)
    {
        let member =
            dataset.container().and_then(|c| c.file_name(i)).or(dataset.folder().and_then(|f| f.sample_name(i)));
        let e = e.sample(i);
        if is_of_source(&e) {
            return Err(e);
        }
        found.push(Outcome::Fault(match member {
            Some(name) => e.member(name),
            None => e,
        }));
    }
    Ok(found)
}

/// What was found in a sample.
enum Outcome {
    Fault(Error),
    Note(Error),
}

/// Decodes pictures to see whether they can be.
struct Pictures {
    options: decode::Options,
    /// Decoders for as many threads as ask at once; each keeps its buffers from picture to picture.
    idle: Mutex<Vec<Decoder>>,
    decoded: AtomicU64,
    /// Samples that are not pictures.
    other: AtomicU64,
}

impl Pictures {
    fn new(options: &decode::Options) -> Self {
        // All of it, as it is stored: parts and reduced sizes are had without looking at the rest.
        let mut options = options.clone();
        (options.at_least, options.region) = (None, None);
        Pictures { options, idle: Mutex::default(), decoded: AtomicU64::new(0), other: AtomicU64::new(0) }
    }

    fn decode(&self, dataset: &Dataset, i: u64) -> Result<()> {
        let info = dataset.info(i)?;
        let payload: Bytes = dataset.payload(i)?;
        let seen = forebay::image::probe(&payload).format;
        let raw = (info.format == MediaFormat::RawU8).then_some((info.width, info.height));
        let is_picture = |format| {
            use MediaFormat::{Bmp, Jpeg, Png, Tiff, WebP};
            matches!(format, Jpeg | Png | WebP | Bmp | Tiff)
        };
        if raw.is_none() && !is_picture(seen) && !is_picture(info.format) {
            self.other.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        }
        // A thread that panicked while it held the lock had no time to leave anything half done.
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut decoder = taken.unwrap_or_default();
        let done = decoder.decode(&payload, raw, &self.options).map(drop);
        idle().push(decoder);
        done?;
        self.decoded.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}
