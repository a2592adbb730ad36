//! LMDB 0.9, a database in a file: keys and values in a tree of pages.
//!
//! Opening reads the tree without the values that have pages of their own. Every entry is a sample under its key, in the order
//! of the keys, which is that of the database; those of named databases inside follow its name and a slash. Values are
//! pictures as they are, or messages of Caffe (`Datum`). Where keys are called as in sets for text recognition, `image-…` has
//! `label-…` as its metadata.
//!
//! | file | what it holds |
//! |---|---|
//! | `page.rs` | pages and what is in them |
//! | `open.rs` | from the head down the tree |
//! | `file.rs` | the entries |
//! | `datum.rs` | Caffe's messages |

mod datum;
mod file;
mod open;
mod page;

pub use file::Lmdb;
pub use open::Opener;
