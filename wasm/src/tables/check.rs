//! Every fault of a table.

use forebay::{Step, Stepper, check::Report, tables};
use wasm_bindgen::prelude::*;

use super::opened::Asked;
use crate::{
    fail::{Outcome, text, thrown},
    limits, pairs,
};

/// Opens a table and finds every fault of it. A file that cannot be opened throws why, unless its format reports
/// that as a fault too.
#[wasm_bindgen]
#[derive(Debug)]
pub struct TableChecker {
    work: tables::TableChecker,
    report: Report,
}

#[wasm_bindgen]
impl TableChecker {
    /// As [`TableOpener`](super::TableOpener).
    #[wasm_bindgen(constructor)]
    pub fn new(
        format: &str,
        file_len: f64,
        item_bytes: f64,
        index_bytes: f64,
        metadata_bytes: f64,
        schema: &str,
    ) -> Outcome<TableChecker> {
        let limits = limits(item_bytes, index_bytes, metadata_bytes);
        let Asked { kind, len, limits, schema } = Asked::new(format, file_len, limits, schema).map_err(thrown)?;
        Ok(TableChecker { work: tables::TableChecker::new(kind, len, limits, schema), report: Report::default() })
    }

    /// The ranges that are needed; nothing when it is done.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        Ok(match self.work.step().map_err(thrown)? {
            Step::Need(ranges) => pairs(ranges),
            Step::Done(report) => {
                self.report = report;
                None
            }
        })
    }

    /// Bytes of the file from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        self.work.push(start as u64, bytes.into());
    }

    /// Rows checked so far.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> f64 {
        self.work.checked() as f64
    }

    /// The report as JSON.
    pub fn finish(&mut self) -> String {
        text(&std::mem::take(&mut self.report))
    }
}
