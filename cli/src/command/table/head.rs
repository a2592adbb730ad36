//! `forebay head` of a table: rows as a text table, or one JSON object a line.

use std::{
    collections::{BTreeSet, HashSet},
    path::Path,
};

use forebay::{
    Result,
    table::{Batch, JsonStyle, Row},
};
use forebay_native::{
    input::display,
    tables::{ReadOptions, Scan, Scanned, document, open},
};

use crate::{
    exit::Outcome,
    human,
    output::{Output, printable},
};

/// Characters of a cell that are shown.
const CELL: usize = 40;

/// What to show.
pub(in crate::command) struct Wanted {
    pub n: u64,
    pub skip: u64,
    pub sparse: bool,
}

pub(in crate::command) fn run(
    path: &Path,
    read: &ReadOptions,
    scan: &Scan,
    wanted: &Wanted,
    out: &Output,
) -> Result<Outcome> {
    if let Some(json) = document(path, read)? {
        out.raw(json);
        return Ok(Outcome::Fine);
    }
    let mut read = read.clone();
    let last = wanted.skip.saturating_add(wanted.n);
    if scan.filter.is_none() {
        // Few rows are asked for; many need not be decoded at once.
        read.first_rows = usize::try_from(last).ok();
        read.text.batch_rows = read.text.batch_rows.min(usize::try_from(last).unwrap_or(usize::MAX)).max(1);
    }
    let mut rows = Scanned::new(open(path, &read)?, scan).map_err(|e| e.file(display(path)))?;
    let style = if wanted.sparse { JsonStyle::sparse() } else { JsonStyle::default() };
    let (mut at, mut table) = (0u64, Vec::new());
    while at < last {
        let Some(batch) = rows.next_batch()? else { break };
        for row in batch.iter() {
            if at >= wanted.skip && at < last {
                if out.json() {
                    out.raw(row.to_json(style));
                } else {
                    table.push(cells(at, &row, style));
                }
            }
            at += 1;
        }
    }
    if !out.json() {
        print(&Batch::with_rows(rows.schema().clone(), empty(&rows)?, 0)?, &table, out);
    }
    if out.json() {
        repeated(&rows).iter().for_each(|name| out.note(format!("note: several columns are called {name:?}")));
    }
    rows.source().notes().iter().for_each(|note| out.note(format!("note: {note}")));
    Ok(if rows.source().skipped() > 0 { Outcome::Damaged } else { Outcome::Fine })
}

/// Names that an object would have more than once.
fn repeated(rows: &Scanned) -> BTreeSet<String> {
    let mut seen = HashSet::new();
    let fields = rows.schema().fields().iter();
    fields.filter(|f| !seen.insert(f.name.as_str())).map(|f| f.name.clone()).collect()
}

fn empty(rows: &Scanned) -> Result<Vec<forebay::table::Column>> {
    let fields = rows.schema().fields().iter();
    fields.map(|f| forebay::table::ColumnBuilder::new(&f.dtype).finish()).collect()
}

fn cells(i: u64, row: &Row<'_>, style: JsonStyle) -> Vec<String> {
    let number = std::iter::once(human::count(i));
    number.chain(row.cells().map(|(_, value)| short(&value.to_json(style)))).collect()
}

/// A cell for people: text without its quotes, long ones cut.
fn short(json: &str) -> String {
    let text = match serde_json::from_str::<String>(json) {
        Ok(text) if json.starts_with('"') => text,
        _ => json.to_owned(),
    };
    match text.char_indices().nth(CELL) {
        Some((end, _)) => format!("{}...", printable(&text[..end])),
        None => printable(&text),
    }
}

fn print(empty: &Batch, rows: &[Vec<String>], out: &Output) {
    let fields = empty.schema().fields();
    let titles: Vec<String> =
        std::iter::once("#".to_owned()).chain(fields.iter().map(|f| printable(&f.name))).collect();
    let all: Vec<&Vec<String>> = std::iter::once(&titles).chain(rows).collect();
    let width = |i: usize| all.iter().filter_map(|r| r.get(i)).map(|c| c.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..titles.len()).map(width).collect();
    let right = |i: usize| match i.checked_sub(1).and_then(|i| fields.get(i)) {
        None => true,
        Some(field) => field.dtype.is_integer() || matches!(field.dtype.to_string().as_str(), "f32" | "f64"),
    };
    for row in all {
        let cells = row.iter().zip(&widths).enumerate().map(|(i, (cell, &w))| match right(i) {
            true => format!("{cell:>w$}"),
            false => format!("{cell:<w$}"),
        });
        out.line(cells.collect::<Vec<_>>().join("  ").trim_end());
    }
}
