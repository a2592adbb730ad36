//! IDV out: blocks compressed on all cores, the header last.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use forebay::{
    Error, Result,
    error::codes::ARGUMENT,
    idv::{self, Encoder, Packed, Packing, raw::HEADER_BYTES},
    table::{Batch, Schema},
};

use super::{FileWriter, TableCompression, TableSink, WriteOptions};

/// An IDV file that is being written.
#[derive(Debug)]
pub(super) struct IdvSink {
    out: FileWriter,
    options: idv::WriteOptions,
    encoder: Option<Encoder>,
    schema: Arc<Schema>,
    /// Rows that wait for their block to be full.
    pending: Vec<Batch>,
    pending_rows: usize,
    written: u64,
    workers: usize,
}

impl IdvSink {
    pub fn new(out: FileWriter, options: &WriteOptions) -> Result<IdvSink> {
        let mut own = idv::WriteOptions::default();
        own = match options.compression.unwrap_or(TableCompression::Deflate) {
            TableCompression::None => own.with_packing(Packing::None),
            TableCompression::Deflate => own.with_packing(Packing::Deflate),
            other => {
                return Err(Error::new(
                    &ARGUMENT,
                    format!("IDV is written with none or deflate, and not with {other:?}"),
                ));
            }
        };
        if let Some(level) = options.level {
            own = own.with_level(level);
        }
        if let Some(rows) = options.group_rows {
            own = own.with_rows_per_block(u32::try_from(rows).unwrap_or(u32::MAX));
        }
        let schema = Arc::new(Schema::default());
        let workers = options.workers.max(1);
        Ok(IdvSink { out, options: own, encoder: None, schema, pending: vec![], pending_rows: 0, written: 0, workers })
    }

    fn block_rows(&self) -> usize {
        self.options.rows_per_block.max(1) as usize
    }

    /// Writes the whole blocks that wait, and at the end the last one too.
    fn flush(&mut self, end: bool) -> Result<()> {
        let Some(encoder) = &mut self.encoder else { return Err(Error::new(&ARGUMENT, "the schema comes first")) };
        let per_block = self.options.rows_per_block.max(1) as usize;
        if self.pending.is_empty() {
            return Ok(());
        }
        let whole = Batch::concat(&std::mem::take(&mut self.pending))?;
        let rows = if end { whole.rows() } else { whole.rows() - whole.rows() % per_block };
        let blocks: Vec<Batch> = (0..rows).step_by(per_block).map(|at| whole.slice(at, per_block)).collect();
        let packed = pack(encoder, &blocks, self.workers);
        for (task, packed) in packed.into_iter().enumerate() {
            let (block, column) = (task / self.schema.len().max(1), task % self.schema.len().max(1));
            let packed = packed.map_err(|e| absolute(&e, self.written + (block * per_block) as u64))?;
            encoder.place(column, &packed)?;
            self.out.append(&packed.stored)?;
        }
        self.written += rows as u64;
        self.pending_rows = whole.rows() - rows;
        if self.pending_rows > 0 {
            self.pending.push(whole.slice(rows, self.pending_rows));
        }
        Ok(())
    }
}

/// Every column of every block, encoded side by side.
fn pack(encoder: &Encoder, blocks: &[Batch], workers: usize) -> Vec<Result<Packed>> {
    let tasks: Vec<_> = blocks.iter().flat_map(|b| b.columns().iter().enumerate()).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some((i, column)) = tasks.get(next.load(Ordering::Relaxed)).and_then(|_| {
            let task = next.fetch_add(1, Ordering::Relaxed);
            tasks.get(task).map(|t| (task, t))
        }) {
            done.push((i, encoder.encode(column.0, column.1)));
        }
        done
    };
    let mut done = thread::scope(|scope| {
        // Where the system has no thread to give, those that there are do all of it.
        let begin = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..workers.min(tasks.len())).map_while(begin).collect();
        let mut done = work();
        for other in others {
            // A thread that panicked has done nothing; what is missing shows below.
            done.extend(other.join().unwrap_or_default());
        }
        done
    });
    done.sort_by_key(|(i, _)| *i);
    let lost = || Error::new(&crate::parallel::codes::WORKER, "a block was not encoded");
    if done.len() != tasks.len() {
        return vec![Err(lost())];
    }
    done.into_iter().map(|(_, packed)| packed).collect()
}

/// An error that counts rows of a block, counting rows of the table.
fn absolute(e: &Error, first: u64) -> Error {
    let mut out = Error::new(e.code(), e.message());
    if let Some(column) = &e.place().column {
        out = out.column(column);
    }
    out.row(first + e.place().row.unwrap_or(0))
}

impl TableSink for IdvSink {
    fn begin(&mut self, schema: &Arc<Schema>) -> Result<()> {
        self.schema = schema.clone();
        self.encoder = Some(Encoder::new(schema.fields().to_vec(), self.options.clone())?);
        self.out.append(&[0; HEADER_BYTES as usize])
    }

    fn write(&mut self, batch: &Batch) -> Result<()> {
        if batch.rows() > 0 {
            self.pending.push(batch.clone());
            self.pending_rows += batch.rows();
        }
        // Enough blocks to keep every core busy.
        if self.pending_rows >= self.block_rows() * self.workers { self.flush(false) } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> Result<FileWriter> {
        self.flush(true)?;
        let Some(encoder) = self.encoder.take() else { return Err(Error::new(&ARGUMENT, "the schema comes first")) };
        let ending = encoder.finish()?;
        self.out.append(&ending.tables)?;
        self.out.patch(0, &ending.header)?;
        Ok(self.out)
    }
}
