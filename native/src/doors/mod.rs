//! Files of records that other programs write, as they lie around: packed as a whole, or many in a folder.
//!
//! | file | what it holds |
//! |---|---|
//! | `unpack.rs` | a whole file that is packed, unpacked beside |
//! | `folder.rs` | a folder of such files, as one dataset |
//! | `shards.rs` | a folder of MDS shards |

mod folder;
mod shards;
mod unpack;

pub(crate) use folder::of_folder;
pub(crate) use unpack::{is_records, unpacked};

use forebay::{Limits, doors::open::Opener};

use crate::{
    cache::Cache,
    input::{Input, Io},
};

/// How files are opened.
#[derive(Clone, Debug)]
pub(crate) struct How {
    pub limits: Limits,
    pub io: Io,
    pub keep_going: bool,
    pub cache: Option<Cache>,
}

/// Files that are opened as one, and how.
#[derive(Debug)]
pub(crate) struct Found {
    /// Their bytes.
    pub input: Input,
    /// What opens them.
    pub opener: Opener,
}
