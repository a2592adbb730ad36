//! A text in a file: which bytes of it are needed next, and the batches that they hold.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;

use super::{TextFormat, TextOptions, TextReader};
use crate::{
    error::Result,
    step::Turn,
    table::{Batch, Schema, TableRows},
};

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

    fn next_chunk(&self) -> Vec<Range<u64>> {
        let next = self.at..self.len.min(self.at.saturating_add(CHUNK));
        vec![next]
    }
}

impl TableRows for TextInput {
    fn open(&mut self) -> Result<Option<Vec<Range<u64>>>> {
        if self.at >= self.len {
            self.reader.end();
        }
        Ok((!self.reader.open()?).then(|| self.next_chunk()))
    }
    fn schema(&self) -> &Arc<Schema> {
        self.reader.schema()
    }
    fn select(&mut self, columns: &[usize]) -> Result<()> {
        self.reader.select(columns)
    }

    fn step(&mut self) -> Result<Turn<Batch>> {
        Ok(match self.reader.step()? {
            Turn::Need(()) => Turn::Need(self.next_chunk()),
            Turn::Item(batch) => Turn::Item(batch),
            Turn::Done => Turn::Done,
        })
    }

    /// Bytes from `start` on, which are taken in order.
    fn push(&mut self, start: u64, bytes: Bytes) {
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

    fn notes(&mut self) -> Vec<String> {
        self.reader.notes()
    }
    fn skipped(&self) -> u64 {
        self.reader.skipped()
    }
}
