//! What takes rows: the core, or, if it is built in, what writes Parquet and Arrow.

#[cfg(feature = "columns")]
use std::sync::Arc;

#[cfg(feature = "columns")]
use forebay::tables::{AnyTable, PictureColumns, PictureWriter};
use forebay::tables::{TableWriter, WriteOptions};
#[cfg(feature = "columns")]
use forebay::{
    Error, Result,
    error::codes::ARGUMENT,
    formats::Format,
    table::{Batch, Schema, TableSink},
};
#[cfg(feature = "columns")]
use forebay_columns::{
    ipc::{self, IpcSink},
    parquet::{self, ParquetSink},
    sink::{InTurn, Waiting},
};

/// The core alone.
#[cfg(not(feature = "columns"))]
pub(super) type Sink = TableWriter;

/// A table that is being written.
#[cfg(feature = "columns")]
#[derive(Debug)]
pub(super) enum Sink {
    Core(TableWriter),
    Parquet(Box<ParquetSink<Waiting, InTurn>>, Waiting),
    Ipc(Box<IpcSink<Waiting>>, Waiting),
    Pictures(PictureWriter),
}

/// What the core writes.
#[cfg(feature = "columns")]
pub(super) fn core(options: WriteOptions) -> Sink {
    Sink::Core(TableWriter::new(options))
}

/// What the core writes.
#[cfg(not(feature = "columns"))]
pub(super) fn core(options: WriteOptions) -> Sink {
    TableWriter::new(options)
}

/// Parquet or Arrow; nothing for other formats.
#[cfg(feature = "columns")]
pub(super) fn other(to: &str, compression: Option<&str>, group_rows: Option<usize>) -> Result<Option<Sink>> {
    let out = Waiting::default();
    let no = |what: &str| {
        let message = format!("{what}, and not with {:?}", compression.unwrap_or_default());
        Error::new(&ARGUMENT, message)
    };
    Ok(Some(match Format::from_name(to) {
        Some(Format::Parquet) => {
            let packed = parquet::compression(compression.unwrap_or("snappy"));
            let packed = packed.ok_or_else(|| no("Parquet is written here with none, snappy or lz4"))?;
            Sink::Parquet(Box::new(ParquetSink::new(out.clone(), packed, group_rows, InTurn)), out)
        }
        Some(format @ (Format::Arrow | Format::Arrows)) => {
            let packed = ipc::compression(compression.unwrap_or("none"));
            let packed = packed.ok_or_else(|| no("Arrow is written here with none or lz4"))?;
            Sink::Ipc(Box::new(IpcSink::new(out.clone(), format == Format::Arrows, packed)?), out)
        }
        _ => return Ok(None),
    }))
}

/// A TAR of the pictures in this column.
#[cfg(feature = "columns")]
pub(super) fn pictures(column: &str, file: Option<&AnyTable>) -> Sink {
    let mut columns = PictureColumns { picture: column.to_owned(), classes: Vec::new() };
    if let Some(AnyTable::Other(file)) = file {
        let fields = file.schema().fields().iter().enumerate();
        columns.classes = fields.filter_map(|(i, field)| Some((field.name.clone(), file.classes(i)?))).collect();
    }
    Sink::Pictures(PictureWriter::new(columns))
}

#[cfg(feature = "columns")]
impl TableSink for Sink {
    fn begin(&mut self, schema: &Arc<Schema>, out: &mut Vec<u8>) -> Result<()> {
        match self {
            Sink::Core(sink) => sink.begin(schema, out)?,
            Sink::Parquet(sink, _) => sink.begin(schema, out)?,
            Sink::Ipc(sink, _) => sink.begin(schema, out)?,
            Sink::Pictures(sink) => sink.begin(schema, out)?,
        }
        self.hand_over(out);
        Ok(())
    }

    fn rows_at_once(&self) -> usize {
        match self {
            Sink::Core(sink) => sink.rows_at_once(),
            Sink::Pictures(sink) => sink.rows_at_once(),
            _ => usize::MAX,
        }
    }

    fn push(&mut self, batch: &Batch, out: &mut Vec<u8>) -> Result<()> {
        match self {
            Sink::Core(sink) => sink.push(batch, out)?,
            Sink::Parquet(sink, _) => sink.push(batch, out)?,
            Sink::Ipc(sink, _) => sink.push(batch, out)?,
            Sink::Pictures(sink) => sink.push(batch, out)?,
        }
        self.hand_over(out);
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<Option<Vec<u8>>> {
        let front = match self {
            Sink::Core(sink) => sink.finish(out)?,
            Sink::Parquet(sink, _) => sink.finish(out)?,
            Sink::Ipc(sink, _) => sink.finish(out)?,
            Sink::Pictures(sink) => sink.finish(out)?,
        };
        self.hand_over(out);
        Ok(front)
    }
}

#[cfg(feature = "columns")]
impl Sink {
    /// Gives what was written.
    fn hand_over(&mut self, out: &mut Vec<u8>) {
        if let Sink::Parquet(_, waiting) | Sink::Ipc(_, waiting) = self {
            out.append(&mut waiting.take());
        }
    }
}
