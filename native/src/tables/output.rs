//! A table that is being written into a file.

use std::sync::Arc;

use forebay::{
    Result,
    table::{Batch, Schema, TableSink},
};

use super::{FileWriter, writer::SharedFile};

/// A file and what makes its bytes. Some writers of other programs have the file to themselves.
pub struct TableOutput {
    sink: Box<dyn TableSink + Send>,
    file: SharedFile,
    /// Bytes on their way to the file.
    buffer: Vec<u8>,
}

impl std::fmt::Debug for TableOutput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableOutput").field("file", &self.file).finish_non_exhaustive()
    }
}

impl TableOutput {
    pub(super) fn new(file: SharedFile, sink: Box<dyn TableSink + Send>) -> TableOutput {
        TableOutput { sink, file, buffer: Vec::new() }
    }

    /// The columns that will come. Called once, first.
    pub fn begin(&mut self, schema: &Arc<Schema>) -> Result<()> {
        self.sink.begin(schema, &mut self.buffer)?;
        self.send()
    }
    /// Rows to write at a time, so that few bytes wait.
    pub(crate) fn rows_at_once(&self) -> usize {
        self.sink.rows_at_once()
    }
    /// The next rows.
    pub fn write(&mut self, batch: &Batch) -> Result<()> {
        self.sink.push(batch, &mut self.buffer)?;
        self.send()
    }
    /// The end. What was written is whole, and can be read at its temporary place.
    pub fn finish(mut self) -> Result<FileWriter> {
        let front = self.sink.finish(&mut self.buffer)?;
        self.send()?;
        drop(self.sink);
        let mut file = self.file.into_inner()?;
        if let Some(front) = front {
            file.patch(0, &front)?;
        }
        file.end()?;
        Ok(file)
    }

    fn send(&mut self) -> Result<()> {
        if !self.buffer.is_empty() {
            self.file.lock().append(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }
}
