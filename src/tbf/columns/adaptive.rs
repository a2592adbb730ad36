//! Single columns from values as they come: the encoders to use where there is no batch.

use super::{encode, encoding::FieldEncoding, footer::Chunk};
use crate::{
    codec::checksum::crc32,
    error::Result,
    table::{Column, StringsBuilder},
};

/// Gathers integers, then writes them in the encoding that was asked for, or the smallest.
///
/// ```
/// use forebay::tbf::{AdaptiveIntEncoder, FieldEncoding, Stored};
/// let mut ages = AdaptiveIntEncoder::new(FieldEncoding::Auto);
/// ages.extend([1_000_018, 1_000_090, 1_000_033]);
/// let mut out = Vec::new();
/// let chunk = ages.finish(&mut out)?;
/// assert_eq!((chunk.encoding, chunk.offset), (Stored::U8, 1_000_018));
/// assert_eq!(out, [10, 3, 0, 72, 15]);
/// # Ok::<(), forebay::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct AdaptiveIntEncoder {
    encoding: FieldEncoding,
    values: Vec<i64>,
}

impl AdaptiveIntEncoder {
    /// An empty column.
    pub fn new(encoding: FieldEncoding) -> Self {
        AdaptiveIntEncoder { encoding, values: Vec::new() }
    }
    /// Adds a value.
    pub fn push(&mut self, value: i64) {
        self.values.push(value);
    }
    /// How many values there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }
    /// True without values.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
    /// Appends the column as layout D has it, and says what a footer would; positions count from where `out`
    /// ended. A value outside of a chosen width is an error with its row.
    pub fn finish(self, out: &mut Vec<u8>) -> Result<Chunk> {
        chunk(out, &Column::from(self.values), self.encoding)
    }
}

impl Extend<i64> for AdaptiveIntEncoder {
    fn extend<I: IntoIterator<Item = i64>>(&mut self, values: I) {
        self.values.extend(values);
    }
}

/// Gathers texts, then writes them as a dictionary or inline, whichever is smaller or was asked for.
///
/// ```
/// use forebay::tbf::{AdaptiveStringEncoder, FieldEncoding, Stored};
/// let mut cities = AdaptiveStringEncoder::new(FieldEncoding::Auto);
/// for city in ["Oslo", "Oslo", "Rome", "Oslo"] {
///     cities.push(city)?;
/// }
/// assert_eq!(cities.finish(&mut Vec::new())?.encoding, Stored::Dictionary);
/// # Ok::<(), forebay::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct AdaptiveStringEncoder {
    encoding: FieldEncoding,
    values: StringsBuilder,
}

impl AdaptiveStringEncoder {
    /// An empty column.
    pub fn new(encoding: FieldEncoding) -> Self {
        AdaptiveStringEncoder { encoding, values: StringsBuilder::default() }
    }
    /// Adds a text.
    pub fn push(&mut self, value: &str) -> Result<()> {
        self.values.push(value)
    }
    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }
    /// True without texts.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
    /// Appends the column as layout D has it, and says what a footer would.
    pub fn finish(self, out: &mut Vec<u8>) -> Result<Chunk> {
        chunk(out, &self.values.into(), self.encoding)
    }
}

fn chunk(out: &mut Vec<u8>, column: &Column, encoding: FieldEncoding) -> Result<Chunk> {
    let start = out.len();
    let w = encode::column(out, column, encoding, encode::Place::default())?;
    let bytes = out.get(start..).unwrap_or_default();
    Ok(w.into_chunk(0, bytes.len() as u64, crc32(bytes), 0))
}

impl encode::Written {
    /// What the footer says of a column at this position.
    pub(super) fn into_chunk(self, position: u64, length: u64, crc32: u32, nulls: u64) -> Chunk {
        Chunk {
            encoding: self.stored,
            offset: self.offset,
            position,
            length,
            crc32,
            nulls,
            validity: None,
            min: self.min,
            max: self.max,
            distinct: self.distinct,
            values: self.values as u64,
            marks: self.marks,
        }
    }
}
