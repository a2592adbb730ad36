//! Reading an archive whose bytes only come in order: a pipe, a `.tar.gz`, a `.tar.zst`.

use super::{
    file::{Ending, Member, Skipped},
    raw::BLOCK,
    walk::{Found, Walk, Want},
};
use crate::{
    error::{Error, Result},
    limits::Limits,
};

/// The next part of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'s, 'i> {
    /// A regular file begins. Exactly [`size`](Member::size) bytes of [`Data`](Event::Data) follow: none for an
    /// empty file, and in pieces of any length otherwise. It is whole only when all of them came.
    Member(Member<'s>),
    /// Bytes of the member that began last, borrowed from the input.
    Data(&'i [u8]),
}

/// The summary at the end of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// How many regular files there were.
    pub members: u64,
    /// The other members.
    pub skipped: Skipped,
    /// How many archives the stream held, one after the other.
    pub archives: u64,
    /// How the last one ended.
    pub ending: Ending,
}

/// A push parser: bytes go in as they come, members and their data come out.
///
/// It finds the members that [`Opener`](super::Opener) finds in the same bytes, and fails where that fails with
/// the same error; only that a payload is missing shows here not before the end. It holds one header at a time.
///
/// ```
/// use forebay::{Limits, tar::{self, Event, StreamReader}};
/// let file = [tar::header_for("a.txt", 3)?, b"abc".to_vec(), vec![0; tar::padding(3)], tar::END.to_vec()].concat();
///
/// let mut reader = StreamReader::new(Limits::default());
/// let mut text = Vec::new();
/// for mut chunk in file.chunks(700) {
///     while let Some(event) = reader.next(&mut chunk)? {
///         match event {
///             Event::Member(member) => text.extend_from_slice(member.name.as_bytes()),
///             Event::Data(bytes) => text.extend_from_slice(bytes),
///             _ => {}
///         }
///     }
/// }
/// assert_eq!(reader.finish()?.members, 1);
/// assert_eq!(text, b"a.txtabc");
/// # Ok::<(), forebay::Error>(())
/// ```
#[derive(Debug)]
pub struct StreamReader {
    walk: Walk,
    /// How many bytes came so far.
    taken: u64,
    /// The payload in progress.
    payload: Option<Found>,
    members: u64,
    /// The block or the body of an extended header that is being gathered.
    gathered: Vec<u8>,
}

impl StreamReader {
    /// Reads an archive from its first byte.
    pub fn new(limits: Limits) -> Self {
        StreamReader { walk: Walk::new(limits), taken: 0, payload: None, members: 0, gathered: Vec::new() }
    }

    /// Passes over headers that are damaged and members that are not read; [`take_passed`](Self::take_passed) lists them.
    #[doc(hidden)]
    #[must_use]
    pub fn keep_going(mut self) -> Self {
        self.walk.keep_going(None);
        self
    }
    /// What was passed over since this was asked last.
    #[doc(hidden)]
    pub fn take_passed(&mut self) -> Vec<Error> {
        self.walk.take_passed()
    }

    /// How many bytes of the archive were taken so far.
    pub fn position(&self) -> u64 {
        self.taken
    }

    /// Takes bytes off the front of `input` up to the next event; `None` when all were taken and more are needed.
    /// After an error it gives the same error again.
    pub fn next<'i>(&mut self, input: &mut &'i [u8]) -> Result<Option<Event<'_, 'i>>> {
        loop {
            if let Some(found) = self.payload.filter(|found| found.is_member) {
                // No stream reaches the end that a size near 2^64 claims, so saturating is exact enough.
                let left = found.offset.saturating_add(found.size).saturating_sub(self.taken);
                if left > 0 {
                    let data = self.take(input, left);
                    return Ok((!data.is_empty()).then_some(Event::Data(data)));
                }
            }
            // Padding, and payloads that belong to no member.
            self.take(input, self.walk.position().saturating_sub(self.taken));
            if self.taken < self.walk.position() {
                return Ok(None);
            }
            self.payload = None;
            let wanted = match self.walk.want() {
                Want::Block => BLOCK,
                Want::Body(size) => size,
                Want::Nothing => {
                    self.take(input, u64::MAX);
                    return Ok(None);
                }
            };
            let part = self.take(input, (wanted - self.gathered.len()) as u64);
            self.gathered.extend_from_slice(part);
            if self.gathered.len() < wanted {
                return Ok(None);
            }
            if let Want::Body(_) = self.walk.want() {
                self.walk.body(&self.gathered)?;
                self.gathered.clear();
                continue;
            }
            let Some(block) = self.gathered.first_chunk() else { return Ok(None) };
            self.payload = self.walk.block(block)?;
            self.gathered.clear();
            if let Some(found) = self.payload.filter(|found| found.is_member) {
                self.members += 1;
                return Ok(Some(Event::Member(self.walk.member(found))));
            }
        }
    }

    /// Ends the stream: says how, or what is missing.
    pub fn finish(mut self) -> Result<Summary> {
        self.end()
    }

    /// As [`finish`](Self::finish), after which there is still to be asked what was passed over.
    #[doc(hidden)]
    pub fn end(&mut self) -> Result<Summary> {
        if let Some(found) = self.payload.filter(|found| !found.ends_within(self.taken)) {
            return Err(self.walk.truncated(found, self.taken));
        }
        let ending = self.walk.finish(&self.gathered, self.taken)?;
        let (skipped, archives) = (self.walk.skipped(), self.walk.archives());
        Ok(Summary { members: self.members, skipped, archives, ending })
    }

    /// At most `n` bytes off the front of the input.
    fn take<'i>(&mut self, input: &mut &'i [u8], n: u64) -> &'i [u8] {
        let n = usize::try_from(n).unwrap_or(usize::MAX).min(input.len());
        let (taken, rest) = input.split_at(n);
        *input = rest;
        self.taken += n as u64;
        taken
    }
}
