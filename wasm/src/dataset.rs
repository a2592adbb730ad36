//! An opened file as JavaScript has it: what its index says, payloads, metadata, and all work on it.

use std::sync::Arc;

use forebay::{
    Error,
    codec::Codec,
    filter::Filter,
    formats::Format,
    sample::{MediaFormat, SampleInfo},
    samples::{self, Dataset as Core, Opened},
};
use js_sys::{Float64Array, Uint8Array, Uint32Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;

#[cfg(feature = "samples")]
use crate::convert::Converter;
#[cfg(feature = "labels")]
use crate::export::{LabelExporter, Which};
use crate::{
    check::Checker,
    fail::{Outcome, json, text, thrown},
    record::{DocumentReader, RecordReader},
    select::Selector,
    threads,
};

/// Samples whose index is turned into columns at once: bounds the memory that this takes.
const CHUNK: u64 = 1 << 16;
/// Marks a damaged entry in the column of codecs.
const DAMAGED: u8 = 255;

#[derive(Serialize)]
struct About {
    format: &'static str,
    length: u64,
    layout: Option<&'static str>,
    compression: Option<Codec>,
    #[serde(rename = "metadataFormat")]
    metadata_format: Option<&'static str>,
    members: Option<u64>,
    #[serde(rename = "skippedMembers")]
    skipped_members: Option<u64>,
    notes: Vec<String>,
}

/// An opened file.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Dataset {
    pub(crate) opened: Arc<Opened>,
}

impl Dataset {
    pub(crate) fn new(opened: Opened) -> Self {
        Dataset { opened: Arc::new(opened) }
    }
}

#[wasm_bindgen]
impl Dataset {
    /// How many samples there are.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> f64 {
        self.opened.dataset.len() as f64
    }

    /// Format and what the file says about itself, as JSON.
    pub fn about(&self) -> String {
        let core = &self.opened.dataset;
        let mut about = About {
            format: core.format().name(),
            length: core.len(),
            layout: None,
            compression: None,
            metadata_format: None,
            members: None,
            skipped_members: None,
            notes: Vec::new(),
        };
        match core {
            Core::Tbl(tbl) => {
                let header = tbl.header();
                about.layout = Some(header.layout.name());
                about.compression = Some(header.codec);
                about.metadata_format = header.metadata_format.map(|f| f.name());
                about.notes.extend(header.metadata_fault.as_ref().map(|fault| fault.error().to_string()));
            }
            Core::Tar(tar) => {
                about.members = Some(tar.archive().members.len() as u64);
                about.skipped_members = Some(tar.archive().skipped.total());
            }
            #[cfg(feature = "samples")]
            Core::Zip(zip) => {
                about.members = Some(zip.members());
                about.skipped_members = Some(zip.left_out().total());
            }
            _ => {}
        }
        about.notes.extend(core.notes());
        text(&about)
    }

    /// What was found first to be wrong with a TAR, as JSON.
    pub fn damage(&self) -> Option<String> {
        self.opened.dataset.passed().first().map(|e| &**e).or(self.opened.damage.as_ref()).map(json)
    }

    /// Takes the place of what was known so far: a TAR of which more was read. Samples keep their numbers.
    pub fn replace(&mut self, mut with: Dataset) {
        // Work that goes on over the old one finds sizes for the new one too.
        if let Some(opened) = Arc::get_mut(&mut with.opened) {
            opened.inherit(&self.opened);
        }
        self.opened = with.opened;
    }

    /// What the scan of a TAR of `file_len` bytes found, to be kept for the next opening; nothing for other files
    /// and for archives that are damaged or not yet wholly scanned.
    pub fn kept(&self, file_len: f64) -> Option<Vec<u8>> {
        match &self.opened.dataset {
            Core::Tar(tar) => tar.archive().to_kept(file_len as u64),
            _ => None,
        }
    }

    /// Fills the columns of the index from sample `from` on. They lie outside this module's memory.
    #[allow(clippy::too_many_arguments)] // one a column
    pub fn columns(
        &self,
        from: f64,
        width: &Uint32Array,
        height: &Uint32Array,
        bytes: &Float64Array,
        stored: &Float64Array,
        offset: &Float64Array,
        format: &Uint8Array,
        codec: &Uint8Array,
    ) {
        let len = self.opened.dataset.len();
        let first = from as u64;
        let mut start = first;
        while start < len {
            let end = len.min(start + CHUNK);
            let n = (end - start) as usize;
            let (mut w, mut h) = (Vec::with_capacity(n), Vec::with_capacity(n));
            let (mut b, mut s, mut o) = (Vec::with_capacity(n), Vec::with_capacity(n), Vec::with_capacity(n));
            let (mut f, mut c) = (Vec::with_capacity(n), Vec::with_capacity(n));
            for i in start..end {
                let info = self.opened.info(i);
                let damaged = info.is_err();
                let info = info.unwrap_or_else(|_| SampleInfo::new(i, MediaFormat::Unknown));
                w.push(info.width);
                h.push(info.height);
                b.push(info.bytes as f64);
                s.push(info.stored_bytes as f64);
                o.push(info.offset as f64);
                f.push(info.format.code());
                c.push(if damaged { DAMAGED } else { codec_code(info.codec) });
            }
            let (from, to) = ((start - first) as u32, (end - first) as u32);
            width.subarray(from, to).copy_from(&w);
            height.subarray(from, to).copy_from(&h);
            bytes.subarray(from, to).copy_from(&b);
            stored.subarray(from, to).copy_from(&s);
            offset.subarray(from, to).copy_from(&o);
            format.subarray(from, to).copy_from(&f);
            codec.subarray(from, to).copy_from(&c);
            start = end;
        }
    }

    /// Names of an archive's samples from `from` to `to`, parted by NUL, which no name contains; nothing for a TBL.
    pub fn names(&self, from: f64, to: f64) -> Option<String> {
        let core = &self.opened.dataset;
        if !matches!(core.format(), Format::Tar | Format::Zip) {
            return None;
        }
        let mut names = String::new();
        for i in from as u64..(to as u64).min(core.len()) {
            if i > from as u64 {
                names.push('\0');
            }
            names.push_str(core.file_name(i).unwrap_or_default());
        }
        Some(names)
    }

    /// Start and end of the bytes of sample `i` that [`decode`](Self::decode) wants.
    pub fn plan(&self, i: f64) -> Outcome<Vec<f64>> {
        let range = self.opened.dataset.plan(i as u64).map_err(thrown)?.range();
        Ok(vec![range.start as f64, range.end as f64])
    }

    /// Verifies and decompresses sample `i`'s payload. Nothing if the payload lies in `bytes` as it is, from
    /// their beginning, as long as the index says.
    pub fn decode(&self, i: f64, bytes: Vec<u8>, verify: bool) -> Outcome<Option<Vec<u8>>> {
        let (plan, bytes) = (self.opened.dataset.plan(i as u64).map_err(thrown)?, bytes.into());
        let payload = match verify {
            true => plan.decode(&bytes, &self.opened.limits),
            false => plan.decode_unverified(&bytes, &self.opened.limits),
        };
        let payload = payload.map_err(thrown)?;
        Ok((!plan.is_plain()).then(|| payload.into()))
    }

    /// Begins reading sample `i`'s metadata.
    pub fn record(&self, i: f64) -> Outcome<RecordReader> {
        self.opened.dataset.info(i as u64).map(|_| ()).or_else(damage_only).map_err(thrown)?;
        Ok(RecordReader::new(samples::RecordReader::new(self.opened.clone(), i as u64)))
    }

    /// Begins reading the document beside the samples' metadata.
    pub fn document(&self) -> DocumentReader {
        DocumentReader::new(samples::DocumentReader::new(self.opened.clone()))
    }

    /// Begins looking for the samples that `filter` accepts; with `stats`, counts them, by the class in the
    /// metadata field `label` where it is not empty.
    pub fn select(&self, filter: &str, stats: bool, label: &str) -> Outcome<Selector> {
        Selector::new(self.opened.clone(), filter, stats, label).map_err(thrown)
    }

    /// Begins a check of the samples from `start` to `end`: of all of them, or of a part that one of several workers
    /// has. The first part of a file says what is wrong with its index, the last what is wrong beside the samples. Reads so
    /// many bytes at a time, if that is said.
    pub fn check(&self, start: f64, end: f64, window: Option<f64>) -> Checker {
        let len = self.opened.dataset.len();
        let end = (end as u64).min(len);
        let samples = (start as u64).min(end)..end;
        Checker(samples::Checker::new(&self.opened, samples, threads::count(), window.map(|bytes| bytes as u64)))
    }
}

#[cfg(feature = "samples")]
#[wasm_bindgen]
impl Dataset {
    /// Begins a conversion of the samples `chosen`, in that order, or of all; `options` is JSON.
    pub fn convert(&self, options: &str, chosen: Option<Vec<u32>>) -> Outcome<Converter> {
        Converter::new(self.opened.clone(), options, chosen).map_err(thrown)
    }
}

#[cfg(feature = "labels")]
#[wasm_bindgen]
impl Dataset {
    /// Begins writing the labels of the samples `chosen`, in that order, or of all; `options` is JSON.
    #[wasm_bindgen(js_name = exportLabels)]
    pub fn export_labels(&self, options: &str, chosen: Option<Vec<u32>>) -> Outcome<LabelExporter> {
        LabelExporter::new(&self.opened, options, Which::Chosen(chosen)).map_err(thrown)
    }
}

/// A damaged entry may still have metadata; a sample that does not exist has not.
fn damage_only(e: Error) -> forebay::Result<()> {
    if e.kind() == forebay::error::Kind::Damaged { Ok(()) } else { Err(e) }
}

fn codec_code(codec: Codec) -> u8 {
    match codec {
        Codec::None => 0,
        Codec::Lz4 => 1,
        Codec::Zstd => 2,
        Codec::Deflate => 3,
        Codec::Packed => 4,
        _ => DAMAGED,
    }
}

/// Refuses a filter that cannot be read, before anything is opened: the search box asks while somebody types. Its
/// canonical text.
#[wasm_bindgen(js_name = parseFilter)]
pub fn parse_filter(filter: &str) -> Outcome<String> {
    Filter::parse(filter).map(|f| f.to_string()).map_err(thrown)
}
