//! Rows as batches of Arrow's, made while those before them are taken over by whoever asked.

use std::{sync::Arc, thread::Builder};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, Schema as ArrowSchema, SchemaRef};
use crossbeam_channel::{Receiver, bounded};
use forebay::{
    Error, Result,
    table::{Batch, codes::SIZE},
};
use forebay_native::{
    parallel::codes,
    tables::{Scanned, to_record_batch},
};

/// How many batches wait for whoever takes them.
const AHEAD: usize = 4;

/// Batches, one after another.
pub(crate) struct Reader {
    scanned: Scanned,
    schema: Arc<ArrowSchema>,
    /// How many threads make the columns of a long batch.
    workers: usize,
    /// Rows of a batch whose texts do not fit into one of Arrow's, those that come next at the end.
    cut: Vec<Batch>,
}

/// Columns of fewer rows are made sooner than a thread begins.
const LONG: usize = 1 << 17;

impl Reader {
    pub(crate) fn new(scanned: Scanned, schema: Arc<ArrowSchema>, workers: usize) -> Reader {
        Reader { scanned, schema, workers, cut: Vec::new() }
    }

    fn batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            let batch = match self.cut.pop() {
                Some(batch) => batch,
                None => match self.scanned.next_batch()? {
                    Some(batch) => batch,
                    None => return Ok(None),
                },
            };
            let workers = if batch.rows() < LONG { 1 } else { self.workers };
            match to_record_batch(&batch, &self.schema, workers) {
                // A text that is stored once can stand in very many rows.
                Err(e) if e.code() == &SIZE && batch.rows() > 1 => {
                    let half = batch.rows() / 2;
                    self.cut.extend([batch.slice(half, batch.rows() - half), batch.slice(0, half)]);
                }
                made => return made.map(Some),
            }
        }
    }
}

/// Where batches are made.
enum Made {
    Here(Box<Reader>),
    /// A thread, which says when it was the last: one that panicked does not.
    Thread(Receiver<Result<Option<RecordBatch>>>),
    Nowhere,
}

/// What Arrow's C interface asks.
pub(crate) struct Stream {
    by: Made,
    schema: Arc<ArrowSchema>,
}

impl Stream {
    /// With `ahead` a thread makes the batches, where the system has one to give.
    pub(crate) fn new(reader: Reader, ahead: bool) -> Stream {
        let schema = reader.schema.clone();
        if !ahead {
            return Stream { by: Made::Here(Box::new(reader)), schema };
        }
        let (give, batches) = bounded(AHEAD);
        // It waits for its reader, so that nothing is lost where there is no such thread.
        let (lend, lent) = bounded::<Reader>(1);
        let run = move || {
            let Ok(mut reader) = lent.recv() else { return };
            loop {
                let batch = reader.batch();
                let more = matches!(batch, Ok(Some(_)));
                // Nobody listens any more, or there is no more to tell.
                if give.send(batch).is_err() || !more {
                    return;
                }
            }
        };
        match Builder::new().name("forebay-arrow".into()).spawn(run) {
            // The thread holds the other end until it has the reader.
            Ok(_) => match lend.send(reader) {
                Ok(()) => Stream { by: Made::Thread(batches), schema },
                Err(back) => Stream { by: Made::Here(Box::new(back.into_inner())), schema },
            },
            Err(_) => Stream { by: Made::Here(Box::new(reader)), schema },
        }
    }

    fn batch(&mut self) -> Result<Option<RecordBatch>> {
        match &mut self.by {
            Made::Here(reader) => reader.batch(),
            Made::Thread(batches) => batches
                .recv()
                .unwrap_or_else(|_| Err(Error::new(&codes::WORKER, "a worker stopped before its work was done"))),
            Made::Nowhere => Ok(None),
        }
    }
}

impl Iterator for Stream {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.batch();
        if !matches!(batch, Ok(Some(_))) {
            self.by = Made::Nowhere;
        }
        batch.map_err(|e: Error| ArrowError::ExternalError(Box::new(e))).transpose()
    }
}

impl RecordBatchReader for Stream {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }
}
