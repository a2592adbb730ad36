//! CSV and JSON lines in: the core reads them, from what comes out of a file.

use std::sync::Arc;

use forebay::{
    Error, Result,
    step::Turn,
    table::{Batch, Schema, TableRows},
    text::TextReader,
};

use super::{
    ReadOptions, TableFormat, TableSource,
    text_input::TextInput,
    text_threads::{PIECE, TextThreads},
};

/// A text that is being read.
#[derive(Debug)]
pub(super) struct TextSource {
    format: TableFormat,
    name: String,
    schema: Arc<Schema>,
    workers: usize,
    reading: Reading,
}

#[derive(Debug)]
enum Reading {
    /// Its columns are known, and no row was given.
    Opened(Box<(TextReader, TextInput)>),
    Alone(Box<(TextReader, TextInput)>),
    Threads(Box<TextThreads>),
    /// Between these.
    Lost,
}

impl TextSource {
    pub fn new(mut input: TextInput, format: TableFormat, options: &ReadOptions) -> Result<TextSource> {
        let mut reader = TextReader::new(format.text()?, options.text.clone())?;
        while !reader.open().map_err(|e| e.file(&input.name))? {
            feed(&mut input, &mut reader)?;
        }
        let (name, schema) = (input.name.clone(), reader.schema().clone());
        let reading = Reading::Opened(Box::new((reader, input)));
        Ok(TextSource { format, name, schema, workers: options.workers, reading })
    }

    /// Threads for a text that is long enough for them.
    fn begin(&mut self) {
        let Reading::Opened(mut opened) = std::mem::replace(&mut self.reading, Reading::Lost) else { return };
        let mut long = false;
        if self.workers > 1 {
            let bytes = opened.1.ahead(PIECE);
            long = bytes.len() == PIECE;
            opened.0.push(bytes);
        }
        self.reading = match long {
            false => Reading::Alone(opened),
            true => match TextThreads::begin(opened.0, opened.1, self.workers) {
                Ok(threads) => Reading::Threads(Box::new(threads)),
                Err(alone) => Reading::Alone(Box::new(alone)),
            },
        };
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

impl TableRows for TextSource {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
    fn select(&mut self, columns: &[usize]) -> Result<()> {
        if let Reading::Opened(opened) | Reading::Alone(opened) = &mut self.reading {
            opened.0.select(columns)?;
            self.schema = opened.0.schema().clone();
        }
        Ok(())
    }

    fn step(&mut self) -> Result<Turn<Batch>> {
        if matches!(self.reading, Reading::Opened(_)) {
            self.begin();
        }
        loop {
            let step = match &mut self.reading {
                Reading::Threads(threads) => threads.step(),
                Reading::Alone(alone) | Reading::Opened(alone) => alone.0.step(),
                Reading::Lost => return Ok(Turn::Done),
            };
            match (step.map_err(|e| e.file(&self.name))?, &mut self.reading) {
                (Turn::Item(batch), _) => return Ok(Turn::Item(batch)),
                (Turn::Need(()), Reading::Alone(alone)) => feed(&mut alone.1, &mut alone.0)?,
                _ => return Ok(Turn::Done),
            }
        }
    }

    fn notes(&mut self) -> Vec<String> {
        match &mut self.reading {
            Reading::Threads(threads) => threads.joiner().notes(),
            Reading::Alone(alone) | Reading::Opened(alone) => alone.0.notes(),
            Reading::Lost => Vec::new(),
        }
    }
    fn skipped(&self) -> u64 {
        match &self.reading {
            Reading::Threads(threads) => threads.skipped(),
            Reading::Alone(alone) | Reading::Opened(alone) => alone.0.skipped(),
            Reading::Lost => 0,
        }
    }
}

impl TableSource for TextSource {
    fn format(&self) -> TableFormat {
        self.format
    }
    fn bad_rows(&mut self) -> Vec<Error> {
        match &mut self.reading {
            Reading::Threads(threads) => threads.joiner().bad_rows(),
            Reading::Alone(alone) | Reading::Opened(alone) => alone.0.bad_rows(),
            Reading::Lost => Vec::new(),
        }
    }
}
