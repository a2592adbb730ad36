//! An opened file: its columns, where their blocks lie, and one block decoded at a time.

use std::ops::Range;

use bytes::Bytes;

use super::{
    codec_def::{Codec, CodecDef},
    codes,
    raw::{BlockEntry, Header, LOOKUP_BYTES},
    values::{self, Values},
    vectors::{self, Vectors},
};
use crate::{
    check::Fault,
    codec::deflate::Inflater,
    cursor::Cursor,
    error::{self, Error, Result},
    limits::Limits,
};

/// How blocks are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Packing {
    /// As they are.
    None,
    /// Raw deflate, one stream a block.
    #[default]
    Deflate,
}

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

/// The values of one block or of one annotation.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// One value a row.
    Scalars(Values),
    /// One vector a row.
    Vectors(Vectors),
}

impl Block {
    /// How many rows it has.
    pub fn rows(&self) -> usize {
        match self {
            Block::Scalars(values) => values.len(),
            Block::Vectors(vectors) => vectors.counts.len(),
        }
    }
}

/// What a column says about itself besides its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Annotation {
    /// What it is: `SlotNames`, `KeyValues`, `IsNormalized`...
    pub kind: String,
    /// The type of its value.
    pub codec: Codec,
    /// Its value: a block of one row.
    pub value: Block,
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
    /// True where a later column has the same name, which is the one that the name stands for.
    pub hidden: bool,
    /// How its values are read; `None` where its codec or compression is not known, so that they cannot be.
    pub live: Option<Live>,
    /// Its codec as the file defines it.
    pub definition: CodecDef,
    /// How its blocks are compressed, as the file says.
    pub compression: u8,
    /// What it says about itself, in the file's order.
    pub annotations: Vec<Annotation>,
    /// Where its entry in the table of contents begins.
    pub(super) at: u64,
    /// Where the lookup table begins.
    pub(super) lookup_offset: u64,
    /// The lookup table; `None` where it lies outside of the file.
    pub(super) lookup: Option<Bytes>,
}

impl Column {
    /// Why the column cannot be read, where it cannot.
    pub(super) fn dead(&self) -> Error {
        let message = match &self.definition.codec {
            None => format!("the column cannot be read: its codec {:?} is not known", self.definition.name),
            Some(_) => format!("the column cannot be read: its compression {} is not known", self.compression),
        };
        Error::new(&codes::DEAD, message).section("toc").column(&self.name).offset(self.at)
    }
    /// The annotation of a kind.
    pub fn annotation(&self, kind: &str) -> Option<&Annotation> {
        self.annotations.iter().find(|a| a.kind == kind)
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
    /// How many rows each block but the last has; 0 only where there are no rows or no columns.
    pub rows_per_block: u32,
    pub(super) limits: Limits,
}

impl File {
    /// How many rows there are.
    pub fn rows(&self) -> u64 {
        self.header.rows
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

    /// The blocks that hold any of these rows.
    pub fn blocks_of(&self, rows: &Range<u64>) -> Range<u64> {
        let end = rows.end.min(self.rows());
        let per_block = u64::from(self.rows_per_block);
        if rows.start >= end || per_block == 0 {
            return 0..0;
        }
        rows.start / per_block..end.div_ceil(per_block)
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

    /// Where a block lies: its [`BlockEntry::range`] is what [`decode`](Self::decode) needs.
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
    /// own `inflater`.
    pub fn decode(&self, column: usize, block: u64, stored: &[u8], inflater: &mut Inflater) -> Result<Block> {
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
        stored: &[u8],
        n: usize,
        inflater: &mut Inflater,
    ) -> Result<Block> {
        if stored.len() as u64 != u64::from(entry.stored_bytes) {
            let message = format!("{} bytes are given, {} are stored", stored.len(), entry.stored_bytes);
            return Err(Error::new(&error::codes::MISSING_BYTES, message));
        }
        self.limits.item(u64::from(entry.bytes))?;
        match live.packing {
            Packing::None => {
                let bytes = stored.get(..entry.bytes as usize).ok_or_else(|| {
                    let message = format!("{} bytes announced, {} stored", entry.bytes, entry.stored_bytes);
                    Error::new(&codes::TRUNCATED, message)
                })?;
                decode_bytes(&mut cursor(bytes, entry.offset), &live.codec, n, &self.limits)
            }
            Packing::Deflate => {
                let bytes = inflater.inflate(stored, u64::from(entry.bytes), &self.limits).map_err(unpacked)?;
                decode_bytes(&mut cursor(&bytes, 0), &live.codec, n, &self.limits).map_err(inside)
            }
        }
    }
}

fn cursor(bytes: &[u8], base: u64) -> Cursor<'_> {
    Cursor::new(bytes, base, "block", &codes::TRUNCATED)
}

/// Decodes the bytes of a block of `n` rows.
pub(super) fn decode_bytes(c: &mut Cursor<'_>, codec: &Codec, n: usize, limits: &Limits) -> Result<Block> {
    match codec.dims {
        None => values::read(c, codec.item.layout, n, false, limits).map(Block::Scalars),
        Some(_) => vectors::read(c, codec, n, limits).map(Block::Vectors),
    }
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
