//! Samples as a table: one row of what the index and the metadata say of each; no payload is read.
//!
//! The rows are made as JSON lines while these are read, so that types are sniffed, filters applied and bad rows
//! reported as for any text.

use std::{
    io::{self, BufReader, Read},
    path::Path,
};

use forebay::{Error, Result};
use serde_json::{Map, Value as Json, json};

use super::{ReadOptions, TableFormat, TableSource, text::TextSource, text_input::TextInput};
use crate::{
    dataset::{Dataset, OpenOptions},
    input::display,
};

/// Opens a dataset as a table of its samples.
pub(super) fn open(path: &Path, options: &ReadOptions) -> Result<Box<dyn TableSource>> {
    let dataset = Dataset::open_with(
        path,
        &OpenOptions { limits: options.text.limits.clone(), io: options.io, ..Default::default() },
    )?;
    let lines = Lines { dataset, next: 0, line: Vec::new(), at: 0 };
    let input = TextInput::over(display(path), BufReader::new(lines));
    Ok(Box::new(TextSource::new(input, TableFormat::Jsonl, options)?))
}

/// A line for each sample.
struct Lines {
    dataset: Dataset,
    next: u64,
    line: Vec<u8>,
    at: usize,
}

impl Read for Lines {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.at == self.line.len() {
            if self.next == self.dataset.len() {
                return Ok(0);
            }
            self.line = row(&self.dataset, self.next).map_err(io::Error::other)?.to_string().into_bytes();
            self.line.push(b'\n');
            (self.at, self.next) = (0, self.next + 1);
        }
        let rest = self.line.get(self.at..).unwrap_or_default();
        let n = rest.len().min(out.len());
        out[..n].copy_from_slice(&rest[..n]);
        self.at += n;
        Ok(n)
    }
}

/// What the index says, then the fields of the metadata that have other names.
fn row(dataset: &Dataset, i: u64) -> Result<Json, Error> {
    let info = dataset.info(i)?;
    let metadata = dataset.metadata_value(i)?;
    let name = match &metadata {
        Some(value) => value["name"].as_str().map(str::to_owned),
        None => dataset.sample_name(i)?,
    };
    let known = |n: u32| if n == 0 { Json::Null } else { n.into() };
    let mut row = Map::new();
    row.insert("name".into(), name.into());
    row.insert("format".into(), json!(info.format));
    row.insert("width".into(), known(info.width));
    row.insert("height".into(), known(info.height));
    row.insert("bytes".into(), info.bytes.into());
    if let Some(Json::Object(fields)) = metadata {
        for (field, value) in fields {
            row.entry(field).or_insert(value);
        }
    }
    Ok(row.into())
}
