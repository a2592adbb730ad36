//! What the caller says of a file whose layout says nothing: its schema file.
//!
//! ```
//! use forebay::tbf::CallerSchema;
//! // Layout S: columns by position.
//! CallerSchema::from_json(br#"{"S": [{"name": "id", "type": "u32"}, {"name": "city", "type": "string"}]}"#)?;
//! // Layout U: the Rust type of one value, of which the file holds many (`tbf_encode_slice`) or one.
//! CallerSchema::from_json(br#"{"U": {"many": true, "value": {"struct": [
//!     {"name": "id", "type": "u32"},
//!     {"name": "tags", "type": {"seq": "string"}},
//!     {"name": "age", "type": {"option": "u8"}}
//! ]}}}"#)?;
//! # Ok::<(), forebay::Error>(())
//! ```

use serde::{Deserialize, Serialize};

use super::codes;
use crate::{
    error::{Error, Result},
    table::{DataType, Field},
};

/// The schema of a file of layout U or S.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum CallerSchema {
    /// Values without tags.
    U(ValueLayout),
    /// Columns without names and types.
    S(Vec<NamedType>),
}

/// A column's name and type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedType {
    /// The name.
    pub name: String,
    /// `bool`, `i8` to `i64`, `u8` to `u64`, `f32`, `f64` or `string`.
    #[serde(rename = "type")]
    pub dtype: String,
}

impl NamedType {
    pub(super) fn field(&self) -> Result<Field> {
        use DataType::*;
        match DataType::from_name(&self.dtype) {
            Some(t @ (Bool | I8 | I16 | I32 | I64 | U8 | U16 | U32 | U64 | F32 | F64 | String)) => {
                Ok(Field::new(&self.name, t))
            }
            _ => Err(Error::new(&codes::SCHEMA, format!("{:?} is not a type of such a column", self.dtype))
                .column(&self.name)),
        }
    }
}

/// The values of layout U.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueLayout {
    /// True for a slice or vector, which begins with a count; false for one value.
    #[serde(default = "yes")]
    pub many: bool,
    /// The type of one value.
    pub value: RustType,
}

fn yes() -> bool {
    true
}

/// A Rust type, as far as it decides the bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum RustType {
    Bool,
    U8,
    U16,
    U32,
    U64,
    I8,
    I16,
    I32,
    I64,
    F32,
    F64,
    String,
    /// `()` or a unit struct: no bytes.
    Unit,
    Option(Box<RustType>),
    /// `Vec<T>`.
    Seq(Box<RustType>),
    Tuple(Vec<RustType>),
    /// A struct with named fields.
    Struct(Vec<RustField>),
    /// A struct with numbered fields.
    TupleStruct(Vec<RustType>),
    Enum(Vec<RustVariant>),
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RustField {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub rust_type: RustType,
}

/// A variant of an enum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RustVariant {
    /// Its name.
    pub name: String,
    /// Nothing for a unit variant, a `tuple_struct` or a `struct` for one with fields.
    #[serde(default, rename = "type")]
    pub rust_type: Option<RustType>,
}

impl CallerSchema {
    /// Reads a schema file.
    pub fn from_json(bytes: &[u8]) -> Result<Self> {
        let schema: CallerSchema = serde_json::from_slice(bytes)
            .map_err(|e| Error::new(&codes::SCHEMA, format!("the schema does not parse: {e}")))?;
        if let CallerSchema::S(columns) = &schema {
            columns.iter().try_for_each(|c| c.field().map(|_| ()))?;
        }
        Ok(schema)
    }
}
