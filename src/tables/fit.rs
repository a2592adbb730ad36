//! What a table has to become for its target: a stated conversion where nothing is lost, an error that names
//! column and row where something would be, or with `lossy` a stated loss.

use std::sync::Arc;

use crate::{
    error::{Error, Result},
    idv,
    table::{
        Batch, Buffer, Clock, Column, ColumnBuilder, ColumnData, DataType, Field, JsonStyle, Schema, StringsBuilder,
        Value, VectorColumn, codes,
    },
    tbf::Dialect,
    text::TextFormat,
};

/// The format that a table is fitted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// CSV, TSV or JSON lines, which hold everything as text.
    Text(TextFormat),
    /// TBF of a layout.
    Tbf(Dialect),
    /// ML.NET's binary data view.
    Idv,
    /// Arrow and what is made of it: hosts have routes from every type, and places for annotations.
    Arrow,
}

/// Ticks of 100 ns from 0001-01-01 to 1970-01-01.
const TICKS_BEFORE_1970: i128 = 719_162 * 864_000_000_000;
/// The last tick of the year 9999.
const LAST_TICK: i64 = 3_155_378_975_999_999_999;

/// What happens to one column.
#[derive(Clone, Debug)]
enum Step {
    /// Nothing.
    Keep,
    /// Nothing, but no value may be missing.
    Filled,
    /// Nothing: what nests is written as JSON in one cell.
    Nested,
    /// The target has no such type: an error as soon as there is a value.
    Refuse(String),
    /// Text in the form of CSV cells.
    Text,
    /// Bytes become vectors of numbers.
    ByteVector,
    /// Keys become plain numbers, 0 becomes missing.
    Number(DataType),
    /// Like `Filled`; the least duration has no place, for it would be read as 0.
    Durations,
    /// Times in other units: new = old * mul / div + add.
    Time { to: DataType, mul: i64, div: i64, add: i128 },
}

/// Makes batches fit a target.
#[derive(Clone, Debug)]
pub struct Fit {
    steps: Vec<Step>,
    /// The target has no missing values.
    filled: bool,
    schema: Arc<Schema>,
    notes: Vec<String>,
    /// Of each column, how many values were lost so far.
    losses: Vec<Losses>,
    lossy: bool,
    /// The target, if it has no place for rows without columns.
    needs_columns: Option<&'static str>,
    row: u64,
}

/// What was changed in a column: what nests in any case, all else with `lossy`.
#[derive(Clone, Copy, Debug, Default)]
struct Losses {
    /// Missing values that became others.
    filled: u64,
    /// Those inside of vectors.
    items: u64,
    /// Times that were finer than what the target holds.
    cut: u64,
    /// Least durations that became 0.
    zeroed: u64,
    /// Nested values that became text.
    nested: u64,
}

impl Fit {
    /// Plans the conversion of a table.
    pub fn new(schema: &Schema, target: Target, lossy: bool) -> Result<Fit> {
        let (mut steps, mut fields, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        let filled = matches!(target, Target::Idv | Target::Tbf(Dialect::C));
        for field in schema.fields() {
            let step = match target {
                Target::Idv => for_idv(&field.dtype, lossy),
                Target::Text(format) => for_text(&field.dtype, format),
                Target::Arrow => for_arrow(&field.dtype),
                Target::Tbf(Dialect::T) => for_tagged(&field.dtype),
                Target::Tbf(Dialect::C) => for_columnar(&field.dtype, lossy),
                Target::Tbf(_) => for_tbf(&field.dtype, lossy),
            };
            let mut new = Field::new(&field.name, step.dtype(&field.dtype));
            new.nullable = field.nullable || matches!(step, Step::Number(_));
            if filled {
                new.nullable = false;
            }
            if new.dtype != field.dtype {
                notes.push(format!("column {:?}: {} becomes {}", field.name, field.dtype, new.dtype));
            }
            let keeps = matches!(target, Target::Idv | Target::Arrow);
            if keeps && (new.dtype == field.dtype || target == Target::Arrow) {
                new.metadata.clone_from(&field.metadata);
            } else if !field.metadata.is_empty() {
                let names: Vec<_> = field.metadata.iter().map(|a| a.name.as_str()).collect();
                notes.push(format!("column {:?}: the annotations {} are left out", field.name, names.join(", ")));
            }
            steps.push(step);
            fields.push(new);
        }
        let losses = vec![Losses::default(); steps.len()];
        let needs_columns = match target {
            Target::Text(TextFormat::Csv) => Some("CSV"),
            Target::Text(TextFormat::Tsv) => Some("TSV"),
            Target::Tbf(_) => Some("TBF"),
            Target::Idv => Some("IDV"),
            Target::Text(TextFormat::Jsonl) | Target::Arrow => None,
        };
        let schema = Arc::new(Schema::new(fields)?);
        Ok(Fit { steps, filled, schema, notes, losses, lossy, needs_columns, row: 0 })
    }

    /// Names and types for the target.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
    /// What is changed, in words.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What was lost so far, in words: the types of what nests, and more only with `lossy`.
    pub fn losses(&self) -> Vec<String> {
        let mut said = Vec::new();
        for (field, lost) in self.schema.fields().iter().zip(&self.losses) {
            let mut say = |n: u64, what: &str| {
                if n > 0 {
                    said.push(format!("column {:?}: {n} {what}", field.name));
                }
            };
            say(lost.filled, &format!("missing values became {}", instead_of(&field.dtype)));
            let item = match &field.dtype {
                DataType::Vector { item, .. } => &**item,
                other => other,
            };
            say(lost.items, &format!("missing values inside of vectors became {}", instead_of(item)));
            let unit = if field.dtype == DataType::DateTime { "100 nanoseconds" } else { "microseconds" };
            say(lost.cut, &format!("times were cut to {unit}"));
            say(lost.zeroed, "least durations became 0");
            say(lost.nested, &format!("values of type {} are JSON text", field.dtype));
        }
        said
    }

    /// The next rows, changed to fit.
    pub fn batch(&mut self, batch: &Batch) -> Result<Batch> {
        if let Some(target) = self.needs_columns.filter(|_| self.steps.is_empty() && batch.rows() > 0) {
            return Err(without_columns(target).row(self.row));
        }
        let mut columns = Vec::with_capacity(self.steps.len());
        let first = self.row;
        let parts = self.steps.iter().zip(batch.columns()).zip(self.schema.fields()).zip(&mut self.losses);
        for (((step, column), field), lost) in parts {
            let located = |e: Error| e.column(&field.name).row_after(first).row(first);
            let fitted = step.apply(column, self.lossy, lost).and_then(|c| match self.filled {
                true => fill(c, self.lossy, lost),
                false => Ok(c),
            });
            columns.push(fitted.map_err(located)?);
        }
        self.row += batch.rows() as u64;
        Batch::with_rows(self.schema.clone(), columns, batch.rows())
    }
}

/// What a missing value of a type becomes where none can be missing.
fn instead_of(dtype: &DataType) -> &'static str {
    match dtype {
        DataType::F32 | DataType::F64 => "NaN",
        DataType::String => "empty texts",
        _ => "the default of their type",
    }
}

/// Why rows of nothing cannot be written.
pub fn without_columns(target: &str) -> Error {
    Error::new(&codes::TARGET, format!("{target} has no place for rows without columns; JSON lines and Arrow have"))
}

/// Arrow has a type of its own for moments; other programs would take ticks for plain numbers.
fn for_arrow(dtype: &DataType) -> Step {
    match dtype {
        DataType::DateTime => Step::Time { to: DataType::TimestampUs, mul: 1, div: 10, add: -TICKS_BEFORE_1970 },
        _ => Step::Keep,
    }
}

/// A cell of CSV is text, which a reader takes for more than text only if it is told to; JSON nests.
fn for_text(dtype: &DataType, format: TextFormat) -> Step {
    match (dtype, format) {
        (DataType::Json | DataType::Vector { .. }, TextFormat::Csv | TextFormat::Tsv) => Step::Nested,
        _ => Step::Keep,
    }
}

fn for_idv(dtype: &DataType, lossy: bool) -> Step {
    use DataType as T;
    match dtype {
        T::Bytes => Step::ByteVector,
        T::Date => Step::Time { to: T::DateTime, mul: 864_000_000_000, div: 1, add: TICKS_BEFORE_1970 },
        T::TimestampMs => Step::Time { to: T::DateTime, mul: 10_000, div: 1, add: TICKS_BEFORE_1970 },
        T::TimestampUs => Step::Time { to: T::DateTime, mul: 10, div: 1, add: TICKS_BEFORE_1970 },
        T::TimestampNs => Step::Time { to: T::DateTime, mul: 1, div: 100, add: TICKS_BEFORE_1970 * 100 },
        T::TimeUs => Step::Time { to: T::Ticks, mul: 10, div: 1, add: 0 },
        T::Ticks => Step::Durations,
        other if idv::Codec::of(other).is_ok() => Step::Filled,
        other => text_or_refuse(other, "IDV", lossy),
    }
}

fn for_tbf(dtype: &DataType, lossy: bool) -> Step {
    use DataType as T;
    match dtype {
        T::Key { inner, .. } => Step::Number(inner.integer()),
        T::DateTime => Step::Time { to: T::TimestampUs, mul: 1, div: 10, add: -TICKS_BEFORE_1970 },
        T::TimestampNs => Step::Time { to: T::TimestampUs, mul: 1, div: 1000, add: 0 },
        T::TimeUs | T::Ticks | T::DateTimeOffset | T::RowId | T::Vector { .. } | T::Json => {
            text_or_refuse(dtype, "TBF", lossy)
        }
        _ => Step::Keep,
    }
}

/// Tagged values hold everything that JSON does, and as JSON does.
fn for_tagged(dtype: &DataType) -> Step {
    use DataType as T;
    match dtype {
        T::Key { inner, .. } => Step::Number(inner.integer()),
        T::Date | T::TimeUs | T::TimestampMs | T::TimestampUs | T::TimestampNs => Step::Text,
        T::Ticks | T::DateTime | T::DateTimeOffset | T::RowId => Step::Text,
        _ => Step::Keep,
    }
}

fn for_columnar(dtype: &DataType, lossy: bool) -> Step {
    use DataType as T;
    match dtype {
        T::Key { inner, .. } => Step::Number(inner.integer()),
        T::Bytes | T::Date | T::TimestampMs | T::TimestampUs | T::TimestampNs | T::DateTime => {
            text_or_refuse(dtype, "layout C", lossy)
        }
        other => for_tbf(other, lossy),
    }
}

fn text_or_refuse(dtype: &DataType, target: &str, lossy: bool) -> Step {
    if lossy {
        return Step::Text;
    }
    Step::Refuse(format!("{target} holds no values of type {dtype}; converting with losses writes them as text"))
}

impl Step {
    fn dtype(&self, own: &DataType) -> DataType {
        match self {
            Step::Keep | Step::Nested | Step::Filled | Step::Durations => own.clone(),
            Step::Refuse(_) | Step::Text => DataType::String,
            Step::ByteVector => DataType::vector(DataType::U8, None),
            Step::Number(to) | Step::Time { to, .. } => to.clone(),
        }
    }

    fn apply(&self, column: &Column, lossy: bool, lost: &mut Losses) -> Result<Column> {
        match self {
            Step::Keep | Step::Filled => Ok(column.clone()),
            Step::Nested => {
                lost.nested += (column.len() - column.null_count()) as u64;
                Ok(column.clone())
            }
            Step::Refuse(why) => match (0..column.len()).find(|&i| !column.is_null(i)) {
                Some(row) => Err(lossless(why.clone(), row)),
                None => Ok(Column::strings(vec![None::<&str>; column.len()])),
            },
            Step::Text => as_text(column),
            Step::ByteVector => byte_vectors(column),
            Step::Number(to) => {
                let there = (0..column.len()).map(|i| !matches!(column.value(i), Value::Null | Value::Key(0)));
                let validity = Some(there.collect());
                Ok(Column::new(to.clone(), column.data().clone(), validity)?.without_needless_validity())
            }
            Step::Durations => durations(column, lossy, lost),
            Step::Time { to, mul, div, add } => {
                let mut moved = Vec::with_capacity(column.len());
                for row in 0..column.len() {
                    moved.push(time(column, row, to, (*mul, *div, *add), lossy, lost)?);
                }
                Column::new(to.clone(), ColumnData::I64(moved.into()), column.validity().cloned())
            }
        }
    }
}

fn cannot(why: String, row: usize) -> Error {
    Error::new(&codes::TARGET, why).row(row as u64)
}

/// What only a conversion with losses can do.
fn lossless(why: String, row: usize) -> Error {
    cannot(why, row).with_options(&["lossy"])
}

/// Cells as CSV writes them.
fn as_text(column: &Column) -> Result<Column> {
    let mut out = StringsBuilder::with_capacity(column.len(), 0);
    for row in 0..column.len() {
        match column.value(row) {
            Value::Null => out.push("")?,
            Value::Str(text) | Value::Json(text) => out.push(text)?,
            other => {
                let json = other.to_json(JsonStyle::default());
                let plain = json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
                out.push(plain.unwrap_or(&json))?;
            }
        }
    }
    Column::from(out.finish()).with_validity(column.validity().cloned())
}

fn byte_vectors(column: &Column) -> Result<Column> {
    let ColumnData::Bytes(bytes) = column.data() else { return Ok(column.clone()) };
    let lengths: Buffer<u32> = bytes.iter().map(|b| b.len() as u32).collect();
    let items = Column::new(DataType::U8, ColumnData::U8(Buffer::from_le_bytes(bytes.used())), None)?;
    let data = ColumnData::Vector(VectorColumn::dense(lengths, items)?);
    Column::new(DataType::vector(DataType::U8, None), data, column.validity().cloned())
}

/// The time in a row in other units: `mul`, `div` and `add` of [`Step::Time`]; 0 for a missing one.
fn time(
    column: &Column,
    row: usize,
    to: &DataType,
    (mul, div, add): (i64, i64, i128),
    lossy: bool,
    lost: &mut Losses,
) -> Result<i64> {
    let units = match column.value(row) {
        Value::Time(Clock::Date(n)) => i64::from(n),
        Value::Time(
            Clock::TimeUs(n)
            | Clock::TimestampMs(n)
            | Clock::TimestampUs(n)
            | Clock::TimestampNs(n)
            | Clock::DateTime(n)
            | Clock::Ticks(n),
        ) => n,
        _ => return Ok(0),
    };
    let units = i128::from(units);
    // The shift is in the finer unit of the two; no step has both a factor and a divisor.
    let div = i128::from(div);
    let shifted = units * i128::from(mul) + add;
    let exact = shifted % div == 0;
    let text = || column.value(row).to_json(JsonStyle::default());
    let allowed = |n: &i64| *to != DataType::DateTime || (0..=LAST_TICK).contains(n);
    let moved = i64::try_from(shifted.div_euclid(div)).ok().filter(allowed);
    let moved = moved.ok_or_else(|| cannot(format!("{} is outside of what a {to} holds", text()), row))?;
    if !exact && !lossy {
        let why = format!("{} is finer than what a {to} holds; converting with losses cuts it", text());
        return Err(lossless(why, row));
    }
    lost.cut += u64::from(!exact);
    Ok(moved)
}

/// The column without the least duration, which IDV keeps for what old files called missing.
fn durations(column: &Column, lossy: bool, lost: &mut Losses) -> Result<Column> {
    let ColumnData::I64(ticks) = column.data() else { return Ok(column.clone()) };
    match ticks.iter().enumerate().position(|(row, &t)| t == i64::MIN && !column.is_null(row)) {
        None => Ok(column.clone()),
        Some(row) if !lossy => {
            Err(lossless("the least duration, which IDV reads as 0; converting with losses writes 0".to_owned(), row))
        }
        Some(_) => {
            let least = (0..ticks.len()).filter(|&row| ticks[row] == i64::MIN && !column.is_null(row));
            lost.zeroed += least.count() as u64;
            let kept = ticks.iter().map(|&t| if t == i64::MIN { 0 } else { t }).collect();
            Column::new(DataType::Ticks, ColumnData::I64(kept), column.validity().cloned())
        }
    }
}

/// The column without missing values: keys have a number for them; floats with `lossy` become NaN, everything
/// else its default.
fn fill(column: Column, lossy: bool, lost: &mut Losses) -> Result<Column> {
    let column = fill_items(column, lossy, lost)?;
    let Some(validity) = column.validity() else { return Ok(column) };
    let Some(row) = validity.iter().position(|there| !there) else { return column.with_validity(None) };
    if !lossy && !matches!(column.dtype(), DataType::Key { .. }) {
        let why = format!(
            "a missing value; the target has none for {}, converting with losses writes a default",
            column.dtype()
        );
        return Err(lossless(why, row));
    }
    if !matches!(column.dtype(), DataType::Key { .. }) {
        lost.filled += column.null_count() as u64;
    }
    let mut out = ColumnBuilder::new(column.dtype());
    let default = default_value(column.dtype())?;
    for i in 0..column.len() {
        out.push(if column.is_null(i) { default.value(0) } else { column.value(i) })?;
    }
    out.finish()
}

/// The column with nothing missing inside of its vectors.
fn fill_items(column: Column, lossy: bool, lost: &mut Losses) -> Result<Column> {
    let ColumnData::Vector(vectors) = column.data() else { return Ok(column) };
    let items = vectors.items();
    let missing = |row: usize| {
        let row = vectors.row(row);
        (row.first..row.first + row.count).any(|i| items.is_null(i))
    };
    let Some(row) = items.validity().and_then(|_| (0..column.len()).find(|&row| missing(row))) else {
        return Ok(column);
    };
    let key = matches!(items.dtype(), DataType::Key { .. });
    if !lossy && !key {
        let why = format!(
            "a missing value inside of a vector; the target has none for {}, converting with losses writes a default",
            items.dtype()
        );
        return Err(lossless(why, row));
    }
    let mut inside = Losses::default();
    let filled = fill(items.clone(), true, &mut inside)?;
    if !key {
        let used = (0..column.len()).map(|row| vectors.row(row));
        let missing = used.flat_map(|row| row.first..row.first + row.count).filter(|&i| items.is_null(i));
        lost.items += missing.count() as u64;
    }
    let data = ColumnData::Vector(vectors.with_items(filled)?);
    Column::new(column.dtype().clone(), data, column.validity().cloned())
}

/// What stands for a missing value where none can be missing.
fn default_value(dtype: &DataType) -> Result<Column> {
    Ok(match dtype {
        DataType::F32 => Column::from(vec![f32::NAN]),
        DataType::F64 => Column::from(vec![f64::NAN]),
        other => {
            let mut column = ColumnBuilder::new(other);
            column.push_null();
            column.finish()?.with_validity(None)?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TBF: Target = Target::Tbf(Dialect::D);

    fn one(field: Field, column: Column, target: Target, lossy: bool) -> Result<Batch> {
        let schema = Arc::new(Schema::new(vec![field])?);
        Fit::new(&schema, target, lossy)?.batch(&Batch::new(schema, vec![column])?)
    }

    #[test]
    fn what_a_target_lacks_is_named_by_column_and_row() {
        let field = Field::new("name", DataType::String).nullable();
        let column = Column::strings([Some("a"), None]);
        let e = one(field.clone(), column.clone(), Target::Idv, false).unwrap_err();
        assert_eq!(
            (e.code().id(), e.place().column.as_deref(), e.place().row),
            ("table.target", Some("name"), Some(1))
        );
        let batch = one(field, column, Target::Idv, true).unwrap();
        assert_eq!(batch.row(1).unwrap().to_json(Default::default()), r#"{"name":""}"#);
        let mut json = ColumnBuilder::new(&DataType::Json);
        json.push_null();
        json.push(Value::Json("[1]")).unwrap();
        let (field, json) = (Field::new("j", DataType::Json).nullable(), json.finish().unwrap());
        assert_eq!(one(field.clone(), json.clone(), TBF, false).unwrap_err().place().row, Some(1));
        let text = one(field, json, TBF, true).unwrap();
        assert_eq!(text.row(1).unwrap().to_json(Default::default()), r#"{"j":"[1]"}"#);
    }

    #[test]
    fn times_move_exactly_or_not_at_all() {
        let us = |n: i64| Column::new(DataType::TimestampUs, ColumnData::I64(vec![n].into()), None).unwrap();
        let field = Field::new("t", DataType::TimestampUs);
        let batch = one(field.clone(), us(-1), Target::Idv, false).unwrap();
        assert_eq!(batch.row(0).unwrap().to_json(Default::default()), r#"{"t":"1969-12-31T23:59:59.9999990"}"#);
        assert!(one(field, us(i64::MAX), Target::Idv, true).is_err());
        let ticks = |n: i64| Column::new(DataType::DateTime, ColumnData::I64(vec![n].into()), None).unwrap();
        let field = Field::new("t", DataType::DateTime);
        assert!(one(field.clone(), ticks(15), TBF, false).is_err());
        assert!(one(field, ticks(15), TBF, true).is_ok());
    }

    #[test]
    fn nanoseconds_keep_what_the_target_holds_of_them() {
        let ns = |n: i64| Column::new(DataType::TimestampNs, ColumnData::I64(vec![n].into()), None).unwrap();
        let field = Field::new("t", DataType::TimestampNs);
        let json = |n: i64, target, lossy| {
            one(field.clone(), ns(n), target, lossy).map(|batch| batch.row(0).unwrap().to_json(Default::default()))
        };
        assert_eq!(json(i64::MIN, Target::Arrow, false).unwrap(), r#"{"t":"1677-09-21T00:12:43.145224192"}"#);
        assert_eq!(json(1_000, TBF, false).unwrap(), r#"{"t":"1970-01-01T00:00:00.000001"}"#);
        assert_eq!(json(1_500, TBF, false).unwrap_err().place().row, Some(0));
        assert_eq!(json(-1, TBF, true).unwrap(), r#"{"t":"1969-12-31T23:59:59.999999"}"#);
        assert_eq!(json(1_500, Target::Idv, false).unwrap(), r#"{"t":"1970-01-01T00:00:00.0000015"}"#);
        assert!(json(1_550, Target::Idv, false).unwrap_err().message().contains("finer"));
        assert_eq!(json(i64::MAX, Target::Idv, true).unwrap(), r#"{"t":"2262-04-11T23:47:16.8547758"}"#);
    }

    #[test]
    fn moments_of_idv_are_moments_of_arrow() {
        let ticks = |n: i64| Column::new(DataType::DateTime, ColumnData::I64(vec![n].into()), None).unwrap();
        let field = Field::new("t", DataType::DateTime);
        let batch = one(field.clone(), ticks(0), Target::Arrow, false).unwrap();
        assert_eq!(batch.schema().fields()[0].dtype, DataType::TimestampUs);
        assert_eq!(batch.row(0).unwrap().to_json(Default::default()), r#"{"t":"0001-01-01T00:00:00"}"#);
        assert_eq!(one(field, ticks(7), Target::Arrow, false).unwrap_err().code().id(), "table.target");
    }

    #[test]
    fn what_is_missing_inside_of_a_vector_is_said_to_be_there() {
        let dtype = DataType::vector(DataType::F32, None);
        let mut column = ColumnBuilder::new(&dtype);
        column.push_json(&serde_json::json!([1.5])).unwrap();
        column.push_json(&serde_json::json!([null, 2.5, null])).unwrap();
        let (field, column) = (Field::new("v", dtype), column.finish().unwrap());
        let e = one(field.clone(), column.clone(), Target::Idv, false).unwrap_err();
        assert_eq!((e.place().row, e.message().starts_with("a missing value inside of a vector")), (Some(1), true));
        let schema = Arc::new(Schema::new(vec![field]).unwrap());
        let mut fit = Fit::new(&schema, Target::Idv, true).unwrap();
        let batch = fit.batch(&Batch::new(schema, vec![column]).unwrap()).unwrap();
        assert_eq!(batch.row(1).unwrap().to_json(Default::default()), r#"{"v":["NaN",2.5,"NaN"]}"#);
        assert_eq!(fit.losses(), ["column \"v\": 2 missing values inside of vectors became NaN"]);
        assert!(idv::Codec::of(&batch.schema().fields()[0].dtype).is_ok());
    }

    #[test]
    fn the_least_duration_does_not_become_zero_unsaid() {
        let least = Column::new(DataType::Ticks, ColumnData::I64(vec![7, i64::MIN].into()), None).unwrap();
        let field = Field::new("t", DataType::Ticks);
        let e = one(field.clone(), least.clone(), Target::Idv, false).unwrap_err();
        assert_eq!((e.code().id(), e.place().column.as_deref(), e.place().row), ("table.target", Some("t"), Some(1)));
        let batch = one(field.clone(), least.clone(), Target::Idv, true).unwrap();
        assert_eq!(batch.row(1).unwrap().to_json(Default::default()), r#"{"t":"00:00:00"}"#);
        assert_eq!(one(field, least.clone(), Target::Arrow, false).unwrap().columns(), [least]);
    }
}
