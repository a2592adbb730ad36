//! Columns as typed arrays, which lie outside of this module's memory.

use forebay::table::{Binary, Bitmap, Column, ColumnData, DataType, DictIndices, DictStrings, Strings, Value};
use js_sys::{
    BigInt64Array, BigUint64Array, Float32Array, Float64Array, Int8Array, Int16Array, Int32Array, Object, Reflect,
    Uint8Array, Uint16Array, Uint32Array,
};
use wasm_bindgen::prelude::*;

/// How a column's cells are made of its arrays.
#[derive(Clone, Copy)]
enum Kind {
    Bool,
    Number,
    Text,
    Bytes,
    Vector,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Kind::Bool => "bool",
            Kind::Number => "number",
            Kind::Text => "text",
            Kind::Bytes => "bytes",
            Kind::Vector => "vector",
        }
    }
}

/// The fields of one column's object.
struct Parts(Object);

impl Parts {
    fn new(column: &Column, kind: Kind) -> Self {
        let parts = Parts(Object::new());
        parts.set("type", column.dtype().to_string());
        parts.set("kind", kind.name());
        parts.set("length", column.len() as f64);
        if let Some(valid) = valid(column) {
            parts.set("valid", Uint8Array::from(valid.as_slice()));
        }
        parts
    }

    fn set(&self, name: &str, value: impl Into<JsValue>) {
        // Setting a field of a plain object cannot fail.
        let _ = Reflect::set(&self.0, &name.into(), &value.into());
    }

    fn strings(&self, strings: &Binary) {
        let base = strings.offsets().first().copied().unwrap_or_default();
        let offsets: Vec<u32> = strings.offsets().iter().map(|at| at - base).collect();
        self.set("offsets", Uint32Array::from(offsets.as_slice()));
        self.set("bytes", Uint8Array::from(&*strings.used()));
    }
}

/// Which rows have a value, a byte a row; nothing if all have. A key of 0 is none.
fn valid(column: &Column) -> Option<Vec<u8>> {
    if matches!(column.dtype(), DataType::Key { .. }) {
        let bytes: Vec<u8> =
            (0..column.len()).map(|i| u8::from(!matches!(column.value(i), Value::Null | Value::Key(0)))).collect();
        return bytes.contains(&0).then_some(bytes);
    }
    column.validity().filter(|v| v.count_ones() < v.len()).map(bytes_of)
}

fn bytes_of(bits: &Bitmap) -> Vec<u8> {
    bits.iter().map(u8::from).collect()
}

/// The column's arrays.
pub(super) fn to_js(column: &Column) -> Object {
    macro_rules! numbers {
        ($array:ident, $buffer:expr) => {{
            let kind = if is_clock(column.dtype()) { Kind::Text } else { Kind::Number };
            let parts = Parts::new(column, kind);
            parts.set("values", $array::from($buffer.as_slice()));
            if is_clock(column.dtype()) {
                texts(&parts, column);
            }
            parts
        }};
    }
    let parts = match column.data() {
        ColumnData::Bool(bits) => {
            let parts = Parts::new(column, Kind::Bool);
            parts.set("values", Uint8Array::from(bytes_of(bits).as_slice()));
            parts
        }
        ColumnData::I8(b) => numbers!(Int8Array, b),
        ColumnData::I16(b) => numbers!(Int16Array, b),
        ColumnData::I32(b) => numbers!(Int32Array, b),
        ColumnData::I64(b) => numbers!(BigInt64Array, b),
        ColumnData::U8(b) => numbers!(Uint8Array, b),
        ColumnData::U16(b) => numbers!(Uint16Array, b),
        ColumnData::U32(b) => numbers!(Uint32Array, b),
        ColumnData::U64(b) => numbers!(BigUint64Array, b),
        ColumnData::F32(b) => numbers!(Float32Array, b),
        ColumnData::F64(b) => numbers!(Float64Array, b),
        ColumnData::Str(strings) => {
            let parts = Parts::new(column, Kind::Text);
            parts.strings(strings.as_binary());
            parts
        }
        ColumnData::Dict(dictionary) => dict(column, dictionary),
        ColumnData::Bytes(binary) => {
            let parts = Parts::new(column, Kind::Bytes);
            parts.strings(binary);
            parts
        }
        ColumnData::Offset { ticks, .. } => {
            let parts = Parts::new(column, Kind::Text);
            parts.set("values", BigInt64Array::from(ticks.as_slice()));
            texts(&parts, column);
            parts
        }
        ColumnData::Vector(_) => vectors(column),
        // What has no array of its own is its text.
        _ => {
            let parts = Parts::new(column, Kind::Text);
            texts(&parts, column);
            parts
        }
    };
    parts.0
}

/// Dates and times: their numbers are there, and a cell is their text.
fn is_clock(dtype: &DataType) -> bool {
    use DataType::{Date, DateTime, DateTimeOffset, Ticks, TimeUs, TimestampMs, TimestampNs, TimestampUs};
    matches!(dtype, Date | TimeUs | TimestampMs | TimestampUs | TimestampNs | Ticks | DateTime | DateTimeOffset)
}

fn texts(parts: &Parts, column: &Column) {
    let strings: Strings = (0..column.len())
        .map(|i| match column.value(i) {
            Value::Time(time) => time.to_string(),
            Value::RowId(id) => format!("{id:032x}"),
            _ => String::new(),
        })
        .collect();
    parts.strings(strings.as_binary());
}

/// Texts that repeat cross once; if the dictionary is longer than the rows, those of the rows do.
fn dict(column: &Column, dictionary: &DictStrings) -> Parts {
    let parts = Parts::new(column, Kind::Text);
    if dictionary.values().len() > column.len() {
        let strings: Strings = (0..dictionary.len()).map(|i| dictionary.get(i).to_owned()).collect();
        parts.strings(strings.as_binary());
    } else {
        let codes = match dictionary.indices() {
            DictIndices::U8(b) => Uint8Array::from(b.as_slice()).into(),
            DictIndices::U16(b) => Uint16Array::from(b.as_slice()).into(),
            DictIndices::U32(b) => JsValue::from(Uint32Array::from(b.as_slice())),
        };
        parts.set("codes", codes);
        parts.strings(dictionary.values().as_binary());
    }
    parts
}

fn vectors(column: &Column) -> Parts {
    let parts = Parts::new(column, Kind::Vector);
    let ColumnData::Vector(vectors) = column.data() else { return parts };
    let n = vectors.len();
    let (mut starts, mut indices, mut used) = (Vec::with_capacity(n + 1), Vec::new(), Vec::new());
    let mut index_starts = Vec::with_capacity(n + 1);
    for i in 0..n {
        let row = vectors.row(i);
        starts.push(used.len() as u32);
        index_starts.push(indices.len() as u32);
        used.extend(row.first..row.first + row.count);
        indices.extend_from_slice(row.indices.unwrap_or_default());
    }
    starts.push(used.len() as u32);
    parts.set("lengths", Uint32Array::from(vectors.lengths().as_slice()));
    parts.set("starts", Uint32Array::from(starts.as_slice()));
    if !vectors.is_dense() {
        parts.set("indexStarts", Uint32Array::from(index_starts.as_slice()));
        parts.set("indices", Uint32Array::from(indices.as_slice()));
    }
    // Rows follow each other, so this is one run of the items; only rows that were cut off are left out.
    match vectors.items().take(&used) {
        Ok(items) => parts.set("items", to_js(&items)),
        Err(_) => parts.set("items", JsValue::NULL),
    }
    parts
}
