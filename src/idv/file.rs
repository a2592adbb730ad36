//! An opened file: its columns, where their blocks lie, and one block decoded at a time.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;

use super::{
    codec_def::{Codec, CodecDef},
    codes,
    raw::{BlockEntry, Header, LOOKUP_BYTES},
    source::{Losses, Source},
    values, vectors,
};
use crate::{
    check::Fault,
    codec::deflate::Inflater,
    cursor::Cursor,
    error::{self, Error, Result},
    limits::Limits,
    table::{self, ColumnData, Field, Schema},
};

/// How blocks are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Packing {
    /// As they are.
    None,
    /// Raw deflate, one stream a block.
    #[default]
    Deflate,
}

impl crate::words::Word for Packing {
    const ALL: &'static [Self] = &[Packing::None, Packing::Deflate];

    fn word(self) -> &'static str {
        self.name()
    }
}

#[doc(hidden)]
impl Packing {
    /// The packing of this number in the file.
    pub const fn from_code(code: u8) -> Option<Self> {
        match code {
            0 => Some(Packing::None),
            1 => Some(Packing::Deflate),
            _ => None,
        }
    }
    /// The number in the file.
    pub const fn code(self) -> u8 {
        self as u8
    }
    /// The word used in reports and options.
    pub const fn name(self) -> &'static str {
        match self {
            Packing::None => "none",
            Packing::Deflate => "deflate",
        }
    }
}

/// The values of one block.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// The rows.
    pub column: table::Column,
    /// What of them could not be kept exactly.
    pub losses: Losses,
}

/// A column that can be read.
#[derive(Clone, Debug)]
pub struct Live {
    /// The type of its values.
    pub codec: Codec,
    /// How its blocks are stored.
    pub packing: Packing,
}

/// One column of the table of contents.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name; names may repeat.
    pub name: String,
    /// True if a later column has the same name, which is the one that the name stands for.
    pub hidden: bool,
    /// How its values are read; `None` if its codec or compression is not known, so that they cannot be.
    pub live: Option<Live>,
    /// Its codec as the file defines it.
    pub definition: CodecDef,
    /// How its blocks are compressed, as the file says.
    pub compression: u8,
    /// What it says about itself, in the file's order: `SlotNames`, `KeyValues`, `IsNormalized`...
    pub annotations: Vec<table::Annotation>,
    /// Where its entry in the table of contents begins.
    pub(super) at: u64,
    /// Where the lookup table begins.
    pub(super) lookup_offset: u64,
    /// The lookup table; `None` if it lies outside of the file.
    pub(super) lookup: Option<Bytes>,
}

impl Column {
    /// Why the column cannot be read, if it cannot.
    pub(super) fn dead(&self) -> Error {
        let message = match &self.definition.codec {
            None => format!("the column cannot be read: its codec {:?} is not known", self.definition.name),
            Some(_) => format!("the column cannot be read: its compression {} is not known", self.compression),
        };
        Error::new(&codes::DEAD, message).section("toc").column(&self.name).offset(self.at)
    }
    /// The annotation of a kind.
    pub fn annotation(&self, kind: &str) -> Option<&table::Column> {
        self.annotations.iter().find(|a| a.name == kind).map(|a| &a.value)
    }
    /// What it is in a table; `None` if it cannot be read.
    pub fn field(&self) -> Option<Field> {
        let mut field = Field::new(&self.name, self.live.as_ref()?.codec.dtype());
        field.metadata = self.annotations.clone();
        Some(field)
    }
}

/// An opened file. It holds the tables, not the data.
#[derive(Clone, Debug)]
pub struct File {
    /// The header.
    pub header: Header,
    /// Every column of the table of contents, dead ones too.
    pub columns: Vec<Column>,
    /// What was skipped or read more kindly than ML.NET does.
    pub notes: Vec<Fault>,
    /// How many rows each block but the last has; 0 only if there are no rows or no columns.
    pub rows_per_block: u32,
    pub(super) schema: Arc<Schema>,
    /// For each column of the schema its place in the table of contents.
    pub(super) places: Vec<usize>,
    pub(super) limits: Limits,
    pub(super) file_len: u64,
    /// What the opener went past.
    pub(super) faults: Arc<[Error]>,
}

impl File {
    /// How many rows there are.
    pub fn rows(&self) -> u64 {
        self.header.rows
    }

    /// Names, types and annotations of the columns that can be read.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// How many blocks each column has.
    pub fn blocks(&self) -> u64 {
        block_count(self.header.rows, self.rows_per_block)
    }

    /// How many blocks some lookup table really lists: where every table lies outside the file, none, however many
    /// rows the header claims.
    pub(super) fn listed_blocks(&self) -> u64 {
        let longest = self.columns.iter().filter_map(|c| c.lookup.as_ref()).map(|table| table.len() as u64).max();
        self.blocks().min(longest.unwrap_or(0).div_ceil(LOOKUP_BYTES))
    }

    /// The rows of a block.
    pub fn rows_of(&self, block: u64) -> Range<u64> {
        let per_block = u64::from(self.rows_per_block);
        let start = block.saturating_mul(per_block).min(self.rows());
        start..start.saturating_add(per_block).min(self.rows())
    }

    /// A column by its place in the table of contents.
    pub fn column(&self, column: usize) -> Result<&Column> {
        self.columns.get(column).ok_or_else(|| {
            let message = format!("column {column} of {}", self.columns.len());
            Error::new(&error::codes::OUT_OF_RANGE, message)
        })
    }

    /// A column that can be read.
    pub fn live(&self, column: usize) -> Result<(&Column, &Live)> {
        let c = self.column(column)?;
        Ok((c, c.live.as_ref().ok_or_else(|| c.dead())?))
    }

    /// Where a block lies: its [`BlockEntry::range`] is what [`decode_block`](Self::decode_block) needs.
    pub fn entry(&self, column: usize, block: u64) -> Result<BlockEntry> {
        let c = self.column(column)?;
        self.find(c, block).map_err(|e| e.section("lookup").column(&c.name).block(block))
    }

    fn find(&self, c: &Column, block: u64) -> Result<BlockEntry> {
        if block >= self.blocks() {
            let message = format!("block {block} of {}", self.blocks());
            return Err(Error::new(&error::codes::OUT_OF_RANGE, message));
        }
        let lookup = c.lookup.as_ref().ok_or_else(|| {
            Error::new(&codes::OFFSET, "the lookup table lies outside the file").offset(c.lookup_offset)
        })?;
        let at = block * LOOKUP_BYTES;
        let entry = usize::try_from(at).ok().and_then(|at| lookup.get(at..)).unwrap_or_default();
        let mut cursor = Cursor::new(entry, c.lookup_offset.saturating_add(at), "lookup", &codes::TRUNCATED);
        BlockEntry::parse(&mut cursor, self.header.tail_offset)
    }

    /// Decodes one block from its stored bytes. Pure, so that hosts may decode blocks side by side, each with its
    /// own `inflater`. Numbers, booleans and plain text of blocks that are not packed share the memory of `stored`
    /// where it is aligned.
    pub fn decode_block(&self, column: usize, block: u64, stored: &Bytes, inflater: &mut Inflater) -> Result<Decoded> {
        let (c, live) = self.live(column)?;
        let entry = self.entry(column, block)?;
        let rows = self.rows_of(block);
        let n = usize::try_from(rows.end - rows.start).unwrap_or(usize::MAX);
        self.decode_entry(live, entry, stored, n, inflater)
            .map_err(|e| e.section("block").column(&c.name).block(block).offset(entry.offset))
    }

    fn decode_entry(
        &self,
        live: &Live,
        entry: BlockEntry,
        stored: &Bytes,
        n: usize,
        inflater: &mut Inflater,
    ) -> Result<Decoded> {
        if stored.len() as u64 != u64::from(entry.stored_bytes) {
            let message = format!("{} bytes are given, {} are stored", stored.len(), entry.stored_bytes);
            return Err(Error::new(&error::codes::MISSING_BYTES, message));
        }
        let size = self.limits.item(u64::from(entry.bytes))?;
        match live.packing {
            Packing::None if size > stored.len() => {
                let message = format!("{size} bytes announced, {} stored", stored.len());
                Err(Error::new(&codes::TRUNCATED, message))
            }
            Packing::None => {
                let bytes = stored.slice(..size);
                decode_bytes(&mut Source::new(&bytes, entry.offset, "block"), &live.codec, n, &self.limits)
            }
            Packing::Deflate => {
                let bytes = inflater.inflate(stored, u64::from(entry.bytes), &self.limits).map_err(unpacked)?;
                let bytes = Bytes::from(bytes);
                decode_bytes(&mut Source::new(&bytes, 0, "block"), &live.codec, n, &self.limits).map_err(inside)
            }
        }
    }
}

/// Decodes the bytes of a block of `n` rows.
pub(super) fn decode_bytes(source: &mut Source<'_>, codec: &Codec, n: usize, limits: &Limits) -> Result<Decoded> {
    let before = source.cursor.clone();
    let data = match codec.dims {
        None => values::read(source, codec.item.layout, n, false, limits)?,
        Some(_) => ColumnData::Vector(vectors::read(source, codec, n, limits)?),
    };
    let column = table::Column::new(codec.dtype(), data, None);
    let column = column.map_err(|e| before.error(&codes::VECTOR, e.message()))?;
    Ok(Decoded { column, losses: source.losses })
}

/// An error of decompression in IDV's words; those about limits stay.
pub(super) fn unpacked(e: Error) -> Error {
    if e.kind() == error::Kind::Limit {
        return e;
    }
    let message = e.message().to_owned();
    Error::caused(&codes::DEFLATE, message, e)
}

/// Moves an offset inside decompressed bytes into the message: the file has no such byte.
pub(super) fn inside(e: Error) -> Error {
    match e.place().offset {
        Some(at) => Error::new(e.code(), format!("{} (at byte {at} of the decompressed block)", e.message())),
        None => e,
    }
}

/// How many blocks hold `rows` rows.
pub(super) fn block_count(rows: u64, rows_per_block: u32) -> u64 {
    rows.checked_div(u64::from(rows_per_block)).map_or(0, |_| rows.div_ceil(u64::from(rows_per_block)))
}
