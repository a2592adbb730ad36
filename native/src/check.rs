//! Every fault of a file, found on all cores.

use std::sync::Arc;

use forebay::{Error, Result, check::Report, error};

use crate::{
    convert::{pipeline::ordered, release},
    dataset::Dataset,
};

/// Bytes of a gap that are looked at in one piece.
const PIECE: u64 = 8 << 20;

/// Checks an opened dataset: structure first, then every payload on `workers` threads, then the metadata.
/// `progress` hears how many samples were checked.
pub fn check(dataset: &Dataset, workers: usize, progress: &mut dyn FnMut(u64)) -> Result<Report> {
    let mut report = Report::new(dataset.len());
    if let Some(e) = dataset.damage() {
        report.fault(e);
    }
    let mut gaps = Vec::new();
    if let Some(tbl) = dataset.tbl() {
        gaps = tbl.check_index(&mut report);
    }
    if let Some(note) = dataset.tar().and_then(|tar| tar.archive().ending.note()) {
        report.note(&Error::new(&error::codes::NOTE, note));
    }
    check_samples(dataset, workers, &mut report, progress)?;
    if let (Some(input), Some(tbl)) = (dataset.input(), dataset.tbl()) {
        for gap in gaps {
            let mut at = gap.start;
            while at < gap.end {
                let range = at..gap.end.min(at + PIECE);
                at = range.end;
                // One fault a gap is enough.
                if report.keep(tbl.check_gap(range.start, &input.slice(range)?)).is_none() {
                    break;
                }
            }
        }
        let header = tbl.header();
        let slice = |range: &Option<std::ops::Range<u64>>| {
            range.clone().map_or_else(|| Ok(Default::default()), |r| input.slice(r))
        };
        tbl.check_metadata(&slice(&header.metadata)?, &slice(&header.sample_index)?, &mut report);
    }
    Ok(report)
}

fn check_samples(dataset: &Dataset, workers: usize, report: &mut Report, progress: &mut dyn FnMut(u64)) -> Result<()> {
    let work = |i: u64| -> Result<Option<Error>> {
        match (dataset.input(), dataset.tbl()) {
            (Some(input), Some(tbl)) => {
                // An entry that cannot be planned was reported with the index.
                let Ok(plan) = tbl.plan(i) else { return Ok(None) };
                tbl.check_sample(i, &input.slice(plan.range())?)
            }
            // Neither archives nor folders have checksums: that the bytes can be read is all there is to say.
            (Some(_), None) => Ok(None),
            _ => dataset.payload(i).map(|_| None),
        }
    };
    let weigh = |i: &u64| dataset.stored_range(*i).map_or(0, |r| r.end - r.start);
    let shared = Arc::new(dataset.clone());
    let mut checked = 0;
    ordered((0..dataset.len()).map(Ok), weigh, workers, work, |chunk| {
        let seen = checked..checked + chunk.len() as u64;
        checked = seen.end;
        release(seen.map(|i| Some((shared.clone(), dataset.stored_range(i)?))));
        for outcome in chunk {
            if let Some(odd) = report.keep(outcome).flatten() {
                report.note(&odd);
            }
        }
        progress(checked);
        Ok(())
    })
}
