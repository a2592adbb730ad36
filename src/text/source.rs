//! The rows of either format, read where they stand.

use super::{TextOptions, chunks::Chunks, csv::CsvRows, cut::RowEnds, json::JsonRows, rows::TextRow};
use crate::{
    error::Result,
    step::Turn,
    table::{ColumnBuilder, Schema},
};

#[derive(Debug)]
pub(super) enum Source {
    Csv(Box<CsvRows>),
    Json(Box<JsonRows>),
}

impl Source {
    pub fn open(&mut self, chunks: &mut Chunks, options: &TextOptions) -> Result<Option<Schema>> {
        match self {
            Source::Csv(rows) => rows.open(chunks, options),
            Source::Json(rows) => rows.open(chunks, options),
        }
    }

    pub fn next(
        &mut self,
        chunks: &mut Chunks,
        columns: &mut [ColumnBuilder],
        rows: usize,
    ) -> Result<Turn<TextRow, ()>> {
        match self {
            Source::Csv(source) => source.next(chunks, columns),
            Source::Json(source) => source.next(chunks, columns, rows),
        }
    }

    /// The same columns, for the rest of the text from a line on.
    pub fn at_line(&self, line: u64) -> Source {
        match self {
            Source::Csv(source) => Source::Csv(Box::new(source.at_line(line))),
            Source::Json(source) => Source::Json(Box::new(source.at_line(line))),
        }
    }

    /// The line on which the next row begins, between rows.
    pub fn line(&self) -> u64 {
        match self {
            Source::Csv(source) => source.line(),
            Source::Json(source) => source.line(),
        }
    }

    /// How to find where rows end; `None` if that takes reading them.
    pub fn ends(&self) -> Option<RowEnds> {
        match self {
            Source::Csv(source) => Some(source.ends()),
            Source::Json(source) => source.is_in_lines().then_some(RowEnds::Lines),
        }
    }

    pub fn has_sampled(&self) -> bool {
        match self {
            Source::Csv(source) => source.has_sampled(),
            Source::Json(source) => source.has_sampled(),
        }
    }
}
