//! Edits: a journal of changes to an opened file, and a new file of both.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;
use forebay::{
    Error, Limits, Result, Turn,
    codec::checksum::crc32,
    edits::{Apply, Change, Edited, Identity, Journal, Over, Piece},
    error::codes::ARGUMENT,
    samples::Opened,
    step::Pieces,
    tbl::Patch,
};
use js_sys::{Array, Object, Reflect, Uint8Array};
use serde::Serialize;
use serde_json::{Map, Value, json};
use wasm_bindgen::prelude::*;

use crate::{
    convert::Converter,
    dataset::Dataset,
    export::{LabelExporter, Which},
    fail::{Outcome, text, thrown},
    ranges::pairs,
};

/// Bytes of payloads that are copied at once.
const WINDOW: u64 = 8 << 20;
/// Bytes that a journal may have. A page holds it as text, and twice while it is opened.
const MOST: u64 = 512 << 20;

/// A journal of an opened file. What it gives out as text is to be written behind what it has: then it counts.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Edits {
    opened: Arc<Opened>,
    name: String,
    journal: Journal,
}

impl Edits {
    fn open(dataset: &Dataset, name: &str, found: &[u8]) -> Result<Edits> {
        let opened = dataset.opened.clone();
        let of = Identity::of(&opened.dataset, name)?;
        let limits = Limits::default().with_metadata_bytes(MOST);
        // A first line that was cut off is of a journal that never was.
        let journal = match found.contains(&b'\n') {
            true => Journal::parse(found, &limits)?,
            false => Journal::new(of.clone()).within(&limits),
        };
        journal.of().expect(&of)?;
        Ok(Edits { opened, name: name.to_owned(), journal })
    }

    fn added(&mut self, name: &str, payload: &[u8], at: f64, given: &str) -> Result<String> {
        let wrong = |e| Error::new(&ARGUMENT, format!("the added sample: {e}"));
        let mut fields: Map<String, Value> = serde_json::from_str(given).map_err(wrong)?;
        fields.insert("do".into(), "add".into());
        fields.insert("name".into(), name.into());
        fields.insert("at".into(), (at as u64).into());
        fields.insert("bytes".into(), payload.len().into());
        fields.insert("blob".into(), format!("{:08x}", crc32(payload)).into());
        self.journal.push(Change::parse(&Value::Object(fields).to_string())?)
    }
}

#[wasm_bindgen]
impl Edits {
    /// The journal of a file of this name; `found` is what there is of it, perhaps nothing.
    #[wasm_bindgen(constructor)]
    pub fn new(dataset: &Dataset, name: &str, found: &[u8]) -> Outcome<Edits> {
        Edits::open(dataset, name, found).map_err(thrown)
    }

    /// What a file of a journal begins with.
    #[wasm_bindgen(js_name = firstLine)]
    pub fn first_line(&self) -> String {
        self.journal.first_line()
    }

    /// All lines, as a file of the journal has them.
    pub fn text(&self) -> Uint8Array {
        Uint8Array::from(self.journal.text().as_bytes())
    }

    /// Makes a change; its line.
    pub fn change(&mut self, said: &str) -> Outcome<String> {
        Change::parse(said).and_then(|change| self.journal.push(change)).map_err(thrown)
    }

    /// Adds a sample whose bytes stand at this place beside the journal; its line.
    pub fn add(&mut self, name: &str, payload: &[u8], at: f64, given: &str) -> Outcome<String> {
        self.added(name, payload, at, given).map_err(thrown)
    }

    /// What there is, as JSON.
    pub fn about(&self) -> String {
        let journal = &self.journal;
        text(&json!({
            "digest": journal.of().digest,
            "samples": journal.of().samples + journal.added(),
            "changes": journal.changes().len(),
            "dirty": journal.is_dirty(),
            "canUndo": journal.can_undo(),
            "canRedo": journal.can_redo(),
            "whole": journal.whole(),
            "torn": journal.torn(),
        }))
    }

    /// A sample's record with its changes, as JSON text; `record` is what the file says of it.
    pub fn record(&self, sample: f64, record: Option<String>) -> Outcome<String> {
        let edited = Edited::new(self.journal.clone());
        edited.record(sample as u64, sample as u64, record.as_deref()).map_err(thrown)
    }

    /// Begins writing the labels that the new file would have; `options` is JSON. The bytes of added samples, this many, follow
    /// those of the file, of which there are `file_len`.
    #[wasm_bindgen(js_name = exportLabels)]
    pub fn export_labels(&self, options: &str, file_len: f64, blobs: f64) -> Outcome<LabelExporter> {
        let begin = || {
            let over = Over::new(Arc::new(Edited::new(self.journal.clone())), blobs as u64)?;
            LabelExporter::new(&self.opened, options, Which::Over(Arc::new(over), file_len as u64))
        };
        begin().map_err(thrown)
    }

    /// Begins writing a new file of which each sample is made anew: a TAR, or a TBL of one. As of
    /// [`export_labels`](Self::export_labels).
    pub fn rewrite(&self, options: &str, file_len: f64, blobs: f64) -> Outcome<Converter> {
        let begin = || {
            let over = Over::new(Arc::new(Edited::new(self.journal.clone())), blobs as u64)?;
            Converter::over(self.opened.clone(), options, file_len as u64, Arc::new(over))
        };
        begin().map_err(thrown)
    }

    /// The numbers of the samples in their new order, without those that are left out.
    pub fn order(&self) -> Vec<f64> {
        let edited = Edited::new(self.journal.clone());
        (0..edited.len()).filter_map(|place| edited.at(place)).map(|sample| sample as f64).collect()
    }

    /// Where the bytes of an added sample are beside the journal: their place, and how many; nothing for a sample of the file.
    #[wasm_bindgen(js_name = addedAt)]
    pub fn added_at(&self, sample: f64) -> Option<Vec<f64>> {
        let edited = Edited::new(self.journal.clone());
        edited.added(sample as u64).map(|added| vec![added.blob.at as f64, added.blob.bytes as f64])
    }

    /// How many samples of the file have other metadata, how many are left out, and how many are new.
    pub fn counts(&self) -> Vec<f64> {
        let (changed, removed, added) = Edited::new(self.journal.clone()).counts();
        vec![changed as f64, removed as f64, added as f64]
    }

    /// Begins making the new file, or what is to be written into the file as it is; the bytes of added samples, this many, follow
    /// those of the file.
    pub fn apply(&self, blobs: f64, in_place: bool) -> Outcome<Applier> {
        let edited = Arc::new(Edited::new(self.journal.clone()));
        let work = Apply::new(&self.opened.dataset, &self.name, edited.clone(), blobs as u64, in_place);
        let work = work.map_err(thrown)?;
        Ok(Applier {
            in_place,
            total: work.total(),
            work: Some(work),
            edited,
            copy: None,
            pieces: Pieces::default(),
            at: 0,
            out: Vec::new(),
            spool: Vec::new(),
            done: 0,
            bytes: 0,
        })
    }
}

/// Makes the new file: `step`, and after every step `take` what is to be written; when it is done, `patches`.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Applier {
    work: Option<Apply>,
    edited: Arc<Edited>,
    in_place: bool,
    /// A range that is being copied, and where it goes.
    copy: Option<(Range<u64>, u64)>,
    pieces: Pieces,
    at: u64,
    out: Vec<Bytes>,
    spool: Vec<u8>,
    done: u64,
    total: u64,
    bytes: u64,
}

impl Applier {
    /// How often each sample is counted: in place no payload is placed.
    fn passes(&self) -> u64 {
        if self.in_place { 1 } else { 2 }
    }

    fn turn(&mut self) -> Result<Option<Vec<Range<u64>>>> {
        loop {
            if let Some((from, to)) = &mut self.copy {
                let chunk = from.start..from.end.min(from.start.saturating_add(WINDOW));
                let Some(bytes) = self.pieces.get(chunk.clone()) else {
                    return Ok(Some(self.pieces.lacking(chunk)));
                };
                (self.at, self.out) = (*to, vec![bytes]);
                (from.start, *to) = (chunk.end, *to + (chunk.end - chunk.start));
                self.pieces = Pieces::default();
                if from.start == from.end {
                    self.copy = None;
                }
                return Ok(Some(Vec::new()));
            }
            let Some(work) = &mut self.work else { return Ok(None) };
            let turn = work.step()?;
            self.done = work.done();
            match turn {
                Turn::Need(ranges) => return Ok(Some(ranges)),
                Turn::Item(Piece::Copy { from, to }) => self.copy = Some((from, to)),
                Turn::Item(Piece::Bytes { bytes, .. }) if bytes.is_empty() => {}
                Turn::Item(Piece::Bytes { at, bytes }) => {
                    (self.at, self.out) = (at, bytes);
                    return Ok(Some(Vec::new()));
                }
                Turn::Item(Piece::Spool(bytes)) => {
                    self.spool = bytes;
                    return Ok(Some(Vec::new()));
                }
                Turn::Done => return Ok(None),
            }
        }
    }
}

#[wasm_bindgen]
impl Applier {
    /// The ranges that are needed, perhaps none where there is something to take; nothing when all is written.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        Ok(self.turn().map_err(thrown)?.and_then(pairs))
    }

    /// Bytes of the file from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        let bytes = Bytes::from(bytes);
        match (&self.copy, &mut self.work) {
            (None, Some(work)) => work.push(start as u64, bytes),
            _ => self.pieces.push(start as u64, bytes),
        }
    }

    /// Samples done so far.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> f64 {
        (self.done / self.passes()) as f64
    }

    /// Samples in all.
    #[wasm_bindgen(getter)]
    pub fn total(&self) -> f64 {
        (self.total / self.passes()) as f64
    }

    /// Where the bytes of [`take`](Self::take) go.
    #[wasm_bindgen(getter)]
    pub fn at(&self) -> f64 {
        self.at as f64
    }

    /// Bytes to write now; nothing if there are none.
    pub fn take(&mut self) -> Option<Uint8Array> {
        let out = std::mem::take(&mut self.out);
        (!out.is_empty()).then(|| Uint8Array::from(out.concat().as_slice()))
    }

    /// Bytes of the metadata, which wait for the end: a spool keeps them in order.
    #[wasm_bindgen(js_name = takeSpool)]
    pub fn take_spool(&mut self) -> Option<Uint8Array> {
        let bytes = std::mem::take(&mut self.spool);
        (!bytes.is_empty()).then(|| Uint8Array::from(bytes.as_slice()))
    }

    /// What is left to do to the output, in order: objects with `what` and the numbers that it takes. In place `flush` stands where
    /// all before it must be durable.
    pub fn patches(&mut self) -> Outcome<Array> {
        let all = Array::new();
        let Some(work) = self.work.take() else { return Ok(all) };
        let landing = work.finish().map_err(thrown)?;
        for (part, durable) in [(landing.first, true), (landing.header, true), (landing.last, false)] {
            for patch in part {
                if let Patch::End { len } = &patch {
                    self.bytes = *len;
                }
                all.push(&described(&patch).map_err(thrown)?.into());
            }
            if durable && self.in_place {
                all.push(&object("flush", 0, 0, 0).into());
            }
        }
        Ok(all)
    }

    /// What was done, as JSON.
    pub fn finish(&mut self) -> String {
        let (changed, removed, added) = self.edited.counts();
        text(&Written { samples: self.edited.len(), changed, removed, added, output_bytes: self.bytes })
    }
}

/// The result of saving changes.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "EditsWritten"))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Written {
    /// Samples in the new file.
    samples: u64,
    /// Samples of the old one with other metadata.
    changed: u64,
    /// Samples of the old one that are left out.
    removed: u64,
    /// New samples.
    added: u64,
    /// Bytes of the new file.
    output_bytes: u64,
}

/// A patch as an object.
fn described(patch: &Patch) -> Result<Object> {
    Ok(match patch {
        Patch::Bytes { at, bytes } => {
            let object = object("bytes", *at, 0, 0);
            field(&object, "bytes", Uint8Array::from(bytes.as_slice()).into());
            object
        }
        Patch::Zero { at, len } => object("zero", *at, *len, 0),
        Patch::Spool { at, len } => object("spool", *at, *len, 0),
        Patch::Move { from, to, len } => object("move", *to, *len, *from),
        Patch::End { len } => object("end", 0, *len, 0),
        other => return Err(Error::new(&ARGUMENT, format!("nothing is {other:?}"))),
    })
}

fn object(what: &str, at: u64, len: u64, from: u64) -> Object {
    let object = Object::new();
    field(&object, "what", what.into());
    for (name, value) in [("at", at), ("len", len), ("from", from)] {
        field(&object, name, JsValue::from_f64(value as f64));
    }
    object
}

/// Sets a field of a plain object, which cannot fail.
fn field(object: &Object, name: &str, value: JsValue) {
    drop(Reflect::set(object, &name.into(), &value));
}
