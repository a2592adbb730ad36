//! Writing a tar archive: each sample's files under the names that they had.

use std::{io::IoSlice, path::Path};

use bytes::Bytes;
use forebay::{
    Result,
    record::{RestoredFile, files},
    tar::{END, header_for, padding},
};

use super::{
    damage,
    item::{Item, Loaded, Origin, release},
    keep,
    options::Options,
    pipeline::ordered,
    summary::{Progress, Summary},
};
use crate::output::AtomicFile;

/// A file of a sample with the header that goes in front.
struct Part {
    header: Vec<u8>,
    content: Bytes,
}

pub(super) fn run(
    origin: Origin,
    options: &Options,
    output: &Path,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Summary> {
    let (inputs, input_bytes) = origin.inputs();
    let mut summary = Summary { inputs, input_bytes, output: output.display().to_string(), ..Summary::default() };
    let mut so_far = Progress { total: origin.count(), ..Progress::default() };
    damage(&origin, &mut summary.faults);
    summary.skipped_members = origin.skipped_members();
    let mut file = AtomicFile::create_streaming(output, options.force)?;
    let work = |item: Item| -> Result<(Loaded, Vec<Part>)> {
        let sample = item.load(options)?;
        let parts = parts(&sample)?;
        Ok((sample, parts))
    };
    ordered(origin.items(), Item::weight, options.workers, work, |chunk| {
        let mut ready = Vec::with_capacity(chunk.len());
        for result in chunk {
            ready.extend(keep(result, options, &mut summary.faults)?);
        }
        let mut slices = Vec::new();
        for (sample, parts) in &ready {
            for part in parts {
                slices.push(IoSlice::new(&part.header));
                slices.push(IoSlice::new(&part.content));
                slices.push(IoSlice::new(&END[..padding(part.content.len() as u64)]));
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
    file.append(&mut [IoSlice::new(&END)])?;
    summary.output_bytes += END.len() as u64;
    summary.stored_bytes = summary.payload_bytes;
    file.commit(options.sync)?;
    Ok(summary)
}

fn parts(sample: &Loaded) -> Result<Vec<Part>> {
    let extension = sample.format.extension();
    let files = match &sample.record {
        Some(record) => files(record, sample.id, extension)?,
        None => vec![RestoredFile { name: format!("{:08}.{extension}", sample.id), content: None }],
    };
    files
        .into_iter()
        .map(|file| {
            let content = file.content.map_or_else(|| sample.payload.clone(), Bytes::from);
            Ok(Part { header: header_for(&file.name, content.len() as u64)?, content })
        })
        .collect()
}
