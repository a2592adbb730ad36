//! Rows: ranges of them, chosen ones, those that match.

use std::{collections::VecDeque, ops::Range, rc::Rc, sync::Arc};

use bytes::Bytes;
use forebay::{
    Error, Result,
    filter::Filter,
    step::Pieces,
    table::{Batch, ColumnBuilder, Schema},
    tables::Scanning,
};
use js_sys::{Array, Float64Array, Object, Reflect};
use wasm_bindgen::prelude::*;

use super::{
    column,
    opened::{Kept, Opened},
    plan::{Part, Wanted, in_order, parts},
};
use crate::{
    fail::{Outcome, thrown},
    ranges::pairs,
};

/// Rows of a batch that is handed over.
const ROWS: usize = 8192;
/// What one read as a whole may take: all of it is in memory twice for a moment.
const WHOLE_BYTES: usize = 256 << 20;

/// Where rows go.
#[derive(Debug)]
enum Target {
    /// Handed over batch by batch.
    Batches,
    /// Handed over at the end, as one.
    Whole(Vec<Batch>, usize),
    /// Only their numbers are kept.
    Numbers,
}

/// Reads rows: `step` and `push`; where `step` asks for nothing, `take` has a batch.
#[wasm_bindgen]
#[derive(Debug)]
pub struct TableReader {
    opened: Rc<Opened>,
    wanted: Wanted,
    scanning: Scanning,
    /// The columns that are decoded: those that are wanted and those that the filter names.
    columns: Vec<usize>,
    parts: VecDeque<Part>,
    pieces: Pieces,
    /// Rows that were decoded and not handed over, and the number of the first.
    left: Option<(u64, Batch)>,
    to: Target,
    out: Option<(Vec<u64>, Batch)>,
    numbers: Vec<u32>,
    done: u64,
    finished: bool,
}

impl TableReader {
    fn new(
        opened: Rc<Opened>,
        wanted: Wanted,
        columns: Option<Vec<u32>>,
        filter: Option<Filter>,
        to: Target,
    ) -> Result<Self> {
        let table = opened.table()?;
        let all = table.schema().clone();
        let columns = columns.map(|columns| columns.into_iter().map(|c| c as usize).collect());
        let scanning = Scanning::new(&all, columns, filter)?;
        let columns = scanning.read().map_or_else(|| (0..all.len()).collect(), <[usize]>::to_vec);
        let parts = parts(table, &wanted, scanning.filter())?.into();
        Ok(TableReader {
            opened,
            wanted,
            scanning,
            columns,
            parts,
            pieces: Pieces::default(),
            left: None,
            to,
            out: None,
            numbers: Vec::new(),
            done: 0,
            finished: false,
        })
    }

    pub(super) fn rows(
        opened: Rc<Opened>,
        rows: Range<u64>,
        columns: Option<Vec<u32>>,
        filter: &str,
        whole: bool,
    ) -> Result<Self> {
        let filter = (!filter.trim().is_empty()).then(|| Filter::parse(filter)).transpose()?;
        let to = if whole { Target::Whole(Vec::new(), 0) } else { Target::Batches };
        Self::new(opened, Wanted::Range(rows), columns, filter, to)
    }

    pub(super) fn take(opened: Rc<Opened>, rows: Wanted, columns: Option<Vec<u32>>) -> Result<Self> {
        Self::new(opened, rows, columns, None, Target::Whole(Vec::new(), 0))
    }

    pub(super) fn matching(opened: Rc<Opened>, filter: &str) -> Result<Self> {
        let all = 0..opened.rows();
        if all.end > u64::from(u32::MAX) {
            let message = format!("{} rows are more than can be numbered here", all.end);
            return Err(Error::new(&forebay::table::codes::SIZE, message));
        }
        Self::new(opened, Wanted::Range(all), Some(Vec::new()), Some(Filter::parse(filter)?), Target::Numbers)
    }

    fn advance(&mut self) -> Result<Option<Vec<Range<u64>>>> {
        loop {
            if let Some((first, batch)) = self.left.take() {
                let rows = batch.rows();
                if rows > ROWS {
                    self.left = Some((first + ROWS as u64, batch.slice(ROWS, rows - ROWS)));
                }
                let numbers = (first..).take(rows.min(ROWS)).collect();
                if self.hand_over(numbers, batch.slice(0, ROWS))? {
                    return Ok(Some(Vec::new()));
                }
                continue;
            }
            let Some(part) = self.parts.pop_front() else { return self.end() };
            let (batch, numbers) = match self.decode(&part)? {
                Ok(decoded) => decoded,
                Err(lacking) => {
                    self.parts.push_front(part);
                    return Ok(Some(lacking));
                }
            };
            self.pieces = Pieces::default();
            match numbers {
                None => self.left = Some((part.start(), batch)),
                Some(numbers) => {
                    self.hand_over(numbers, batch)?;
                }
            }
        }
    }

    /// The rows of a part, with their numbers where they do not follow each other; or what is lacking for that.
    #[allow(clippy::type_complexity)] // two outcomes, each used once
    fn decode(&self, part: &Part) -> Result<std::result::Result<(Batch, Option<Vec<u64>>), Vec<Range<u64>>>> {
        let table = self.opened.table()?;
        let batch = match self.kept(part) {
            Some(batch) => batch,
            None => {
                let whole = table.plan(part.group, &self.columns)?;
                let ranges = match part.some {
                    true => table.plan_rows(part.group, &self.columns, part.rows.clone())?,
                    false => whole.clone(),
                };
                let lacking: Vec<_> = ranges.iter().flat_map(|r| self.pieces.lacking(r.clone())).collect();
                if !lacking.is_empty() {
                    return Ok(Err(lacking));
                }
                if part.some && (ranges != whole || table.is_large(part.group, &self.columns)) {
                    table.decode_rows(part.group, &self.columns, part.rows.clone(), &self.pieces)?
                } else {
                    let batch = table.decode(part.group, &self.columns, &self.pieces)?;
                    let cut = batch.slice(part.rows.start, part.rows.len());
                    if part.some && !whole.is_empty() {
                        self.opened.keep(Kept { group: part.group, columns: self.columns.clone(), batch });
                    }
                    cut
                }
            }
        };
        Ok(Ok(match &part.picks {
            None => (batch, None),
            Some(picks) => (batch.take(picks)?, Some(picks.iter().map(|&at| part.start() + at as u64).collect())),
        }))
    }

    fn kept(&self, part: &Part) -> Option<Batch> {
        let kept = self.opened.kept.borrow();
        let kept = kept.as_ref().filter(|k| k.group == part.group)?;
        let place = |c: &usize| kept.columns.iter().position(|k| k == c);
        let columns: Vec<usize> = self.columns.iter().map(place).collect::<Option<_>>()?;
        kept.batch.slice(part.rows.start, part.rows.len()).project(&columns).ok()
    }

    /// Filters rows and passes them on; true if there is now something to take.
    fn hand_over(&mut self, mut numbers: Vec<u64>, mut batch: Batch) -> Result<bool> {
        self.done += batch.rows() as u64;
        if let Some(filter) = self.scanning.filter() {
            let matching = batch.matching(filter)?;
            if matching.len() < batch.rows() {
                numbers = matching.iter().filter_map(|&k| numbers.get(k).copied()).collect();
                batch = batch.take(&matching)?;
            }
        }
        let batch = self.scanning.project(batch)?;
        match &mut self.to {
            Target::Numbers => self.numbers.extend(numbers.iter().filter_map(|&n| u32::try_from(n).ok())),
            Target::Whole(all, bytes) => {
                *bytes += batch.memory();
                if *bytes > WHOLE_BYTES {
                    let message = "that many rows are read in batches";
                    return Err(Error::new(&forebay::table::codes::SIZE, message));
                }
                if batch.rows() > 0 {
                    all.push(batch);
                }
            }
            Target::Batches if batch.rows() > 0 => {
                self.out = Some((numbers, batch));
                return Ok(true);
            }
            Target::Batches => {}
        }
        Ok(false)
    }

    fn end(&mut self) -> Result<Option<Vec<Range<u64>>>> {
        if std::mem::replace(&mut self.finished, true) {
            return Ok(None);
        }
        let Target::Whole(all, _) = &mut self.to else { return Ok(None) };
        let batch = match std::mem::take(all) {
            all if all.is_empty() => empty(self.scanning.schema())?,
            all => Batch::concat(&all)?,
        };
        self.out = Some(match &self.wanted {
            Wanted::Rows(rows) => (rows.clone(), in_order(batch, rows)?),
            Wanted::Range(rows) => ((rows.start..).take(batch.rows()).collect(), batch),
        });
        Ok(None)
    }
}

fn empty(schema: &Arc<Schema>) -> Result<Batch> {
    let columns = schema.fields().iter().map(|f| ColumnBuilder::new(&f.dtype).finish()).collect::<Result<_>>()?;
    Batch::with_rows(schema.clone(), columns, 0)
}

#[wasm_bindgen]
impl TableReader {
    /// The ranges that are needed, none where there is a batch to take; nothing when it is done.
    pub fn step(&mut self) -> Outcome<Option<Vec<f64>>> {
        Ok(self.advance().map_err(thrown)?.and_then(pairs))
    }

    /// Bytes of the file from `start` on.
    pub fn push(&mut self, start: f64, bytes: Vec<u8>) {
        self.pieces.push(start as u64, Bytes::from(bytes));
    }

    /// Rows looked at so far.
    #[wasm_bindgen(getter)]
    pub fn done(&self) -> f64 {
        self.done as f64
    }

    /// The numbers of the rows that match.
    pub fn matches(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.numbers)
    }

    /// A batch: its rows' numbers and its columns as typed arrays; nothing if there is none.
    #[wasm_bindgen(js_name = take)]
    pub fn take_batch(&mut self) -> Option<Object> {
        let (numbers, batch) = self.out.take()?;
        let numbers: Vec<f64> = numbers.into_iter().map(|n| n as f64).collect();
        let columns: Array = batch.columns().iter().map(column::to_js).collect();
        let object = Object::new();
        for (key, value) in [
            ("length", JsValue::from(batch.rows() as f64)),
            ("numbers", Float64Array::from(numbers.as_slice()).into()),
            ("columns", columns.into()),
        ] {
            // Setting a field of a plain object cannot fail.
            let _ = Reflect::set(&object, &key.into(), &value);
        }
        Some(object)
    }
}
