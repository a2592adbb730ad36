//! Writing: workers verify, look at and compress samples, one writer places them in order.

use std::{io::IoSlice, path::Path};

use forebay::{
    Error, Result,
    codec::checksum::crc32,
    error,
    samples::{Form, Ready, Writer},
    tbl::{MetadataWriter, Patch},
};

use super::{
    Begun,
    item::{Item, Origin},
    kept,
    options::{Options, To},
    pixels::Decoding,
    summary::{Progress, Summary},
    verify::{self, Digest},
};
use crate::{
    dataset::{Used, release},
    input::remote,
    output::{AtomicFile, Spool},
    parallel::ordered,
    select::fault_of,
};

struct Made {
    ready: Ready,
    /// Of what the sample becomes, if the output will be verified.
    digests: Vec<Digest>,
    used: Option<Used>,
}

pub(super) fn run(
    origin: Origin,
    options: &Options,
    output: &Path,
    mut begun: Begun,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Summary> {
    let form = options.form();
    let pixels = options.pixels.as_ref().map(Decoding::new).transpose()?;
    let summary = &mut begun.summary;
    let mut so_far = Progress { total: origin.count(), ..Progress::default() };
    let (mut writer, mut file) = begin(&origin, options, output, summary)?;
    if options.verify && options.to == To::Tar && file.path().is_none() {
        let message = "the output of a pipe cannot be read back; leave it unverified or write a file";
        return Err(Error::new(&error::codes::ARGUMENT, message).with_options(&["verify"]));
    }
    let mut spool = Spool::new(file.name(), &file.folder());
    let mut digests: Vec<Digest> = Vec::new();
    let mut reads_as: Vec<u64> = Vec::new();

    let work = |item: Item| make(item, &form, pixels.as_ref(), options);
    // What is in flight is what was read and what it becomes.
    let grown = pixels.as_ref().map_or(0, Decoding::bytes);
    let weigh = |item: &Item| item.weight().saturating_add(grown);
    let mut text = Vec::new();
    let mut positioned = false;
    let (several, threads) = (origin.is_joined(), origin.threads(options.workers));
    ordered(origin.items(options.keep_going), weigh, threads, work, |chunk| {
        let mut made = kept(chunk, options, several, &mut summary.faults)?;
        let mut slices = Vec::with_capacity(made.len() * 3);
        let mut places = Vec::with_capacity(made.len());
        for one in &mut made {
            places.push(writer.place(&mut one.ready, &mut text)?);
        }
        for (one, at) in made.iter().zip(places) {
            if !positioned && at > 0 {
                file.seek(at)?;
            }
            positioned = true;
            slices.extend(one.ready.pieces().map(IoSlice::new));
            digests.extend(&one.digests);
            reads_as.extend_from_slice(one.ready.reads_as());
        }
        file.append(&mut slices)?;
        spool.push(&text)?;
        text.clear();
        (so_far.samples, so_far.bytes) = (writer.counts().samples, writer.counts().payload_bytes);
        progress(&so_far);
        release(made.into_iter().map(|one| one.used));
        Ok(())
    })?;

    let counts = writer.counts();
    (summary.samples, summary.payload_bytes) = (counts.samples, counts.payload_bytes);
    (summary.stored_bytes, summary.compressed_samples) = (counts.stored_bytes, counts.compressed_samples);
    let mut summary = begun.end(options, writer.notes())?;
    if let Some(labels) = &options.labels {
        summary.labels = Some(labels.end(options.to == To::Tbl)?);
    }
    file.append(&mut [IoSlice::new(writer.tail().1)])?;
    summary.output_bytes = apply(writer.finish()?, &file, &mut spool)?;
    if options.verify {
        summary.verified = match options.to {
            To::Tbl => verify::tbl(&file, &digests, options)?,
            To::Tar => verify::tar(&file, &digests, &reads_as)?,
        };
    }
    file.commit(options.sync)?;
    Ok(summary)
}

/// What writes the samples, and the file that they are written to.
fn begin(origin: &Origin, options: &Options, output: &Path, summary: &mut Summary) -> Result<(Writer, AtomicFile)> {
    let create = || match options.to {
        _ if options.verify && remote::is_remote(output) => AtomicFile::create_to_read_back(output, options.force),
        To::Tbl => AtomicFile::create(output, options.force),
        To::Tar => AtomicFile::create_streaming(output, options.force),
    };
    if options.to == To::Tbl {
        let metadata = metadata_writer(origin, options, summary)?;
        let file = create()?;
        let writer = match file.takes_front_last() {
            true => Writer::moving_tbl(options.pack(), metadata)?,
            false => Writer::tbl(options.pack(), origin.count(), metadata)?,
        };
        let writer = match &options.tables {
            Some(tables) => writer.with_tables(tables.clone()),
            None => writer,
        };
        return Ok((writer, file));
    }
    // An archive has no document, and its samples have the numbers of their classes nevertheless.
    if origin.is_joined() {
        let mut inherited = origin.inherited();
        let mut forgive = |_| {};
        origin.document(&mut inherited, Some(&mut forgive as &mut dyn FnMut(Error)))?;
        summary.notes.extend(inherited.classes_differ());
    }
    Ok((Writer::tar(), create()?))
}

/// Makes of an item what is written of it.
fn make(item: Item, form: &Form, pixels: Option<&Decoding>, options: &Options) -> Result<Made> {
    let blame = item.blame();
    let (mut sample, used) = item.load(options).map_err(&blame)?;
    if let Some(pixels) = pixels {
        pixels.decode(&mut sample).map_err(&blame)?;
    }
    let ready = form.make(sample, &options.limits).map_err(&blame)?;
    let digests = match options.verify {
        true => ready.contents().map(|content| (crc32(content), content.len() as u64)).collect(),
        false => Vec::new(),
    };
    Ok(Made { ready, digests, used })
}

/// What writes a TBL's metadata. What the chosen format of it cannot hold is said in the summary.
fn metadata_writer(origin: &Origin, options: &Options, summary: &mut Summary) -> Result<MetadataWriter> {
    let (choice, count) = (&options.metadata, origin.count());
    if let Some(total) = count
        && !choice.samples.is_empty()
        && choice.samples.len() as u64 != total
    {
        let message = format!("the metadata describes {} samples, there are {total}", choice.samples.len());
        return Err(Error::new(&error::codes::ARGUMENT, message));
    }
    let mut inherited = origin.inherited();
    origin.protobuf(&mut inherited)?;
    if inherited.wants_fields(options.layout, choice) {
        let faults = &mut summary.faults;
        let mut forgiving = |e: Error| faults.push(fault_of(&e, origin.is_joined()));
        origin.document(&mut inherited, options.keep_going.then_some(&mut forgiving as &mut dyn FnMut(Error)))?;
    }
    if let Some(labels) = &options.labels
        && !inherited.classes(labels.document())
    {
        summary
            .notes
            .push("`classes` of the document are those that the sources have; the labels' are in `categories`".into());
    }
    let decoded = options.pixels.as_ref().map(|pixels| pixels.describe());
    inherited.into_writer(options.layout, choice, decoded, &mut summary.notes)
}

/// Does what the encoder asks; returns the file's length.
pub(crate) fn apply(patches: impl IntoIterator<Item = Patch>, file: &AtomicFile, spool: &mut Spool) -> Result<u64> {
    let mut end = 0;
    for patch in patches {
        match patch {
            Patch::Move { from, to, len } => file.copy_within(from, to, len)?,
            Patch::Bytes { at, bytes } => file.write_at(at, &bytes)?,
            Patch::Zero { at, len } => file.zero(at, len)?,
            Patch::Spool { at, .. } => file.copy_from(spool, at)?,
            Patch::End { len } => {
                // What went into a pipe ends where it ended.
                if file.path().is_some() || file.takes_front_last() {
                    file.set_len(len)?;
                }
                end = len;
            }
            other => return Err(Error::new(&error::codes::ARGUMENT, format!("the writer does not know {other:?}"))),
        }
    }
    Ok(end)
}
