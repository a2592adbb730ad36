//! Writing a tar archive: each sample's files under the names that they had.

use std::{io::IoSlice, path::Path};

use forebay::{
    Error, Limits, Result,
    codec::checksum::crc32,
    error,
    samples::{ArchiveFile, archive_files, renamed},
    tar::{END, Scanner},
};

use super::{
    Begun,
    item::{Item, Origin},
    kept,
    loaded::{Loaded, release},
    options::Options,
    pipeline::ordered,
    summary::{Progress, Summary},
    verify_error,
};
use crate::{
    input::{Input, Io, WINDOW},
    output::AtomicFile,
};

pub(super) fn run(
    origin: Origin,
    options: &Options,
    output: &Path,
    mut begun: Begun,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Summary> {
    let summary = &mut begun.summary;
    let mut so_far = Progress { total: origin.count(), ..Progress::default() };
    let mut file = AtomicFile::create_streaming(output, options.force)?;
    if options.verify && file.path().is_none() {
        let message = "what went into a pipe cannot be read back; leave out --verify or write a file";
        return Err(Error::new(&error::codes::ARGUMENT, message));
    }
    let mut digests: Vec<(u32, u64)> = Vec::new();
    let work = |item: Item| -> Result<(Loaded, Vec<ArchiveFile>)> {
        let blame = item.blame();
        let sample = item.load(options).map_err(&blame)?;
        let parts =
            archive_files(sample.id, sample.record.as_deref(), &sample.payload, sample.format).map_err(blame)?;
        Ok((sample, parts))
    };
    ordered(origin.items(), Item::weight, options.workers, work, |chunk| {
        let ready = kept(chunk, options, &mut summary.faults)?;
        let mut slices = Vec::new();
        for (sample, parts) in &ready {
            sample.kept.iter().for_each(|e| begun.odd.kept(e));
            if let Some(name) = sample.record.as_deref().and_then(renamed) {
                begun.odd.renamed(sample.id, &name);
            }
            if options.verify {
                digests.extend(parts.iter().map(|part| (crc32(&part.content), part.content.len() as u64)));
            }
            for part in parts {
                slices.push(IoSlice::new(&part.header));
                slices.push(IoSlice::new(&part.content));
                slices.push(IoSlice::new(&END[..part.padding()]));
            }
            summary.samples += 1;
            summary.payload_bytes += sample.payload.len() as u64;
        }
        summary.output_bytes += slices.iter().map(|s| s.len() as u64).sum::<u64>();
        file.append(&mut slices)?;
        so_far.samples = summary.samples;
        so_far.bytes = summary.payload_bytes;
        progress(&so_far);
        release(ready.into_iter().map(|(sample, _)| sample.used));
        Ok(())
    })?;
    let mut summary = begun.end(options)?;
    file.append(&mut [IoSlice::new(&END)])?;
    summary.output_bytes += END.len() as u64;
    summary.stored_bytes = summary.payload_bytes;
    if options.verify {
        summary.verified = verify(&file, &digests)?;
    }
    file.commit(options.sync)?;
    Ok(summary)
}

/// Scans what was written as any reader would, and compares every member with what went in; returns how many
/// samples' files there are.
fn verify(file: &AtomicFile, digests: &[(u32, u64)]) -> Result<u64> {
    let Some(path) = file.path() else { return Ok(0) };
    let written = Input::open(path, Io::Read)?;
    let mut scanner = Scanner::new(written.len(), Limits::host());
    let archive = written.drive(&mut scanner, |_| WINDOW).map_err(|e| e.file(file.name()))?;
    if archive.members.len() != digests.len() {
        return Err(verify_error(0, "another number of files"));
    }
    let mut used = 0;
    for (i, (member, (crc, len))) in archive.members.iter().zip(digests).enumerate() {
        if member.size != *len || crc32(&written.slice(member.range())?) != *crc {
            return Err(verify_error(i as u64, "other bytes").member(member.name));
        }
        if member.range().end - used > WINDOW {
            written.release(used..member.range().end);
            used = member.range().end;
        }
    }
    Ok(digests.len() as u64)
}
