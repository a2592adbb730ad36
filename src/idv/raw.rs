//! The bytes of IDV as they lie in the file: header, table of contents, lookup tables, annotation tables.
//!
//! Each struct is read from a [`Cursor`] and written to a `Vec<u8>`. What is checked here is what one struct
//! alone can say; what needs the rest of the file is checked where the file is opened.

use std::ops::Range;

pub use super::primitives::{leb, lossy, put_leb, put_string, string, string_bytes};
use super::{codec_def::CodecDef, codes};
use crate::{
    cursor::Cursor,
    error::{Error, Result},
    limits::Limits,
};

/// The header's size; nothing else of the file begins before it ends.
pub const HEADER_BYTES: u64 = 256;
/// The size of the signature at the end.
pub const TAIL_BYTES: u64 = 8;
/// The size of one entry of a lookup table.
pub const LOOKUP_BYTES: u64 = 16;
/// The first eight bytes.
pub const SIGNATURE: [u8; 8] = *b"CML\0DVB\0";
/// The last eight bytes.
pub const TAIL_SIGNATURE: [u8; 8] = *b"\0BVD\0LMC";
/// The version that is written: 1.1.1.6.
pub const VERSION: u64 = version(1, 1, 1, 6);

/// The oldest version that a file's own version may name.
const OLDEST: u64 = version(1, 1, 1, 2);
/// The oldest layout that is read.
const OLDEST_LAYOUT: u64 = version(1, 1, 1, 4);

/// A version as the file stores it.
pub const fn version(a: u16, b: u16, c: u16, d: u16) -> u64 {
    (a as u64) << 48 | (b as u64) << 32 | (c as u64) << 16 | d as u64
}

/// A version as people write it.
pub fn version_text(v: u64) -> String {
    format!("{}.{}.{}.{}", v >> 48, v >> 32 & 0xffff, v >> 16 & 0xffff, v & 0xffff)
}

/// The 256 bytes at the front.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The version of the writer.
    pub version: u64,
    /// The oldest reader's version that can read the file.
    pub compatible: u64,
    /// Where the table of contents begins.
    pub toc_offset: u64,
    /// Where the tail signature lies.
    pub tail_offset: u64,
    /// How many rows there are.
    pub rows: u64,
    /// How many columns the table of contents lists.
    pub columns: u32,
}

impl Header {
    /// Reads the header and checks everything that it alone can say.
    pub fn parse(bytes: &[u8]) -> Result<Header> {
        let mut c = Cursor::new(bytes, 0, "header", &codes::TRUNCATED);
        if c.rest().len() < HEADER_BYTES as usize {
            let n = bytes.len();
            return Err(Error::new(&codes::TRUNCATED, format!("a header has 256 bytes and the file {n}"))
                .section("header")
                .offset(n as u64));
        }
        if c.array()? != SIGNATURE {
            let why = if bytes.iter().all(|&b| b == 0) {
                "the header was never written: the writer was interrupted"
            } else {
                "the signature is not that of an IDV file"
            };
            return Err(Error::new(&codes::SIGNATURE, why).section("header").offset(0));
        }
        let version = c.u64()?;
        let compatible = c.u64()?;
        check_versions(version, compatible)?;
        let toc_at = c.offset();
        let toc_offset = c.i64()?;
        let tail_offset = from(&mut c, "the tail's offset", HEADER_BYTES as i64, Cursor::i64)?;
        let rows = from(&mut c, "the number of rows", 0, Cursor::i64)?;
        let columns = from(&mut c, "the number of columns", 0, |c| c.i32().map(i64::from))?;
        // Without columns there is no table of contents and its offset means nothing.
        if columns > 0 && toc_offset < HEADER_BYTES as i64 {
            let message = format!("the table of contents is declared at {toc_offset}, inside the header");
            return Err(Error::new(&codes::HEADER, message).section("header").offset(toc_at));
        }
        Ok(Header {
            version,
            compatible,
            toc_offset: toc_offset.max(0) as u64,
            tail_offset,
            rows,
            columns: columns as u32,
        })
    }

    /// The 256 bytes.
    pub fn encode(&self) -> [u8; HEADER_BYTES as usize] {
        let mut out = [0; HEADER_BYTES as usize];
        let fields = [self.version, self.compatible, self.toc_offset, self.tail_offset, self.rows];
        let words = SIGNATURE.into_iter().chain(fields.into_iter().flat_map(u64::to_le_bytes));
        out.iter_mut().zip(words.chain(self.columns.to_le_bytes())).for_each(|(to, from)| *to = from);
        out
    }
}

fn check_versions(version: u64, compatible: u64) -> Result<()> {
    let at = |e: Error, offset| Err(e.section("header").offset(offset));
    let (own, needed) = (version_text(version), version_text(compatible));
    if compatible > version {
        let message = format!("version {own} requires readers of {needed}");
        return at(Error::new(&codes::VERSION_ORDER, message), 16);
    }
    if version < OLDEST {
        return at(Error::new(&codes::VERSION, format!("version {own} is older than 1.1.1.2")), 8);
    }
    if !(OLDEST_LAYOUT..=VERSION).contains(&compatible) {
        let message = format!("the file needs a reader of version {needed}; 1.1.1.4 to 1.1.1.6 are read");
        return at(Error::new(&codes::VERSION, message), 16);
    }
    Ok(())
}

/// A signed number that must be at least `least`.
fn from<'a>(c: &mut Cursor<'a>, what: &str, least: i64, read: impl Fn(&mut Cursor<'a>) -> Result<i64>) -> Result<u64> {
    let before = c.clone();
    let n = read(c)?;
    if n < least {
        return Err(before.error(&codes::HEADER, format!("{what} is {n}")));
    }
    Ok(n as u64)
}

/// One column in the table of contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TocEntry {
    /// The column's name; names may repeat.
    pub name: String,
    /// How its values are encoded.
    pub codec: CodecDef,
    /// How its blocks are compressed, as the file says.
    pub compression: u8,
    /// How many rows each block but the last has.
    pub rows_per_block: u32,
    /// Where the lookup table begins; means nothing if there are no rows.
    pub lookup_offset: i64,
    /// Where the annotations' table begins; 0 if there are none.
    pub annotations_offset: i64,
    /// Where this entry begins in the file.
    pub at: u64,
}

impl TocEntry {
    /// Reads one entry; `rows` is the header's count.
    pub fn parse(c: &mut Cursor<'_>, rows: u64, limits: &Limits) -> Result<TocEntry> {
        let at = c.offset();
        let name = string(c)?.into_owned();
        if name.is_empty() {
            return Err(Error::new(&codes::NAME, "a column has an empty name").section("toc").offset(at));
        }
        let column = name.clone();
        Self::parse_rest(c, name, at, rows, limits).map_err(|e| e.column(column))
    }

    fn parse_rest(c: &mut Cursor<'_>, name: String, at: u64, rows: u64, limits: &Limits) -> Result<TocEntry> {
        let codec = CodecDef::parse(c, limits)?;
        let compression = c.u8()?;
        let before = c.clone();
        // The number is written as 64 bits and read as 32: larger ones lose their upper half.
        let rows_per_block = leb(c)? as u32 as i32;
        if rows_per_block < 0 || rows_per_block == 0 && rows > 0 {
            return Err(before.error(&codes::ROWS_PER_BLOCK, format!("a block declares {rows_per_block} rows")));
        }
        Ok(TocEntry {
            name,
            codec,
            compression,
            rows_per_block: rows_per_block as u32,
            lookup_offset: c.i64()?,
            annotations_offset: c.i64()?,
            at,
        })
    }

    /// Appends the entry.
    pub fn encode(&self, out: &mut Vec<u8>) {
        put_string(out, &self.name);
        self.codec.encode(out);
        out.push(self.compression);
        put_leb(out, u64::from(self.rows_per_block));
        out.extend(self.lookup_offset.to_le_bytes());
        out.extend(self.annotations_offset.to_le_bytes());
    }
}

/// Where one block lies: an entry of a lookup table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockEntry {
    /// Where the stored bytes begin.
    pub offset: u64,
    /// How many bytes are stored.
    pub stored_bytes: u32,
    /// How many bytes the block has once decompressed.
    pub bytes: u32,
}

impl BlockEntry {
    /// Reads an entry; the block must end before the tail signature begins.
    pub fn parse(c: &mut Cursor<'_>, tail_offset: u64) -> Result<BlockEntry> {
        let before = c.clone();
        let (offset, stored, bytes) = (c.i64()?, c.i32()?, c.i32()?);
        if stored < 0 || bytes < 0 {
            let message = format!("the block has {stored} stored bytes for {bytes}");
            return Err(before.error(&codes::OFFSET, message));
        }
        if offset < HEADER_BYTES as i64 || (offset as u64).saturating_add(stored as u64) > tail_offset {
            let message = format!("the block is declared at {offset} with {stored} bytes; data ends at {tail_offset}");
            return Err(before.error(&codes::OFFSET, message));
        }
        Ok(BlockEntry { offset: offset as u64, stored_bytes: stored as u32, bytes: bytes as u32 })
    }

    /// The stored bytes in the file.
    pub fn range(&self) -> Range<u64> {
        self.offset..self.offset + u64::from(self.stored_bytes)
    }

    /// Appends the entry.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.offset.to_le_bytes());
        out.extend(self.stored_bytes.to_le_bytes());
        out.extend(self.bytes.to_le_bytes());
    }
}

/// One entry of a column's table of annotations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnotationEntry {
    /// What the annotation is: `SlotNames`, `KeyValues`...
    pub kind: String,
    /// How its value is encoded.
    pub codec: CodecDef,
    /// How its block is compressed, as the file says.
    pub compression: u8,
    /// Where its block begins.
    pub offset: u64,
    /// How many bytes are stored.
    pub stored_bytes: u64,
    /// Where this entry begins in the file.
    pub at: u64,
}

impl AnnotationEntry {
    /// Reads a whole table of annotations.
    pub(crate) fn parse_table(c: &mut Cursor<'_>, tail_offset: u64, limits: &Limits) -> Result<Vec<AnnotationEntry>> {
        let before = c.clone();
        let count = leb(c)?;
        if count == 0 || count > (i32::MAX - 1) as u64 {
            return Err(before.error(&codes::ANNOTATION, format!("a table of {count} annotations")));
        }
        // Nothing is reserved for the count: each entry is many bytes, so the bytes bound the table.
        let mut entries: Vec<AnnotationEntry> = Vec::new();
        let mut kinds = std::collections::HashSet::new();
        for _ in 0..count {
            let before = c.clone();
            let entry = Self::parse(c, tail_offset, limits)?;
            if !kinds.insert(entry.kind.clone()) {
                return Err(before.error(&codes::ANNOTATION, format!("{:?} is listed twice", entry.kind)));
            }
            entries.push(entry);
        }
        Ok(entries)
    }

    fn parse(c: &mut Cursor<'_>, tail_offset: u64, limits: &Limits) -> Result<AnnotationEntry> {
        let before = c.clone();
        let kind = string(c)?.into_owned();
        if kind.is_empty() {
            return Err(before.error(&codes::ANNOTATION, "an annotation has no kind"));
        }
        let codec = CodecDef::parse(c, limits)?;
        let compression = c.u8()?;
        let place = c.clone();
        let offset = c.i64()?;
        if offset < HEADER_BYTES as i64 || offset as u64 > tail_offset {
            let message = format!("{kind:?} is declared at {offset}; data ends at {tail_offset}");
            return Err(place.error(&codes::ANNOTATION, message));
        }
        let place = c.clone();
        let stored_bytes = leb(c)?;
        if stored_bytes == 0 || stored_bytes > tail_offset - offset as u64 {
            let message = format!("{kind:?} declares {stored_bytes} bytes at {offset}; data ends at {tail_offset}");
            return Err(place.error(&codes::ANNOTATION, message));
        }
        Ok(AnnotationEntry { kind, codec, compression, offset: offset as u64, stored_bytes, at: before.offset() })
    }

    /// Appends the entry.
    pub fn encode(&self, out: &mut Vec<u8>) {
        put_string(out, &self.kind);
        self.codec.encode(out);
        out.push(self.compression);
        out.extend(self.offset.to_le_bytes());
        put_leb(out, self.stored_bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_comes_back() {
        let header =
            Header { version: VERSION, compatible: VERSION, toc_offset: 300, tail_offset: 400, rows: 7, columns: 3 };
        assert_eq!(Header::parse(&header.encode()).unwrap(), header);
        assert_eq!(Header::parse(&[0; 256]).unwrap_err().code().id(), "idv.signature");
        assert_eq!(Header::parse(&header.encode()[..255]).unwrap_err().code().id(), "idv.truncated");
        assert_eq!(version_text(VERSION), "1.1.1.6");
    }
}
