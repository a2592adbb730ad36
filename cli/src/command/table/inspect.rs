//! `forebay inspect` of a table: columns, types, rows, encodings, sizes, statistics.

use std::{collections::HashMap, path::Path};

use forebay::Result;
use forebay_native::{
    input::{display, file_len},
    tables::{Facts, ReadOptions, TableFormat, TableSource, document, leave_out_unread, open, summary::Summary},
};
use serde_json::{Map, Value, json};

use crate::{
    exit::Outcome,
    human,
    output::{Output, printable},
};

pub(in crate::command) fn run(path: &Path, read: &ReadOptions, out: &Output) -> Result<Outcome> {
    let facts = match document(path, read)? {
        Some(json) => nested(path, &json),
        None => facts(path, read, out)?,
    };
    if out.json() {
        out.value(&facts);
    } else {
        print(&facts, out);
    }
    Ok(if facts["skipped_rows"].as_u64() > Some(0) { Outcome::Damaged } else { Outcome::Fine })
}

fn begin(path: &Path, format: TableFormat) -> Map<String, Value> {
    let mut facts = Map::new();
    facts.insert("file".into(), display(path).into());
    facts.insert("format".into(), format.name().into());
    facts.insert("bytes".into(), file_len(path).into());
    facts
}

/// A TBF that holds a value rather than a table.
fn nested(path: &Path, json: &str) -> Value {
    let mut facts = begin(path, TableFormat::Tbf);
    facts.insert("dialect".into(), "T".into());
    facts.insert("rows".into(), Value::Null);
    facts.insert("columns".into(), json!([]));
    facts.insert("document_bytes".into(), json.len().into());
    facts.into()
}

/// What the file says of itself; formats that say nothing are read from front to back.
fn facts(path: &Path, read: &ReadOptions, out: &Output) -> Result<Value> {
    let mut source = open(path, read)?;
    let mut facts = begin(path, source.format());
    let Facts { dialect, columns, more, .. } = source.facts();
    if let Some(dialect) = dialect {
        facts.insert("dialect".into(), dialect.into());
    }
    let fields = source.schema().clone();
    let unread: HashMap<usize, String> = source.unread().iter().cloned().collect();
    let (read, mut said) = leave_out_unread(&mut *source)?;
    let counted = match source.rows() {
        Some(_) => None,
        None => Some(count(&mut *source)?),
    };
    let rows = source.rows().or(counted.as_ref().map(Summary::rows));
    facts.insert("rows".into(), rows.into());
    if source.format().is_text() {
        facts.insert("skipped_rows".into(), source.skipped().into());
    }
    facts.extend(more);
    let report = counted.map(|summary| summary.report());
    let places: HashMap<usize, usize> = read.iter().enumerate().map(|(place, &column)| (column, place)).collect();
    let described = fields.fields().iter().enumerate().map(|(i, field)| {
        let known = columns.get(i).cloned().unwrap_or_default();
        let seen = report.as_ref().zip(places.get(&i)).and_then(|(r, &place)| r.get(place));
        let dtype = match unread.get(&i) {
            Some(what) => format!("not read: {}", what.strip_prefix("Arrow's type ").unwrap_or(what)),
            None => field.dtype.to_string(),
        };
        json!({
            "name": field.name,
            "type": dtype,
            "nullable": field.nullable,
            "encoding": known.encoding,
            "bytes": known.bytes,
            "nulls": known.nulls.or(seen.map(|s| s.nulls)),
            "min": known.min.or_else(|| seen.and_then(|s| s.min.clone())),
            "max": known.max.or_else(|| seen.and_then(|s| s.max.clone())),
            "annotations": field.metadata.iter().map(|a| a.name.as_str()).collect::<Vec<_>>(),
        })
    });
    facts.insert("columns".into(), described.collect());
    said.append(&mut source.notes());
    facts.insert("notes".into(), json!(said));
    if out.verbose() {
        out.note(format!("{}: opened", display(path)));
    }
    Ok(facts.into())
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
