//! Tables that are asked at random, TBF and IDV: opening them, and every fault of them.

use bytes::Bytes;

use crate::{
    check::{Fault, Report},
    error::Result,
    formats::Format,
    idv,
    limits::Limits,
    step::{Step, Stepper},
    table::TableFile,
    tbf::{self, CallerSchema},
};

/// Which of the formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TableKind {
    /// TBF, of any layout.
    Tbf,
    /// ML.NET's binary data view.
    Idv,
}

impl TableKind {
    /// Every kind.
    pub const ALL: [TableKind; 2] = [TableKind::Tbf, TableKind::Idv];

    /// The same among all formats.
    #[doc(hidden)]
    pub const fn format(self) -> Format {
        match self {
            TableKind::Tbf => Format::Tbf,
            TableKind::Idv => Format::Idv,
        }
    }
    /// The kind of this name, as reports and options write it.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.format().name() == name)
    }
}

/// An opened table.
#[derive(Debug)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum AnyTable {
    Idv(Box<idv::File>),
    Tbf(Box<tbf::File>),
    #[doc(hidden)]
    Other(Box<dyn super::OtherTable>),
}

impl AnyTable {
    /// The rows; an error for a TBF that holds one value rather than a table.
    pub fn table(&self) -> Result<&dyn TableFile> {
        match self {
            AnyTable::Idv(file) => Ok(&**file),
            AnyTable::Tbf(file) => file.table(),
            AnyTable::Other(file) => Ok(&**file),
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

    /// Returns remarks about how it was read.
    pub fn notes(&self) -> Vec<String> {
        match self {
            AnyTable::Idv(file) => file.notes.iter().map(named).collect(),
            AnyTable::Tbf(file) if !file.is_uniform() => {
                vec!["the objects differ in their keys or the order of these; missing ones read as null".into()]
            }
            AnyTable::Tbf(_) => Vec::new(),
            AnyTable::Other(file) => file.notes(),
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
pub struct TableOpener(Work);

#[derive(Debug)]
enum Work {
    Idv(idv::Opener),
    Tbf(tbf::Opener),
}

impl TableOpener {
    /// For a file of `file_len` bytes.
    pub fn new(kind: TableKind, file_len: u64) -> Self {
        TableOpener(match kind {
            TableKind::Idv => Work::Idv(idv::Opener::new(file_len)),
            TableKind::Tbf => Work::Tbf(tbf::Opener::new(file_len)),
        })
    }
    /// With other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        TableOpener(match self.0 {
            Work::Idv(work) => Work::Idv(work.with_limits(limits)),
            Work::Tbf(work) => Work::Tbf(work.with_limits(limits)),
        })
    }
    /// Says what a TBF of layout U or S holds, which does not say it itself.
    #[must_use]
    pub fn with_schema(self, schema: impl Into<Option<CallerSchema>>) -> Self {
        TableOpener(match self.0 {
            Work::Tbf(work) => Work::Tbf(work.with_schema(schema)),
            idv => idv,
        })
    }
}

impl Stepper for TableOpener {
    type Output = AnyTable;

    fn step(&mut self) -> Result<Step<AnyTable>> {
        Ok(match &mut self.0 {
            Work::Idv(work) => work.step()?.map(|file| AnyTable::Idv(Box::new(file))),
            Work::Tbf(work) => work.step()?.map(|file| AnyTable::Tbf(Box::new(file))),
        })
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        match &mut self.0 {
            Work::Idv(work) => work.push(start, bytes),
            Work::Tbf(work) => work.push(start, bytes),
        }
    }
}

/// Opens a table and finds every fault of it. What cannot be opened is an error, unless its format reports that as a
/// fault too.
#[derive(Debug)]
pub struct TableChecker {
    work: Checking,
    checked: u64,
    rows: Option<u64>,
}

#[derive(Debug)]
enum Checking {
    Opening(Box<TableOpener>),
    Idv(Box<idv::Checker>),
    Tbf(Box<tbf::Checker>),
}

impl TableChecker {
    /// Checks what this opens.
    pub fn new(opener: TableOpener) -> Self {
        let opener = TableOpener(match opener.0 {
            Work::Idv(work) => Work::Idv(work.keep_going()),
            tbf => tbf,
        });
        TableChecker { work: Checking::Opening(Box::new(opener)), checked: 0, rows: None }
    }

    /// Rows checked so far.
    #[doc(hidden)]
    pub fn checked(&self) -> u64 {
        self.checked
    }
    /// Rows in all, if that is known.
    #[doc(hidden)]
    pub fn rows(&self) -> Option<u64> {
        self.rows
    }
}

impl Stepper for TableChecker {
    type Output = Report;

    fn step(&mut self) -> Result<Step<Report>> {
        loop {
            let step = match &mut self.work {
                Checking::Opening(work) => match work.step() {
                    Ok(Step::Need(ranges)) => Step::Need(ranges),
                    Ok(Step::Done(file)) => {
                        self.rows = Some(file.rows());
                        self.work = match file {
                            AnyTable::Idv(file) => Checking::Idv(Box::new(idv::Checker::new(*file))),
                            AnyTable::Tbf(file) => Checking::Tbf(Box::new(tbf::Checker::new(*file))),
                            // What opens here is one of the two.
                            AnyTable::Other(_) => return Ok(Step::Done(Report::default())),
                        };
                        continue;
                    }
                    Err(e) => match &work.0 {
                        Work::Idv(work) => Step::Done(work.report(e)?),
                        Work::Tbf(_) => return Err(e),
                    },
                },
                Checking::Idv(work) => {
                    let step = work.step()?;
                    self.checked = work.checked();
                    step
                }
                Checking::Tbf(work) => {
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
            Checking::Opening(work) => work.push(start, bytes),
            Checking::Idv(work) => work.push(start, bytes),
            Checking::Tbf(work) => work.push(start, bytes),
        }
    }
}
