//! Tables that the core reads: it plans ranges of a mapped file and decodes them, group by group.

use std::sync::Arc;

use forebay::{
    Error, Result,
    check::Report,
    filter::Filter,
    idv,
    step::{Pieces, Step, Stepper, drive},
    table::{Batch, Schema, TableFile},
    tbf,
};
use serde_json::{Value as Json, json};

use super::{ColumnFacts, Facts, ReadOptions, TableFormat, TableSource};
use crate::input::Input;

/// What is open.
#[derive(Debug)]
enum Opened {
    Idv(Box<idv::File>),
    Tbf(Box<tbf::File>),
}

impl Opened {
    fn table(&self) -> Result<&dyn TableFile> {
        match self {
            Opened::Idv(file) => Ok(&**file),
            Opened::Tbf(file) => file.table(),
        }
    }
}

/// A mapped table that is read group by group.
#[derive(Debug)]
pub(super) struct CoreSource {
    input: Input,
    opened: Opened,
    schema: Arc<Schema>,
    /// The wanted columns, by their number in the file.
    columns: Vec<usize>,
    group: usize,
    filter: Option<Filter>,
    /// Rows that were decoded and not handed on.
    left: Option<Batch>,
    batch_rows: usize,
}

impl CoreSource {
    pub fn idv(input: Input, options: &ReadOptions) -> Result<CoreSource> {
        let opener = idv::Opener::new(input.len()).limits(options.limits.clone());
        let file = drive(opener, input.bytes())?;
        Self::new(input, Opened::Idv(Box::new(file)), options)
    }

    pub fn tbf(input: Input, options: &ReadOptions) -> Result<CoreSource> {
        let file = open_tbf(&input, options)?;
        Self::new(input, Opened::Tbf(Box::new(file)), options)
    }

    fn new(input: Input, opened: Opened, options: &ReadOptions) -> Result<CoreSource> {
        let schema = opened.table()?.schema().clone();
        let columns = (0..schema.len()).collect();
        let batch_rows = options.batch_rows.max(1);
        Ok(CoreSource { input, opened, schema, columns, group: 0, filter: None, left: None, batch_rows })
    }

    fn decode(&self, group: usize) -> Result<Batch> {
        let table = self.opened.table()?;
        let mut pieces = Pieces::default();
        for range in table.plan(group, &self.columns)? {
            pieces.push(range.start, self.input.slice(range)?);
        }
        table.decode(group, &self.columns, &pieces)
    }

    fn next_group(&mut self) -> Result<Option<Batch>> {
        let table = self.opened.table()?;
        while self.group < table.groups() {
            let group = self.group;
            self.group += 1;
            if self.filter.as_ref().is_none_or(|f| table.may_match(group, f)) {
                return self.decode(group).map(Some);
            }
        }
        Ok(None)
    }
}

impl TableSource for CoreSource {
    fn format(&self) -> TableFormat {
        match self.opened {
            Opened::Idv(_) => TableFormat::Idv,
            Opened::Tbf(_) => TableFormat::Tbf,
        }
    }
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
    fn rows(&self) -> Option<u64> {
        self.opened.table().ok().map(TableFile::rows)
    }

    fn select(&mut self, columns: &[usize]) -> Result<()> {
        self.schema = self.opened.table()?.schema().project(columns)?;
        self.columns = columns.to_vec();
        Ok(())
    }
    fn prune(&mut self, filter: &Filter) {
        self.filter = Some(filter.clone());
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        let whole = match self.left.take() {
            Some(left) => left,
            None => match self.next_group().map_err(|e: Error| e.file(self.input.name()))? {
                Some(batch) => batch,
                None => return Ok(None),
            },
        };
        if whole.rows() > self.batch_rows {
            self.left = Some(whole.slice(self.batch_rows, whole.rows() - self.batch_rows));
        }
        Ok(Some(whole.slice(0, self.batch_rows)))
    }

    fn facts(&self) -> Facts {
        match &self.opened {
            Opened::Idv(file) => idv_facts(file, self.schema.len()),
            Opened::Tbf(file) => tbf_facts(file, self.schema.len()),
        }
    }
    fn notes(&mut self) -> Vec<String> {
        match &self.opened {
            Opened::Idv(file) => file.notes.iter().map(|note| note.message.clone()).collect(),
            Opened::Tbf(file) if !file.is_uniform() => {
                vec!["the objects differ in their keys or the order of these; missing ones read as null".into()]
            }
            Opened::Tbf(_) => Vec::new(),
        }
    }
}

/// Opens a file of any layout.
pub(super) fn open_tbf(input: &Input, options: &ReadOptions) -> Result<tbf::File> {
    let mut opener = tbf::Opener::new(input.len()).limits(options.limits.clone());
    if let Some(schema) = &options.tbf_schema {
        opener = opener.schema(schema.clone());
    }
    drive(opener, input.bytes())
}

/// Every fault of a TBF.
pub(super) fn check_tbf(input: &Input, options: &ReadOptions, progress: &mut dyn FnMut(u64, u64)) -> Result<Report> {
    let file = open_tbf(input, options)?;
    let rows = file.table().map_or(0, TableFile::rows);
    let mut checker = tbf::Checker::new(file);
    loop {
        match checker.step()? {
            Step::Done(report) => return Ok(report),
            Step::Need(ranges) => {
                for range in ranges {
                    checker.push(range.start, input.slice(range)?);
                }
            }
        }
        progress(checker.checked(), rows);
    }
}

fn tbf_facts(file: &tbf::File, fields: usize) -> Facts {
    let mut facts = Facts { dialect: Some(file.dialect().to_string()), ..Facts::default() };
    let encoding = |i: usize| file.encodings().get(i).map(|stored| stored.name().to_owned());
    facts.columns = (0..fields).map(|i| ColumnFacts { encoding: encoding(i), ..Default::default() }).collect();
    let Some(columns) = file.columns() else { return facts };
    for (i, column) in facts.columns.iter_mut().enumerate() {
        let chunks = || columns.footer().groups.iter().filter_map(move |group| group.columns.get(i));
        column.bytes = Some(chunks().map(|c| c.length + c.validity.as_ref().map_or(0, |v| v.length)).sum());
        column.nulls = Some(chunks().map(|c| c.nulls).sum());
        let bounds = |least: bool| {
            let known = chunks().map(|c| if least { &c.min } else { &c.max }).filter(|bound| !bound.is_null());
            known.cloned().reduce(|a, b| if less(&a, &b) == least { a } else { b })
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
            _ => a.as_f64() < b.as_f64(),
        },
    }
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
