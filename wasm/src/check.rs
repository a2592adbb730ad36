//! Every fault of a file.

use std::ops::Range;

use forebay::{
    Error, Step, Stepper, check::Report, dataset::Dataset as Core, error::codes, tbl::Checker as TblChecker,
};
use wasm_bindgen::prelude::*;

use crate::{
    dataset::Opened,
    fail::{Outcome, text, thrown},
    pairs,
};

/// Finds every fault of a file.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Checker {
    work: Option<TblChecker>,
    report: Report,
    samples: u64,
}

impl Checker {
    /// Checks these samples, and with the first and last of the file what belongs to none.
    pub(crate) fn new(opened: &Opened, part: Range<u64>) -> Self {
        let samples = part.end - part.start;
        let mut report = Report::new(opened.core.len());
        if let Some(e) = &opened.damage {
            report.fault(e);
        }
        let mut work = None;
        match &opened.core {
            Core::Tbl(tbl) => work = Some(TblChecker::part(tbl, part)),
            // It has no checksums: that its headers could be read is all there is to say.
            Core::Tar(tar) => {
                if let Some(note) = tar.archive().ending.note() {
                    report.note(&Error::new(&codes::NOTE, note));
                }
            }
            _ => {}
        }
        Checker { work, report, samples }
    }
}

#[wasm_bindgen]
impl Checker {
    /// The ranges that are needed; nothing when it is done.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        let Some(work) = &mut self.work else { return Ok(None) };
        match work.step().map_err(thrown)? {
            Step::Need(ranges) => Ok(pairs(ranges)),
            Step::Done(report) => {
                self.work = None;
                self.report = report;
                Ok(None)
            }
        }
    }

    /// The ranges that will be needed next, so that they can be read meanwhile.
    pub fn ahead(&self) -> Option<Vec<f64>> {
        self.work.as_ref().and_then(|work| pairs(work.ahead()))
    }

    /// Bytes of the file from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        if let Some(work) = &mut self.work {
            work.push(start as u64, bytes.into());
        }
    }

    /// Samples checked so far.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> f64 {
        self.work.as_ref().map_or(self.samples, TblChecker::checked) as f64
    }

    /// The report as JSON.
    pub fn finish(&mut self) -> String {
        text(&std::mem::take(&mut self.report))
    }
}
