//! A table from one format to another, batch by batch.

use std::{
    fs,
    path::{Path, PathBuf},
};

use forebay::{
    Error, Result,
    error::codes::ARGUMENT,
    table::{Batch, JsonStyle},
    text::TextFormat,
};
use serde::Serialize;

use super::{
    Fit, ReadOptions, Scan, Scanned, TableFormat, TableSpec, WriteOptions, codes, create, foreign::Losses, open,
};
use crate::{
    convert::{self, Progress},
    input::{PIPE, display, is_pipe},
    parallel::all_cores,
};

/// What to convert, and how.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TableJob {
    /// The inputs, one after the other; all of the same columns.
    pub inputs: Vec<PathBuf>,
    /// How they are read.
    pub read: ReadOptions,
    /// Which columns and rows are wanted.
    pub scan: Scan,
    /// How the output is written.
    pub write: WriteOptions,
    /// Replace an output that exists.
    pub force: bool,
    /// Make the bytes durable before the output appears.
    pub sync: bool,
    /// Read every row back before the output appears.
    pub verify: bool,
}

/// What came of it.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct TableSummary {
    /// The inputs as the user named them.
    pub inputs: Vec<String>,
    /// The output as the user named it.
    pub output: String,
    /// The format that was written.
    pub format: &'static str,
    /// How many rows were written.
    pub rows: u64,
    /// How many columns.
    pub columns: usize,
    /// Bytes of the inputs; 0 for a pipe.
    pub input_bytes: u64,
    /// Bytes of the output.
    pub output_bytes: u64,
    /// Bad rows that were left out.
    pub skipped_rows: u64,
    /// Rows that were read back equal.
    pub verified: u64,
    /// What was changed to fit the target, and other things worth knowing.
    pub notes: Vec<String>,
}

/// What was written can only be read back from a file.
pub(super) fn cannot_verify() -> Error {
    Error::new(&ARGUMENT, "what went into a pipe cannot be read back").with_options(&["verify"])
}

impl TableJob {
    /// Converts with the defaults of the format.
    pub fn new(inputs: Vec<PathBuf>, format: TableFormat) -> TableJob {
        TableJob {
            inputs,
            read: ReadOptions { workers: all_cores(), ..ReadOptions::default() },
            scan: Scan::default(),
            write: WriteOptions::new(format),
            force: false,
            sync: true,
            verify: false,
        }
    }

    /// Writes `output`. Until it is whole, nothing is there.
    pub fn run(&self, output: &Path) -> Result<TableSummary> {
        self.run_with(output, &mut |_| {})
    }

    /// As [`run`](Self::run), telling how far it is after every batch.
    pub fn run_with(&self, output: &Path, progress: &mut dyn FnMut(&Progress)) -> Result<TableSummary> {
        if self.verify && (display(output) == PIPE || self.inputs.iter().any(|p| is_pipe(p))) {
            let message = "to verify an output both files are read again, which pipes cannot do";
            return Err(Error::new(&ARGUMENT, message).with_options(&["verify"]));
        }
        #[cfg(feature = "arrow")]
        if let Some(same) = super::same::Same::of(self)? {
            return same.run(output, progress);
        }
        let mut rows = Rows::new(self)?;
        let mut sink = create(output, self.force, &self.write)?;
        let named = |e: Error| e.file(display(output));
        sink.begin(rows.fit.schema()).map_err(named)?;
        let mut summary = TableSummary {
            inputs: self.inputs.iter().map(|p| display(p)).collect(),
            output: display(output),
            format: self.write.format.name(),
            columns: rows.fit.schema().len(),
            notes: rows.fit.notes().to_vec(),
            ..TableSummary::default()
        };
        let sizes = self.inputs.iter().filter_map(|p| fs::metadata(p).ok()).filter(|m| m.is_file()).map(|m| m.len());
        summary.input_bytes = sizes.sum();
        while let Some(batch) = rows.next()? {
            sink.write(&batch).map_err(named)?;
            summary.rows += batch.rows() as u64;
            progress(&Progress { samples: summary.rows, total: rows.total, ..Progress::default() });
        }
        summary.skipped_rows = rows.skipped;
        summary.notes.append(&mut rows.fit.losses());
        summary.notes.append(&mut rows.notes);
        let schema = rows.fit.schema().clone();
        let writer = sink.finish().map_err(named)?;
        summary.output_bytes = writer.bytes();
        let file = writer.into_file()?;
        if self.verify {
            let path = file.path().ok_or_else(cannot_verify)?;
            summary.verified = self.compare(path, &TableSpec::from(&*schema)).map_err(named)?;
        }
        file.commit(self.sync)?;
        Ok(summary)
    }

    /// Reads the inputs and what was written side by side.
    fn compare(&self, written: &Path, spec: &TableSpec) -> Result<u64> {
        let mut read = ReadOptions {
            format: Some(self.write.format),
            header: self.write.header,
            delimiter: self.write.delimiter.or(self.write.format.text().ok().map(TextFormat::delimiter)),
            null: self.write.null.clone(),
            ..ReadOptions::default()
        };
        if self.write.format.is_text() {
            read.spec = Some(spec.clone());
        }
        let mut rows = Rows::new(self)?;
        let mut back = open(written, &read)?;
        let (mut left, mut right): (Option<Batch>, Option<Batch>) = (None, None);
        let mut row = 0u64;
        loop {
            if left.is_none() {
                left = rows.next()?;
            }
            // A group without rows is no difference.
            while right.as_ref().is_none_or(|batch| batch.rows() == 0) {
                right = back.next_batch()?;
                if right.is_none() {
                    break;
                }
            }
            let (a, b) = match (left.take(), right.take()) {
                (Some(a), Some(b)) => (a, b),
                (None, None) => return Ok(row),
                _ => return Err(differ(row, "there are not as many rows as were written")),
            };
            let n = a.rows().min(b.rows());
            let (x, y) = (a.slice(0, n), b.slice(0, n));
            if let Some((at, column)) = difference(&x, &y) {
                return Err(differ(row + at as u64, "a cell").column(column));
            }
            row += n as u64;
            left = Some(a.slice(n, a.rows() - n)).filter(|b| b.rows() > 0);
            right = Some(b.slice(n, b.rows() - n)).filter(|b| b.rows() > 0);
        }
    }
}

/// A row that does not read back as it was written.
pub(super) fn differ(row: u64, what: &str) -> Error {
    Error::new(&convert::codes::VERIFY, format!("the row reads back differently: {what}")).row(row)
}

/// The first cell that differs. What is the same in JSON is the same: formats differ in whether vectors are
/// sparse, and text has only one NaN.
pub(super) fn difference(a: &Batch, b: &Batch) -> Option<(usize, String)> {
    for ((x, y), field) in a.columns().iter().zip(b.columns()).zip(a.schema().fields()) {
        if x == y {
            continue;
        }
        let json = |c: &forebay::table::Column, i: usize| c.value(i).to_json(JsonStyle::every_slot());
        let same = |i: usize| x.value(i).same(&y.value(i)) || json(x, i) == json(y, i);
        if let Some(row) = (0..x.len()).find(|&i| !same(i)) {
            return Some((row, field.name.clone()));
        }
    }
    (a.columns().len() != b.columns().len()).then(|| (0, "their number".into()))
}

/// What is lost of the types of a source.
fn losses(job: &TableJob, source: &mut Scanned) -> Losses {
    let foreign = source.source().foreign();
    Losses::new(foreign, source.schema(), job.write.target(), job.write.lossy)
}

/// The rows of all inputs as the target wants them.
struct Rows<'a> {
    job: &'a TableJob,
    current: Option<Scanned>,
    next: usize,
    fit: Fit,
    losses: Losses,
    total: Option<u64>,
    skipped: u64,
    notes: Vec<String>,
}

impl<'a> Rows<'a> {
    fn new(job: &'a TableJob) -> Result<Rows<'a>> {
        let Some(first) = job.inputs.first() else { return Err(Error::new(&ARGUMENT, "there is no input")) };
        let mut current = Scanned::new(open(first, &job.read)?, &job.scan).map_err(|e| e.file(display(first)))?;
        let losses = losses(job, &mut current);
        let fit = Fit::new(current.schema(), job.write.target(), job.write.lossy)?;
        let total = current.rows().filter(|_| job.inputs.len() == 1);
        Ok(Rows { job, current: Some(current), next: 1, fit, losses, total, skipped: 0, notes: Vec::new() })
    }

    fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            let Some(current) = &mut self.current else { return Ok(None) };
            let name = || self.job.inputs.get(self.next - 1).map(|p| display(p)).unwrap_or_default();
            if let Some(batch) = current.next_batch().map_err(|e| e.file(name()))? {
                self.losses.look(&batch).map_err(|e| e.file(name()))?;
                return self.fit.batch(&batch).map(Some).map_err(|e| e.file(name()));
            }
            self.skipped += current.source().skipped();
            self.notes.append(&mut current.source().notes());
            self.notes.append(&mut self.losses.notes());
            let schema = current.schema().clone();
            self.current = None;
            let Some(path) = self.job.inputs.get(self.next) else { return Ok(None) };
            self.next += 1;
            let mut following =
                Scanned::new(open(path, &self.job.read)?, &self.job.scan).map_err(|e| e.file(display(path)))?;
            let same = |a: &forebay::table::Field, b: &forebay::table::Field| a.name == b.name && a.dtype == b.dtype;
            let (a, b) = (schema.fields(), following.schema().fields());
            if a.len() != b.len() || !a.iter().zip(b).all(|(a, b)| same(a, b)) {
                let message = "its columns or their types are not those of the first input";
                return Err(Error::new(&codes::TARGET, message).file(display(path)).with_options(&["types", "spec"]));
            }
            self.losses = losses(self.job, &mut following);
            self.current = Some(following);
        }
    }
}
