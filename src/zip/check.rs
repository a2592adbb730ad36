//! Every fault of an archive: each member is unpacked and compared with its checksum.

use std::ops::Range;

use bytes::Bytes;

use super::file::Zip;
use crate::{
    check::Report,
    error::Result,
    step::{Pieces, Step, Stepper},
};

/// Bytes that are looked at together.
const WINDOW: u64 = 8 << 20;

/// Checks some samples of an archive, their sidecars with them.
#[derive(Debug)]
pub struct Checker {
    zip: Zip,
    /// The samples that are looked at next.
    now: Range<u64>,
    end: u64,
    window: u64,
    pieces: Pieces,
    report: Report,
    checked: u64,
}

impl Checker {
    /// Of these samples.
    pub fn part(zip: &Zip, samples: Range<u64>) -> Checker {
        let (now, end) = (samples.start..samples.start, samples.end);
        let report = Report::new(0);
        Checker { zip: zip.clone(), now, end, window: WINDOW, pieces: Pieces::default(), report, checked: 0 }
    }
    /// Looks at this many bytes at a time.
    #[must_use]
    pub fn with_window(mut self, bytes: u64) -> Checker {
        self.window = bytes;
        self
    }
    /// Samples checked so far.
    pub fn checked(&self) -> u64 {
        self.checked
    }

    /// What sample `i` takes of the file.
    fn ranges(&self, i: u64) -> impl Iterator<Item = Range<u64>> {
        self.zip.files(i).map(|(_, plan)| plan.range())
    }

    fn fill(&self, from: u64) -> Range<u64> {
        let (mut end, mut bytes) = (from, 0);
        while end < self.end && (bytes < self.window || end == from) {
            bytes += self.ranges(end).map(|r| r.end - r.start).sum::<u64>();
            end += 1;
        }
        from..end
    }

    fn look(&mut self, i: u64) {
        for (name, plan) in self.zip.files(i) {
            // Every byte of it was asked for.
            let Some(bytes) = self.pieces.get(plan.range()) else { continue };
            let found = plan.decode(&bytes, self.zip.limits());
            self.report.keep(found.map(drop).map_err(|e| e.member(name)));
        }
    }
}

impl Stepper for Checker {
    type Output = Report;

    fn step(&mut self) -> Result<Step<Report>> {
        loop {
            if self.now.is_empty() {
                self.now = self.fill(self.now.end);
            }
            if self.now.is_empty() {
                return Ok(Step::Done(std::mem::take(&mut self.report)));
            }
            let ranges = self.now.clone().flat_map(|i| self.ranges(i));
            let lacking: Vec<_> = ranges.flat_map(|range| self.pieces.lacking(range)).collect();
            if !lacking.is_empty() {
                return Ok(Step::Need(lacking));
            }
            for i in self.now.clone() {
                self.look(i);
                self.checked += 1;
            }
            self.pieces = Pieces::default();
            self.now.start = self.now.end;
        }
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }
}
