//! `forebay stats` of tables: what the values of each column are like.

use std::{path::PathBuf, sync::Arc};

use forebay::{Error, Result, error::codes::ARGUMENT, table::Schema, tables::name_the_same};
use forebay_native::{
    input::display,
    tables::{
        ReadOptions, Scan, Scanned, open,
        summary::{ColumnSummary, Summary},
    },
};
use serde::Serialize;

use crate::{
    exit::Outcome,
    human,
    output::{Output, printable},
};

/// Different numbers of a column up to which each is listed.
const NAMED: u64 = 12;

pub(in crate::command) fn run(files: &[PathBuf], read: &ReadOptions, scan: &Scan, out: &Output) -> Result<Outcome> {
    let mut all: Option<(Summary, Arc<Schema>)> = None;
    let (mut skipped, mut notes) = (0, Vec::new());
    for path in files {
        let named = |e: Error| e.file(display(path));
        let mut rows = Scanned::new(open(path, read)?, scan).map_err(named)?;
        let schema = rows.schema().clone();
        let (summary, first) = all.get_or_insert_with(|| (Summary::new(schema.fields()), schema.clone()));
        let pairs = || first.fields().iter().zip(schema.fields());
        let same = first.len() == schema.len()
            && pairs().all(|(a, b)| a.name == b.name && a.dtype == b.dtype)
            && name_the_same(first, &schema);
        if !same {
            return Err(named(Error::new(&ARGUMENT, "its columns or types are not those of the first file")));
        }
        while let Some(batch) = rows.next_batch().map_err(named)? {
            summary.add(&batch);
        }
        skipped += rows.source().skipped();
        notes.append(&mut rows.source().notes());
    }
    let Some((summary, _)) = all else { return Ok(Outcome::Fine) };
    let outcome = if skipped > 0 { Outcome::Damaged } else { Outcome::Fine };
    let report = summary.report();
    if out.json() {
        out.value(&Counted { rows: summary.rows(), skipped_rows: skipped, columns: report, notes });
        return Ok(outcome);
    }
    out.line(format!("rows      {}", human::count(summary.rows())));
    if skipped > 0 {
        out.line(format!("skipped   {} bad rows", human::count(skipped)));
    }
    report.iter().for_each(|column| print(column, out));
    notes.iter().for_each(|note| out.line(format!("note      {}", printable(note))));
    Ok(outcome)
}

/// What the values of a table are like.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TableStats"))]
pub(in crate::command) struct Counted {
    /// Rows that were counted.
    rows: u64,
    /// Bad rows of a text that were left out.
    skipped_rows: u64,
    /// One for each column.
    columns: Vec<ColumnSummary>,
    /// Things worth knowing.
    notes: Vec<String>,
}

fn print(column: &ColumnSummary, out: &Output) {
    let row = |label: &str, value: String| out.line(format!("  {label:<10}{value}"));
    let shown = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => printable(text),
        other => other.to_string(),
    };
    out.line(format!("\n{}  {}", printable(&column.name), column.dtype));
    let nan = column.nan.filter(|n| *n > 0).map(|n| format!(", {} NaN", human::count(n))).unwrap_or_default();
    row("values", format!("{}, {} missing{nan}", human::count(column.count), human::count(column.nulls)));
    if let (Some(min), Some(max)) = (&column.min, &column.max) {
        let mean = column.mean.map(|m| format!(", mean {m}")).unwrap_or_default();
        row("range", format!("{} to {}{mean}", shown(min), shown(max)));
    }
    match (column.distinct, column.distinct_at_least) {
        (Some(n), _) => row("distinct", human::count(n)),
        (_, Some(n)) => row("distinct", format!("more than {}", human::count(n))),
        _ => {}
    }
    // Of numbers that are many their spread says more.
    let named = column.histogram.is_empty() || column.distinct.is_some_and(|n| n <= NAMED);
    for (value, n) in column.top.iter().filter(|_| named) {
        row("", format!("{:>10}  {}", human::count(*n), shown(value)));
    }
    let most = column.histogram.iter().map(|b| b.count).max().unwrap_or(0).max(1);
    for bucket in &column.histogram {
        let bar = "#".repeat((bucket.count as f64 / most as f64 * 40.0).ceil() as usize);
        row("", format!("{:>14}  {:>10}  {bar}", edge(bucket.from), human::count(bucket.count)));
    }
}

/// The edge of a bucket: a round number, with its power of ten where that is shorter.
fn edge(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || (1e-6..1e15).contains(&size) { x.to_string() } else { format!("{x:e}") }
}
