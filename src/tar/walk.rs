//! The walk from header to header. Whoever reads an archive hands it the same blocks, so every reader finds the same
//! members and the same faults.

use super::{
    codes,
    file::{Ending, Member, Skipped},
    lost::Passing,
    pax::Extension,
    raw::{BLOCK, HeaderBlock, Kind, padding_of, until_nul},
};
use crate::{
    error::{self, Error, Result},
    limits::Limits,
};

/// What the walk needs at [`Walk::position`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    /// The next 512 bytes.
    Block,
    /// The body of an extended header.
    Body(usize),
    /// Nothing more: what follows is not an archive.
    Nothing,
}

#[derive(Clone, Copy, Debug)]
enum Body {
    LongName,
    LongLink,
    Pax,
    GlobalPax,
}

/// A payload that the walk came upon.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// False for what has a payload and is skipped nevertheless.
    pub(super) is_member: bool,
    pub(super) header_offset: u64,
    pub(super) offset: u64,
    pub(super) size: u64,
}

impl Found {
    /// True when a file of `file_len` bytes holds all of it.
    pub(super) fn ends_within(&self, file_len: u64) -> bool {
        self.offset.checked_add(self.size).is_some_and(|end| end <= file_len)
    }
}

/// Everything known between two blocks.
#[derive(Debug)]
pub(super) struct Walk {
    limits: Limits,
    pub(super) at: u64,
    body: Option<(Body, usize)>,
    pub(super) local: Extension,
    pub(super) global: Extension,
    pub(super) long_name: Option<Vec<u8>>,
    /// Where the extended headers of the next member began.
    pub(super) extended_at: Option<u64>,
    /// Zero blocks since the last header.
    zeros: u64,
    trailing: bool,
    name: String,
    members: u64,
    archives: u64,
    skipped: Skipped,
    /// What becomes of what cannot be read, for whoever wants to go on behind it.
    pub(super) passing: Option<Passing>,
}

impl Walk {
    pub(super) fn new(limits: Limits) -> Self {
        Walk {
            limits,
            at: 0,
            body: None,
            local: Extension::default(),
            global: Extension::default(),
            long_name: None,
            extended_at: None,
            zeros: 0,
            trailing: false,
            name: String::new(),
            members: 0,
            archives: 0,
            skipped: Skipped::default(),
            passing: None,
        }
    }
    pub(super) fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Where the wanted bytes begin.
    pub(super) fn position(&self) -> u64 {
        self.at
    }
    pub(super) fn want(&self) -> Want {
        match self.body {
            _ if self.trailing => Want::Nothing,
            Some((_, size)) => Want::Body(size),
            None => Want::Block,
        }
    }
    /// True behind the two zero blocks of an archive's end.
    pub(super) fn is_past_end(&self) -> bool {
        self.zeros >= 2
    }
    pub(super) fn skipped(&self) -> Skipped {
        self.skipped
    }
    pub(super) fn archives(&self) -> u64 {
        self.archives.max(1)
    }
    /// The member that was found last.
    pub(super) fn member(&self, found: Found) -> Member<'_> {
        Member { name: &self.name, header_offset: found.header_offset, offset: found.offset, size: found.size }
    }

    /// Takes the block at [`position`](Self::position). After an error the walk stands where it stood.
    pub(super) fn block(&mut self, block: &[u8; BLOCK]) -> Result<Option<Found>> {
        if self.is_lost_at(block) {
            return Ok(None);
        }
        self.sound_block(block).or_else(|e| self.pass_block(e, block))
    }

    pub(super) fn sound_block(&mut self, block: &[u8; BLOCK]) -> Result<Option<Found>> {
        let at = self.at;
        let next = at.saturating_add(BLOCK as u64);
        if *block == [0; BLOCK] {
            self.no_extension_is_open()?;
            self.zeros += 1;
            self.at = next;
            return Ok(None);
        }
        let header = match HeaderBlock::new(block) {
            Ok(header) => header,
            // One zero block could be a header that was wiped out; two are an end.
            Err(_) if self.is_past_end() => {
                self.trailing = true;
                return Ok(None);
            }
            Err(e) => return Err(self.in_header(e)),
        };
        if self.zeros > 0 {
            self.global = Extension::default();
        }
        let found = self.header(header, next).map_err(|e| self.in_header(e))?;
        if self.zeros > 0 || self.archives == 0 {
            self.archives += 1;
            self.zeros = 0;
        }
        self.at = match found {
            Some(found) => {
                // A size that no file can have stops the walk there: no file is that long.
                let end = found.offset.checked_add(found.size);
                end.and_then(|end| end.checked_add(padding_of(found.size))).unwrap_or(u64::MAX)
            }
            None => next,
        };
        Ok(found.filter(|found| found.is_member || found.size > 0))
    }

    fn header(&mut self, header: HeaderBlock<'_>, payload: u64) -> Result<Option<Found>> {
        let body = match header.kind() {
            Kind::LongName => Body::LongName,
            Kind::LongLink => Body::LongLink,
            Kind::Pax => Body::Pax,
            Kind::GlobalPax => Body::GlobalPax,
            kind => return self.entry(kind, header, payload),
        };
        let size = self.limits.item(header.size()?)?;
        if !matches!(body, Body::GlobalPax) {
            self.extended_at.get_or_insert(self.at);
        }
        self.body = Some((body, size));
        Ok(None)
    }

    /// A header that is not about another one.
    fn entry(&mut self, kind: Kind, header: HeaderBlock<'_>, payload: u64) -> Result<Option<Found>> {
        let mut found =
            Found { is_member: false, header_offset: self.extended_at.unwrap_or(self.at), offset: payload, size: 0 };
        let mut skipped = self.skipped;
        match kind {
            Kind::Directory => skipped.directories += 1,
            Kind::Link => skipped.links += 1,
            Kind::DumpDirectory => {
                skipped.directories += 1;
                found.size = self.local.size(&self.global, header)?;
                self.set_name_lossy(header);
            }
            Kind::Unsupported(what) => {
                self.set_name_lossy(header);
                let message = format!("the member is {what}");
                return Err(Error::new(&codes::UNSUPPORTED, message).member(self.name.as_str()));
            }
            Kind::File => {
                self.set_name(header)?;
                if self.local.is_sparse() {
                    let error = Error::new(&codes::UNSUPPORTED, "the member is a GNU sparse file");
                    return Err(error.member(self.name.as_str()));
                }
                found.size = self.local.size(&self.global, header).map_err(|e| e.member(self.name.as_str()))?;
                // Before there was a kind for folders, a slash at the end made one.
                found.is_member = found.size > 0 || !self.name.ends_with('/');
                skipped.directories += u64::from(!found.is_member);
                self.members += u64::from(found.is_member);
            }
            _ => skipped.specials += 1,
        }
        if self.pass_nameless(payload.saturating_add(found.size)) {
            self.members -= u64::from(found.is_member);
            found.is_member = false;
        }
        self.skipped = skipped;
        self.local = Extension::default();
        self.long_name = None;
        self.extended_at = None;
        Ok(Some(found))
    }

    /// Takes the body of an extended header, all of it. After an error the walk stands where it stood.
    pub(super) fn body(&mut self, bytes: &[u8]) -> Result<()> {
        let Some((body, _)) = self.body else { return Ok(()) };
        let read = match body {
            Body::LongName => match until_nul(bytes) {
                [] => Err(Error::new(&codes::EXTENSION, "a GNU long name is empty")),
                name => {
                    self.long_name = Some(name.to_vec());
                    Ok(())
                }
            },
            Body::LongLink => Ok(()),
            Body::Pax => self.local.read(bytes),
            Body::GlobalPax => self.global.read(bytes),
        };
        if let Err(e) = read {
            self.pass_body(self.in_header(e))?;
        }
        self.body = None;
        let size = bytes.len() as u64;
        self.at = self.at.saturating_add(size).saturating_add(padding_of(size));
        Ok(())
    }

    /// Ends the walk of a file of `file_len` bytes. `tail` is what is left at a place where a header is wanted:
    /// less than a block.
    pub(super) fn finish(&mut self, tail: &[u8], file_len: u64) -> Result<Ending> {
        if file_len == 0 {
            return Err(Error::new(&error::codes::EMPTY, "the file has no bytes").offset(0));
        }
        if let Some(ending) = self.end_lost(file_len) {
            return Ok(ending);
        }
        let trailing = Ending::Trailing { offset: self.at, bytes: file_len.saturating_sub(self.at) };
        if self.trailing {
            return Ok(trailing);
        }
        if let Some((_, size)) = self.body {
            let left = file_len.saturating_sub(self.at);
            let message = format!("an extended header announces {size} bytes and {left} are left");
            return Err(self.in_header(Error::new(&codes::TRUNCATED, message)));
        }
        let zeros_only = tail.iter().all(|&b| b == 0);
        if !zeros_only && self.is_past_end() {
            return Ok(trailing);
        }
        if !tail.is_empty() && (!zeros_only || self.at == 0) {
            let message = format!("a header has {BLOCK} bytes and {} are left", tail.len());
            return Err(self.in_header(Error::new(&codes::TRUNCATED, message)));
        }
        self.no_extension_is_open()?;
        Ok(if self.is_past_end() { Ending::Closed } else { Ending::Unclosed })
    }

    /// The error for a payload that the file does not hold.
    pub(super) fn truncated(&self, found: Found, file_len: u64) -> Error {
        let left = file_len.saturating_sub(found.offset);
        Error::new(&codes::TRUNCATED, format!("the payload has {} bytes and {left} are left in the file", found.size))
            .section("payload")
            .member(self.name.as_str())
            .offset(found.offset)
    }

    /// Says which header an error is about.
    pub(super) fn in_header(&self, e: Error) -> Error {
        let message = format!("{}, after {} members", e.message(), self.members);
        let at = e.place().offset.unwrap_or(self.at);
        let mut placed = Error::new(e.code(), message).section("header").offset(at);
        if let Some(member) = &e.place().member {
            placed = placed.member(member.as_str());
        }
        placed
    }

    fn no_extension_is_open(&self) -> Result<()> {
        match self.extended_at {
            None => Ok(()),
            Some(at) => {
                let e = Error::new(&codes::EXTENSION, "an extended header is followed by no member");
                Err(self.in_header(e.offset(at)))
            }
        }
    }

    fn set_name(&mut self, header: HeaderBlock<'_>) -> Result<()> {
        self.name.clear();
        let (prefix, name) = match self.local.path(&self.global).or(self.long_name.as_deref()) {
            Some(path) => (&[][..], path),
            None => header.name(),
        };
        // Apart or together is the same: no character reaches over the slash between the two.
        for part in [prefix, name] {
            let Ok(text) = std::str::from_utf8(part) else {
                let message = format!("the name \"{}\" is not UTF-8", part.escape_ascii());
                return Err(Error::new(&codes::NAME, message).member(String::from_utf8_lossy(part)));
            };
            if !self.name.is_empty() {
                self.name.push('/');
            }
            self.name.push_str(text);
        }
        Ok(())
    }

    /// For what is skipped or refused: its name is only for messages.
    fn set_name_lossy(&mut self, header: HeaderBlock<'_>) {
        let path = self.local.path(&self.global).or(self.long_name.as_deref());
        let path = path.unwrap_or_else(|| header.name().1);
        self.name = String::from_utf8_lossy(path).into_owned();
    }
}
