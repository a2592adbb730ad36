//! The records at the end of an archive: where its directory is.

use std::ops::Range;

use super::codes;
use crate::{
    cursor::Cursor,
    error::{Error, Result},
};

const END: [u8; 4] = *b"PK\x05\x06";
const END_LEN: u64 = 22;
const LOCATOR: [u8; 4] = *b"PK\x06\x07";
const LOCATOR_LEN: u64 = 20;
const END64: [u8; 4] = *b"PK\x06\x06";
const END64_LEN: u64 = 56;
/// Everything that can follow the directory: the largest comment, and the records of ZIP64.
pub(super) const TAIL: u64 = 0xffff + END_LEN + LOCATOR_LEN + END64_LEN;

/// Where the directory lies, and how many entries it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Directory {
    pub range: Range<u64>,
    pub entries: u64,
    /// The number of entries counts beyond 65,535.
    pub exact: bool,
}

/// What the end of a file says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Where the directory is.
    Directory(Directory),
    /// ZIP64 has it in a record there.
    Further(Further),
}

/// The record of ZIP64 is still to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Further {
    pub range: Range<u64>,
    /// Where the locator begins, behind the record.
    end: u64,
}

fn missing(message: impl Into<String>) -> Error {
    Error::new(&codes::END, message).section("end")
}

/// Looks through the last bytes of a file, which begin at `base` and reach to its end.
pub(super) fn find(tail: &[u8], base: u64) -> Result<Found> {
    let len = base.saturating_add(tail.len() as u64);
    // A comment may look like a record: the one whose comment ends with the file is meant.
    let at = (0..tail.len().saturating_sub(END_LEN as usize - 1)).rev().find(|&at| {
        let comment = tail.get(at + 20..at + 22).map(|n| usize::from(u16::from_le_bytes([n[0], n[1]])));
        tail[at..].starts_with(&END) && comment.is_some_and(|n| at + END_LEN as usize + n == tail.len())
    });
    let Some(at) = at else {
        return Err(missing("the archive does not end with its directory; it may be cut").offset(len));
    };
    let start = base + at as u64;
    let mut c = Cursor::new(&tail[at + 4..], start + 4, "end", &codes::END);
    let (disk, first, here, entries) = (c.u16()?, c.u16()?, c.u16()?, c.u16()?);
    let (size, offset) = (c.u32()?, c.u32()?);
    let saturated = disk == u16::MAX || entries == u16::MAX || size == u32::MAX || offset == u32::MAX;
    if saturated
        && let Some(before) = at.checked_sub(LOCATOR_LEN as usize)
        && let Some(rest) = tail[before..].strip_prefix(&LOCATOR)
    {
        let mut c = Cursor::new(rest, base + before as u64 + 4, "end", &codes::END);
        let (disk, record, disks) = (c.u32()?, c.u64()?, c.u32()?);
        volumes(disk.into(), disks.saturating_sub(1).into())?;
        let end = base + before as u64;
        return match record.checked_add(END64_LEN).filter(|&behind| behind <= end) {
            Some(behind) => Ok(Found::Further(Further { range: record..behind, end })),
            None => Err(missing(format!("a record of ZIP64 is declared at {record}, before byte {end}")).offset(end)),
        };
    }
    volumes(disk.into(), first.into())?;
    if here != entries {
        return Err(several());
    }
    directory(offset.into(), size.into(), start, entries.into(), false).map(Found::Directory)
}

/// Reads the record of ZIP64.
pub(super) fn further(found: &Further, record: &[u8]) -> Result<Directory> {
    let mut c = Cursor::new(record, found.range.start, "end", &codes::END);
    if c.array()? != END64 {
        return Err(missing("there is no record of ZIP64 where one is announced").offset(found.range.start));
    }
    // The record may have more fields than are known.
    let length = c.u64()?;
    if found.range.start.checked_add(12).and_then(|at| at.checked_add(length)) != Some(found.end) {
        let message = format!("the record of ZIP64 declares {length} bytes, which do not end with it");
        return Err(missing(message).offset(found.range.start));
    }
    let (_made, _needed) = (c.u16()?, c.u16()?);
    let (disk, first) = (c.u32()?, c.u32()?);
    volumes(disk.into(), first.into())?;
    let (here, entries, size, offset) = (c.u64()?, c.u64()?, c.u64()?, c.u64()?);
    if here != entries {
        return Err(several());
    }
    directory(offset, size, found.range.start, entries, true)
}

/// The directory ends where the first record behind it begins.
fn directory(offset: u64, size: u64, end: u64, entries: u64, exact: bool) -> Result<Directory> {
    if offset.checked_add(size) != Some(end) {
        let message = format!("the directory declares {size} bytes at {offset}, and the next part begins at {end}");
        return Err(missing(message).offset(end));
    }
    Ok(Directory { range: offset..end, entries, exact })
}

fn volumes(disk: u64, first: u64) -> Result<()> {
    if disk == 0 && first == 0 { Ok(()) } else { Err(several()) }
}

fn several() -> Error {
    Error::new(&codes::UNSUPPORTED, "the archive is one of several volumes; join them first").section("end")
}
