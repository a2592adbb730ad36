//! Layout C: named, typed columns over one dictionary, read and written.

mod open;
mod write;

pub(super) use open::read;
pub use write::ColumnarWriter;

use crate::table::DataType;

/// The column types, by their numbers from 1.
const TYPES: [DataType; 13] = [
    DataType::Bool,
    DataType::I8,
    DataType::I16,
    DataType::I32,
    DataType::I64,
    DataType::U8,
    DataType::U16,
    DataType::U32,
    DataType::U64,
    DataType::F32,
    DataType::F64,
    DataType::String,
    DataType::Bytes,
];
