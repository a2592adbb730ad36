//! Conversion: samples in by range, bytes out with their positions.

use std::sync::Arc;

#[cfg(feature = "labels")]
use forebay::samples::Overlay;
use forebay::{
    Error, Result, Turn,
    check::Fault,
    codec::{Codec, Compression},
    error::codes,
    formats::Format,
    samples::{Conversion, ConversionOptions, Form, MetadataChoice, Opened},
    tbl::{Layout, MetadataFormat, PackOptions, Patch},
};
use js_sys::{Array, Object, Reflect, Uint8Array};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::{
    fail::{Outcome, text, thrown},
    ranges::pairs,
    threads,
    words::{chosen, unknown},
};

/// How samples are written.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SamplesConversion"))]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Options {
    /// The format to write.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["tbl", "tar"])))]
    to: String,
    /// TBL: the layout. Default: `guide`.
    #[cfg_attr(feature = "schema", schemars(schema_with = "crate::words::any::<Layout>"))]
    layout: Option<String>,
    /// TBL: `none`, `lz4` (level 1). Default: `none`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["none", "lz4"])))]
    compression: Option<String>,
    /// TBL: how metadata is written down. Default: `json`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["json", "msgpack"])))]
    metadata_format: Option<String>,
    /// Leave broken samples out and list them, instead of stopping at the first.
    keep_going: bool,
    /// Bytes of samples that are read before they are written.
    #[cfg_attr(feature = "schema", schemars(skip))]
    window: Option<u64>,
    /// The input's name, for the document.
    #[cfg_attr(feature = "schema", schemars(skip))]
    source: String,
}

fn argument(message: String) -> Error {
    Error::new(&codes::ARGUMENT, message)
}

impl Options {
    fn parse(text: &str) -> Result<ConversionOptions> {
        let given: Options =
            serde_json::from_str(text).map_err(|e| argument(format!("the options of a conversion: {e}")))?;
        let form = match Format::from_name(&given.to) {
            Some(Format::Tar) => Form::Tar,
            Some(Format::Tbl) => {
                let layout = chosen("layout", given.layout.as_deref(), Layout::Guide)?;
                let codec = chosen("compression", given.compression.as_deref(), Codec::None)?;
                Form::Tbl(PackOptions::new(layout, Compression::new(codec, None)?))
            }
            _ => return Err(unknown("output format", &given.to)),
        };
        let mut options = ConversionOptions::new(form);
        let what = "metadata format that is written here";
        options.metadata =
            MetadataChoice::of(match chosen(what, given.metadata_format.as_deref(), MetadataFormat::Json)? {
                // It has a schema, which only its owner knows.
                MetadataFormat::Protobuf => return Err(unknown(what, MetadataFormat::Protobuf.name())),
                format => format,
            });
        options.keep_going = given.keep_going;
        options.window = given.window.unwrap_or(options.window);
        options.source = given.source;
        Ok(options)
    }
}

/// The result of converting samples.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SamplesConverted"))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Summary<'a> {
    /// Samples written.
    samples: u64,
    /// Bytes of the output.
    output_bytes: u64,
    /// Bytes of the payloads before compression.
    payload_bytes: u64,
    /// Bytes of the payloads as stored.
    stored_bytes: u64,
    /// Samples that compression made smaller.
    compressed_samples: u64,
    /// Folders, links and devices of an archive, which were left out.
    skipped_members: u64,
    /// The samples left out with `keepGoing`, and why.
    faults: &'a [Fault],
    /// Things worth knowing.
    notes: &'a [String],
}

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
    work: Conversion,
    skipped_members: u64,
}

#[cfg(feature = "labels")]
impl Converter {
    /// Begins writing the samples of a file of that length with what changes there are over it; `options` is JSON.
    pub(crate) fn over(opened: Arc<Opened>, options: &str, file_len: u64, changes: Arc<dyn Overlay>) -> Result<Self> {
        let work = Conversion::over(opened, Options::parse(options)?, file_len, changes)?;
        Ok(Converter { work, skipped_members: 0 })
    }
}

#[cfg(feature = "samples")]
impl Converter {
    pub(crate) fn new(opened: Arc<Opened>, options: &str, chosen: Option<Vec<u32>>) -> Result<Self> {
        let skipped_members = opened.dataset.tar().map_or(0, |tar| tar.archive().skipped.total());
        let skipped_members = skipped_members + opened.dataset.zip().map_or(0, |zip| zip.left_out().total());
        Ok(Converter { work: Conversion::new(opened, Options::parse(options)?, chosen)?, skipped_members })
    }
}

#[wasm_bindgen]
impl Converter {
    /// The ranges that are needed, perhaps none where there is something to take; nothing when all samples are written.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        Ok(match self.work.step().map_err(thrown)? {
            Turn::Need(ranges) => pairs(ranges),
            Turn::Item(batch) => {
                let made = threads::map(batch.places().collect(), |k| batch.make(k));
                drop(batch);
                self.work.write(made).map_err(thrown)?;
                pairs(self.work.needs())
            }
            Turn::Done => None,
        })
    }

    /// The ranges that will be needed next, so that they can be read meanwhile.
    pub fn ahead(&self) -> Option<Vec<f64>> {
        pairs(self.work.ahead()?)
    }

    /// Bytes of the file from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        self.work.push(start as u64, bytes.into());
    }

    /// Samples done so far.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> f64 {
        self.work.made() as f64
    }

    /// Samples in all.
    #[wasm_bindgen(getter)]
    pub fn total(&self) -> f64 {
        self.work.total() as f64
    }

    /// Where the bytes of [`take`](Self::take) go.
    #[wasm_bindgen(getter)]
    pub fn at(&self) -> f64 {
        self.work.at() as f64
    }

    /// Bytes to write now; nothing if there are none. They follow each other.
    pub fn take(&mut self) -> Option<Uint8Array> {
        let length: usize = self.work.pieces().map(<[u8]>::len).sum();
        let bytes = (length > 0).then(|| Uint8Array::new_with_length(length as u32));
        let mut at = 0;
        for piece in self.work.pieces() {
            let end = at + piece.len() as u32;
            if let Some(bytes) = &bytes {
                bytes.subarray(at, end).copy_from(piece);
            }
            at = end;
        }
        self.work.written();
        bytes
    }

    /// As [`take`](Self::take), piece by piece and from where they lie.
    pub fn drain(&mut self, output: &Output) -> Outcome<()> {
        let mut at = self.work.at();
        for piece in self.work.pieces().filter(|piece| !piece.is_empty()) {
            output.write(at as f64, piece)?;
            at += piece.len() as u64;
        }
        self.work.written();
        Ok(())
    }

    /// Bytes of the metadata, which wait for the end: a spool keeps them in order.
    #[wasm_bindgen(js_name = takeSpool)]
    pub fn take_spool(&mut self) -> Option<Uint8Array> {
        let bytes = self.work.take_spool();
        (!bytes.is_empty()).then(|| Uint8Array::from(bytes.as_slice()))
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
        for patch in self.work.finish().map_err(thrown)? {
            match patch {
                Patch::Move { from, to, len } => {
                    add("move", &[("from", number(from)), ("at", number(to)), ("len", number(len))]);
                }
                Patch::Bytes { at, bytes } => {
                    add("bytes", &[("at", number(at)), ("bytes", Uint8Array::from(bytes.as_slice()).into())]);
                }
                Patch::Zero { at, len } => add("zero", &[("at", number(at)), ("len", number(len))]),
                Patch::Spool { at, len } => add("spool", &[("at", number(at)), ("len", number(len))]),
                Patch::End { len } => add("end", &[("len", number(len))]),
                other => return Err(thrown(argument(format!("the writer does not know {other:?}")))),
            }
        }
        Ok(all)
    }

    /// What was done, as JSON.
    pub fn finish(&mut self) -> String {
        let done = self.work.converted();
        text(&Summary {
            samples: done.counts.samples,
            output_bytes: done.output_bytes,
            payload_bytes: done.counts.payload_bytes,
            stored_bytes: done.counts.stored_bytes,
            compressed_samples: done.counts.compressed_samples,
            skipped_members: self.skipped_members,
            faults: &done.faults,
            notes: &done.notes,
        })
    }
}
