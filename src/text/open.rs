//! Text of either format, read from front to back.

use std::sync::Arc;

use bytes::Bytes;

use super::{
    TextFormat, TextOptions, chunks::Chunks, csv::CsvRows, json::JsonRows, pieces::PieceRows, rows::TextRows,
    source::Source,
};
use crate::{
    error::{Error, Result, codes::ARGUMENT},
    step::Turn,
    table::{Batch, ColumnBuilder, Schema},
};

/// Reads CSV, TSV or JSON lines: bytes in with [`push`](Self::push) and [`end`](Self::end), batches out.
#[derive(Debug)]
pub struct TextReader {
    pub(super) source: Source,
    pub(super) chunks: Chunks,
    /// All columns of the text, once the first rows were seen.
    pub(super) all: Option<Arc<Schema>>,
    /// The wanted ones.
    pub(super) schema: Arc<Schema>,
    pub(super) options: TextOptions,
    rows: TextRows,
    /// What may have been meant otherwise.
    hints: Vec<String>,
}

impl TextReader {
    /// For a text of this format.
    pub fn new(format: TextFormat, options: TextOptions) -> Result<TextReader> {
        if options.spec.is_some() && !options.types.is_empty() {
            let message = "a schema says the types of all columns, so that others change nothing";
            return Err(Error::new(&ARGUMENT, message).with_options(&["types", "spec"]));
        }
        let source = match format {
            TextFormat::Csv | TextFormat::Tsv => Source::Csv(Box::new(CsvRows::new(format, &options)?)),
            TextFormat::Jsonl => Source::Json(Box::new(JsonRows::new(&options))),
        };
        let (chunks, rows) = (Chunks::default(), TextRows::default());
        Ok(TextReader { source, chunks, all: None, schema: Arc::default(), options, rows, hints: Vec::new() })
    }

    /// The next bytes of the text.
    pub fn push(&mut self, bytes: Bytes) {
        self.chunks.push(bytes);
    }
    /// There are no more bytes.
    pub fn end(&mut self) {
        self.chunks.end();
    }

    /// Finds out the columns; false where more bytes must come first. [`step`](Self::step) does this too.
    #[doc(hidden)]
    pub fn open(&mut self) -> Result<bool> {
        if self.all.is_none()
            && let Some(schema) = self.source.open(&mut self.chunks, &self.options)?
        {
            self.schema = Arc::new(schema);
            self.hints = match &mut self.source {
                Source::Csv(rows) => std::mem::take(&mut rows.notes),
                Source::Json(_) => Vec::new(),
            };
            self.hints.extend(self.other_delimiter().or_else(|| self.awaited()));
            self.all = Some(self.schema.clone());
        }
        Ok(self.all.is_some())
    }

    /// What may stand between columns, of a text of one column whose name looks like several.
    fn other_delimiter(&self) -> Option<String> {
        let [field] = self.schema.fields() else { return None };
        if !matches!(self.source, Source::Csv(_)) || self.options.delimiter.is_some() {
            return None;
        }
        let delimiter = [';', '\t', '|', ','].into_iter().find(|&c| field.name.contains(c))?;
        Some(format!("the only column is called {:?}; {delimiter:?} may be the delimiter", field.name))
    }

    /// Columns of JSON that were given a type and did not come yet.
    fn awaited(&self) -> Option<String> {
        let Source::Json(rows) = &self.source else { return None };
        let names: Vec<String> = rows.awaited().iter().map(|name| format!("{name:?}")).collect();
        (!names.is_empty()).then(|| format!("the first rows lack {}; it has the type that was given", names.join(", ")))
    }

    /// Names and types of what the batches hold, once [`open`](Self::open) said true.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// Reads only these columns, in this order. After [`open`](Self::open), before the first batch.
    #[doc(hidden)]
    pub fn select(&mut self, columns: &[usize]) -> Result<()> {
        let Some(all) = &self.all else {
            return Err(Error::new(&ARGUMENT, "columns are chosen once it is known which there are"));
        };
        self.schema = all.project(columns)?;
        match &mut self.source {
            Source::Csv(rows) => rows.select(columns),
            Source::Json(rows) => rows.select(&self.schema),
        }
        Ok(())
    }

    /// The next rows, as far as the bytes reach. Bad rows end it, or are left out, as the options say.
    pub fn step(&mut self) -> Result<Turn<Batch, ()>> {
        if !self.open()? {
            return Ok(Turn::Need(()));
        }
        let (source, chunks) = (&mut self.source, &mut self.chunks);
        self.rows.batch(&self.schema, &self.options, |columns, rows| source.next(chunks, columns, rows))
    }

    /// Rows that types were sniffed from, while there are such.
    pub(super) fn sampled_rows(&mut self) -> Option<PieceRows> {
        let (source, chunks) = (&mut self.source, &mut self.chunks);
        if !source.has_sampled() {
            return None;
        }
        let next = |columns: &mut [ColumnBuilder], rows: usize| match source.has_sampled() {
            true => source.next(chunks, columns, rows),
            false => Ok(Turn::Done),
        };
        Some(PieceRows::gather(&self.schema, &self.options, 0, next).0)
    }

    /// What was asked for.
    pub(super) fn options(&self) -> &TextOptions {
        &self.options
    }
    /// Which rows were read.
    pub(super) fn heard(&mut self) -> &mut TextRows {
        &mut self.rows
    }

    /// What is said of rows that were left out and of the columns, since it was last asked.
    #[doc(hidden)]
    pub fn notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.hints).into_iter().chain(self.rows.notes()).collect()
    }
    /// The first of the bad rows that were left out. What this gives is in no note any more.
    #[doc(hidden)]
    pub fn bad_rows(&mut self) -> Vec<Error> {
        self.rows.bad_rows()
    }
    /// How many bad rows were left out.
    #[doc(hidden)]
    pub fn skipped(&self) -> u64 {
        self.rows.skipped()
    }
}

/// All rows of a text as JSON, and what is said of those left out; for tests, at once and in small pieces.
#[cfg(test)]
pub(super) fn read(text: &str, format: TextFormat, options: &TextOptions) -> Result<Vec<String>> {
    let in_pieces_of = |size: usize| -> Result<Vec<String>> {
        let mut reader = TextReader::new(format, options.clone())?;
        let (mut pieces, mut rows) = (text.as_bytes().chunks(size), Vec::new());
        loop {
            match reader.step()? {
                Turn::Need(()) => match pieces.next() {
                    Some(piece) => reader.push(Bytes::copy_from_slice(piece)),
                    None => reader.end(),
                },
                Turn::Item(batch) => rows.extend(batch.iter().map(|row| row.to_json(Default::default()))),
                Turn::Done => break,
            }
        }
        rows.extend(reader.notes());
        Ok(rows)
    };
    let whole = in_pieces_of(text.len().max(1));
    for size in [1, 3] {
        match (&whole, in_pieces_of(size)) {
            (Ok(a), Ok(b)) => assert_eq!(*a, b),
            (Err(a), Err(b)) => assert_eq!(a.to_string(), b.to_string()),
            (a, b) => panic!("{a:?} as a whole, {b:?} in pieces of {size}"),
        }
    }
    whole
}
