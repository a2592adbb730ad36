//! TBF: six layouts of one name, told apart by content.
//!
//! | layout | what it is | reading | writing |
//! |---|---|---|---|
//! | D | typed columns; with Forebay's footer also names, missing values, statistics, positions | [`Opener`] | [`Writer`] |
//! | T | tagged values, what the peer's tools write | [`Opener`] | [`TaggedWriter`] |
//! | C | named columns over one dictionary | [`Opener`] | [`ColumnarWriter`] |
//! | L | typed columns without names | [`Opener`] | |
//! | S | columns without names and types | with a [`CallerSchema`] | |
//! | U | values without tags | with a [`CallerSchema`] | |
//!
//! `docs/formats/tbf.md` has the layouts to the byte.
//!
//! ```
//! use forebay::{tbf, table::{Batch, Column, DataType, Field, Schema}};
//! let schema = Schema::new(vec![Field::new("city", DataType::String).nullable()])?;
//! let batch = Batch::new(schema.into(), vec![Column::strings([Some("Oslo"), None, Some("Oslo")])])?;
//! let file = tbf::write(&batch, Default::default())?;
//! assert_eq!(tbf::read(&file.into(), &Default::default())?, batch);
//! # Ok::<(), forebay::Error>(())
//! ```

mod adaptive;
mod bounds;
mod caller_schema;
mod check;
mod columnar;
mod columns;
mod decode;
mod dictionary;
mod encode;
mod encoding;
mod numbering;
mod open;
mod plain;
mod rows;
mod schema_table;
mod tagged;
mod tagged_table;
mod tagged_write;
mod ultra;
mod untagged;
mod write;

pub mod codes;
pub mod footer;
pub mod raw;

pub use adaptive::{AdaptiveIntEncoder, AdaptiveStringEncoder};
pub use caller_schema::{CallerSchema, NamedType, RustField, RustType, RustVariant, ValueLayout};
pub use check::Checker;
pub use columnar::ColumnarWriter;
pub use columns::{ColumnsFile, read};
pub use encoding::{FieldEncoding, Stored, TableSchema, TableSchemaBuilder};
pub use open::{Dialect, File, Opener, detect};
pub use rows::{TbfDecode, TbfEncode, TbfField, TextReader};
#[doc(hidden)]
pub use rows::{field_column, required_column, row_blocks, without_repeats};
pub use tagged::Document;
pub use tagged_table::TaggedTable;
pub use tagged_write::TaggedWriter;
pub use write::{WriteOptions, Writer, write};

/// `#[derive(TbfEncode, TbfDecode)]`.
#[cfg(feature = "derive")]
pub use forebay_derive::{TbfDecode, TbfEncode};
