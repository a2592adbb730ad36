//! Which file a journal is of.

use serde::{Deserialize, Serialize};

use super::codes;
use crate::{
    codec::checksum::fnv1a,
    error::{Error, Result},
    samples::Dataset,
    tar::Tar,
    tbl::Tbl,
};

/// What tells a file from others: all but the name, which is only said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "EditedFile"))]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// The file's name without its folders.
    pub name: String,
    /// Where the last byte ends that belongs to something: what a write that was cut off left behind it does not count.
    pub bytes: u64,
    /// `guide` or `turboloader`, the layouts of TBL; `tar`, `folder`.
    pub layout: String,
    /// How many samples there are.
    pub samples: u64,
    /// FNV-1a of 64 bits over header and index, or over names, places and sizes of an archive's or a folder's files.
    pub digest: String,
}

impl Identity {
    /// Of an opened file.
    pub fn of(dataset: &Dataset, name: &str) -> Result<Identity> {
        match dataset {
            Dataset::Tbl(tbl) => Ok(Self::of_tbl(tbl, name)),
            Dataset::Tar(tar) => Ok(Self::of_tar(tar, name)),
            #[cfg(feature = "zip")]
            Dataset::Zip(_) => {
                let message = "a ZIP archive is not edited; convert it into a TBL or TAR first";
                Err(Error::new(&crate::error::codes::NOT_SAMPLES, message))
            }
            #[cfg(feature = "doors")]
            Dataset::Door(_) => {
                let message =
                    "records of another program's format are not edited; convert them into a TBL or TAR first";
                Err(Error::new(&crate::error::codes::NOT_SAMPLES, message))
            }
            #[cfg(feature = "warehouse")]
            Dataset::Warehouse(_) => {
                let message = "a tensor warehouse is built from its sources, and not edited";
                Err(Error::new(&crate::error::codes::NOT_SAMPLES, message))
            }
        }
    }

    fn of_tbl(tbl: &Tbl, name: &str) -> Identity {
        let (header, index) = tbl.raw_parts();
        let digest = fnv1a(header.iter().chain(index).copied());
        Self::made(name, tbl.used_end(), tbl.layout().name(), tbl.len(), digest)
    }

    fn of_tar(tar: &Tar, name: &str) -> Identity {
        let members = &tar.archive().members;
        let files = members.iter().map(|member| (member.name, member.offset, member.size));
        let end = members.iter().map(|member| member.offset.saturating_add(member.size)).max().unwrap_or(0);
        Self::made(name, end, "tar", tar.len(), digest_of(files))
    }

    /// Of files in a folder: their names and sizes, in the order of their names.
    pub fn of_folder<'a>(files: impl Iterator<Item = (&'a str, u64)> + Clone, samples: u64, name: &str) -> Identity {
        let bytes = files.clone().map(|(_, size)| size).sum();
        Self::made(name, bytes, "folder", samples, digest_of(files.map(|(name, size)| (name, 0, size))))
    }

    fn made(name: &str, bytes: u64, layout: &str, samples: u64, digest: u64) -> Identity {
        let name = name.trim_end_matches(['/', '\\']);
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name).to_owned();
        Identity { name, bytes, layout: layout.to_owned(), samples, digest: format!("{digest:016x}") }
    }

    /// Refuses another file than this one.
    pub fn expect(&self, other: &Identity) -> Result<()> {
        let same = Identity { name: self.name.clone(), ..other.clone() } == *self;
        if same {
            return Ok(());
        }
        let said = |of: &Identity| {
            format!("{:?} ({}, {} bytes, {} samples, digest {})", of.name, of.layout, of.bytes, of.samples, of.digest)
        };
        let message = format!("the journal is of {}, and this is {}", said(self), said(other));
        Err(Error::new(&codes::OTHER_FILE, message))
    }
}

fn digest_of<'a>(files: impl Iterator<Item = (&'a str, u64, u64)>) -> u64 {
    let numbers = |at: u64, size: u64| at.to_le_bytes().into_iter().chain(size.to_le_bytes());
    // No name has a byte of zero in it, so that no two lists of files give the same bytes.
    fnv1a(files.flat_map(|(name, at, size)| name.bytes().chain([0]).chain(numbers(at, size))))
}
