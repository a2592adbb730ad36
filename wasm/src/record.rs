//! Reading one sample's metadata, or the document beside them.

use forebay::{Step, Stepper, samples};
use wasm_bindgen::prelude::*;

use crate::{
    fail::{Outcome, text, thrown},
    ranges::pairs,
};

/// Reads one sample's metadata.
#[wasm_bindgen]
#[derive(Debug)]
pub struct RecordReader {
    work: samples::RecordReader,
    found: Option<String>,
}

impl RecordReader {
    pub(crate) fn new(work: samples::RecordReader) -> Self {
        RecordReader { work, found: None }
    }
}

#[wasm_bindgen]
impl RecordReader {
    /// The ranges that are needed; nothing when it is done.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        Ok(match self.work.step().map_err(thrown)? {
            Step::Need(ranges) => pairs(ranges),
            Step::Done(found) => {
                self.found = found;
                None
            }
        })
    }

    /// Bytes of the file from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        self.work.push(start as u64, bytes.into());
    }

    /// The metadata as JSON; nothing if there is none.
    pub fn finish(&mut self) -> Option<String> {
        self.found.take()
    }
}

/// Reads the document beside the samples' metadata.
#[wasm_bindgen]
#[derive(Debug)]
pub struct DocumentReader {
    work: samples::DocumentReader,
    found: String,
}

impl DocumentReader {
    pub(crate) fn new(work: samples::DocumentReader) -> Self {
        DocumentReader { work, found: String::new() }
    }
}

#[wasm_bindgen]
impl DocumentReader {
    /// The ranges that are needed; nothing when it is done.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        Ok(match self.work.step().map_err(thrown)? {
            Step::Need(ranges) => pairs(ranges),
            Step::Done(found) => {
                self.found = text(&found);
                None
            }
        })
    }

    /// Bytes of the file from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        self.work.push(start as u64, bytes.into());
    }

    /// The document as JSON.
    pub fn finish(&mut self) -> String {
        std::mem::take(&mut self.found)
    }
}
