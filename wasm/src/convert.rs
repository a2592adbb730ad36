//! Conversion: samples in by range, bytes out with their positions.

use std::{ops::Range, rc::Rc};

use bytes::Bytes;
use forebay::{
    Error, Result,
    check::Fault,
    codec::{Codec, Compression},
    dataset::Dataset,
    error::codes,
    image::Probe,
    model::MediaFormat,
    record,
    samples::{Oddities, archive_files, renamed},
    tar::END,
    tbl::{Document, Encoder, Layout, MetadataFormat, MetadataWriter, PackOptions, Packed, Patch, pack},
};
use js_sys::{Array, Object, Reflect, Uint8Array};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::{
    fail::{Outcome, text, thrown},
    opened::Opened,
    pairs,
    record::DocumentReader,
    threads,
    window::{self, Gate, Wants, Window},
};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Options {
    to: String,
    layout: String,
    compression: String,
    metadata_format: String,
    keep_going: bool,
    /// Bytes of samples that are read before they are written.
    window: u64,
    /// The input's name, for the document.
    source: String,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            to: String::new(),
            layout: "guide".into(),
            compression: "none".into(),
            metadata_format: "json".into(),
            keep_going: false,
            window: window::BYTES,
            source: String::new(),
        }
    }
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    samples: u64,
    output_bytes: u64,
    payload_bytes: u64,
    stored_bytes: u64,
    compressed_samples: u64,
    skipped_members: u64,
    faults: Vec<Fault>,
    notes: Vec<String>,
}

#[derive(Debug)]
enum Writer {
    Tbl { encoder: Option<Encoder>, pack: PackOptions, metadata: Option<MetadataWriter>, format: MetadataFormat },
    Tar { at: u64 },
}

/// What stands behind a file of an archive, at most.
static ZEROS: [u8; 512] = [0; 512];

#[wasm_bindgen]
extern "C" {
    /// A file that takes bytes.
    #[derive(Debug)]
    pub type Output;

    #[wasm_bindgen(method, catch)]
    fn write(this: &Output, at: f64, bytes: &[u8]) -> Outcome<()>;
}

/// Converts: `step`, and after every step `take` what is to be written; when it is done, `patches`.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Converter {
    opened: Rc<Opened>,
    options: Options,
    chosen: Option<Vec<u32>>,
    document: Option<DocumentReader>,
    gate: Gate,
    window: Option<Window>,
    next: u64,
    writer: Writer,
    /// Where `out` goes.
    at: u64,
    out: Vec<Bytes>,
    spool: Vec<u8>,
    summary: Summary,
    odd: Oddities,
}

struct Loaded {
    /// Its number in the source.
    i: u64,
    payload: Bytes,
    format: MediaFormat,
    width: u32,
    height: u32,
    record: Option<String>,
    /// Why the record keeps the metadata as text, where it does.
    kept: Option<Error>,
    /// As it is stored, in a TBL.
    packed: Option<Packed>,
}

fn argument(message: String) -> Error {
    Error::new(&codes::ARGUMENT, message)
}

impl Converter {
    pub(crate) fn new(opened: Rc<Opened>, options: &str, chosen: Option<Vec<u32>>) -> Result<Self> {
        let options: Options =
            serde_json::from_str(options).map_err(|e| argument(format!("the options of a conversion: {e}")))?;
        let len = opened.core.len();
        if let Some(i) = chosen.iter().flatten().find(|&&i| u64::from(i) >= len) {
            let message = format!("there are {len} samples, so none has the number {i}");
            return Err(Error::new(&codes::OUT_OF_RANGE, message).sample((*i).into()));
        }
        let unknown = |what: &str, word: &str| Err(argument(format!("there is no {what} {word:?}")));
        let writer = match options.to.as_str() {
            "tar" => Writer::Tar { at: 0 },
            "tbl" => {
                let layout = match options.layout.as_str() {
                    "guide" => Layout::Guide,
                    "turboloader" => Layout::Turboloader,
                    other => return unknown("layout", other),
                };
                let compression = match options.compression.as_str() {
                    "none" => Compression::None,
                    "lz4" => Compression::new(Codec::Lz4, None)?,
                    "zstd" => Compression::new(Codec::Zstd, None)?,
                    other => return unknown("compression", other),
                };
                let format = match options.metadata_format.as_str() {
                    "json" => MetadataFormat::Json,
                    "msgpack" => MetadataFormat::Msgpack,
                    other => return unknown("metadata format that is written here", other),
                };
                let count = chosen.as_ref().map_or(len, |c| c.len() as u64);
                let pack = PackOptions { layout, compression };
                Writer::Tbl { encoder: Some(Encoder::new(pack, Some(count))?), pack, metadata: None, format }
            }
            other => return unknown("output format", other),
        };
        let mut summary = Summary::default();
        if let Dataset::Tar(tar) = &opened.core {
            summary.skipped_members = tar.archive().skipped.total();
        }
        summary.faults.extend(opened.damage.as_ref().map(Fault::from));
        Ok(Converter {
            document: matches!(writer, Writer::Tbl { .. }).then(|| DocumentReader::new(opened.clone())),
            gate: Gate::new(&opened, true),
            opened,
            options,
            chosen,
            window: None,
            next: 0,
            writer,
            at: 0,
            out: Vec::new(),
            spool: Vec::new(),
            summary,
            odd: Oddities::default(),
        })
    }

    fn count(&self) -> u64 {
        self.chosen.as_ref().map_or(self.opened.core.len(), |c| c.len() as u64)
    }

    /// The window that begins with the sample in this place of the output.
    fn window_from(&self, place: u64) -> Window {
        let wants = Wants { payload: true, size: false, record: true };
        let chosen = self.chosen.as_deref();
        let sample = |k: u64| chosen.map_or(k, |c| c.get(k as usize).copied().unwrap_or_default().into());
        Window::fill(&self.opened, wants, self.options.window, &mut (place..self.count()).map(sample))
    }

    fn advance(&mut self) -> Result<Option<Vec<Range<u64>>>> {
        if let Some(document) = &mut self.document
            && let Some(need) = document.advance()?
        {
            return Ok(Some(need));
        }
        if let Some(document) = self.document.take() {
            self.begin_metadata(document)?;
        }
        if let Some(need) = self.gate.step(&self.opened)? {
            return Ok(Some(need));
        }
        let window = match self.window.take() {
            Some(window) => window,
            None if self.next >= self.count() => return self.end().map(|()| None),
            None => self.window_from(self.next),
        };
        let lacking = window.lacking();
        if !lacking.is_empty() {
            self.window = Some(window);
            return Ok(Some(lacking));
        }
        let first = self.next;
        let payloads = window.samples.iter().zip(window.payloads()).zip(first..);
        let loaded = payloads.map(|((&i, payload), id)| self.load(&window, i, id, payload?)).collect();
        for sample in self.packed(loaded) {
            let id = self.next;
            self.next += 1;
            match sample.and_then(|sample| self.write(sample, id)) {
                Err(e) if self.options.keep_going => self.summary.faults.push(Fault::from(&e)),
                other => other?,
            }
        }
        // What was written is taken while the next window is read; before the end there is nothing to read.
        if self.next >= self.count() {
            return Ok(Some(Vec::new()));
        }
        let next = self.window_from(self.next);
        let lacking = next.lacking();
        self.window = Some(next);
        Ok(Some(lacking))
    }

    /// The fields at the top of the document, as the command writes them.
    fn begin_metadata(&mut self, document: DocumentReader) -> Result<()> {
        let Writer::Tbl { pack, metadata, format, .. } = &mut self.writer else { return Ok(()) };
        let mut fields = document.into_found();
        if pack.layout == Layout::Turboloader {
            let lost: Vec<String> = fields.into_iter().map(|(key, _)| key).filter(|k| k != "source").collect();
            if !lost.is_empty() {
                let note = format!("the turboloader layout has no document; left out: {}", lost.join(", "));
                self.summary.notes.push(note);
            }
            fields = Default::default();
        } else if !self.opened.is_tbl() {
            fields.insert("source".into(), self.options.source.as_str().into());
        }
        *metadata = Some(MetadataWriter::new(pack.layout, *format, Document::Fields(fields))?);
        Ok(())
    }

    fn load(&self, window: &Window, i: u64, id: u64, payload: Bytes) -> Result<Loaded> {
        let Probe { format, width, height } = self.opened.core.written_info(i, &payload)?;
        let (record, kept) = window.record_as(i, id)?.map_or((None, None), |found| (Some(found.text), found.kept));
        if let Some(record) = &record {
            // What is written must not be more than what is read.
            self.opened.limits.item(record.len() as u64).map_err(|e| e.section("metadata").sample(i))?;
        }
        Ok(Loaded { i, payload, format, width, height, record, kept, packed: None })
    }

    /// Compresses, where that was asked for, and makes the checksums of a TBL.
    fn packed(&self, loaded: Vec<Result<Loaded>>) -> Vec<Result<Loaded>> {
        let Writer::Tbl { pack: options, .. } = &self.writer else { return loaded };
        let limits = &self.opened.limits;
        threads::map(loaded, |loaded| {
            let mut sample = loaded?;
            let packed = pack(sample.payload.clone(), sample.format, sample.width, sample.height, options)?;
            packed.check(limits)?;
            sample.packed = Some(packed);
            Ok(sample)
        })
    }

    fn write(&mut self, sample: Loaded, id: u64) -> Result<()> {
        let first = self.out.is_empty();
        if let Some(e) = &sample.kept {
            self.odd.kept(e);
        }
        match &mut self.writer {
            Writer::Tar { at } => {
                if let Some(name) = sample.record.as_deref().and_then(renamed) {
                    self.odd.renamed(id, &name);
                }
                let files = archive_files(id, sample.record.as_deref(), &sample.payload, sample.format)?;
                if first {
                    self.at = *at;
                }
                for file in files {
                    let padding = Bytes::from_static(&ZEROS).slice(..file.padding());
                    for piece in [file.header.into(), file.content, padding] {
                        *at += piece.len() as u64;
                        self.out.push(piece);
                    }
                }
                self.summary.stored_bytes += sample.payload.len() as u64;
            }
            Writer::Tbl { encoder, metadata, .. } => {
                if let Dataset::Tar(tar) = &self.opened.core
                    && let Some(name) = tar.name(sample.i)
                {
                    self.odd.taken_in(id, name);
                }
                let (Some(encoder), Some(packed)) = (encoder, sample.packed) else { return Ok(()) };
                let length = sample.payload.len() as u64;
                let place = encoder.count();
                // Samples that were left out move the numbers of those behind them.
                let record = match sample.record {
                    Some(record) if place != id => Some(record::renumber(&record, place)),
                    record => record,
                };
                let kept = metadata.as_ref().is_some_and(MetadataWriter::keeps_records) && record.is_some();
                let at = encoder.place(&packed, kept)?;
                if first {
                    self.at = at;
                }
                if let Some(metadata) = metadata {
                    metadata.add(record.as_deref(), &mut self.spool)?;
                }
                self.out.push(packed.stored.clone());
                self.out.push(Bytes::copy_from_slice(packed.trailer()));
                self.summary.stored_bytes += packed.stored.len() as u64;
                self.summary.compressed_samples += u64::from((packed.stored.len() as u64) < length);
            }
        }
        self.summary.samples += 1;
        self.summary.payload_bytes += sample.payload.len() as u64;
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        if let Writer::Tar { at } = &mut self.writer
            && self.summary.output_bytes == 0
        {
            self.at = *at;
            self.out.push(Bytes::from_static(&END));
            self.summary.output_bytes = *at + END.len() as u64;
        }
        Ok(())
    }
}

#[wasm_bindgen]
impl Converter {
    /// The ranges that are needed, perhaps none where there is something to take; nothing when all samples are written.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        Ok(self.advance().map_err(thrown)?.and_then(pairs))
    }

    /// The ranges that will be needed next, so that they can be read meanwhile.
    pub fn ahead(&self) -> Option<Vec<f64>> {
        let window = self.window.as_ref()?;
        pairs(self.window_from(self.next + window.samples.len() as u64).lacking())
    }

    /// Bytes of the file from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        let start = start as u64;
        if let Some(document) = &mut self.document {
            return document.take(start, bytes.into());
        }
        let Some(bytes) = self.gate.push(start, bytes.into()) else { return };
        if let Some(window) = &mut self.window {
            window.push(start, bytes);
        }
    }

    /// Samples done so far.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> f64 {
        self.next as f64
    }

    /// Samples in all.
    #[wasm_bindgen(getter)]
    pub fn total(&self) -> f64 {
        self.count() as f64
    }

    /// Where the bytes of [`take`](Self::take) go.
    #[wasm_bindgen(getter)]
    pub fn at(&self) -> f64 {
        self.at as f64
    }

    /// Bytes to write now; nothing where there are none. They follow each other.
    pub fn take(&mut self) -> Option<Uint8Array> {
        let length: usize = self.out.iter().map(Bytes::len).sum();
        let bytes = (length > 0).then(|| Uint8Array::new_with_length(length as u32));
        let mut at = 0;
        for piece in self.out.drain(..) {
            let end = at + piece.len() as u32;
            if let Some(bytes) = &bytes {
                bytes.subarray(at, end).copy_from(&piece);
            }
            at = end;
        }
        bytes
    }

    /// As [`take`](Self::take), piece by piece and from where they lie.
    pub fn drain(&mut self, output: &Output) -> Outcome<()> {
        for piece in self.out.drain(..) {
            output.write(self.at as f64, &piece)?;
            self.at += piece.len() as u64;
        }
        Ok(())
    }

    /// Bytes of the metadata, which wait for the end: a spool keeps them in order.
    #[wasm_bindgen(js_name = takeSpool)]
    pub fn take_spool(&mut self) -> Option<Uint8Array> {
        let bytes = (!self.spool.is_empty()).then(|| Uint8Array::from(self.spool.as_slice()));
        self.spool.clear();
        bytes
    }

    /// What is left to do to the output, in order: objects with `what` and the numbers that it takes.
    pub fn patches(&mut self) -> Outcome<Array> {
        let all = Array::new();
        let add = |what: &str, fields: &[(&str, JsValue)]| {
            let patch = Object::new();
            // Setting a field of a plain object cannot fail.
            let _ = Reflect::set(&patch, &"what".into(), &what.into());
            for (name, value) in fields {
                let _ = Reflect::set(&patch, &(*name).into(), value);
            }
            all.push(&patch);
        };
        let number = |n: u64| JsValue::from_f64(n as f64);
        let Writer::Tbl { encoder, metadata, .. } = &mut self.writer else {
            add("end", &[("len", number(self.summary.output_bytes))]);
            return Ok(all);
        };
        let Some(encoder) = encoder.take() else { return Ok(all) };
        let tail = metadata.take().and_then(MetadataWriter::finish);
        for patch in encoder.finish(tail).map_err(thrown)? {
            match patch {
                Patch::Move { from, to, len } => {
                    add("move", &[("from", number(from)), ("at", number(to)), ("len", number(len))]);
                }
                Patch::Bytes { at, bytes } => {
                    add("bytes", &[("at", number(at)), ("bytes", Uint8Array::from(bytes.as_slice()).into())]);
                }
                Patch::Zero { at, len } => add("zero", &[("at", number(at)), ("len", number(len))]),
                Patch::Spool { at, len } => add("spool", &[("at", number(at)), ("len", number(len))]),
                Patch::End { len } => {
                    self.summary.output_bytes = len;
                    add("end", &[("len", number(len))]);
                }
                other => return Err(thrown(argument(format!("the writer does not know {other:?}")))),
            }
        }
        Ok(all)
    }

    /// What was done, as JSON.
    pub fn finish(&mut self) -> String {
        self.summary.notes.extend(std::mem::take(&mut self.odd).notes());
        text(&self.summary)
    }
}
