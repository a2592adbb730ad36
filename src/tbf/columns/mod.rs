//! Layout D: typed columns; with Forebay's footer also names, missing values, statistics and positions.
//!
//! | file | what it holds |
//! |---|---|
//! | `footer.rs`, `encoding.rs` | the footer and the ways to store a column, as they lie on disk |
//! | `open.rs`, `plain.rs` | finding the footer; a file without a footer, read as a whole |
//! | `file.rs`, `bounds.rs`, `decode.rs` | an opened file with its footer; what that proves of values; the values |
//! | `write.rs`, `encode.rs`, `dictionary.rs`, `numbering.rs` | the same, outwards |
//! | `adaptive.rs` | single columns, outwards |
//! | `derive.rs` | rows as Rust structs |

mod adaptive;
mod bounds;
mod decode;
pub(super) mod derive;
mod dictionary;
mod encode;
pub(super) mod encoding;
mod file;
pub mod footer;
mod numbering;
mod open;
mod plain;
mod write;

pub use adaptive::{AdaptiveIntEncoder, AdaptiveStringEncoder};
pub use encoding::{FieldEncoding, Stored, TableSchema, TableSchemaBuilder};
pub use file::ColumnsFile;
pub(super) use open::{Found, find_footer};
pub(super) use plain::read as read_plain;
pub use write::{WriteOptions, Writer, write};
