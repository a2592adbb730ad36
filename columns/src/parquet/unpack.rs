//! The pages of a row group as Parquet's crate asks for them. Those of Brotli and Zstandard are unpacked here where a browser is what
//! reads: the crate knows the one only with what packs it, which is large, and the other as a C library.

use std::{io::Read, sync::Arc};

use bytes::Bytes;
use parquet::{
    arrow::arrow_reader::RowGroups,
    basic::Compression,
    column::page::{Page, PageIterator, PageMetadata, PageReader},
    errors::{ParquetError, Result},
    file::{
        metadata::{ParquetMetaData, RowGroupMetaData},
        serialized_reader::SerializedPageReader,
    },
};

use super::pages::Pages;
use crate::{ranges::Ranges, zstd};

/// Bytes that are handed to Brotli at a time.
const BROTLI_BUFFER: usize = 1 << 16;

/// One row group of a file.
pub(super) struct Group<'a, F: Ranges> {
    pages: Arc<Pages<F>>,
    metadata: &'a ParquetMetaData,
    group: &'a RowGroupMetaData,
    /// A page that is unpacked here becomes at most this.
    most: u64,
}

impl<'a, F: Ranges> Group<'a, F> {
    pub fn new(pages: Pages<F>, metadata: &'a ParquetMetaData, group: &'a RowGroupMetaData, most: u64) -> Self {
        Group { pages: Arc::new(pages), metadata, group, most }
    }
}

impl<F: Ranges> RowGroups for Group<'_, F> {
    fn num_rows(&self) -> usize {
        usize::try_from(self.group.num_rows()).unwrap_or(0)
    }

    fn column_chunks(&self, i: usize) -> Result<Box<dyn PageIterator>> {
        let chunk = self.group.columns().get(i).ok_or_else(|| ParquetError::General(format!("no column {i}")))?;
        let rows = self.num_rows();
        let pages: Box<dyn PageReader> = match chunk.compression() {
            codec @ (Compression::ZSTD(_) | Compression::BROTLI(_)) if cfg!(not(feature = "codecs")) => {
                // The same pages as they are stored.
                let plain = chunk.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
                let stored = SerializedPageReader::new(self.pages.clone(), &plain, rows, None)?;
                Box::new(Unpacking { stored, codec, most: self.most })
            }
            _ => Box::new(SerializedPageReader::new(self.pages.clone(), chunk, rows, None)?),
        };
        Ok(Box::new(One(Some(pages))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(std::iter::once(self.group))
    }

    fn metadata(&self) -> &ParquetMetaData {
        self.metadata
    }
}

/// The pages of one column.
struct One(Option<Box<dyn PageReader>>);

impl Iterator for One {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.take().map(Ok)
    }
}

impl PageIterator for One {}

/// Pages that are unpacked as they come.
struct Unpacking<F: Ranges> {
    stored: SerializedPageReader<Pages<F>>,
    codec: Compression,
    /// A page becomes at most this.
    most: u64,
}

impl<F: Ranges> Unpacking<F> {
    /// The bytes behind the first `plain`, unpacked.
    fn unpacked(&self, buffer: &Bytes, plain: usize) -> Result<Bytes> {
        let damaged = |why: String| ParquetError::General(format!("{}: {why}", self.codec));
        let (front, packed) = buffer.split_at_checked(plain).ok_or_else(|| damaged("levels are cut".to_owned()))?;
        if packed.is_empty() {
            return Ok(buffer.clone());
        }
        let mut out = front.to_vec();
        if matches!(self.codec, Compression::BROTLI(_)) {
            let room = self.most.saturating_sub(out.len() as u64).saturating_add(1);
            let part = brotli::Decompressor::new(packed, BROTLI_BUFFER);
            part.take(room).read_to_end(&mut out).map_err(|e| damaged(e.to_string()))?;
            if out.len() as u64 > self.most {
                return Err(damaged(format!("it becomes more than {} bytes", self.most)));
            }
        } else {
            zstd::unpack(packed, self.most, &mut out).map_err(damaged)?;
        }
        Ok(out.into())
    }

    fn unpack(&self, page: Page) -> Result<Page> {
        Ok(match page {
            Page::DataPage { buf, num_values, encoding, def_level_encoding, rep_level_encoding, statistics } => {
                let buf = self.unpacked(&buf, 0)?;
                Page::DataPage { buf, num_values, encoding, def_level_encoding, rep_level_encoding, statistics }
            }
            Page::DictionaryPage { buf, num_values, encoding, is_sorted } => {
                Page::DictionaryPage { buf: self.unpacked(&buf, 0)?, num_values, encoding, is_sorted }
            }
            Page::DataPageV2 {
                buf,
                num_values,
                encoding,
                num_nulls,
                num_rows,
                def_levels_byte_len,
                rep_levels_byte_len,
                is_compressed,
                statistics,
            } => {
                let levels = (def_levels_byte_len as usize).saturating_add(rep_levels_byte_len as usize);
                Page::DataPageV2 {
                    buf: if is_compressed { self.unpacked(&buf, levels)? } else { buf },
                    num_values,
                    encoding,
                    num_nulls,
                    num_rows,
                    def_levels_byte_len,
                    rep_levels_byte_len,
                    is_compressed: false,
                    statistics,
                }
            }
        })
    }
}

impl<F: Ranges> Iterator for Unpacking<F> {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl<F: Ranges> PageReader for Unpacking<F> {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.stored.get_next_page()?;
        page.map(|page| self.unpack(page)).transpose()
    }
    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.stored.peek_next_page()
    }
    fn skip_next_page(&mut self) -> Result<()> {
        self.stored.skip_next_page()
    }
    fn supports_deferred_dictionary(&self) -> bool {
        self.stored.supports_deferred_dictionary()
    }
    fn take_deferred_dictionary(&mut self) -> Result<Option<Page>> {
        let page = self.stored.take_deferred_dictionary()?;
        page.map(|page| self.unpack(page)).transpose()
    }
    fn at_record_boundary(&mut self) -> Result<bool> {
        self.stored.at_record_boundary()
    }
}
