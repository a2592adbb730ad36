//! Going on behind what cannot be read, for whoever asked for that: to the next header that is beyond doubt.
//!
//! Where a sound header says how long its member is, the walk goes on right behind it. Behind a damaged one nothing is
//! known: every block is looked at, and those of an archive inside a lost payload cannot be told from the file's own.

use super::{
    file::Ending,
    lost::{Lost, Passing},
    pax::Extension,
    raw::{BLOCK, HeaderBlock, padding_of},
    walk::{Found, Walk},
};
use crate::error::{Error, Kind, Result};

/// This many places are passed over; one more ends the walk as the first would have without this.
const MOST: usize = 1000;
/// Where a header says what it is.
const KIND: usize = 156;

impl Walk {
    /// From now on what cannot be read is passed over.
    pub(super) fn keep_going(&mut self, file_len: Option<u64>) {
        self.passing = Some(Passing { file_len, ..Passing::default() });
    }
    /// What was passed over since this was asked last.
    pub(super) fn take_passed(&mut self) -> Vec<Error> {
        self.passing.as_mut().map(|passing| std::mem::take(&mut passing.passed)).unwrap_or_default()
    }

    /// True while a header is looked for.
    pub(super) fn is_lost(&self) -> bool {
        self.passing.as_ref().and_then(|passing| passing.lost.as_ref()).is_some_and(|lost| !lost.nameless)
    }

    /// True while no header is to be had, of which this block is none either.
    pub(super) fn is_lost_at(&mut self, block: &[u8; BLOCK]) -> bool {
        let at = self.at;
        let Some(passing) = &mut self.passing else { return false };
        let Some(lost) = passing.lost.take_if(|lost| !lost.nameless) else { return false };
        let fits = |size: u64| {
            let end = at.saturating_add(BLOCK as u64).checked_add(size);
            end.is_some_and(|end| passing.file_len.is_none_or(|len| end <= len))
        };
        let is_header = |header: HeaderBlock<'_>| header.is_of_posix_or_gnu() && header.size().is_ok_and(fits);
        if HeaderBlock::new(block).is_ok_and(is_header) {
            if lost.names {
                passing.lost = Some(Lost { nameless: true, ..lost });
                return false;
            }
            passing.record(&lost, at, &format!("the next sound header at byte {at}"));
            return false;
        }
        let zeros = if *block == [0; BLOCK] { lost.zeros + 1 } else { 0 };
        passing.lost = Some(Lost { zeros, ..lost });
        self.at = at.saturating_add(BLOCK as u64);
        true
    }

    /// Passes over the header in this block, at which there was an error.
    pub(super) fn pass_block(&mut self, e: Error, block: &[u8; BLOCK]) -> Result<Option<Found>> {
        let next = self.at.saturating_add(BLOCK as u64);
        let end = HeaderBlock::new(block).ok().and_then(|header| {
            let size = self.local.size(&self.global, header).ok()?;
            let end = next.checked_add(size)?.checked_add(padding_of(size))?;
            Some((end, header.has_more_of_sparse()))
        });
        let is_zero = *block == [0; BLOCK];
        self.lose(e, false)?;
        let Some(passing) = &mut self.passing else { return Ok(None) };
        if is_zero {
            // Extended headers end here without a member; what follows is known.
            if let Some(lost) = passing.lost.take() {
                passing.record(&lost, self.at, "here");
            }
            return self.sound_block(block);
        }
        self.at = match end.filter(|(end, _)| passing.file_len.is_none_or(|len| *end <= len)) {
            Some((end, false)) => {
                if let Some(lost) = passing.lost.take() {
                    passing.record(&lost, end, "the end of the member");
                }
                end
            }
            // A few blocks that its size does not count lie between.
            Some((end, true)) => end,
            None => {
                if let Some(lost) = &mut passing.lost {
                    lost.names = matches!(block[KIND], b'x' | b'X' | b'L');
                }
                next
            }
        };
        Ok(None)
    }

    /// Passes over an extended header that says nothing. The next member's name is in it, or its size.
    pub(super) fn pass_body(&mut self, e: Error) -> Result<()> {
        self.lose(e, true)
    }

    fn lose(&mut self, error: Error, nameless: bool) -> Result<()> {
        let (from, at) = (self.extended_at.unwrap_or(self.at), self.at);
        let Some(passing) = &mut self.passing else { return Err(error) };
        if error.kind() == Kind::Limit || passing.count >= MOST {
            return Err(error);
        }
        passing.count += 1;
        if let Some(before) = passing.lost.take() {
            passing.record(&before, at, &format!("byte {at}"));
        }
        passing.lost = Some(Lost { from, error, nameless, names: false, zeros: 0 });
        self.local = Extension::default();
        (self.long_name, self.extended_at) = (None, None);
        Ok(())
    }

    /// True if the member that ends here has no name that could be believed.
    pub(super) fn pass_nameless(&mut self, end: u64) -> bool {
        let Some(passing) = &mut self.passing else { return false };
        let lost = passing.lost.take();
        if let Some(lost) = &lost {
            passing.record(lost, end, "the end of its member");
        }
        lost.is_some()
    }

    /// How a file ends in which no header was found again.
    pub(super) fn end_lost(&mut self, file_len: u64) -> Option<Ending> {
        let passing = self.passing.as_mut()?;
        let lost = passing.lost.take()?;
        passing.record(&lost, file_len, "the end of the file");
        Some(if lost.zeros >= 2 { Ending::Closed } else { Ending::Stopped { offset: lost.from } })
    }
}
