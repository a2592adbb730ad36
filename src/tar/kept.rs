//! What a scan found, as bytes to keep: the next opening of the same archive then needs no scan.
//!
//! An archive has no index, so whoever opens one walks through all of it. A host that keeps these bytes under the
//! file's identity (its name, length and date, or its ETag) gives them to [`crate::samples::Opener::with_kept`] the
//! next time. They are never believed blindly: a checksum covers them, the file's length is in them, and the
//! headers of the first and the last member are read again and compared.
//!
//! Layout, little-endian: `FBTI`, version, the file's length, what was counted, then 24 bytes a member, then all
//! names, then a CRC32 of everything before it.

use std::ops::Range;

use super::{
    codes,
    file::{Archive, Ending, Member, Members, Passed, Skipped},
    raw::{BLOCK, padding_of},
    walk::{Walk, Want},
};
use crate::{codec::checksum::crc32, cursor::Cursor, error::Result, limits::Limits};

const MAGIC: &[u8; 4] = b"FBTI";
const VERSION: u32 = 1;
const ENTRY: u64 = 24;

#[doc(hidden)]
impl Archive {
    /// These findings as bytes to keep for the next opening of the same file of `file_len` bytes. Nothing if the
    /// scan did not come to the archive's end, or passed something over: a fault is found anew each time.
    pub fn to_kept(&self, file_len: u64) -> Option<Vec<u8>> {
        if !self.passed.is_empty() {
            return None;
        }
        let (ending, at, after) = match self.ending {
            Ending::Closed => (0, 0, 0),
            Ending::Unclosed => (1, 0, 0),
            Ending::Trailing { offset, bytes } => (2, offset, bytes),
            Ending::Stopped { .. } => return None,
        };
        let mut out = Vec::with_capacity(96 + self.members.len() * (ENTRY as usize + 24));
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        let Skipped { directories, links, specials } = self.skipped;
        let count = self.members.len() as u64;
        for number in [file_len, count, directories, links, specials, self.archives, ending, at, after] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        for member in self.members.iter() {
            let blocks = (member.offset - member.header_offset) / BLOCK as u64;
            out.extend_from_slice(&member.header_offset.to_le_bytes());
            out.extend_from_slice(&member.size.to_le_bytes());
            out.extend_from_slice(&u32::try_from(blocks).ok()?.to_le_bytes());
            out.extend_from_slice(&u32::try_from(member.name.len()).ok()?.to_le_bytes());
        }
        for name in self.members.names() {
            out.extend_from_slice(name.as_bytes());
        }
        let sum = crc32(&out);
        out.extend_from_slice(&sum.to_le_bytes());
        Some(out)
    }

    /// Reads bytes that [`to_kept`](Self::to_kept) made. Nothing if they are damaged, of another version or of a
    /// file of another length: then the file is scanned, which is not a fault.
    pub fn from_kept(bytes: &[u8], file_len: u64, limits: &Limits) -> Option<Archive> {
        let (body, sum) = bytes.split_last_chunk::<4>()?;
        if crc32(body) != u32::from_le_bytes(*sum) {
            return None;
        }
        read(body, file_len, limits).ok().flatten()
    }
}

fn read(body: &[u8], file_len: u64, limits: &Limits) -> Result<Option<Archive>> {
    let mut c = Cursor::new(body, 0, "kept", &codes::TRUNCATED);
    if c.array::<4>()? != *MAGIC || c.u32()? != VERSION || c.u64()? != file_len {
        return Ok(None);
    }
    let count = c.u64()?;
    let skipped = Skipped { directories: c.u64()?, links: c.u64()?, specials: c.u64()? };
    let archives = c.u64()?;
    let ending = match (c.u64()?, c.u64()?, c.u64()?) {
        (0, ..) => Ending::Closed,
        (1, ..) => Ending::Unclosed,
        (2, offset, bytes) => Ending::Trailing { offset, bytes },
        _ => return Ok(None),
    };
    let mut entries = Cursor::new(c.take_u64(count.saturating_mul(ENTRY))?, c.offset(), "kept", &codes::TRUNCATED);
    let mut members = Members::default();
    let mut end = 0;
    while !entries.is_empty() {
        let (header_offset, size) = (entries.u64()?, entries.u64()?);
        let (blocks, name) = (entries.u32()?, entries.u32()?);
        let offset = header_offset.checked_add(u64::from(blocks) * BLOCK as u64);
        let payload_end = offset.and_then(|offset| offset.checked_add(size)).filter(|&end| end <= file_len);
        let (Some(offset), Some(payload_end)) = (offset, payload_end) else { return Ok(None) };
        let Ok(name) = std::str::from_utf8(c.take(name as usize)?) else { return Ok(None) };
        if blocks == 0 || header_offset < end {
            return Ok(None);
        }
        end = payload_end.saturating_add(padding_of(size));
        members.push(Member { name, header_offset, offset, size }, limits)?;
    }
    Ok(c.is_empty().then_some(Archive { members, skipped, archives, ending, passed: Passed::default() }))
}

/// The headers that tell whether a kept scan is of this file: those of the first and the last member.
pub(crate) fn proof(archive: &Archive) -> Vec<Range<u64>> {
    let ends = [archive.members.get(0), archive.members.len().checked_sub(1).and_then(|i| archive.members.get(i))];
    let mut ranges: Vec<_> = ends.into_iter().flatten().map(|m| m.header_offset..m.offset).collect();
    ranges.dedup();
    ranges
}

/// True when these bytes are the headers of the member that begins there.
pub(crate) fn proves(archive: &Archive, header: &[u8], at: u64, limits: &Limits) -> bool {
    let ends = [archive.members.iter().next(), archive.members.iter().next_back()];
    let member = ends.into_iter().flatten().find(|member| member.header_offset == at);
    member.is_some_and(|member| same(member, header, limits).unwrap_or(false))
}

fn same(member: Member<'_>, header: &[u8], limits: &Limits) -> Result<bool> {
    let mut walk = Walk::new(limits.clone());
    loop {
        let rest = usize::try_from(walk.position()).ok().and_then(|at| header.get(at..)).unwrap_or_default();
        match walk.want() {
            Want::Block => {
                let Some(block) = rest.first_chunk() else { return Ok(false) };
                if let Some(found) = walk.block(block)? {
                    let there = walk.member(found);
                    let whole = found.offset == header.len() as u64;
                    return Ok(found.is_member && whole && there.name == member.name && there.size == member.size);
                }
            }
            Want::Body(size) => match rest.get(..size) {
                Some(body) => walk.body(body)?,
                None => return Ok(false),
            },
            Want::Nothing => return Ok(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::tar::{END, header_for, padding, scan};

    fn file() -> Bytes {
        let mut out = Vec::new();
        for i in 0..50_u32 {
            let long = "é/".repeat(60 * (i as usize % 3));
            let name = format!("train/{long}{i:04}.jpg");
            out.extend(header_for(&name, u64::from(i * 37)).unwrap());
            out.resize(out.len() + i as usize * 37 + padding(u64::from(i * 37)), i as u8);
        }
        out.extend_from_slice(&END);
        out.into()
    }

    #[test]
    fn what_was_kept_is_what_was_found() {
        let file = file();
        let found = scan(&file, &Limits::default()).unwrap();
        let kept = found.to_kept(file.len() as u64).unwrap();
        assert_eq!(Archive::from_kept(&kept, file.len() as u64, &Limits::default()), Some(found.clone()));
        for range in proof(&found) {
            let header = &file[range.start as usize..range.end as usize];
            assert!(proves(&found, header, range.start, &Limits::default()));
            let mut other = header.to_vec();
            *other.last_mut().unwrap() ^= 1;
            other[0] ^= 1;
            assert!(!proves(&found, &other, range.start, &Limits::default()));
        }
    }

    #[test]
    fn bytes_that_were_changed_or_cut_are_not_used() {
        let file = file();
        let len = file.len() as u64;
        let kept = scan(&file, &Limits::default()).unwrap().to_kept(len).unwrap();
        assert_eq!(Archive::from_kept(&kept, len + 512, &Limits::default()), None);
        for at in 0..kept.len() {
            assert_eq!(Archive::from_kept(&kept[..at], len, &Limits::default()), None, "cut at {at}");
            let mut changed = kept.clone();
            changed[at] ^= 1;
            // With a checksum that fits again it may be another archive, and is never a panic.
            assert_eq!(Archive::from_kept(&changed, len, &Limits::default()), None, "changed at {at}");
            let sum = crc32(&changed[..kept.len() - 4]);
            changed[kept.len() - 4..].copy_from_slice(&sum.to_le_bytes());
            let _ = Archive::from_kept(&changed, len, &Limits::default());
        }
        assert_eq!(Archive::from_kept(&kept, len, &Limits::default().with_index_bytes(100)), None);
    }

    #[test]
    fn a_scan_that_stopped_is_not_kept() {
        let file = file();
        let mut scanner = crate::tar::Opener::new(file.len() as u64);
        let _ = crate::Stepper::step(&mut scanner);
        assert_eq!(scanner.into_partial().to_kept(file.len() as u64), None);
    }
}
