//! Files of records that other programs write, as they lie around: packed as a whole, or many in a folder.
//!
//! | file | what it holds |
//! |---|---|
//! | `unpack.rs` | a whole file that is packed, unpacked beside |
//! | `folder.rs` | a folder of such files, as one dataset |

mod folder;
mod unpack;

pub(crate) use folder::of_folder;
pub(crate) use unpack::{is_records, unpacked};

use forebay::doors::open::Opener;

use crate::input::Input;

/// Files that are opened as one, and how.
#[derive(Debug)]
pub(crate) struct Found {
    /// Their bytes.
    pub input: Input,
    /// What opens them.
    pub opener: Opener,
}
