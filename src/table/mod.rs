//! The one table model: a schema, typed columns with validity, batches of rows.
//!
//! TBF, IDV and the hosts' CSV, JSON lines, Parquet and Arrow routes all speak it, so that a conversion is a
//! reader and a writer and nothing between them.
//!
//! # Who owns what
//!
//! Everything here is immutable and cheap to clone. A [`Buffer`] is a reference-counted slice of bytes that is
//! seen as numbers: it either owns what a builder made, or borrows from the memory map or the fetched bytes
//! where these are aligned. Strings, bitmaps and vectors are made of buffers, so slicing a [`Batch`] copies
//! nothing. The layouts are those of Apache Arrow (bitmaps LSB first, 1 = present; strings as offsets and
//! bytes), which makes going to and from Arrow cheap.
//!
//! ```
//! use forebay::table::{Batch, Column, DataType, Field, Schema};
//! use std::sync::Arc;
//! let schema = Arc::new(Schema::new(vec![
//!     Field::new("id", DataType::U32),
//!     Field::new("name", DataType::String).nullable(),
//! ])?);
//! let batch = Batch::new(schema, vec![
//!     Column::from(vec![7u32, 8]),
//!     Column::strings([Some("Ada"), None]),
//! ])?;
//! assert_eq!(batch.row(1)?.to_json(Default::default()), r#"{"id":8,"name":null}"#);
//! # Ok::<(), forebay::Error>(())
//! ```

mod batch;
mod bitmap;
mod buffer;
mod build;
mod clock;
mod column;
mod dtype;
mod file;
mod json;
mod memory;
mod moment;
mod plain;
mod predicate;
mod rows;
mod schema;
mod select;
mod spec;
mod spread;
mod strings;
#[doc(hidden)]
pub mod summary;
mod time;
mod value;
mod vector;

pub use batch::{Batch, Row};
#[doc(hidden)]
pub use bitmap::{Bitmap, BitmapBuilder};
#[doc(hidden)]
pub use buffer::Buffer;
pub use build::ColumnBuilder;
#[doc(hidden)]
pub use clock::{parse_time, parse_timestamp_ns};
pub use column::Column;
#[doc(hidden)]
pub use column::{ColumnData, VectorColumn, VectorRow};
pub use dtype::{DataType, KeyType};
#[doc(hidden)]
pub use file::Decoding;
pub use file::TableFile;
#[doc(hidden)]
pub use json::JsonStyle;
#[doc(hidden)]
pub use memory::MemoryTable;
pub(crate) use plain::{float, is_rounded, single};
pub use rows::TableRows;
#[doc(hidden)]
pub use rows::{TableSink, columns_first};
pub use schema::{Annotation, Field, Schema};
pub use spec::TableSpec;
#[doc(hidden)]
pub use spec::{ColumnSpec, parse_type};
#[doc(hidden)]
pub use strings::{Binary, DictIndices, DictStrings, Strings, StringsBuilder};
pub use time::Clock;
#[doc(hidden)]
pub use time::{days_from_civil, parse_date, parse_timestamp_us};
pub use value::Value;

/// The codes of tables.
#[doc(hidden)]
pub mod codes {
    use crate::error::Code;
    /// The parts of a table do not fit together.
    pub const SHAPE: Code =
        Code::damaged("table.shape", "Columns, lengths or types of a table do not fit together; the message says how.");
    /// There is no such column.
    pub const COLUMN: Code = Code::usage("table.column", "The table has no column of that name or number.");
    /// A value does not fit the column's type.
    pub const VALUE: Code =
        Code::usage("table.value", "A value does not fit its column's type; nothing is cut or wrapped to make it fit.");
    /// A text is not UTF-8.
    pub const UTF8: Code = Code::damaged("table.utf8", "A text is not UTF-8.");
    /// More than one batch can hold.
    pub const SIZE: Code =
        Code::limit("table.size", "One batch would hold more than 2^31 - 1 rows, items or bytes of text in a column.");
    /// The target cannot hold a value or type.
    pub const TARGET: Code = Code::unsupported(
        "table.target",
        "The format to write cannot hold a type or value; converting with losses (`lossy`) changes it instead, if that makes sense.",
    );
    /// Every code of this module.
    pub const ALL: &[&Code] = &[&SHAPE, &COLUMN, &VALUE, &UTF8, &SIZE, &TARGET];
}
