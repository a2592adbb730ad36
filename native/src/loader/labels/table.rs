//! What a table says of samples, joined by their names.

use std::{
    collections::{BTreeMap, HashMap},
    hash::Hash,
    ops::Range,
    path::Path,
};

use forebay::{
    Error, Result,
    annotations::{Matcher, stem},
    filter::{self, Record, Value},
    order::Item,
    table::DataType,
};

use crate::{
    input::display,
    loader::{codes, sources::Sources},
    tables::{ReadOptions, Scan, Scanned, TableFormat, open, table_format},
};

/// What a column says of every sample of every source.
#[derive(Debug)]
pub(in crate::loader) struct Joined<C> {
    /// For each sample the number of its value, or `NONE`.
    rows: Vec<Vec<u32>>,
    /// Each different value once.
    values: Vec<C>,
}

const NONE: u32 = u32::MAX;

/// Floats up to here are exact where they are whole.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Names of rows, and the number of the value of each.
struct Rows(Matcher, Vec<u32>);

impl Rows {
    fn of(rows: BTreeMap<Box<str>, u32>) -> Rows {
        let (names, values): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
        Rows(Matcher::of(names.iter().map(|name| &**name)), values)
    }

    /// The value of the row that a name means; see [`Matcher::take`]. `place` says which sample it is.
    fn take(&self, name: &str, place: &str) -> Result<Option<u32>> {
        Ok(self.0.take(name, place)?.and_then(|k| self.1.get(k).copied()))
    }
}

/// The row of a sample of this dataset: by its name, or that up to the first dot, or, for `0017.jpg`, the row 17 of a column of
/// numbers.
fn row_of([texts, numbers]: &[Rows; 2], name: &str, of: &str) -> Result<u32> {
    let place = format!("{of}: {name}");
    let stem = stem(name);
    for name in [name, stem] {
        if let Some(row) = texts.take(name, &place)? {
            return Ok(row);
        }
    }
    let last = stem.rsplit('/').next().unwrap_or(stem);
    let Ok(number) = last.parse::<i128>() else { return Ok(NONE) };
    Ok(numbers.take(&number.to_string(), &place)?.unwrap_or(NONE))
}

/// A label.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Cell {
    Number(i64),
    Text(String),
    /// Something else, as it reads.
    Other(String),
}

impl<C: Clone + Eq + Hash> Joined<C> {
    /// Reads the table and finds each sample's row; `cell` says what a value is, or that it is none.
    pub(in crate::loader) fn read(
        path: &Path,
        key: &str,
        label: &str,
        sources: &Sources,
        cell: impl Fn(Value<'_>) -> Option<C>,
    ) -> Result<Joined<C>> {
        // A name such as 0017 is not a number, as which CSV would read it.
        let sniffed = matches!(table_format(path)?, Some(TableFormat::Csv | TableFormat::Tsv));
        let types = if sniffed { vec![(key.to_owned(), DataType::String)] } else { Vec::new() };
        let mut options = ReadOptions::default();
        options.text.types = types;
        let scan = Scan::new(Some(vec![key.to_owned(), label.to_owned()]), None);
        let mut table = Scanned::new(open(path, &options)?, &scan).map_err(|e| e.file(display(path)))?;
        let (key_path, label_path) = (filter::Path::from_name(key), filter::Path::from_name(label));
        let (mut numbers, mut values) = (HashMap::new(), Vec::new());
        let (mut texts, mut whole) = (BTreeMap::new(), BTreeMap::new());
        while let Some(batch) = table.next_batch()? {
            for row in batch.iter() {
                let name = match row.field(&key_path) {
                    Value::Time(time) => time.to_string().into(),
                    other => other,
                };
                let number = match &name {
                    Value::Str(_) => None,
                    Value::Int(n) => Some(*n),
                    Value::Float(n) if n.fract() == 0.0 && n.abs() <= EXACT => Some(*n as i128),
                    _ => continue,
                };
                let Some(cell) = cell(row.field(&label_path)) else { continue };
                let value = *numbers.entry(cell).or_insert_with_key(|cell| {
                    values.push(cell.clone());
                    u32::try_from(values.len() - 1).unwrap_or(NONE)
                });
                let (rows, name): (&mut BTreeMap<Box<str>, u32>, Box<str>) = match (&name, number) {
                    (Value::Str(text), _) => (&mut texts, text.as_ref().into()),
                    (_, n) => (&mut whole, n.unwrap_or_default().to_string().into()),
                };
                if rows.get(&name).is_some_and(|before| *before != value) {
                    let message = format!("two rows of different labels have the name {name:?}");
                    return Err(Error::new(&codes::SETTINGS, message).file(display(path)));
                }
                rows.insert(name, value);
            }
        }
        let rows = [texts, whole].map(Rows::of);
        let of_source = |dataset: &crate::Dataset| -> Result<Vec<u32>> {
            let block = |range: Range<u64>| -> Result<Vec<u32>> {
                let row = |name: &str| row_of(&rows, name, dataset.name()).map_err(|e| e.file(display(path)));
                range.map(|i| dataset.sample_name(i)?.map_or(Ok(NONE), |name| row(&name))).collect()
            };
            Ok(dataset.in_blocks(block)?.concat())
        };
        let of_samples = sources.datasets().iter().map(of_source).collect::<Result<_>>()?;
        Ok(Joined { rows: of_samples, values })
    }

    /// Refuses a table in which no sample has a row, unless samples without a label are fine: the names do not fit.
    pub(in crate::loader) fn refuse_strangers(
        &self,
        may_miss: bool,
        (path, key): (&Path, &str),
        sources: &Sources,
    ) -> Result<()> {
        let mut rows = self.rows.iter().flatten();
        if may_miss || self.rows.iter().all(Vec::is_empty) || rows.any(|&row| row != NONE) {
            return Ok(());
        }
        let named = sources.datasets().iter().find_map(|dataset| dataset.sample_name(0).ok().flatten());
        let message = match named {
            Some(name) => format!("the column {key:?} names no sample; the first one is called {name:?}"),
            None => "the samples have no names by which they could be joined".to_owned(),
        };
        Err(Error::new(&codes::SETTINGS, message).file(display(path)))
    }

    /// What is said of a sample.
    pub(in crate::loader) fn of(&self, item: &Item) -> Option<&C> {
        let row = usize::try_from(item.sample).ok().and_then(|i| self.rows.get(item.source)?.get(i))?;
        self.values.get(*row as usize)
    }
}

pub(super) fn cell(value: Value<'_>) -> Option<Cell> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(is) => Cell::Number(is.into()),
        Value::Int(n) => i64::try_from(n).map_or_else(|_| Cell::Other(n.to_string()), Cell::Number),
        Value::Float(n) if n.fract() == 0.0 && n.abs() <= EXACT => Cell::Number(n as i64),
        Value::Float(n) => Cell::Other(n.to_string()),
        Value::Str(text) => Cell::Text(text.into_owned()),
        Value::Time(time) => Cell::Text(time.to_string()),
        _ => Cell::Other("of a list or object".to_owned()),
    })
}
