//! Opened files as the JSON of the corpus' twins.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use forebay::{
    Error,
    codec::deflate::Inflater,
    idv::{Block, Codec, File, Item, Layout, Opener, Texts, Values, Vectors},
    step::drive,
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

/// Every value of a column as the JSON twins write it.
pub fn column_values(file: &File, bytes: &Bytes, column: usize) -> Result<Vec<Value>, Error> {
    let mut out = Vec::new();
    let mut inflater = Inflater::default();
    for block in 0..file.blocks() {
        let range = file.entry(column, block)?.range();
        let stored = &bytes[range.start as usize..range.end as usize];
        out.extend(block_values(&file.decode(column, block, stored, &mut inflater)?));
    }
    Ok(out)
}

pub fn block_values(block: &Block) -> Vec<Value> {
    match block {
        Block::Scalars(values) => scalars(values),
        Block::Vectors(vectors) => vector_values(vectors),
    }
}

pub fn scalars(values: &Values) -> Vec<Value> {
    fn each<T: Copy>(v: &[T], f: impl Fn(T) -> Value) -> Vec<Value> {
        v.iter().map(|x| f(*x)).collect()
    }
    match values {
        Values::Int8(v) => each(v, |x| json!(x)),
        Values::UInt8(v) => each(v, |x| json!(x)),
        Values::Int16(v) => each(v, |x| json!(x)),
        Values::UInt16(v) => each(v, |x| json!(x)),
        Values::Int32(v) => each(v, |x| json!(x)),
        Values::UInt32(v) => each(v, |x| json!(x)),
        Values::Int64(v) => each(v, |x| json!(x)),
        Values::UInt64(v) => each(v, |x| json!(x)),
        Values::Bool(v) => each(v, |x| json!(x)),
        Values::Float32(v) => each(v, |x| json!({"f32": format!("{:08x}", x.to_bits())})),
        Values::Float64(v) => each(v, |x| json!({"f64": format!("{:016x}", x.to_bits())})),
        Values::Duration(v) => each(v, |x| json!({"ticks": x})),
        Values::DateTime(v) => each(v, |x| json!({"ticks": x, "kind": "Unspecified"})),
        Values::DateTimeOffset { ticks, minutes } => {
            ticks.iter().zip(minutes).map(|(t, m)| json!({"clock_ticks": t, "offset_minutes": m})).collect()
        }
        Values::RowId(v) => each(v, |x| json!({"low": x as u64, "high": (x >> 64) as u64})),
        Values::Text(Texts { ends, data, .. }) => {
            let starts = std::iter::once(&0).chain(ends);
            starts.zip(ends).map(|(a, b)| json!(data[*a as usize..*b as usize])).collect()
        }
    }
}

pub fn vector_values(v: &Vectors) -> Vec<Value> {
    let mut values = scalars(&v.values).into_iter();
    let mut indices = v.indices.iter();
    let one = |(i, &count): (usize, &i32)| {
        let len = v.lengths.get(i);
        if count < 0 {
            let all: Vec<Value> = values.by_ref().take(len as usize).collect();
            return json!({"len": len, "dense": true, "values": all});
        }
        let idx: Vec<&u32> = indices.by_ref().take(count as usize).collect();
        let all: Vec<Value> = values.by_ref().take(count as usize).collect();
        json!({"len": len, "dense": false, "idx": idx, "values": all})
    };
    v.counts.iter().enumerate().map(one).collect()
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
