//! Opening a TBL: which bytes are needed.

use std::sync::Arc;

use bytes::Bytes;

use super::{
    Tbl,
    raw::{HEADER_LEN, Header},
};
use crate::{
    codec::packed::Tables,
    error::Result,
    limits::Limits,
    step::{Pieces, Step, Stepper},
};

/// Opens a TBL: the header, then the index, so two steps and not a byte more: with the index come the
/// tables of packed payloads.
#[derive(Debug)]
pub struct Opener {
    file_len: u64,
    limits: Limits,
    pieces: Pieces,
    header: Option<Header>,
}

impl Opener {
    /// For a file of this many bytes.
    pub fn new(file_len: u64) -> Self {
        Opener { file_len, limits: Limits::default(), pieces: Pieces::default(), header: None }
    }

    /// With other limits, which reading keeps too.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

impl Stepper for Opener {
    type Output = Tbl;

    fn step(&mut self) -> Result<Step<Tbl>> {
        let header = match self.header.take() {
            Some(header) => header,
            None => {
                let range = 0..HEADER_LEN.min(self.file_len);
                let Some(head) = self.pieces.get(range.clone()) else {
                    return Ok(Step::Need(self.pieces.lacking(range)));
                };
                Header::parse(&head, self.file_len)?
            }
        };
        let range = header.index_range(self.file_len)?;
        self.limits.index(range.end - range.start).map_err(|e| e.section("index"))?;
        let tables_range = header.tables.clone().unwrap_or_default();
        self.limits.metadata(tables_range.end - tables_range.start).map_err(|e| e.section("tables"))?;
        let (Some(index), Some(tables)) = (self.pieces.get(range.clone()), self.pieces.get(tables_range.clone()))
        else {
            self.header = Some(header);
            let ranges = [range, tables_range].into_iter().flat_map(|range| self.pieces.lacking(range)).collect();
            return Ok(Step::Need(ranges));
        };
        let tables = match &header.tables {
            Some(range) => {
                Some(Tables::read(&tables).map(Arc::new).map_err(|e| e.section("tables").offset(range.start))?)
            }
            None => None,
        };
        let head = self.pieces.get(0..HEADER_LEN).unwrap_or_default();
        Ok(Step::Done(Tbl { header, head, index, tables, file_len: self.file_len, limits: self.limits.clone() }))
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }
}
