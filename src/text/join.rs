//! Rows of pieces, put together in order.

use std::{collections::VecDeque, sync::Arc};

use super::{BATCH_BYTES, PieceReader, PieceRows, TextCutter, TextReader};
use crate::{
    error::{Error, Result},
    step::Turn,
    table::{Batch, Column, Schema},
};

/// Makes of the rows of pieces the batches that a [`TextReader`] makes of the whole text.
#[derive(Debug)]
pub struct PieceJoiner {
    /// Has the rows that types were sniffed from, which come first, and hears of all rows.
    head: TextReader,
    reader: Arc<PieceReader>,
    waiting: VecDeque<PieceRows>,
    current: Option<Current>,
    /// The batch that is being gathered: columns and rows.
    parts: Vec<(Vec<Column>, usize)>,
    good: usize,
    bytes: usize,
    ended: bool,
}

/// Rows that are being taken.
#[derive(Debug)]
struct Current {
    rows: PieceRows,
    at: usize,
    /// Bad rows that were passed.
    broken: usize,
}

impl PieceJoiner {
    pub(super) fn new(head: TextReader, reader: Arc<PieceReader>) -> PieceJoiner {
        let (waiting, parts) = (VecDeque::new(), Vec::new());
        PieceJoiner { head, reader, waiting, current: None, parts, good: 0, bytes: 0, ended: false }
    }

    /// Names and types of what the batches hold.
    pub fn schema(&self) -> &Arc<Schema> {
        self.head.schema()
    }
    /// The rows of the next piece.
    pub fn push(&mut self, rows: PieceRows) {
        self.waiting.push_back(rows);
    }
    /// There are no more pieces.
    pub fn end(&mut self) {
        self.ended = true;
    }
    /// As [`TextReader::notes`].
    pub fn notes(&mut self) -> Vec<String> {
        self.head.notes()
    }
    /// As [`TextReader::bad_rows`].
    pub fn bad_rows(&mut self) -> Vec<Error> {
        self.head.bad_rows()
    }
    /// As [`TextReader::skipped`].
    pub fn skipped(&self) -> u64 {
        self.head.skipped()
    }

    /// The next rows; [`Turn::Need`] wants those of the next piece.
    pub fn step(&mut self) -> Result<Turn<Batch, ()>> {
        loop {
            let Some(mut now) = self.current.take().or_else(|| self.next_rows()) else {
                if !self.ended {
                    return Ok(Turn::Need(()));
                }
                return Ok(self.batch()?.map_or(Turn::Done, Turn::Item));
            };
            let full = self.gather(&mut now)?;
            if full {
                self.current = Some(now);
                // A batch that only had bad rows says nothing; the next one may.
                if let Some(batch) = self.batch()? {
                    return Ok(Turn::Item(batch));
                }
            } else if let Some(fault) = now.rows.fault {
                return Err(fault);
            } else if let Some(rest) = now.rows.rest {
                // Rows that take far more memory than their text: fewer at once.
                let rows = self.reader.read(rest);
                self.head.heard().words(rows.words);
                self.current = Some(Current::new(rows));
            }
        }
    }

    fn next_rows(&mut self) -> Option<Current> {
        let rows = self.head.sampled_rows().or_else(|| self.waiting.pop_front())?;
        self.head.heard().words(rows.words);
        Some(Current::new(rows))
    }

    /// Takes rows up to the end of the batch; false if there are not as many.
    fn gather(&mut self, now: &mut Current) -> Result<bool> {
        let (first, first_broken) = (now.at, now.broken);
        let (most, policy) = (self.head.options().batch_rows, self.head.options().on_bad_row);
        let mut full = self.full(most);
        while let Some(size) = now.rows.sizes.get(now.at).filter(|_| !full) {
            self.bytes += *size as usize;
            if now.rows.broken.get(now.broken) == Some(&now.at) {
                now.broken += 1;
                self.head.heard().bad(now.rows.reasons.pop_front(), policy)?;
            } else {
                self.good += 1;
                self.head.heard().good();
            }
            now.at += 1;
            full = self.full(most);
        }
        let broken = now.rows.broken.get(first_broken..now.broken).unwrap_or_default();
        let taken = now.at - first;
        let columns = match (taken == now.rows.sizes.len(), broken.is_empty()) {
            (true, true) => std::mem::take(&mut now.rows.columns),
            (false, true) => now.rows.columns.iter().map(|column| column.slice(first, taken)).collect(),
            _ => {
                let good: Vec<usize> = (first..now.at).filter(|row| broken.binary_search(row).is_err()).collect();
                now.rows.columns.iter().map(|column| column.take(&good)).collect::<Result<_>>()?
            }
        };
        if taken > broken.len() {
            self.parts.push((columns, taken - broken.len()));
        }
        Ok(full)
    }

    fn full(&self, most: usize) -> bool {
        self.good >= most || self.bytes >= BATCH_BYTES
    }

    /// What was gathered.
    fn batch(&mut self) -> Result<Option<Batch>> {
        let parts = std::mem::take(&mut self.parts);
        (self.good, self.bytes) = (0, 0);
        let rows = parts.iter().map(|(_, rows)| rows).sum();
        if rows == 0 {
            return Ok(None);
        }
        let column = |i: usize| {
            let parts: Vec<Column> = parts.iter().filter_map(|(columns, _)| columns.get(i).cloned()).collect();
            Column::concat(&parts).map(Column::without_needless_validity)
        };
        let columns = (0..self.schema().len()).map(column).collect::<Result<_>>()?;
        Batch::with_rows(self.schema().clone(), columns, rows).map(Some)
    }
}

impl Current {
    fn new(rows: PieceRows) -> Current {
        Current { rows, at: 0, broken: 0 }
    }
}

impl TextReader {
    /// Parts a text into pieces that can be read side by side. After [`open`](Self::open) and [`select`](Self::select),
    /// before the first batch; a text that cannot be parted, such as a JSON array, comes back.
    #[allow(clippy::result_large_err, reason = "the result is not an error")]
    #[doc(hidden)]
    pub fn pieces(mut self) -> std::result::Result<(TextCutter, Arc<PieceReader>, PieceJoiner), TextReader> {
        let ends = self.source.ends().filter(|_| self.all.is_some() && self.options.batch_rows > 0);
        let Some(ends) = ends else { return Err(self) };
        let line = self.source.line();
        let cutter = TextCutter::new(ends, line, self.chunks.rest(), self.options.limits.item_bytes);
        let reader = PieceReader::new(self.source.at_line(line), self.schema.clone(), self.options.clone());
        let reader = Arc::new(reader);
        Ok((cutter, reader.clone(), PieceJoiner::new(self, reader)))
    }
}
