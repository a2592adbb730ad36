//! A dataset with as many samples as ImageNet and nothing in them, and how long a loader takes to be ready for it.

use std::{fs, io::Write, time::Instant};

use bytes::Bytes;
use forebay::{
    Error, Result,
    codec::Compression,
    error::codes,
    model::MediaFormat,
    tbl::{Document, Encoder, Layout, MetadataFormat, MetadataWriter, PackOptions, Patch, pack},
};
use forebay_native::{
    input::io_error,
    loader::{Labels, Loader},
};
use serde_json::{Value, json};

const CLASSES: u64 = 1000;

/// Sizes as photographs have them, of which a third is too small for 224 pixels.
fn size(i: u64) -> (u32, u32) {
    (if i.is_multiple_of(3) { 200 } else { 500 }, 375)
}

pub fn write(path: &str, n: u64) -> Result<Value> {
    let options = PackOptions { layout: Layout::Guide, compression: Compression::None };
    let mut encoder = Encoder::new(options, Some(n))?;
    let mut metadata = MetadataWriter::new(options.layout, MetadataFormat::Json, Document::default())?;
    let mut file = vec![0; usize::try_from(64 + 24 * n).unwrap_or(0)];
    let (mut spool, mut table) = (Vec::new(), b"file,class\n".to_vec());
    for i in 0..n {
        let (width, height) = size(i);
        let packed = pack(Bytes::copy_from_slice(&i.to_le_bytes()), MediaFormat::Jpeg, width, height, &options)?;
        encoder.place(&packed, true)?;
        file.extend_from_slice(&packed.stored);
        file.extend_from_slice(packed.trailer());
        let class = i.wrapping_mul(0x9E37_79B9) % CLASSES;
        let name = format!("train/n{class:08}/n{class:08}_{i}.jpg");
        metadata.add(Some(&format!(r#"{{"id":{i},"name":"{name}","cls":"n{class:08}"}}"#)), &mut spool)?;
        table.extend_from_slice(format!("{name},n{class:08}\n").as_bytes());
    }
    for patch in encoder.finish(metadata.finish())? {
        let (at, bytes) = match patch {
            Patch::Bytes { at, bytes } => (at, bytes),
            Patch::Spool { at, .. } => (at, std::mem::take(&mut spool)),
            _ => continue,
        };
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        file.resize(file.len().max(at + bytes.len()), 0);
        file[at..at + bytes.len()].copy_from_slice(&bytes);
    }
    // The table first: where the other is, both are.
    for (name, bytes) in [(format!("{path}.csv"), table), (path.to_owned(), file)] {
        let mut to = fs::File::create(&name).map_err(|e| io_error(&name, "create", e))?;
        to.write_all(&bytes).map_err(|e| io_error(&name, "write", e))?;
    }
    Ok(json!({ "samples": n }))
}

pub fn build(path: &str, kind: &str) -> Result<Value> {
    let begun = Instant::now();
    let builder = Loader::open(path)?.batch(64).shuffle(1);
    let builder = match kind {
        "plain" => builder,
        "filter" => builder.filter("width >= 224 && height >= 224")?,
        "metadata-filter" => builder.filter(r#"cls != "n00000007""#)?,
        "labels" => builder.labels("cls"),
        "folders" => builder.labels(Labels::folder()),
        "table" => builder.labels(Labels::table(format!("{path}.csv"), "file", "class")),
        _ => return Err(Error::new(&codes::ARGUMENT, format!("{kind:?} is not a kind of loader"))),
    };
    let mut loader = builder.build()?;
    let seconds = begun.elapsed().as_secs_f64();
    let first = loader.next_batch()?.map_or(0, |batch| batch.len());
    Ok(json!({
        "seconds": seconds,
        "first_batch_seconds": begun.elapsed().as_secs_f64(),
        "samples": loader.order().epoch_samples(),
        "classes": loader.classes().len(),
        "first": first,
        "peak_bytes": peak(),
    }))
}

/// The most memory that this process had so far; nothing of the file is mapped. `None` if the system does not say.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}
