//! Arrow IPC in and out: the file, and the stream, which may be a pipe.

use std::{
    io::{BufReader, Read},
    sync::Arc,
};

use arrow_array::RecordBatch;
use arrow_ipc::{
    CompressionType,
    writer::{FileWriter as ArrowFile, IpcWriteOptions, StreamWriter},
};
use arrow_schema::{ArrowError, Schema as ArrowSchema};
use forebay::{
    Error, Result,
    error::codes::ARGUMENT,
    step::Turn,
    table::{Batch, Schema, TableRows, TableSink, columns_first},
};
use serde_json::json;

use super::{
    Facts, Foreign, ReadOptions, TableCompression, TableFormat, TableSource, WriteOptions,
    arrow::{Changes, Cuts, Unread, read_record_batch, to_arrow_schema, to_record_batch},
    codes,
    guard::guarded,
    ipc_read::{Blocks, Messages, Stream},
    writer::{SharedFile, own_error},
};
use crate::input::Input;

/// An Arrow file or stream that is being read.
pub(super) struct IpcSource {
    messages: Messages,
    schema: Arc<Schema>,
    unread: Unread,
    changes: Changes,
    lossy: bool,
    cuts: Cuts,
    /// All columns of the file.
    whole: Arc<Schema>,
    /// Rows that were read and not handed on.
    left: Option<Batch>,
    batch_rows: usize,
}

impl std::fmt::Debug for IpcSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IpcSource").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl IpcSource {
    pub fn file(input: &Input, options: &ReadOptions) -> Result<IpcSource> {
        let messages = guarded(|| Blocks::open(input, &options.text.limits).map(Messages::File))?;
        Self::new(messages, options)
    }

    pub fn stream(input: impl Read + Send + 'static, options: &ReadOptions) -> Result<IpcSource> {
        let input: Box<dyn Read + Send> = Box::new(BufReader::with_capacity(1 << 18, input));
        let messages = guarded(|| Stream::open(input, &options.text.limits).map(Messages::Stream))?;
        Self::new(messages, options)
    }

    fn new(messages: Messages, options: &ReadOptions) -> Result<IpcSource> {
        let (schema, unread) = Unread::schema(messages.schema(), messages.opaque().clone())?;
        let schema = Arc::new(schema);
        let (whole, cuts) = (schema.clone(), Cuts::default());
        let changes = Changes::new(messages.schema(), &schema);
        let (lossy, batch_rows) = (options.lossy, options.text.batch_rows.max(1));
        Ok(IpcSource { messages, schema, unread, changes, lossy, cuts, whole, left: None, batch_rows })
    }

    /// Arrow's names and types of all columns.
    pub fn arrow_schema(&self) -> &Arc<ArrowSchema> {
        self.messages.schema()
    }
    /// The columns that are not read.
    pub fn unread_columns(&self) -> &Unread {
        &self.unread
    }
    /// The next rows as Arrow's, of the chosen columns.
    pub fn next_record_batch(&mut self) -> Result<Option<RecordBatch>> {
        guarded(|| self.messages.next())
    }
}

impl TableRows for IpcSource {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn select(&mut self, columns: &[usize]) -> Result<()> {
        self.schema = self.whole.project(columns)?;
        self.messages.select(columns);
        Ok(())
    }

    fn step(&mut self) -> Result<Turn<Batch>> {
        let whole = match self.left.take() {
            Some(left) => left,
            None => {
                self.unread.refuse(self.messages.columns())?;
                let (messages, schema, cuts) = (&mut self.messages, &self.schema, &mut self.cuts);
                let read = || match messages.next()? {
                    Some(batch) => read_record_batch(&batch, schema, self.lossy, cuts).map(Some),
                    None => Ok(None),
                };
                match guarded(read)? {
                    Some(batch) => batch,
                    None => return Ok(Turn::Done),
                }
            }
        };
        if whole.rows() > self.batch_rows {
            self.left = Some(whole.slice(self.batch_rows, whole.rows() - self.batch_rows));
        }
        Ok(Turn::Item(whole.slice(0, self.batch_rows)))
    }

    fn notes(&mut self) -> Vec<String> {
        let mut said = self.changes.notes(&self.schema);
        said.extend(self.cuts.notes());
        said.append(&mut self.arrow_notes());
        said
    }
}

impl TableSource for IpcSource {
    fn format(&self) -> TableFormat {
        match self.messages {
            Messages::File(_) => TableFormat::Arrow,
            Messages::Stream(_) => TableFormat::Arrows,
        }
    }
    fn unread(&self) -> &[(usize, String)] {
        self.unread.columns()
    }
    fn facts(&self) -> Facts {
        let mut facts = Facts::default();
        if let Messages::File(file) = &self.messages {
            facts.more.insert("groups".into(), json!(file.len()));
        }
        facts
    }
    fn foreign(&self) -> Vec<Foreign> {
        self.changes.foreign(&self.schema)
    }
    fn arrow_notes(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        if let Messages::Stream(stream) = &self.messages {
            said.extend(stream.odd_end.map(str::to_owned));
        }
        said
    }
}

enum Writer {
    File(ArrowFile<SharedFile>),
    Stream(StreamWriter<SharedFile>),
}

/// An Arrow file or stream that is being written.
pub(super) struct IpcSink {
    out: SharedFile,
    writer: Option<(Writer, Arc<ArrowSchema>)>,
    stream: bool,
    options: IpcWriteOptions,
}

impl std::fmt::Debug for IpcSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IpcSink").field("stream", &self.stream).finish_non_exhaustive()
    }
}

impl IpcSink {
    pub fn new(out: SharedFile, options: &WriteOptions) -> Result<IpcSink> {
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
        let stream = options.format == TableFormat::Arrows;
        let options = IpcWriteOptions::default().try_with_compression(compression).map_err(written)?;
        Ok(IpcSink { out, writer: None, stream, options })
    }
}

impl TableSink for IpcSink {
    fn begin(&mut self, schema: &Arc<Schema>, _: &mut Vec<u8>) -> Result<()> {
        self.begin_arrow(Arc::new(to_arrow_schema(schema)?))
    }

    fn push(&mut self, batch: &Batch, _: &mut Vec<u8>) -> Result<()> {
        let (_, schema) = self.writer.as_ref().ok_or_else(columns_first)?;
        self.write_arrow(&to_record_batch(batch, schema)?)
    }

    fn finish(&mut self, _: &mut Vec<u8>) -> Result<Option<Vec<u8>>> {
        match self.writer.take().ok_or_else(columns_first)?.0 {
            Writer::File(mut writer) => writer.finish().map_err(written)?,
            Writer::Stream(mut writer) => writer.finish().map_err(written)?,
        }
        Ok(None)
    }
}

impl IpcSink {
    /// As [`begin`](TableSink::begin), for rows that come as Arrow's.
    pub fn begin_arrow(&mut self, schema: Arc<ArrowSchema>) -> Result<()> {
        let (out, options) = (self.out.clone(), self.options.clone());
        let writer = match self.stream {
            true => Writer::Stream(StreamWriter::try_new_with_options(out, &schema, options).map_err(written)?),
            false => Writer::File(ArrowFile::try_new_with_options(out, &schema, options).map_err(written)?),
        };
        self.writer = Some((writer, schema));
        Ok(())
    }

    /// As [`push`](TableSink::push), for rows that come as Arrow's.
    pub fn write_arrow(&mut self, batch: &RecordBatch) -> Result<()> {
        match &mut self.writer {
            Some((Writer::File(writer), _)) => writer.write(batch).map_err(written),
            Some((Writer::Stream(writer), _)) => writer.write(batch).map_err(written),
            None => Err(columns_first()),
        }
    }
}

fn written(e: ArrowError) -> Error {
    let e = match e {
        ArrowError::IoError(text, e) => match own_error(e) {
            Ok(own) => return own,
            Err(e) => ArrowError::IoError(text, e),
        },
        e => e,
    };
    Error::caused(&codes::TARGET, format!("cannot write: {e}"), e)
}
