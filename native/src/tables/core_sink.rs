//! CSV, TSV, JSON lines and TBF out: the core makes the bytes.

use std::sync::Arc;

use forebay::{
    Error, Result,
    error::codes::ARGUMENT,
    table::{Batch, Schema},
    tables::{self, TableWriter},
    text::{CsvStyle, TextFormat},
};

use super::{FileWriter, TableFormat, TableSink, WriteOptions};

/// A file that the core's writer fills.
#[derive(Debug)]
pub(super) struct CoreSink {
    out: FileWriter,
    options: tables::WriteOptions,
    writer: Option<TableWriter>,
    /// Bytes on their way to the file.
    buffer: Vec<u8>,
}

impl CoreSink {
    pub fn new(out: FileWriter, options: &WriteOptions) -> CoreSink {
        CoreSink { out, options: options.core(), writer: None, buffer: Vec::new() }
    }

    fn send(&mut self) -> Result<()> {
        self.out.append(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

impl WriteOptions {
    /// What of this concerns the core's writers.
    fn core(&self) -> tables::WriteOptions {
        let mut core = tables::WriteOptions::new(self.target());
        let usual = if self.format == TableFormat::Tsv { TextFormat::Tsv } else { TextFormat::Csv };
        core.csv = CsvStyle {
            header: self.header,
            delimiter: self.delimiter.unwrap_or(usual.delimiter()),
            null: self.null.clone(),
        };
        (core.lossy, core.group_rows) = (self.lossy, self.group_rows);
        core.spec.clone_from(&self.spec);
        core
    }
}

fn schema_first() -> Error {
    Error::new(&ARGUMENT, "the schema comes before the rows")
}

impl TableSink for CoreSink {
    fn begin(&mut self, schema: &Arc<Schema>) -> Result<()> {
        self.writer = Some(TableWriter::new(schema, &self.options, &mut self.buffer)?);
        self.send()
    }

    fn write(&mut self, batch: &Batch) -> Result<()> {
        let parts = self.writer.as_ref().ok_or_else(schema_first)?.parts(batch);
        for part in parts {
            self.writer.as_mut().ok_or_else(schema_first)?.push(&part, &mut self.buffer)?;
            self.send()?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<FileWriter> {
        let front = self.writer.take().ok_or_else(schema_first)?.finish(&mut self.buffer)?;
        self.send()?;
        if let Some(front) = front {
            self.out.patch(0, &front)?;
        }
        self.out.end()?;
        Ok(self.out)
    }
}
