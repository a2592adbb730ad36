//! What the values of a table are like.

use std::sync::Arc;

use forebay::{
    Result, Step, Stepper,
    filter::Filter,
    table::summary::{ColumnSummary, Summary},
    tables::{AnyTable, Scan, Statistics},
};
use serde::Serialize;
use serde_json::{Value as Json, json};
use wasm_bindgen::prelude::*;

use crate::{
    fail::{Outcome, thrown},
    ranges::pairs,
};

/// Integers up to this are exact as JavaScript's numbers.
const EXACT: u64 = 1 << 53;

/// What the values of a table are like, in camelCase.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TableStats"))]
pub(crate) struct Counted {
    /// Rows that were counted.
    rows: u64,
    /// One for each column.
    columns: Vec<ColumnSummary>,
}

/// Looks through a table once: `step` and `push` until `step` returns nothing, then `finish`.
#[wasm_bindgen]
#[derive(Debug)]
pub struct TableStats {
    work: Statistics,
    summary: Option<Summary>,
}

impl TableStats {
    /// Of these columns (all without them), in the rows that `filter` accepts, among the first `first`.
    pub(super) fn new(file: Arc<AnyTable>, columns: Option<Vec<u32>>, filter: &str, first: u64) -> Result<TableStats> {
        let schema = file.table()?.schema();
        let name = |i: u32| schema.field(i as usize).map(|field| field.name.clone());
        let columns = columns.map(|wanted| wanted.into_iter().map(name).collect::<Result<_>>()).transpose()?;
        let filter = (!filter.trim().is_empty()).then(|| Filter::parse(filter)).transpose()?;
        let work = Statistics::new(file.clone(), &Scan::new(columns, filter))?.first(first);
        Ok(TableStats { work, summary: None })
    }
}

#[wasm_bindgen]
impl TableStats {
    /// The ranges that are needed; nothing when it is done.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        Ok(match self.work.step().map_err(thrown)? {
            Step::Need(ranges) => pairs(ranges),
            Step::Done(summary) => {
                self.summary = Some(summary);
                None
            }
        })
    }

    /// Bytes of the file from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        self.work.push(start as u64, bytes.into());
    }

    /// Rows looked at so far.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> f64 {
        self.work.looked_at() as f64
    }

    /// What was found as JSON. Integers that JavaScript's numbers do not hold are objects `{"int": "..."}`.
    pub fn finish(&mut self) -> String {
        let summary = self.summary.take().unwrap_or_default();
        let mut found = json!(Counted { rows: summary.rows(), columns: summary.report() });
        mark(&mut found);
        found.to_string()
    }
}

/// Integers that are too large for JavaScript's numbers, as objects that hold their digits.
fn mark(json: &mut Json) {
    match json {
        Json::Array(list) => list.iter_mut().for_each(mark),
        Json::Object(object) => object.values_mut().for_each(mark),
        Json::Number(n) => {
            let large = n.as_i64().map(i64::unsigned_abs).or(n.as_u64()).is_some_and(|n| n > EXACT);
            if large {
                *json = json!({ "int": n.to_string() });
            }
        }
        _ => {}
    }
}
