//! Arrow's columns as ours.

use std::{
    cell::Cell,
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use arrow_array::{Array, ArrowPrimitiveType, RecordBatch, cast::AsArray, types::*};
use arrow_schema::{DataType as Arrow, TimeUnit};
use bytes::Bytes;
use forebay::{
    Error, Result,
    table::{
        Batch, Binary, Bitmap, Buffer, Column, ColumnBuilder, ColumnData, DataType, DictIndices, DictStrings,
        JsonStyle, Schema, Strings, StringsBuilder, Value, VectorColumn,
    },
    text::is_json,
};

use super::{codes, own_type};

/// A batch of ours, under the schema that [`from_arrow_schema`](super::from_arrow_schema) made. `lossy` cuts times of
/// day that are finer than microseconds, and spans that are finer than ticks, instead of refusing them, and keeps the last
/// of what a map or struct has by one name.
pub fn from_record_batch(batch: &RecordBatch, schema: &Arc<Schema>, lossy: bool) -> Result<Batch> {
    read_record_batch(batch, schema, lossy, &mut Cuts::default())
}

/// How many values of which columns were cut, and how many objects had a name twice.
#[derive(Clone, Debug, Default)]
pub struct Cuts(BTreeMap<String, (u64, u64)>);

impl Cuts {
    /// What is said of them.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        self.0.iter().flat_map(|(name, (cut, twice))| {
            let cut = (*cut > 0)
                .then(|| format!("column {name:?}: {cut} values were finer than what is kept of them, and cut"));
            let twice = (*twice > 0)
                .then(|| format!("column {name:?}: {twice} objects had a name more than once; the last is kept"));
            cut.into_iter().chain(twice)
        })
    }
}

/// What may happen to values, and what did.
struct How {
    lossy: bool,
    cut: Cell<u64>,
    twice: Cell<u64>,
}

impl How {
    /// Which of the names of one object are kept: each, and of those that come again the last.
    fn kept(&self, names: &[String], row: usize) -> Result<Vec<bool>> {
        let last: HashMap<&str, usize> = names.iter().enumerate().map(|(i, name)| (name.as_str(), i)).collect();
        let kept: Vec<bool> = names.iter().enumerate().map(|(i, name)| last.get(name.as_str()) == Some(&i)).collect();
        if let Some(again) = names.iter().zip(&kept).find_map(|(name, kept)| (!kept).then_some(name)) {
            if !self.lossy {
                let message = format!("an object has {again:?} more than once, and JSON keeps one");
                return Err(Error::new(&codes::TARGET, message).row(row as u64).with_options(&["lossy"]));
            }
            self.twice.set(self.twice.get() + 1);
        }
        Ok(kept)
    }
}

/// As [`from_record_batch`], counting what was cut.
pub fn read_record_batch(batch: &RecordBatch, schema: &Arc<Schema>, lossy: bool, cuts: &mut Cuts) -> Result<Batch> {
    let columns = batch.columns().iter().zip(schema.fields()).map(|(array, field)| {
        let how = How { lossy, cut: Cell::new(0), twice: Cell::new(0) };
        let column = column(array, &field.dtype, &how).map_err(|e| e.column(&field.name))?;
        if how.cut.get() + how.twice.get() > 0 {
            let (cut, twice) = cuts.0.entry(field.name.clone()).or_default();
            *cut += how.cut.get();
            *twice += how.twice.get();
        }
        Ok(column.without_needless_validity())
    });
    Batch::with_rows(schema.clone(), columns.collect::<Result<_>>()?, batch.num_rows())
}

/// Lets [`Bytes`] own Arrow's memory.
struct Owner(arrow_buffer::Buffer);

impl AsRef<[u8]> for Owner {
    fn as_ref(&self) -> &[u8] {
        self.0.as_slice()
    }
}

fn bytes(buffer: &arrow_buffer::Buffer) -> Bytes {
    if buffer.is_empty() { Bytes::new() } else { Bytes::from_owner(Owner(buffer.clone())) }
}

/// A column of the given type.
fn column(array: &dyn Array, dtype: &DataType, how: &How) -> Result<Column> {
    use DataType as T;
    let validity = array.logical_nulls().map(|n| bitmap(n.inner()));
    macro_rules! numbers {
        ($t:ty, $variant:ident) => {
            ColumnData::$variant(primitive::<$t, _>(array, |b| Buffer::from_le_bytes(b))?)
        };
    }
    let data = match (array.data_type(), dtype) {
        (Arrow::Dictionary(..), _) => return dictionary(array, dtype, how),
        (Arrow::Boolean, _) => ColumnData::Bool(bitmap(array.as_boolean().values())),
        (Arrow::Int8, _) => numbers!(Int8Type, I8),
        (Arrow::Int16, _) => numbers!(Int16Type, I16),
        (Arrow::Int32, _) => numbers!(Int32Type, I32),
        (Arrow::Int64, _) => numbers!(Int64Type, I64),
        (Arrow::UInt8, _) => numbers!(UInt8Type, U8),
        (Arrow::UInt16, _) => numbers!(UInt16Type, U16),
        (Arrow::UInt32, _) => numbers!(UInt32Type, U32),
        (Arrow::UInt64, _) => numbers!(UInt64Type, U64),
        (Arrow::Float32, _) => numbers!(Float32Type, F32),
        (Arrow::Float64, _) => numbers!(Float64Type, F64),
        (Arrow::Float16, _) => {
            ColumnData::F32(array.as_primitive::<Float16Type>().values().iter().map(|x| x.to_f32()).collect())
        }
        (Arrow::Date32, _) => numbers!(Date32Type, I32),
        (Arrow::Date64, _) => numbers!(Date64Type, I64),
        (Arrow::Timestamp(..) | Arrow::Time32(_) | Arrow::Time64(_) | Arrow::Duration(_), _) => {
            ColumnData::I64(times(array, validity.as_ref(), how)?)
        }
        (Arrow::Utf8, T::DateTimeOffset) => return clock_times(array, dtype),
        (Arrow::Utf8, T::Json) => nested(array, how)?,
        (Arrow::Utf8, _) => {
            let texts = array.as_string::<i32>();
            let offsets = Buffer::from_le_bytes(bytes(texts.offsets().inner().inner()));
            ColumnData::Str(Strings::new(offsets, bytes(texts.values()))?)
        }
        (Arrow::Binary, _) => {
            let texts = array.as_binary::<i32>();
            let offsets = Buffer::from_le_bytes(bytes(texts.offsets().inner().inner()));
            ColumnData::Bytes(Binary::new(offsets, bytes(texts.values()))?)
        }
        (Arrow::FixedSizeBinary(16), T::RowId) => {
            let rows = array.as_fixed_size_binary();
            let one = |i: usize| rows.value(i).try_into().map(u128::from_be_bytes).unwrap_or_default();
            ColumnData::U128((0..rows.len()).map(one).collect())
        }
        (Arrow::List(_), T::Vector { item, .. }) => {
            let list = array.as_list::<i32>();
            lists(list.values(), list.offsets().iter().map(|n| *n as usize).collect(), item, how)?
        }
        (Arrow::LargeList(_), T::Vector { item, .. }) => {
            let list = array.as_list::<i64>();
            lists(list.values(), list.offsets().iter().map(|n| *n as usize).collect(), item, how)?
        }
        (Arrow::FixedSizeList(_, n), T::Vector { item, .. }) => {
            let (list, n) = (array.as_fixed_size_list(), *n as usize);
            lists(list.values(), (0..=list.len()).map(|i| i * n).collect(), item, how)?
        }
        (_, T::Json) => nested(array, how)?,
        (_, T::String | T::Bytes) => others(array)?,
        (other, _) => return Err(Error::new(&codes::ROUTE, format!("{other} as {dtype}"))),
    };
    if let T::Key { .. } = dtype {
        return keys(dtype, data, validity.as_ref());
    }
    Column::new(dtype.clone(), data, validity)
}

/// Times in the units that ours have.
fn times(array: &dyn Array, validity: Option<&Bitmap>, how: &How) -> Result<Buffer<i64>> {
    macro_rules! times {
        ($t:ty) => {
            return primitive::<$t, _>(array, |b| Buffer::from_le_bytes(b))
        };
        ($t:ty, $mul:expr, $div:expr) => {
            (wide(array.as_primitive::<$t>().values()), $mul, $div)
        };
    }
    let (values, mul, div) = match array.data_type() {
        Arrow::Timestamp(TimeUnit::Second, _) => times!(TimestampSecondType, 1000, 1),
        Arrow::Timestamp(TimeUnit::Millisecond, _) => times!(TimestampMillisecondType),
        Arrow::Timestamp(TimeUnit::Microsecond, _) => times!(TimestampMicrosecondType),
        Arrow::Timestamp(TimeUnit::Nanosecond, _) => times!(TimestampNanosecondType),
        Arrow::Time64(TimeUnit::Microsecond) => times!(Time64MicrosecondType),
        Arrow::Time64(_) => times!(Time64NanosecondType, 1, 1000),
        Arrow::Time32(TimeUnit::Second) => times!(Time32SecondType, 1_000_000, 1),
        Arrow::Time32(_) => times!(Time32MillisecondType, 1000, 1),
        Arrow::Duration(TimeUnit::Second) => times!(DurationSecondType, 10_000_000, 1),
        Arrow::Duration(TimeUnit::Millisecond) => times!(DurationMillisecondType, 10_000, 1),
        Arrow::Duration(TimeUnit::Microsecond) => times!(DurationMicrosecondType, 10, 1),
        _ => times!(DurationNanosecondType, 1, 100),
    };
    scaled(&values, validity, mul, div, how)
}

/// The same numbers under our type.
fn primitive<T: ArrowPrimitiveType, B>(array: &dyn Array, of: impl Fn(Bytes) -> B) -> Result<B> {
    let values = array.as_primitive_opt::<T>();
    let values = values.ok_or_else(|| Error::new(&codes::ARROW, format!("not {}", T::DATA_TYPE)))?;
    Ok(of(bytes(values.values().inner())))
}

fn wide<T: Copy + Into<i64>>(values: &[T]) -> Vec<i64> {
    values.iter().map(|n| (*n).into()).collect()
}

fn bitmap(bits: &arrow_buffer::BooleanBuffer) -> Bitmap {
    Bitmap::new(bytes(&bits.sliced()), bits.len())
}

/// Times in another unit; what does not go is an error with its row.
fn scaled(values: &[i64], validity: Option<&Bitmap>, mul: i64, div: i64, how: &How) -> Result<Buffer<i64>> {
    let mut out = Vec::with_capacity(values.len());
    for (row, &n) in values.iter().enumerate() {
        let there = validity.is_none_or(|v| v.get(row));
        if !there {
            out.push(0);
            continue;
        }
        let Some(scaled) = n.checked_mul(mul) else {
            let message = format!("a time of {n} units is larger than what is kept of it");
            return Err(Error::new(&codes::TARGET, message).row(row as u64));
        };
        if scaled % div != 0 {
            if !how.lossy {
                let message = format!("a time of {n} nanoseconds is finer than what is kept of it");
                return Err(Error::new(&codes::TARGET, message).row(row as u64).with_options(&["lossy"]));
            }
            how.cut.set(how.cut.get() + 1);
        }
        out.push(scaled.div_euclid(div));
    }
    Ok(out.into())
}

fn keys(dtype: &DataType, data: ColumnData, validity: Option<&Bitmap>) -> Result<Column> {
    let Some(valid) = validity else { return Column::new(dtype.clone(), data, None) };
    macro_rules! masked {
        ($($variant:ident)*) => {
            match data {
                $(ColumnData::$variant(b) => ColumnData::$variant(
                    b.iter().enumerate().map(|(i, k)| if valid.get(i) { *k } else { 0 }).collect()
                ),)*
                other => other,
            }
        };
    }
    let data = masked!(U8 U16 U32 U64);
    Column::new(dtype.clone(), data, None)
}

fn clock_times(array: &dyn Array, dtype: &DataType) -> Result<Column> {
    let texts = array.as_string::<i32>();
    let mut column = ColumnBuilder::new(dtype);
    for row in 0..texts.len() {
        if texts.is_null(row) {
            column.push_null();
            continue;
        }
        let time = forebay::table::parse_time(dtype, texts.value(row));
        let time = time.ok_or_else(|| Error::new(&codes::ARROW, "this is not a clock time").row(row as u64))?;
        column.push(Value::Time(time))?;
    }
    column.finish()
}

fn lists(values: &dyn Array, offsets: Vec<usize>, item: &DataType, how: &How) -> Result<ColumnData> {
    let (first, last) = (offsets.first().copied().unwrap_or(0), offsets.last().copied().unwrap_or(0));
    let items = column(&values.slice(first, last - first), item, how)?;
    let lengths = offsets.windows(2).map(|w| (w[1] - w[0]) as u32).collect();
    Ok(ColumnData::Vector(VectorColumn::dense(lengths, items.without_needless_validity())?))
}

fn dictionary(array: &dyn Array, dtype: &DataType, how: &How) -> Result<Column> {
    let dictionary = array.as_any_dictionary();
    let validity = array.logical_nulls().map(|n| bitmap(n.inner()));
    if dictionary.values().is_empty() {
        let mut empty = ColumnBuilder::new(dtype);
        (0..array.len()).for_each(|_| empty.push_null());
        return empty.finish();
    }
    let values = column(dictionary.values(), dtype, how)?;
    let keys = dictionary.normalized_keys();
    if let ColumnData::Str(texts) = values.data() {
        let keys = DictIndices::U32(keys.iter().map(|k| *k as u32).collect());
        let texts = ColumnData::Dict(DictStrings::new(keys, texts.clone())?);
        if *dtype == DataType::String {
            return Column::new(dtype.clone(), texts, validity);
        }
    }
    values.take(&keys)?.with_validity(validity)
}

/// Texts and bytes that Arrow stores in its other ways, and decimals, as text.
fn others(array: &dyn Array) -> Result<ColumnData> {
    let mut out = StringsBuilder::with_capacity(array.len(), 0);
    let rows = 0..array.len();
    macro_rules! each {
        ($array:expr, $push:ident) => {{
            let a = $array;
            rows.clone().try_for_each(|i| if a.is_null(i) { out.push("") } else { out.$push(a.value(i)) })?;
        }};
    }
    macro_rules! decimal {
        ($t:ty) => {{
            let a = array.as_primitive::<$t>();
            rows.clone().try_for_each(|i| if a.is_null(i) { out.push("") } else { out.push(&a.value_as_string(i)) })?;
        }};
    }
    match array.data_type() {
        Arrow::Null => return Ok(ColumnData::Str(Strings::new(vec![0; array.len() + 1].into(), Bytes::new())?)),
        Arrow::LargeUtf8 => each!(array.as_string::<i64>(), push),
        Arrow::Utf8View => each!(array.as_string_view(), push),
        Arrow::Decimal32(..) => decimal!(Decimal32Type),
        Arrow::Decimal64(..) => decimal!(Decimal64Type),
        Arrow::Decimal128(..) => decimal!(Decimal128Type),
        Arrow::Decimal256(..) => decimal!(Decimal256Type),
        Arrow::LargeBinary => each!(array.as_binary::<i64>(), push_bytes),
        Arrow::BinaryView => each!(array.as_binary_view(), push_bytes),
        Arrow::FixedSizeBinary(_) => each!(array.as_fixed_size_binary(), push_bytes),
        other => return Err(Error::new(&codes::ROUTE, format!("columns of Arrow's type {other} are not read"))),
    }
    Ok(match array.data_type() {
        Arrow::LargeBinary | Arrow::BinaryView | Arrow::FixedSizeBinary(_) => ColumnData::Bytes(out.finish_binary()),
        _ => ColumnData::Str(out.finish()),
    })
}

fn own(array: &dyn Array, how: &How) -> Result<Column> {
    column(array, &own_type(array.data_type())?, how)
}

/// An object of JSON, or nothing where a row has none.
fn object<'a>(text: &mut String, fields: impl Iterator<Item = (&'a str, Value<'a>)>) {
    text.clear();
    text.push('{');
    for (i, (name, value)) in fields.enumerate() {
        let comma = if i > 0 { "," } else { "" };
        text.push_str(&format!("{comma}{}:", serde_json::Value::from(name)));
        value.write_json(text, JsonStyle::default());
    }
    text.push('}');
}

fn structs(array: &dyn Array, fields: &arrow_schema::Fields, how: &How, out: &mut StringsBuilder) -> Result<()> {
    let columns = array.as_struct().columns().iter().map(|c| own(c, how)).collect::<Result<Vec<_>>>()?;
    let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
    let repeat = names.iter().collect::<std::collections::HashSet<_>>().len() < names.len();
    let mut text = String::new();
    for row in 0..array.len() {
        let kept = if repeat && !array.is_null(row) { how.kept(&names, row)? } else { Vec::new() };
        let fields = names.iter().zip(&columns).enumerate().filter(|(i, _)| kept.get(*i).is_none_or(|kept| *kept));
        object(&mut text, fields.map(|(_, (name, column))| (name.as_str(), column.value(row))));
        out.push(if array.is_null(row) { "" } else { &text })?;
    }
    Ok(())
}

fn maps(array: &dyn Array, how: &How, out: &mut StringsBuilder) -> Result<()> {
    let map = array.as_map();
    let (keys, values) = (own(map.keys(), how)?, own(map.values(), how)?);
    let mut text = String::new();
    for (row, w) in map.offsets().windows(2).enumerate() {
        let entries = w[0] as usize..w[1] as usize;
        let names = entries.clone().map(|k| match keys.value(k) {
            Value::Str(key) => key.to_owned(),
            other => other.to_json(JsonStyle::default()),
        });
        let names: Vec<String> = if array.is_null(row) { Vec::new() } else { names.collect() };
        let kept = how.kept(&names, row)?;
        let fields = entries.zip(&names).zip(kept).filter(|(_, kept)| *kept);
        object(&mut text, fields.map(|((k, name), _)| (name.as_str(), values.value(k))));
        out.push(if array.is_null(row) { "" } else { &text })?;
    }
    Ok(())
}

/// Structs, maps and nested lists as the text of JSON; text that is JSON already stays.
fn nested(array: &dyn Array, how: &How) -> Result<ColumnData> {
    let own = |array: &dyn Array| own(array, how);
    let mut out = StringsBuilder::with_capacity(array.len(), 0);
    let mut text = String::new();
    let style = JsonStyle::default();
    let mut list = |offsets: Vec<usize>, items: &Column| {
        for (i, w) in offsets.windows(2).enumerate() {
            text.clear();
            text.push('[');
            for k in w[0]..w[1] {
                if k > w[0] {
                    text.push(',');
                }
                items.value(k).write_json(&mut text, style);
            }
            text.push(']');
            out.push(if array.is_null(i) { "" } else { &text })?;
        }
        Ok::<_, Error>(())
    };
    match array.data_type() {
        Arrow::Utf8 => {
            let texts = array.as_string::<i32>();
            if let Some(row) = (0..texts.len()).find(|&row| !texts.is_null(row) && !is_json(texts.value(row))) {
                let message = "this is not JSON, and the column is declared as JSON";
                return Err(Error::new(&codes::ARROW, message).row(row as u64));
            }
            let offsets = Buffer::from_le_bytes(bytes(texts.offsets().inner().inner()));
            return Ok(ColumnData::Str(Strings::new(offsets, bytes(texts.values()))?));
        }
        Arrow::List(_) => {
            let l = array.as_list::<i32>();
            list(l.offsets().iter().map(|n| *n as usize).collect(), &own(l.values())?)?;
        }
        Arrow::LargeList(_) => {
            let l = array.as_list::<i64>();
            list(l.offsets().iter().map(|n| *n as usize).collect(), &own(l.values())?)?;
        }
        Arrow::FixedSizeList(_, n) => {
            let l = array.as_fixed_size_list();
            list((0..=l.len()).map(|i| i * *n as usize).collect(), &own(l.values())?)?;
        }
        Arrow::Struct(fields) => structs(array, fields, how, &mut out)?,
        Arrow::Map(..) => maps(array, how, &mut out)?,
        other => return Err(Error::new(&codes::ROUTE, format!("columns of Arrow's type {other} are not read"))),
    }
    Ok(ColumnData::Str(out.finish()))
}
