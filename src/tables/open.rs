//! Tables that are asked at random, TBF and IDV: opening them, and every fault of them.

use bytes::Bytes;

use crate::{
    check::{Fault, Report},
    error::Result,
    idv,
    limits::Limits,
    step::{Step, Stepper},
    table::TableFile,
    tbf::{self, CallerSchema},
};

/// Which of the formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TableKind {
    /// TBF, of any layout.
    Tbf,
    /// ML.NET's binary data view.
    Idv,
}

/// An opened table.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum AnyTable {
    Idv(Box<idv::File>),
    Tbf(Box<tbf::File>),
}

impl AnyTable {
    /// The rows; an error for a TBF that holds one value and no table.
    pub fn table(&self) -> Result<&dyn TableFile> {
        match self {
            AnyTable::Idv(file) => Ok(&**file),
            AnyTable::Tbf(file) => file.table(),
        }
    }

    /// How many rows there are.
    pub fn rows(&self) -> u64 {
        self.table().map_or(0, TableFile::rows)
    }

    /// The JSON of a TBF that holds no table but some other value; `None` for a table.
    pub fn document(&self) -> Result<Option<String>> {
        match self {
            AnyTable::Tbf(file) if file.table().is_err() => file.document().map(|value| value.to_json()).transpose(),
            _ => Ok(None),
        }
    }

    /// What is worth knowing of how it was read.
    pub fn notes(&self) -> Vec<String> {
        match self {
            AnyTable::Idv(file) => file.notes.iter().map(named).collect(),
            AnyTable::Tbf(file) if !file.is_uniform() => {
                vec!["the objects differ in their keys or the order of these; missing ones read as null".into()]
            }
            AnyTable::Tbf(_) => Vec::new(),
        }
    }
}

/// A note in words, with the column that it is about.
fn named(note: &Fault) -> String {
    match &note.column {
        Some(column) => format!("column {column:?}: {}", note.message),
        None => note.message.clone(),
    }
}

/// Opens a table.
#[derive(Debug)]
pub struct TableOpener(OpenWork);

#[derive(Debug)]
enum OpenWork {
    Idv(idv::Opener),
    Tbf(tbf::Opener),
}

impl TableOpener {
    /// For a file of `file_len` bytes. `schema` is what a TBF of layout U or S holds, which does not say it itself.
    pub fn new(kind: TableKind, file_len: u64, limits: Limits, schema: Option<CallerSchema>) -> Self {
        TableOpener(match kind {
            TableKind::Idv => OpenWork::Idv(idv::Opener::new(file_len).limits(limits)),
            TableKind::Tbf => OpenWork::Tbf(tbf_opener(file_len, limits, schema)),
        })
    }
}

fn tbf_opener(file_len: u64, limits: Limits, schema: Option<CallerSchema>) -> tbf::Opener {
    let opener = tbf::Opener::new(file_len).limits(limits);
    match schema {
        Some(schema) => opener.schema(schema),
        None => opener,
    }
}

impl Stepper for TableOpener {
    type Output = AnyTable;

    fn step(&mut self) -> Result<Step<AnyTable>> {
        Ok(match &mut self.0 {
            OpenWork::Idv(work) => match work.step()? {
                Step::Done(file) => Step::Done(AnyTable::Idv(Box::new(file))),
                Step::Need(ranges) => Step::Need(ranges),
            },
            OpenWork::Tbf(work) => match work.step()? {
                Step::Done(file) => Step::Done(AnyTable::Tbf(Box::new(file))),
                Step::Need(ranges) => Step::Need(ranges),
            },
        })
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        match &mut self.0 {
            OpenWork::Idv(work) => work.push(start, bytes),
            OpenWork::Tbf(work) => work.push(start, bytes),
        }
    }
}

/// Opens a table and finds every fault of it. What cannot be opened is an error, unless its format reports that as a
/// fault too.
#[derive(Debug)]
pub struct TableChecker {
    work: CheckWork,
    checked: u64,
    rows: Option<u64>,
}

#[derive(Debug)]
enum CheckWork {
    Idv(Box<idv::Checker>),
    OpenTbf(Box<tbf::Opener>),
    Tbf(Box<tbf::Checker>),
}

impl TableChecker {
    /// As [`TableOpener::new`].
    pub fn new(kind: TableKind, file_len: u64, limits: Limits, schema: Option<CallerSchema>) -> Self {
        let work = match kind {
            TableKind::Idv => CheckWork::Idv(Box::new(idv::Checker::new(file_len).limits(limits))),
            TableKind::Tbf => CheckWork::OpenTbf(Box::new(tbf_opener(file_len, limits, schema))),
        };
        TableChecker { work, checked: 0, rows: None }
    }

    /// Rows checked so far.
    pub fn checked(&self) -> u64 {
        self.checked
    }
    /// Rows in all, where that is known.
    pub fn rows(&self) -> Option<u64> {
        self.rows
    }
}

impl Stepper for TableChecker {
    type Output = Report;

    fn step(&mut self) -> Result<Step<Report>> {
        loop {
            let step = match &mut self.work {
                CheckWork::Idv(work) => {
                    let step = work.step()?;
                    self.checked = work.checked().unwrap_or_default();
                    step
                }
                CheckWork::OpenTbf(work) => match work.step()? {
                    Step::Need(ranges) => Step::Need(ranges),
                    Step::Done(file) => {
                        self.rows = Some(file.table().map_or(0, TableFile::rows));
                        self.work = CheckWork::Tbf(Box::new(tbf::Checker::new(file)));
                        continue;
                    }
                },
                CheckWork::Tbf(work) => {
                    let step = work.step()?;
                    self.checked = work.checked();
                    step
                }
            };
            if let Step::Done(report) = &step {
                self.checked = report.samples;
            }
            return Ok(step);
        }
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        match &mut self.work {
            CheckWork::Idv(work) => work.push(start, bytes),
            CheckWork::OpenTbf(work) => work.push(start, bytes),
            CheckWork::Tbf(work) => work.push(start, bytes),
        }
    }
}
