//! Finding every member of an archive by its headers alone.

use std::sync::Arc;

use bytes::Bytes;

use super::{
    file::{Archive, Ending, Members, Passed, Skipped},
    raw::BLOCK,
    walk::{Found, Walk, Want},
};
use crate::{
    error::{self, Error, Result},
    limits::Limits,
    step::{Pieces, Step, Stepper, drive},
};

/// Behind an archive's end there are often zeros only, and where a header is looked for payloads; they are read in pieces
/// of at least this many bytes.
const ZEROS: u64 = 64 << 10;

/// Walks an archive's headers and never asks for payloads.
///
/// One step asks for one header: 512 bytes, or the body of an extended header. A host for which a request is dear
/// sets a [read-ahead](Self::with_read_ahead); bytes that are pushed beyond what was asked for are used too.
/// What was found so far can be seen at any time, after an error as well.
///
/// ```
/// use forebay::{Limits, Step, Stepper, tar::{self, Opener}};
/// let file = [tar::header_for("a.txt", 0)?, tar::END.to_vec()].concat();
/// let mut opener = Opener::new(file.len() as u64).with_limits(Limits::browser());
/// let archive = loop {
///     match opener.step()? {
///         Step::Need(ranges) => for r in ranges {
///             opener.push(r.start, file[r.start as usize..r.end as usize].to_vec().into());
///         },
///         Step::Done(archive) => break archive,
///     }
///     println!("{} members so far", opener.members().len());
/// };
/// assert_eq!(archive.members.name(0), Some("a.txt"));
/// # Ok::<(), forebay::Error>(())
/// ```
#[derive(Debug)]
pub struct Opener {
    file_len: u64,
    limits: Limits,
    read_ahead: u64,
    walk: Walk,
    input: Input,
    members: Members,
    passed: Passed,
    /// Where the scan came to its end or to an error.
    stopped_at: Option<u64>,
}

impl Opener {
    /// A scan of a file of `file_len` bytes.
    pub fn new(file_len: u64) -> Self {
        Opener {
            file_len,
            read_ahead: 0,
            walk: Walk::new(Limits::default()),
            limits: Limits::default(),
            input: Input::default(),
            members: Members::default(),
            passed: Passed::default(),
            stopped_at: None,
        }
    }

    /// With other limits, before the first step.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.walk.set_limits(limits.clone());
        self.limits = limits;
        self
    }

    /// Passes over headers that are damaged and members that are not read, which [`Archive::passed`] then lists.
    #[must_use]
    pub fn keep_going(mut self) -> Self {
        self.walk.keep_going(Some(self.file_len));
        self
    }

    /// Asks for at least this many bytes at once, as far as the file has them. Where members are small, one
    /// request then brings many headers. `u64::MAX` asks for the whole rest at once: right for a memory map, where
    /// a range costs nothing until it is read.
    #[must_use]
    pub fn with_read_ahead(mut self, bytes: u64) -> Self {
        self.read_ahead = bytes;
        self
    }

    /// The members found so far; empty once the scan has given its [`Archive`].
    pub fn members(&self) -> &Members {
        &self.members
    }
    /// What was skipped so far.
    pub fn skipped(&self) -> Skipped {
        self.walk.skipped()
    }
    /// Where the scan stands in the file, for a progress bar.
    pub fn position(&self) -> u64 {
        self.stopped_at.unwrap_or(self.walk.position()).min(self.file_len)
    }
    /// What was found so far as an archive that ends here, while the scan goes on. It is a copy: hosts that show a
    /// growing archive take one now and then, not at every step.
    pub fn so_far(&self) -> Archive {
        let ending = Ending::Stopped { offset: self.position() };
        let (members, passed) = (self.members.clone(), self.passed.clone());
        Archive { members, skipped: self.walk.skipped(), archives: self.walk.archives(), ending, passed }
    }
    /// What was found so far as an archive that ends here: all that can be had after an error.
    pub fn into_partial(mut self) -> Archive {
        let ending = Ending::Stopped { offset: self.position() };
        self.archive(ending)
    }

    fn advance(&mut self) -> Result<Step<Archive>> {
        loop {
            let at = self.walk.position();
            let left = self.file_len.saturating_sub(at);
            match self.walk.want() {
                Want::Block if left >= BLOCK as u64 => {
                    let block = self.input.get(at, BLOCK as u64).and_then(|bytes| bytes.first_chunk());
                    let Some(block) = block else { return Ok(self.need(at, BLOCK as u64)) };
                    if let Some(found) = self.walk.block(block)? {
                        self.found(found)?;
                    }
                }
                Want::Body(size) if left >= size as u64 => {
                    let Some(body) = self.input.get(at, size as u64) else { return Ok(self.need(at, size as u64)) };
                    self.walk.body(body)?;
                }
                Want::Block => {
                    let Some(tail) = self.input.get(at, left) else { return Ok(self.need(at, left)) };
                    let ending = self.walk.finish(tail, self.file_len)?;
                    return Ok(Step::Done(self.archive(ending)));
                }
                Want::Body(_) | Want::Nothing => {
                    let ending = self.walk.finish(&[], self.file_len)?;
                    return Ok(Step::Done(self.archive(ending)));
                }
            }
        }
    }

    fn found(&mut self, found: Found) -> Result<()> {
        if !found.ends_within(self.file_len) {
            self.stopped_at = Some(found.header_offset);
            return Err(self.walk.truncated(found, self.file_len));
        }
        if !found.is_member {
            return Ok(());
        }
        let member = self.walk.member(found);
        self.members.push(member, &self.limits).map_err(|e| {
            self.stopped_at = Some(found.header_offset);
            e.section("header").member(member.name).offset(found.header_offset)
        })
    }

    fn archive(&mut self, ending: Ending) -> Archive {
        self.note_passed();
        let (members, passed) = (std::mem::take(&mut self.members), std::mem::take(&mut self.passed));
        Archive { members, skipped: self.walk.skipped(), archives: self.walk.archives(), ending, passed }
    }

    fn note_passed(&mut self) {
        self.passed.0.extend(self.walk.take_passed().into_iter().map(Arc::new));
    }

    fn need(&mut self, at: u64, bytes: u64) -> Step<Archive> {
        self.input.pieces.forget_before(at);
        self.note_passed();
        let ahead =
            if self.walk.is_past_end() || self.walk.is_lost() { self.read_ahead.max(ZEROS) } else { self.read_ahead };
        let end = at.saturating_add(bytes.max(ahead)).min(self.file_len);
        Step::Need(self.input.pieces.lacking(at..end))
    }
}

impl Stepper for Opener {
    type Output = Archive;

    fn step(&mut self) -> Result<Step<Archive>> {
        if self.stopped_at.is_some() {
            return Err(Error::new(&error::codes::ARGUMENT, "the scan has ended already"));
        }
        let step = self.advance();
        match &step {
            Ok(Step::Need(_)) => {}
            Ok(Step::Done(_)) => self.stopped_at = Some(self.file_len),
            Err(_) => self.stopped_at = Some(self.stopped_at.unwrap_or(self.walk.position())),
        }
        step
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.input.pieces.push(start, bytes);
    }
}

/// Scans an archive that is wholly in memory, such as a memory map; only the headers of it are touched.
pub fn scan(file: &Bytes, limits: &Limits) -> Result<Archive> {
    drive(Opener::new(file.len() as u64).with_limits(limits.clone()).with_read_ahead(u64::MAX), file)
}

/// The pieces pushed so far, and the one in use: most headers lie where the last one did.
#[derive(Debug, Default)]
struct Input {
    pieces: Pieces,
    start: u64,
    window: Bytes,
}

impl Input {
    /// The `n` bytes at `at`, `None` if one of them is missing.
    fn get(&mut self, at: u64, n: u64) -> Option<&[u8]> {
        if n == 0 {
            return Some(&[]);
        }
        let n = usize::try_from(n).ok()?;
        if self.place(at, n).is_none() {
            let run = self.pieces.run(at).filter(|run| run.len() >= n);
            self.window = run.or_else(|| self.pieces.get(at..at.checked_add(n as u64)?))?;
            self.start = at;
        }
        self.window.get(self.place(at, n)?)
    }

    fn place(&self, at: u64, n: usize) -> Option<std::ops::Range<usize>> {
        let skip = usize::try_from(at.checked_sub(self.start)?).ok()?;
        let end = skip.checked_add(n)?;
        (end <= self.window.len()).then_some(skip..end)
    }
}
