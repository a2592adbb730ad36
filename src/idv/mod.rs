//! IDV, the binary data view of ML.NET: typed columns in compressed blocks, with annotations.
//!
//! [`Opener`] reads the tables, not the data; [`File`] plans and decodes one block of one column at a time;
//! [`Writer`] takes batches and [`Encoder`] single blocks; [`Checker`] lists every fault. The bytes are described in
//! `docs/formats/idv.md`.
//!
//! ```
//! use forebay::{idv, step::{Pieces, drive}, table::{Batch, Column, DataType, Field, Schema, TableFile}};
//! # use std::sync::Arc;
//! # let schema = Arc::new(Schema::new(vec![Field::new("id", DataType::U32), Field::new("name", DataType::String)])?);
//! # let columns = vec![Column::from(vec![1u32, 2]), Column::strings([Some("Ada"), Some("Grace")])];
//! # let mut bytes = Vec::new();
//! # let mut writer = idv::Writer::new(schema.clone(), idv::WriteOptions::default())?;
//! # writer.push(&Batch::new(schema, columns)?, &mut bytes)?;
//! # let header = writer.finish(&mut bytes)?;
//! # bytes[..256].copy_from_slice(&header);
//! # let bytes = bytes::Bytes::from(bytes);
//! let file = drive(idv::Opener::new(bytes.len() as u64), &bytes)?;
//! let mut pieces = Pieces::default();
//! for range in file.plan(0, &[1])? {
//!     pieces.push(range.start, bytes.slice(range.start as usize..range.end as usize));
//! }
//! let batch = file.decode(0, &[1], &pieces)?;
//! assert_eq!(batch.row(1)?.to_json(Default::default()), r#"{"name":"Grace"}"#);
//! # Ok::<(), forebay::Error>(())
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `primitives.rs`, `raw.rs`, `codec_def.rs` | numbers and strings, headers, tables and types as they lie on disk |
//! | `open.rs`, `file.rs`, `table.rs` | opening; an opened file; as a table |
//! | `source.rs`, `values.rs`, `text.rs`, `vectors.rs` | the values of a block |
//! | `write.rs`, `blocks.rs`, `encode.rs`, `sparse.rs` | the same, outwards: a file, its blocks, their values |
//! | `check.rs`, `codes.rs` | every fault of a file |

mod blocks;
mod check;
mod codec_def;
mod encode;
mod file;
mod open;
mod primitives;
mod source;
mod sparse;
mod table;
mod text;
mod values;
mod vectors;
mod write;

#[doc(hidden)]
pub mod codes;
#[doc(hidden)]
pub mod raw;

pub use blocks::WriteOptions;
#[doc(hidden)]
pub use blocks::{Encoder, Ending, Packed};
#[doc(hidden)]
pub use check::Checker;
#[doc(hidden)]
pub use codec_def::{Codec, CodecDef, Item, Layout};
pub use file::Packing;
#[doc(hidden)]
pub use file::{Column, Decoded, File, Live};
#[doc(hidden)]
pub use open::Opener;
#[doc(hidden)]
pub use source::Losses;
#[doc(hidden)]
pub use write::{Block, Writer};
