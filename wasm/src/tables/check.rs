//! Every fault of a table.

use forebay::{Step, Stepper, check::Report, tables, text::TextChecker};
use wasm_bindgen::prelude::*;

#[cfg(feature = "columns")]
use super::decoding::Decoding;
use super::{
    convert::{Options, text_in},
    opened::{Opening, opener},
};
use crate::{
    fail::{Outcome, text, thrown},
    limits::GivenLimits,
    ranges::pairs,
};

/// Opens a table and finds every fault of it, or every bad row of a text. A file that cannot be opened throws why,
/// unless its format reports that as a fault too.
#[wasm_bindgen]
#[derive(Debug)]
pub struct TableChecker {
    work: Work,
    report: Report,
}

#[derive(Debug)]
enum Work {
    Table(Box<tables::TableChecker>),
    Text(Box<TextChecker>),
    #[cfg(feature = "columns")]
    Other(Box<Decoding>),
}

#[wasm_bindgen]
impl TableChecker {
    /// As [`TableOpener`](super::TableOpener).
    #[wasm_bindgen(constructor)]
    pub fn new(format: &str, file_len: f64, limits: &GivenLimits, schema: &str) -> Outcome<TableChecker> {
        let work = match opener(format, file_len, limits, schema).map_err(thrown)? {
            Opening::Core(opener) => Work::Table(Box::new(tables::TableChecker::new(opener))),
            #[cfg(feature = "columns")]
            other => Work::Other(Box::new(Decoding::new(other))),
        };
        Ok(TableChecker { work, report: Report::default() })
    }

    /// For a text of `len` bytes, with the options of a conversion as far as they say how it is read.
    #[wasm_bindgen(js_name = ofText)]
    pub fn of_text(format: &str, len: f64, limits: &GivenLimits, options: &str) -> Outcome<TableChecker> {
        let begin = || TextChecker::new(text_in(format)?, len as u64, Options::parse(options)?.text(limits.into())?);
        let work = Work::Text(Box::new(begin().map_err(thrown)?));
        Ok(TableChecker { work, report: Report::default() })
    }

    /// The ranges that are needed; nothing when it is done.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        let step = match &mut self.work {
            Work::Table(work) => work.step(),
            Work::Text(work) => work.step(),
            #[cfg(feature = "columns")]
            Work::Other(work) => work.step(),
        };
        Ok(match step.map_err(thrown)? {
            Step::Need(ranges) => pairs(ranges),
            Step::Done(report) => {
                self.report = report;
                None
            }
        })
    }

    /// Bytes of the file from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        match &mut self.work {
            Work::Table(work) => work.push(start as u64, bytes.into()),
            Work::Text(work) => work.push(start as u64, bytes.into()),
            #[cfg(feature = "columns")]
            Work::Other(work) => work.push(start as u64, bytes.into()),
        }
    }

    /// Rows checked so far.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> f64 {
        match &self.work {
            Work::Table(work) => work.checked() as f64,
            Work::Text(work) => work.checked() as f64,
            #[cfg(feature = "columns")]
            Work::Other(work) => work.checked() as f64,
        }
    }

    /// The report as JSON.
    pub fn finish(&mut self) -> String {
        text(&std::mem::take(&mut self.report))
    }
}
