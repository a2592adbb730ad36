//! What the values of an opened table are like.

use std::sync::Arc;

use bytes::Bytes;

use super::{AnyTable, FileRows, Scan, Scanning};
use crate::{
    error::Result,
    step::{Step, Stepper, Turn},
    table::{TableRows, summary::Summary},
    text::BATCH_ROWS,
};

/// Looks through a table once, in bounded memory.
#[derive(Debug)]
pub struct Statistics {
    table: FileRows,
    scanning: Scanning,
    summary: Summary,
    looked_at: u64,
    /// Rows to look at.
    wanted: u64,
}

impl Statistics {
    /// Of what is wanted of a table.
    pub fn new(file: Arc<AnyTable>, scan: &Scan) -> Result<Statistics> {
        let mut table = FileRows::new(file, BATCH_ROWS)?;
        let scanning = scan.begin(&mut table, true)?;
        let summary = Summary::new(scanning.schema().fields());
        Ok(Statistics { table, scanning, summary, looked_at: 0, wanted: u64::MAX })
    }

    /// Looks only at this many rows from the first on.
    pub fn first(mut self, rows: u64) -> Statistics {
        self.wanted = rows;
        self
    }

    /// Rows that were looked at so far.
    pub fn looked_at(&self) -> u64 {
        self.looked_at
    }
}

impl Stepper for Statistics {
    type Output = Summary;

    fn step(&mut self) -> Result<Step<Summary>> {
        loop {
            let left = self.wanted.saturating_sub(self.looked_at);
            if left == 0 {
                return Ok(Step::Done(std::mem::take(&mut self.summary)));
            }
            match self.table.step()? {
                Turn::Need(ranges) => return Ok(Step::Need(ranges)),
                Turn::Done => return Ok(Step::Done(std::mem::take(&mut self.summary))),
                Turn::Item(mut batch) => {
                    if (batch.rows() as u64) > left {
                        batch = batch.slice(0, left as usize);
                    }
                    self.looked_at += batch.rows() as u64;
                    self.summary.add(&self.scanning.apply(batch)?);
                }
            }
        }
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.table.push(start, bytes);
    }
}
