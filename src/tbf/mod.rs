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

pub mod codes;
#[doc(hidden)]
pub mod raw;

pub use caller_schema::{CallerSchema, NamedType, RustField, RustType, RustVariant, ValueLayout};
pub use check::Checker;
pub use columnar::ColumnarWriter;
pub use columns::derive::{TbfDecode, TbfEncode, TbfField, TextReader};
#[doc(hidden)]
pub use columns::derive::{field_column, required_column, row_blocks, without_repeats};
pub use columns::{
    AdaptiveIntEncoder, AdaptiveStringEncoder, ColumnsFile, FieldEncoding, Stored, TableSchema, TableSchemaBuilder,
    WriteOptions, Writer, footer, write,
};
pub use file::{Dialect, File};
pub use open::{Opener, detect, read};
pub use tagged::{Document, TaggedTable, TaggedWriter};

/// `#[derive(TbfEncode, TbfDecode)]`.
#[cfg(feature = "derive")]
pub use forebay_derive::{TbfDecode, TbfEncode};
