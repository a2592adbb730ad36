//! Opened files as the JSON of the corpus' twins.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use forebay::{
    Error,
    codec::deflate::Inflater,
    idv::{Codec, File, Item, Layout, Opener},
    step::drive,
    table::{Clock, Column, Value as Cell},
};
use serde_json::{Value, json};

/// The files of a folder with this extension, sorted.
pub fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let mut all: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    all.retain(|p| p.extension().is_some_and(|e| e == extension));
    all.sort();
    assert!(!all.is_empty(), "{} is empty", dir.display());
    all
}

pub fn open(path: &Path) -> Result<(File, Bytes), Error> {
    let bytes = Bytes::from(std::fs::read(path).unwrap());
    Ok((drive(Opener::new(bytes.len() as u64), &bytes)?, bytes))
}

/// A column's blocks.
pub fn column_blocks(file: &File, bytes: &Bytes, column: usize) -> Result<Vec<Column>, Error> {
    let mut inflater = Inflater::default();
    let one = |block| {
        let range = file.entry(column, block)?.range();
        let stored = bytes.slice(range.start as usize..range.end as usize);
        Ok(file.decode_block(column, block, &stored, &mut inflater)?.column)
    };
    (0..file.blocks()).map(one).collect()
}

/// Every value of a column as the JSON twins write it.
pub fn column_values(file: &File, bytes: &Bytes, column: usize) -> Result<Vec<Value>, Error> {
    Ok(column_blocks(file, bytes, column)?.iter().flat_map(values).collect())
}

pub fn values(column: &Column) -> Vec<Value> {
    (0..column.len()).map(|i| cell(column.value(i))).collect()
}

fn cell(value: Cell<'_>) -> Value {
    match value {
        Cell::Bool(b) => json!(b),
        Cell::Int(n) => json!(n),
        Cell::UInt(n) | Cell::Key(n) => json!(n),
        Cell::F32(x) => json!({"f32": format!("{:08x}", x.to_bits())}),
        Cell::F64(x) => json!({"f64": format!("{:016x}", x.to_bits())}),
        Cell::Str(s) => json!(s),
        Cell::Time(Clock::Ticks(t)) => json!({"ticks": t}),
        Cell::Time(Clock::DateTime(t)) => json!({"ticks": t, "kind": "Unspecified"}),
        Cell::Time(Clock::DateTimeOffset { ticks, minutes }) => {
            json!({"clock_ticks": ticks, "offset_minutes": minutes})
        }
        Cell::RowId(n) => json!({"low": n as u64, "high": (n >> 64) as u64}),
        Cell::Vector { row, items } => {
            let listed: Vec<Value> = (row.first..row.first + row.count).map(|i| cell(items.value(i))).collect();
            match row.indices {
                None => json!({"len": row.len, "dense": true, "values": listed}),
                Some(idx) => json!({"len": row.len, "dense": false, "idx": idx, "values": listed}),
            }
        }
        other => panic!("{other:?} is not a value of IDV"),
    }
}

pub fn item_type(item: Item) -> Value {
    let name = match item.layout {
        Layout::Int8 => "SByte",
        Layout::UInt8 => "Byte",
        Layout::Int16 => "Int16",
        Layout::UInt16 => "UInt16",
        Layout::Int32 => "Int32",
        Layout::UInt32 => "UInt32",
        Layout::Int64 => "Int64",
        Layout::UInt64 => "UInt64",
        Layout::Float32 => "Single",
        Layout::Float64 => "Double",
        Layout::Bool | Layout::OldBool => "Boolean",
        Layout::Text => "Text",
        Layout::Duration => "TimeSpan",
        Layout::DateTime => "DateTime",
        Layout::DateTimeOffset => "DateTimeOffset",
        Layout::RowId => "DataViewRowId",
        other => panic!("{other:?} has no name here"),
    };
    item.key_count.map_or(json!(name), |count| json!({"key": name, "count": count}))
}

pub fn type_json(codec: &Codec) -> Value {
    let item = item_type(codec.item);
    codec.dims.as_ref().map_or(item.clone(), |d| json!({"vector": item, "dims": d, "size": codec.vector_size()}))
}
