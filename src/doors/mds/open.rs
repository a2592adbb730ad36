//! From the first bytes of each shard to its samples.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;

use super::{
    file::{Mds, Shard},
    shard::{Column, columns},
};
use crate::{
    detect::LONGEST_DESCRIPTION,
    doors::codes,
    error::{self, Error, Result},
    formats::Format,
    limits::Limits,
    step::{Pieces, Step, Stepper},
};

/// One shard of several that are read as one file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Where it lies.
    pub range: Range<u64>,
    /// How many samples the index says that it has.
    pub samples: Option<u64>,
    /// How many bytes the index says that it has.
    pub bytes: Option<u64>,
}

impl Part {
    /// A shard that no index describes.
    pub fn new(name: impl Into<String>, range: Range<u64>) -> Part {
        Part { name: name.into(), range, samples: None, bytes: None }
    }
}

/// Opens shards.
#[derive(Debug)]
pub struct Opener {
    /// The columns, where the shards do not say them: those of LitData.
    given: Option<Arc<[Column]>>,
    parts: std::vec::IntoIter<Part>,
    part: Option<Part>,
    limits: Limits,
    keep_going: bool,
    pieces: Pieces,
    shards: Vec<Shard>,
    samples: u64,
    index_bytes: u64,
    faults: Vec<Error>,
    passed: Vec<Arc<Error>>,
}

impl Opener {
    /// For these shards, in their order. `keep_going` leaves out those that cannot be opened.
    pub fn new(parts: Vec<Part>, limits: &Limits, keep_going: bool) -> Opener {
        let mut parts = parts.into_iter();
        Opener {
            given: None,
            part: parts.next(),
            parts,
            limits: limits.clone(),
            keep_going,
            pieces: Pieces::default(),
            shards: Vec::new(),
            samples: 0,
            index_bytes: 0,
            faults: Vec::new(),
            passed: Vec::new(),
        }
    }

    /// For chunks of LitData, whose columns the index says.
    #[must_use]
    pub(in crate::doors) fn of_chunks(mut self, columns: Arc<[Column]>) -> Opener {
        self.given = Some(columns);
        self
    }

    /// The shard that is next, or the bytes that it lacks.
    fn shard(&self, part: &Part) -> Result<Step<Shard>> {
        let Range { start, end } = part.range;
        let len = end.saturating_sub(start);
        let wrong = |message: String, at: u64| {
            let code = if self.given.is_some() { &codes::LITDATA_CHUNK } else { &codes::MDS_PLACES };
            Error::new(code, message).section("header").offset(start.saturating_add(at))
        };
        if len == 0 {
            return Err(Error::new(&error::codes::EMPTY, "the shard has no bytes"));
        }
        if len < 8 {
            return Err(wrong(format!("the shard ends after {len} bytes"), 0));
        }
        let read = |range: Range<u64>| match self.pieces.get(start + range.start..start + range.end) {
            Some(bytes) => Ok(bytes),
            None => Err(self.pieces.lacking(start + range.start..start + range.end)),
        };
        let head = match read(0..8) {
            Ok(head) => head,
            Err(lacking) => return Ok(Step::Need(lacking)),
        };
        let number = |k: usize| head.get(k * 4..).and_then(|b| b.first_chunk()).map_or(0, |b| u32::from_le_bytes(*b));
        let (samples, first) = (u64::from(number(0)), u64::from(number(1)));
        let places = 4 * (samples + 2);
        if first < places
            || first - places > LONGEST_DESCRIPTION
            || first > len
            || self.given.is_some() && first != places
        {
            let message = format!("{samples} samples are announced, and the first begins at byte {first} of {len}");
            return Err(wrong(message, 0));
        }
        self.limits.index(self.index_bytes + places).map_err(|e| e.offset(start))?;
        let table = match read(0..first) {
            Ok(table) => table,
            Err(lacking) => return Ok(Step::Need(lacking)),
        };
        // As many as a length in memory, since the bytes are there.
        let text = table.get(places as usize..).unwrap_or_default();
        let columns = match &self.given {
            Some(given) => given.clone(),
            None => {
                let columns = columns(text).map_err(|e| e.section("description").offset(start + places))?;
                match self.shards.last() {
                    Some(last) if *last.columns == *columns => last.columns.clone(),
                    _ => Arc::<[Column]>::from(columns),
                }
            }
        };
        let offsets: Vec<u32> = table
            .get(4..places as usize)
            .unwrap_or_default()
            .as_chunks::<4>()
            .0
            .iter()
            .map(|place| u32::from_le_bytes(*place))
            .collect();
        if !offsets.is_sorted() || offsets.last().is_none_or(|&last| u64::from(last) > len) {
            return Err(wrong("the samples do not follow each other, or end after the shard".to_owned(), 4));
        }
        Ok(Step::Done(Shard { name: part.name.clone(), start, first: self.samples, offsets, columns }))
    }

    /// Compares the index with the shard.
    fn compare(&mut self, part: &Part, shard: &Shard) {
        let bytes = part.range.end - part.range.start;
        let samples = shard.offsets.len() as u64 - 1;
        let said = [("samples", part.samples, samples), ("bytes", part.bytes, bytes)];
        for (what, said, found) in said {
            if let Some(said) = said.filter(|&said| said != found) {
                let message = format!("index.json says {said} {what} of the shard, which has {found}");
                let code = if self.given.is_some() { &codes::LITDATA_INDEX } else { &codes::MDS_INDEX };
                self.faults.push(Error::new(code, message).member(part.name.as_str()));
            }
        }
    }
}

impl Stepper for Opener {
    type Output = Mds;

    fn step(&mut self) -> Result<Step<Mds>> {
        while let Some(part) = self.part.take() {
            match self.shard(&part).map_err(|e| e.member(part.name.as_str())) {
                Ok(Step::Need(ranges)) => {
                    self.part = Some(part);
                    return Ok(Step::Need(ranges));
                }
                Ok(Step::Done(shard)) => {
                    self.compare(&part, &shard);
                    self.samples += shard.offsets.len() as u64 - 1;
                    self.index_bytes += shard.offsets.len() as u64 * 4;
                    self.shards.push(shard);
                }
                Err(e) if self.keep_going => self.passed.push(Arc::new(e)),
                Err(e) => return Err(e),
            }
            self.pieces = Pieces::default();
            self.part = self.parts.next();
        }
        if self.shards.is_empty()
            && let Some(e) = self.passed.pop().and_then(Arc::into_inner)
        {
            return Err(e);
        }
        let (shards, faults) = (std::mem::take(&mut self.shards), std::mem::take(&mut self.faults));
        let passed = std::mem::take(&mut self.passed);
        let format = if self.given.is_some() { Format::LitData } else { Format::Mds };
        Ok(Step::Done(Mds::new(format, shards, self.samples, faults, passed, &self.limits)))
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }
}
