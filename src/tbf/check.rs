//! Every fault of a file: each group whole, and if that fails, column by column.

use std::ops::Range;

use bytes::Bytes;

use super::File;
use crate::{
    check::Report,
    error::Result,
    step::{Pieces, Step, Stepper},
    table::TableFile,
};

/// Checks an opened file, one group at a time.
///
/// ```
/// use forebay::{step::drive, table::{Batch, Column, Schema, Field, DataType}, tbf};
/// let schema = Schema::new(vec![Field::new("id", DataType::U32)])?;
/// let batch = Batch::new(schema.into(), vec![Column::from(vec![7u32])])?;
/// let bytes = bytes::Bytes::from(tbf::write(&batch, Default::default())?);
/// let file = drive(tbf::Opener::new(bytes.len() as u64), &bytes)?;
/// let report = drive(tbf::Checker::new(file), &bytes)?;
/// assert!(report.ok && report.samples == 1);
/// # Ok::<(), forebay::Error>(())
/// ```
#[derive(Debug)]
pub struct Checker {
    file: File,
    report: Report,
    group: usize,
    pieces: Pieces,
}

impl Checker {
    /// Checks this file. A tagged document that is not a table was read whole when it was opened, and has no more
    /// faults.
    pub fn new(file: File) -> Self {
        let rows = file.table().map_or(0, TableFile::rows);
        Checker { file, report: Report::new(rows), group: 0, pieces: Pieces::default() }
    }

    /// Rows checked so far.
    pub fn checked(&self) -> u64 {
        let Ok(table) = self.file.table() else { return 0 };
        table.group_rows(self.group).map_or(table.rows(), |rows| rows.start)
    }

    fn advance(&mut self) -> Result<Option<Vec<Range<u64>>>> {
        let Ok(table) = self.file.table() else { return Ok(None) };
        let all: Vec<usize> = (0..table.schema().len()).collect();
        while self.group < table.groups() {
            let group = self.group;
            let planned = table.plan(group, &all);
            if let Ok(ranges) = &planned {
                let lacking: Vec<_> = ranges.iter().flat_map(|r| self.pieces.lacking(r.clone())).collect();
                if !lacking.is_empty() {
                    return Ok(Some(lacking));
                }
            }
            if let (Some(columns), Ok(_)) = (self.file.columns(), &planned) {
                // Bytes that belong to no column are a fault too, which reading the columns does not see.
                columns.check(group, &self.pieces).iter().for_each(|fault| self.report.fault(fault));
                self.group += 1;
                self.pieces = Pieces::default();
                continue;
            }
            let first = table.group_rows(group).map_or(0, |rows| rows.start);
            let decode = |columns: &[usize]| -> Result<()> {
                table.decode(group, columns, &self.pieces).map(drop).map_err(|e| e.block(group as u64).row(first))
            };
            if let Err(whole) = planned.and_then(|_| decode(&all)) {
                let before = self.report.fault_count;
                for (&column, field) in all.iter().zip(table.schema().fields()) {
                    let one = table.plan(group, &[column]).and_then(|_| decode(&[column]));
                    self.report.keep(one.map_err(|e| e.column(&field.name)));
                }
                if self.report.fault_count == before {
                    self.report.fault(&whole);
                }
            }
            self.group += 1;
            self.pieces = Pieces::default();
        }
        Ok(None)
    }
}

impl Stepper for Checker {
    type Output = Report;

    fn step(&mut self) -> Result<Step<Report>> {
        Ok(match self.advance()? {
            Some(ranges) => Step::Need(ranges),
            None => Step::Done(std::mem::take(&mut self.report)),
        })
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }
}
