//! The bytes of a text as they come.

use std::collections::VecDeque;

use bytes::{Buf, Bytes};

use super::codes::bad_row;
use crate::error::Result;

/// Bytes that were handed over and not read yet.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    waiting: VecDeque<Bytes>,
    /// Bytes of the first chunk that were read.
    at: usize,
    ended: bool,
}

impl Chunks {
    /// The next bytes of the text.
    pub fn push(&mut self, bytes: Bytes) {
        if !bytes.is_empty() {
            self.waiting.push_back(bytes);
        }
    }
    /// There are no more bytes.
    pub fn end(&mut self) {
        self.ended = true;
    }
    /// The bytes in memory; empty at the end of the text, `None` if more must come first.
    pub fn fill(&self) -> Option<&[u8]> {
        match self.waiting.front() {
            Some(first) => first.get(self.at..),
            None => self.ended.then_some(&[]),
        }
    }
    /// Goes past bytes of [`fill`](Self::fill).
    pub fn consume(&mut self, n: usize) {
        self.at += n;
        if self.waiting.front().is_some_and(|first| self.at >= first.len()) {
            self.waiting.pop_front();
            self.at = 0;
        }
    }
    /// Takes all bytes that are in memory.
    pub fn rest(&mut self) -> Vec<Bytes> {
        let mut rest: Vec<Bytes> = std::mem::take(&mut self.waiting).into();
        if let Some(first) = rest.first_mut() {
            // What was read is less than the first has.
            first.advance(std::mem::take(&mut self.at).min(first.len()));
        }
        rest
    }
    /// The first `n` bytes in memory, fewer if the text has no more; `None` if more must come first. What the
    /// answer is does not depend on how the bytes came.
    pub fn peek(&self, n: usize) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        for (i, chunk) in self.waiting.iter().enumerate() {
            let rest = if i == 0 { chunk.get(self.at..).unwrap_or_default() } else { chunk };
            out.extend_from_slice(rest.get(..n - out.len()).unwrap_or(rest));
            if out.len() == n {
                return Some(out);
            }
        }
        self.ended.then_some(out)
    }
    /// Goes past the mark in front of a text, if there is one; `None` if more must come to tell. The mark of a text that is not
    /// UTF-8, as spreadsheets write it, is an error.
    pub fn skip_mark(&mut self) -> Result<Option<()>> {
        let Some(first) = self.peek(2) else { return Ok(None) };
        match first[..] {
            [0xff, 0xfe] | [0xfe, 0xff] => Err(bad_row(1, "the text is UTF-16, and UTF-8 is read; save it as that")),
            _ => Ok(self.skip(b"\xef\xbb\xbf")),
        }
    }
    /// Goes past these bytes where the text goes on with them; `None` if more must come to tell.
    pub fn skip(&mut self, prefix: &[u8]) -> Option<()> {
        let next = self.waiting.iter().flat_map(|chunk| chunk.iter()).skip(self.at);
        let same = next.clone().zip(prefix).take_while(|(a, b)| a == b).count();
        if same == prefix.len() {
            (0..same).for_each(|_| self.consume(1));
        } else if !self.ended && next.take(prefix.len()).count() == same {
            return None;
        }
        Some(())
    }
}
