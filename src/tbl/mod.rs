//! TBL v2: an image container with an index, in both layouts that carry the magic `TBL\x02`.
//!
//! [`Opener`] reads the header and the index, nothing else; [`Tbl`] answers from the index and plans reads;
//! [`pack`] and [`Encoder`] write. The bytes are described in `docs/formats/tbl-v2.md`.
//!
//! | file | what it holds |
//! |---|---|
//! | `raw.rs` | headers and index entries as they lie on disk |
//! | `open.rs`, `file.rs` | opening; sample information, payloads |
//! | `metadata.rs`, `spans.rs` | the metadata section: a document or blocks, and where each sample's part lies |
//! | `pack.rs`, `write.rs` | one payload made ready; where everything goes |
//! | `metadata_write.rs` | the metadata section as it is written |
//! | `check.rs`, `codes.rs` | every fault of a file |

mod check;
#[doc(hidden)]
pub mod codes;
mod file;
mod metadata;
mod metadata_write;
mod open;
mod pack;
mod patch;
#[doc(hidden)]
pub mod raw;
mod spans;
mod write;

pub use check::Checker;
pub use file::Tbl;
#[doc(hidden)]
pub use metadata::{Metadata, OpenMetadata, SampleMetadata};
pub use metadata_write::{Document, MetadataWriter};
#[doc(hidden)]
pub use open::Opener;
pub(crate) use pack::pack_with;
pub use pack::{PackOptions, Packed, pack};
pub use patch::Patch;
pub use raw::{Layout, MetadataFormat};
pub use write::Encoder;
