//! The walk from head to head.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;

use super::{
    HEAD, TAIL,
    file::{Body, TfRecord},
    length,
};
use crate::{
    doors::codes,
    error::{self, Error, Result},
    limits::Limits,
    step::{Pieces, Step, Stepper},
};

/// Bytes in which the next head is looked for at once.
const SEARCH: u64 = 64 << 10;
/// Damaged heads that are passed over.
const MOST_PASSED: usize = 10_000;
/// Records that tell what all of them are.
const LOOKS: usize = 4;

/// Finds the records of a file; their bytes are not read, but for the first few.
#[derive(Debug)]
pub struct Opener {
    file_len: u64,
    limits: Limits,
    keep_going: bool,
    pieces: Pieces,
    at: u64,
    places: Vec<Range<u64>>,
    passed: Vec<Arc<Error>>,
    /// Where the next head is looked for, once one is damaged.
    lost: bool,
    /// All of them were found.
    walked: bool,
}

impl Opener {
    /// For a file of this many bytes. `keep_going` looks for the next record after a damaged head.
    pub fn new(file_len: u64, limits: &Limits, keep_going: bool) -> Opener {
        Opener {
            file_len,
            limits: limits.clone(),
            keep_going,
            pieces: Pieces::default(),
            at: 0,
            places: Vec::new(),
            passed: Vec::new(),
            lost: false,
            walked: false,
        }
    }

    /// The records found so far.
    pub fn found(&self) -> u64 {
        self.places.len() as u64
    }

    /// An error in the record that comes next.
    fn wrong(&self, code: &'static error::Code, message: String) -> Error {
        let message = format!("{message}, after {} records", self.places.len());
        Error::new(code, message).section("record").sample(self.found()).offset(self.at)
    }

    /// Ends the walk, or the work.
    fn stop(&mut self, e: Error) -> Result<()> {
        if !self.keep_going {
            return Err(e);
        }
        self.passed.push(Arc::new(e));
        self.walked = true;
        Ok(())
    }

    /// Takes the head that is next.
    fn head(&mut self, head: &[u8]) -> Result<()> {
        let left = self.file_len - self.at;
        if left < HEAD {
            let e = self.wrong(&codes::TRUNCATED, format!("a head has {HEAD} bytes and {left} are left"));
            return self.stop(e);
        }
        let Some(len) = length(head) else {
            let e = self.wrong(&codes::LENGTH, "the record's length does not match its checksum".to_owned());
            if !self.keep_going {
                return Err(e);
            }
            self.passed.push(Arc::new(e));
            (self.lost, self.at) = (true, self.at + 1);
            // A file that has as many is no file of records.
            self.walked = self.passed.len() >= MOST_PASSED;
            return Ok(());
        };
        let end = self.at.checked_add(HEAD + TAIL).and_then(|end| end.checked_add(len));
        let Some(end) = end.filter(|&end| end <= self.file_len) else {
            let message = format!("the record has {len} bytes and {} are left", left.saturating_sub(HEAD + TAIL));
            let e = self.wrong(&codes::TRUNCATED, message);
            return self.stop(e);
        };
        let place = self.at..end;
        self.limits.index((self.found() + 1) * size_of::<Range<u64>>() as u64).map_err(|e| e.offset(self.at))?;
        self.places.push(place);
        self.at = end;
        Ok(())
    }

    /// Looks for a head in these bytes, which begin at the place: after a damaged one, its checksum finds the next.
    fn search(&mut self, bytes: &[u8]) {
        let fits = |k: usize| {
            let len = length(bytes.get(k..)?)?;
            let end = (self.at + k as u64).checked_add(HEAD + TAIL)?.checked_add(len)?;
            (end <= self.file_len).then_some(k)
        };
        match (0..bytes.len().saturating_sub(HEAD as usize - 1)).find_map(fits) {
            Some(k) => (self.lost, self.at) = (false, self.at + k as u64),
            None => self.at += (bytes.len() as u64).saturating_sub(HEAD - 1).max(1),
        }
        // No head fits into what is left.
        if self.lost && self.file_len.saturating_sub(self.at) < HEAD + TAIL {
            self.walked = true;
        }
    }

    fn need(&mut self, range: Range<u64>) -> Step<TfRecord> {
        self.pieces.forget_before(range.start);
        Step::Need(self.pieces.lacking(range))
    }

    fn first(&self) -> impl Iterator<Item = Range<u64>> {
        let fits = |place: &&Range<u64>| self.limits.item(place.end - place.start).is_ok();
        self.places.iter().take(LOOKS).filter(fits).cloned()
    }
}

impl Stepper for Opener {
    type Output = TfRecord;

    fn step(&mut self) -> Result<Step<TfRecord>> {
        if self.file_len == 0 {
            return Err(Error::new(&error::codes::EMPTY, "the file has no bytes").offset(0));
        }
        while !self.walked {
            if self.at >= self.file_len {
                self.walked = true;
                break;
            }
            let wanted = self.at..self.file_len.min(self.at + if self.lost { SEARCH } else { HEAD });
            let Some(bytes) = self.pieces.get(wanted.clone()) else { return Ok(self.need(wanted)) };
            match self.lost {
                true => self.search(&bytes),
                false => self.head(&bytes)?,
            }
        }
        let lacking: Vec<_> = self.first().flat_map(|range| self.pieces.lacking(range)).collect();
        if !lacking.is_empty() {
            return Ok(Step::Need(lacking));
        }
        let body = Body::of(self.first().filter_map(|place| self.pieces.get(place)), &self.limits);
        let (places, passed) = (std::mem::take(&mut self.places), std::mem::take(&mut self.passed));
        Ok(Step::Done(TfRecord::new(places, body, passed, &self.limits)))
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }
}
