//! The samples that a filter accepts, and statistics of them.

use std::sync::Arc;

use forebay::{
    Result, Turn,
    filter::Filter,
    samples::{Opened, Selector as Core},
};
use wasm_bindgen::prelude::*;

use crate::{
    fail::{Outcome, text, thrown},
    ranges::pairs,
};

/// Looks at every sample. One that cannot be read matches nothing; the first such fault is kept.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Selector(Core);

impl Selector {
    pub(crate) fn new(opened: Arc<Opened>, filter: &str, stats: bool, label: &str) -> Result<Self> {
        let filter = Filter::parse(filter)?;
        Ok(Selector(match stats {
            true => Core::statistics(opened, &filter, Some(label).filter(|label| !label.is_empty()))?,
            false => Core::new(opened, &filter)?,
        }))
    }
}

#[wasm_bindgen]
impl Selector {
    /// The ranges that are needed, perhaps none where there is just more to do; nothing when it is done.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        Ok(match self.0.step().map_err(thrown)? {
            Turn::Need(ranges) => pairs(ranges),
            Turn::Item(()) => pairs(Vec::new()),
            Turn::Done => None,
        })
    }

    /// Bytes of the file from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        self.0.push(start as u64, bytes.into());
    }

    /// Samples looked at so far.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> f64 {
        self.0.looked_at() as f64
    }

    /// Samples that could not be looked at.
    #[wasm_bindgen(getter)]
    pub fn faults(&self) -> f64 {
        self.0.faults() as f64
    }

    /// Why the first of them could not, as JSON.
    #[wasm_bindgen(js_name = firstFault)]
    pub fn first_fault(&self) -> Option<String> {
        self.0.first_fault().map(text)
    }

    /// The numbers of the samples that match.
    pub fn matches(&mut self) -> Vec<u32> {
        self.0.take_matches()
    }

    /// The statistics as JSON.
    pub fn stats(&self) -> Option<String> {
        self.0.stats().map(|stats| text(&stats.report()))
    }
}
