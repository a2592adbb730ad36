//! Every fault of a Parquet or Arrow file: each group of it is decoded.

use bytes::Bytes;
use forebay::{Result, Step, Stepper, check::Report, error::Kind, step::Pieces, tables::AnyTable};

use super::opened::Opening;

/// Opens a file and decodes all of it, group by group. A group that is damaged hides no other.
#[derive(Debug)]
pub(super) struct Decoding {
    opening: Opening,
    opened: Option<AnyTable>,
    group: usize,
    pieces: Pieces,
    report: Report,
    checked: u64,
}

impl Decoding {
    pub fn new(opening: Opening) -> Decoding {
        let (pieces, report) = (Pieces::default(), Report::default());
        Decoding { opening, opened: None, group: 0, pieces, report, checked: 0 }
    }
    /// Rows checked so far.
    pub fn checked(&self) -> u64 {
        self.checked
    }
}

impl Stepper for Decoding {
    type Output = Report;

    fn step(&mut self) -> Result<Step<Report>> {
        loop {
            let Some(file) = &self.opened else {
                match self.opening.step()? {
                    Step::Need(ranges) => return Ok(Step::Need(ranges)),
                    Step::Done(file) => {
                        self.report = Report::new(file.rows());
                        self.opened = Some(file);
                        continue;
                    }
                }
            };
            let table = file.table()?;
            if self.group == table.groups() {
                return Ok(Step::Done(std::mem::take(&mut self.report)));
            }
            let columns: Vec<usize> = (0..table.schema().len()).collect();
            let ranges = table.plan(self.group, &columns)?;
            let lacking: Vec<_> = ranges.into_iter().flat_map(|range| self.pieces.lacking(range)).collect();
            if !lacking.is_empty() {
                return Ok(Step::Need(lacking));
            }
            match table.decode(self.group, &columns, &self.pieces) {
                Err(e) if e.kind() == Kind::Io => return Err(e),
                decoded => drop(self.report.keep(decoded)),
            }
            self.pieces = Pieces::default();
            let rows = table.group_rows(self.group)?;
            self.checked += rows.end - rows.start;
            self.group += 1;
        }
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        match self.opened {
            Some(_) => self.pieces.push(start, bytes),
            None => self.opening.push(start, bytes),
        }
    }
}
