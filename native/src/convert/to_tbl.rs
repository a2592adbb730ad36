//! Writing a TBL: workers verify, look at and compress samples, one writer places them in order.

use std::{io::IoSlice, path::Path, sync::Arc};

use bytes::Bytes;
use forebay::{
    Error, Result,
    check::Fault,
    codec::checksum::crc32,
    error, record,
    tbl::{Document, Encoder, Layout, MetadataFormat, MetadataWriter, Packed, Patch, pack},
};

use super::{
    Begun, codes,
    item::Origin,
    kept,
    loaded::Loaded,
    options::Options,
    pixels::Decoding,
    summary::{Progress, Summary},
    verify_error,
};
use crate::{
    check::check_structure,
    dataset::{Dataset, OpenOptions, release},
    input::{Input, Io},
    output::{AtomicFile, Spool},
    parallel::ordered,
};

struct Ready {
    sample: Loaded,
    packed: Packed,
    /// CRC-32 of the payload, where the output will be verified.
    crc: u32,
}

pub(super) fn run(
    origin: Origin,
    options: &Options,
    output: &Path,
    mut begun: Begun,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Summary> {
    let pack_options = options.pack();
    let pixels = options.pixels.as_ref().map(Decoding::new).transpose()?;
    let summary = &mut begun.summary;
    let count = origin.count();
    if let Some(total) = count
        && !options.metadata.samples.is_empty()
        && options.metadata.samples.len() as u64 != total
    {
        let message = format!("the metadata describes {} samples, there are {total}", options.metadata.samples.len());
        return Err(Error::new(&error::codes::ARGUMENT, message));
    }
    let mut metadata = metadata_writer(&origin, options, summary)?;
    let mut encoder = Encoder::new(pack_options, count)?;
    let mut file = AtomicFile::create(output, options.force)?;
    let mut spool = Spool::new(file.name(), &file.folder());
    let mut digests: Vec<(u32, u32)> = Vec::new();
    let mut so_far = Progress { total: count, ..Progress::default() };

    let work = |item: super::item::Item| -> Result<Ready> {
        let blame = item.blame();
        let mut sample = item.load(options).map_err(&blame)?;
        if let Some(pixels) = &pixels {
            pixels.decode(&mut sample).map_err(&blame)?;
        }
        let packed = pack(sample.payload.clone(), sample.format, sample.width, sample.height, &pack_options);
        let packed = packed.and_then(|packed| packed.check(&options.limits).map(|()| packed)).map_err(&blame)?;
        if let Some(record) = &sample.record {
            let place = |e: Error| e.section("metadata").with_options(&["max_sample_bytes"]);
            options.limits.item(record.len() as u64).map_err(place).map_err(&blame)?;
        }
        let crc = if options.verify { crc32(&sample.payload) } else { 0 };
        Ok(Ready { sample, packed, crc })
    };
    let mut text = Vec::new();
    let mut positioned = false;
    // What is in flight is what was read and what it becomes.
    let grown = pixels.as_ref().map_or(0, Decoding::bytes);
    let weigh = |item: &super::item::Item| item.weight().saturating_add(grown);
    ordered(origin.items(), weigh, options.workers, work, |chunk| {
        let ready = kept(chunk, options, &mut summary.faults)?;
        let mut slices = Vec::with_capacity(ready.len() * 2);
        let mut first = None;
        for one in &ready {
            let id = encoder.count();
            one.sample.kept.iter().for_each(|e| begun.odd.kept(e));
            one.sample.name.iter().for_each(|name| begun.odd.taken_in(id, name));
            // Samples that were left out move the numbers of those behind them.
            let renumbered =
                (one.sample.id != id).then(|| one.sample.record.as_deref().map(|r| record::renumber(r, id)));
            let record = match &renumbered {
                Some(moved) => moved.as_deref(),
                None => one.sample.record.as_deref(),
            };
            let kept = metadata.as_ref().is_some_and(MetadataWriter::keeps_records) && record.is_some();
            let at = encoder.place(&one.packed, kept)?;
            first.get_or_insert(at);
            if let Some(metadata) = &mut metadata {
                metadata.add(record, &mut text)?;
            }
            slices.push(IoSlice::new(&one.packed.stored));
            slices.push(IoSlice::new(one.packed.trailer()));
            summary.payload_bytes += one.packed.payload_len();
            summary.stored_bytes += one.packed.stored.len() as u64;
            summary.compressed_samples += u64::from((one.packed.stored.len() as u64) < one.packed.payload_len());
            if options.verify {
                digests.push((one.crc, one.packed.payload_len() as u32));
            }
        }
        if let (Some(at), false) = (first, positioned) {
            file.seek(at)?;
            positioned = true;
        }
        file.append(&mut slices)?;
        spool.push(&text)?;
        text.clear();
        so_far.samples = encoder.count();
        so_far.bytes = summary.payload_bytes;
        progress(&so_far);
        release(ready.into_iter().map(|one| one.sample.used));
        Ok(())
    })?;

    summary.samples = encoder.count();
    let mut summary = begun.end(options)?;
    let tail = metadata.and_then(MetadataWriter::finish);
    summary.output_bytes = apply(encoder.finish(tail)?, &file, &mut spool)?;
    if options.verify {
        summary.verified = verify(&file, &digests, options)?;
    }
    file.commit(options.sync)?;
    Ok(summary)
}

/// The writer for what the user chose. What the chosen format cannot hold is said in the summary.
fn metadata_writer(origin: &Origin, options: &Options, summary: &mut Summary) -> Result<Option<MetadataWriter>> {
    let choice = &options.metadata;
    let mut protobuf = origin.protobuf()?;
    let guide = options.layout == Layout::Guide;
    if guide && protobuf.len() == 1 && choice.is_default() {
        // Bytes that nobody else understands stay what they are.
        let bytes = protobuf.remove(0);
        return MetadataWriter::new(options.layout, MetadataFormat::Protobuf, Document::Protobuf(bytes)).map(Some);
    }
    if !protobuf.is_empty() {
        summary.notes.push("the source's Protobuf metadata is left out: it cannot be joined or translated".into());
    }
    let faults = &mut summary.faults;
    let mut forgiving = |e: Error| faults.push(Fault::from(&e));
    let forgive = options.keep_going.then_some(&mut forgiving as &mut dyn FnMut(Error));
    let notes = &mut summary.notes;
    let inherited = match (options.layout, choice.format) {
        (Layout::Turboloader, _) => {
            let lost: Vec<String> = origin
                .document(forgive)?
                .into_iter()
                .map(|(key, _)| key)
                .filter(|k| k != "source" && k != "sources")
                .collect();
            if !lost.is_empty() {
                notes.push(format!("the turboloader layout has no document; left out: {}", lost.join(", ")));
            }
            Default::default()
        }
        (Layout::Guide, MetadataFormat::Protobuf) => {
            let note = "Protobuf metadata is your own bytes: names and sidecars of the samples are left out";
            notes.push(note.into());
            Default::default()
        }
        (Layout::Guide, _) => {
            let mut document = origin.document(forgive)?;
            document.extend(options.pixels.as_ref().map(|pixels| ("decoded".to_owned(), pixels.describe())));
            document
        }
    };
    MetadataWriter::new(options.layout, choice.format, choice.document(inherited)).map(Some)
}

/// Does what the encoder asks; returns the file's length.
fn apply(patches: Vec<Patch>, file: &AtomicFile, spool: &mut Spool) -> Result<u64> {
    let mut end = 0;
    for patch in patches {
        match patch {
            Patch::Move { from, to, len } => file.copy_within(from, to, len)?,
            Patch::Bytes { at, bytes } => file.write_at(at, &bytes)?,
            Patch::Zero { at, len } => file.zero(at, len)?,
            Patch::Spool { at, .. } => file.copy_from(spool, at)?,
            Patch::End { len } => {
                file.set_len(len)?;
                end = len;
            }
            other => return Err(Error::new(&error::codes::ARGUMENT, format!("the writer does not know {other:?}"))),
        }
    }
    Ok(end)
}

/// Opens what was written as any reader would, holds it to the rules of a check, and compares every payload with what
/// went in.
fn verify(file: &AtomicFile, digests: &[(u32, u32)], options: &Options) -> Result<u64> {
    let Some(path) = file.path() else { return Ok(0) };
    let named = |e: Error| e.file(file.name());
    let open = OpenOptions { limits: options.limits.clone(), ..OpenOptions::default() };
    let written = Dataset::from_input(Input::open(path, Io::Read)?, &open).map_err(named)?;
    let written = Arc::new(written);
    if written.len() != digests.len() as u64 {
        return Err(verify_error(written.len(), "another number of samples"));
    }
    let report = check_structure(&written).map_err(named)?;
    if let Some(fault) = report.faults.first() {
        let message = format!("what was written is not sound, and this is a bug of Forebay: {}", fault.message);
        let mut e = Error::new(&codes::VERIFY, message);
        if let Some(i) = fault.sample {
            e = e.sample(i);
        }
        return Err(named(e));
    }
    let check = |(i, (crc, len)): (usize, (u32, u32))| -> Result<_> {
        // What a check finds in a payload, decoding it says as well.
        let payload: Bytes = written.lend(i as u64)?;
        if payload.len() as u64 != u64::from(len) || crc32(&payload) != crc {
            return Err(verify_error(i as u64, "other bytes"));
        }
        Ok(written.stored_range(i as u64).map(|range| (written.clone(), range)))
    };
    let mut verified = 0;
    let items = digests.iter().copied().enumerate().map(Ok);
    ordered(
        items,
        |(_, (_, len))| u64::from(*len),
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
