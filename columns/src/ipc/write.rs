//! Arrow IPC out: the file, and the stream.

use std::{io::Write, sync::Arc};

use arrow_array::RecordBatch;
use arrow_ipc::{
    CompressionType,
    writer::{FileWriter as ArrowFile, IpcWriteOptions, StreamWriter},
};
use arrow_schema::{ArrowError, Schema as ArrowSchema};
use forebay::{
    Error, Result,
    table::{Batch, Schema, TableSink, columns_first},
};

use crate::{
    arrow::{to_arrow_schema, to_record_batch},
    codes,
    sink::own_error,
};

enum Writer<W: Write> {
    File(ArrowFile<W>),
    Stream(StreamWriter<W>),
}

/// An Arrow file or stream that is being written.
pub struct IpcSink<W: Write> {
    out: W,
    writer: Option<(Writer<W>, Arc<ArrowSchema>)>,
    stream: bool,
    options: IpcWriteOptions,
}

impl<W: Write> std::fmt::Debug for IpcSink<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IpcSink").field("stream", &self.stream).finish_non_exhaustive()
    }
}

impl<W: Write> IpcSink<W> {
    /// Writes into `out`, a stream or a file; its buffers packed like this, or as they are.
    pub fn new(out: W, stream: bool, compression: Option<CompressionType>) -> Result<IpcSink<W>> {
        let options = IpcWriteOptions::default().try_with_compression(compression).map_err(written)?;
        Ok(IpcSink { out, writer: None, stream, options })
    }
}

impl<W: Write + Clone> TableSink for IpcSink<W> {
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

impl<W: Write + Clone> IpcSink<W> {
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
