//! Opening a table, and what it says about itself.

use std::{rc::Rc, sync::Arc};

use forebay::{Error, Step, Stepper, error::codes, formats::Format, idv, table::TableFile, tables::AnyTable};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::{
    TableConverter, TableReader, TableStats,
    opened::{Opened, Opening, opener},
    plan::Wanted,
};
use crate::{
    fail::{Outcome, text, thrown},
    limits::GivenLimits,
    ranges::pairs,
};

/// Opens a table: `step` and `push` until `step` returns nothing, then `finish`.
#[wasm_bindgen]
#[derive(Debug)]
pub struct TableOpener {
    work: Opening,
    done: Option<AnyTable>,
}

#[wasm_bindgen]
impl TableOpener {
    /// For a file of `file_len` bytes and this format. `schema` is the JSON of a TBF's
    /// caller schema, or empty.
    #[wasm_bindgen(constructor)]
    pub fn new(format: &str, file_len: f64, limits: &GivenLimits, schema: &str) -> Outcome<TableOpener> {
        let work = opener(format, file_len, limits, schema).map_err(thrown)?;
        Ok(TableOpener { work, done: None })
    }

    /// The ranges that are needed; nothing when the file is open.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        Ok(match self.work.step().map_err(thrown)? {
            Step::Need(ranges) => pairs(ranges),
            Step::Done(file) => {
                self.done = Some(file);
                None
            }
        })
    }

    /// Bytes of the file from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        self.work.push(start as u64, bytes.into());
    }

    /// The opened table.
    pub fn finish(&mut self) -> Outcome<Table> {
        let opened = self.done.take().map(|file| Table { opened: Rc::new(Opened::new(Arc::new(file))) });
        opened.ok_or_else(|| thrown(Error::new(&codes::MISSING_BYTES, "the file was not opened to its end")))
    }
}

#[derive(Serialize)]
struct About {
    format: &'static str,
    length: u64,
    layout: Option<String>,
    groups: usize,
    #[serde(rename = "createdBy")]
    created_by: Option<String>,
    version: Option<String>,
    document: bool,
    schema: Vec<Column>,
    /// The columns that may hold pictures, the likeliest first.
    pictures: Vec<usize>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Column {
    name: String,
    #[serde(rename = "type")]
    dtype: String,
    nullable: bool,
    encoding: Option<String>,
    annotations: Vec<String>,
}

/// An opened table.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Table {
    opened: Rc<Opened>,
}

#[wasm_bindgen]
impl Table {
    /// Format, columns and what the file says about itself, as JSON.
    pub fn about(&self) -> String {
        let table = self.opened.table().ok();
        let mut about = About {
            format: "",
            length: self.opened.rows(),
            layout: None,
            groups: table.map_or(0, TableFile::groups),
            created_by: None,
            version: None,
            document: false,
            schema: Vec::new(),
            pictures: Vec::new(),
            notes: if table.is_some() { self.opened.file.notes() } else { Vec::new() },
        };
        let encoding: Box<dyn Fn(usize) -> Option<String>> = match &*self.opened.file {
            AnyTable::Idv(file) => {
                about.format = Format::Idv.name();
                about.version = Some(idv::raw::version_text(file.header.version));
                Box::new(|i| Some(file.live(file.place(i).ok()?).ok()?.1.packing.name().to_owned()))
            }
            AnyTable::Tbf(file) => {
                about.format = Format::Tbf.name();
                about.layout = Some(file.dialect().to_string());
                about.created_by = file.columns().map(|c| c.footer().created_by.clone());
                about.document = table.is_none();
                Box::new(|i| file.encodings().get(i).map(|stored| stored.name().to_owned()))
            }
            AnyTable::Other(file) => {
                about.format = file.format().name();
                about.created_by = file.created_by();
                about.pictures = file.pictures();
                Box::new(|i| file.encoding(i))
            }
            _ => Box::new(|_| None),
        };
        let fields = table.map(|t| t.schema().fields()).unwrap_or_default();
        let columns = fields.iter().enumerate().map(|(i, field)| Column {
            name: field.name.clone(),
            dtype: field.dtype.to_string(),
            nullable: field.nullable,
            encoding: encoding(i),
            annotations: field.metadata.iter().map(|a| a.name.clone()).collect(),
        });
        about.schema = columns.collect();
        text(&about)
    }

    /// The value of a TBF that holds no table, as JSON; nothing for a table.
    pub fn document(&self) -> Outcome<Option<String>> {
        self.opened.file.document().map_err(thrown)
    }

    /// Begins reading the rows from `start` to `end` that `filter` accepts (all where it is empty), in batches; all in
    /// one where `whole` says so. Without columns: all of them.
    pub fn rows(
        &self,
        start: f64,
        end: f64,
        columns: Option<Vec<u32>>,
        filter: &str,
        whole: bool,
    ) -> Outcome<TableReader> {
        TableReader::rows(self.opened.clone(), start as u64..end as u64, columns, filter, whole).map_err(thrown)
    }

    /// Begins reading these rows, in this order.
    pub fn take(&self, rows: Vec<f64>, columns: Option<Vec<u32>>) -> Outcome<TableReader> {
        let rows: Vec<u64> = rows.into_iter().map(|row| row as u64).collect();
        TableReader::take(self.opened.clone(), Wanted::Rows(rows), columns).map_err(thrown)
    }

    /// Begins looking for the rows that `filter` accepts: their numbers alone.
    pub fn matching(&self, filter: &str) -> Outcome<TableReader> {
        TableReader::matching(self.opened.clone(), filter).map_err(thrown)
    }

    /// Begins gathering what the values are like: of these columns (all without them), in the rows that `filter`
    /// accepts (all if it is empty), among the first `first`.
    pub fn stats(&self, columns: Option<Vec<u32>>, filter: &str, first: f64) -> Outcome<TableStats> {
        TableStats::new(self.opened.file.clone(), columns, filter, first as u64).map_err(thrown)
    }

    /// Begins converting, as the JSON of the options says: all rows, or those with these numbers, in rising order.
    pub fn convert(&self, options: &str, chosen: Option<Vec<u32>>) -> Outcome<TableConverter> {
        TableConverter::of_table(self.opened.file.clone(), options, chosen).map_err(thrown)
    }
}
