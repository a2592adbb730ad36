//! From a table of one format to another: ranges in, bytes to append out, a batch in memory at a time.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;

use super::{AnyTable, Fit, Groups, Scan, Scanning, TableWriter, Target, WriteOptions};
use crate::{
    error::{Error, Result, codes::ARGUMENT},
    step::Turn,
    table::Batch,
    text::{TextFormat, TextInput, TextOptions},
};

/// What is said of a TBF that holds one value, once it was written.
pub const DOCUMENT_NOTE: &str = "the file holds one value and no table; it was written as that";

/// What is converted.
#[derive(Debug)]
pub enum Input {
    /// An opened table.
    Table(Arc<AnyTable>),
    /// A text of so many bytes.
    Text {
        /// Its format.
        format: TextFormat,
        /// Its length.
        len: u64,
    },
}

/// How.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConversionOptions {
    /// Which columns and rows are wanted.
    pub scan: Scan,
    /// Only these rows of the input, by number, in rising order. Bad rows of a text that are left out have no number.
    pub rows: Option<Vec<u64>>,
    /// How text is read. Tables too come in batches of as many rows as this says.
    pub text: TextOptions,
    /// How the output is written.
    pub write: WriteOptions,
}

impl ConversionOptions {
    /// All of it, with the defaults of the format.
    pub fn new(target: Target) -> ConversionOptions {
        let (scan, text, write) = (Scan::default(), TextOptions::default(), WriteOptions::new(target));
        ConversionOptions { scan, rows: None, text, write }
    }
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Converted {
    /// How many rows were written.
    pub rows: u64,
    /// How many columns.
    pub columns: usize,
    /// Bytes of the output.
    pub output_bytes: u64,
    /// Bad rows that were left out.
    pub skipped_rows: u64,
    /// What was changed to fit the target, and other things worth knowing.
    pub notes: Vec<String>,
    /// Bytes that belong over the first ones of the output.
    pub front: Option<Vec<u8>>,
}

#[derive(Debug)]
enum Source {
    Table(Arc<AnyTable>, Box<Groups>),
    Text(Box<TextInput>),
    /// A TBF that holds one value.
    Document(Arc<AnyTable>),
}

/// What is known once the columns are.
#[derive(Debug)]
struct Route {
    scanning: Scanning,
    fit: Fit,
    writer: TableWriter,
}

/// Converts a table: [`step`](Self::step), then hand over what is needed or take what is there.
#[derive(Debug)]
pub struct Conversion {
    source: Source,
    options: ConversionOptions,
    route: Option<Route>,
    /// Rows on their way to the writer, the next one last.
    parts: Vec<Batch>,
    out: Vec<u8>,
    done: Converted,
    looked_at: u64,
    ended: bool,
}

impl Conversion {
    /// Plans the conversion of an input.
    pub fn new(input: Input, options: ConversionOptions) -> Result<Conversion> {
        let source = match input {
            Input::Text { format, len } => Source::Text(Box::new(TextInput::new(format, len, options.text.clone())?)),
            Input::Table(file) => match file.table() {
                Ok(table) => {
                    let groups = Box::new(Groups::new(table.schema(), options.text.batch_rows));
                    Source::Table(file, groups)
                }
                Err(e) if !file.is_document() => return Err(e),
                Err(_) => Source::Document(file),
            },
        };
        let (parts, out, done) = (Vec::new(), Vec::new(), Converted::default());
        Ok(Conversion { source, options, route: None, parts, out, done, looked_at: 0, ended: false })
    }

    /// Does what the bytes at hand allow. An item are bytes to [`take`](Self::take); once all are done, what is left is
    /// what [`Converted::front`] says.
    pub fn step(&mut self) -> Result<Turn<()>> {
        loop {
            if !self.out.is_empty() {
                return Ok(Turn::Item(()));
            }
            if self.ended {
                return Ok(Turn::Done);
            }
            if let Source::Document(file) = &self.source {
                self.out = document(file, self.options.write.target)?;
                self.done.notes.push(DOCUMENT_NOTE.to_owned());
                self.ended = true;
                continue;
            }
            if self.route.is_none()
                && let Some(need) = self.begin()?
            {
                return Ok(Turn::Need(need));
            }
            if let (Some(part), Some(route)) = (self.parts.pop(), &mut self.route) {
                route.writer.push(&part, &mut self.out)?;
                self.done.rows += part.rows() as u64;
                continue;
            }
            match self.source.next()? {
                Turn::Need(ranges) => return Ok(Turn::Need(ranges)),
                Turn::Item(batch) => self.take_in(batch)?,
                Turn::Done => self.end()?,
            }
        }
    }

    /// Bytes of the input from `start` on. Text is taken in order.
    pub fn push(&mut self, start: u64, bytes: Bytes) {
        match &mut self.source {
            Source::Table(_, groups) => groups.push(start, bytes),
            Source::Text(input) => input.push(start, bytes),
            Source::Document(_) => {}
        }
    }

    /// Bytes to append to the output.
    pub fn take(&mut self) -> Vec<u8> {
        self.done.output_bytes += self.out.len() as u64;
        std::mem::take(&mut self.out)
    }

    /// Rows of the input that were looked at so far.
    pub fn looked_at(&self) -> u64 {
        self.looked_at
    }
    /// Rows of the input, where they are known beforehand.
    pub fn rows(&self) -> Option<u64> {
        match &self.source {
            Source::Table(file, _) => Some(file.rows()),
            _ => None,
        }
    }

    /// What was done.
    pub fn finish(self) -> Converted {
        self.done
    }

    /// Finds out the columns and how they go into the target; the ranges that are needed for that.
    fn begin(&mut self) -> Result<Option<Vec<Range<u64>>>> {
        let scanning = match &mut self.source {
            Source::Table(file, groups) => {
                let table = file.table()?;
                let scanning = self.options.scan.plan(table.schema())?;
                if let Some(columns) = scanning.read() {
                    groups.select(table, columns)?;
                }
                // Rows are counted as they come, so that none may be left out before they are chosen by number.
                if let Some(filter) = scanning.filter().filter(|_| self.options.rows.is_none()) {
                    groups.prune(filter);
                }
                scanning
            }
            Source::Text(input) => {
                if let Some(range) = input.open()? {
                    return Ok(Some(vec![range]));
                }
                let scanning = self.options.scan.plan(input.reader.schema())?;
                if let Some(columns) = scanning.read() {
                    input.reader.select(columns)?;
                }
                scanning
            }
            Source::Document(_) => return Ok(None),
        };
        let fit = Fit::new(scanning.schema(), self.options.write.target, self.options.write.lossy)?;
        let writer = TableWriter::new(fit.schema(), &self.options.write, &mut self.out)?;
        self.done.columns = fit.schema().len();
        self.done.notes = fit.notes().to_vec();
        self.route = Some(Route { scanning, fit, writer });
        Ok(None)
    }

    fn take_in(&mut self, batch: Batch) -> Result<()> {
        let Some(route) = &mut self.route else { return Ok(()) };
        let before = self.looked_at;
        self.looked_at += batch.rows() as u64;
        let batch = match &self.options.rows {
            Some(rows) => {
                let within = |n: u64| rows.partition_point(|&row| row < n);
                let here = rows.get(within(before)..within(self.looked_at)).unwrap_or_default();
                // At most as many as the batch has rows.
                batch.take(&here.iter().map(|row| (row - before) as usize).collect::<Vec<_>>())?
            }
            None => batch,
        };
        let batch = route.scanning.apply(batch)?;
        if batch.rows() > 0 {
            self.parts = route.writer.parts(&route.fit.batch(&batch)?);
            self.parts.reverse();
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        if let Some(route) = self.route.take() {
            self.done.notes.append(&mut route.fit.losses());
            self.done.front = route.writer.finish(&mut self.out)?.map(|front| front.to_vec());
        }
        match &mut self.source {
            Source::Table(file, _) => self.done.notes.append(&mut file.notes()),
            Source::Text(input) => {
                self.done.skipped_rows = input.reader.skipped();
                self.done.notes.append(&mut input.reader.notes());
            }
            Source::Document(_) => {}
        }
        self.ended = true;
        Ok(())
    }
}

impl Source {
    /// A batch, or what it needs first.
    fn next(&mut self) -> Result<Turn<Batch>> {
        match self {
            Source::Table(file, groups) => groups.step(file.table()?),
            Source::Text(input) => input.step(),
            Source::Document(_) => Ok(Turn::Done),
        }
    }
}

/// A TBF that holds one value and no table becomes JSON.
fn document(file: &AnyTable, target: Target) -> Result<Vec<u8>> {
    if target != Target::Text(TextFormat::Jsonl) {
        let message = "this TBF holds one value and no table; it can be converted to .jsonl, or shown with head";
        return Err(Error::new(&ARGUMENT, message));
    }
    let mut json = file.document()?.unwrap_or_default().into_bytes();
    json.push(b'\n');
    Ok(json)
}
