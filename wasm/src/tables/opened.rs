//! What is known of an opened table, for all work on it. Nothing in here knows that work.

use std::{cell::RefCell, sync::Arc};

use bytes::Bytes;
#[cfg(feature = "columns")]
use forebay::formats::Format;
use forebay::{
    Error, Result, Step, Stepper,
    error::codes,
    table::{Batch, TableFile},
    tables::{AnyTable, TableKind, TableOpener},
    tbf::CallerSchema,
};
#[cfg(feature = "columns")]
use forebay_columns::{ipc::IpcOpener, parquet::ParquetOpener};

use crate::limits::GivenLimits;

/// Decoded groups that are kept for the next look are at most this large.
const KEPT_BYTES: usize = 64 << 20;

/// A group that was decoded because nothing less could be, so that looking at its other rows costs nothing.
#[derive(Debug)]
pub(super) struct Kept {
    pub group: usize,
    pub columns: Vec<usize>,
    pub batch: Batch,
}

/// An opened table, shared with the work on it.
#[derive(Debug)]
pub(super) struct Opened {
    pub file: Arc<AnyTable>,
    pub kept: RefCell<Option<Kept>>,
}

impl Opened {
    pub fn new(file: Arc<AnyTable>) -> Self {
        Opened { file, kept: RefCell::default() }
    }

    /// The rows; an error for a TBF that holds one value rather than a table.
    pub fn table(&self) -> Result<&dyn TableFile> {
        self.file.table()
    }

    pub fn rows(&self) -> u64 {
        self.file.rows()
    }

    pub fn keep(&self, kept: Kept) {
        if kept.batch.memory() <= KEPT_BYTES {
            *self.kept.borrow_mut() = Some(kept);
        }
    }
}

/// Opens a table of any format.
#[derive(Debug)]
pub(super) enum Opening {
    Core(TableOpener),
    #[cfg(feature = "columns")]
    Parquet(ParquetOpener),
    #[cfg(feature = "columns")]
    Ipc(IpcOpener),
}

impl Stepper for Opening {
    type Output = AnyTable;

    fn step(&mut self) -> Result<Step<AnyTable>> {
        Ok(match self {
            Opening::Core(work) => work.step()?,
            #[cfg(feature = "columns")]
            Opening::Parquet(work) => work.step()?.map(|table| AnyTable::Other(Box::new(table))),
            #[cfg(feature = "columns")]
            Opening::Ipc(work) => work.step()?.map(|table| AnyTable::Other(Box::new(table))),
        })
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        match self {
            Opening::Core(work) => work.push(start, bytes),
            #[cfg(feature = "columns")]
            Opening::Parquet(work) => work.push(start, bytes),
            #[cfg(feature = "columns")]
            Opening::Ipc(work) => work.push(start, bytes),
        }
    }
}

/// What every look at a table begins with: its format, the limits, and the layout of a TBF of which the file says
/// nothing, as JSON; empty if there is none to say.
pub(super) fn opener(format: &str, file_len: f64, limits: &GivenLimits, schema: &str) -> Result<Opening> {
    let unread = || Error::new(&codes::ARGUMENT, format!("{format:?} is not a table that is read here"));
    #[cfg(feature = "columns")]
    match Format::from_name(format) {
        Some(Format::Parquet) => return Ok(Opening::Parquet(ParquetOpener::new(file_len as u64, limits.into()))),
        Some(Format::Arrow) => return Ok(Opening::Ipc(IpcOpener::file(file_len as u64, limits.into()))),
        Some(Format::Arrows) => return Ok(Opening::Ipc(IpcOpener::stream(file_len as u64, limits.into()))),
        _ => {}
    }
    let kind = TableKind::from_name(format).ok_or_else(unread)?;
    let schema = (!schema.is_empty()).then(|| CallerSchema::from_json(schema.as_bytes())).transpose()?;
    Ok(Opening::Core(TableOpener::new(kind, file_len as u64).with_limits(limits.into()).with_schema(schema)))
}
