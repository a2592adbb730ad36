//! What fields hold, and when two of them are equal or in order.

use std::{borrow::Cow, cmp::Ordering};

use super::{Path, SampleBox, time::Time};

/// A field's value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value<'a> {
    /// The field does not exist or is null.
    Null,
    /// True or false.
    Bool(bool),
    /// Any integer of 64 bits, with or without sign.
    Int(i128),
    /// A float.
    Float(f64),
    /// Text.
    Str(Cow<'a, str>),
    /// A time of a table's column: in order by when it is, and a text beside it is read as such a time.
    #[doc(hidden)]
    Time(Time),
    /// A list, for `in`.
    List(Vec<Value<'a>>),
    /// Something that exists and compares with nothing: an object, bytes.
    Opaque,
}

/// Something that has fields: a sample, a table's row.
pub trait Record {
    /// The value at `path`; [`Value::Null`] where there is none.
    fn field(&self, path: &Path) -> Value<'_>;

    /// True if the list at `path` has an element equal to `item`.
    fn contains(&self, path: &Path, item: &Value<'_>) -> bool {
        matches!(self.field(path), Value::List(list) if list.iter().any(|element| element.same(item)))
    }

    /// The boxes that `any` and `count` look at.
    #[doc(hidden)]
    fn boxes(&self) -> &[SampleBox] {
        &[]
    }
}

impl<R: Record + ?Sized> Record for &R {
    fn field(&self, path: &Path) -> Value<'_> {
        (**self).field(path)
    }
    fn contains(&self, path: &Path, item: &Value<'_>) -> bool {
        (**self).contains(path, item)
    }
    fn boxes(&self) -> &[SampleBox] {
        (**self).boxes()
    }
}

macro_rules! from_int {
    ($($t:ty)*) => {$(
        impl From<$t> for Value<'_> {
            fn from(n: $t) -> Self {
                Value::Int(i128::from(n))
            }
        }
    )*};
}
from_int!(u8 u16 u32 u64 i8 i16 i32 i64);

impl From<f64> for Value<'_> {
    fn from(x: f64) -> Self {
        Value::Float(x)
    }
}

impl From<bool> for Value<'_> {
    fn from(b: bool) -> Self {
        Value::Bool(b)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Value::Str(Cow::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Value::Str(Cow::Owned(text))
    }
}

impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

impl<'a> From<&'a serde_json::Value> for Value<'a> {
    fn from(json: &'a serde_json::Value) -> Self {
        use serde_json::Value as Json;
        match json {
            Json::Null => Value::Null,
            Json::Bool(b) => Value::Bool(*b),
            Json::Number(n) => match (n.as_u64(), n.as_i64()) {
                (Some(n), _) => n.into(),
                (_, Some(n)) => n.into(),
                _ => n.as_f64().into(),
            },
            Json::String(text) => Value::Str(Cow::Borrowed(text)),
            Json::Array(list) => Value::List(list.iter().map(Value::from).collect()),
            Json::Object(_) => Value::Opaque,
        }
    }
}

#[doc(hidden)]
impl Value<'_> {
    /// The value as the name of a class; `None` if it can be none.
    pub fn label(&self) -> Option<String> {
        match self {
            Value::Bool(b) => Some(b.to_string()),
            Value::Int(n) => Some(n.to_string()),
            Value::Float(x) => Some(x.to_string()),
            Value::Str(text) => Some(text.to_string()),
            Value::Time(time) => Some(time.to_string()),
            Value::Null | Value::List(_) | Value::Opaque => None,
        }
    }

    /// The order of two values of one kind; `None` if there is none.
    pub fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
            (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
            (Value::Int(a), Value::Float(b)) => int_to_float(*a, *b),
            (Value::Float(a), Value::Int(b)) => int_to_float(*b, *a).map(Ordering::reverse),
            (Value::Str(a), Value::Str(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
            (Value::Time(a), Value::Time(b)) => a.order(*b),
            (Value::Time(a), Value::Str(b)) => a.order(a.first(b)?),
            (Value::Str(a), Value::Time(b)) => b.first(a)?.order(*b),
            _ => None,
        }
    }

    /// Equality by value; nulls are compared by the caller.
    pub(crate) fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::List(a), Value::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b)),
            (Value::Null, Value::Null) => true,
            _ => self.order(other) == Some(Ordering::Equal),
        }
    }
}

/// Compares exactly: 2^53 + 1 is more than the float 2^53, to which it would round.
fn int_to_float(a: i128, b: f64) -> Option<Ordering> {
    if b.is_nan() {
        return None;
    }
    // Beyond 2^100 a float is larger than every integer of 64 bits; below, the cast is exact.
    let limit = (1_i128 << 100) as f64;
    if b.abs() >= limit {
        return Some(if b > 0.0 { Ordering::Less } else { Ordering::Greater });
    }
    let whole = b.trunc();
    Some(a.cmp(&(whole as i128)).then(0.0_f64.partial_cmp(&(b - whole))?))
}
