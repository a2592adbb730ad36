//! Arguments that the commands share for tables.

use std::{
    fs,
    path::{Path, PathBuf},
};

use forebay::{Error, Limits, Result, error::codes::ARGUMENT, table::DataType, tbf::CallerSchema};
use forebay_native::{
    input::{display, io_error},
    tables::{OnBadRow, ReadOptions, Scan, TableFormat, TableSpec, parse_type},
};

use crate::{command::filtering, words::word};

/// How a table is read.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Tables")]
pub(in crate::command) struct TableReadArgs {
    /// Table format; detected by default.
    #[arg(long, value_name = "FORMAT", value_parser = word::<TableFormat>())]
    from: Option<TableFormat>,
    /// JSON file that defines the columns.
    ///
    /// Its form is {"columns": [{"name": ..., "type": ...}]}, or for TBF of layouts U and S {"U": ...} and {"S": ...}.
    #[arg(long, hide_short_help = true, value_name = "FILE")]
    schema: Option<PathBuf>,
    /// Types of some columns, such as id=u32,when=date.
    ///
    /// The types of the others are inferred.
    #[arg(long, value_name = "NAME=TYPE,...")]
    types: Option<String>,
    /// CSV: no header row; columns are column_1 and so on.
    #[arg(long)]
    no_header: bool,
    /// CSV: field delimiter.
    #[arg(long, value_name = "CHAR")]
    delimiter: Option<String>,
    /// CSV: unquoted field that means a missing value.
    #[arg(long, hide_short_help = true, value_name = "TEXT", default_value = "")]
    null: String,
    /// CSV, JSON lines: fail on a bad row, or skip and count it.
    #[arg(long, value_name = "ACTION", hide_short_help = true, value_parser = word::<OnBadRow>(), default_value = "error")]
    on_bad_row: OnBadRow,
    /// CSV, JSON lines: number of rows to infer types from.
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 10_000)]
    sniff_rows: usize,
}

impl TableReadArgs {
    /// The file that says the columns.
    pub fn schema(&self) -> Option<&Path> {
        self.schema.as_deref()
    }

    pub fn options(&self, limits: &Limits, lossy: bool) -> Result<ReadOptions> {
        let mut read = ReadOptions::default();
        (read.format, read.lossy) = (self.from, lossy);
        let text = &mut read.text;
        text.limits = limits.clone();
        text.header = !self.no_header;
        text.delimiter = self.delimiter()?;
        text.null.clone_from(&self.null);
        (text.on_bad_row, text.sniff_rows) = (self.on_bad_row, self.sniff_rows);
        if let Some(path) = &self.schema {
            let text = fs::read_to_string(path).map_err(|e| io_error(&display(path), "read", e))?;
            let named = |e: Error| e.file(display(path));
            let caller = serde_json::from_str::<serde_json::Value>(&text)
                .is_ok_and(|json| json.get("U").is_some() || json.get("S").is_some());
            if caller {
                read.tbf_schema = Some(CallerSchema::from_json(text.as_bytes()).map_err(named)?);
            } else {
                read.text.spec = Some(TableSpec::parse(&text).map_err(named)?);
            }
        }
        if let Some(types) = &self.types {
            read.text.types = parse_types(types)?;
        }
        Ok(read)
    }

    /// The character between fields.
    fn delimiter(&self) -> Result<Option<u8>> {
        match self.delimiter.as_deref() {
            None => Ok(None),
            Some("\\t" | "tab") => Ok(Some(b'\t')),
            Some(text) => match text.as_bytes() {
                [one] if one.is_ascii() => Ok(Some(*one)),
                _ => Err(Error::new(&ARGUMENT, "--delimiter takes one ASCII character, or tab")),
            },
        }
    }
}

/// `id=u32,v=vector<f32, 3>`: commas inside of brackets belong to the type.
fn parse_types(text: &str) -> Result<Vec<(String, DataType)>> {
    let one = |part: &str| match part.rsplit_once('=') {
        Some((name, dtype)) => Ok((unquoted(name)?, parse_type(dtype)?)),
        None => Err(Error::new(&ARGUMENT, format!("--types: {part:?} is not NAME=TYPE"))),
    };
    parts(text).into_iter().map(one).collect()
}

/// What stands between commas that are neither in quotes nor in brackets.
fn parts(text: &str) -> Vec<&str> {
    let (mut quoted, mut depth) = (false, 0);
    let apart = |c: char| {
        match c {
            '"' => quoted = !quoted,
            '<' if !quoted => depth += 1,
            '>' if !quoted => depth -= 1,
            _ => {}
        }
        c == ',' && !quoted && depth <= 0
    };
    text.split(apart).collect()
}

/// A name, which may stand in quotes as a field of CSV does.
fn unquoted(text: &str) -> Result<String> {
    let text = text.trim();
    match text.strip_prefix('"') {
        None => Ok(text.to_owned()),
        Some(rest) => match rest.strip_suffix('"') {
            Some(name) => Ok(name.replace("\"\"", "\"")),
            None => Err(Error::new(&ARGUMENT, format!("missing closing quote: {text}"))),
        },
    }
}

/// What is wanted of a table.
pub(in crate::command) fn scan(columns: Option<&str>, filter: Option<&str>) -> Result<Scan> {
    let columns = columns.map(|text| parts(text).into_iter().map(unquoted).collect()).transpose()?;
    Ok(Scan::new(columns, filtering::filter(filter)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_may_have_commas_of_their_own() {
        let types = parse_types("id=u32, v = vector<f32, 3>,k=key<u8, 4>").unwrap();
        assert_eq!(types.len(), 3);
        assert_eq!((types[1].0.as_str(), types[1].1.to_string()), ("v", "vector<f32, 3>".into()));
        assert_eq!(parse_types("\"a,b=<\"=u8").unwrap()[0].0, "a,b=<");
        assert!(parse_types("id").is_err() && parse_types("id=what").is_err());
    }

    #[test]
    fn names_with_commas_stand_in_quotes() {
        let names = scan(Some(r#"a, "b,""c""", " d ","#), None).unwrap().columns.unwrap();
        assert_eq!(names, ["a", "b,\"c\"", " d ", ""]);
        assert!(scan(Some("\"a"), None).is_err());
    }
}
