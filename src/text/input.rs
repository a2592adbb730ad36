//! A text in a file: which bytes of it are needed next, and the batches that they hold.

use std::ops::Range;

use bytes::Bytes;

use super::{TextFormat, TextOptions, TextReader};
use crate::{error::Result, step::Turn, table::Batch};

/// Bytes of text that are asked for at a time.
const CHUNK: u64 = 4 << 20;

/// A text of known length that is read from front to back.
#[derive(Debug)]
pub struct TextInput {
    pub reader: TextReader,
    at: u64,
    len: u64,
}

impl TextInput {
    pub fn new(format: TextFormat, len: u64, options: TextOptions) -> Result<TextInput> {
        Ok(TextInput { reader: TextReader::new(format, options)?, at: 0, len })
    }

    /// Finds out the columns; the bytes that are needed first, where there are such.
    pub fn open(&mut self) -> Result<Option<Range<u64>>> {
        if self.at >= self.len {
            self.reader.end();
        }
        Ok((!self.reader.open()?).then(|| self.next_chunk()))
    }

    /// The next rows, or what they need. After [`open`](Self::open).
    pub fn step(&mut self) -> Result<Turn<Batch>> {
        Ok(match self.reader.step()? {
            Turn::Need(()) => Turn::Need(vec![self.next_chunk()]),
            Turn::Item(batch) => Turn::Item(batch),
            Turn::Done => Turn::Done,
        })
    }

    /// Bytes from `start` on, which are taken in order.
    pub fn push(&mut self, start: u64, bytes: Bytes) {
        let read = self.at.saturating_sub(start).min(bytes.len() as u64) as usize;
        // What was handed over already is passed over; a gap would be another text, and waits to be asked for again.
        if start <= self.at && read < bytes.len() {
            self.at += (bytes.len() - read) as u64;
            self.reader.push(bytes.slice(read..));
        }
        if self.at >= self.len {
            self.reader.end();
        }
    }

    fn next_chunk(&self) -> Range<u64> {
        self.at..self.len.min(self.at.saturating_add(CHUNK))
    }
}
