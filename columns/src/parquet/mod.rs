//! Parquet: what is checked before its crate acts on it, and a file as the core's table.

mod cells;
mod file;
mod footer;
mod kept;
mod open;
mod pages;
mod runs;
pub mod stats;
mod table;
mod unpack;
mod values;
mod write;

pub use file::ParquetFile;
pub use open::{INT96, Loaded, NotRead, load, not_parquet};
pub use pages::Pages;
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
