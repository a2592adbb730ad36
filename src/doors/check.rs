//! Every fault of a file of records: each is cut into its fields and compared with its checksums.

use std::ops::Range;

use bytes::Bytes;

use super::door::Door;
use crate::{
    check::Report,
    error::Result,
    step::{Pieces, Step, Stepper},
};

/// Bytes that are looked at together.
const WINDOW: u64 = 8 << 20;

/// Checks some samples.
#[derive(Debug)]
pub struct Checker {
    door: Door,
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
    pub fn part(door: &Door, samples: Range<u64>) -> Checker {
        let (now, end) = (samples.start..samples.start, samples.end);
        let (door, pieces, report) = (door.clone(), Pieces::default(), Report::new(0));
        Checker { door, now, end, window: WINDOW, pieces, report, checked: 0 }
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

    /// The bytes of sample `i` in the file; zero for one that is too large to be held.
    fn ranges(&self, i: u64) -> Vec<Range<u64>> {
        let mut ranges = self.door.record_ranges(i).unwrap_or_default();
        ranges.retain(|range| self.door.limits().item(range.end - range.start).is_ok());
        ranges
    }

    fn fill(&self, from: u64) -> Range<u64> {
        let (mut end, mut bytes) = (from, 0_u64);
        while end < self.end && (bytes < self.window || end == from) {
            bytes += self.ranges(end).iter().map(|range| range.end - range.start).sum::<u64>();
            end += 1;
        }
        from..end
    }

    fn look(&self, i: u64) -> Result<()> {
        let plan = self.door.plan(i)?;
        let range = plan.range();
        self.door.limits().item(range.end.saturating_sub(range.start)).map_err(|e| e.sample(i).offset(range.start))?;
        plan.decode(&self.pieces.expect(range)?, self.door.limits())?;
        self.door.record(i, |range| self.pieces.expect(range)).map_err(|e| e.sample(i)).map(drop)
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
                let found = self.look(i);
                self.report.keep(found);
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
