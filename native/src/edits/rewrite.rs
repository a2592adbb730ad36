//! Samples of anything but a TBL, and of one that becomes an archive: each is read, verified and written anew.

use std::{io::IoSlice, path::Path};

use forebay::{
    Error, Result,
    codec::Compression,
    codec::checksum::crc32,
    edits::codes::BLOB,
    samples::{Form, Inherited, Loaded, MetadataChoice, Writer},
    tbl::{Layout, MetadataFormat, PackOptions},
};

use super::{Applied, ApplyOptions, opened::Opened};
use crate::{
    convert::{Progress, To, apply_patches},
    output::{AtomicFile, Spool},
};

pub(super) fn run(
    opened: Opened,
    to: To,
    output: &Path,
    options: &ApplyOptions,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Applied> {
    let Opened { dataset, edited, blobs, mut applied } = opened;
    let named = |e: Error| e.file(dataset.name());
    let pack = PackOptions::new(Layout::Guide, Compression::None);
    let form = if to == To::Tar { Form::Tar } else { Form::Tbl(pack) };
    let mut writer = match to {
        To::Tar => {
            if edited.touches_document() {
                applied.notes.push("an archive has no document next to its samples; its changes are left out".into());
            }
            Writer::tar()
        }
        To::Tbl => {
            let mut inherited = Inherited::default();
            let document = dataset.document()?;
            inherited.document(edited.document(document).map_err(named)?);
            inherited.source(dataset.name());
            let choice = MetadataChoice::of(MetadataFormat::Json);
            let metadata = inherited.into_writer(Layout::Guide, &choice, None, &mut applied.notes)?;
            Writer::tbl(pack, Some(edited.len()), metadata)?
        }
    };
    let mut file = AtomicFile::create(output, options.force)?;
    let mut spool = Spool::new(file.name(), &file.folder());
    let mut so_far = Progress::of_samples(0, edited.len());
    let (mut text, mut end) = (Vec::new(), None);
    for id in 0..edited.len() {
        let Some(sample) = edited.at(id) else { break };
        let of_sample = |e: Error| named(e.sample(sample));
        let mut loaded = match edited.added(sample) {
            Some(added) => {
                let wrong = |message: &str| {
                    Error::new(&BLOB, message.to_owned()).sample(sample).member(added.name).file(blobs.name())
                };
                let end = added.blob.at.checked_add(added.blob.bytes).filter(|end| *end <= blobs.len());
                let Some(end) = end else { return Err(wrong("the bytes are not in the file next to the journal")) };
                options.limits.item(added.blob.bytes).map_err(of_sample)?;
                let payload = blobs.lend(added.blob.at..end)?;
                if crc32(&payload) != added.blob.crc {
                    return Err(wrong("the bytes next to the journal do not match their checksum"));
                }
                Loaded::from_file(id, added.name, payload, String::new())
            }
            None => dataset.load_as(sample, id)?,
        };
        let is_added = edited.added(sample).is_some();
        if is_added || edited.touches(sample) {
            let before = loaded.take_changeable()?.filter(|_| !is_added);
            loaded.record = Some(edited.record(sample, id, before.as_deref()).map_err(named)?);
        }
        let mut ready = form.make(loaded, &options.limits).map_err(of_sample)?;
        let at = writer.place(&mut ready, &mut text).map_err(of_sample)?;
        if end != Some(at) {
            file.seek(at)?;
        }
        end = Some(at + ready.pieces().map(|piece| piece.len() as u64).sum::<u64>());
        file.append(&mut ready.pieces().map(IoSlice::new).collect::<Vec<_>>())?;
        spool.push(&text)?;
        text.clear();
        (so_far.samples, so_far.bytes) = (id + 1, writer.counts().payload_bytes);
        progress(&so_far);
    }
    applied.notes.extend(writer.notes());
    let (at, tail) = writer.tail();
    if !tail.is_empty() {
        file.write_at(at, tail)?;
    }
    applied.output_bytes = apply_patches(writer.finish()?, &file, &mut spool)?;
    applied.written_bytes = applied.output_bytes;
    file.commit(options.sync)?;
    Ok(applied)
}
