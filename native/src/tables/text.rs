//! CSV and JSON lines in: the core reads them, from what comes out of a file.

use std::{path::Path, sync::Arc};

use forebay::{
    Error, Result,
    table::{Batch, Schema},
    text::{TextOptions, TextReader, TextStep},
};

use super::{ReadOptions, TableFormat, TableSource, text_input::TextInput};

/// A text that is being read.
#[derive(Debug)]
pub(super) struct TextSource {
    format: TableFormat,
    input: TextInput,
    reader: TextReader,
}

impl TextSource {
    pub fn open(path: &Path, format: TableFormat, options: &ReadOptions) -> Result<TextSource> {
        Self::new(TextInput::open(path)?, format, options)
    }

    pub fn new(mut input: TextInput, format: TableFormat, options: &ReadOptions) -> Result<TextSource> {
        let mut reader = TextReader::new(format.text()?, options.text())?;
        while !reader.open().map_err(|e| e.file(&input.name))? {
            feed(&mut input, &mut reader)?;
        }
        Ok(TextSource { format, input, reader })
    }
}

/// Hands over the next bytes, or that there are none.
fn feed(input: &mut TextInput, reader: &mut TextReader) -> Result<()> {
    let bytes = input.next()?;
    if bytes.is_empty() {
        reader.end();
    } else {
        reader.push(bytes);
    }
    Ok(())
}

impl ReadOptions {
    /// What of this concerns text.
    fn text(&self) -> TextOptions {
        let mut text = TextOptions::default();
        text.limits.clone_from(&self.limits);
        text.spec.clone_from(&self.spec);
        text.types.clone_from(&self.types);
        text.null.clone_from(&self.null);
        (text.header, text.delimiter, text.on_bad_row) = (self.header, self.delimiter, self.on_bad_row);
        (text.sniff_rows, text.batch_rows) = (self.sniff_rows, self.batch_rows);
        text
    }
}

impl TableSource for TextSource {
    fn format(&self) -> TableFormat {
        self.format
    }
    fn schema(&self) -> &Arc<Schema> {
        self.reader.schema()
    }
    fn rows(&self) -> Option<u64> {
        None
    }
    fn select(&mut self, columns: &[usize]) -> Result<()> {
        self.reader.select(columns)
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        loop {
            match self.reader.step().map_err(|e| e.file(&self.input.name))? {
                TextStep::Batch(batch) => return Ok(Some(batch)),
                TextStep::End => return Ok(None),
                TextStep::More => feed(&mut self.input, &mut self.reader)?,
            }
        }
    }

    fn notes(&mut self) -> Vec<String> {
        self.reader.notes()
    }
    fn skipped(&self) -> u64 {
        self.reader.skipped()
    }
    fn bad_rows(&mut self) -> Vec<Error> {
        self.reader.bad_rows()
    }
}
