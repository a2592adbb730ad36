//! Columns that grow cell by cell, for sources that come row by row.

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::Value as Json;

use super::{
    BitmapBuilder, Clock, Column, ColumnData, DataType, KeyType, StringsBuilder, Value, VectorColumn,
    clock::parse_timestamp_ns,
    codes, plain,
    time::{parse_clock, parse_date, parse_timestamp_us},
};
use crate::error::{Error, Result};

/// A column under construction. What does not fit the type is an error, never cut or rounded.
#[derive(Debug)]
pub struct ColumnBuilder {
    dtype: DataType,
    store: Store,
    /// Absent until the first missing value.
    validity: Option<BitmapBuilder>,
    len: usize,
}

#[derive(Debug)]
enum Store {
    Bool(BitmapBuilder),
    I8(Vec<i8>),
    I16(Vec<i16>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    U128(Vec<u128>),
    Str(StringsBuilder),
    Offset(Vec<i64>, Vec<i16>),
    Vector { lengths: Vec<u32>, counts: Vec<u32>, indices: Vec<u32>, items: Box<ColumnBuilder> },
}

impl ColumnBuilder {
    /// An empty column of this type.
    pub fn new(dtype: &DataType) -> Self {
        ColumnBuilder { dtype: dtype.clone(), store: Store::new(dtype), validity: None, len: 0 }
    }

    /// An empty column of this type with room for this many rows, if that is known without their values.
    pub(crate) fn with_capacity(dtype: &DataType, rows: usize) -> Self {
        let mut column = ColumnBuilder::new(dtype);
        match &mut column.store {
            Store::I32(b) => b.reserve_exact(rows),
            Store::I64(b) => b.reserve_exact(rows),
            Store::F64(b) => b.reserve_exact(rows),
            Store::Str(b) => *b = StringsBuilder::with_capacity(rows, 0),
            _ => {}
        }
        column
    }

    /// What the column holds.
    #[doc(hidden)]
    pub fn dtype(&self) -> &DataType {
        &self.dtype
    }
    /// How many rows there are.
    #[doc(hidden)]
    pub fn len(&self) -> usize {
        self.len
    }
    /// True without rows.
    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds a missing value.
    #[doc(hidden)]
    pub fn push_null(&mut self) {
        let len = self.len;
        let validity = self.validity.get_or_insert_with(|| {
            let mut all = BitmapBuilder::with_capacity(len + 1);
            all.push_n(true, len);
            all
        });
        validity.push(false);
        self.store.push_default(&self.dtype);
        self.len += 1;
    }

    /// Adds missing values until there are this many rows.
    pub(crate) fn pad(&mut self, rows: usize) {
        while self.len < rows {
            match self.dtype {
                // Its 0 says that there is none.
                DataType::Key { .. } => {
                    self.store.push_default(&self.dtype);
                    self.pushed();
                }
                _ => self.push_null(),
            }
        }
    }

    /// Adds a value. Integers go to every integer type that holds them, and to floats that hold them exactly;
    /// text goes to dates, times, bytes (base64) and the words `NaN`, `Infinity`, `-Infinity` to floats.
    pub fn push(&mut self, value: Value<'_>) -> Result<()> {
        if let Value::Null = value {
            self.push_null();
            return Ok(());
        }
        self.store.push(&self.dtype, value).map_err(|e| e.row(self.len as u64))?;
        self.pushed();
        Ok(())
    }

    /// Adds a cell of text in its plainest form. False, and nothing was added, if the type or the text wants more.
    pub(crate) fn push_plain(&mut self, text: &str) -> bool {
        let bytes = text.as_bytes();
        let pushed = match (&mut self.store, &self.dtype) {
            (Store::Str(b), DataType::String) => b.push(text).is_ok(),
            (Store::I64(b), DataType::I64) => keep(b, plain::integer(bytes)),
            (Store::I64(b), DataType::TimestampUs) => keep(b, plain::moment(bytes)),
            (Store::I32(b), DataType::Date) => keep(b, plain::date(bytes)),
            (Store::F64(b), _) => keep(b, plain::float(text)),
            (Store::Bool(b), _) => match text {
                "true" | "false" => {
                    b.push(text == "true");
                    true
                }
                _ => false,
            },
            _ => false,
        };
        if pushed {
            self.pushed();
        }
        pushed
    }

    /// Adds a JSON value: as [`push`](Self::push), arrays as vectors, anything at all to a column of JSON.
    #[doc(hidden)]
    pub fn push_json(&mut self, json: &Json) -> Result<()> {
        if self.dtype == DataType::Json && !json.is_null() {
            return self.push(Value::Json(&json.to_string()));
        }
        match (json, &mut self.store) {
            (Json::Array(list), Store::Vector { lengths, counts, items, .. }) => {
                let n = u32::try_from(list.len()).map_err(|_| mismatch(&self.dtype, "an array this long"))?;
                if self.dtype.vector_len().is_some_and(|len| len != n) {
                    return Err(mismatch(&self.dtype, &format!("an array of {n}")).row(self.len as u64));
                }
                // All or nothing: an item that does not fit must leave the column as it was.
                let mut row = ColumnBuilder::new(items.dtype());
                list.iter()
                    .try_for_each(|item| row.push_json(item))
                    .map_err(|e| Error::new(e.code(), e.message()).row(self.len as u64))?;
                let row = row.finish()?;
                (0..row.len()).try_for_each(|i| items.push(row.value(i)))?;
                lengths.push(n);
                counts.push(n);
                self.pushed();
                Ok(())
            }
            (Json::Null, _) => self.push(Value::Null),
            (Json::Bool(b), _) => self.push(Value::Bool(*b)),
            (Json::String(s), _) => self.push(Value::Str(s)),
            (Json::Number(n), _) => match (n.as_u64(), n.as_i64(), n.as_f64()) {
                (Some(n), ..) => self.push(Value::UInt(n)),
                (_, Some(n), _) => self.push(Value::Int(n)),
                (.., Some(x)) => self.push(Value::F64(x)),
                _ => Err(mismatch(&self.dtype, "this number")),
            },
            (other, _) => {
                let what = if other.is_array() { "an array" } else { "an object" };
                Err(mismatch(&self.dtype, what).row(self.len as u64))
            }
        }
    }

    fn pushed(&mut self) {
        if let Some(v) = &mut self.validity {
            v.push(true);
        }
        self.len += 1;
    }

    /// The column.
    pub fn finish(self) -> Result<Column> {
        let data = match self.store {
            Store::Bool(b) => ColumnData::Bool(b.finish()),
            Store::I8(b) => ColumnData::I8(b.into()),
            Store::I16(b) => ColumnData::I16(b.into()),
            Store::I32(b) => ColumnData::I32(b.into()),
            Store::I64(b) => ColumnData::I64(b.into()),
            Store::U8(b) => ColumnData::U8(b.into()),
            Store::U16(b) => ColumnData::U16(b.into()),
            Store::U32(b) => ColumnData::U32(b.into()),
            Store::U64(b) => ColumnData::U64(b.into()),
            Store::F32(b) => ColumnData::F32(b.into()),
            Store::F64(b) => ColumnData::F64(b.into()),
            Store::U128(b) => ColumnData::U128(b.into()),
            Store::Str(s) if self.dtype == DataType::Bytes => ColumnData::Bytes(s.finish_binary()),
            Store::Str(s) => ColumnData::Str(s.finish()),
            Store::Offset(ticks, minutes) => ColumnData::Offset { ticks: ticks.into(), minutes: minutes.into() },
            Store::Vector { lengths, counts, indices, items } => {
                let items = items.finish()?;
                ColumnData::Vector(VectorColumn::sparse(lengths.into(), &counts, indices.into(), items)?)
            }
        };
        Column::new(self.dtype, data, self.validity.map(BitmapBuilder::finish))
    }
}

impl Store {
    fn new(dtype: &DataType) -> Self {
        use DataType as T;
        match dtype {
            T::Bool => Store::Bool(BitmapBuilder::default()),
            T::I8 => Store::I8(vec![]),
            T::I16 => Store::I16(vec![]),
            T::I32 | T::Date => Store::I32(vec![]),
            T::I64 | T::TimeUs | T::TimestampMs | T::TimestampUs | T::TimestampNs | T::Ticks | T::DateTime => {
                Store::I64(vec![])
            }
            T::U8 | T::Key { inner: KeyType::U8, .. } => Store::U8(vec![]),
            T::U16 | T::Key { inner: KeyType::U16, .. } => Store::U16(vec![]),
            T::U32 | T::Key { inner: KeyType::U32, .. } => Store::U32(vec![]),
            T::U64 | T::Key { inner: KeyType::U64, .. } => Store::U64(vec![]),
            T::F32 => Store::F32(vec![]),
            T::F64 => Store::F64(vec![]),
            T::RowId => Store::U128(vec![]),
            T::DateTimeOffset => Store::Offset(vec![], vec![]),
            T::String | T::Bytes | T::Json => Store::Str(StringsBuilder::default()),
            T::Vector { item, .. } => Store::Vector {
                lengths: vec![],
                counts: vec![],
                indices: vec![],
                items: Box::new(ColumnBuilder::new(item)),
            },
        }
    }

    fn push_default(&mut self, dtype: &DataType) {
        match self {
            Store::Bool(b) => b.push(false),
            Store::I8(b) => b.push(0),
            Store::I16(b) => b.push(0),
            Store::I32(b) => b.push(0),
            Store::I64(b) => b.push(0),
            Store::U8(b) => b.push(0),
            Store::U16(b) => b.push(0),
            Store::U32(b) => b.push(0),
            Store::U64(b) => b.push(0),
            Store::F32(b) => b.push(0.0),
            Store::F64(b) => b.push(0.0),
            Store::U128(b) => b.push(0),
            // An empty string always fits: it adds no bytes.
            Store::Str(s) => s.push("").unwrap_or_default(),
            Store::Offset(ticks, minutes) => {
                ticks.push(0);
                minutes.push(0);
            }
            // A vector of a fixed length keeps it: nothing explicit, all default.
            Store::Vector { lengths, counts, .. } => {
                lengths.push(dtype.vector_len().unwrap_or(0));
                counts.push(0);
            }
        }
    }

    fn push(&mut self, dtype: &DataType, value: Value<'_>) -> Result<()> {
        let wrong = || mismatch(dtype, &describe(&value));
        macro_rules! integer {
            ($b:ident) => {{
                let n = match value {
                    Value::Int(n) => n.try_into().ok(),
                    Value::UInt(n) | Value::Key(n) => n.try_into().ok(),
                    _ => None,
                };
                $b.push(n.ok_or_else(wrong)?);
            }};
        }
        match self {
            Store::Bool(b) => match value {
                Value::Bool(x) => b.push(x),
                _ => return Err(wrong()),
            },
            Store::I8(b) => integer!(b),
            Store::I16(b) => integer!(b),
            Store::I32(b) if *dtype == DataType::Date => b.push(date(&value).ok_or_else(wrong)?),
            Store::I32(b) => integer!(b),
            Store::I64(b) if *dtype != DataType::I64 => b.push(time(dtype, &value).ok_or_else(wrong)?),
            Store::I64(b) => integer!(b),
            Store::U8(b) => integer!(b),
            Store::U16(b) => integer!(b),
            Store::U32(b) => integer!(b),
            Store::U64(b) => integer!(b),
            Store::F32(b) => b.push(single(&value).ok_or_else(wrong)?),
            Store::F64(b) => b.push(double(&value).ok_or_else(wrong)?),
            Store::U128(b) => b.push(match value {
                Value::RowId(n) => n,
                Value::Str(s) if s.len() == 32 => u128::from_str_radix(s, 16).map_err(|_| wrong())?,
                _ => return Err(wrong()),
            }),
            Store::Str(b) => match (dtype, value) {
                (DataType::String, Value::Str(s)) | (DataType::Json, Value::Json(s)) => b.push(s)?,
                (DataType::Json, other) => b.push(&other.to_json(Default::default()))?,
                (DataType::Bytes, Value::Bytes(s)) => b.push_bytes(s)?,
                (DataType::Bytes, Value::Str(s)) => {
                    b.push_bytes(&BASE64_STANDARD.decode(s).map_err(|_| wrong())?)?;
                }
                _ => return Err(wrong()),
            },
            Store::Offset(all_ticks, all_minutes) => match value {
                Value::Time(Clock::DateTimeOffset { ticks, minutes }) => {
                    all_ticks.push(ticks);
                    all_minutes.push(minutes);
                }
                _ => return Err(wrong()),
            },
            Store::Vector { lengths, counts, indices, items } => match value {
                Value::Vector { row, items: from }
                    if from.dtype() == items.dtype() && dtype.vector_len().is_none_or(|n| n == row.len) =>
                {
                    (row.first..row.first + row.count).try_for_each(|i| items.push(from.value(i)))?;
                    lengths.push(row.len);
                    counts.push(row.count as u32);
                    indices.extend_from_slice(row.indices.unwrap_or_default());
                }
                _ => return Err(wrong()),
            },
        }
        Ok(())
    }
}

fn keep<T>(store: &mut Vec<T>, value: Option<T>) -> bool {
    let known = value.is_some();
    store.extend(value);
    known
}

fn date(value: &Value<'_>) -> Option<i32> {
    match *value {
        Value::Time(Clock::Date(days)) => Some(days),
        Value::Str(s) => parse_date(s),
        _ => None,
    }
}

fn time(dtype: &DataType, value: &Value<'_>) -> Option<i64> {
    match (dtype, *value) {
        (DataType::TimeUs, Value::Time(Clock::TimeUs(n)))
        | (DataType::TimestampMs, Value::Time(Clock::TimestampMs(n)))
        | (DataType::TimestampUs, Value::Time(Clock::TimestampUs(n)))
        | (DataType::TimestampNs, Value::Time(Clock::TimestampNs(n)))
        | (DataType::Ticks, Value::Time(Clock::Ticks(n)))
        | (DataType::DateTime, Value::Time(Clock::DateTime(n))) => Some(n),
        (DataType::TimestampUs, Value::Time(Clock::TimestampMs(n))) => n.checked_mul(1000),
        (DataType::TimestampNs, Value::Time(Clock::TimestampMs(n))) => n.checked_mul(1_000_000),
        (DataType::TimestampNs, Value::Time(Clock::TimestampUs(n))) => n.checked_mul(1000),
        (DataType::TimestampUs, Value::Str(s)) => parse_timestamp_us(s),
        (DataType::TimestampNs, Value::Str(s)) => parse_timestamp_ns(s),
        (DataType::TimestampMs, Value::Str(s)) => parse_timestamp_us(s).filter(|us| us % 1000 == 0).map(|us| us / 1000),
        (DataType::TimeUs, Value::Str(s)) => parse_clock(s),
        _ => None,
    }
}

fn word(s: &str) -> Option<f64> {
    match s {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

fn double(value: &Value<'_>) -> Option<f64> {
    match *value {
        Value::F64(x) => Some(x),
        Value::F32(x) => Some(x.into()),
        Value::Int(n) => Some(n as f64).filter(|x| *x as i128 == i128::from(n)),
        Value::UInt(n) => Some(n as f64).filter(|x| *x as i128 == i128::from(n)),
        Value::Str(s) => word(s),
        _ => None,
    }
}

fn single(value: &Value<'_>) -> Option<f32> {
    match *value {
        Value::F32(x) => Some(x),
        _ => double(value).map(|x| (x, x as f32)).filter(|(x, y)| x.is_nan() || f64::from(*y) == *x).map(|(_, y)| y),
    }
}

fn describe(value: &Value<'_>) -> String {
    match value {
        Value::Vector { row, items } => format!("a vector of {} {}", row.len, items.dtype()),
        Value::Bytes(b) => format!("{} bytes", b.len()),
        other => {
            let text = other.to_json(Default::default());
            let short: String = text.chars().take(60).collect();
            if short.len() < text.len() { format!("{short}...") } else { short }
        }
    }
}

fn mismatch(dtype: &DataType, what: &str) -> Error {
    Error::new(&codes::VALUE, format!("{what} does not fit a column of {dtype}"))
}

impl Column {
    /// The same values in another type; one that does not fit is an error with its row.
    #[doc(hidden)]
    pub fn cast(&self, dtype: &DataType) -> Result<Column> {
        if self.dtype() == dtype {
            return Ok(self.clone());
        }
        let mut out = ColumnBuilder::new(dtype);
        (0..self.len()).try_for_each(|i| out.push(self.value(i)))?;
        out.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(dtype: DataType, cells: &[Json]) -> Result<Column> {
        let mut b = ColumnBuilder::new(&dtype);
        cells.iter().try_for_each(|c| b.push_json(c))?;
        b.finish()
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_row() {
        let e = build(DataType::U8, &[255.into(), 256.into()]).unwrap_err();
        assert_eq!((e.code().id(), e.place().row), ("table.value", Some(1)));
        assert!(build(DataType::I64, &[u64::MAX.into()]).is_err());
        assert!(build(DataType::F64, &[(u64::MAX).into()]).is_err());
        assert!(build(DataType::F32, &[0.1.into()]).is_err());
        assert!(build(DataType::F32, &[0.5.into(), "NaN".into(), 3.into()]).is_ok());
        assert!(build(DataType::String, &[1.into()]).is_err());
        assert!(build(DataType::Date, &["2024-02-30".into()]).is_err());
    }

    #[test]
    fn nulls_keep_their_row_in_every_type() {
        let fixed = DataType::Vector { item: Box::new(DataType::F32), dims: vec![2] };
        for dtype in [DataType::Bool, DataType::U64, DataType::String, DataType::Bytes, DataType::DateTimeOffset, fixed]
        {
            let mut b = ColumnBuilder::new(&dtype);
            b.push_null();
            b.push_null();
            let c = b.finish().unwrap();
            assert_eq!((c.len(), c.null_count()), (2, 2), "{dtype}");
        }
    }

    #[test]
    fn arrays_become_vectors() {
        let c = build(DataType::vector(DataType::U8, None), &[serde_json::json!([1, 2]), serde_json::json!([])]);
        assert_eq!(c.unwrap().value(0).to_json(Default::default()), "[1,2]");
        assert!(build(DataType::vector(DataType::U8, Some(3)), &[serde_json::json!([1, 2])]).is_err());
        assert!(build(DataType::vector(DataType::U8, None), &[serde_json::json!([300])]).is_err());
    }
}
