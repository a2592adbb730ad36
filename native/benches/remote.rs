//! What `benches/remote.mjs` needs beside the command `forebay bench`:
//!
//!     remote noise FILE N BYTES    writes a TBL of N samples of as many bytes of no meaning
//!     remote huge FILE N BYTES     writes a TBL of N samples of as many bytes, of which the disk holds the index alone
//!     remote open ADDRESS FILTER   opens it and asks its index which samples a filter accepts
//!     remote epochs ADDRESS [order=stored|full|blocks] [epochs=1] [most=N] [workers=2] [ahead=BYTES] [cache=DIR] [side=224]
//!                                  reads its samples in batches of 64 and digests them, or with `side` decodes them
//!     remote convert ADDRESS ADDRESS   a TAR to a TBL, from a store to a store
//!     remote copy ADDRESS ADDRESS  copies an object as it is: what that is held to
//!
//! Each prints one line of JSON.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a benchmark has a clock and files")]

mod common;

use std::{
    fs::File,
    io::{BufWriter, IoSlice, Seek, SeekFrom, Write},
    path::Path,
    process::ExitCode,
    time::Instant,
};

use bytes::Bytes;
use forebay::{
    Error, Limits, Result,
    codec::Compression,
    error::codes,
    filter::Filter,
    sample::MediaFormat,
    tbl::{Document, Encoder, Layout, MetadataFormat, MetadataWriter, PackOptions, Packed, Patch, pack},
};
use forebay_native::{
    Dataset,
    cache::Cache,
    convert::{Job, Options, StreamInput, To},
    input::io_error,
    loader::{IMAGENET, Image, Loader},
    output::AtomicFile,
    remote::{self, Settings, Traffic, traffic},
    select::matching,
};
use serde_json::{Value, json};

const BATCH: u64 = 64;

fn main() -> ExitCode {
    let arguments = common::arguments();
    common::answer(match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["noise", file, n, bytes] => Tbl { path: file, samples: number(n), bytes: number(bytes), held: true }.write(),
        ["huge", file, n, bytes] => Tbl { path: file, samples: number(n), bytes: number(bytes), held: false }.write(),
        ["convert", from, to] => convert(from, to),
        ["copy", from, to] => copy(from, to),
        ["open", address, filter] => open(address, filter),
        ["epochs", address, settings @ ..] => Epochs::of(settings).and_then(|epochs| epochs.run(address)),
        // What `cargo bench` runs; `npm run bench:remote` runs the rest.
        _ => Ok(
            json!({ "usage": "remote noise|huge FILE N BYTES | convert|copy ADDRESS ADDRESS | open ADDRESS FILTER | epochs ADDRESS [NAME=VALUE...]" }),
        ),
    })
}

fn number<T: std::str::FromStr + Default>(text: &str) -> T {
    text.parse().unwrap_or_default()
}

/// A file of samples of one size.
struct Tbl<'a> {
    path: &'a str,
    samples: u64,
    bytes: usize,
    /// Whether the disk holds the samples, or their places alone.
    held: bool,
}

impl Tbl<'_> {
    fn write(&self) -> Result<Value> {
        let failed = |e| io_error(self.path, "write", e);
        let options = PackOptions::new(Layout::Guide, Compression::None);
        let mut encoder = Encoder::new(options, Some(self.samples))?;
        let mut file = BufWriter::with_capacity(1 << 20, File::create(self.path).map_err(failed)?);
        let packed = |i: u64, bytes| {
            // A third is too small for 224 pixels.
            let width = if i.is_multiple_of(3) { 200 } else { 500 };
            pack(bytes, MediaFormat::Jpeg, width, 375, &options)
        };
        let empty: Vec<Packed> = (0..3).map(|i| packed(i, vec![0; self.bytes].into())).collect::<Result<_>>()?;
        let (mut end, mut state) = (0, 1);
        for i in 0..self.samples {
            let full = if self.held { Some(packed(i, noise(self.bytes, &mut state))?) } else { None };
            let sample = full.as_ref().unwrap_or(&empty[(i % 3) as usize]);
            let at = encoder.place(sample, false)?;
            end = at + sample.len();
            if self.held {
                if i == 0 {
                    file.seek(SeekFrom::Start(at)).map_err(failed)?;
                }
                file.write_all(&sample.stored).map_err(failed)?;
                file.write_all(sample.trailer()).map_err(failed)?;
            }
        }
        let metadata = MetadataWriter::new(options.layout, MetadataFormat::Json, Document::default())?;
        for patch in encoder.finish(metadata.finish())? {
            let Patch::Bytes { at, bytes } = patch else { continue };
            file.seek(SeekFrom::Start(at)).map_err(failed)?;
            file.write_all(&bytes).map_err(failed)?;
            end = end.max(at + bytes.len() as u64);
        }
        let file = file.into_inner().map_err(|e| failed(e.into_error()))?;
        file.set_len(end).map_err(failed)?;
        Ok(json!({ "samples": self.samples, "bytes": end }))
    }
}

/// Bytes of no meaning, which no two places share.
fn noise(len: usize, state: &mut u64) -> Bytes {
    let mut next = || {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        state.to_le_bytes()
    };
    let mut bytes: Vec<u8> = (0..len.div_ceil(8)).flat_map(|_| next()).collect();
    bytes.truncate(len);
    bytes.into()
}

/// What was asked since an earlier time.
fn since(before: &Traffic) -> Value {
    let now = traffic();
    json!({
        "requests": now.requests - before.requests,
        "retries": now.retries - before.retries,
        "bytes": now.bytes - before.bytes,
        "over_read": now.over_read.saturating_sub(before.over_read),
    })
}

/// What the command does for such a TAR: it is read once.
fn convert(from: &str, to: &str) -> Result<Value> {
    let begun = Instant::now();
    let Some(input) = StreamInput::elsewhere(Path::new(from), &Limits::default())? else {
        return Err(Error::new(&codes::ARGUMENT, "a TAR in a store is converted here").file(from));
    };
    let mut options = Options::new(To::Tbl);
    options.force = true;
    let summary = Job::stream(input, options).run(Path::new(to))?;
    let seconds = begun.elapsed().as_secs_f64();
    Ok(json!({ "seconds": seconds, "samples": summary.samples, "asked": since(&Traffic::default()) }))
}

/// Reads an object from front to back, ahead of its use, and writes it in parts: by the client that a conversion has, and
/// nothing between.
fn copy(from: &str, to: &str) -> Result<Value> {
    const PIECE: u64 = 1 << 20;
    let begun = Instant::now();
    let input = remote::open(from, &Settings::new())?;
    let mut output = AtomicFile::create_streaming(Path::new(to), true)?;
    let mut at = 0;
    while at < input.len() {
        let end = input.len().min(at + PIECE);
        let bytes = input.slice(at..end)?;
        output.append(&mut [IoSlice::new(&bytes)])?;
        at = end;
    }
    output.commit(false)?;
    Ok(json!({ "seconds": begun.elapsed().as_secs_f64(), "bytes": at, "asked": since(&Traffic::default()) }))
}

fn open(address: &str, filter: &str) -> Result<Value> {
    let begun = Instant::now();
    let dataset = Dataset::open(address)?;
    let (opened, asked) = (begun.elapsed(), since(&Traffic::default()));
    let chosen = matching(&dataset, &Filter::parse(filter)?)?.len();
    Ok(json!({
        "samples": dataset.len(),
        "opened_seconds": opened.as_secs_f64(),
        "opened": asked,
        "chosen": chosen,
        "seconds": begun.elapsed().as_secs_f64(),
        "filtered": since(&Traffic::default()),
    }))
}

/// How epochs are read.
#[derive(Default)]
struct Epochs<'a> {
    order: &'a str,
    epochs: u64,
    /// Samples of an epoch, if not all.
    most: Option<u64>,
    workers: usize,
    ahead: Option<u64>,
    cache: Option<&'a str>,
    /// Tensors of this side, if not the bytes.
    side: Option<u32>,
}

impl<'a> Epochs<'a> {
    fn of(settings: &[&'a str]) -> Result<Self> {
        let mut all = Epochs { order: "stored", epochs: 1, workers: 2, ..Epochs::default() };
        for setting in settings {
            match setting.split_once('=') {
                Some(("order", order)) => all.order = order,
                Some(("epochs", n)) => all.epochs = number(n),
                Some(("most", n)) => all.most = Some(number(n)),
                Some(("workers", n)) => all.workers = number(n),
                Some(("ahead", n)) => all.ahead = Some(number(n)),
                Some(("side", n)) => all.side = Some(number(n)),
                Some(("cache", folder)) => all.cache = Some(folder),
                _ => return Err(Error::new(&codes::ARGUMENT, format!("{setting:?} is not a setting"))),
            }
        }
        Ok(all)
    }

    fn run(&self, address: &str) -> Result<Value> {
        let begun = Instant::now();
        let builder = Loader::open(address)?.batch(BATCH).workers(self.workers);
        let builder = match self.side {
            Some(side) => builder.image(Image::new(side, side).normalize(IMAGENET)),
            None => builder.payloads(),
        };
        let builder = match self.order {
            "full" => builder.shuffle(7),
            "blocks" => builder.shuffle_blocks(7, 64, 16),
            _ => builder,
        };
        let builder = self.ahead.into_iter().fold(builder, |builder, bytes| builder.read_ahead_bytes(bytes));
        let builder = match self.cache {
            Some(folder) => builder.cache(&Cache::open(folder)?),
            None => builder,
        };
        let mut loader = builder.build()?;
        let (ready, asked) = (begun.elapsed().as_secs_f64(), since(&Traffic::default()));
        let mut epochs = Vec::new();
        for epoch in 0..self.epochs {
            let (begun, before) = (Instant::now(), traffic());
            let (mut first, mut samples, mut bytes) = (None, 0, 0);
            let mut digest = crc32fast::Hasher::new();
            for batch in loader.epoch(epoch)? {
                let batch = batch?;
                first.get_or_insert_with(|| begun.elapsed().as_secs_f64());
                samples += batch.len() as u64;
                for payload in batch.payloads() {
                    bytes += payload.len() as u64;
                    digest.update(payload);
                }
                if self.most.is_some_and(|most| samples >= most) {
                    break;
                }
            }
            epochs.push(json!({
                "seconds": begun.elapsed().as_secs_f64(),
                "first_seconds": first,
                "samples": samples,
                "payload_bytes": bytes,
                "asked": since(&before),
                "digest": format!("{:08x}", digest.finalize()),
            }));
        }
        Ok(json!({ "ready_seconds": ready, "ready": asked, "epochs": epochs }))
    }
}
