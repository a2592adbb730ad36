//! Reading one sample's metadata, or the document beside them.

use std::{ops::Range, rc::Rc};

use bytes::Bytes;
use forebay::{
    Result, Step, Stepper,
    dataset::Dataset as Core,
    step::Pieces,
    tbl::{Metadata, OpenMetadata},
};
use serde_json::{Map, Value};
use wasm_bindgen::prelude::*;

use crate::{
    fail::{Outcome, text, thrown},
    opened::Opened,
    ranges::pairs,
};

/// Samples whose places in the metadata are read at once, 8 bytes each: whoever looks at a sample looks at its
/// neighbours next.
const RUN: u64 = 8192;

/// Reads one sample's metadata.
#[wasm_bindgen]
#[derive(Debug)]
pub struct RecordReader {
    opened: Rc<Opened>,
    i: u64,
    open: Option<OpenMetadata>,
    pieces: Pieces,
    found: Option<String>,
}

impl RecordReader {
    pub(crate) fn new(opened: Rc<Opened>, i: u64) -> Self {
        let mut reader = RecordReader { i, open: None, pieces: Pieces::default(), found: None, opened };
        if let Core::Tbl(tbl) = &reader.opened.core
            && reader.metadata(|_| ()).is_none()
        {
            let first = i / RUN * RUN;
            let open = OpenMetadata::new(tbl);
            reader.open = Some(if tbl.header().sample_index.is_some() { open.only(first..first + RUN) } else { open });
        }
        reader
    }

    /// Does something with the metadata that covers the sample.
    fn metadata<T>(&self, then: impl FnOnce(&Metadata) -> T) -> Option<T> {
        if let Some(metadata) = self.opened.metadata.get() {
            return Some(then(metadata));
        }
        let run = self.opened.run.borrow();
        run.as_ref().filter(|(first, _)| *first == self.i / RUN * RUN).map(|(_, metadata)| then(metadata))
    }

    fn advance(&mut self) -> Result<Option<Vec<Range<u64>>>> {
        if let Some(open) = &mut self.open {
            match open.step()? {
                Step::Need(ranges) => return Ok(Some(ranges)),
                Step::Done(metadata) => {
                    let indexed = match &self.opened.core {
                        Core::Tbl(tbl) => tbl.header().sample_index.is_some(),
                        _ => false,
                    };
                    if indexed {
                        *self.opened.run.borrow_mut() = Some((self.i / RUN * RUN, metadata));
                    } else {
                        self.opened.metadata.get_or_init(|| metadata);
                    }
                    self.open = None;
                }
            }
        }
        let core = &self.opened.core;
        let ranges = match self.metadata(|m| core.record_ranges(self.i, Some(m))) {
            Some(ranges) => ranges?,
            None => core.record_ranges(self.i, None)?,
        };
        let lacking: Vec<_> = ranges.into_iter().flat_map(|r| self.pieces.lacking(r)).collect();
        if !lacking.is_empty() {
            return Ok(Some(lacking));
        }
        let fetch = |range: Range<u64>| self.pieces.expect(range);
        self.found = match self.metadata(|m| core.record(self.i, Some(m), fetch)) {
            Some(record) => record?,
            None => core.record(self.i, None, fetch)?,
        };
        Ok(None)
    }
}

#[wasm_bindgen]
impl RecordReader {
    /// The ranges that are needed; nothing when it is done.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        Ok(self.advance().map_err(thrown)?.and_then(pairs))
    }

    /// Bytes of the file from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        match &mut self.open {
            Some(open) => open.push(start as u64, bytes.into()),
            None => self.pieces.push(start as u64, bytes.into()),
        }
    }

    /// The metadata as JSON; nothing where there is none.
    pub fn finish(&mut self) -> Option<String> {
        self.found.take()
    }
}

/// Reads the document beside the samples' metadata.
#[wasm_bindgen]
#[derive(Debug)]
pub struct DocumentReader {
    opened: Rc<Opened>,
    pieces: Pieces,
    found: Map<String, Value>,
}

impl DocumentReader {
    pub(crate) fn new(opened: Rc<Opened>) -> Self {
        DocumentReader { opened, pieces: Pieces::default(), found: Map::new() }
    }

    pub(crate) fn advance(&mut self) -> Result<Option<Vec<Range<u64>>>> {
        let Core::Tbl(tbl) = &self.opened.core else { return Ok(None) };
        if let Some(fault) = &tbl.header().metadata_fault {
            return Err(fault.error());
        }
        let Some(range) = tbl.header().metadata.clone() else { return Ok(None) };
        self.opened.limits.metadata(range.end - range.start).map_err(|e| e.section("metadata"))?;
        let Some(section) = self.pieces.get(range.clone()) else { return Ok(Some(self.pieces.lacking(range))) };
        self.found = tbl.document(&section)?;
        Ok(None)
    }

    pub(crate) fn take(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }

    #[cfg(feature = "convert")]
    pub(crate) fn into_found(self) -> Map<String, Value> {
        self.found
    }
}

#[wasm_bindgen]
impl DocumentReader {
    /// The ranges that are needed; nothing when it is done.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        Ok(self.advance().map_err(thrown)?.and_then(pairs))
    }

    /// Bytes of the file from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        self.take(start as u64, bytes.into());
    }

    /// The document as JSON.
    pub fn finish(&mut self) -> String {
        text(&self.found)
    }
}
