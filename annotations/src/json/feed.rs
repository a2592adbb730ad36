//! The bytes of a text of any length: what was read is let go, what is not read yet is kept.

use crate::{Spot, codes, error::Result, limits::Limits};

use super::Stop;

/// The bytes that are in memory, and how many lines came before.
#[derive(Debug)]
pub(crate) struct Feed {
    bytes: Vec<u8>,
    /// Bytes of these that were read.
    read: usize,
    /// Bytes in memory below which another try to read a value is not worth it: it has failed with half of them.
    enough: usize,
    /// Bytes up to which lines were counted.
    counted: usize,
    /// Newlines up to there.
    newlines: u64,
    /// Characters behind the last of them, up to there.
    behind: u64,
    limits: Limits,
}

impl Feed {
    pub fn new(limits: &Limits) -> Feed {
        let limits = limits.clone();
        Feed { bytes: Vec::new(), read: 0, enough: 0, counted: 0, newlines: 0, behind: 0, limits }
    }

    /// Takes more bytes. A value longer than the limits allow is refused.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        if self.read > 0 {
            self.count_to(self.read);
            self.bytes.drain(..self.read);
            (self.counted, self.read) = (self.counted - self.read, 0);
        }
        self.limits.item((self.bytes.len() + bytes.len()) as u64)?;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// The bytes that were not read yet.
    pub fn rest(&self) -> &[u8] {
        &self.bytes[self.read..]
    }

    /// Says that this many more bytes were read.
    pub fn advance(&mut self, by: usize) {
        self.read += by;
        self.enough = 0;
    }

    /// Whether it is worth trying to read the next value: not where a try failed and the bytes have not doubled since,
    /// so that a long value that comes in pieces is not read anew for each of them.
    pub fn is_enough(&self) -> bool {
        self.rest().len() >= self.enough
    }

    /// A try to read a value failed for want of bytes.
    pub fn wants_more(&mut self) {
        self.enough = self.rest().len().saturating_mul(2);
    }

    /// Counts lines up to a byte; never back.
    fn count_to(&mut self, to: usize) {
        let bytes = std::mem::take(&mut self.bytes);
        self.pass(&bytes, to);
        self.bytes = bytes;
    }

    /// Counts lines up to a byte of the bytes in memory; never back. Places are asked for behind it.
    pub fn pass(&mut self, bytes: &[u8], to: usize) {
        let Some(new) = bytes.get(self.counted..to) else { return };
        (self.newlines, self.behind) = self.lines_behind(new);
        self.counted = to;
    }

    /// Newlines and characters behind the last of them, at the end of bytes that follow those that were counted.
    fn lines_behind(&self, new: &[u8]) -> (u64, u64) {
        let characters = |line: &[u8]| count(line, |byte| byte & 0xc0 != 0x80);
        match count(new, |byte| byte == b'\n') {
            0 => (self.newlines, self.behind + characters(new)),
            n => {
                let start = new.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                (self.newlines + n, characters(&new[start..]))
            }
        }
    }

    /// Where a byte of the bytes in memory lies, which is not in front of those that were passed.
    pub fn spot(&self, bytes: &[u8], at: usize) -> Spot {
        let (newlines, behind) = self.lines_behind(bytes.get(self.counted..at).unwrap_or_default());
        Spot { line: newlines + 1, character: behind + 1, path: String::new() }
    }

    /// Lends the bytes, while places in them are asked for; [`give`](Self::give) takes them back. With them comes how
    /// many of them were read.
    pub fn lend(&mut self) -> (Vec<u8>, usize) {
        (std::mem::take(&mut self.bytes), self.read)
    }

    /// Takes the bytes back, of which that many were read.
    pub fn give(&mut self, bytes: Vec<u8>, read: usize) {
        if read > self.read {
            self.enough = 0;
        }
        (self.bytes, self.read) = (bytes, read);
    }

    /// What stopped a try that began at the first byte of [`rest`](Self::rest), as an error; `None` where only more bytes
    /// are wanted.
    pub fn error(&self, stop: Stop) -> Option<crate::Error> {
        match stop {
            Stop::More => None,
            Stop::Wrong(wrong) => {
                let spot = self.spot(&self.bytes, self.read + wrong.at);
                Some(wrong.error(spot))
            }
        }
    }

    /// Refuses another encoding than UTF-8 by the first bytes of a text, and passes over a mark of UTF-8. `false` where
    /// there are too few of them yet.
    pub fn begin(&mut self, last: bool) -> Result<bool> {
        if self.rest().len() < 4 && !last {
            return Ok(false);
        }
        match self.rest() {
            [0xef, 0xbb, 0xbf, ..] => self.advance(3),
            [0xfe, 0xff, ..] | [0xff, 0xfe, ..] | [_, 0, ..] | [0, _, ..] => {
                return Err(Spot::line(1).fault(&codes::ENCODING, "the file is UTF-16 or UTF-32, and not UTF-8"));
            }
            _ => {}
        }
        Ok(true)
    }
}

/// How many bytes are such, by sums of bytes, which are counted many at a time.
fn count(bytes: &[u8], is: impl Fn(u8) -> bool) -> u64 {
    bytes.chunks(255).map(|some| u64::from(some.iter().map(|byte| u8::from(is(*byte))).sum::<u8>())).sum()
}
