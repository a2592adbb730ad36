//! Bytes in: the core never reads, it says what it needs.
//!
//! Work that needs bytes of a file is a [`Stepper`]: `step` either finishes or names byte ranges; the host
//! fetches them however it can (a memory map, `Blob.slice`, an HTTP range), pushes them, and steps again.
//! "I need more bytes" is a step, never an error, and the result never depends on how the bytes were split.
//!
//! Over bytes that are all in memory, [`drive`] does the loop without copying.

use std::{collections::BTreeMap, ops::Range};

use bytes::{Bytes, BytesMut};

use crate::error::{Error, Result, codes};

/// The answer of a stepper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<T> {
    /// These ranges of the file are needed before the next step. Never empty, each range not empty and
    /// inside the file.
    Need(Vec<Range<u64>>),
    /// The work is done.
    Done(T),
}

impl<T> Step<T> {
    /// The same of what becomes of the result.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Step<U> {
        match self {
            Step::Need(ranges) => Step::Need(ranges),
            Step::Done(output) => Step::Done(f(output)),
        }
    }
}

/// The answer of work that gives one thing after the other.
///
/// What it needs are ranges of a file, or of bytes that only come in order the next ones: then `N` is `()`, and to
/// hear that there are no more is an answer too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn<T, N = Vec<Range<u64>>> {
    /// This is needed before the next step. Ranges are never empty, and inside the file.
    Need(N),
    /// The next one.
    Item(T),
    /// All were given.
    Done,
}

/// Work that asks for byte ranges of one file.
pub trait Stepper {
    /// What the work gives in the end.
    type Output;
    /// Does what the available bytes allow.
    fn step(&mut self) -> Result<Step<Self::Output>>;
    /// Hands over bytes of the file that begin at `start`. More, fewer or other bytes than were asked for
    /// are welcome, in any order.
    fn push(&mut self, start: u64, bytes: Bytes);
}

/// Runs a stepper over a file that is wholly in memory; `file` is shared, not copied.
pub fn drive<S: Stepper>(mut work: S, file: &Bytes) -> Result<S::Output> {
    drive_mut(&mut work, file)
}

/// As [`drive`], keeping the stepper: what it gathered before an error can still be asked for.
#[doc(hidden)]
pub fn drive_mut<S: Stepper>(work: &mut S, file: &Bytes) -> Result<S::Output> {
    loop {
        match work.step()? {
            Step::Done(output) => return Ok(output),
            Step::Need(ranges) => {
                for range in ranges {
                    let bytes = slice(file, &range)?;
                    work.push(range.start, bytes);
                }
            }
        }
    }
}

fn slice(file: &Bytes, range: &Range<u64>) -> Result<Bytes> {
    let (Ok(start), Ok(end)) = (usize::try_from(range.start), usize::try_from(range.end)) else {
        return Err(missing(range));
    };
    if start > end || end > file.len() {
        return Err(missing(range));
    }
    Ok(file.slice(start..end))
}

fn missing(range: &Range<u64>) -> Error {
    Error::new(&codes::MISSING_BYTES, format!("bytes {}..{} are not in memory", range.start, range.end))
        .offset(range.start)
}

/// Pieces of a file as they arrived, by position.
///
/// ```
/// # use forebay_base as forebay;
/// use forebay::step::Pieces;
/// let mut pieces = Pieces::default();
/// pieces.push(4, "efgh".into());
/// pieces.push(0, "abcd".into());
/// assert_eq!(pieces.get(2..6).unwrap(), "cdef");
/// assert_eq!(pieces.get(6..9), None);
/// ```
#[derive(Clone, Debug, Default)]
#[doc(hidden)]
pub struct Pieces {
    by_start: BTreeMap<u64, Bytes>,
    /// The most bytes that any piece has had, so that a search knows where to stop.
    longest: u64,
}

impl Pieces {
    /// Adds bytes that begin at `start`. Bytes for the same place must be the same bytes.
    pub fn push(&mut self, start: u64, bytes: Bytes) {
        if bytes.is_empty() {
            return;
        }
        match self.by_start.get(&start) {
            Some(old) if old.len() >= bytes.len() => {}
            _ => {
                self.longest = self.longest.max(bytes.len() as u64);
                self.by_start.insert(start, bytes);
            }
        }
    }

    /// The bytes of a range: without copying when one piece holds them all, stitched together when several
    /// do, `None` when any byte is missing.
    pub fn get(&self, range: Range<u64>) -> Option<Bytes> {
        if range.start >= range.end {
            return Some(Bytes::new());
        }
        let first = self.covering(range.start)?;
        let (at, piece) = first;
        let skip = (range.start - at) as usize;
        let want = usize::try_from(range.end - range.start).ok()?;
        if piece.len() - skip >= want {
            return Some(piece.slice(skip..skip + want));
        }
        let mut whole = BytesMut::new();
        while whole.len() < want {
            let position = range.start + whole.len() as u64;
            let (at, piece) = self.covering(position)?;
            let skip = (position - at) as usize;
            let n = (piece.len() - skip).min(want - whole.len());
            whole.extend_from_slice(&piece[skip..skip + n]);
        }
        Some(whole.freeze())
    }

    /// All bytes from `position` to the end of the piece that holds it, without copying.
    pub fn run(&self, position: u64) -> Option<Bytes> {
        let (at, piece) = self.covering(position)?;
        Some(piece.slice((position - at) as usize..))
    }

    /// As [`get`](Self::get); a missing byte is the caller's mistake.
    pub fn expect(&self, range: Range<u64>) -> Result<Bytes> {
        self.get(range.clone()).ok_or_else(|| missing(&range))
    }

    /// The parts of a range that are not here yet, so that nothing is asked for twice.
    pub fn lacking(&self, range: Range<u64>) -> Vec<Range<u64>> {
        let mut gaps = Vec::new();
        let mut at = range.start;
        while at < range.end {
            if let Some((start, piece)) = self.covering(at) {
                at = start + piece.len() as u64;
                continue;
            }
            let next = self.by_start.range(at..range.end).next().map_or(range.end, |(&start, _)| start);
            gaps.push(at..next);
            at = next;
        }
        gaps
    }

    /// Forgets everything before `position`, for work that only moves forward.
    pub fn forget_before(&mut self, position: u64) {
        self.by_start.retain(|&start, piece| start + piece.len() as u64 > position);
    }

    /// The longest piece that holds the byte at `position`.
    fn covering(&self, position: u64) -> Option<(u64, &Bytes)> {
        // Pieces may overlap, so the nearest start need not be the one that reaches `position`; none that begins
        // further in front than the longest one reaches does.
        self.by_start
            .range(position.saturating_sub(self.longest)..=position)
            .rev()
            .find(|(start, piece)| **start + piece.len() as u64 > position)
            .map(|(&start, piece)| (start, piece))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_piece_is_not_copied() {
        let file = Bytes::from_static(b"0123456789");
        let mut p = Pieces::default();
        p.push(100, file.clone());
        assert_eq!(p.get(102..104).unwrap().as_ptr(), file[2..].as_ptr());
    }

    #[test]
    fn lacking_lists_only_the_gaps() {
        let mut p = Pieces::default();
        p.push(10, "abc".into());
        p.push(15, "de".into());
        assert_eq!(p.lacking(8..20), [8..10, 13..15, 17..20]);
        assert_eq!(p.lacking(10..13), []);
        p.forget_before(13);
        assert_eq!(p.get(10..11), None);
        assert_eq!(p.get(15..17).unwrap(), "de");
    }
}
