//! Samples as a table: one row of what the index and the metadata say of each; no payload is read.
//!
//! The rows are made as JSON lines while these are read, so that types are sniffed, filters applied and bad rows
//! reported as for any text.

use std::{
    collections::HashMap,
    io::{self, BufReader, Read},
    path::Path,
};

use forebay::{Error, Result, sample::record};
use serde_json::{Value as Json, json, value::RawValue};

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
            self.line = row(&self.dataset, self.next).map_err(io::Error::other)?.into_bytes();
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

/// What the index says, then the fields of the metadata, each as its own text. One with a name of the index is called
/// `metadata.` and that name.
fn row(dataset: &Dataset, i: u64) -> Result<String, Error> {
    let info = dataset.info(i)?;
    let record = dataset.record(i)?;
    let fields = record.as_deref().map(|record| record::fields_of(record).unwrap_or_default());
    let name = match &fields {
        Some(fields) => fields.iter().rev().find(|(key, _)| key == "name").and_then(|(_, name)| text(name)),
        None => dataset.sample_name(i)?,
    };
    let known = |n: u32| if n == 0 { Json::Null } else { n.into() };
    let index = [
        ("name", name.into()),
        ("format", json!(info.format)),
        ("width", known(info.width)),
        ("height", known(info.height)),
        ("bytes", info.bytes.into()),
    ];
    let mut row = String::from("{");
    index.iter().for_each(|(key, value)| record::push_field(&mut row, key, &value.to_string()));
    let fields = fields.unwrap_or_default();
    let places: HashMap<&str, usize> = fields.iter().enumerate().map(|(at, (key, _))| (key.as_str(), at)).collect();
    for (at, (key, value)) in fields.iter().enumerate().filter(|(_, (key, _))| key != "name") {
        // Of fields that are there twice the last counts, as for every reader.
        if places.get(key.as_str()) != Some(&at) {
            continue;
        }
        match index.iter().any(|(of_index, _)| of_index == key) {
            true => record::push_field(&mut row, &format!("metadata.{key}"), value.get()),
            false => record::push_field(&mut row, key, value.get()),
        }
    }
    row.push('}');
    Ok(row)
}

fn text(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}
