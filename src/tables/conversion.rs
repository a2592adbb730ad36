//! From a table of one format to another: ranges in, bytes to append out, a batch in memory at a time.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;

use super::{AnyTable, FileRows, Fit, Scan, Scanning, TableWriter, Target, WriteOptions};
use crate::{
    error::{Error, Result, codes::ARGUMENT},
    filter::Filter,
    step::Turn,
    table::{Batch, Field, JsonStyle, Schema, TableRows, TableSink, codes},
    text::{TextFormat, TextInput, TextOptions},
};

/// What is said of a TBF that holds one value, once it was written.
pub const DOCUMENT_NOTE: &str = "the file holds one value rather than a table; it was written as that";

/// The input of a conversion.
#[derive(Debug)]
#[non_exhaustive]
pub enum Input {
    /// An opened table.
    Table(Arc<AnyTable>),
    /// A text of this many bytes.
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

/// The result of a conversion.
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
    /// Values changed to fit the target, and other remarks.
    pub notes: Vec<String>,
    /// Bytes that belong over the first ones of the output.
    pub front: Option<Vec<u8>>,
}

/// The rows of an [`Input`].
#[derive(Debug)]
pub struct InputRows(Rows);

#[derive(Debug)]
enum Rows {
    Table(Box<FileRows>),
    Text(Box<TextInput>),
}

impl InputRows {
    /// The rows of a table, or of a text that is read so.
    pub fn new(input: Input, text: TextOptions) -> Result<InputRows> {
        Ok(InputRows(match input {
            Input::Table(file) => Rows::Table(Box::new(FileRows::new(file, text.batch_rows)?)),
            Input::Text { format, len } => Rows::Text(Box::new(TextInput::new(format, len, text)?)),
        }))
    }
}

/// What either kind of rows does.
macro_rules! either {
    ($self:ident, $rows:ident => $does:expr) => {
        match $self {
            InputRows(Rows::Table($rows)) => $does,
            InputRows(Rows::Text($rows)) => $does,
        }
    };
}

impl TableRows for InputRows {
    fn open(&mut self) -> Result<Option<Vec<Range<u64>>>> {
        either!(self, rows => rows.open())
    }
    fn schema(&self) -> &Arc<Schema> {
        either!(self, rows => rows.schema())
    }
    fn select(&mut self, columns: &[usize]) -> Result<()> {
        either!(self, rows => rows.select(columns))
    }
    fn prune(&mut self, filter: &Filter) {
        either!(self, rows => rows.prune(filter));
    }
    fn step(&mut self) -> Result<Turn<Batch>> {
        either!(self, rows => rows.step())
    }
    fn push(&mut self, start: u64, bytes: Bytes) {
        either!(self, rows => rows.push(start, bytes));
    }
    fn look(&mut self, wanted: &Batch) -> Result<()> {
        either!(self, rows => rows.look(wanted))
    }
    fn notes(&mut self) -> Vec<String> {
        either!(self, rows => rows.notes())
    }
    fn skipped(&self) -> u64 {
        either!(self, rows => rows.skipped())
    }
}

/// What is known once the columns are.
#[derive(Debug)]
struct Route {
    scanning: Scanning,
    fit: Fit,
}

/// Converts a table: [`step`](Self::step), then hand over what is needed or take what is there.
///
/// Hosts may give and take rows in ways of their own: see [`over`](Self::over).
#[derive(Debug)]
pub struct Conversion<R = InputRows, W = TableWriter> {
    source: R,
    sink: W,
    scan: Scan,
    /// Only these rows of the input.
    rows: Option<Vec<u64>>,
    target: Target,
    lossy: bool,
    route: Option<Route>,
    /// The columns of the table that is read are known.
    opened: bool,
    /// Rows on their way to the writer.
    fitted: Option<Batch>,
    out: Vec<u8>,
    done: Converted,
    looked_at: u64,
    ended: bool,
}

impl Conversion {
    /// Plans the conversion of an input.
    pub fn new(input: Input, options: ConversionOptions) -> Result<Conversion> {
        let sink = TableWriter::new(options.write.clone());
        Self::into_sink(input, options, sink)
    }
}

impl<W: TableSink> Conversion<InputRows, W> {
    /// The same into a target that the host writes.
    #[doc(hidden)]
    pub fn into_sink(input: Input, options: ConversionOptions, sink: W) -> Result<Self> {
        let ConversionOptions { scan, rows, text, write } = options;
        let (target, lossy, batch_rows) = (write.target, write.lossy, text.batch_rows);
        let over = |rows| Self::over(InputRows(rows), sink, scan, target, lossy);
        let text = |format, len| Ok::<_, Error>(Rows::Text(Box::new(TextInput::new(format, len, text)?)));
        let mut work = match input {
            Input::Text { format, len } => over(text(format, len)?),
            Input::Table(file) => match file.document()? {
                // It has no rows.
                Some(json) => {
                    let mut work = over(text(TextFormat::Jsonl, 0)?);
                    work.out = document_line(json, target)?;
                    work.done.notes.push(DOCUMENT_NOTE.to_owned());
                    work.ended = true;
                    return Ok(work);
                }
                None => over(Rows::Table(Box::new(FileRows::new(file, batch_rows)?.into_target(target, lossy)))),
            },
        };
        work.rows = rows;
        Ok(work)
    }
}

impl<R: TableRows, W: TableSink> Conversion<R, W> {
    /// The conversion of rows that come from anywhere into a target that anybody writes.
    #[doc(hidden)]
    pub fn over(source: R, sink: W, scan: Scan, target: Target, lossy: bool) -> Conversion<R, W> {
        Conversion {
            source,
            sink,
            scan,
            rows: None,
            target,
            lossy,
            route: None,
            opened: false,
            fitted: None,
            out: Vec::new(),
            done: Converted::default(),
            looked_at: 0,
            ended: false,
        }
    }

    /// Does what the available bytes allow. An item is bytes to [`take`](Self::take); once all are done, what is left
    /// is what [`Converted::front`] says.
    pub fn step(&mut self) -> Result<Turn<()>> {
        loop {
            if !self.out.is_empty() {
                return Ok(Turn::Item(()));
            }
            if self.ended {
                return Ok(Turn::Done);
            }
            if !self.opened
                && let Some(need) = self.begin()?
            {
                return Ok(Turn::Need(need));
            }
            if let Some(batch) = self.fitted.take() {
                self.write(&batch)?;
                continue;
            }
            match self.source.step()? {
                Turn::Need(ranges) => return Ok(Turn::Need(ranges)),
                Turn::Item(batch) => self.take_in(batch)?,
                Turn::Done if self.source.next_table()? => self.opened = false,
                Turn::Done => self.end()?,
            }
        }
    }

    /// Bytes of the input from `start` on. Text is taken in order.
    pub fn push(&mut self, start: u64, bytes: Bytes) {
        self.source.push(start, bytes);
    }

    /// Bytes to append to the output.
    pub fn take(&mut self) -> Vec<u8> {
        self.done.output_bytes += self.out.len() as u64;
        std::mem::take(&mut self.out)
    }

    /// Rows of the input that were looked at so far.
    #[doc(hidden)]
    pub fn looked_at(&self) -> u64 {
        self.looked_at
    }
    /// What the rows come from.
    #[doc(hidden)]
    pub fn source(&self) -> &R {
        &self.source
    }

    /// Returns the result.
    pub fn finish(self) -> Converted {
        self.into_parts().0
    }
    /// What was done, and what took the rows.
    #[doc(hidden)]
    pub fn into_parts(self) -> (Converted, W) {
        (self.done, self.sink)
    }

    /// Finds out the columns and how they go into the target; the ranges that are needed for that.
    fn begin(&mut self) -> Result<Option<Vec<Range<u64>>>> {
        if let Some(need) = self.source.open()? {
            return Ok(Some(need));
        }
        // Rows are counted as they come, so that none may be left out before they are chosen by number.
        let scanning = self.scan.begin(&mut self.source, self.rows.is_none())?;
        match &mut self.route {
            Some(route) if have_same_columns(route.scanning.schema(), scanning.schema()) => route.scanning = scanning,
            Some(route) => {
                let error = unlike(route.scanning.schema(), scanning.schema());
                // Only texts take types from outside.
                return Err(if self.source.takes_types() { error.with_options(&["types", "spec"]) } else { error });
            }
            None => {
                let fit = Fit::new(scanning.schema(), self.target, self.lossy)?;
                self.sink.begin(fit.schema(), &mut self.out)?;
                self.done.columns = fit.schema().len();
                self.done.notes = fit.notes().to_vec();
                self.route = Some(Route { scanning, fit });
            }
        }
        self.opened = true;
        Ok(None)
    }

    fn take_in(&mut self, batch: Batch) -> Result<()> {
        let Some(route) = &mut self.route else { return Ok(()) };
        let before = self.looked_at;
        self.looked_at += batch.rows() as u64;
        let batch = match &self.rows {
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
            self.source.look(&batch)?;
            self.fitted = Some(route.fit.batch(&batch)?);
        }
        Ok(())
    }

    /// Writes the first of some rows, so many that few bytes wait.
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let rows = self.sink.rows_at_once().min(batch.rows());
        let part = batch.slice(0, rows);
        self.sink.push(&part, &mut self.out)?;
        self.done.rows += rows as u64;
        if rows < batch.rows() {
            self.fitted = Some(batch.slice(rows, batch.rows() - rows));
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        if let Some(route) = self.route.take() {
            self.done.notes.append(&mut route.fit.losses());
            self.done.front = self.sink.finish(&mut self.out)?;
        }
        self.done.skipped_rows = self.source.skipped();
        self.done.notes.append(&mut self.source.notes());
        self.ended = true;
        Ok(())
    }
}

fn have_same_columns(a: &Schema, b: &Schema) -> bool {
    let (a, b) = (a.fields(), b.fields());
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| a.name == b.name && a.dtype == b.dtype && renamed(a, b).is_none())
}

/// What two columns of one type name otherwise: the categories that their numbers stand for, or the slots of their vectors.
/// Rows of the one among those of the other would mean something else.
fn renamed(a: &Field, b: &Field) -> Option<&'static str> {
    let said = |field: &Field, name: &str| Some(field.annotation(name)?.value(0).to_json(JsonStyle::every_slot()));
    let differs = |name: &str| said(a, name).zip(said(b, name)).is_some_and(|(a, b)| a != b);
    if differs(Field::KEY_VALUES) {
        return Some("categories");
    }
    differs(Field::SLOT_NAMES).then_some("names of slots")
}

/// Whether rows of one table can follow those of another in one column each: the names of what their numbers stand for, where
/// both have them, are the same.
#[doc(hidden)]
pub fn name_the_same(a: &Schema, b: &Schema) -> bool {
    a.fields().iter().zip(b.fields()).all(|(a, b)| renamed(a, b).is_none())
}

/// Why a table cannot follow another one: the first difference of their columns.
fn unlike(first: &Schema, other: &Schema) -> Error {
    let pairs = first.fields().iter().zip(other.fields());
    let mut unlike = pairs.filter(|(a, b)| a.name != b.name || a.dtype != b.dtype || renamed(a, b).is_some());
    let what = match unlike.next() {
        Some((a, b)) if a.name == b.name && a.dtype == b.dtype => {
            let what = renamed(a, b).unwrap_or_default();
            let message =
                format!("the {what} are others than in the first input, so that a number means something else here");
            return Error::new(&codes::TARGET, message).column(&b.name);
        }
        Some((a, b)) if a.name == b.name => {
            let message = format!("the column is {} here, and {} in the first input", b.dtype, a.dtype);
            return Error::new(&codes::TARGET, message).column(&b.name);
        }
        Some((a, b)) => format!("there is a column {:?} where the first input has {:?}", b.name, a.name),
        None => format!("there are {} columns, and {} in the first input", other.len(), first.len()),
    };
    Error::new(&codes::TARGET, what)
}

/// The one value of a TBF that holds no table, which becomes a line of JSON and nothing else.
pub fn document_line(json: String, target: Target) -> Result<Vec<u8>> {
    if target != Target::Text(TextFormat::Jsonl) {
        let message = "this TBF holds one value rather than a table; it can be converted to .jsonl, or shown with head";
        return Err(Error::new(&ARGUMENT, message));
    }
    let mut line = json.into_bytes();
    line.push(b'\n');
    Ok(line)
}
