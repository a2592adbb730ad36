//! What the columns of a table are called and what they hold.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::Arc,
};

use super::{Column, codes};
use crate::error::{Error, Result};

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

/// Something known about a column beside its values: a name and a column of exactly one row.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Annotation {
    /// Its name.
    pub name: String,
    /// Its value, in row 0.
    pub value: Column,
}

/// One column's name and type.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Field {
    /// The name. Names may repeat; a name then means the last column that has it.
    pub name: String,
    /// The type of the column.
    pub dtype: DataType,
    /// True where values may be missing.
    pub nullable: bool,
    /// Annotations of the column.
    pub metadata: Vec<Annotation>,
}

impl Field {
    /// The annotation with a key's categories: a vector, the category of key 1 first.
    #[doc(hidden)]
    pub const KEY_VALUES: &'static str = "KeyValues";
    /// The annotation with the names of a vector's slots.
    #[doc(hidden)]
    pub const SLOT_NAMES: &'static str = "SlotNames";

    /// A column without missing values.
    pub fn new(name: impl Into<String>, dtype: DataType) -> Self {
        Field { name: name.into(), dtype, nullable: false, metadata: Vec::new() }
    }
    /// The same column, where values may be missing.
    #[must_use]
    pub fn nullable(mut self) -> Self {
        self.nullable = true;
        self
    }
    /// Adds an annotation, a column of one row.
    #[must_use]
    #[doc(hidden)]
    pub fn with(mut self, name: impl Into<String>, value: Column) -> Self {
        self.metadata.push(Annotation { name: name.into(), value });
        self
    }
    /// The annotation of this name.
    #[doc(hidden)]
    pub fn annotation(&self, name: &str) -> Option<&Column> {
        self.metadata.iter().find(|a| a.name == name).map(|a| &a.value)
    }
}

/// The columns of a table, in order.
///
/// ```
/// use std::sync::Arc;
/// use forebay::table::{Batch, Column, DataType, Field, Schema};
/// let schema = Arc::new(Schema::new(vec![Field::new("name", DataType::String).nullable()])?);
/// let batch = Batch::new(schema.clone(), vec![Column::strings([Some("Ada"), None])])?;
/// assert_eq!((schema.fields()[0].name.as_str(), schema.is_empty()), ("name", false));
/// assert_eq!(batch.column_by_name("name").and_then(|names| names.str(0)), Some("Ada"));
/// for (field, value) in batch.row(1)?.cells() {
///     println!("{}: {value:?}", field.name);
/// }
/// # Ok::<(), forebay::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Schema {
    fields: Vec<Field>,
}

impl Schema {
    /// Refuses vectors of anything but scalars, and keys that their integer cannot count.
    pub fn new(fields: Vec<Field>) -> Result<Self> {
        fields.iter().try_for_each(|f| check(&f.dtype).map_err(|e| e.column(&f.name)))?;
        Ok(Schema { fields })
    }
    /// Refuses columns of one name, where rows become objects: an object has each name once.
    pub(crate) fn one_of_each_name(&self) -> Result<()> {
        let mut seen = HashSet::new();
        match self.fields.iter().find(|field| !seen.insert(&field.name)) {
            Some(field) => {
                let message = "an object has each name once; choose among the columns";
                Err(Error::new(&codes::TARGET, message).column(&field.name).with_options(&["columns"]))
            }
            None => Ok(()),
        }
    }
    /// The columns.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }
    /// How many columns there are.
    pub fn len(&self) -> usize {
        self.fields.len()
    }
    /// True without columns.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }
    /// The column of that number.
    pub fn field(&self, i: usize) -> Result<&Field> {
        self.fields.get(i).ok_or_else(|| {
            Error::new(&codes::COLUMN, format!("column {i} of a table of {} columns", self.fields.len()))
        })
    }
    /// The number of the last column of that name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.fields.iter().rposition(|f| f.name == name)
    }
    /// The numbers of the columns of these names, in this order.
    #[doc(hidden)]
    pub fn positions<S: AsRef<str>>(&self, names: impl IntoIterator<Item = S>) -> Result<Vec<usize>> {
        // Found one by one at first; for many names it pays to list all columns once.
        const FEW: usize = 16;
        let mut listed: Option<HashMap<&str, usize>> = None;
        let find = |(n, name): (usize, S)| {
            let name = name.as_ref();
            let found = match &listed {
                Some(listed) => listed.get(name).copied(),
                None if n < FEW => self.position(name),
                None => {
                    let all = self.fields.iter().enumerate().map(|(i, field)| (field.name.as_str(), i));
                    listed.insert(all.collect()).get(name).copied()
                }
            };
            found.ok_or_else(|| self.unknown(name))
        };
        names.into_iter().enumerate().map(find).collect()
    }
    /// A schema of some of the columns, in the order given.
    #[doc(hidden)]
    pub fn project(&self, columns: &[usize]) -> Result<Arc<Schema>> {
        let fields = columns.iter().map(|&i| self.field(i).cloned()).collect::<Result<_>>()?;
        Ok(Arc::new(Schema { fields }))
    }

    fn unknown(&self, name: &str) -> Error {
        let names: Vec<_> = self.fields.iter().take(20).map(|f| f.name.as_str()).collect();
        Error::new(&codes::COLUMN, format!("there is no column {name:?}; the columns are: {}", names.join(", ")))
    }
}

fn check(dtype: &DataType) -> Result<()> {
    match dtype {
        DataType::Vector { item, .. } if matches!(**item, DataType::Vector { .. } | DataType::Json) => {
            Err(Error::new(&codes::SHAPE, "vectors hold scalars only"))
        }
        DataType::Vector { item, .. } => check(item),
        DataType::Key { inner, count } if *count > inner.max() => {
            Err(Error::new(&codes::SHAPE, format!("{count} categories do not fit a {}", inner.name())))
        }
        _ => Ok(()),
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

    #[test]
    fn a_repeated_name_means_the_last_column() {
        let s = Schema::new(vec![Field::new("a", DataType::U8), Field::new("a", DataType::U16)]).unwrap();
        assert_eq!(s.position("a"), Some(1));
        assert_eq!(s.positions(["b"]).unwrap_err().code().id(), "table.column");
        assert!(Schema::new(vec![Field::new("k", DataType::Key { inner: KeyType::U8, count: 256 })]).is_err());
    }
}
