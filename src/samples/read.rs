//! Reading one sample's metadata, or the document beside them.

use std::{
    ops::Range,
    sync::{Arc, PoisonError},
};

use bytes::Bytes;
use serde_json::{Map, Value};

use super::{open::Dataset, opened::Opened};
use crate::{
    error::Result,
    step::{Pieces, Step, Stepper},
    tbl::{Metadata, OpenMetadata, Tbl},
};

/// Samples whose places in the metadata are read at once, 8 bytes each: whoever looks at a sample looks at its
/// neighbors next.
const RUN: u64 = 8192;

/// Reads one sample's metadata as JSON text; nothing if there is none.
#[derive(Debug)]
pub struct RecordReader {
    opened: Arc<Opened>,
    i: u64,
    open: Option<OpenMetadata>,
    pieces: Pieces,
}

impl RecordReader {
    /// For sample `i`.
    pub fn new(opened: Arc<Opened>, i: u64) -> Self {
        let mut reader = RecordReader { i, open: None, pieces: Pieces::default(), opened };
        if let Dataset::Tbl(tbl) = &reader.opened.dataset
            && reader.metadata(|_| ()).is_none()
        {
            let open = OpenMetadata::new(tbl);
            let first = reader.first();
            reader.open = Some(if is_indexed(tbl) { open.only(first..first + RUN) } else { open });
        }
        reader
    }

    /// The first sample of the run that the sample is in.
    fn first(&self) -> u64 {
        self.i / RUN * RUN
    }

    /// Does something with the metadata that covers the sample.
    fn metadata<T>(&self, then: impl FnOnce(&Metadata) -> T) -> Option<T> {
        if let Some(metadata) = self.opened.metadata.get() {
            return Some(then(metadata));
        }
        let run = self.opened.run.lock().unwrap_or_else(PoisonError::into_inner);
        run.as_ref().filter(|(first, _)| *first == self.first()).map(|(_, metadata)| then(metadata))
    }
}

fn is_indexed(tbl: &Tbl) -> bool {
    tbl.header().sample_index.is_some()
}

impl Stepper for RecordReader {
    type Output = Option<String>;

    fn step(&mut self) -> Result<Step<Option<String>>> {
        if let Some(open) = &mut self.open {
            match open.step()? {
                Step::Need(ranges) => return Ok(Step::Need(ranges)),
                Step::Done(metadata) => {
                    if self.opened.dataset.tbl().is_some_and(is_indexed) {
                        let run = Some((self.first(), metadata));
                        *self.opened.run.lock().unwrap_or_else(PoisonError::into_inner) = run;
                    } else {
                        self.opened.metadata.get_or_init(|| metadata);
                    }
                    self.open = None;
                }
            }
        }
        let dataset = &self.opened.dataset;
        let ranges = match self.metadata(|m| dataset.record_ranges(self.i, Some(m))) {
            Some(ranges) => ranges?,
            None => dataset.record_ranges(self.i, None)?,
        };
        let lacking: Vec<_> = ranges.into_iter().flat_map(|r| self.pieces.lacking(r)).collect();
        if !lacking.is_empty() {
            return Ok(Step::Need(lacking));
        }
        let fetch = |range: Range<u64>| self.pieces.expect(range);
        Ok(Step::Done(match self.metadata(|m| dataset.record(self.i, Some(m), fetch)) {
            Some(record) => record?,
            None => dataset.record(self.i, None, fetch)?,
        }))
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        match &mut self.open {
            Some(open) => open.push(start, bytes),
            None => self.pieces.push(start, bytes),
        }
    }
}

/// Reads the document beside the samples' metadata.
#[derive(Debug)]
pub struct DocumentReader {
    opened: Arc<Opened>,
    pieces: Pieces,
}

impl DocumentReader {
    /// Of an opened file; only a TBL has one.
    pub fn new(opened: Arc<Opened>) -> Self {
        DocumentReader { opened, pieces: Pieces::default() }
    }

    /// As a step, the section that has the document in it, if there is one.
    pub(super) fn section(&self) -> Result<Step<Option<(&Tbl, Bytes)>>> {
        let Dataset::Tbl(tbl) = &self.opened.dataset else { return Ok(Step::Done(None)) };
        if let Some(fault) = &tbl.header().metadata_fault {
            return Err(fault.error());
        }
        let Some(range) = tbl.header().metadata.clone() else { return Ok(Step::Done(None)) };
        self.opened.limits.metadata(range.end - range.start).map_err(|e| e.section("metadata"))?;
        Ok(match self.pieces.get(range.clone()) {
            Some(section) => Step::Done(Some((tbl, section))),
            None => Step::Need(self.pieces.lacking(range)),
        })
    }
}

impl Stepper for DocumentReader {
    type Output = Map<String, Value>;

    fn step(&mut self) -> Result<Step<Map<String, Value>>> {
        Ok(match self.section()? {
            Step::Need(ranges) => Step::Need(ranges),
            Step::Done(Some((tbl, section))) => Step::Done(tbl.document(&section)?),
            Step::Done(None) => Step::Done(Map::new()),
        })
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }
}
