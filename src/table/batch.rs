//! Rows that are held together: columns of one length under a schema.

use std::sync::Arc;

use super::{Column, Field, JsonStyle, Schema, Value, codes, json::write_json_str, value::owned};
use crate::{
    error::{Error, Result},
    filter::{Filter, Path, Record, Segment, Value as Filtered},
};

/// Columns of one length, with their schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    schema: Arc<Schema>,
    columns: Vec<Column>,
    rows: usize,
}

impl Batch {
    /// Checks that types and lengths agree with the schema and each other.
    pub fn new(schema: Arc<Schema>, columns: Vec<Column>) -> Result<Self> {
        let rows = columns.first().map_or(0, Column::len);
        Self::with_rows(schema, columns, rows)
    }

    /// As [`new`](Self::new), also for a table that has rows but no columns.
    #[doc(hidden)]
    pub fn with_rows(schema: Arc<Schema>, columns: Vec<Column>, rows: usize) -> Result<Self> {
        if schema.len() != columns.len() {
            let message = format!("{} columns for a schema of {}", columns.len(), schema.len());
            return Err(Error::new(&codes::SHAPE, message));
        }
        for (field, column) in schema.fields().iter().zip(&columns) {
            let shape = |why: String| Err(Error::new(&codes::SHAPE, why).column(&field.name));
            if *column.dtype() != field.dtype {
                return shape(format!("a column of {} where the schema says {}", column.dtype(), field.dtype));
            }
            if column.len() != rows {
                return shape(format!("{} rows where the table has {rows}", column.len()));
            }
            if !field.nullable && column.null_count() > 0 {
                return shape("missing values where the schema allows none".into());
            }
        }
        Ok(Batch { schema, columns, rows })
    }

    /// Names and types.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
    /// The columns, in the schema's order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }
    /// The column of that number.
    pub fn column(&self, i: usize) -> Result<&Column> {
        self.schema.field(i)?;
        self.columns.get(i).ok_or_else(|| Error::new(&codes::COLUMN, format!("there is no column {i}")))
    }
    /// The last column of that name.
    pub fn column_by_name(&self, name: &str) -> Option<&Column> {
        self.columns.get(self.schema.position(name)?)
    }
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// One row.
    pub fn row(&self, i: usize) -> Result<Row<'_>> {
        if i >= self.rows {
            let message = format!("row {i} of {}", self.rows);
            return Err(Error::new(&crate::error::codes::OUT_OF_RANGE, message).row(i as u64));
        }
        Ok(Row { batch: self, index: i })
    }
    /// The rows one after the other.
    #[doc(hidden)]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Row<'_>> + '_ {
        (0..self.rows).map(|index| Row { batch: self, index })
    }
    /// Some of the columns, in the order given.
    #[doc(hidden)]
    pub fn project(&self, columns: &[usize]) -> Result<Self> {
        let schema = self.schema.project(columns)?;
        let columns = columns.iter().map(|&i| self.column(i).cloned()).collect::<Result<_>>()?;
        Ok(Batch { schema, columns, rows: self.rows })
    }
    /// Some of the rows, sharing the memory.
    #[must_use]
    pub fn slice(&self, start: usize, len: usize) -> Self {
        let start = start.min(self.rows);
        let rows = len.min(self.rows - start);
        let columns = self.columns.iter().map(|c| c.slice(start, rows)).collect();
        Batch { schema: self.schema.clone(), columns, rows }
    }
    /// The rows with these numbers, in this order.
    #[doc(hidden)]
    pub fn take(&self, rows: &[usize]) -> Result<Self> {
        if let Some(&i) = rows.iter().find(|&&i| i >= self.rows) {
            self.row(i)?;
        }
        let columns = self.columns.iter().map(|c| c.take(rows)).collect::<Result<_>>()?;
        Ok(Batch { schema: self.schema.clone(), columns, rows: rows.len() })
    }
    /// The numbers of the rows that a filter wants. What [`Schema::check_filter`] refuses is an error.
    #[doc(hidden)]
    pub fn matching(&self, filter: &Filter) -> Result<Vec<usize>> {
        self.schema.check_filter(filter)?;
        Ok(self.iter().filter(|row| filter.matches(row)).map(|row| row.index).collect())
    }
    /// The rows that a filter wants.
    #[doc(hidden)]
    pub fn filter(&self, filter: &Filter) -> Result<Self> {
        let rows = self.matching(filter)?;
        if rows.len() == self.rows { Ok(self.clone()) } else { self.take(&rows) }
    }
    /// An estimate of the memory that the rows take.
    #[doc(hidden)]
    pub fn memory(&self) -> usize {
        self.columns.iter().map(Column::memory).sum()
    }
    /// Batches of one schema, one after the other.
    #[doc(hidden)]
    pub fn concat(batches: &[Batch]) -> Result<Self> {
        let Some(first) = batches.first() else {
            return Err(Error::new(&codes::SHAPE, "no batches to put together"));
        };
        if batches.iter().any(|b| b.columns.len() != first.columns.len()) {
            return Err(Error::new(&codes::SHAPE, "batches of different schemas"));
        }
        let columns = (0..first.columns.len())
            .map(|i| Column::concat(&batches.iter().filter_map(|b| b.columns.get(i).cloned()).collect::<Vec<_>>()))
            .collect::<Result<_>>()?;
        Batch::with_rows(first.schema.clone(), columns, batches.iter().map(Batch::rows).sum())
    }
}

/// One row of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    batch: &'a Batch,
    index: usize,
}

impl<'a> Row<'a> {
    /// The row's number in its batch.
    #[doc(hidden)]
    pub fn index(&self) -> usize {
        self.index
    }
    /// The cell in that column; [`Value::Null`] where there is no such column.
    pub fn value(&self, column: usize) -> Value<'a> {
        self.batch.columns.get(column).map_or(Value::Null, |c| c.value(self.index))
    }
    /// Fields and cells, in order.
    pub fn cells(&self) -> impl Iterator<Item = (&'a Field, Value<'a>)> + use<'a> {
        let index = self.index;
        self.batch.schema.fields().iter().zip(&self.batch.columns).map(move |(f, c)| (f, c.value(index)))
    }
    /// Appends the row as a JSON object.
    #[doc(hidden)]
    pub fn write_json(&self, out: &mut String, style: JsonStyle) {
        out.push('{');
        for (i, (field, value)) in self.cells().enumerate() {
            if i > 0 {
                out.push(',');
            }
            write_json_str(out, &field.name);
            out.push(':');
            value.write_json(out, style);
        }
        out.push('}');
    }
    /// The row as a JSON object.
    #[doc(hidden)]
    pub fn to_json(&self, style: JsonStyle) -> String {
        let mut out = String::new();
        self.write_json(&mut out, style);
        out
    }
}

impl Record for Row<'_> {
    fn field(&self, path: &Path) -> Filtered<'_> {
        let Some(column) = self.batch.column_by_name(path.root()) else { return Filtered::Null };
        match (column.value(self.index), path.segments()) {
            (value, [_]) => value.into(),
            (Value::Vector { row, items }, [_, Segment::Index(i)]) => match row.indices {
                _ if *i >= u64::from(row.len) => Filtered::Null,
                None => items.value(row.first + *i as usize).into(),
                Some(at) => match at.binary_search(&(*i as u32)) {
                    Ok(k) => items.value(row.first + k).into(),
                    Err(_) => items.dtype().zero().unwrap_or(Filtered::Null),
                },
            },
            (Value::Json(text), [_, inner @ ..]) => inside(text, inner),
            _ => Filtered::Null,
        }
    }

    fn contains(&self, path: &Path, item: &Filtered<'_>) -> bool {
        let value = path.name().and_then(|name| self.batch.column_by_name(name)).map(|c| c.value(self.index));
        match value {
            // Long vectors are not listed one by one: what a sparse one leaves out is the default.
            Some(Value::Vector { row, items }) => {
                let left_out = row.indices.is_some() && items.dtype().zero().is_some_and(|zero| zero.same(item));
                left_out || (row.first..row.first + row.count).any(|i| Filtered::from(items.value(i)).same(item))
            }
            _ => matches!(self.field(path), Filtered::List(list) if list.iter().any(|element| element.same(item))),
        }
    }
}

/// A value inside of a JSON cell.
fn inside(text: &str, path: &[Segment]) -> Filtered<'static> {
    let Ok(mut json) = serde_json::from_str::<serde_json::Value>(text) else { return Filtered::Null };
    for segment in path {
        let next = match segment {
            Segment::Key(key) => json.get_mut(key.as_str()),
            Segment::Index(i) => usize::try_from(*i).ok().and_then(|i| json.get_mut(i)),
        };
        match next {
            Some(next) => json = next.take(),
            None => return Filtered::Null,
        }
    }
    owned(&Filtered::from(&json))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{ColumnBuilder, DataType};

    fn people() -> Batch {
        let schema = Schema::new(vec![
            Field::new("age", DataType::U8),
            Field::new("city", DataType::String).nullable(),
            Field::new("more", DataType::Json),
        ]);
        let mut more = ColumnBuilder::new(&DataType::Json);
        for text in [r#"{"a":[1,{"b":"x"}]}"#, r#"["x",2,null]"#, "7"] {
            more.push(Value::Json(text)).unwrap();
        }
        let columns = vec![
            Column::from(vec![30u8, 31, 40]),
            Column::strings([Some("Oslo"), None, Some("Bergen")]),
            more.finish().unwrap(),
        ];
        Batch::new(Arc::new(schema.unwrap()), columns).unwrap()
    }

    #[test]
    fn filters_select_rows_by_columns_and_inside_of_json() {
        let rows = |text: &str| people().matching(&Filter::parse(text).unwrap()).unwrap();
        assert_eq!(rows("age > 30"), [1, 2]);
        assert_eq!(rows("city == null || city ~ 'B*'"), [1, 2]);
        assert_eq!(rows("more.a[1].b == 'x'"), [0]);
        assert_eq!(rows("more == 7"), [2]);
        assert_eq!((rows("'x' in more && 2 in more && more[1] == 2"), rows("1 in more.a")), (vec![1], vec![0]));
        assert!(rows("'y' in more || 7 in more").is_empty());
        assert_eq!(people().matching(&Filter::parse("agee > 3").unwrap()).unwrap_err().code().id(), "table.column");
    }

    #[test]
    fn parts_and_wholes_agree() {
        let all = people();
        let again = Batch::concat(&[all.slice(0, 1), all.slice(1, 9)]).unwrap();
        assert_eq!(all, again);
        assert_eq!(
            all.project(&[2, 0]).unwrap().row(2).unwrap().to_json(JsonStyle::default()),
            r#"{"more":7,"age":40}"#
        );
        assert!(all.row(3).is_err() && all.take(&[3]).is_err());
    }

    #[test]
    fn a_batch_is_what_its_schema_says() {
        let schema = Arc::new(Schema::new(vec![Field::new("a", DataType::String)]).unwrap());
        assert!(Batch::new(schema.clone(), vec![Column::strings([None::<&str>])]).is_err());
        assert!(Batch::new(schema.clone(), vec![Column::from(vec![1u8])]).is_err());
        assert!(Batch::new(schema, vec![]).is_err());
    }
}
