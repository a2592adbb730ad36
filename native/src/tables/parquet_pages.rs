//! What the pages of a Parquet file claim to become, held against the bytes that exist before Parquet's crate acts on
//! it: that crate reserves what a page's header says.

use std::{
    io::{self, Read},
    sync::{Arc, Mutex, PoisonError},
};

use bytes::{Bytes, buf::Reader};
use forebay::{Error, Limits, Result};
use parquet::{
    basic::{Compression, Type},
    errors::Result as ParquetResult,
    file::{
        metadata::ParquetMetaData,
        reader::{ChunkReader, Length},
    },
};

use super::{
    codes,
    thrift::{Compact, STRUCT},
};

/// A file whose page headers are looked at as they are read. What is refused is kept for [`refused`](Self::refused),
/// since it loses its code on the way through the crate.
#[derive(Clone, Debug)]
pub(super) struct Pages {
    file: Bytes,
    chunks: Arc<[Chunk]>,
    limits: Limits,
    refused: Arc<Mutex<Option<Error>>>,
}

/// The pages of one column in one row group.
#[derive(Clone, Debug)]
struct Chunk {
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
            // A block of 128 KiB takes four bytes.
            _ => 1 << 15,
        };
        Packed { name, ratio }
    }
}

impl Pages {
    pub fn new(file: &Bytes, metadata: &ParquetMetaData, limits: &Limits) -> Pages {
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
        Pages { file: file.clone(), chunks: chunks.into(), limits: limits.clone(), refused: Arc::default() }
    }

    /// The claim for which reading ended, if that is why.
    pub fn refused(&self) -> Option<Error> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Looks at the header of the page that begins there.
    fn check(&self, at: u64) -> Result<()> {
        let Some(bytes) = usize::try_from(at).ok().and_then(|at| self.file.get(at..)) else { return Ok(()) };
        let after = self.chunks.partition_point(|chunk| chunk.start <= at);
        let Some(chunk) = after.checked_sub(1).and_then(|i| self.chunks.get(i)) else { return Ok(()) };
        let placed = |e: Error| e.section("page").column(&chunk.column).offset(at);
        let damaged = |why: String| placed(Error::new(&codes::ARROW, why));
        let page = Page::read(bytes).ok_or_else(|| damaged("the header of a page cannot be read".into()))?;
        self.limits.item(page.unpacked).map_err(placed)?;
        let Packed { name, ratio } = chunk.packed;
        if page.unpacked > page.stored.saturating_mul(ratio) {
            let (stored, unpacked) = (page.stored, page.unpacked);
            return Err(damaged(format!(
                "a page of {stored} bytes is said to become {unpacked}; {name} cannot do that"
            )));
        }
        if page.dictionary && page.values.saturating_mul(chunk.bits) > page.unpacked.saturating_mul(8) {
            let (values, unpacked) = (page.values, page.unpacked);
            return Err(damaged(format!("a dictionary is said to have {values} values in {unpacked} bytes")));
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
struct Page {
    unpacked: u64,
    stored: u64,
    values: u64,
    dictionary: bool,
}

impl Page {
    fn read(bytes: &[u8]) -> Option<Page> {
        let mut page = Page::default();
        let (mut c, mut last) = (Compact(bytes), 0);
        let size = |c: &mut Compact<'_>| u64::try_from(c.zigzag()?).ok();
        while let Some((number, kind)) = c.field(&mut last)? {
            match (number, kind) {
                (2, 5) => page.unpacked = size(&mut c)?,
                (3, 5) => page.stored = size(&mut c)?,
                (5 | 7 | 8, STRUCT) => {
                    page.dictionary = number == 7;
                    let mut last = 0;
                    while let Some((number, kind)) = c.field(&mut last)? {
                        match (number, kind) {
                            (1, 5) => page.values = size(&mut c)?,
                            _ => c.skip(kind)?,
                        }
                    }
                }
                _ => c.skip(kind)?,
            }
        }
        Some(page)
    }
}

impl Length for Pages {
    fn len(&self) -> u64 {
        self.file.len() as u64
    }
}

impl ChunkReader for Pages {
    type T = Header;

    /// The crate reads nothing but headers through this.
    fn get_read(&self, start: u64) -> ParquetResult<Header> {
        Ok(Header { bytes: self.file.get_read(start)?, pages: self.clone(), start: Some(start) })
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        self.file.get_bytes(start, length)
    }
}

/// The bytes of a page's header, which are held back until they were looked at.
pub(super) struct Header {
    bytes: Reader<Bytes>,
    pages: Pages,
    start: Option<u64>,
}

impl Read for Header {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if let Some(Err(e)) = self.start.take().map(|start| self.pages.check(start)) {
            let said = io::Error::other(e.to_string());
            *self.pages.refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(e);
            return Err(said);
        }
        self.bytes.read(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_as_far_as_it_claims_memory() {
        // type 0; sizes 5000 and 40; a data page of 7 values, plain, with its levels.
        let data = [0x15, 0, 0x15, 0x90, 0x4e, 0x15, 80, 0x2c, 0x15, 14, 0x15, 0, 0x15, 6, 0x15, 6, 0, 0];
        let page = Page::read(&data).unwrap();
        assert_eq!(page, Page { unpacked: 5000, stored: 40, values: 7, dictionary: false });
        // A dictionary of 3 values.
        let dictionary = [0x15, 4, 0x15, 24, 0x15, 24, 0x4c, 0x15, 6, 0x15, 0, 0, 0];
        assert_eq!(Page::read(&dictionary).unwrap(), Page { unpacked: 12, stored: 12, values: 3, dictionary: true });
        for n in 0..data.len() {
            assert_eq!(Page::read(&data[..n]), None);
        }
        // A size below 0.
        assert_eq!(Page::read(&[0x15, 0, 0x15, 1, 0]), None);
    }

    fn refusal(header: &[u8], codec: Compression, repeated: bool) -> Option<(&'static str, String)> {
        let chunk = Chunk { start: 0, column: "c".into(), packed: Packed::new(codec), bits: 32, repeated };
        let (file, chunks, limits) = (header.to_vec().into(), Arc::new([chunk]), Limits::host());
        let pages = Pages { file, chunks, limits, refused: Arc::default() };
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
        let words = "a page of 40 bytes is said to become 5000; SNAPPY cannot do that".to_owned();
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
