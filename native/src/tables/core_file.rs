//! Tables that the core reads: it plans ranges of a file and decodes them, group by group.

use std::{ops::Range, sync::Arc};

use forebay::{
    Error, Result,
    check::Report,
    filter::Filter,
    idv,
    step::{Step, Stepper, Turn},
    table::{Batch, Clock, DataType, Schema, TableRows},
    tables::{AnyTable, FileRows, TableChecker, TableKind, TableOpener},
    tbf,
};
use serde_json::{Value as Json, json};

use super::{ColumnFacts, Facts, ReadOptions, TableFormat, TableSource, side_by_side::side_by_side};
use crate::input::Input;

/// A table of which the core reads the rows.
#[derive(Debug)]
pub(super) struct CoreSource {
    input: Input,
    format: TableFormat,
    rows: FileRows,
    /// How many threads decode columns.
    workers: usize,
}

/// Columns of fewer rows are decoded sooner than a thread begins.
const ROWS_FOR_THREADS: u64 = 1 << 16;
/// The least bytes of a part that a thread reads.
const PART: u64 = 1 << 20;

impl CoreSource {
    pub fn open(input: Input, format: TableFormat, kind: TableKind, options: &ReadOptions) -> Result<CoreSource> {
        let rows = FileRows::new(Arc::new(open_core(&input, kind, options)?), options.text.batch_rows)?;
        let workers = if rows.rows().is_some_and(|rows| rows < ROWS_FOR_THREADS) { 1 } else { options.workers };
        Ok(CoreSource { input, format, rows, workers })
    }
}

impl TableRows for CoreSource {
    fn schema(&self) -> &Arc<Schema> {
        self.rows.schema()
    }
    fn rows(&self) -> Option<u64> {
        self.rows.rows()
    }
    fn select(&mut self, columns: &[usize]) -> Result<()> {
        self.rows.select(columns)
    }
    fn prune(&mut self, filter: &Filter) {
        self.rows.prune(filter);
    }

    fn step(&mut self) -> Result<Turn<Batch>> {
        let workers = self.workers;
        loop {
            let turn = self.rows.step_with(&|count, one| side_by_side((0..count).collect(), workers, |_| 0, one));
            match turn.map_err(|e: Error| e.file(self.input.name()))? {
                Turn::Need(ranges) if workers < 2 => {
                    for range in ranges {
                        self.rows.push(range.start, self.input.lend(range)?);
                    }
                }
                Turn::Need(ranges) => {
                    let parts = between_columns(self.rows.file(), ranges);
                    let lend =
                        |(part, align): (Range<u64>, u64)| Ok((part.start, self.input.lend_aligned(part, align)?));
                    let length = |(part, _): &(Range<u64>, u64)| (part.end - part.start) as usize;
                    for (start, bytes) in side_by_side(parts, workers, length, lend)? {
                        self.rows.push(start, bytes);
                    }
                }
                other => return Ok(other),
            }
        }
    }
    fn notes(&mut self) -> Vec<String> {
        self.rows.notes()
    }
}

impl TableSource for CoreSource {
    fn format(&self) -> TableFormat {
        self.format
    }
    fn facts(&self) -> Facts {
        match self.rows.file() {
            AnyTable::Idv(file) => idv_facts(file, self.schema().len()),
            AnyTable::Tbf(file) => tbf_facts(file, self.schema()),
            _ => Facts::default(),
        }
    }
}

/// Long ranges in parts that begin with a column, so that every column lies in one of them. With each part a place in the file
/// whose byte is to be aligned in memory: where the values of its longest column begin, which are then shared and not copied.
fn between_columns(file: &AnyTable, ranges: Vec<Range<u64>>) -> Vec<(Range<u64>, u64)> {
    let whole = |ranges: Vec<Range<u64>>| ranges.into_iter().map(|range| (range.clone(), range.start)).collect();
    let AnyTable::Tbf(file) = file else { return whole(ranges) };
    let Some(columns) = file.columns() else { return whole(ranges) };
    let mut chunks: Vec<_> = columns.footer().groups.iter().flat_map(|group| &group.columns).collect();
    chunks.sort_unstable_by_key(|chunk| chunk.position);
    let from = |at: u64| chunks.partition_point(|chunk| chunk.position < at);
    let values = |part: &Range<u64>| {
        let inside = chunks.get(from(part.start)..from(part.end)).unwrap_or_default();
        let longest = inside.iter().max_by_key(|chunk| chunk.length);
        longest.map_or(part.start, |chunk| chunk.position.saturating_add(chunk.values))
    };
    let mut parts = Vec::with_capacity(ranges.len());
    let mut add = |part: Range<u64>| parts.push((part.clone(), values(&part)));
    for Range { mut start, end } in ranges {
        while let Some(chunk) = chunks.get(from(start.saturating_add(PART))).filter(|chunk| chunk.position < end) {
            add(start..chunk.position);
            start = chunk.position;
        }
        add(start..end);
    }
    parts
}

/// Opens a file.
pub(super) fn open_core(input: &Input, kind: TableKind, options: &ReadOptions) -> Result<AnyTable> {
    let schema = options.tbf_schema.clone();
    let opener = TableOpener::new(kind, input.len()).with_limits(options.text.limits.clone());
    input.drive(&mut opener.with_schema(schema), |_| 0)
}

/// Every fault of a file.
pub(super) fn check_core(
    input: &Input,
    kind: TableKind,
    options: &ReadOptions,
    progress: &mut dyn FnMut(u64, Option<u64>),
) -> Result<Report> {
    let schema = options.tbf_schema.clone();
    let opener = TableOpener::new(kind, input.len()).with_limits(options.text.limits.clone());
    let mut checker = TableChecker::new(opener.with_schema(schema));
    loop {
        match checker.step()? {
            Step::Done(report) => return Ok(report),
            Step::Need(ranges) => {
                for range in ranges {
                    checker.push(range.start, input.lend(range)?);
                }
            }
        }
        progress(checker.checked(), checker.rows());
    }
}

fn tbf_facts(file: &tbf::File, schema: &Schema) -> Facts {
    let fields = schema.fields();
    let mut facts = Facts { dialect: Some(file.dialect().to_string()), ..Facts::default() };
    let encoding = |i: usize| file.encodings().get(i).map(|stored| stored.name().to_owned());
    facts.columns = (0..fields.len()).map(|i| ColumnFacts { encoding: encoding(i), ..Default::default() }).collect();
    let Some(columns) = file.columns() else { return facts };
    for (i, column) in facts.columns.iter_mut().enumerate() {
        let chunks = || columns.footer().groups.iter().filter_map(move |group| group.columns.get(i));
        column.bytes = Some(chunks().map(|c| c.length + c.validity.as_ref().map_or(0, |v| v.length)).sum());
        column.nulls = Some(chunks().map(|c| c.nulls).sum());
        let dtype = fields.get(i).map(|field| &field.dtype);
        let float = matches!(dtype, Some(DataType::F32 | DataType::F64));
        let bounds = |least: bool| {
            let mut best: Option<&Json> = None;
            for (group, chunk) in columns.footer().groups.iter().filter_map(|g| Some((g, g.columns.get(i)?))) {
                let bound = if least { &chunk.min } else { &chunk.max };
                match best {
                    // Floats without a bound are all NaN, which counts for nothing.
                    _ if bound.is_null() && (float || chunk.nulls == group.rows) => {}
                    _ if bound.is_null() => return None,
                    Some(known) if less(known, bound) == least => {}
                    _ => best = Some(bound),
                }
            }
            best.map(|bound| shown(bound, dtype))
        };
        (column.min, column.max) = (bounds(true), bounds(false));
    }
    facts.more.insert("groups".into(), json!(columns.footer().groups.len()));
    facts.more.insert("created_by".into(), json!(columns.footer().created_by));
    facts
}

/// The order of bounds as the footer has them.
fn less(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::String(a), Json::String(b)) => a < b,
        (Json::Bool(a), Json::Bool(b)) => a < b,
        _ => match (whole(a), whole(b)) {
            (Some(a), Some(b)) => a < b,
            _ => float(a) < float(b),
        },
    }
}

fn float(n: &Json) -> Option<f64> {
    match n.as_str() {
        Some("Infinity") => Some(f64::INFINITY),
        Some("-Infinity") => Some(f64::NEG_INFINITY),
        _ => n.as_f64(),
    }
}

/// A bound as the rows show it: times are text there.
fn shown(bound: &Json, dtype: Option<&DataType>) -> Json {
    let time = match (dtype, bound.as_i64()) {
        (Some(DataType::Date), Some(n)) => i32::try_from(n).ok().map(Clock::Date),
        (Some(DataType::TimestampMs), Some(n)) => Some(Clock::TimestampMs(n)),
        (Some(DataType::TimestampUs), Some(n)) => Some(Clock::TimestampUs(n)),
        _ => None,
    };
    time.map_or_else(|| bound.clone(), |time| time.to_string().into())
}

fn whole(n: &Json) -> Option<i128> {
    n.as_i64().map(i128::from).or_else(|| n.as_u64().map(i128::from))
}

fn idv_facts(file: &idv::File, fields: usize) -> Facts {
    let column = |field: usize| {
        let place = file.place(field).ok()?;
        let stored = (0..file.blocks()).filter_map(|b| file.entry(place, b).ok()).map(|e| u64::from(e.stored_bytes));
        let (_, live) = file.live(place).ok()?;
        // Only keys have a value that means "missing"; how many there are shows when they are read.
        let nulls = if live.codec.item.key_count.is_some() { None } else { Some(0) };
        let encoding = Some(live.packing.name().to_owned());
        Some(ColumnFacts { encoding, bytes: Some(stored.sum()), nulls, ..Default::default() })
    };
    let mut facts = Facts { columns: (0..fields).map(|f| column(f).unwrap_or_default()).collect(), ..Facts::default() };
    facts.more.insert("version".into(), json!(idv::raw::version_text(file.header.version)));
    facts.more.insert("blocks".into(), json!(file.blocks()));
    facts.more.insert("rows_per_block".into(), json!(file.rows_per_block));
    facts
}
