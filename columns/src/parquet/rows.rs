//! The columns of a row beside its image: a window of a row group is read together and kept, for whoever looks at a row looks
//! at the next.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;
use forebay::{
    Error, Result,
    doors::Field,
    step::Pieces,
    table::{Batch, JsonStyle, TableFile, Value},
};
use serde_json::Value as Json;

use super::{kept::Shared, table::ParquetTable};

/// About how many bytes a window becomes.
const WINDOW: u64 = 4 << 20;
/// Rows that a window has at least.
const FEWEST: u64 = 64;

/// Some columns of a table, row by row.
pub(super) struct Rows {
    table: ParquetTable,
    columns: Vec<usize>,
    /// The column whose numbers stand for classes: those below 0 stand for none.
    class: Option<String>,
    kept: Shared,
    number: u64,
}

impl std::fmt::Debug for Rows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rows").field("columns", &self.columns).finish_non_exhaustive()
    }
}

impl Rows {
    pub fn new(table: ParquetTable, columns: Vec<usize>, class: Option<String>, kept: &Shared) -> Rows {
        Rows { table, columns, class, kept: kept.clone(), number: Shared::number() }
    }

    pub fn table(&self) -> &ParquetTable {
        &self.table
    }

    /// The row group of a row, and the rows of the group that are read with it.
    fn window(&self, row: u64) -> Result<(usize, u64, Range<u64>)> {
        let group = self.table.group_of(row)?;
        let rows = self.table.group_rows(group)?;
        let (within, all) = (row - rows.start, rows.end - rows.start);
        let becomes = self.table.unpacked(group, &self.columns)?;
        let size = match becomes > WINDOW {
            true => (u128::from(all) * u128::from(WINDOW) / u128::from(becomes)) as u64,
            false => all,
        };
        let size = size.max(FEWEST);
        let start = within / size * size;
        Ok((group, within - start, start..start.saturating_add(size).min(all)))
    }

    /// The bytes that a row is read from; none if it is here.
    pub fn ranges(&self, row: u64) -> Result<Vec<Range<u64>>> {
        if self.columns.is_empty() {
            return Ok(Vec::new());
        }
        let (group, _, window) = self.window(row)?;
        match self.kept.rows.get((self.number, group, window.start)) {
            Some(_) => Ok(Vec::new()),
            None => self.table.plan(group, &self.columns),
        }
    }

    /// The fields of a row.
    pub fn fields(&self, row: u64, fetch: &dyn Fn(Range<u64>) -> Result<Bytes>) -> Result<Vec<Field>> {
        if self.columns.is_empty() {
            return Ok(Vec::new());
        }
        let (group, at, window) = self.window(row)?;
        let batch = self.kept.rows.get_or(
            (self.number, group, window.start),
            |batch| batch.memory() as u64,
            || {
                let mut pieces = Pieces::default();
                for range in self.table.plan(group, &self.columns)? {
                    pieces.push(range.start, fetch(range)?);
                }
                let number = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
                self.table.decode_rows(group, &self.columns, number(window.start)..number(window.end), &pieces)
            },
        );
        let batch = batch.map_err(|e| e.row(row))?;
        self.cut(&batch, usize::try_from(at).unwrap_or(usize::MAX)).map_err(|e| e.row(row))
    }

    fn cut(&self, batch: &Arc<Batch>, row: usize) -> Result<Vec<Field>> {
        if row >= batch.rows() {
            return Err(Error::new(&crate::codes::ARROW, "a row group has fewer rows than announced"));
        }
        let cells = batch.schema().fields().iter().zip(batch.columns());
        let cell = |(field, column): (&forebay::table::Field, &forebay::table::Column)| {
            let value = column.value(row);
            let none = self.class.as_ref() == Some(&field.name) && matches!(value, Value::Int(n) if n < 0);
            match value {
                _ if none => Field::new(&field.name, Json::Null),
                Value::Bytes(bytes) => Field::new(&field.name, Bytes::copy_from_slice(bytes)),
                value => Field::new(&field.name, json(&value)),
            }
        };
        Ok(cells.map(cell).collect())
    }
}

/// A value as JSON; as text if it is none that JSON knows.
fn json(value: &Value<'_>) -> Json {
    let text = value.to_json(JsonStyle::default());
    serde_json::from_str(&text).unwrap_or(Json::String(text))
}
