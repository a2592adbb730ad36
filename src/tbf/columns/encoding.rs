//! How a column of layout D is stored, and the schema that says so column by column.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    error::{Error, Result},
    table::{DataType, Field, Schema},
    tbf::codes,
};

/// How a column is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum FieldEncoding {
    /// The smallest that keeps every value, by measuring the data.
    #[default]
    Auto,
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    /// Zigzag, then seven bits a byte.
    VarInt,
    /// One byte, added to the offset.
    U8Offset {
        offset: i64,
    },
    /// Two bytes, added to the offset.
    U16Offset {
        offset: i64,
    },
    /// Four bytes, added to the offset.
    U32Offset {
        offset: i64,
    },
    /// Texts stored once each.
    Dictionary,
    /// Each text with its length.
    Inline,
    Float32,
    Float64,
}

#[doc(hidden)]
impl FieldEncoding {
    /// The word for it, as in `#[tbf(encoding = "u8")]`.
    pub const fn name(self) -> &'static str {
        use FieldEncoding::*;
        match self {
            Auto => "auto",
            Bool => "bool",
            I8 => "i8",
            I16 => "i16",
            I32 => "i32",
            I64 => "i64",
            U8 | U8Offset { .. } => "u8",
            U16 | U16Offset { .. } => "u16",
            U32 | U32Offset { .. } => "u32",
            U64 => "u64",
            VarInt => "varint",
            Dictionary => "dictionary",
            Inline => "inline",
            Float32 => "f32",
            Float64 => "f64",
        }
    }

    /// The encoding of this name; with an offset, the unsigned widths up to 32 bits.
    pub fn from_name(name: &str, offset: Option<i64>) -> Option<Self> {
        use FieldEncoding::*;
        match (name, offset) {
            ("u8", Some(offset)) => return Some(U8Offset { offset }),
            ("u16", Some(offset)) => return Some(U16Offset { offset }),
            ("u32", Some(offset)) => return Some(U32Offset { offset }),
            (_, Some(_)) => return None,
            _ => {}
        }
        const ALL: [FieldEncoding; 15] =
            [Auto, Bool, I8, I16, I32, I64, U8, U16, U32, U64, VarInt, Dictionary, Inline, Float32, Float64];
        let name = match name {
            "dict" => "dictionary",
            "float32" => "f32",
            "float64" => "f64",
            other => other,
        };
        ALL.into_iter().find(|e| e.name() == name)
    }

    /// True if a column of this type can be stored like this, as far as the types tell.
    pub fn fits(self, dtype: &DataType) -> bool {
        use FieldEncoding::*;
        match self {
            Auto => true,
            Bool => *dtype == DataType::Bool,
            Dictionary => *dtype == DataType::String,
            Inline => matches!(dtype, DataType::String | DataType::Bytes),
            Float32 => matches!(dtype, DataType::F32 | DataType::F64),
            Float64 => *dtype == DataType::F64,
            _ => is_whole(dtype),
        }
    }
}

/// True for types that are stored as integers.
pub(super) fn is_whole(dtype: &DataType) -> bool {
    dtype.is_integer() || matches!(dtype, DataType::Date | DataType::TimestampMs | DataType::TimestampUs)
}

/// The numbers of column types in layout D.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum Stored {
    Bool = 0,
    F32 = 1,
    F64 = 2,
    VarInt = 3,
    Dictionary = 4,
    Inline = 5,
    I8 = 6,
    I16 = 7,
    I32 = 8,
    I64 = 9,
    U8 = 10,
    U16 = 11,
    U32 = 12,
    U64 = 13,
}

impl Stored {
    const ALL: [Stored; 14] = [
        Self::Bool,
        Self::F32,
        Self::F64,
        Self::VarInt,
        Self::Dictionary,
        Self::Inline,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
    ];

    /// The type with this number.
    pub(crate) fn from_tag(tag: u64) -> Option<Self> {
        Self::ALL.get(usize::try_from(tag).ok()?).copied()
    }
    /// The number.
    pub const fn tag(self) -> u8 {
        self as u8
    }
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::VarInt => "varint",
            Self::Dictionary => "dictionary",
            Self::Inline => "inline",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
        }
    }
    /// Bytes of one value, if all have the same.
    pub const fn width(self) -> Option<usize> {
        match self {
            Self::I8 | Self::U8 => Some(1),
            Self::I16 | Self::U16 => Some(2),
            Self::F32 | Self::I32 | Self::U32 => Some(4),
            Self::F64 | Self::I64 | Self::U64 => Some(8),
            Self::Bool | Self::VarInt | Self::Dictionary | Self::Inline => None,
        }
    }
    /// What a column is when nothing but the bytes is known.
    pub(crate) const fn plain_type(self) -> DataType {
        match self {
            Self::Bool => DataType::Bool,
            Self::F32 => DataType::F32,
            Self::F64 => DataType::F64,
            Self::VarInt | Self::I64 => DataType::I64,
            Self::Dictionary | Self::Inline => DataType::String,
            Self::I8 => DataType::I8,
            Self::I16 => DataType::I16,
            Self::I32 => DataType::I32,
            Self::U8 => DataType::U8,
            Self::U16 => DataType::U16,
            Self::U32 => DataType::U32,
            Self::U64 => DataType::U64,
        }
    }
    /// True if a column of this type can be stored like this.
    pub fn holds(self, dtype: &DataType) -> bool {
        match self {
            Self::Bool => *dtype == DataType::Bool,
            Self::F32 => matches!(dtype, DataType::F32 | DataType::F64),
            Self::F64 => *dtype == DataType::F64,
            Self::Dictionary => *dtype == DataType::String,
            Self::Inline => matches!(dtype, DataType::String | DataType::Bytes),
            _ => is_whole(dtype),
        }
    }
}

/// The columns of a table and how each is stored.
///
/// ```
/// use forebay::{tbf::{FieldEncoding, TableSchema}, table::DataType};
/// let schema = TableSchema::builder()
///     .column("id", DataType::U32)
///     .encoded("age", DataType::I64, FieldEncoding::U8Offset { offset: 18 })
///     .nullable("city", DataType::String)
///     .build()?;
/// assert_eq!(schema.schema().len(), 3);
/// # Ok::<(), forebay::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TableSchema {
    schema: Arc<Schema>,
    encodings: Vec<FieldEncoding>,
}

impl TableSchema {
    /// An empty one to add columns to.
    pub fn builder() -> TableSchemaBuilder {
        TableSchemaBuilder::default()
    }
    /// Names and types.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
    /// How each column is stored, in order.
    #[doc(hidden)]
    pub fn encodings(&self) -> &[FieldEncoding] {
        &self.encodings
    }
    /// How a column is stored.
    #[doc(hidden)]
    pub fn encoding(&self, column: usize) -> FieldEncoding {
        self.encodings.get(column).copied().unwrap_or_default()
    }
}

impl From<Arc<Schema>> for TableSchema {
    fn from(schema: Arc<Schema>) -> Self {
        let encodings = vec![FieldEncoding::Auto; schema.len()];
        TableSchema { schema, encodings }
    }
}

/// Columns as they are named.
#[derive(Clone, Debug, Default)]
pub struct TableSchemaBuilder {
    columns: Vec<(Field, FieldEncoding)>,
}

impl TableSchemaBuilder {
    /// Adds a column whose encoding is chosen from the data.
    #[must_use]
    pub fn column(self, name: impl Into<String>, dtype: DataType) -> Self {
        self.field(Field::new(name, dtype), FieldEncoding::Auto)
    }
    /// Adds a column where values may be missing.
    #[must_use]
    pub fn nullable(self, name: impl Into<String>, dtype: DataType) -> Self {
        self.field(Field::new(name, dtype).nullable(), FieldEncoding::Auto)
    }
    /// Adds a column with a chosen encoding.
    #[must_use]
    pub fn encoded(self, name: impl Into<String>, dtype: DataType, encoding: FieldEncoding) -> Self {
        self.field(Field::new(name, dtype), encoding)
    }
    /// Adds a field with a chosen encoding.
    #[must_use]
    pub fn field(mut self, field: Field, encoding: FieldEncoding) -> Self {
        self.columns.push((field, encoding));
        self
    }
    /// Checks that every encoding can hold its type.
    pub fn build(self) -> Result<TableSchema> {
        for (field, encoding) in &self.columns {
            if !encoding.fits(&field.dtype) {
                let message = format!("a column of {} cannot be stored as {}", field.dtype, encoding.name());
                return Err(Error::new(&codes::SCHEMA, message).column(&field.name));
            }
        }
        let (fields, encodings) = self.columns.into_iter().unzip();
        Ok(TableSchema { schema: Arc::new(Schema::new(fields)?), encodings })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_that_cannot_hold_a_type_are_refused() {
        let e = TableSchema::builder().encoded("n", DataType::String, FieldEncoding::U8).build().unwrap_err();
        assert_eq!((e.code().id(), e.place().column.as_deref()), ("tbf.schema", Some("n")));
        assert_eq!(FieldEncoding::from_name("u8", Some(18)), Some(FieldEncoding::U8Offset { offset: 18 }));
        assert_eq!(FieldEncoding::from_name("i8", Some(18)), None);
        assert_eq!(FieldEncoding::from_name("varint", None), Some(FieldEncoding::VarInt));
    }

    #[test]
    fn numbers_of_types_are_their_places() {
        for tag in 0..14 {
            assert_eq!(Stored::from_tag(tag).unwrap().tag(), tag as u8);
        }
        assert_eq!(Stored::from_tag(14), None);
    }
}
