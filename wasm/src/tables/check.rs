//! Every fault of a table.

use forebay::{Step, Stepper, check::Report, detect::Format, idv, tbf};
use wasm_bindgen::prelude::*;

use super::open::{no_table, tbf_opener};
use crate::{
    fail::{Outcome, text, thrown},
    limits, pairs,
};

#[derive(Debug)]
enum Work {
    Idv(Box<idv::Checker>),
    OpenTbf(tbf::Opener),
    Tbf(Box<tbf::Checker>),
    Done,
}

/// Opens a table and finds every fault of it. A file that cannot be opened throws why, unless its format reports
/// that as a fault too.
#[wasm_bindgen]
#[derive(Debug)]
pub struct TableChecker {
    work: Work,
    report: Report,
    done: u64,
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
        let (len, limits) = (file_len as u64, limits(item_bytes, index_bytes, metadata_bytes));
        let work = match format {
            _ if format == Format::Idv.name() => Work::Idv(Box::new(idv::Checker::new(len).limits(limits))),
            _ if format == Format::Tbf.name() => Work::OpenTbf(tbf_opener(len, limits, schema).map_err(thrown)?),
            other => return Err(thrown(no_table(other))),
        };
        Ok(TableChecker { work, report: Report::default(), done: 0 })
    }

    /// The ranges that are needed; nothing when it is done.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        loop {
            let step = match &mut self.work {
                Work::Idv(work) => {
                    let step = work.step().map_err(thrown)?;
                    self.done = work.checked().unwrap_or_default();
                    step
                }
                Work::OpenTbf(work) => match work.step().map_err(thrown)? {
                    Step::Need(ranges) => Step::Need(ranges),
                    Step::Done(file) => {
                        self.work = Work::Tbf(Box::new(tbf::Checker::new(file)));
                        continue;
                    }
                },
                Work::Tbf(work) => {
                    let step = work.step().map_err(thrown)?;
                    self.done = work.checked();
                    step
                }
                Work::Done => return Ok(None),
            };
            return Ok(match step {
                Step::Need(ranges) => pairs(ranges),
                Step::Done(report) => {
                    (self.work, self.done, self.report) = (Work::Done, report.samples, report);
                    None
                }
            });
        }
    }

    /// Bytes of the file from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        let start = start as u64;
        match &mut self.work {
            Work::Idv(work) => work.push(start, bytes.into()),
            Work::OpenTbf(work) => work.push(start, bytes.into()),
            Work::Tbf(work) => work.push(start, bytes.into()),
            Work::Done => {}
        }
    }

    /// Rows checked so far.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> f64 {
        self.done as f64
    }

    /// The report as JSON.
    pub fn finish(&mut self) -> String {
        text(&std::mem::take(&mut self.report))
    }
}
