//! A new file with the changes of a journal.

use std::{io::IoSlice, path::Path, sync::Arc};

use bytes::Bytes;
use forebay::{
    Error, Result,
    edits::{Apply, Edited, Landing, Piece},
    error::codes::ARGUMENT,
    step::Turn,
};

use super::{
    Applied, ApplyOptions, blobs_of, check_blobs,
    opened::{Opened, open},
    rewrite,
};
use crate::{
    convert::{Progress, To, apply_patches},
    dataset::Dataset,
    input::{Input, WINDOW, display},
    output::{AtomicFile, Spool, refuse_inputs, refuse_parts},
};

/// Says what applying would do, and refuses what it would refuse before it writes.
pub fn plan(dataset: &Path, journal: &Path, in_place: bool, options: &ApplyOptions) -> Result<Applied> {
    let Opened { dataset, edited, blobs, mut applied } = open(dataset, journal, options)?;
    if dataset.tbl().is_some() || in_place {
        plan_tbl(&dataset, &edited, &blobs, in_place)?;
    }
    make_records(&dataset, &edited)?;
    check_blobs(journal, edited.journal())?;
    applied.output_bytes = 0;
    Ok(applied)
}

/// Makes everything that changes, and keeps none of it: what has no place in a record is refused only then.
fn make_records(dataset: &Dataset, edited: &Edited) -> Result<()> {
    let named = |e: Error| e.file(dataset.name());
    for (id, sample) in (0..edited.len()).map_while(|id| Some((id, edited.at(id)?))) {
        let is_added = edited.added(sample).is_some();
        if is_added || edited.touches(sample) {
            let before = if is_added { None } else { dataset.changeable_record(sample)? };
            edited.record(sample, id, before.as_deref()).map_err(named)?;
        }
    }
    if edited.touches_document() {
        edited.document(dataset.document()?).map_err(named)?;
    }
    Ok(())
}

pub(super) fn plan_tbl(dataset: &Dataset, edited: &Arc<Edited>, blobs: &Input, in_place: bool) -> Result<Apply> {
    let Some(container) = dataset.container() else {
        let message = "a folder is not changed in place; write a new file";
        return Err(Error::new(&forebay::edits::codes::CANNOT, message).file(dataset.name()));
    };
    Apply::new(container, dataset.name(), edited.clone(), blobs.len(), in_place).map_err(|e| e.file(dataset.name()))
}

/// Writes `output`: the dataset with the changes of the journal. Until it is whole, nothing is there. A TBL becomes one of
/// the same layout, whose payloads are copied as they are; anything else, and a TBL that becomes a TAR, is written anew.
pub fn apply(
    dataset: &Path,
    journal: &Path,
    output: &Path,
    options: &ApplyOptions,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Applied> {
    let to = To::from_name(output).ok_or_else(|| {
        Error::new(&ARGUMENT, "the output's extension says no format of samples: .tbl or .tar").file(display(output))
    })?;
    refuse_inputs(output, [journal, &blobs_of(journal)])?;
    refuse_parts(output, [dataset])?;
    let mut opened = open(dataset, journal, options)?;
    opened.applied.output = display(output);
    if to == To::Tar || opened.dataset.tbl().is_none() {
        return rewrite::run(opened, to, output, options, progress);
    }
    let Opened { dataset, edited, blobs, mut applied } = opened;
    let work = plan_tbl(&dataset, &edited, &blobs, false)?;
    let mut file = AtomicFile::create(output, options.force)?;
    let mut spool = Spool::new(file.name(), &file.folder());
    let mut at = 0;
    let landing = drive(&dataset, &blobs, work, progress, |piece| {
        let mut put = |to: u64, pieces: &[Bytes]| {
            if to != at {
                file.seek(to)?;
            }
            let slices = &mut pieces.iter().map(|piece| IoSlice::new(piece)).collect::<Vec<_>>();
            file.append(slices)?;
            at = to + pieces.iter().map(|piece| piece.len() as u64).sum::<u64>();
            Ok(())
        };
        match piece {
            Copied::Bytes { at, bytes } => put(at, &bytes),
            Copied::Spool(bytes) => spool.push(&bytes),
        }
    })?;
    applied.output_bytes =
        apply_patches([landing.first, landing.header, landing.last].into_iter().flatten(), &file, &mut spool)?;
    applied.written_bytes = applied.output_bytes;
    file.commit(options.sync)?;
    Ok(applied)
}

/// A piece whose bytes are there.
pub(super) enum Copied {
    Bytes { at: u64, bytes: Vec<Bytes> },
    Spool(Vec<u8>),
}

/// Gives the work its bytes and hands on what it makes.
pub(super) fn drive(
    dataset: &Dataset,
    blobs: &Input,
    mut work: Apply,
    progress: &mut dyn FnMut(&Progress),
    mut take: impl FnMut(Copied) -> Result<()>,
) -> Result<Landing> {
    let named = |e: Error| e.file(dataset.name());
    let Some(input) = dataset.input() else { return Err(Error::new(&ARGUMENT, "a folder has no bytes of its own")) };
    let mut so_far = Progress::of_samples(0, work.total());
    loop {
        match work.step().map_err(named)? {
            Turn::Need(ranges) => {
                for range in ranges {
                    let bytes = match range.start.checked_sub(input.len()) {
                        None => input.lend(range.clone())?,
                        Some(start) => blobs.lend(start..range.end - input.len())?,
                    };
                    work.push(range.start, bytes);
                }
            }
            Turn::Item(Piece::Copy { from, to }) => {
                let (mut start, mut to) = (from.start, to);
                while start < from.end {
                    let end = from.end.min(start.saturating_add(WINDOW));
                    take(Copied::Bytes { at: to, bytes: vec![input.lend(start..end)?] })?;
                    input.release(start..end);
                    so_far.bytes += end - start;
                    progress(&so_far);
                    (start, to) = (end, to + (end - start));
                }
            }
            Turn::Item(Piece::Bytes { at, bytes }) => {
                so_far.bytes += bytes.iter().map(|piece| piece.len() as u64).sum::<u64>();
                take(Copied::Bytes { at, bytes })?;
            }
            Turn::Item(Piece::Spool(bytes)) => take(Copied::Spool(bytes))?,
            Turn::Done => break,
        }
        so_far.samples = work.done();
        progress(&so_far);
    }
    input.unchanged()?;
    work.finish().map_err(named)
}
