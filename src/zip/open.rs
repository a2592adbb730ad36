//! From the end of a file to its directory to its members.

use bytes::Bytes;

use super::{
    codes,
    end::{self, Directory, Found, Further, TAIL},
    entry::Entry,
    file::Zip,
};
use crate::{
    cursor::Cursor,
    error::{self, Error, Result},
    limits::Limits,
    step::{Pieces, Step, Stepper},
};

/// What an entry takes while it is read, beside its name.
const ENTRY_MEMORY: u64 = 160;

/// Opens an archive: its end, perhaps a record of ZIP64, and its directory.
#[derive(Debug)]
pub struct Opener {
    file_len: u64,
    limits: Limits,
    pieces: Pieces,
    work: Work,
}

#[derive(Debug)]
enum Work {
    End,
    Further(Further),
    Directory(Directory),
}

impl Opener {
    /// For a file of this many bytes.
    pub fn new(file_len: u64) -> Self {
        Opener { file_len, limits: Limits::default(), pieces: Pieces::default(), work: Work::End }
    }
    /// With other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    fn members(&self, directory: &Directory, bytes: &[u8]) -> Result<Zip> {
        let mut c = Cursor::new(bytes, directory.range.start, "directory", &codes::DIRECTORY);
        let (mut entries, mut names) = (Vec::new(), 0);
        while !c.is_empty() {
            let entry = Entry::read(&mut c)?;
            names += entry.name.len() as u64;
            self.limits.index((entries.len() as u64 + 1) * ENTRY_MEMORY + names).map_err(|e| e.section("directory"))?;
            entries.push(entry);
        }
        let found = entries.len() as u64;
        // Some programs count on beyond what the field holds.
        let same = if directory.exact { found == directory.entries } else { found & 0xffff == directory.entries };
        if !same {
            let message = format!("the directory declares {} entries and has {found}", directory.entries);
            return Err(Error::new(&codes::DIRECTORY, message).section("directory").offset(directory.range.start));
        }
        Zip::new(entries, directory.range.start, &self.limits)
    }
}

impl Stepper for Opener {
    type Output = Zip;

    fn step(&mut self) -> Result<Step<Zip>> {
        loop {
            let wanted = match &self.work {
                Work::End => self.file_len.saturating_sub(TAIL)..self.file_len,
                Work::Further(further) => further.range.clone(),
                Work::Directory(directory) => {
                    self.limits
                        .index(directory.range.end - directory.range.start)
                        .map_err(|e| e.section("directory").offset(directory.range.start))?;
                    directory.range.clone()
                }
            };
            if self.file_len == 0 {
                return Err(Error::new(&error::codes::EMPTY, "the file has no bytes").offset(0));
            }
            let Some(bytes) = self.pieces.get(wanted.clone()) else {
                return Ok(Step::Need(self.pieces.lacking(wanted)));
            };
            self.work = match &self.work {
                Work::End => match end::find(&bytes, wanted.start)? {
                    Found::Directory(directory) => Work::Directory(directory),
                    Found::Further(further) => Work::Further(further),
                },
                Work::Further(further) => Work::Directory(end::further(further, &bytes)?),
                Work::Directory(directory) => return Ok(Step::Done(self.members(directory, &bytes)?)),
            };
        }
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }
}
