//! Parquet out: the columns of a batch encoded side by side.

use std::{io::Write, sync::Arc};

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType as ArrowType, FieldRef, Schema as ArrowSchema};
use forebay::{
    Error, Result,
    error::codes::ARGUMENT,
    table::{Batch, Schema, TableSink, columns_first},
    tables::without_columns,
};
use parquet::{
    arrow::{
        ArrowWriter,
        arrow_writer::{ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves},
    },
    basic::Compression,
    errors::ParquetError,
    file::{
        properties::{EnabledStatistics, WriterProperties},
        writer::SerializedFileWriter,
    },
    schema::types::ColumnPath,
};

use crate::{
    arrow::{nulls_in_keys, to_arrow_schema, to_record_batch},
    codes,
    sink::{SideBySide, own_error},
};

/// Rows of a row group.
const GROUP_ROWS: usize = 1 << 20;
/// Memory that the rows of a row group take while they wait.
const GROUP_MEMORY: usize = 256 << 20;
/// Columns that have dictionaries while they are written.
const DICTIONARIES: usize = 512;
/// Cells below which threads take longer to begin than to encode.
const FEW_CELLS: usize = 1 << 14;

/// A Parquet file that is being written.
pub struct ParquetSink<W: Write + Send, S> {
    out: W,
    file: Option<File<W>>,
    compression: Compression,
    group_rows: usize,
    by: S,
}

/// Once its columns are known.
struct File<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: ArrowRowGroupWriterFactory,
    schema: Arc<ArrowSchema>,
    /// The row group that has begun.
    group: Option<Group>,
}

/// Columns that wait for their row group to be full.
struct Group {
    /// Of each column of the table those of the file, which are several for a struct.
    writers: Vec<Vec<ArrowColumnWriter>>,
    rows: usize,
}

impl<W: Write + Send, S> std::fmt::Debug for ParquetSink<W, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetSink").finish_non_exhaustive()
    }
}

impl<W: Write + Send, S> ParquetSink<W, S> {
    /// Writes into `out`, pages packed like this, with this many rows in a row group, or the usual number.
    pub fn new(out: W, compression: Compression, group_rows: Option<usize>, by: S) -> ParquetSink<W, S> {
        ParquetSink { out, file: None, compression, group_rows: group_rows.unwrap_or(GROUP_ROWS), by }
    }

    fn file(&mut self) -> Result<&mut File<W>> {
        self.file.as_mut().ok_or_else(columns_first)
    }
}

impl<W: Write + Send + Clone + 'static, S: SideBySide> TableSink for ParquetSink<W, S> {
    fn begin(&mut self, schema: &Arc<Schema>, _: &mut Vec<u8>) -> Result<()> {
        self.begin_arrow(Arc::new(to_arrow_schema(schema)?))
    }

    fn push(&mut self, batch: &Batch, _: &mut Vec<u8>) -> Result<()> {
        let schema = self.file()?.schema.clone();
        self.write_arrow(&to_record_batch(batch, &schema)?)
    }

    fn finish(&mut self, _: &mut Vec<u8>) -> Result<Option<Vec<u8>>> {
        self.flush()?;
        let file = self.file.take().ok_or_else(columns_first)?;
        file.writer.close().map(|_| None).map_err(written)
    }
}

impl<W: Write + Send + Clone + 'static, S: SideBySide> ParquetSink<W, S> {
    fn flush(&mut self) -> Result<()> {
        match &mut self.file {
            Some(file) => file.flush(&self.by),
            None => Err(columns_first()),
        }
    }

    /// As [`begin`](TableSink::begin), for rows that come as Arrow's.
    pub fn begin_arrow(&mut self, schema: Arc<ArrowSchema>) -> Result<()> {
        if let Some(field) =
            schema.fields().iter().find(|field| matches!(field.data_type(), ArrowType::FixedSizeBinary(0)))
        {
            let message = "Parquet holds no values of 0 bytes; leave the column out";
            return Err(Error::new(&codes::TARGET, message).column(field.name()).with_options(&["columns"]));
        }
        let properties = properties(&schema, self.compression, self.group_rows);
        let writer = ArrowWriter::try_new(self.out.clone(), schema.clone(), Some(properties)).map_err(written)?;
        let (writer, columns) = writer.into_serialized_writer().map_err(written)?;
        self.file = Some(File { writer, columns, schema, group: None });
        Ok(())
    }

    /// As [`push`](TableSink::push), for rows that come as Arrow's.
    pub fn write_arrow(&mut self, batch: &RecordBatch) -> Result<()> {
        if batch.num_columns() == 0 && batch.num_rows() > 0 {
            return Err(without_columns("Parquet"));
        }
        let most = self.group_rows.max(1);
        let (file, by) = (self.file.as_mut().ok_or_else(columns_first)?, &self.by);
        let mut at = 0;
        while at < batch.num_rows() {
            let group = file.group()?;
            let part = batch.slice(at, (most - group.rows.min(most)).min(batch.num_rows() - at));
            group.write(&part, by)?;
            at += part.num_rows();
            if group.rows >= most {
                file.flush(by)?;
            }
        }
        // Row groups wait in memory; a table of long texts has fewer rows in each.
        if file.group.as_ref().is_some_and(Group::is_large) { file.flush(by) } else { Ok(()) }
    }
}

impl<W: Write + Send> File<W> {
    /// The row group that has begun, or the next one.
    fn group(&mut self) -> Result<&mut Group> {
        if self.group.is_none() {
            let number = self.writer.flushed_row_groups().len();
            let all = self.columns.create_column_writers(number).map_err(written)?;
            let mut writers: Vec<Vec<ArrowColumnWriter>> = self.schema.fields().iter().map(|_| Vec::new()).collect();
            for (leaf, writer) in all.into_iter().enumerate() {
                let root = self.writer.schema_descr().get_column_root_idx(leaf);
                if let Some(own) = writers.get_mut(root) {
                    own.push(writer);
                }
            }
            self.group = Some(Group { writers, rows: 0 });
        }
        self.group.as_mut().ok_or_else(|| Error::new(&ARGUMENT, "no row group has begun"))
    }

    /// Writes the row group that has begun, if one has.
    fn flush(&mut self, by: &impl SideBySide) -> Result<()> {
        let Some(group) = self.group.take() else { return Ok(()) };
        let chunks = group.close(by)?;
        let mut writer = self.writer.next_row_group().map_err(written)?;
        for chunk in chunks {
            chunk.append_to_row_group(&mut writer).map_err(written)?;
        }
        writer.close().map(drop).map_err(written)
    }
}

impl Group {
    fn write(&mut self, batch: &RecordBatch, by: &impl SideBySide) -> Result<()> {
        self.rows += batch.num_rows();
        let few = batch.num_rows() * batch.num_columns() < FEW_CELLS;
        let schema = batch.schema();
        type Task<'a> = (&'a mut Vec<ArrowColumnWriter>, &'a FieldRef, &'a ArrayRef);
        let columns = self.writers.iter_mut().zip(schema.fields()).zip(batch.columns());
        let tasks = columns.map(|((writers, field), array)| (writers, field, array)).collect();
        let weight = |(.., array): &Task<'_>| array.get_buffer_memory_size();
        let encode = |(writers, field, array): Task<'_>| {
            let leaves = compute_leaves(field, &nulls_in_keys(array)).map_err(written)?;
            writers.iter_mut().zip(&leaves).try_for_each(|(writer, leaf)| writer.write(leaf)).map_err(written)
        };
        by.run(tasks, few, weight, encode).map(drop)
    }

    /// Row groups wait in memory until they are written.
    fn is_large(&self) -> bool {
        let writers = || self.writers.iter().flatten();
        writers().map(ArrowColumnWriter::get_estimated_total_bytes).sum::<usize>() > forebay::text::BATCH_BYTES * 4
            || writers().map(ArrowColumnWriter::memory_size).sum::<usize>() > GROUP_MEMORY
    }

    fn close(self, by: &impl SideBySide) -> Result<Vec<ArrowColumnChunk>> {
        let few = self.rows * self.writers.len() < FEW_CELLS;
        let tasks = self.writers.into_iter().flatten().collect();
        let close = |writer: ArrowColumnWriter| writer.close().map_err(written);
        by.run(tasks, few, ArrowColumnWriter::memory_size, close)
    }
}

/// How a table of these columns is written. The crate holds about 70 KB for each column that may have a dictionary, and
/// an entry for each page: of wide tables only the first texts have dictionaries, and pages are not listed.
fn properties(schema: &ArrowSchema, compression: Compression, group_rows: usize) -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_compression(compression)
        .set_max_row_group_row_count(Some(group_rows))
        .set_created_by(concat!("forebay ", env!("CARGO_PKG_VERSION")).to_owned());
    if schema.fields().len() > DICTIONARIES {
        properties = properties
            .set_dictionary_enabled(false)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true);
        let texts = schema.fields().iter().filter(|field| matches!(field.data_type(), ArrowType::Utf8));
        for field in texts.take(DICTIONARIES) {
            let path = ColumnPath::new(vec![field.name().clone()]);
            properties = properties.set_column_dictionary_enabled(path, true);
        }
    }
    properties.build()
}

fn written(e: ParquetError) -> Error {
    let e = match e {
        ParquetError::External(cause) => match cause.downcast::<std::io::Error>().map(|e| own_error(*e)) {
            Ok(Ok(own)) => return own,
            Ok(Err(e)) => ParquetError::External(Box::new(e)),
            Err(cause) => ParquetError::External(cause),
        },
        e => e,
    };
    Error::caused(&codes::TARGET, format!("cannot write: {e}"), e)
}
