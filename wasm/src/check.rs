//! Every fault of a file.

use std::ops::Range;

use bytes::Bytes;
use forebay::{
    Error, Result, Step, Stepper, check::Report, dataset::Dataset as Core, error::codes, tbl::Checker as TblChecker,
};
use wasm_bindgen::prelude::*;

use crate::{
    fail::{Outcome, text, thrown},
    opened::Opened,
    ranges::pairs,
    threads,
};

/// Finds every fault of a file.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Checker {
    /// Parts of a TBL, one for each thread.
    parts: Vec<Part>,
    report: Report,
    samples: u64,
}

#[derive(Debug)]
struct Part {
    work: TblChecker,
    samples: u64,
    /// What it waits for.
    asked: Vec<Range<u64>>,
    /// What it found, once it is done.
    found: Option<Report>,
}

impl Part {
    fn step(&mut self) -> Result<()> {
        if self.found.is_none() {
            match self.work.step()? {
                Step::Need(ranges) => self.asked = ranges,
                Step::Done(report) => (self.found, self.asked) = (Some(report), Vec::new()),
            }
        }
        Ok(())
    }

    fn checked(&self) -> u64 {
        if self.found.is_some() { self.samples } else { self.work.checked() }
    }
}

impl Checker {
    /// Checks these samples, and with the first and last of the file what belongs to none. Reads `window` bytes at a time.
    pub(crate) fn new(opened: &Opened, part: Range<u64>, window: Option<u64>) -> Self {
        let samples = part.end - part.start;
        let mut report = Report::new(opened.core.len());
        if let Some(e) = &opened.damage {
            report.fault(e);
        }
        let mut parts = Vec::new();
        match &opened.core {
            Core::Tbl(tbl) => {
                let count = (threads::count() as u64).min(samples).max(1);
                let cut = |k: u64| part.start + samples * k / count;
                let checker = |tbl, part| match window {
                    Some(bytes) => TblChecker::part(tbl, part).with_window(bytes),
                    None => TblChecker::part(tbl, part),
                };
                parts.extend((0..count).map(|k| cut(k)..cut(k + 1)).map(|part| Part {
                    samples: part.end - part.start,
                    work: checker(tbl, part),
                    asked: Vec::new(),
                    found: None,
                }));
            }
            // It has no checksums: that its headers could be read is all there is to say.
            Core::Tar(tar) => {
                if let Some(note) = tar.archive().ending.note() {
                    report.note(&Error::new(&codes::NOTE, note));
                }
            }
            _ => {}
        }
        Checker { parts, report, samples }
    }

    fn advance(&mut self) -> Result<Option<Vec<f64>>> {
        threads::map_mut(&mut self.parts, Part::step).into_iter().collect::<Result<()>>()?;
        let asked: Vec<_> = self.parts.iter().flat_map(|part| part.asked.clone()).collect();
        if !asked.is_empty() {
            return Ok(pairs(asked));
        }
        for part in self.parts.drain(..) {
            self.report.merge(part.found.unwrap_or_default());
        }
        Ok(None)
    }
}

#[wasm_bindgen]
impl Checker {
    /// The ranges that are needed; nothing when it is done.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        self.advance().map_err(thrown)
    }

    /// The ranges that will be needed next, so that they can be read meanwhile.
    pub fn ahead(&self) -> Option<Vec<f64>> {
        pairs(self.parts.iter().filter(|part| part.found.is_none()).flat_map(|part| part.work.ahead()).collect())
    }

    /// Bytes of the file from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        let (start, bytes) = (start as u64, Bytes::from(bytes));
        let end = start + bytes.len() as u64;
        for part in &mut self.parts {
            if part.asked.iter().any(|asked| asked.start < end && start < asked.end) {
                part.work.push(start, bytes.clone());
            }
        }
    }

    /// Samples checked so far.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> f64 {
        if self.parts.is_empty() {
            return self.samples as f64;
        }
        self.parts.iter().map(Part::checked).sum::<u64>() as f64
    }

    /// The report as JSON.
    pub fn finish(&mut self) -> String {
        text(&std::mem::take(&mut self.report))
    }
}
