//! The types of columns.

use std::fmt;

/// The types that are neither keys nor vectors, and their names.
static SIMPLE: [(DataType, &str); 23] = [
    (DataType::Bool, "bool"),
    (DataType::I8, "i8"),
    (DataType::I16, "i16"),
    (DataType::I32, "i32"),
    (DataType::I64, "i64"),
    (DataType::U8, "u8"),
    (DataType::U16, "u16"),
    (DataType::U32, "u32"),
    (DataType::U64, "u64"),
    (DataType::F32, "f32"),
    (DataType::F64, "f64"),
    (DataType::String, "string"),
    (DataType::Bytes, "bytes"),
    (DataType::Date, "date"),
    (DataType::TimeUs, "time_us"),
    (DataType::TimestampMs, "timestamp_ms"),
    (DataType::TimestampUs, "timestamp_us"),
    (DataType::TimestampNs, "timestamp_ns"),
    (DataType::Ticks, "ticks"),
    (DataType::DateTime, "datetime"),
    (DataType::DateTimeOffset, "datetime_offset"),
    (DataType::RowId, "row_id"),
    (DataType::Json, "json"),
];

/// The type of a column.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum DataType {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
    /// UTF-8 text.
    String,
    /// Any bytes.
    Bytes,
    /// Days since 1970-01-01, 32 bits.
    Date,
    /// Microseconds since midnight, 64 bits.
    TimeUs,
    /// Milliseconds since 1970-01-01T00:00:00, 64 bits.
    TimestampMs,
    /// Microseconds since 1970-01-01T00:00:00, 64 bits.
    TimestampUs,
    /// Nanoseconds since 1970-01-01T00:00:00, 64 bits: the years 1677 to 2262.
    TimestampNs,
    /// A span of time in ticks of 100 ns, 64 bits (IDV).
    Ticks,
    /// Ticks of 100 ns since 0001-01-01T00:00:00 on an unnamed clock (IDV).
    DateTime,
    /// As [`DateTime`](Self::DateTime) by the local clock, and the clock's minutes east of UTC (IDV).
    DateTimeOffset,
    /// A row's 128-bit name (IDV).
    RowId,
    /// A category: 0 is missing, 1 to `count` are categories, whose names may stand in the field's
    /// annotation [`Field::KEY_VALUES`].
    Key {
        inner: KeyType,
        count: u64,
    },
    /// A vector of scalars. `dims` are its dimensions, row-major; none, or one that is 0, means that the length
    /// differs from row to row.
    Vector {
        item: Box<DataType>,
        dims: Vec<u32>,
    },
    /// Any JSON value, as its text.
    Json,
}

/// How keys are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum KeyType {
    U8,
    U16,
    U32,
    U64,
}

#[doc(hidden)]
impl KeyType {
    /// The largest key this can store.
    pub const fn max(self) -> u64 {
        match self {
            KeyType::U8 => u8::MAX as u64,
            KeyType::U16 => u16::MAX as u64,
            KeyType::U32 => u32::MAX as u64,
            KeyType::U64 => u64::MAX,
        }
    }
    /// The word for the integer.
    pub const fn name(self) -> &'static str {
        match self {
            KeyType::U8 => "u8",
            KeyType::U16 => "u16",
            KeyType::U32 => "u32",
            KeyType::U64 => "u64",
        }
    }
    /// The integer as a type of its own.
    pub const fn integer(self) -> DataType {
        match self {
            KeyType::U8 => DataType::U8,
            KeyType::U16 => DataType::U16,
            KeyType::U32 => DataType::U32,
            KeyType::U64 => DataType::U64,
        }
    }
}

impl DataType {
    /// A vector of one dimension; `None` for a length that differs from row to row.
    pub fn vector(item: DataType, len: Option<u32>) -> Self {
        DataType::Vector { item: Box::new(item), dims: vec![len.unwrap_or(0)] }
    }

    /// The fixed length of a vector: the product of its dimensions. `None` for a vector whose length differs
    /// and for everything else.
    #[doc(hidden)]
    pub fn vector_len(&self) -> Option<u32> {
        match self {
            DataType::Vector { dims, .. } if !dims.is_empty() => {
                dims.iter().try_fold(1u32, |n, &d| n.checked_mul(d)).filter(|&n| n > 0)
            }
            _ => None,
        }
    }

    /// True for the eight integer types.
    #[doc(hidden)]
    pub const fn is_integer(&self) -> bool {
        use DataType::*;
        matches!(self, I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64)
    }

    /// The types that are neither keys nor vectors.
    #[doc(hidden)]
    pub fn simple() -> impl Iterator<Item = DataType> {
        SIMPLE.iter().map(|(dtype, _)| dtype.clone())
    }

    /// The simple type with this name, as [`Display`](fmt::Display) writes it.
    pub fn from_name(name: &str) -> Option<Self> {
        SIMPLE.iter().find(|(_, known)| *known == name).map(|(dtype, _)| dtype.clone())
    }

    fn simple_name(&self) -> Option<&'static str> {
        SIMPLE.iter().find(|(dtype, _)| dtype == self).map(|(_, name)| *name)
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DataType::Key { inner, count } => write!(f, "key<{}, {count}>", inner.name()),
            DataType::Vector { item, dims } if matches!(dims[..], [] | [0]) => write!(f, "vector<{item}>"),
            DataType::Vector { item, dims } => {
                let dims: Vec<_> = dims.iter().map(u32::to_string).collect();
                write!(f, "vector<{item}, {}>", dims.join("x"))
            }
            simple => f.write_str(simple.simple_name().unwrap_or("unknown")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_read_back_by_name_and_print_their_shape() {
        for name in ["bool", "u64", "timestamp_us", "datetime_offset", "json"] {
            assert_eq!(DataType::from_name(name).unwrap().to_string(), name);
        }
        let v = DataType::Vector { item: Box::new(DataType::F32), dims: vec![2, 3] };
        assert_eq!((v.to_string(), v.vector_len()), ("vector<f32, 2x3>".into(), Some(6)));
        assert_eq!(DataType::vector(DataType::U8, None).to_string(), "vector<u8>");
        assert_eq!(DataType::Vector { item: Box::new(DataType::F32), dims: vec![u32::MAX; 4] }.vector_len(), None);
    }
}
