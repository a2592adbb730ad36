//! Parquet: what is checked before its crate acts on it, and a file as the core's table, or as samples.
//!
//! | file | what it holds |
//! |---|---|
//! | `file.rs`, `footer.rs`, `open.rs`, `pages.rs`, `unpack.rs` | what is checked before Parquet's crate acts on it |
//! | `stats.rs`, `table.rs`, `write.rs` | a file as a table, and a table written |
//! | `runs.rs`, `values.rs`, `cells.rs` | single values of a column of bytes, by the pages that hold them |
//! | `kept.rs` | what was unpacked last |
//! | `images.rs` | the column that holds images |
//! | `rows.rs`, `objects.rs` | the other columns of a row; the boxes among them |
//! | `samples.rs` | a file of images as samples |

#[cfg(feature = "samples")]
mod cells;
mod file;
mod footer;
#[cfg(feature = "samples")]
mod images;
#[cfg(feature = "samples")]
mod kept;
#[cfg(feature = "samples")]
mod objects;
mod open;
mod pages;
#[cfg(feature = "samples")]
mod rows;
#[cfg(feature = "samples")]
mod runs;
#[cfg(feature = "samples")]
mod samples;
pub mod stats;
mod table;
mod unpack;
#[cfg(feature = "samples")]
mod values;
mod write;

pub use file::ParquetFile;
#[cfg(feature = "samples")]
pub use kept::Shared;
pub use open::{INT96, Loaded, NotRead, load, not_parquet};
pub use pages::Pages;
#[cfg(feature = "samples")]
pub use samples::SamplesOpener;
pub use table::{ParquetOpener, ParquetTable};
pub use unpack::reader;
pub use write::ParquetSink;

use std::ops::Range;

use ::parquet::file::metadata::ColumnChunkMetaData;

/// Where a chunk lies, if that is a place at all.
fn place(chunk: &ColumnChunkMetaData) -> Option<Range<u64>> {
    let data = u64::try_from(chunk.data_page_offset()).ok()?;
    let start = match chunk.dictionary_page_offset() {
        Some(at) => u64::try_from(at).ok()?,
        None => data,
    };
    let end = start.checked_add(u64::try_from(chunk.compressed_size()).ok()?)?;
    Some(start..end)
}

/// How pages are packed by the word of it, where it needs no C library.
pub fn compression(word: &str) -> Option<::parquet::basic::Compression> {
    use ::parquet::basic::Compression;
    match word {
        "none" => Some(Compression::UNCOMPRESSED),
        "snappy" => Some(Compression::SNAPPY),
        "lz4" => Some(Compression::LZ4_RAW),
        _ => None,
    }
}
