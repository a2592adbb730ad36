//! `forebay inspect` of a table: columns, types, rows, encodings, sizes, statistics.

use std::{collections::HashMap, path::Path};

use forebay::Result;
use forebay_native::{
    input::{display, file_len},
    tables::{
        ColumnFacts, Facts, ReadOptions, TableFormat, TableSource, document, leave_out_unread, open, summary::Summary,
    },
};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::{
    exit::Outcome,
    human,
    output::{Output, printable},
};

pub(in crate::command) fn run(path: &Path, read: &ReadOptions, out: &Output) -> Result<Outcome> {
    let found = match document(path, read)? {
        Some(json) => nested(path, &json),
        None => facts(path, read, out)?,
    };
    if out.json() {
        out.value(&found);
    } else {
        print(&serde_json::to_value(&found).unwrap_or_default(), out);
    }
    Ok(if found.skipped_rows > Some(0) { Outcome::Damaged } else { Outcome::Fine })
}

/// A table as its file describes it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "InspectTable"))]
pub(in crate::command) struct Inspected {
    /// The file.
    file: String,
    /// Its format.
    format: &'static str,
    /// Bytes of the file; null of a pipe.
    bytes: Option<u64>,
    /// The layout, if the format has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    dialect: Option<String>,
    /// How many rows; null of a TBF that holds one value.
    rows: Option<u64>,
    /// Bad rows of a text that were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped_rows: Option<u64>,
    /// What only this format says of itself, such as `groups` or `created_by`.
    #[serde(flatten)]
    more: Map<String, Value>,
    /// The columns.
    columns: Vec<Column>,
    /// Bytes of the only value, as JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    document_bytes: Option<usize>,
    /// Things worth knowing.
    #[serde(skip_serializing_if = "Option::is_none")]
    notes: Option<Vec<String>>,
}

/// A column; null is what is not known.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "InspectedColumn"))]
struct Column {
    /// Its name.
    name: String,
    /// Its type.
    #[serde(rename = "type")]
    dtype: String,
    /// Whether values may be missing.
    nullable: bool,
    #[serde(flatten)]
    facts: ColumnFacts,
    /// The names of what else is known of it.
    annotations: Vec<String>,
}

fn begin(path: &Path, format: TableFormat) -> Inspected {
    Inspected {
        file: display(path),
        format: format.name(),
        bytes: file_len(path),
        dialect: None,
        rows: None,
        skipped_rows: None,
        more: Map::new(),
        columns: Vec::new(),
        document_bytes: None,
        notes: None,
    }
}

/// A TBF that holds a value rather than a table.
fn nested(path: &Path, json: &str) -> Inspected {
    let found = begin(path, TableFormat::Tbf);
    Inspected { dialect: Some("T".into()), document_bytes: Some(json.len()), ..found }
}

/// What the file says of itself; formats that say nothing are read from front to back.
fn facts(path: &Path, read: &ReadOptions, out: &Output) -> Result<Inspected> {
    let mut source = open(path, read)?;
    let mut found = begin(path, source.format());
    let Facts { dialect, columns, more, .. } = source.facts();
    (found.dialect, found.more) = (dialect, more);
    let fields = source.schema().clone();
    let unread: HashMap<usize, String> = source.unread().iter().cloned().collect();
    let (read, mut said) = leave_out_unread(&mut *source)?;
    let counted = match source.rows() {
        Some(_) => None,
        None => Some(count(&mut *source)?),
    };
    found.rows = source.rows().or(counted.as_ref().map(Summary::rows));
    found.skipped_rows = source.format().is_text().then(|| source.skipped());
    let report = counted.map(|summary| summary.report());
    let places: HashMap<usize, usize> = read.iter().enumerate().map(|(place, &column)| (column, place)).collect();
    let described = fields.fields().iter().enumerate().map(|(i, field)| {
        let mut facts = columns.get(i).cloned().unwrap_or_default();
        let seen = report.as_ref().zip(places.get(&i)).and_then(|(r, &place)| r.get(place));
        let dtype = match unread.get(&i) {
            Some(what) => format!("not read: {}", what.strip_prefix("Arrow's type ").unwrap_or(what)),
            None => field.dtype.to_string(),
        };
        facts.nulls = facts.nulls.or(seen.map(|s| s.nulls));
        facts.min = facts.min.or_else(|| seen.and_then(|s| s.min.clone()));
        facts.max = facts.max.or_else(|| seen.and_then(|s| s.max.clone()));
        let annotations = field.metadata.iter().map(|a| a.name.clone()).collect();
        Column { name: field.name.clone(), dtype, nullable: field.nullable, facts, annotations }
    });
    found.columns = described.collect();
    said.append(&mut source.notes());
    found.notes = Some(said);
    if out.verbose() {
        out.note(format!("{}: opened", display(path)));
    }
    Ok(found)
}

fn count(source: &mut dyn TableSource) -> Result<Summary> {
    let mut summary = Summary::new(source.schema().clone().fields());
    while let Some(batch) = source.next_batch()? {
        summary.add(&batch);
    }
    Ok(summary)
}

fn print(facts: &Value, out: &Output) {
    let text = |key: &str| facts[key].as_str().unwrap_or_default();
    let row = |label: &str, value: String| out.line(format!("  {label:<15}{value}"));
    out.line(printable(text("file")));
    match text("dialect") {
        "" => row("format", text("format").to_uppercase()),
        dialect => row("format", format!("{}, layout {dialect}", text("format").to_uppercase())),
    }
    match facts["rows"].as_u64() {
        Some(rows) => row("rows", human::count(rows)),
        None => row("rows", "none: this is one value, which head shows as JSON".into()),
    }
    if let Some(bytes) = facts["bytes"].as_u64() {
        row("size", format!("{} ({} bytes)", human::bytes(bytes), human::count(bytes)));
    }
    for key in ["version", "groups", "blocks", "rows_per_block", "created_by", "skipped_rows"] {
        match &facts[key] {
            Value::Null => {}
            Value::String(text) => row(&key.replace('_', " "), printable(text)),
            Value::Number(n) if n.as_u64() == Some(0) => {}
            other => row(&key.replace('_', " "), other.to_string()),
        }
    }
    columns(facts, out);
    for note in facts["notes"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        row("note", printable(note));
    }
}

fn columns(facts: &Value, out: &Output) {
    let shown = |value: &Value| match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => printable(&text.chars().take(24).collect::<String>()),
        other => other.to_string(),
    };
    let all = facts["columns"].as_array().map(Vec::as_slice).unwrap_or_default();
    if all.is_empty() {
        return;
    }
    let titles = ["column", "type", "encoding", "bytes", "nulls", "min", "max"];
    let keys = ["name", "type", "encoding", "bytes", "nulls", "min", "max"];
    let mut rows = vec![titles.map(str::to_owned)];
    rows.extend(all.iter().map(|column| keys.map(|key| shown(&column[key]))));
    let widths: Vec<usize> =
        (0..keys.len()).map(|i| rows.iter().map(|r| r[i].chars().count()).max().unwrap_or(0)).collect();
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(i, (cell, &w))| match i {
            3 | 4 => format!("{cell:>w$}"),
            _ => format!("{cell:<w$}"),
        });
        out.line(format!("  {}", cells.collect::<Vec<_>>().join("  ").trim_end()));
    }
}
