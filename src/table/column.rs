//! One column: what its values mean, the values, and which of them exist.

use super::{Binary, Bitmap, Buffer, DataType, DictStrings, KeyType, Strings, StringsBuilder, codes};
use crate::error::{Error, Result};

/// The stored values of a column.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum ColumnData {
    Bool(Bitmap),
    I8(Buffer<i8>),
    I16(Buffer<i16>),
    I32(Buffer<i32>),
    I64(Buffer<i64>),
    U8(Buffer<u8>),
    U16(Buffer<u16>),
    U32(Buffer<u32>),
    U64(Buffer<u64>),
    F32(Buffer<f32>),
    F64(Buffer<f64>),
    U128(Buffer<u128>),
    /// Texts; also JSON.
    Str(Strings),
    /// Texts that are stored once each.
    Dict(DictStrings),
    Bytes(Binary),
    /// Clock times with their offset from UTC.
    Offset {
        ticks: Buffer<i64>,
        minutes: Buffer<i16>,
    },
    Vector(VectorColumn),
}

/// Runs the same code for each variant with numbers.
macro_rules! for_numbers {
    ($data:expr, $b:ident => $with:expr, $($rest:tt)*) => {
        match $data {
            ColumnData::I8($b) => $with,
            ColumnData::I16($b) => $with,
            ColumnData::I32($b) => $with,
            ColumnData::I64($b) => $with,
            ColumnData::U8($b) => $with,
            ColumnData::U16($b) => $with,
            ColumnData::U32($b) => $with,
            ColumnData::U64($b) => $with,
            ColumnData::F32($b) => $with,
            ColumnData::F64($b) => $with,
            ColumnData::U128($b) => $with,
            $($rest)*
        }
    };
}

/// A column of vectors. The explicit items of all rows stand one after the other in `items`.
///
/// A row with as many items as its length is dense; one with fewer is sparse and lists where its items belong.
/// The positions that a sparse row does not list hold the item type's default (0, false, "").
#[derive(Clone, Debug, PartialEq)]
pub struct VectorColumn {
    pub(super) lengths: Buffer<u32>,
    /// Where each row's items begin in `items`; one entry more than rows.
    pub(super) item_offsets: Buffer<u32>,
    /// Where each row's indices begin in `indices`; empty if every row is dense.
    pub(super) index_offsets: Buffer<u32>,
    pub(super) indices: Buffer<u32>,
    pub(super) items: Box<Column>,
}

/// One row's vector.
#[derive(Clone, Copy, Debug)]
pub struct VectorRow<'a> {
    /// How long the vector is.
    pub len: u32,
    /// Where the explicit items begin in [`VectorColumn::items`].
    pub first: usize,
    /// How many explicit items there are.
    pub count: usize,
    /// Where they belong; `None` if the row is dense.
    pub indices: Option<&'a [u32]>,
}

impl ColumnData {
    /// How many values are stored.
    pub fn len(&self) -> usize {
        for_numbers!(self, b => b.len(),
            ColumnData::Bool(b) => b.len(),
            ColumnData::Str(s) => s.len(),
            ColumnData::Dict(d) => d.len(),
            ColumnData::Bytes(b) => b.len(),
            ColumnData::Offset { ticks, .. } => ticks.len(),
            ColumnData::Vector(v) => v.len(),
        )
    }
    /// True without values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A column. A row whose validity bit is 0 is missing; its slot holds a default that means nothing.
///
/// ```
/// use forebay::table::{ColumnBuilder, DataType, Value};
/// let mut ages = ColumnBuilder::new(&DataType::I64);
/// ages.push(Value::Int(41))?;
/// ages.push_null();
/// let ages = ages.finish()?;
/// assert!(!ages.is_empty() && ages.is_null(1) && ages.null_count() == 1);
/// assert_eq!(ages.as_i64().map(|all| all[0]), Some(41));
/// // Only the column's own type is seen as it lies.
/// assert!(ages.as_f64().is_none() && ages.as_i32().is_none() && ages.as_u8().is_none());
/// # Ok::<(), forebay::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Column {
    dtype: DataType,
    data: ColumnData,
    validity: Option<Bitmap>,
}

impl Column {
    /// Checks that the values are stored as the type asks, and that all lengths agree.
    #[doc(hidden)]
    pub fn new(dtype: DataType, data: ColumnData, validity: Option<Bitmap>) -> Result<Self> {
        if !stores(&dtype, &data) {
            return Err(Error::new(&codes::SHAPE, format!("a column of {dtype} cannot be stored like this")));
        }
        let lengths_agree = match &data {
            ColumnData::Offset { ticks, minutes } => ticks.len() == minutes.len(),
            ColumnData::Vector(v) => dtype.vector_len().is_none_or(|n| v.lengths().iter().all(|&l| l == n)),
            _ => true,
        };
        if !lengths_agree || validity.as_ref().is_some_and(|v| v.len() != data.len()) {
            return Err(Error::new(&codes::SHAPE, "a column's parts differ in length, or vectors from their type"));
        }
        Ok(Column { dtype, data, validity })
    }

    /// A column from parts that are known to fit.
    pub(super) fn from_parts(dtype: DataType, data: ColumnData, validity: Option<Bitmap>) -> Self {
        Column { dtype, data, validity }
    }

    /// A column of optional texts.
    pub fn strings<S: AsRef<str>>(texts: impl IntoIterator<Item = Option<S>>) -> Self {
        let mut valid = super::BitmapBuilder::default();
        let strings: Strings = texts
            .into_iter()
            .map(|t| {
                valid.push(t.is_some());
                t.map_or_else(String::new, |t| t.as_ref().to_owned())
            })
            .collect();
        let valid = Some(valid.finish()).filter(|v| v.len() == strings.len());
        Column { dtype: DataType::String, data: ColumnData::Str(strings), validity: valid }.without_needless_validity()
    }

    /// Returns the type of the values.
    pub fn dtype(&self) -> &DataType {
        &self.dtype
    }
    /// The stored values.
    #[doc(hidden)]
    pub fn data(&self) -> &ColumnData {
        &self.data
    }
    /// Which rows exist; `None` if all do.
    #[doc(hidden)]
    pub fn validity(&self) -> Option<&Bitmap> {
        self.validity.as_ref()
    }
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.data.len()
    }
    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// True where row `i` is missing.
    #[inline]
    pub fn is_null(&self, i: usize) -> bool {
        self.validity.as_ref().is_some_and(|v| !v.get(i))
    }
    /// How many rows are missing.
    pub fn null_count(&self) -> usize {
        self.validity.as_ref().map_or(0, |v| v.len() - v.count_ones())
    }

    /// The text in row `i`, for texts, dictionaries and JSON; empty where missing.
    #[inline]
    pub fn str(&self, i: usize) -> Option<&str> {
        match &self.data {
            ColumnData::Str(s) => Some(s.get(i)),
            ColumnData::Dict(d) => Some(d.get(i)),
            _ => None,
        }
    }

    /// The same values under another type that is stored the same way: a `Date` from `I32`, a key from `U32`.
    #[doc(hidden)]
    pub fn cast_logical(self, dtype: DataType) -> Result<Self> {
        Self::new(dtype, self.data, self.validity)
    }
    /// The same values with these rows missing.
    #[doc(hidden)]
    pub fn with_validity(self, validity: Option<Bitmap>) -> Result<Self> {
        Self::new(self.dtype, self.data, validity)
    }
    /// The same column; a validity that says nothing is left out.
    #[must_use]
    #[doc(hidden)]
    pub fn without_needless_validity(mut self) -> Self {
        if self.validity.as_ref().is_some_and(|v| v.count_ones() == v.len()) {
            self.validity = None;
        }
        self
    }
    /// The same column; texts of a dictionary become plain texts.
    #[doc(hidden)]
    pub fn plain(self) -> Result<Self> {
        match &self.data {
            ColumnData::Dict(d) => Ok(Column { data: ColumnData::Str(d.expand()?), ..self }),
            _ => Ok(self),
        }
    }

    /// An estimate of the memory that the rows take, for bounding batches.
    #[doc(hidden)]
    pub fn memory(&self) -> usize {
        for_numbers!(&self.data, b => b.bytes().len(),
            ColumnData::Bool(b) => b.len() / 8,
            ColumnData::Str(s) => s.as_binary().used().len() + 4 * s.len(),
            ColumnData::Bytes(b) => b.used().len() + 4 * b.len(),
            ColumnData::Dict(d) => d.values().as_binary().used().len() + 4 * d.len(),
            ColumnData::Offset { ticks, .. } => 10 * ticks.len(),
            ColumnData::Vector(v) => 12 * v.len() + v.items().memory(),
        )
    }
}

/// Equal where types and rows are: how rows are stored, and what stands in the slot of a missing one, is not
/// compared. Floats are compared by their bits, so NaN equals itself and -0 is not 0.
impl PartialEq for Column {
    fn eq(&self, other: &Self) -> bool {
        self.dtype == other.dtype
            && self.len() == other.len()
            && (0..self.len()).all(|i| self.value(i).same(&other.value(i)))
    }
}

fn stores(dtype: &DataType, data: &ColumnData) -> bool {
    use ColumnData as C;
    use DataType as T;
    match (dtype, data) {
        (T::Key { inner, .. }, _) => matches!(
            (inner, data),
            (KeyType::U8, C::U8(_)) | (KeyType::U16, C::U16(_)) | (KeyType::U32, C::U32(_)) | (KeyType::U64, C::U64(_))
        ),
        (T::Vector { item, .. }, C::Vector(v)) => v.items().dtype() == &**item,
        _ => matches!(
            (dtype, data),
            (T::Bool, C::Bool(_))
                | (T::I8, C::I8(_))
                | (T::I16, C::I16(_))
                | (T::I32 | T::Date, C::I32(_))
                | (
                    T::I64 | T::TimeUs | T::TimestampMs | T::TimestampUs | T::TimestampNs | T::Ticks | T::DateTime,
                    C::I64(_)
                )
                | (T::U8, C::U8(_))
                | (T::U16, C::U16(_))
                | (T::U32, C::U32(_))
                | (T::U64, C::U64(_))
                | (T::F32, C::F32(_))
                | (T::F64, C::F64(_))
                | (T::RowId, C::U128(_))
                | (T::String, C::Str(_) | C::Dict(_))
                | (T::Json, C::Str(_))
                | (T::Bytes, C::Bytes(_))
                | (T::DateTimeOffset, C::Offset { .. })
        ),
    }
}

macro_rules! from_numbers {
    ($($t:ty, $variant:ident, $view:ident);* $(;)?) => {
        $(impl From<Vec<$t>> for Column {
            fn from(values: Vec<$t>) -> Self {
                Column { dtype: DataType::$variant, data: ColumnData::$variant(values.into()), validity: None }
            }
        })*
        impl Column {
            $(#[doc = concat!("The values, if they are stored as `", stringify!($t), "`.")]
            pub fn $view(&self) -> Option<&[$t]> {
                match &self.data {
                    ColumnData::$variant(b) => Some(b),
                    _ => None,
                }
            })*
        }
    };
}
from_numbers! {
    i8, I8, as_i8; i16, I16, as_i16; i32, I32, as_i32; i64, I64, as_i64; u8, U8, as_u8; u16, U16, as_u16;
    u32, U32, as_u32; u64, U64, as_u64; f32, F32, as_f32; f64, F64, as_f64;
}

impl From<Vec<bool>> for Column {
    fn from(values: Vec<bool>) -> Self {
        Column { dtype: DataType::Bool, data: ColumnData::Bool(values.into_iter().collect()), validity: None }
    }
}

impl From<Strings> for Column {
    fn from(values: Strings) -> Self {
        Column { dtype: DataType::String, data: ColumnData::Str(values), validity: None }
    }
}

impl From<DictStrings> for Column {
    fn from(values: DictStrings) -> Self {
        Column { dtype: DataType::String, data: ColumnData::Dict(values), validity: None }
    }
}

impl From<Binary> for Column {
    fn from(values: Binary) -> Self {
        Column { dtype: DataType::Bytes, data: ColumnData::Bytes(values), validity: None }
    }
}

impl From<Vec<String>> for Column {
    fn from(values: Vec<String>) -> Self {
        values.into_iter().collect::<Strings>().into()
    }
}

impl From<StringsBuilder> for Column {
    fn from(values: StringsBuilder) -> Self {
        values.finish().into()
    }
}
