//! A table from one format to another, batch by batch.

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use forebay::{
    Error, Result,
    error::codes::ARGUMENT,
    filter::Filter,
    step::Turn,
    table::{Batch, DataType, Field, JsonStyle, Schema, columns_first},
    tables::{Conversion, Converted, DOCUMENT_NOTE, Losses, document_line},
    text::same_json,
};
use serde::Serialize;

use super::{
    FileWriter, ReadOptions, Scan, TableFormat, TableOutput, TableRows, TableSink, TableSource, TableSpec,
    WriteOptions, document, open,
    packing::text_file,
    route::{create_for, table_format},
    scan::advised,
};
use crate::{
    convert::{self, Progress},
    input::{PIPE, display, file_len, is_pipe},
    parallel::all_cores,
};

/// A conversion of tables: inputs and settings.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TableJob {
    /// The inputs, one after the other; all of the same columns.
    pub inputs: Vec<PathBuf>,
    /// How they are read.
    pub read: ReadOptions,
    /// Which columns and rows are wanted.
    pub scan: Scan,
    /// How the output is written.
    pub write: WriteOptions,
    /// Replace an output that exists.
    pub force: bool,
    /// Make the bytes durable before the output appears.
    pub sync: bool,
    /// Read every row back before the output appears.
    pub verify: bool,
}

/// The result of a conversion.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TableConvertSummary"))]
#[non_exhaustive]
pub struct TableSummary {
    /// The inputs as the user named them.
    pub inputs: Vec<String>,
    /// The output as the user named it.
    pub output: String,
    /// The format that was written.
    pub format: &'static str,
    /// How many rows were written.
    pub rows: u64,
    /// How many columns.
    pub columns: usize,
    /// Bytes of the inputs; 0 for a pipe.
    pub input_bytes: u64,
    /// Bytes of the output.
    pub output_bytes: u64,
    /// Bad rows that were left out.
    pub skipped_rows: u64,
    /// Rows that were read back equal.
    pub verified: u64,
    /// Values changed to fit the target, and other remarks.
    pub notes: Vec<String>,
}

/// What was written can only be read back from a file.
pub(super) fn cannot_verify() -> Error {
    Error::new(&ARGUMENT, "the output of a pipe cannot be read back").with_options(&["verify"])
}

impl TableJob {
    /// Converts with the defaults of the format.
    pub fn new(inputs: Vec<PathBuf>, format: TableFormat) -> TableJob {
        TableJob {
            inputs,
            read: ReadOptions { workers: all_cores(), ..ReadOptions::default() },
            scan: Scan::default(),
            write: WriteOptions::new(format),
            force: false,
            sync: true,
            verify: false,
        }
    }

    /// Writes `output`. Until it is whole, nothing is there.
    pub fn run(&self, output: &Path) -> Result<TableSummary> {
        self.run_with(output, &mut |_| {})
    }

    /// As [`run`](Self::run), telling how far it is after every batch.
    pub fn run_with(&self, output: &Path, progress: &mut dyn FnMut(&Progress)) -> Result<TableSummary> {
        let mut summary = self.run_as_named(output, progress)?;
        summary.notes.extend(self.said_by_folders());
        Ok(summary)
    }

    /// What names of folders say of their files, as Hive and others lay out tables, and nothing here reads.
    fn said_by_folders(&self) -> Option<String> {
        let names: Vec<String> = self.inputs.iter().map(|path| display(path)).collect();
        let folders = names.iter().filter_map(|name| Some(name.rsplit_once(['/', '\\'])?.0));
        let said: BTreeSet<&str> = folders
            .flat_map(|folders| folders.split(['/', '\\']))
            .filter_map(|folder| folder.split_once('=').map(|(key, _)| key))
            .filter(|key| !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')))
            .collect();
        let keys = said.into_iter().map(|key| format!("{key:?}")).collect::<Vec<_>>().join(", ");
        (!keys.is_empty())
            .then(|| format!("folders are named by {keys}, which becomes no column unless the files have it"))
    }

    fn run_as_named(&self, output: &Path, progress: &mut dyn FnMut(&Progress)) -> Result<TableSummary> {
        if self.verify && (display(output) == PIPE || self.inputs.iter().any(|p| is_pipe(p))) {
            let message = "to verify an output both files are read again, which pipes cannot do";
            return Err(Error::new(&ARGUMENT, message).with_options(&["verify"]));
        }
        if let [only] = &self.inputs[..]
            && let Some(json) = document(only, &self.read)?
        {
            return self.run_of_value(json, output);
        }
        #[cfg(feature = "arrow")]
        if let Some(same) = super::same::Same::of(self)? {
            return same.run(output, progress);
        }
        let rows = Inputs::new(self)?;
        let total = rows.rows().filter(|_| self.inputs.len() == 1 && self.scan.filter.is_none());
        let (done, sink) =
            self.drive(rows, Output { job: self, path: output, total, progress, file: None, rows: 0 })?;
        let mut summary = self.summary(output);
        (summary.rows, summary.columns, summary.skipped_rows) = (done.rows, done.columns, done.skipped_rows);
        summary.notes = done.notes;
        if self.read.samples {
            let message = "the table has what is known of each sample, and no images: these stay where they are";
            summary.notes.push(message.to_owned());
        }
        let writer = sink.file.ok_or_else(columns_first)?.finish();
        self.put_in_place(writer.map_err(|e| e.file(display(output)))?, &mut summary, |written| {
            let back = ReadBack { job: self, written, output, source: None, left: None, row: 0 };
            self.drive(Inputs::new(self)?, back).map(|(_, back)| back.row)
        })?;
        Ok(summary)
    }

    /// Writes the one value of a file that holds no table.
    fn run_of_value(&self, json: String, output: &Path) -> Result<TableSummary> {
        let line = document_line(json, self.write.core.target)?;
        let mut writer = text_file(output, self.force, self.write.format, self.write.level, self.verify)?;
        writer.append(&line)?;
        let mut summary = self.summary(output);
        summary.notes.push(DOCUMENT_NOTE.to_owned());
        self.put_in_place(writer, &mut summary, |_| Ok(0))?;
        Ok(summary)
    }

    /// What is known before.
    pub(super) fn summary(&self, output: &Path) -> TableSummary {
        let sizes = self.inputs.iter().filter_map(|path| file_len(path));
        TableSummary {
            inputs: self.inputs.iter().map(|p| display(p)).collect(),
            output: display(output),
            format: self.write.format.name(),
            input_bytes: sizes.sum(),
            ..TableSummary::default()
        }
    }

    /// Lets the output appear, read back where that is wanted.
    pub(super) fn put_in_place(
        &self,
        mut writer: FileWriter,
        summary: &mut TableSummary,
        verify: impl FnOnce(&Path) -> Result<u64>,
    ) -> Result<()> {
        writer.end()?;
        summary.output_bytes = writer.bytes();
        let file = writer.into_file()?;
        if self.verify {
            let path = file.path().ok_or_else(cannot_verify)?;
            summary.verified = verify(path)?;
        }
        file.commit(self.sync)
    }

    /// Runs a conversion to its end.
    fn drive<W: TableSink>(&self, rows: Inputs<'_>, sink: W) -> Result<(Converted, W)> {
        let mut work = Conversion::over(rows, sink, self.scan.clone(), self.write.core.target, self.write.core.lossy);
        match work.step() {
            Ok(Turn::Done) => Ok(work.into_parts()),
            // Both sides have their files themselves: nothing is needed of anybody, and nothing waits to be taken.
            Ok(Turn::Need(_) | Turn::Item(())) => Err(columns_first()),
            Err(e) => {
                let source = work.source();
                Err(advised(e, &*source.current).file(source.name()))
            }
        }
    }
}

/// The inputs, one after the other.
struct Inputs<'a> {
    job: &'a TableJob,
    current: Box<dyn TableSource>,
    /// Its columns, as all inputs have them: a value may be missing where one of the inputs says so.
    schema: Arc<Schema>,
    /// For each input behind the first the columns without missing values; not known of those that cannot be looked at before.
    complete: Vec<Option<HashSet<String>>>,
    /// Whether one of them was text, of which types can be given.
    texts: bool,
    next: usize,
    losses: Option<Losses>,
    skipped: u64,
    notes: Vec<String>,
}

impl<'a> Inputs<'a> {
    fn new(job: &'a TableJob) -> Result<Inputs<'a>> {
        let Some(first) = job.inputs.first() else { return Err(Error::new(&ARGUMENT, "there is no input")) };
        let current = open(first, &job.read)?;
        let texts = current.format().is_text();
        // The others are looked at only if it matters.
        let others = match current.schema().fields().iter().all(|field| field.nullable) {
            true => &[],
            false => job.inputs.get(1..).unwrap_or_default(),
        };
        let complete = others.iter().map(|path| complete_columns(path, &job.read)).collect();
        let (schema, notes) = (current.schema().clone(), Vec::new());
        let mut inputs = Inputs { job, current, schema, complete, texts, next: 1, losses: None, skipped: 0, notes };
        inputs.see_columns()?;
        Ok(inputs)
    }

    /// Takes the columns from the input that is read.
    fn see_columns(&mut self) -> Result<()> {
        self.schema = self.current.schema().clone();
        let complete = &self.complete;
        let is_whole =
            |field: &Field| complete.iter().all(|names| names.as_ref().is_some_and(|n| n.contains(&field.name)));
        if self.schema.fields().iter().any(|field| !field.nullable && !is_whole(field)) {
            let wider = |field: &Field| if is_whole(field) { field.clone() } else { field.clone().nullable() };
            self.schema = Arc::new(Schema::new(self.schema.fields().iter().map(wider).collect())?);
        }
        Ok(())
    }

    /// The one that is read.
    fn name(&self) -> String {
        self.job.inputs.get(self.next - 1).map(|path| display(path)).unwrap_or_default()
    }
}

/// The names of the columns in which no value may be missing, of a file that can be asked without being read; what is wrong with
/// it is said in its turn.
fn complete_columns(path: &Path, read: &ReadOptions) -> Option<HashSet<String>> {
    if read.samples || is_pipe(path) || read.format.or(table_format(path).ok()?)?.is_text() {
        return None;
    }
    let source = open(path, read).ok()?;
    Some(source.schema().fields().iter().filter(|field| !field.nullable).map(|field| field.name.clone()).collect())
}

impl TableRows for Inputs<'_> {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
    fn rows(&self) -> Option<u64> {
        self.current.rows()
    }
    fn select(&mut self, columns: &[usize]) -> Result<()> {
        self.current.select(columns)?;
        self.see_columns()
    }
    fn prune(&mut self, filter: &Filter) {
        self.current.prune(filter);
    }
    fn step(&mut self) -> Result<Turn<Batch>> {
        self.current.step()
    }

    fn look(&mut self, wanted: &Batch) -> Result<()> {
        let write = &self.job.write.core;
        let begin = || Losses::new(self.current.foreign(), wanted.schema(), write.target, write.lossy);
        self.losses.get_or_insert_with(begin).look(wanted)
    }

    fn next_table(&mut self) -> Result<bool> {
        self.skipped += self.current.skipped();
        self.notes.append(&mut self.current.notes());
        self.notes.extend(self.losses.take().into_iter().flat_map(|losses| losses.notes()));
        let Some(path) = self.job.inputs.get(self.next) else { return Ok(false) };
        self.current = open(path, &self.job.read)?;
        self.see_columns()?;
        self.texts |= self.current.format().is_text();
        self.next += 1;
        Ok(true)
    }

    fn notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }
    fn takes_types(&self) -> bool {
        self.texts
    }
    fn skipped(&self) -> u64 {
        self.skipped
    }
}

/// The output, which is there once the columns are known.
struct Output<'a> {
    job: &'a TableJob,
    path: &'a Path,
    total: Option<u64>,
    progress: &'a mut dyn FnMut(&Progress),
    file: Option<TableOutput>,
    rows: u64,
}

impl TableSink for Output<'_> {
    fn begin(&mut self, schema: &Arc<Schema>, _: &mut Vec<u8>) -> Result<()> {
        let file = self.file.insert(create_for(self.path, self.job.force, &self.job.write, self.job.verify)?);
        file.begin(schema).map_err(|e| e.file(display(self.path)))
    }

    fn rows_at_once(&self) -> usize {
        self.file.as_ref().map_or(usize::MAX, TableOutput::rows_at_once)
    }

    fn push(&mut self, batch: &Batch, _: &mut Vec<u8>) -> Result<()> {
        let file = self.file.as_mut().ok_or_else(columns_first)?;
        file.write(batch).map_err(|e| e.file(display(self.path)))?;
        self.rows += batch.rows() as u64;
        (self.progress)(&Progress { samples: self.rows, total: self.total, ..Progress::default() });
        Ok(())
    }

    fn finish(&mut self, _: &mut Vec<u8>) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }
}

/// What was written, compared with the rows that were to be written.
struct ReadBack<'a> {
    job: &'a TableJob,
    written: &'a Path,
    output: &'a Path,
    source: Option<Box<dyn TableSource>>,
    /// Rows that were read and not compared.
    left: Option<Batch>,
    row: u64,
}

impl ReadBack<'_> {
    /// The next rows that were written; a group without rows makes no difference.
    fn next(&mut self) -> Result<Option<Batch>> {
        let source = self.source.as_mut().ok_or_else(columns_first)?;
        while self.left.as_ref().is_none_or(|batch| batch.rows() == 0) {
            self.left = source.next_batch()?;
            if self.left.is_none() {
                break;
            }
        }
        Ok(self.left.take())
    }

    fn compare(&mut self, batch: &Batch) -> Result<()> {
        let mut at = 0;
        while at < batch.rows() {
            let Some(found) = self.next()? else { return Err(self.not_as_many()) };
            let n = found.rows().min(batch.rows() - at);
            if let Some((row, column)) = difference(&batch.slice(at, n), &found.slice(0, n)) {
                return Err(differ(self.row + row as u64, "a cell").column(column));
            }
            (at, self.row) = (at + n, self.row + n as u64);
            self.left = Some(found.slice(n, found.rows() - n));
        }
        Ok(())
    }

    fn not_as_many(&self) -> Error {
        differ(self.row, "there are not as many rows as were written")
    }
}

impl TableSink for ReadBack<'_> {
    fn begin(&mut self, schema: &Arc<Schema>, _: &mut Vec<u8>) -> Result<()> {
        let write = &self.job.write;
        let (mut read, csv) = (ReadOptions::default(), &write.core.csv);
        read.format = Some(write.format);
        (read.text.header, read.text.delimiter, read.text.null) = (csv.header, Some(csv.delimiter), csv.null.clone());
        read.text.spec = write.format.is_text().then(|| TableSpec::from(&**schema));
        self.source = Some(open(self.written, &read).map_err(|e| e.file(display(self.output)))?);
        Ok(())
    }

    fn push(&mut self, batch: &Batch, _: &mut Vec<u8>) -> Result<()> {
        self.compare(batch).map_err(|e| e.file(display(self.output)))
    }

    fn finish(&mut self, _: &mut Vec<u8>) -> Result<Option<Vec<u8>>> {
        let rest = self.next().and_then(|rest| rest.map_or(Ok(None), |_| Err(self.not_as_many())));
        rest.map_err(|e| e.file(display(self.output)))
    }
}

/// A row that does not read back as it was written.
pub(super) fn differ(row: u64, what: &str) -> Error {
    Error::new(&convert::codes::VERIFY, format!("the row reads back differently: {what}")).row(row)
}

/// The first cell that differs. What is the same in JSON is the same: formats differ in whether vectors are
/// sparse, and text has only one NaN.
pub(super) fn difference(a: &Batch, b: &Batch) -> Option<(usize, String)> {
    for ((x, y), field) in a.columns().iter().zip(b.columns()).zip(a.schema().fields()) {
        if x == y {
            continue;
        }
        let json = |c: &forebay::table::Column, i: usize| c.value(i).to_json(JsonStyle::every_slot());
        let is_json = [x, y].iter().any(|column| *column.dtype() == DataType::Json);
        let same = |i: usize| {
            x.value(i).same(&y.value(i)) || {
                let (a, b) = (json(x, i), json(y, i));
                a == b || is_json && same_json(&a, &b)
            }
        };
        if let Some(row) = (0..x.len()).find(|&i| !same(i)) {
            return Some((row, field.name.clone()));
        }
    }
    (a.columns().len() != b.columns().len()).then(|| (0, "their number".into()))
}
