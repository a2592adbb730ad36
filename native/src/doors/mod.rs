//! Files of records that other programs write, as they lie around: packed as a whole, or many in a folder.
//!
//! | file | what it holds |
//! |---|---|
//! | `unpack.rs` | a whole file that is packed, unpacked next to it |
//! | `folder.rs` | a folder of such files, as one dataset |
//! | `chunks.rs` | a folder of LitData |
//! | `shards.rs` | a folder of MDS shards |

mod chunks;
mod folder;
mod shards;
mod unpack;

pub(crate) use folder::of_folder;
pub(crate) use unpack::{is_records, unpacked};

use std::path::Path;

use forebay::{Limits, Result, doors::open::Opener};

use crate::{
    cache::Cache,
    input::{Input, Io, remote},
};

/// How files are opened.
#[derive(Clone, Debug)]
pub(crate) struct How {
    pub limits: Limits,
    pub io: Io,
    pub keep_going: bool,
    pub cache: Option<Cache>,
}

impl How {
    /// A file beneath a folder, through the cache.
    fn open(&self, root: &Path, name: &str) -> Result<Input> {
        let input = Input::open(&remote::beneath(root, name), self.io)?;
        Ok(match &self.cache {
            Some(cache) => input.cached(cache),
            None => input,
        })
    }
}

/// Files that are opened as one, and how.
#[derive(Debug)]
pub(crate) struct Found {
    /// Their bytes.
    pub input: Input,
    /// The opener of these files.
    pub opener: Opener,
}
