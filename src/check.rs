//! What a check reports: every fault, not the first.
//!
//! A *fault* makes the file unsound; a *note* is worth knowing and makes it no worse.

use serde::Serialize;

use crate::error::{Error, Kind};

/// Faults kept in a report; beyond that they are only counted, so that a ruined file of a million samples
/// does not fill the memory.
const KEPT: usize = 100_000;

/// One thing that is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Fault {
    /// The stable code.
    pub code: &'static str,
    /// Whose fault it is: `damaged`, or `limit` where the file asks for more than the limits of this check allow.
    pub kind: &'static str,
    /// The file, if it is one of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The part of the file.
    pub section: Option<&'static str>,
    /// The archive's member.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    /// The sample's number.
    pub sample: Option<u64>,
    /// The column's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The row's number; if a block is damaged as a whole, its first row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<u64>,
    /// The block or row group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<u64>,
    /// The line, in a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The character in that line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub character: Option<u64>,
    /// The way to the value, in a document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The byte offset in the file.
    pub offset: Option<u64>,
    /// In words.
    pub message: String,
}

impl From<&Error> for Fault {
    fn from(e: &Error) -> Self {
        let place = e.place().clone();
        Fault {
            code: e.code().id(),
            kind: e.kind().name(),
            file: None,
            section: place.section,
            member: place.member,
            sample: place.sample,
            column: place.column,
            row: place.row,
            block: place.block,
            line: place.line,
            character: place.character,
            path: place.path,
            offset: place.offset,
            message: e.message().to_owned(),
        }
    }
}

#[doc(hidden)]
impl Fault {
    /// A fault of one of several files, with its name.
    pub fn with_file(e: &Error) -> Self {
        Fault { file: e.place().file.clone(), ..Fault::from(e) }
    }
}

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "CheckReport"))]
#[non_exhaustive]
pub struct Report {
    /// True when there is no fault.
    pub ok: bool,
    /// Samples or rows in the file, as far as it could be opened.
    pub samples: u64,
    /// Pictures that were decoded from the first line to the last, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decoded: Option<u64>,
    /// How many faults there are.
    pub fault_count: u64,
    /// The faults, at most the first 100,000.
    pub faults: Vec<Fault>,
    /// Things worth knowing that are not faults.
    pub notes: Vec<Fault>,
}

#[doc(hidden)]
impl Report {
    /// A report without faults about a file of this many samples.
    pub fn new(samples: u64) -> Self {
        Report { ok: true, samples, ..Report::default() }
    }
    /// A report about a file that could not be opened.
    pub fn unopened(e: &Error) -> Self {
        let mut report = Report::new(0);
        report.fault(e);
        report
    }
    /// Adds a fault.
    pub fn fault(&mut self, e: &Error) {
        self.ok = false;
        self.fault_count += 1;
        if self.faults.len() < KEPT {
            self.faults.push(e.into());
        }
    }
    /// Adds the fault of a failed result; returns what a good one holds.
    pub fn keep<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        result.map_err(|e| self.fault(&e)).ok()
    }
    /// True if nothing is wrong with the file as far as it was read: every fault is that it asks for more than the
    /// limits of this check allow.
    pub fn is_over_limits(&self) -> bool {
        self.fault_count > 0
            && self.fault_count == self.faults.len() as u64
            && self.faults.iter().all(|fault| fault.kind == Kind::Limit.name())
    }
    /// True if nothing is wrong with the file as far as it was read: every fault is that it has what this build does not
    /// read.
    #[doc(hidden)]
    pub fn is_unsupported(&self) -> bool {
        self.fault_count > 0
            && self.fault_count == self.faults.len() as u64
            && self.faults.iter().all(|fault| fault.kind == Kind::Unsupported.name())
    }
    /// Adds a note.
    pub fn note(&mut self, e: &Error) {
        if self.notes.len() < KEPT {
            self.notes.push(e.into());
        }
    }
    /// Adds what another part of the same file showed.
    pub fn merge(&mut self, other: Report) {
        self.ok &= other.ok;
        self.fault_count += other.fault_count;
        let room = KEPT - self.faults.len().min(KEPT);
        self.faults.extend(other.faults.into_iter().take(room));
        let room = KEPT - self.notes.len().min(KEPT);
        self.notes.extend(other.notes.into_iter().take(room));
    }
}
