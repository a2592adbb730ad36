//! Layout T: tagged values, what the peer's tools write.
//!
//! | file | what it holds |
//! |---|---|
//! | `document.rs` | tags and values as they lie on disk; a checked document |
//! | `file.rs` | a document that is a list of objects, as a table |
//! | `write.rs` | the same, outwards |

mod document;
mod file;
mod write;

pub use document::Document;
pub(super) use document::{HEADER, has_header, tag};
pub use file::TaggedTable;
pub use write::TaggedWriter;
