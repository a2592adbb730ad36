//! Every fault of a file.

use forebay::{
    Result,
    samples::{self, Part},
};
use wasm_bindgen::prelude::*;

use crate::{
    fail::{Outcome, text, thrown},
    ranges::pairs,
    threads,
};

/// Finds every fault of a file.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Checker(pub(crate) samples::Checker);

#[wasm_bindgen]
impl Checker {
    /// The ranges that are needed; nothing when it is done.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        let stepped = threads::map_mut(self.0.parts(), Part::step).into_iter().collect::<Result<()>>();
        stepped.map_err(thrown)?;
        let needs = self.0.needs();
        Ok(if needs.is_empty() { None } else { pairs(needs) })
    }

    /// The ranges that will be needed next, so that they can be read meanwhile.
    pub fn ahead(&self) -> Option<Vec<f64>> {
        pairs(self.0.ahead())
    }

    /// Bytes of the file from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        self.0.push(start as u64, bytes.into());
    }

    /// Samples checked so far.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> f64 {
        self.0.checked() as f64
    }

    /// The report as JSON.
    pub fn finish(&mut self) -> String {
        text(&self.0.finish())
    }
}
