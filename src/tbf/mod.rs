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

mod caller_schema;
mod check;
mod columnar;
mod columns;
mod file;
mod open;
mod positional;
mod tagged;
mod ultra;
mod untagged;

#[doc(hidden)]
pub mod codes;
#[doc(hidden)]
pub mod raw;

pub use caller_schema::CallerSchema;
#[doc(hidden)]
pub use caller_schema::{NamedType, RustField, RustType, RustVariant, ValueLayout};
#[doc(hidden)]
pub use check::Checker;
#[doc(hidden)]
pub use columnar::ColumnarWriter;
pub use columns::derive::{TbfDecode, TbfEncode};
#[doc(hidden)]
pub use columns::derive::{TbfField, TextReader};
#[doc(hidden)]
pub use columns::derive::{field_column, required_column, row_blocks, without_repeats};
#[doc(hidden)]
pub use columns::{AdaptiveIntEncoder, AdaptiveStringEncoder, ColumnsFile, Stored, footer};
#[doc(hidden)]
pub use columns::{FieldEncoding, TableSchema, TableSchemaBuilder, Writer};
pub use columns::{WriteOptions, write};
pub use file::Dialect;
#[doc(hidden)]
pub use file::File;
pub use open::read;
#[doc(hidden)]
pub use open::{Opener, detect};
#[doc(hidden)]
pub use tagged::Document;
#[doc(hidden)]
pub use tagged::{TaggedTable, TaggedWriter};

/// `#[derive(TbfEncode, TbfDecode)]`.
#[cfg(feature = "derive")]
pub use forebay_derive::{TbfDecode, TbfEncode};
