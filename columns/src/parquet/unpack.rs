//! The pages of row groups as Parquet's crate asks for them. Those of Brotli are unpacked here, for the crate knows Brotli only
//! with what packs it, which is large; and where there is no C library, as in a browser, so are those of Zstandard.

use std::{io::Read, ops::Range, sync::Arc};

use bytes::Bytes;
use forebay::Result as OurResult;
use parquet::{
    arrow::{
        ProjectionMask,
        arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReader, RowGroups, RowSelection, RowSelector},
        parquet_to_arrow_field_levels,
    },
    basic::Compression,
    column::page::{Page, PageIterator, PageMetadata, PageReader},
    errors::{ParquetError, Result},
    file::{
        metadata::{ParquetMetaData, RowGroupMetaData},
        serialized_reader::SerializedPageReader,
    },
};

use super::{open::not_parquet, pages::Pages};
use crate::{ranges::Ranges, zstd};

/// Bytes that are handed to Brotli at a time.
const BROTLI_BUFFER: usize = 1 << 16;

/// Reads these row groups, so many rows at once: these columns, or all, each once and in the file's order; and of all rows
/// together these, or all.
pub fn reader<F: Ranges>(
    pages: &Pages<F>,
    metadata: &ArrowReaderMetadata,
    groups: Vec<usize>,
    columns: Option<&[usize]>,
    at_once: usize,
    rows: Option<Range<usize>>,
) -> OurResult<ParquetRecordBatchReader> {
    let schema = metadata.parquet_schema();
    let mask = match columns {
        Some(columns) => ProjectionMask::roots(schema, columns.iter().copied()),
        None => ProjectionMask::all(),
    };
    let levels = parquet_to_arrow_field_levels(schema, mask, Some(metadata.schema().fields()));
    let groups =
        Groups { pages: Arc::new(pages.clone()), metadata: metadata.metadata().clone(), groups: groups.into() };
    let all = groups.num_rows();
    let selection = rows.map(|rows| {
        let chosen = rows.end.min(all).saturating_sub(rows.start);
        RowSelection::from(vec![RowSelector::skip(rows.start), RowSelector::select(chosen)])
    });
    let levels = levels.map_err(not_parquet)?;
    ParquetRecordBatchReader::try_new_with_row_groups(&levels, &groups, at_once.min(all).max(1), selection)
        .map_err(not_parquet)
}

/// Row groups of a file.
#[derive(Clone)]
struct Groups<F: Ranges> {
    pages: Arc<Pages<F>>,
    metadata: Arc<ParquetMetaData>,
    groups: Arc<[usize]>,
}

impl<F: Ranges> Groups<F> {
    /// The pages of a column in a group.
    fn chunk(&self, group: usize, column: usize) -> Result<Box<dyn PageReader>> {
        let lacking = || ParquetError::General(format!("no column {column} in row group {group}"));
        let group = self.metadata.row_groups().get(group).ok_or_else(lacking)?;
        let chunk = group.columns().get(column).ok_or_else(lacking)?;
        let rows = usize::try_from(group.num_rows()).unwrap_or(0);
        let codec = chunk.compression();
        if !matches!(codec, Compression::BROTLI(_))
            && (cfg!(feature = "codecs") || !matches!(codec, Compression::ZSTD(_)))
        {
            return Ok(Box::new(SerializedPageReader::new(self.pages.clone(), chunk, rows, None)?));
        }
        // The same pages as they are stored.
        let plain = chunk.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
        let stored = SerializedPageReader::new(self.pages.clone(), &plain, rows, None)?;
        Ok(Box::new(Unpacking { stored, codec, most: self.pages.most() }))
    }
}

impl<F: Ranges> RowGroups for Groups<F> {
    fn num_rows(&self) -> usize {
        self.row_groups().map(|group| usize::try_from(group.num_rows()).unwrap_or(0)).fold(0, usize::saturating_add)
    }

    fn column_chunks(&self, i: usize) -> Result<Box<dyn PageIterator>> {
        Ok(Box::new(Chunks { of: self.clone(), column: i, next: 0 }))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(self.groups.iter().filter_map(|&group| self.metadata.row_groups().get(group)))
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

/// The pages of one column, group by group.
struct Chunks<F: Ranges> {
    of: Groups<F>,
    column: usize,
    next: usize,
}

impl<F: Ranges> Iterator for Chunks<F> {
    type Item = Result<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        let group = *self.of.groups.get(self.next)?;
        self.next += 1;
        Some(self.of.chunk(group, self.column))
    }
}

impl<F: Ranges> PageIterator for Chunks<F> {}

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
            let part = brotli_decompressor::Decompressor::new(packed, BROTLI_BUFFER);
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
