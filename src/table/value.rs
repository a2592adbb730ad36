//! One cell.

use std::borrow::Cow;

use super::{Clock, Column, ColumnData, DataType, VectorRow};
use crate::filter::Value as Filtered;

/// One cell of a table, borrowed from its column.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Value<'a> {
    /// Missing.
    Null,
    /// True or false.
    Bool(bool),
    /// A signed integer of any width.
    Int(i64),
    /// An unsigned integer of any width.
    UInt(u64),
    /// 32 bits.
    F32(f32),
    /// 64 bits.
    F64(f64),
    /// Text.
    Str(&'a str),
    /// Bytes.
    Bytes(&'a [u8]),
    /// A date, a time or a span of time.
    Time(Clock),
    /// 128 bits.
    RowId(u128),
    /// A category, 0 for none.
    Key(u64),
    /// The text of a JSON value.
    Json(&'a str),
    /// A vector and the column of all explicit items.
    Vector {
        /// Which of the items are this vector's, and where they belong.
        row: VectorRow<'a>,
        /// The items of the whole column.
        items: &'a Column,
    },
}

impl Column {
    /// The cell in row `i`; [`Value::Null`] past the end.
    pub fn value(&self, i: usize) -> Value<'_> {
        use ColumnData as C;
        if i >= self.len() || self.is_null(i) {
            return Value::Null;
        }
        macro_rules! at {
            ($b:expr) => {
                $b.get(i).copied().unwrap_or_default()
            };
        }
        let key = matches!(self.dtype(), DataType::Key { .. });
        let unsigned = |n: u64| if key { Value::Key(n) } else { Value::UInt(n) };
        match self.data() {
            C::Bool(b) => Value::Bool(b.get(i)),
            C::I8(b) => Value::Int(at!(b).into()),
            C::I16(b) => Value::Int(at!(b).into()),
            C::I32(b) if *self.dtype() == DataType::Date => Value::Time(Clock::Date(at!(b))),
            C::I32(b) => Value::Int(at!(b).into()),
            C::I64(b) => match self.dtype() {
                DataType::TimeUs => Value::Time(Clock::TimeUs(at!(b))),
                DataType::TimestampMs => Value::Time(Clock::TimestampMs(at!(b))),
                DataType::TimestampUs => Value::Time(Clock::TimestampUs(at!(b))),
                DataType::TimestampNs => Value::Time(Clock::TimestampNs(at!(b))),
                DataType::Ticks => Value::Time(Clock::Ticks(at!(b))),
                DataType::DateTime => Value::Time(Clock::DateTime(at!(b))),
                _ => Value::Int(at!(b)),
            },
            C::U8(b) => unsigned(at!(b).into()),
            C::U16(b) => unsigned(at!(b).into()),
            C::U32(b) => unsigned(at!(b).into()),
            C::U64(b) => unsigned(at!(b)),
            C::F32(b) => Value::F32(at!(b)),
            C::F64(b) => Value::F64(at!(b)),
            C::U128(b) => Value::RowId(at!(b)),
            C::Str(s) if *self.dtype() == DataType::Json => Value::Json(s.get(i)),
            C::Str(s) => Value::Str(s.get(i)),
            C::Dict(d) => Value::Str(d.get(i)),
            C::Bytes(b) => Value::Bytes(b.get(i)),
            C::Offset { ticks, minutes } => {
                Value::Time(Clock::DateTimeOffset { ticks: at!(ticks), minutes: at!(minutes) })
            }
            C::Vector(v) => Value::Vector { row: v.row(i), items: v.items() },
        }
    }
}

impl Value<'_> {
    /// True where both are the same, floats by their bits.
    #[doc(hidden)]
    pub fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::UInt(a), Value::UInt(b)) | (Value::Key(a), Value::Key(b)) => a == b,
            (Value::F32(a), Value::F32(b)) => a.to_bits() == b.to_bits(),
            (Value::F64(a), Value::F64(b)) => a.to_bits() == b.to_bits(),
            (Value::Str(a), Value::Str(b)) | (Value::Json(a), Value::Json(b)) => a == b,
            (Value::Bytes(a), Value::Bytes(b)) => a == b,
            (Value::Time(a), Value::Time(b)) => a == b,
            (Value::RowId(a), Value::RowId(b)) => a == b,
            (Value::Vector { row: a, items: x }, Value::Vector { row: b, items: y }) => {
                a.len == b.len
                    && a.count == b.count
                    && a.indices == b.indices
                    && (0..a.count).all(|k| x.value(a.first + k).same(&y.value(b.first + k)))
            }
            _ => false,
        }
    }
}

impl<'a> From<Value<'a>> for crate::filter::Value<'a> {
    /// What the filter language sees: times compare with their ISO text, keys are numbers (a missing key is null),
    /// vectors are lists.
    fn from(value: Value<'a>) -> Self {
        use crate::filter::Value as F;
        match value {
            Value::Null | Value::Key(0) => F::Null,
            Value::Bool(b) => b.into(),
            Value::Int(n) => n.into(),
            Value::UInt(n) | Value::Key(n) => n.into(),
            Value::F32(x) => f64::from(x).into(),
            Value::F64(x) => x.into(),
            Value::Str(s) => s.into(),
            Value::Time(time) => F::Time(time.into()),
            Value::RowId(n) => format!("{n:032x}").into(),
            Value::Json(text) => match serde_json::from_str::<serde_json::Value>(text) {
                Ok(json) => owned(&F::from(&json)),
                Err(_) => F::Opaque,
            },
            Value::Vector { row, items } if row.indices.is_none() => {
                F::List((row.first..row.first + row.count).map(|i| items.value(i).into()).collect())
            }
            Value::Bytes(_) | Value::Vector { .. } => F::Opaque,
        }
    }
}

/// The same value, of no record.
pub(super) fn owned(value: &Filtered<'_>) -> Filtered<'static> {
    match value {
        Filtered::Null => Filtered::Null,
        Filtered::Bool(b) => Filtered::Bool(*b),
        Filtered::Int(n) => Filtered::Int(*n),
        Filtered::Float(x) => Filtered::Float(*x),
        Filtered::Str(s) => Filtered::Str(Cow::Owned(s.clone().into_owned())),
        Filtered::Time(time) => Filtered::Time(*time),
        Filtered::List(list) => Filtered::List(list.iter().map(owned).collect()),
        _ => Filtered::Opaque,
    }
}
