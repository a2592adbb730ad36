//! Our tables as Arrow's and back.
//!
//! Numbers, texts and bits have the same layout in both, so they are shared and not copied. What Arrow has no type
//! for keeps its name in the field's metadata (`forebay:type`) and comes back as what it was: ticks and date-times
//! are 64-bit integers, clock times with an offset are ISO text, 128-bit row names are 16 bytes (most significant
//! first), keys are unsigned integers with null for "none", JSON is text. Annotations travel in
//! `forebay:annotations`.
//!
//! Foreign types that have no twin are read as what holds them exactly: decimals as text, half floats as `f32`,
//! times of day of other units as microseconds, spans as ticks, structs, maps and nested lists as JSON. From Arrow to
//! Arrow nothing is read like that: there whole batches are handed on, see `same.rs`.

use std::{collections::HashMap, sync::Arc};

use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, FixedSizeListArray, ListArray, PrimitiveArray,
    RecordBatch, RecordBatchOptions, StringArray, types::*,
};
use arrow_buffer::{BooleanBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType as Arrow, Field as ArrowField, Schema as ArrowSchema, TimeUnit};
use bytes::Bytes;
use forebay::{
    Error, Result,
    table::{
        Batch, Bitmap, Buffer, Column, ColumnBuilder, ColumnData, DataType, Field, JsonStyle, KeyType, Schema, Strings,
        VectorColumn, parse_type,
    },
};

use crate::{
    codes,
    guard::guarded,
    sink::{InTurn, SideBySide},
};

mod changes;
mod dictionary;
mod from;
mod unread;
mod views;
pub use changes::Changes;
#[doc(hidden)]
pub use dictionary::nulls_in_keys;
pub use from::from_record_batch;
#[doc(hidden)]
pub use from::{Cuts, read_record_batch};
#[doc(hidden)]
pub use unread::{Unread, field_of};
pub use views::with_views;

/// The metadata key for types that Arrow does not have.
pub const TYPE: &str = "forebay:type";
/// The metadata key for annotations.
pub const ANNOTATIONS: &str = "forebay:annotations";

/// The most items that sparse vectors may have once they are dense, in one batch.
const DENSE_ITEMS: u64 = 1 << 26;

/// The Arrow type that stores ours.
fn arrow_type(dtype: &DataType) -> Arrow {
    use DataType as T;
    match dtype {
        T::Bool => Arrow::Boolean,
        T::I8 => Arrow::Int8,
        T::I16 => Arrow::Int16,
        T::I32 => Arrow::Int32,
        T::I64 | T::Ticks | T::DateTime => Arrow::Int64,
        T::U8 | T::Key { inner: KeyType::U8, .. } => Arrow::UInt8,
        T::U16 | T::Key { inner: KeyType::U16, .. } => Arrow::UInt16,
        T::U32 | T::Key { inner: KeyType::U32, .. } => Arrow::UInt32,
        T::U64 | T::Key { inner: KeyType::U64, .. } => Arrow::UInt64,
        T::F32 => Arrow::Float32,
        T::F64 => Arrow::Float64,
        T::Bytes => Arrow::Binary,
        T::Date => Arrow::Date32,
        T::TimeUs => Arrow::Time64(TimeUnit::Microsecond),
        T::TimestampMs => Arrow::Timestamp(TimeUnit::Millisecond, None),
        T::TimestampUs => Arrow::Timestamp(TimeUnit::Microsecond, None),
        T::TimestampNs => Arrow::Timestamp(TimeUnit::Nanosecond, None),
        T::RowId => Arrow::FixedSizeBinary(16),
        T::Vector { item, .. } => {
            let item = Arc::new(ArrowField::new("item", arrow_type(item), true));
            match dtype.vector_len().and_then(|n| i32::try_from(n).ok()) {
                Some(n) => Arrow::FixedSizeList(item, n),
                None => Arrow::List(item),
            }
        }
        // Text, and what is written as text: JSON, clock times with their offset.
        _ => Arrow::Utf8,
    }
}

/// True where Arrow's type alone says all of ours.
fn is_native(dtype: &DataType) -> bool {
    use DataType as T;
    match dtype {
        T::Ticks | T::DateTime | T::DateTimeOffset | T::RowId | T::Key { .. } | T::Json => false,
        T::Vector { item, dims } => dims.len() < 2 && is_native(item),
        _ => true,
    }
}

/// Names and types for Arrow.
pub fn to_arrow_schema(schema: &Schema) -> Result<ArrowSchema> {
    let field = |f: &Field| {
        let nullable = f.nullable || matches!(f.dtype, DataType::Key { .. });
        let mut metadata = HashMap::new();
        if !is_native(&f.dtype) {
            metadata.insert(TYPE.to_owned(), f.dtype.to_string());
        }
        if !f.metadata.is_empty() {
            let mut all = serde_json::Map::new();
            for a in &f.metadata {
                let text = a.value.value(0).to_json(JsonStyle::default());
                let value: serde_json::Value = serde_json::from_str(&text)
                    .map_err(|e| Error::caused(&codes::TARGET, format!("annotation {:?}: {e}", a.name), e))?;
                let dtype = a.value.dtype().to_string();
                all.insert(a.name.clone(), serde_json::json!({ "type": dtype, "value": value }));
            }
            metadata.insert(ANNOTATIONS.to_owned(), serde_json::Value::from(all).to_string());
        }
        Ok(ArrowField::new(&f.name, arrow_type(&f.dtype), nullable).with_metadata(metadata))
    };
    Ok(ArrowSchema::new(schema.fields().iter().map(field).collect::<Result<Vec<_>>>()?))
}

/// Names and types from Arrow's.
pub fn from_arrow_schema(schema: &ArrowSchema) -> Result<Schema> {
    let field = |f: &Arc<ArrowField>| {
        let mut field = Field::new(f.name(), table_type(f).map_err(|e| e.column(f.name()))?);
        field.nullable = f.is_nullable() && !matches!(field.dtype, DataType::Key { .. });
        if let Some(text) = f.metadata().get(ANNOTATIONS) {
            for (name, value) in annotations(text).map_err(|e| e.column(f.name()))? {
                field = field.with(name, value);
            }
        }
        Ok(field)
    };
    Schema::new(schema.fields().iter().map(field).collect::<Result<_>>()?)
}

fn annotations(text: &str) -> Result<Vec<(String, Column)>> {
    let damaged = |why: &str| Error::new(&codes::ARROW, format!("{ANNOTATIONS}: {why}"));
    let all: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(text).map_err(|e| damaged(&e.to_string()))?;
    let one = |(name, written): (String, serde_json::Value)| {
        let dtype = parse_type(written["type"].as_str().ok_or_else(|| damaged("no type"))?)?;
        let mut column = ColumnBuilder::new(&dtype);
        forebay::text::push_json(&mut column, &written["value"])?;
        Ok((name, column.finish()?))
    };
    all.into_iter().map(one).collect()
}

/// What an Arrow field is to us: what its metadata says, if that fits how it is stored, else its own type.
fn table_type(field: &ArrowField) -> Result<DataType> {
    if let Some(dtype) = field.metadata().get(TYPE).and_then(|text| parse_type(text).ok())
        && same_storage(&arrow_type(&dtype), field.data_type())
    {
        return Ok(dtype);
    }
    own_type(field.data_type())
}

/// Lists are the same whatever their items' field is called.
fn same_storage(a: &Arrow, b: &Arrow) -> bool {
    match (a, b) {
        (Arrow::List(a), Arrow::List(b)) => a.data_type() == b.data_type(),
        (Arrow::FixedSizeList(a, n), Arrow::FixedSizeList(b, m)) => n == m && a.data_type() == b.data_type(),
        _ => a == b,
    }
}

fn own_type(arrow: &Arrow) -> Result<DataType> {
    use DataType as T;
    Ok(match arrow {
        Arrow::Boolean => T::Bool,
        Arrow::Int8 => T::I8,
        Arrow::Int16 => T::I16,
        Arrow::Int32 => T::I32,
        Arrow::Int64 => T::I64,
        Arrow::UInt8 => T::U8,
        Arrow::UInt16 => T::U16,
        Arrow::UInt32 => T::U32,
        Arrow::UInt64 => T::U64,
        Arrow::Float16 | Arrow::Float32 => T::F32,
        Arrow::Float64 => T::F64,
        Arrow::Null | Arrow::Utf8 | Arrow::LargeUtf8 | Arrow::Utf8View => T::String,
        Arrow::Decimal32(..) | Arrow::Decimal64(..) | Arrow::Decimal128(..) | Arrow::Decimal256(..) => T::String,
        Arrow::Binary | Arrow::LargeBinary | Arrow::BinaryView | Arrow::FixedSizeBinary(_) => T::Bytes,
        Arrow::Date32 => T::Date,
        Arrow::Date64 => T::TimestampMs,
        Arrow::Time32(_) | Arrow::Time64(_) => T::TimeUs,
        Arrow::Timestamp(TimeUnit::Second | TimeUnit::Millisecond, _) => T::TimestampMs,
        Arrow::Timestamp(TimeUnit::Nanosecond, _) => T::TimestampNs,
        Arrow::Timestamp(..) => T::TimestampUs,
        Arrow::Duration(_) => T::Ticks,
        Arrow::Dictionary(_, values) => own_type(values)?,
        Arrow::List(item) | Arrow::LargeList(item) => vector_of(item, None)?,
        Arrow::FixedSizeList(item, n) => vector_of(item, u32::try_from(*n).ok())?,
        Arrow::Struct(_) | Arrow::Map(..) => T::Json,
        other => {
            return Err(Error::new(&codes::ROUTE, format!("columns of Arrow's type {other} are not read")));
        }
    })
}

fn vector_of(item: &ArrowField, len: Option<u32>) -> Result<DataType> {
    match table_type(item)? {
        DataType::Vector { .. } | DataType::Json => Ok(DataType::Json),
        item => Ok(DataType::vector(item, len.filter(|n| *n > 0))),
    }
}

/// A batch for Arrow.
pub fn to_record_batch(batch: &Batch, schema: &Arc<ArrowSchema>) -> Result<RecordBatch> {
    to_record_batch_by(batch, schema, &InTurn)
}

/// A batch for Arrow, its columns made side by side: texts that are stored once are written out, which touches much new memory.
#[doc(hidden)]
pub fn to_record_batch_by(
    batch: &Batch,
    schema: &Arc<ArrowSchema>,
    side_by_side: &impl SideBySide,
) -> Result<RecordBatch> {
    let fields = batch.schema().fields();
    let columns: Vec<_> = batch.columns().iter().zip(fields).zip(schema.fields()).collect();
    let array = |((column, field), wanted): ((&Column, &Field), &Arc<ArrowField>)| {
        let array = match wanted.data_type() {
            Arrow::Utf8View => views::to_views(column),
            _ => to_array(column),
        };
        array.map_err(|e| e.column(&field.name))
    };
    let arrays = side_by_side.run(columns, false, |((column, _), _)| column.memory(), array)?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.rows()));
    RecordBatch::try_new_with_options(schema.clone(), arrays, &options).map_err(not_arrow)
}

/// A column for Arrow.
pub fn to_array(column: &Column) -> Result<ArrayRef> {
    let nulls = nulls_of(column);
    macro_rules! numbers {
        ($b:expr, $t:ty) => {
            Arc::new(PrimitiveArray::<$t>::try_new(shared($b.bytes(), $b.len()), nulls).map_err(not_arrow)?)
        };
    }
    use DataType as T;
    Ok(match (column.dtype(), column.data()) {
        (T::Date, ColumnData::I32(b)) => numbers!(b, Date32Type),
        (T::TimeUs, ColumnData::I64(b)) => numbers!(b, Time64MicrosecondType),
        (T::TimestampMs, ColumnData::I64(b)) => numbers!(b, TimestampMillisecondType),
        (T::TimestampUs, ColumnData::I64(b)) => numbers!(b, TimestampMicrosecondType),
        (T::TimestampNs, ColumnData::I64(b)) => numbers!(b, TimestampNanosecondType),
        (_, ColumnData::I8(b)) => numbers!(b, Int8Type),
        (_, ColumnData::I16(b)) => numbers!(b, Int16Type),
        (_, ColumnData::I32(b)) => numbers!(b, Int32Type),
        (_, ColumnData::I64(b)) => numbers!(b, Int64Type),
        (_, ColumnData::U8(b)) => numbers!(b, UInt8Type),
        (_, ColumnData::U16(b)) => numbers!(b, UInt16Type),
        (_, ColumnData::U32(b)) => numbers!(b, UInt32Type),
        (_, ColumnData::U64(b)) => numbers!(b, UInt64Type),
        (_, ColumnData::F32(b)) => numbers!(b, Float32Type),
        (_, ColumnData::F64(b)) => numbers!(b, Float64Type),
        (_, ColumnData::Bool(b)) => Arc::new(BooleanArray::new(bits(b), nulls)),
        (_, ColumnData::Str(s)) => Arc::new(text_array(s, nulls)?),
        (_, ColumnData::Dict(d)) => Arc::new(text_array(&d.expand()?, nulls)?),
        (_, ColumnData::Bytes(b)) => {
            let data = arrow_buffer::Buffer::from(b.data().clone());
            Arc::new(BinaryArray::try_new(offsets(b.offsets()), data, nulls).map_err(not_arrow)?)
        }
        (_, ColumnData::U128(b)) => {
            let data: Vec<u8> = b.iter().flat_map(|n| n.to_be_bytes()).collect();
            let array = FixedSizeBinaryArray::try_new_with_len(16, data.into(), nulls, b.len());
            Arc::new(array.map_err(not_arrow)?)
        }
        (_, ColumnData::Offset { ticks, .. }) => {
            let texts = (0..ticks.len()).map(|i| match column.value(i) {
                forebay::table::Value::Time(time) => time.to_string(),
                _ => String::new(),
            });
            Arc::new(text_array(&texts.collect(), nulls)?)
        }
        (dtype, ColumnData::Vector(v)) => list_array(dtype, v, nulls)?,
        (dtype, _) => return Err(Error::new(&codes::TARGET, format!("Arrow has no place for {dtype}"))),
    })
}

fn list_array(dtype: &DataType, vectors: &VectorColumn, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    let DataType::Vector { item, .. } = dtype else {
        return Err(Error::new(&codes::TARGET, format!("vectors under {dtype}")));
    };
    let dense;
    let vectors = if vectors.is_dense() {
        vectors
    } else {
        dense = vectors.to_dense(&default_of(item)?, DENSE_ITEMS)?;
        &dense
    };
    let total: usize = vectors.lengths().iter().map(|n| *n as usize).sum();
    let items = to_array(&vectors.items().slice(vectors.row(0).first, total))?;
    Ok(match arrow_type(dtype) {
        Arrow::FixedSizeList(field, n) => {
            let array = FixedSizeListArray::try_new_with_length(field, n, items, nulls, vectors.len());
            Arc::new(array.map_err(not_arrow)?)
        }
        Arrow::List(field) => {
            let lengths = vectors.lengths().iter().map(|n| *n as usize);
            let array = ListArray::try_new(field, OffsetBuffer::from_lengths(lengths), items, nulls);
            Arc::new(array.map_err(not_arrow)?)
        }
        other => return Err(Error::new(&codes::TARGET, format!("vectors as {other}"))),
    })
}

/// A column of one row that holds the type's default.
#[doc(hidden)]
pub fn default_of(dtype: &DataType) -> Result<Column> {
    let mut column = ColumnBuilder::new(dtype);
    column.push_null();
    column.finish()?.with_validity(None)
}

/// Which rows exist. A key's 0 is a missing value to everyone else.
fn nulls_of(column: &Column) -> Option<NullBuffer> {
    if matches!(column.dtype(), DataType::Key { .. }) {
        let there = (0..column.len())
            .map(|i| !matches!(column.value(i), forebay::table::Value::Null | forebay::table::Value::Key(0)));
        return Some(NullBuffer::new(bits(&there.collect()))).filter(|n| n.null_count() > 0);
    }
    column.validity().map(|v| NullBuffer::new(bits(v)))
}

fn bits(bits: &Bitmap) -> BooleanBuffer {
    BooleanBuffer::new(arrow_buffer::Buffer::from(bits.to_packed()), 0, bits.len())
}

fn text_array(texts: &Strings, nulls: Option<NullBuffer>) -> Result<StringArray> {
    let binary = texts.as_binary();
    let data = arrow_buffer::Buffer::from(binary.data().clone());
    StringArray::try_new(offsets(binary.offsets()), data, nulls).map_err(not_arrow)
}

/// Ours were checked to be in order and below 2^31 when they were made.
fn offsets(offsets: &Buffer<u32>) -> OffsetBuffer<i32> {
    if offsets.is_empty() {
        return OffsetBuffer::new_empty();
    }
    OffsetBuffer::new(shared(offsets.bytes(), offsets.len()))
}

/// The same memory. An empty one is aligned for nothing, and made anew.
fn shared<A: arrow_buffer::ArrowNativeType>(bytes: &Bytes, len: usize) -> ScalarBuffer<A> {
    if len == 0 {
        return ScalarBuffer::from(Vec::new());
    }
    ScalarBuffer::new(arrow_buffer::Buffer::from(bytes.clone()), 0, len)
}

/// An error of Arrow's crates: what they have no words for may be sound, all else is damage.
#[doc(hidden)]
pub fn not_arrow(e: arrow_schema::ArrowError) -> Error {
    let text = e.to_string();
    let unsupported = matches!(e, arrow_schema::ArrowError::NotYetImplemented(_)) || codes::says_unsupported(&text);
    Error::caused(if unsupported { &codes::ROUTE } else { &codes::ARROW }, text, e)
}
