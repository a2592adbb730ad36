//! What the pages of a Parquet file claim to become, checked against the bytes that exist before Parquet's crate acts
//! on it: that crate reserves what a page's header says, and unpacks Brotli and gzip for as long as something comes.

use std::{
    collections::HashMap,
    io::{self, Read},
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use forebay::{Error, Limits, Result};
use parquet::{
    basic::{Compression, Type},
    errors::Result as ParquetResult,
    file::{
        metadata::ParquetMetaData,
        reader::{ChunkReader, Length},
    },
};

use super::file::{ParquetFile, Piecemeal};
use crate::{
    codes,
    ranges::Ranges,
    thrift::{Compact, STRUCT},
};

/// The header of a page has a few dozen bytes and the least and greatest value; what does not fit into the first number
/// is looked for in up to the second.
pub(super) const HEADER: u64 = 4 << 10;
pub(super) const LONGEST_HEADER: u64 = 16 << 20;

/// A file whose page headers are looked at as they are read.
#[derive(Clone, Debug)]
pub struct Pages<F> {
    file: ParquetFile<F>,
    chunks: Arc<[Chunk]>,
    limits: Limits,
    /// By where its bytes begin, what a page must not outgrow that its codec unpacks without a bound.
    unbounded: Arc<Mutex<HashMap<u64, Unbounded>>>,
}

/// A page of a codec that unpacks without a bound.
#[derive(Clone, Copy, Debug)]
struct Unbounded {
    codec: Compression,
    /// Bytes in front that are not compressed.
    plain: u64,
    /// The most that the rest may become.
    most: u64,
    chunk: usize,
}

/// The pages of one column in one row group.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    start: u64,
    column: String,
    packed: Packed,
    /// The least bits that a value takes in a dictionary.
    bits: u64,
    /// One row may have several values.
    repeated: bool,
}

/// How pages are compressed, and the most bytes that a byte of them can become.
#[derive(Clone, Copy, Debug)]
struct Packed {
    name: Compression,
    ratio: u64,
}

impl Packed {
    fn new(name: Compression) -> Packed {
        let ratio = match name {
            Compression::UNCOMPRESSED => 1,
            // A copy of 64 bytes takes three.
            Compression::SNAPPY => 22,
            // A byte of a length stands for 255 bytes.
            Compression::LZ4 | Compression::LZ4_RAW => 255,
            // 258 bytes by two bits.
            Compression::GZIP(_) => 1032,
            // A copy of 16 MiB takes a few bytes.
            Compression::BROTLI(_) => 1 << 24,
            // A block of 128 KiB takes four bytes.
            _ => 1 << 15,
        };
        Packed { name, ratio }
    }
}

impl<F: Ranges> Pages<F> {
    /// Of a file whose footer is read.
    pub fn new(file: ParquetFile<F>, metadata: &ParquetMetaData, limits: &Limits) -> Pages<F> {
        Pages::of(file, Self::chunks(metadata), limits)
    }

    /// The same with what is known of its chunks already.
    pub(super) fn of(file: ParquetFile<F>, chunks: Arc<[Chunk]>, limits: &Limits) -> Pages<F> {
        Pages { file, chunks, limits: limits.clone(), unbounded: Arc::default() }
    }

    /// The file itself.
    pub(super) fn file(&self) -> &ParquetFile<F> {
        &self.file
    }

    /// The same pages, of a file of which these bytes were fetched.
    pub(super) fn with(&self, at: u64, bytes: Bytes) -> Pages<F> {
        Pages { file: self.file.with(at, bytes), ..self.clone() }
    }

    /// The pages of each column in each row group, by where they begin.
    pub(super) fn chunks(metadata: &ParquetMetaData) -> Arc<[Chunk]> {
        let chunks = metadata.row_groups().iter().flat_map(|group| group.columns()).map(|chunk| {
            let descriptor = chunk.column_descr();
            let first = chunk.dictionary_page_offset().filter(|&at| at > 0 && at < chunk.data_page_offset());
            let width = u64::try_from(descriptor.type_length()).unwrap_or(0);
            Chunk {
                start: first.unwrap_or(chunk.data_page_offset()).try_into().unwrap_or(0),
                column: descriptor.path().string(),
                packed: Packed::new(chunk.compression()),
                bits: match descriptor.physical_type() {
                    Type::BOOLEAN => 1,
                    Type::INT32 | Type::FLOAT | Type::BYTE_ARRAY => 32,
                    Type::INT64 | Type::DOUBLE => 64,
                    Type::INT96 => 96,
                    Type::FIXED_LEN_BYTE_ARRAY => width.max(1) * 8,
                },
                repeated: descriptor.max_rep_level() > 0,
            }
        });
        let mut chunks: Vec<Chunk> = chunks.collect();
        chunks.sort_by_key(|chunk| chunk.start);
        chunks.into()
    }

    /// The most bytes that a page may become.
    pub(super) fn most(&self) -> u64 {
        self.limits.item_bytes
    }

    /// The claim, or the failure of the disk, for which reading ended, if that is why.
    pub fn refused(&self) -> Option<Error> {
        self.file.refused()
    }

    /// What the header of the page that begins there says; `None` if it cannot be read.
    fn header(&self, at: u64) -> Result<Option<(Page, usize)>> {
        let mut most = HEADER;
        loop {
            let bytes = self.file.some(at, most)?;
            let page = Page::read(&bytes);
            if page.is_some() || (bytes.len() as u64) < most || most >= LONGEST_HEADER {
                return Ok(page);
            }
            most *= 16;
        }
    }

    /// Looks at the header of the page that begins there.
    fn check(&self, at: u64) -> Result<()> {
        let after = self.chunks.partition_point(|chunk| chunk.start <= at);
        let Some(chunk) = after.checked_sub(1).and_then(|i| self.chunks.get(i)) else { return Ok(()) };
        let placed = |e: Error| e.section("page").column(&chunk.column).offset(at);
        let damaged = |why: String| placed(Error::new(&codes::ARROW, why));
        let (page, header) = self.header(at)?.ok_or_else(|| damaged("the header of a page cannot be read".into()))?;
        self.limits.item(page.unpacked).map_err(placed)?;
        let Packed { name, ratio } = chunk.packed;
        if page.unpacked > page.stored.saturating_mul(ratio) {
            let (stored, unpacked) = (page.stored, page.unpacked);
            return Err(damaged(format!(
                "a page of {stored} bytes declares {unpacked} unpacked bytes; {name} cannot do that"
            )));
        }
        // Small pages of gzip cannot become more than the limit allows anyway.
        let unbounded = match name {
            Compression::BROTLI(_) => true,
            Compression::GZIP(_) => page.stored.saturating_mul(ratio) > self.limits.item_bytes,
            _ => false,
        };
        if unbounded && !page.uncompressed {
            let most = page.unpacked.saturating_sub(page.levels);
            let found = Unbounded { codec: name, plain: page.levels, most, chunk: after - 1 };
            let mut all = self.unbounded.lock().unwrap_or_else(PoisonError::into_inner);
            all.insert(at + header as u64, found);
        }
        if page.dictionary && page.values.saturating_mul(chunk.bits) > page.unpacked.saturating_mul(8) {
            let (values, unpacked) = (page.values, page.unpacked);
            return Err(damaged(format!("a dictionary declares {values} values in {unpacked} bytes")));
        }
        // Runs of equal values take next to nothing, and one row may have them all.
        if chunk.repeated && !page.dictionary {
            self.limits.item(page.values.saturating_mul(8)).map_err(placed)?;
        }
        Ok(())
    }
}

/// What a header says of its page.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Page {
    pub(super) unpacked: u64,
    /// Bytes behind the header.
    pub(super) stored: u64,
    /// Missing ones included.
    pub(super) values: u64,
    pub(super) dictionary: bool,
    /// Rows, which only the second version says.
    #[cfg_attr(not(feature = "samples"), allow(dead_code))]
    pub(super) rows: Option<u64>,
    /// The number of the encoding of a page with values.
    #[cfg_attr(not(feature = "samples"), allow(dead_code))]
    pub(super) encoding: Option<i64>,
    /// Levels of the second version, which lie in front of the values and are never compressed.
    pub(super) levels: u64,
    /// The values are not either.
    pub(super) uncompressed: bool,
}

impl Page {
    /// The page's claims, and the length of its header.
    pub(super) fn read(bytes: &[u8]) -> Option<(Page, usize)> {
        let mut page = Page::default();
        let (mut c, mut last) = (Compact(bytes), 0);
        let size = |c: &mut Compact<'_>| u64::try_from(c.zigzag()?).ok();
        while let Some((number, kind)) = c.field(&mut last)? {
            match (number, kind) {
                (2, 5) => page.unpacked = size(&mut c)?,
                (3, 5) => page.stored = size(&mut c)?,
                (5 | 7 | 8, STRUCT) => {
                    page.dictionary = number == 7;
                    let second = number == 8;
                    let mut last = 0;
                    while let Some((number, kind)) = c.field(&mut last)? {
                        match (number, kind, second) {
                            (1, 5, _) => page.values = size(&mut c)?,
                            (3, 5, true) => page.rows = Some(size(&mut c)?),
                            (2, 5, false) | (4, 5, true) if !page.dictionary => page.encoding = Some(c.zigzag()?),
                            (5 | 6, 5, true) => page.levels = page.levels.saturating_add(size(&mut c)?),
                            (7, 2, true) => page.uncompressed = true,
                            _ => c.skip(kind)?,
                        }
                    }
                }
                _ => c.skip(kind)?,
            }
        }
        Some((page, bytes.len() - c.0.len()))
    }
}

impl<F: Ranges> Length for Pages<F> {
    fn len(&self) -> u64 {
        self.file.len()
    }
}

impl<F: Ranges> ChunkReader for Pages<F> {
    type T = Header<F>;

    /// The crate reads nothing but headers through this.
    fn get_read(&self, start: u64) -> ParquetResult<Header<F>> {
        Ok(Header { bytes: self.file.get_read(start)?, pages: self.clone(), start: Some(start) })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        let bytes = self.file.get_bytes(start, length)?;
        let page = self.unbounded.lock().unwrap_or_else(PoisonError::into_inner).remove(&start);
        match page {
            Some(page) if page.outgrown(&bytes) => {
                let column = self.chunks.get(page.chunk).map_or("", |chunk| &chunk.column);
                let message = format!("a page becomes more than the {} bytes that it announces", page.most);
                let e = Error::new(&codes::ARROW, message).section("page").column(column).offset(start);
                Err(self.file.refuse(e).into())
            }
            _ => Ok(bytes),
        }
    }
}

impl Unbounded {
    /// True if the bytes become more than they may. What cannot be unpacked is left to the crate, which says so.
    fn outgrown(self, bytes: &[u8]) -> bool {
        let packed = usize::try_from(self.plain).ok().and_then(|plain| bytes.get(plain..)).unwrap_or_default();
        let count = |reader: &mut dyn Read| io::copy(&mut reader.take(self.most + 1), &mut io::sink());
        let became = match self.codec {
            Compression::BROTLI(_) => count(&mut brotli_decompressor::Decompressor::new(packed, 1 << 16)),
            _ => count(&mut flate2::read::MultiGzDecoder::new(packed)),
        };
        became.is_ok_and(|n| n > self.most)
    }
}

/// The bytes of a page's header, which are held back until they were looked at.
#[derive(Debug)]
pub struct Header<F> {
    bytes: Piecemeal<F>,
    pages: Pages<F>,
    start: Option<u64>,
}

impl<F: Ranges> Read for Header<F> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if let Some(Err(e)) = self.start.take().map(|start| self.pages.check(start)) {
            return Err(self.pages.file.refuse(e));
        }
        self.bytes.read(out)
    }
}

#[cfg(test)]
mod tests {
    use forebay::step::Pieces;

    use super::*;
    use crate::ranges::Fetched;

    #[test]
    fn a_header_is_read_as_far_as_it_claims_memory() {
        // type 0; sizes 5000 and 40; a data page of 7 values, plain, with its levels.
        let data = [0x15, 0, 0x15, 0x90, 0x4e, 0x15, 80, 0x2c, 0x15, 14, 0x15, 0, 0x15, 6, 0x15, 6, 0, 0];
        let (page, header) = Page::read(&data).unwrap();
        assert_eq!(
            (page, header),
            (Page { unpacked: 5000, stored: 40, values: 7, encoding: Some(0), ..Page::default() }, data.len())
        );
        // A dictionary of 3 values.
        let dictionary = [0x15, 4, 0x15, 24, 0x15, 24, 0x4c, 0x15, 6, 0x15, 0, 0, 0];
        let claims = Page { unpacked: 12, stored: 12, values: 3, dictionary: true, ..Page::default() };
        assert_eq!(Page::read(&dictionary).unwrap().0, claims);
        // The second version: 7 values, 3 and 4 bytes of levels, and the values not compressed.
        let second =
            [0x15, 6, 0x15, 80, 0x15, 80, 0x5c, 0x15, 14, 0x15, 0, 0x15, 14, 0x15, 0, 0x15, 6, 0x15, 8, 0x12, 0, 0];
        let claims = Page { unpacked: 40, stored: 40, values: 7, levels: 7, uncompressed: true, ..Page::default() };
        let claims = Page { rows: Some(7), encoding: Some(0), ..claims };
        assert_eq!(Page::read(&second).unwrap(), (claims, second.len()));
        for n in 0..data.len() {
            assert_eq!(Page::read(&data[..n]), None);
        }
        // A size below 0.
        assert_eq!(Page::read(&[0x15, 0, 0x15, 1, 0]), None);
    }

    fn refusal(header: &[u8], codec: Compression, repeated: bool) -> Option<(&'static str, String)> {
        let chunk = Chunk { start: 0, column: "c".into(), packed: Packed::new(codec), bits: 32, repeated };
        let mut pieces = Pieces::default();
        pieces.push(0, header.to_vec().into());
        let file = ParquetFile::new(Fetched::new(header.len() as u64, &pieces));
        let pages = Pages { file, chunks: Arc::new([chunk]), limits: Limits::host(), unbounded: Arc::default() };
        let read = pages.get_read(0).unwrap().read_to_end(&mut Vec::new());
        let e = pages.refused();
        assert_eq!(read.is_err(), e.is_some());
        e.map(|e| (e.code().id(), e.message().to_owned()))
    }

    #[test]
    fn claims_are_held_against_the_bytes_the_codec_and_the_limits() {
        // 2^31 - 1 bytes of a page of 40.
        let huge = [0x15, 0, 0x15, 0xfe, 0xff, 0xff, 0xff, 0x0f, 0x15, 80, 0x2c, 0x15, 14, 0, 0];
        assert_eq!(refusal(&huge, Compression::SNAPPY, false).unwrap().0, "limit.item");
        // 5000 bytes of a page of 40.
        let data = [0x15, 0, 0x15, 0x90, 0x4e, 0x15, 80, 0x2c, 0x15, 14, 0x15, 0, 0x15, 6, 0x15, 6, 0, 0];
        let words = "a page of 40 bytes declares 5000 unpacked bytes; SNAPPY cannot do that".to_owned();
        assert_eq!(refusal(&data, Compression::SNAPPY, false), Some(("table.arrow", words)));
        assert_eq!(refusal(&data, Compression::LZ4_RAW, false), None);
        // 2^31 - 1 values in a dictionary of 12 bytes, and of a list in a page of 12 bytes.
        for (number, kind, repeated, code) in [(0x4c, 4, false, "table.arrow"), (0x2c, 0, true, "limit.item")] {
            let header = [0x15, kind, 0x15, 24, 0x15, 24, number, 0x15, 0xfe, 0xff, 0xff, 0xff, 0x0f, 0x15, 0, 0, 0];
            assert_eq!(refusal(&header, Compression::UNCOMPRESSED, repeated).unwrap().0, code);
        }
        assert_eq!(refusal(&[0x15], Compression::SNAPPY, false).unwrap().0, "table.arrow");
    }
}
