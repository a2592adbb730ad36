//! An output that goes to a store of objects: its bytes leave while it is written, all but the first.
//!
//! Formats that know only at the end what stands in front write there last. So the first part stays here until the end,
//! and grows if bytes are put in front of what was written: parts may go out in any order.

use std::path::Path;

use bytes::Bytes;
use forebay::{Error, Result, error::codes};

use super::taken::{CHANGED, appeared, exists};
use crate::input::remote::{Placed, Upload};

/// Bytes of a part. Stores take 5 MiB at least; with 8 a request's latency matters little, and with six of them at once
/// (the first, the one that is filled, four on their way) an output costs 48 MiB.
const PART: usize = 8 << 20;

/// Parts of one size: there may be 10,000 of an object, so later ones are larger, up to ten times. All together hold
/// 430 GiB.
const ALIKE: usize = 1000;
const MOST_PARTS: usize = 10_000;

/// The most bytes that the first part may have grown to: what stores take as one part.
const MOST_FRONT: u64 = 4000 << 20;

/// An object that is being written.
#[derive(Debug)]
pub(super) struct Far {
    upload: Upload,
    /// The first bytes, which stay here.
    front: Vec<u8>,
    /// The last, until they are a part.
    filling: Vec<u8>,
    /// The number of that part; the front is number 0.
    number: usize,
    len: u64,
    force: bool,
}

fn size(number: usize) -> usize {
    PART * (1 + number / ALIKE)
}

impl Far {
    /// Begins to write an address. What is there is refused unless `force`.
    pub fn begin(path: &Path, force: bool) -> Result<Far> {
        let mut upload = Upload::begin(path)?;
        if !force {
            if upload.is_there() {
                return Err(exists().file(upload.name()));
            }
            upload.keep_all();
        }
        Ok(Far { upload, front: Vec::new(), filling: Vec::new(), number: 1, len: 0, force })
    }

    pub fn name(&self) -> &str {
        self.upload.name()
    }

    fn refused(&self, what: &str) -> Error {
        let message = format!("{what}, and this is a bug of Forebay: an object is written in order, but for its front");
        Error::new(&codes::IO, message).file(self.name())
    }

    pub fn append(&mut self, mut bytes: &[u8]) -> Result<()> {
        self.len += bytes.len() as u64;
        if self.number == 1 && self.filling.is_empty() && self.front.len() < PART {
            let (first, rest) = bytes.split_at(bytes.len().min(PART - self.front.len()));
            self.front.extend_from_slice(first);
            bytes = rest;
        }
        while !bytes.is_empty() {
            let size = size(self.number);
            if self.filling.capacity() == 0 {
                self.filling.reserve_exact(size);
            }
            let (first, rest) = bytes.split_at(bytes.len().min(size - self.filling.len()));
            self.filling.extend_from_slice(first);
            bytes = rest;
            if self.filling.len() == size {
                self.send()?;
            }
        }
        Ok(())
    }

    fn send(&mut self) -> Result<()> {
        if self.number >= MOST_PARTS {
            let message = "an object has 10,000 parts at most, and these are full; write shards";
            return Err(Error::new(&codes::ARGUMENT, message).file(self.name()));
        }
        self.upload.part(self.number, Bytes::from(std::mem::take(&mut self.filling)))?;
        self.number += 1;
        Ok(())
    }

    /// Goes on at a position; what lies before it is zero.
    pub fn reach(&mut self, at: u64) -> Result<()> {
        const ZEROS: [u8; 4096] = [0; 4096];
        while self.len < at {
            self.append(&ZEROS[..(at - self.len).min(4096) as usize])?;
        }
        if self.len == at { Ok(()) } else { Err(self.refused("bytes were to be written again")) }
    }

    /// Writes bytes into the front, or behind the end.
    pub fn write_at(&mut self, at: u64, bytes: &[u8]) -> Result<()> {
        if at >= self.len {
            self.reach(at)?;
            return self.append(bytes);
        }
        let in_front = self.front.len() as u64 - at.min(self.front.len() as u64);
        let here = bytes.len().min(usize::try_from(in_front).unwrap_or(usize::MAX));
        if here < bytes.len() && at + here as u64 != self.len {
            return Err(self.refused("bytes were to be written after the front"));
        }
        let (here, behind) = bytes.split_at(here);
        let at = at as usize;
        if let Some(place) = self.front.get_mut(at..at + here.len()) {
            place.copy_from_slice(here);
        }
        self.append(behind)
    }

    /// Moves all bytes from a position on to one behind it, so that others fit in between.
    pub fn make_room(&mut self, from: u64, to: u64, len: u64) -> Result<()> {
        let start = usize::try_from(from).ok().filter(|start| *start <= self.front.len());
        let (Some(start), Some(more), true) = (start, to.checked_sub(from), from + len == self.len) else {
            return Err(self.refused("bytes were to be moved"));
        };
        if more.saturating_add(self.front.len() as u64) > MOST_FRONT {
            let message = "the index is larger than a part of an object may be; write shards";
            return Err(Error::new(&codes::ARGUMENT, message).file(self.name()));
        }
        self.front.splice(start..start, std::iter::repeat_n(0, more as usize));
        self.len += more;
        Ok(())
    }

    /// Says how long it is in the end.
    pub fn end_at(&mut self, len: u64) -> Result<()> {
        self.reach(len)
    }

    /// Lets the object appear.
    pub fn finish(mut self) -> Result<()> {
        let name = self.name().to_owned();
        let placed = if self.number == 1 && self.filling.is_empty() {
            self.upload.whole(Bytes::from(self.front))?
        } else {
            if !self.filling.is_empty() {
                self.send()?;
            }
            self.upload.part(0, Bytes::from(self.front))?;
            self.upload.complete()?
        };
        match placed {
            Placed::Here => Ok(()),
            Placed::Taken if self.force => Err(Error::new(&codes::ARGUMENT, CHANGED).file(name)),
            Placed::Taken => Err(appeared().file(name)),
        }
    }
}
