//! A text read in pieces, each by itself and in any order, and put together again: the same batches, errors and notes as
//! from front to back.
//!
//! [`TextReader::pieces`](super::TextReader::pieces) parts a text whose columns are known. What cuts it must see all bytes
//! one after the other; what reads pieces may be on many threads; what joins their rows takes them in order.

use std::{collections::VecDeque, sync::Arc};

use super::{
    BATCH_BYTES, OnBadRow, TextOptions, TextPiece,
    chunks::Chunks,
    rows::{DESCRIBED, Gathering, TextRow},
    source::Source,
};
use crate::{
    error::{Error, Result},
    step::Turn,
    table::{Column, ColumnBuilder, Schema},
};

/// Reads the rows of pieces.
#[derive(Debug)]
pub struct PieceReader {
    /// What is the same for all rows; it has none itself.
    source: Source,
    schema: Arc<Schema>,
    options: TextOptions,
}

impl PieceReader {
    pub(super) fn new(source: Source, schema: Arc<Schema>, options: TextOptions) -> PieceReader {
        PieceReader { source, schema, options }
    }

    /// The rows of a piece.
    pub fn read(&self, piece: TextPiece) -> PieceRows {
        let mut source = self.source.at_line(piece.line);
        let mut chunks = Chunks::default();
        piece.parts.into_iter().for_each(|part| chunks.push(part));
        chunks.end();
        let next = |columns: &mut [ColumnBuilder], rows| source.next(&mut chunks, columns, rows);
        let (mut rows, more) = PieceRows::gather(&self.schema, &self.options, piece.lines, next);
        if more {
            rows.rest = Some(TextPiece { parts: chunks.rest(), line: source.line(), lines: 0, torn: piece.torn });
        } else if piece.torn && rows.fault.is_none() && rows.broken.is_empty() {
            // Its last row has more bytes than a row may have.
            rows.fault = self.options.limits.item(self.options.limits.item_bytes.saturating_add(1)).err();
        }
        rows
    }
}

/// The rows of a piece, for a [`PieceJoiner`](super::PieceJoiner).
#[derive(Debug, Default)]
pub struct PieceRows {
    pub(super) columns: Vec<Column>,
    /// About how many bytes of text each row has.
    pub(super) sizes: Vec<u32>,
    /// The numbers of the bad rows.
    pub(super) broken: Vec<usize>,
    /// How many rows had words of JavaScript for numbers.
    pub(super) words: usize,
    /// Why the first of them are bad.
    pub(super) reasons: VecDeque<Error>,
    /// What ended the reading behind the last row.
    pub(super) fault: Option<Error>,
    /// What is left to be read, where rows take far more memory than their text.
    pub(super) rest: Option<TextPiece>,
}

impl PieceRows {
    /// Rows as long as there are such, about as many as `expected`, and whether there may be more: a batch's worth of memory
    /// was reached.
    pub(super) fn gather(
        schema: &Schema,
        options: &TextOptions,
        expected: usize,
        mut next: impl FnMut(&mut [ColumnBuilder], usize) -> Result<Turn<TextRow, ()>>,
    ) -> (PieceRows, bool) {
        let mut now = Gathering::with_capacity(schema, expected);
        let mut found = PieceRows::default();
        let mut more = false;
        loop {
            more |= now.bytes >= BATCH_BYTES;
            let failed = options.on_bad_row == OnBadRow::Error && !found.reasons.is_empty();
            if more || failed {
                break;
            }
            match next(&mut now.columns, now.rows) {
                Ok(Turn::Item(row)) => {
                    found.sizes.push(u32::try_from(row.bytes).unwrap_or(u32::MAX));
                    if let Some(e) = now.add(row)
                        && found.reasons.len() < DESCRIBED
                    {
                        found.reasons.push_back(e);
                    }
                }
                Ok(_) => break,
                Err(e) => {
                    found.fault = Some(e);
                    break;
                }
            }
        }
        (found.broken, found.words) = (std::mem::take(&mut now.broken), now.words);
        match now.finish() {
            Ok(columns) => found.columns = columns,
            Err(e) => found = PieceRows { fault: Some(e), ..PieceRows::default() },
        }
        (found, more)
    }
}
