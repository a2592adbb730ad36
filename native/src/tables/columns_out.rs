//! Parquet and Arrow out, into a file of this machine or memory: the columns of a batch made and encoded side by side.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::CompressionType;
use arrow_schema::Schema as ArrowSchema;
use forebay::{Error, Result, error::codes::ARGUMENT, table::Batch};
use forebay_columns::{arrow, ipc, parquet as guarded_parquet, sink::SideBySide};
use parquet::basic::{Compression, ZstdLevel};

use super::{
    TableCompression, TableFormat, WriteOptions, packing::wrong_level, side_by_side::side_by_side, writer::SharedFile,
};

/// A Parquet file that is being written.
pub(super) type ParquetSink = guarded_parquet::ParquetSink<SharedFile, Threads>;
/// An Arrow file or stream that is being written.
pub(super) type IpcSink = ipc::IpcSink<SharedFile>;

/// As many threads as the user wants.
#[derive(Debug)]
pub(super) struct Threads(usize);

impl SideBySide for Threads {
    fn run<T: Send, R: Send>(
        &self,
        tasks: Vec<T>,
        few: bool,
        weight: impl Fn(&T) -> usize,
        work: impl Fn(T) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        side_by_side(tasks, if few { 1 } else { self.0 }, weight, work)
    }
}

/// A batch for Arrow, its columns made by at most this many threads.
#[doc(hidden)]
pub fn to_record_batch(batch: &Batch, schema: &Arc<ArrowSchema>, workers: usize) -> Result<RecordBatch> {
    arrow::to_record_batch_by(batch, schema, &Threads(workers))
}

/// Parquet, as the options say.
pub(super) fn parquet_sink(out: SharedFile, options: &WriteOptions) -> Result<ParquetSink> {
    let compression = match options.compression.unwrap_or(TableCompression::Snappy) {
        TableCompression::None => Compression::UNCOMPRESSED,
        TableCompression::Snappy => Compression::SNAPPY,
        TableCompression::Lz4 => Compression::LZ4_RAW,
        TableCompression::Zstd => {
            let level = options.level.unwrap_or(3);
            let words = |_| wrong_level(level, "Zstandard", 1, 22);
            Compression::ZSTD(ZstdLevel::try_new(level.into()).map_err(words)?)
        }
        other => {
            return Err(Error::new(
                &ARGUMENT,
                format!("Parquet is written with none, snappy, lz4 or zstd, and not with {other:?}"),
            ));
        }
    };
    Ok(ParquetSink::new(out, compression, options.core.group_rows, Threads(options.workers)))
}

/// Arrow IPC, as the options say.
pub(super) fn ipc_sink(out: SharedFile, options: &WriteOptions) -> Result<IpcSink> {
    let compression = match options.compression.unwrap_or(TableCompression::None) {
        TableCompression::None => None,
        TableCompression::Lz4 => Some(CompressionType::LZ4_FRAME),
        TableCompression::Zstd => Some(CompressionType::ZSTD),
        other => {
            return Err(Error::new(
                &ARGUMENT,
                format!("Arrow is written with none, lz4 or zstd, and not with {other:?}"),
            ));
        }
    };
    IpcSink::new(out, options.format == TableFormat::Arrows, compression)
}
