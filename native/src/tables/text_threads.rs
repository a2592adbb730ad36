//! A text read on many threads: one cuts it into pieces, others read these, the caller's puts their rows together.
//!
//! What is in flight is bounded: a piece is cut only when a ticket is free, and its ticket is free again when its rows were
//! taken. Which thread reads which piece makes no difference to the rows, nor to the first error.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    thread::Builder,
};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use forebay::{
    Error, Result,
    step::Turn,
    table::Batch,
    text::{PieceJoiner, PieceReader, PieceRows, TextCutter, TextPiece, TextReader},
};

use super::text_input::TextInput;
use crate::parallel::codes;

/// Bytes that are cut at a time.
pub(super) const PIECE: usize = 1 << 20;

/// What became of a piece.
#[derive(Debug)]
enum Done {
    Rows(PieceRows),
    /// The text could not be read on.
    Unread(Error),
    /// There is no such piece any more.
    End,
}

type Task = (u64, TextPiece, Arc<PieceReader>);

/// A text that is being read.
#[derive(Debug)]
pub(super) struct TextThreads {
    joiner: PieceJoiner,
    tickets: Sender<()>,
    done: Receiver<(u64, Done)>,
    /// Pieces that were read before one in front of them.
    early: BTreeMap<u64, Done>,
    next: u64,
}

/// What cuts a text, on a thread of its own.
struct Cutting {
    input: TextInput,
    cutter: TextCutter,
    reader: Arc<PieceReader>,
    tickets: Receiver<()>,
    tasks: Sender<Task>,
    done: Sender<(u64, Done)>,
}

impl TextThreads {
    /// Reads the rest of a text on this many threads. What cannot be parted comes back, and so does every text where
    /// the system has no threads to give.
    #[allow(clippy::result_large_err, reason = "the result is not an error")]
    pub fn begin(
        reader: TextReader,
        input: TextInput,
        workers: usize,
    ) -> std::result::Result<TextThreads, (TextReader, TextInput)> {
        let (task_give, tasks) = bounded::<Task>(workers);
        let (done_give, done) = unbounded();
        let work = |_| {
            let (tasks, done) = (tasks.clone(), done_give.clone());
            let turns = move || {
                for (number, piece, reader) in tasks {
                    // Who waits for the piece hears of a panic instead.
                    let read = catch_unwind(AssertUnwindSafe(|| reader.read(piece)));
                    if done.send((number, read.map_or_else(|_| Done::Unread(stopped()), Done::Rows))).is_err() {
                        break;
                    }
                }
            };
            Builder::new().name("forebay-text".into()).spawn(turns).ok()
        };
        // They end once nobody wants their rows. Nobody waits for that, since what cuts may itself wait for a pipe.
        let threads = (0..workers).map_while(work).count();
        // It waits for what it is to cut, so that nothing is lost where there is no such thread.
        let (cutting_give, cutting) = bounded::<Cutting>(1);
        let cut = move || cutting.into_iter().for_each(Cutting::run);
        if threads == 0 || Builder::new().name("forebay-cut".into()).spawn(cut).is_err() {
            return Err((reader, input));
        }
        let (cutter, reader, joiner) = match reader.pieces() {
            Ok(parts) => parts,
            Err(reader) => return Err((reader, input)),
        };
        let (ticket_give, tickets) = unbounded();
        // The other ends are here, so these cannot fail.
        (0..2 * threads + 2).for_each(|_| ticket_give.send(()).unwrap_or_default());
        let cutting = Cutting { input, cutter, reader, tickets, tasks: task_give, done: done_give };
        cutting_give.send(cutting).unwrap_or_default();
        Ok(TextThreads { joiner, tickets: ticket_give, done, early: BTreeMap::new(), next: 0 })
    }

    /// The next rows.
    pub fn step(&mut self) -> Result<Turn<Batch, ()>> {
        loop {
            match self.joiner.step()? {
                Turn::Need(()) => match self.take()? {
                    Done::Rows(rows) => self.joiner.push(rows),
                    Done::Unread(e) => return Err(e),
                    Done::End => self.joiner.end(),
                },
                other => return Ok(other),
            }
        }
    }

    /// The next piece in order.
    fn take(&mut self) -> Result<Done> {
        loop {
            if let Some(done) = self.early.remove(&self.next) {
                self.next += 1;
                // What cuts may be done, and takes no more tickets.
                let _ = self.tickets.send(());
                return Ok(done);
            }
            match self.done.recv() {
                Ok((number, done)) => self.early.insert(number, done),
                Err(_) => return Err(stopped()),
            };
        }
    }

    /// What is known of all rows.
    pub fn joiner(&mut self) -> &mut PieceJoiner {
        &mut self.joiner
    }
    /// How many bad rows were left out.
    pub fn skipped(&self) -> u64 {
        self.joiner.skipped()
    }
}

fn stopped() -> Error {
    Error::new(&codes::WORKER, "a worker stopped before its work was done")
}

impl Cutting {
    fn run(mut self) {
        let mut number = 0;
        while self.tickets.recv().is_ok() {
            let sent = match self.next_piece() {
                Ok(Some(piece)) => self.tasks.send((number, piece, self.reader.clone())).is_ok(),
                Ok(None) => {
                    let _ = self.done.send((number, Done::End));
                    false
                }
                Err(e) => {
                    let _ = self.done.send((number, Done::Unread(e)));
                    false
                }
            };
            if !sent {
                break;
            }
            number += 1;
        }
    }

    fn next_piece(&mut self) -> Result<Option<TextPiece>> {
        if let Some(piece) = self.cutter.at_hand() {
            return Ok(Some(piece));
        }
        loop {
            let bytes = self.input.next_of(PIECE)?;
            if bytes.is_empty() {
                return Ok(self.cutter.end());
            }
            if let Some(piece) = self.cutter.push(bytes) {
                return Ok(Some(piece));
            }
        }
    }
}
