//! What a scanned archive holds, lean enough for millions of members.

use std::{ops::Range, sync::Arc};

use serde::Serialize;

use crate::{
    check::Fault,
    error::{Error, Result},
    limits::{self, Limits},
};

/// One regular file of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member<'a> {
    /// The whole name, as it stands in the archive.
    pub name: &'a str,
    /// Where the first header block of the member begins, an extended header included.
    pub header_offset: u64,
    /// Where the payload begins.
    pub offset: u64,
    /// How many bytes the payload has.
    pub size: u64,
}

impl Member<'_> {
    /// Where the payload lies in the archive.
    pub fn range(&self) -> Range<u64> {
        self.offset..self.offset.saturating_add(self.size)
    }
}

/// 24 bytes a member; the names stand one after the other in a single text.
#[derive(Clone, Copy, Debug)]
struct Entry {
    offset: u64,
    size: u64,
    name_end: u32,
    /// From the first header block to the payload.
    header_blocks: u32,
}

/// The members of an archive in their order: 24 bytes each and their names.
#[derive(Clone, Debug, Default)]
pub struct Members {
    names: String,
    entries: Vec<Entry>,
}

impl Members {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
    /// True when there is none.
    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
    /// Member number `i`.
    #[doc(hidden)]
    pub fn get(&self, i: usize) -> Option<Member<'_>> {
        let entry = self.entries.get(i)?;
        Some(Member {
            name: self.name(i)?,
            header_offset: entry.offset - u64::from(entry.header_blocks) * super::raw::BLOCK as u64,
            offset: entry.offset,
            size: entry.size,
        })
    }
    /// The name of member number `i`.
    #[doc(hidden)]
    pub fn name(&self, i: usize) -> Option<&str> {
        let end = self.entries.get(i)?.name_end as usize;
        let start = i.checked_sub(1).and_then(|before| self.entries.get(before)).map_or(0, |e| e.name_end as usize);
        self.names.get(start..end)
    }
    /// Every member in order.
    #[doc(hidden)]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Member<'_>> + DoubleEndedIterator {
        let nothing = Member { name: "", header_offset: 0, offset: 0, size: 0 };
        (0..self.len()).map(move |i| self.get(i).unwrap_or(nothing))
    }
    /// Every name in order.
    #[doc(hidden)]
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|i| self.name(i).unwrap_or_default())
    }
    /// All payload bytes together.
    pub fn payload_bytes(&self) -> u64 {
        self.entries.iter().fold(0, |sum, e| sum.saturating_add(e.size))
    }

    /// Adds a member, checked against the limits before anything grows.
    pub(super) fn push(&mut self, member: Member<'_>, limits: &Limits) -> Result<()> {
        let too_many = || Error::new(&limits::codes::INDEX, "the members' names need more than 4 GiB");
        let name_end = u32::try_from(self.names.len() as u64 + member.name.len() as u64).map_err(|_| too_many())?;
        if self.entries.len() >= u32::MAX as usize {
            return Err(Error::new(&limits::codes::INDEX, "the archive has more than 2^32 members"));
        }
        limits.index((self.entries.len() as u64 + 1) * size_of::<Entry>() as u64 + u64::from(name_end))?;
        // Extended headers lie in memory while they are read, so their blocks fit 32 bits long before this.
        let header_blocks = (member.offset - member.header_offset) / super::raw::BLOCK as u64;
        let header_blocks = u32::try_from(header_blocks).map_err(|_| too_many())?;
        self.names.push_str(member.name);
        self.entries.push(Entry { offset: member.offset, size: member.size, name_end, header_blocks });
        Ok(())
    }
}

impl PartialEq for Members {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}
impl Eq for Members {}

/// Members of an archive besides regular files, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "SkippedMembers"))]
#[non_exhaustive]
pub struct Skipped {
    /// Folders.
    pub directories: u64,
    /// Symbolic and hard links.
    pub links: u64,
    /// Devices, pipes and volume labels.
    pub specials: u64,
}

impl Skipped {
    /// All of them together.
    #[doc(hidden)]
    pub fn total(&self) -> u64 {
        self.directories + self.links + self.specials
    }
}

/// How an archive ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "how")]
#[non_exhaustive]
pub enum Ending {
    /// With two zero blocks, as it should.
    Closed,
    /// With the last member: the two zero blocks are missing. Nothing shows that no member is missing too.
    Unclosed,
    /// With two zero blocks, and then with bytes that are not an archive.
    Trailing {
        /// Where those bytes begin.
        offset: u64,
        /// How many there are.
        bytes: u64,
    },
    /// The scan stopped before the end, at an error.
    Stopped {
        /// The header that could not be passed.
        offset: u64,
    },
}

impl Ending {
    /// A sentence for whoever should know, `None` if everything is as it should be.
    #[doc(hidden)]
    pub fn note(&self) -> Option<String> {
        match *self {
            Ending::Closed => None,
            Ending::Unclosed => Some("the archive has no end blocks; it may have lost its last members".into()),
            Ending::Trailing { offset, bytes } => Some(format!(
                "{bytes} bytes at byte {offset}, after the archive's end, are not an archive and were ignored"
            )),
            Ending::Stopped { offset } => Some(format!("the bytes after {offset} were not read")),
        }
    }
}

/// Everything that the headers of an archive say.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Archive {
    /// The regular files, in their order.
    pub members: Members,
    /// The other members.
    pub skipped: Skipped,
    /// How many archives the file holds, one after the other.
    pub archives: u64,
    /// How the last one ended.
    pub ending: Ending,
    /// What was passed over, if the scan was to go on.
    #[doc(hidden)]
    pub passed: Passed,
}

/// The errors at places that a scan passed over.
#[doc(hidden)]
#[derive(Clone, Debug, Default)]
pub struct Passed(pub(super) Vec<Arc<Error>>);

impl std::ops::Deref for Passed {
    type Target = [Arc<Error>];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl PartialEq for Passed {
    fn eq(&self, other: &Self) -> bool {
        let said = |passed: &Self| passed.iter().map(|e| Fault::from(&**e)).collect::<Vec<_>>();
        said(self) == said(other)
    }
}
impl Eq for Passed {}
