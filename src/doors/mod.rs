//! Datasets of records that other programs write, opened as samples: the doors into Forebay.
//!
//! A record has named fields. One of them, mostly a picture, is the sample's payload, and the others become its metadata.
//! The first records decide once for a file which field that is; its notes name it.
//!
//! | file | what it holds |
//! |---|---|
//! | `records.rs` | what a format says of its records: [`Records`] |
//! | `field.rs` | one field of a record |
//! | `choice.rs` | which field is the payload, the name, the class |
//! | `door.rs` | an opened file: the records, and what was chosen |
//! | `several.rs` | several files as one |
//! | `compose.rs` | the fields of a record as the metadata of a sample |
//! | `png.rs` | pixels as a PNG that nothing compresses |
//! | `open.rs` | from the first bytes to a door |
//! | `check.rs` | every fault of a file |
//! | `proto.rs` | Protocol Buffers, read field by field |
//! | `half.rs` | numbers as metadata and images have them |
//! | `tfrecord/` | TFRecord |
//! | `mds/` | MDS |
//! | `litdata/` | LitData |
//! | `lmdb/` | LMDB |
//! | `npy/` | arrays of NumPy |
//! | `ffcv/` | FFCV |
//!
//! A format elsewhere that implements [`Records`] is opened by [`open::Deciding`].

mod check;
mod choice;
pub mod codes;
mod compose;
mod door;
pub mod ffcv;
mod field;
mod half;
mod inner;
pub mod litdata;
pub mod lmdb;
pub mod mds;
pub mod npy;
pub mod open;
mod png;
mod proto;
mod records;
pub mod several;
pub mod tfrecord;

pub use check::Checker;
pub use choice::Choice;
pub use door::Door;
pub use field::{Field, Value};
pub use png::Pixels;
pub use records::{Fetch, Records};
