//! Reading back what was written, before it appears.

use std::sync::Arc;

use bytes::Bytes;
use forebay::{
    Error, Limits, Result,
    codec::checksum::crc32,
    tar::{Members, Opener, webdataset::group},
};

use super::{codes, options::Options};
use crate::{
    check::check_structure,
    dataset::{Dataset, OpenOptions, release},
    input::{Input, Io, WINDOW},
    output::AtomicFile,
    parallel::ordered,
};

/// CRC-32 and length of a payload, or of a file in an archive.
pub(super) type Digest = (u32, u64);

fn differs(sample: u64, what: &str) -> Error {
    Error::new(&codes::VERIFY, format!("the sample reads back differently: {what}")).sample(sample)
}

/// Opens what was written as any reader would, holds it to the rules of a check, and compares every payload with what
/// went in.
pub(super) fn tbl(file: &AtomicFile, digests: &[Digest], options: &Options) -> Result<u64> {
    let Some(path) = file.path() else { return Ok(0) };
    let named = |e: Error| e.file(file.name());
    let open = OpenOptions { limits: options.limits.clone(), ..OpenOptions::default() };
    let written = Dataset::from_input(Input::open(path, Io::Read)?, &open).map_err(named)?;
    let written = Arc::new(written);
    if written.len() != digests.len() as u64 {
        return Err(differs(written.len(), "another number of samples"));
    }
    let report = check_structure(&written).map_err(named)?;
    if let Some(fault) = report.faults.first() {
        let message = format!("the output is not sound, and this is a bug of Forebay: {}", fault.message);
        let mut e = Error::new(&codes::VERIFY, message);
        if let Some(i) = fault.sample {
            e = e.sample(i);
        }
        return Err(named(e));
    }
    let check = |(i, (crc, len)): (usize, Digest)| -> Result<_> {
        // What a check finds in a payload, decoding it says as well.
        let payload: Bytes = written.lend(i as u64)?;
        if payload.len() as u64 != len || crc32(&payload) != crc {
            return Err(differs(i as u64, "other bytes"));
        }
        Ok(written.stored_range(i as u64).map(|range| (written.clone(), range)))
    };
    let mut verified = 0;
    let items = digests.iter().copied().enumerate().map(Ok);
    ordered(
        items,
        |(_, (_, len))| *len,
        options.workers,
        check,
        |chunk| {
            verified += chunk.len() as u64;
            let used = chunk.into_iter().collect::<Result<Vec<_>>>().map_err(named)?;
            release(used.into_iter());
            Ok(())
        },
    )?;
    Ok(verified)
}

/// Scans what was written as any reader would, and compares every member with what went in, and the samples that the members
/// are read as; returns how many samples' files there are.
pub(super) fn tar(file: &AtomicFile, digests: &[Digest], reads_as: &[u64]) -> Result<u64> {
    let Some(path) = file.path() else { return Ok(0) };
    let written = Input::open(path, Io::Read)?;
    let mut scanner = Opener::new(written.len()).with_limits(Limits::host());
    let archive = written.drive(&mut scanner, |_| WINDOW).map_err(|e| e.file(file.name()))?;
    if archive.members.len() != digests.len() {
        return Err(differs(0, "another number of files"));
    }
    same_samples(&archive.members, reads_as).map_err(|e| e.file(file.name()))?;
    let mut used = 0;
    for (i, (member, (crc, len))) in archive.members.iter().zip(digests).enumerate() {
        if member.size != *len || crc32(&written.slice(member.range())?) != *crc {
            return Err(differs(i as u64, "other bytes").member(member.name));
        }
        if member.range().end - used > WINDOW {
            written.release(used..member.range().end);
            used = member.range().end;
        }
    }
    Ok(digests.len() as u64)
}

/// Files belong to samples by their names alone: each must be read as a part of the sample that it went in with.
fn same_samples(members: &Members, reads_as: &[u64]) -> Result<()> {
    let samples = group(members.iter().map(|member| (member.name, member.size)))?;
    for (number, sample) in samples.iter().enumerate() {
        for file in sample.in_order() {
            if reads_as.get(file) != Some(&(number as u64)) {
                let error = differs(number as u64, "another sample's files");
                return Err(error.member(members.name(file).unwrap_or_default()));
            }
        }
    }
    Ok(())
}
