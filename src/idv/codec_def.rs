//! What a column's values are and how they lie in a block: the codec definitions of the table of contents.
//!
//! A definition is a load name and parameters, and parameters nest whole definitions. A [`CodecDef`] is either
//! understood (a [`Codec`]) or not, which makes its column a dead one.

use super::{
    codes,
    primitives::{leb, put_leb, put_string, string},
};
use crate::{
    cursor::Cursor,
    error::{Error, Result},
    limits::Limits,
    table::{DataType, KeyType},
};

/// How one value lies in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layout {
    /// 8-bit signed integers.
    Int8,
    /// 8-bit unsigned integers.
    UInt8,
    /// 16-bit signed integers.
    Int16,
    /// 16-bit unsigned integers.
    UInt16,
    /// 32-bit signed integers.
    Int32,
    /// 32-bit unsigned integers.
    UInt32,
    /// 64-bit signed integers.
    Int64,
    /// 64-bit unsigned integers.
    UInt64,
    /// Single-precision floats.
    Float32,
    /// Double-precision floats.
    Float64,
    /// Booleans, one bit each.
    Bool,
    /// Booleans of old files, two bits each, with a missing value.
    OldBool,
    /// Texts.
    Text,
    /// Durations in ticks.
    Duration,
    /// Clock times in ticks.
    DateTime,
    /// Clock times in ticks with an offset from UTC.
    DateTimeOffset,
    /// 128-bit row ids.
    RowId,
}

/// The largest key that an integer of this layout holds, `None` if it is not an unsigned integer.
const fn key_max(layout: Layout) -> Option<u64> {
    match layout {
        Layout::UInt8 => Some(u8::MAX as u64),
        Layout::UInt16 => Some(u16::MAX as u64),
        Layout::UInt32 => Some(u32::MAX as u64),
        Layout::UInt64 => Some(u64::MAX),
        _ => None,
    }
}

/// The load names that stand for a layout without parameters. Where two names stand for one layout the
/// first is written.
const NAMES: [(&str, Layout); 20] = [
    ("SByte", Layout::Int8),
    ("Byte", Layout::UInt8),
    ("Int16", Layout::Int16),
    ("UInt16", Layout::UInt16),
    ("Int32", Layout::Int32),
    ("UInt32", Layout::UInt32),
    ("Int64", Layout::Int64),
    ("UInt64", Layout::UInt64),
    ("Single", Layout::Float32),
    ("Double", Layout::Float64),
    ("Boolean", Layout::Bool),
    ("DvBool", Layout::OldBool),
    ("TextSpan", Layout::Text),
    ("TimeSpan", Layout::Duration),
    ("DvTimeSpan", Layout::Duration),
    ("DateTime", Layout::DateTime),
    ("DvDateTime", Layout::DateTime),
    ("DateTimeOffset", Layout::DateTimeOffset),
    ("DvDateTimeZone", Layout::DateTimeOffset),
    ("DataViewRowId", Layout::RowId),
];

/// A scalar: a layout, or a key over an unsigned integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Item {
    /// How the values lie.
    pub layout: Layout,
    /// For keys, how many there are: values are 1 to this, and 0 is missing.
    pub key_count: Option<u64>,
}

impl Item {
    /// A scalar that is not a key.
    pub const fn plain(layout: Layout) -> Self {
        Item { layout, key_count: None }
    }
    /// A key over an unsigned integer; the count must be one that the integer holds.
    pub fn key(layout: Layout, count: u64) -> Result<Self> {
        match key_max(layout) {
            Some(max) if (1..=max).contains(&count) => Ok(Item { layout, key_count: Some(count) }),
            Some(max) => {
                Err(Error::new(&codes::CODEC, format!("a key counts to {count}; its integer holds 1 to {max}")))
            }
            None => {
                Err(Error::new(&codes::CODEC, format!("{layout:?} is not an unsigned integer, so it is not a key")))
            }
        }
    }
}

impl Item {
    /// What the values are in a table.
    pub fn dtype(self) -> DataType {
        let key = |inner| self.key_count.map(|count| DataType::Key { inner, count });
        match self.layout {
            Layout::Int8 => DataType::I8,
            Layout::UInt8 => key(KeyType::U8).unwrap_or(DataType::U8),
            Layout::Int16 => DataType::I16,
            Layout::UInt16 => key(KeyType::U16).unwrap_or(DataType::U16),
            Layout::Int32 => DataType::I32,
            Layout::UInt32 => key(KeyType::U32).unwrap_or(DataType::U32),
            Layout::Int64 => DataType::I64,
            Layout::UInt64 => key(KeyType::U64).unwrap_or(DataType::U64),
            Layout::Float32 => DataType::F32,
            Layout::Float64 => DataType::F64,
            Layout::Bool | Layout::OldBool => DataType::Bool,
            Layout::Text => DataType::String,
            Layout::Duration => DataType::Ticks,
            Layout::DateTime => DataType::DateTime,
            Layout::DateTimeOffset => DataType::DateTimeOffset,
            Layout::RowId => DataType::RowId,
        }
    }

    /// How a scalar of a table is written; `None` for types that the format does not have.
    fn of(dtype: &DataType) -> Result<Option<Self>> {
        let layout = match dtype {
            DataType::I8 => Layout::Int8,
            DataType::U8 => Layout::UInt8,
            DataType::I16 => Layout::Int16,
            DataType::U16 => Layout::UInt16,
            DataType::I32 => Layout::Int32,
            DataType::U32 => Layout::UInt32,
            DataType::I64 => Layout::Int64,
            DataType::U64 => Layout::UInt64,
            DataType::F32 => Layout::Float32,
            DataType::F64 => Layout::Float64,
            DataType::Bool => Layout::Bool,
            DataType::String => Layout::Text,
            DataType::Ticks => Layout::Duration,
            DataType::DateTime => Layout::DateTime,
            DataType::DateTimeOffset => Layout::DateTimeOffset,
            DataType::RowId => Layout::RowId,
            DataType::Key { inner, count } => {
                let layout = match inner {
                    KeyType::U8 => Layout::UInt8,
                    KeyType::U16 => Layout::UInt16,
                    KeyType::U32 => Layout::UInt32,
                    KeyType::U64 => Layout::UInt64,
                };
                return Item::key(layout, *count).map(Some);
            }
            _ => return Ok(None),
        };
        Ok(Some(Item::plain(layout)))
    }
}

/// A column's type: a scalar, or vectors of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Codec {
    /// What each value, or each slot of a vector, is.
    pub item: Item,
    /// For vectors the dimensions, any of which may be 0 if it varies.
    pub dims: Option<Vec<u32>>,
}

impl Codec {
    /// A scalar.
    pub const fn scalar(item: Item) -> Self {
        Codec { item, dims: None }
    }
    /// What the column is in a table.
    pub fn dtype(&self) -> DataType {
        let item = self.item.dtype();
        self.dims.clone().map_or(item.clone(), |dims| DataType::Vector { item: Box::new(item), dims })
    }

    /// How a column of a table is written.
    pub fn of(dtype: &DataType) -> Result<Self> {
        let cannot = || Error::new(&codes::CANNOT_HOLD, format!("a column of {dtype}"));
        let scalar = |dtype| Item::of(dtype).map_err(|e| Error::new(&codes::CANNOT_HOLD, e.message()));
        match dtype {
            DataType::Vector { item, dims } => {
                let dims = if dims.is_empty() { vec![0] } else { dims.clone() };
                let fits = |size: i32, d: &u32| size.checked_mul(i32::try_from(*d).ok()?);
                dims.iter().try_fold(1, fits).ok_or_else(cannot)?;
                Ok(Codec { item: scalar(item)?.ok_or_else(cannot)?, dims: Some(dims) })
            }
            dtype => Ok(Codec::scalar(scalar(dtype)?.ok_or_else(cannot)?)),
        }
    }

    /// The slots of each vector, 0 if they vary; `None` for scalars.
    pub fn vector_size(&self) -> Option<u32> {
        self.dims.as_ref().map(|dims| dims.iter().product())
    }
}

/// A codec definition as the file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodecDef {
    /// The load name.
    pub name: String,
    /// What it means, `None` if that is not known.
    pub codec: Option<Codec>,
}

impl CodecDef {
    /// The definition that is written for a codec.
    pub fn new(codec: Codec) -> Self {
        let name = if codec.dims.is_some() { "VBuffer" } else { item_name(codec.item) };
        CodecDef { name: name.to_owned(), codec: Some(codec) }
    }

    /// Reads a definition. The error is about definitions that contradict themselves; one that is merely not
    /// known is a definition without a codec.
    pub fn parse(c: &mut Cursor<'_>, limits: &Limits) -> Result<CodecDef> {
        parse(c, limits, 0)
    }

    /// Appends the definition. Definitions that are not understood cannot be written and leave nothing.
    pub fn encode(&self, out: &mut Vec<u8>) {
        if let Some(codec) = &self.codec {
            encode(codec, out);
        }
    }
}

fn parse(c: &mut Cursor<'_>, limits: &Limits, depth: u32) -> Result<CodecDef> {
    limits.depth(depth).map_err(|e| e.section("toc").offset(c.offset()))?;
    let before = c.clone();
    let name = string(c)?.into_owned();
    if name.is_empty() {
        return Err(before.error(&codes::CODEC, "a codec has no name"));
    }
    let announced = leb(c)?;
    let start = c.position();
    let params = c.clone();
    let codec = match name.as_str() {
        "Key2" => key(c, limits, depth)?,
        "Key" => old_key(c, limits, depth)?,
        "VBuffer" => vector(c, limits, depth)?,
        other => match NAMES.iter().find(|(known, _)| *known == other) {
            Some((_, layout)) => Some(Codec::scalar(Item::plain(*layout))),
            None => {
                c.take_u64(announced)?;
                None
            }
        },
    };
    let found = (c.position() - start) as u64;
    if found != announced {
        let message = format!("{name:?} announces {announced} bytes of parameters and has {found}");
        return Err(params.error(&codes::CODEC, message));
    }
    Ok(CodecDef { name, codec })
}

/// The scalar inside of a key or a vector. `None` if it is not known: nothing after it can be read then.
fn inner(c: &mut Cursor<'_>, limits: &Limits, depth: u32, what: &str) -> Result<Option<Item>> {
    let before = c.clone();
    match parse(c, limits, depth + 1)?.codec {
        None => Ok(None),
        Some(Codec { item, dims: None }) => Ok(Some(item)),
        Some(_) => Err(before.error(&codes::CODEC, format!("a {what} of vectors"))),
    }
}

fn key(c: &mut Cursor<'_>, limits: &Limits, depth: u32) -> Result<Option<Codec>> {
    let Some(item) = inner(c, limits, depth, "key")? else { return Ok(None) };
    let before = c.clone();
    let count = c.u64()?;
    let item = Item::key(item.layout, count).map_err(|e| before.error(&codes::CODEC, e.message()))?;
    Ok(Some(Codec::scalar(item)))
}

/// Keys as written up to ML.NET 0.9: with a minimum that must be 0, and a count where 0 is "not known".
fn old_key(c: &mut Cursor<'_>, limits: &Limits, depth: u32) -> Result<Option<Codec>> {
    let Some(item) = inner(c, limits, depth, "key")? else { return Ok(None) };
    let before = c.clone();
    let (contiguous, min, count) = (c.u8()?, c.u64()?, c.i32()?);
    if contiguous != 1 || min != 0 || count < 0 {
        let message = format!("an old key with contiguous {contiguous}, minimum {min} and count {count}");
        return Err(before.error(&codes::CODEC, message));
    }
    let count = if count == 0 { key_max(item.layout).unwrap_or(0) } else { count as u64 };
    let item = Item::key(item.layout, count).map_err(|e| before.error(&codes::CODEC, e.message()))?;
    Ok(Some(Codec::scalar(item)))
}

fn vector(c: &mut Cursor<'_>, limits: &Limits, depth: u32) -> Result<Option<Codec>> {
    let Some(item) = inner(c, limits, depth, "vector")? else { return Ok(None) };
    let before = c.clone();
    let count = c.i32()?;
    let count = usize::try_from(count).map_err(|_| before.error(&codes::CODEC, format!("{count} dimensions")))?;
    let bytes = c.take_u64(count as u64 * 4)?;
    let mut dims = Vec::with_capacity(count.max(1));
    let mut size = 1i32;
    for dim in bytes.as_chunks::<4>().0 {
        let dim = i32::from_le_bytes(*dim);
        size = size
            .checked_mul(dim)
            .filter(|_| dim >= 0)
            .ok_or_else(|| before.error(&codes::CODEC, "a vector's dimensions are negative or too large"))?;
        dims.push(dim as u32);
    }
    // No dimensions at all stand for one that varies.
    if dims.is_empty() {
        dims.push(0);
    }
    Ok(Some(Codec { item, dims: Some(dims) }))
}

fn item_name(item: Item) -> &'static str {
    if item.key_count.is_some() {
        return "Key2";
    }
    NAMES.iter().find(|(_, layout)| *layout == item.layout).map_or("", |(name, _)| name)
}

fn encode(codec: &Codec, out: &mut Vec<u8>) {
    let Some(dims) = &codec.dims else { return encode_item(codec.item, out) };
    let mut params = Vec::new();
    encode_item(codec.item, &mut params);
    params.extend((dims.len() as u32).to_le_bytes());
    dims.iter().for_each(|d| params.extend(d.to_le_bytes()));
    put_definition(out, "VBuffer", &params);
}

fn encode_item(item: Item, out: &mut Vec<u8>) {
    let mut params = Vec::new();
    if let Some(count) = item.key_count {
        encode_item(Item::plain(item.layout), &mut params);
        params.extend(count.to_le_bytes());
    }
    put_definition(out, item_name(item), &params);
}

fn put_definition(out: &mut Vec<u8>, name: &str, params: &[u8]) {
    put_string(out, name);
    put_leb(out, params.len() as u64);
    out.extend(params);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<CodecDef> {
        CodecDef::parse(&mut Cursor::new(bytes, 0, "toc", &codes::TRUNCATED), &Limits::default())
    }

    #[test]
    fn definitions_come_back() {
        let key = Item::key(Layout::UInt16, 500).unwrap();
        for codec in [
            Codec::scalar(Item::plain(Layout::Float32)),
            Codec::scalar(key),
            Codec { item: key, dims: Some(vec![0]) },
            Codec { item: Item::plain(Layout::Text), dims: Some(vec![2, 3]) },
        ] {
            let def = CodecDef::new(codec);
            let mut out = Vec::new();
            def.encode(&mut out);
            assert_eq!(read(&out).unwrap(), def);
        }
    }

    #[test]
    fn every_layout_has_the_name_that_is_written_first() {
        for (_, layout) in NAMES {
            let def = CodecDef::new(Codec::scalar(Item::plain(layout)));
            let mut out = Vec::new();
            def.encode(&mut out);
            assert_eq!(read(&out).unwrap().codec.unwrap().item.layout, layout);
        }
    }

    #[test]
    fn an_unknown_codec_is_skipped_by_its_length() {
        let def = read(b"\x04Nope\x03abc").unwrap();
        assert_eq!((def.name.as_str(), def.codec), ("Nope", None));
        assert_eq!(read(b"\x04Nope\x05abc").unwrap_err().code().id(), "idv.truncated");
        assert_eq!(read(b"\x05Int32\x01a").unwrap_err().code().id(), "idv.codec");
    }

    #[test]
    fn definitions_nested_too_deeply_are_refused() {
        let mut bytes = Vec::new();
        for _ in 0..10_000 {
            bytes.extend(b"\x04Key2\x7f");
        }
        assert_eq!(read(&bytes).unwrap_err().code().id(), "limit.nesting");
    }
}
