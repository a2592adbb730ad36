//! The pages of row groups as Parquet's crate asks for them. Those of Brotli are unpacked here, for the crate knows Brotli only
//! with what packs it, which is large; and where there is no C library, as in a browser, so are those of Zstandard.

use std::{
    collections::HashMap,
    io::Read,
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

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
        metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData},
        serialized_reader::SerializedPageReader,
    },
};

use super::{open::not_parquet, pages::Pages, place};
use crate::{
    ranges::{Coming, Ranges},
    zstd,
};

/// The most bytes of the chunks of a row group, and of the next, that are fetched before their pages are read.
const AHEAD: u64 = 256 << 20;

/// Bytes that are handed to Brotli at a time.
const BROTLI_BUFFER: usize = 1 << 16;

/// Reads these row groups, so many rows at once: these columns, or all, each once and in the file's order; and of all rows
/// together these, or all. `whole` says that each chunk is read to its end: of a file elsewhere they are fetched together.
pub fn reader<F: Ranges>(
    pages: &Pages<F>,
    metadata: &ArrowReaderMetadata,
    groups: Vec<usize>,
    columns: Option<&[usize]>,
    at_once: usize,
    rows: Option<Range<usize>>,
    whole: bool,
) -> OurResult<ParquetRecordBatchReader> {
    let schema = metadata.parquet_schema();
    let mask = match columns {
        Some(columns) => ProjectionMask::roots(schema, columns.iter().copied()),
        None => ProjectionMask::all(),
    };
    let leaves = (0..schema.num_columns()).filter(|leaf| whole && mask.leaf_included(*leaf)).collect();
    let levels = parquet_to_arrow_field_levels(schema, mask, Some(metadata.schema().fields()));
    let groups = Groups {
        pages: Arc::new(pages.clone()),
        metadata: metadata.metadata().clone(),
        groups: groups.into(),
        ahead: Arc::new(Mutex::new(Ahead { leaves, ..Ahead::default() })),
    };
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
    ahead: Arc<Mutex<Ahead>>,
}

/// Chunks that are fetched before their pages are read: those of a group together, the next group's meanwhile.
#[derive(Default)]
struct Ahead {
    /// The columns that are read; empty if each page is fetched separately.
    leaves: Vec<usize>,
    /// How many of the groups were fetched.
    groups: usize,
    /// Fetched chunks that nobody has taken yet, by group and column.
    here: HashMap<(usize, usize), Bytes>,
    /// The chunks of the next group, if they are on their way.
    coming: Option<Coming>,
}

impl<F: Ranges> Groups<F> {
    /// The bytes of a column in the `n`th group, if they are fetched as a whole.
    fn fetched(&self, n: usize, column: usize) -> OurResult<Option<Bytes>> {
        let mut ahead = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
        while ahead.groups <= n && !ahead.leaves.is_empty() {
            let now = ahead.groups;
            ahead.groups += 1;
            let Some(coming) = ahead.coming.take().or_else(|| self.begin(now, &ahead.leaves, AHEAD)) else { continue };
            // Asked for together with what is waited for.
            let here = self.places(now, &ahead.leaves).iter().map(|range| range.end - range.start).sum();
            ahead.coming = self.begin(now + 1, &ahead.leaves, AHEAD.saturating_sub(here));
            let bytes = coming()?;
            let leaves = ahead.leaves.clone();
            ahead.here.extend(leaves.into_iter().zip(bytes).map(|(leaf, bytes)| ((now, leaf), bytes)));
        }
        Ok(ahead.here.remove(&(n, column)))
    }

    /// Where the chunks of the `n`th group lie; nothing if one of them lies nowhere.
    fn places(&self, n: usize, leaves: &[usize]) -> Vec<Range<u64>> {
        let group = self.groups.get(n).and_then(|&group| self.metadata.row_groups().get(group));
        let chunk = |leaf: &usize| {
            place(group?.columns().get(*leaf)?).filter(|range| range.end <= self.pages.file().input().len())
        };
        leaves.iter().map(chunk).collect::<Option<_>>().unwrap_or_default()
    }

    /// Begins to fetch the chunks of the `n`th group, if there are not too many bytes of them.
    fn begin(&self, n: usize, leaves: &[usize], most: u64) -> Option<Coming> {
        let ranges = self.places(n, leaves);
        let sum = ranges.iter().fold(0_u64, |sum, range| sum.saturating_add(range.end - range.start));
        if sum == 0 || sum > most { None } else { self.pages.file().input().begin(ranges) }
    }

    /// The pages of a column in the `n`th of the groups.
    fn chunk(&self, n: usize, column: usize) -> Result<Box<dyn PageReader>> {
        let lacking = || ParquetError::General(format!("no column {column} in the row group"));
        let group = self.groups.get(n).and_then(|&group| self.metadata.row_groups().get(group)).ok_or_else(lacking)?;
        let chunk = group.columns().get(column).ok_or_else(lacking)?;
        let pages = match (self.fetched(n, column).map_err(|e| self.pages.file().refuse(e))?, place(chunk)) {
            (Some(bytes), Some(place)) => Arc::new(self.pages.with(place.start, bytes)),
            _ => self.pages.clone(),
        };
        page_reader(pages, chunk, usize::try_from(group.num_rows()).unwrap_or(0))
    }
}

/// The pages of a chunk, unpacked.
pub(super) fn page_reader<F: Ranges>(
    pages: Arc<Pages<F>>,
    chunk: &ColumnChunkMetaData,
    rows: usize,
) -> Result<Box<dyn PageReader>> {
    let codec = chunk.compression();
    if !matches!(codec, Compression::BROTLI(_)) && (cfg!(feature = "codecs") || !matches!(codec, Compression::ZSTD(_)))
    {
        return Ok(Box::new(SerializedPageReader::new(pages, chunk, rows, None)?));
    }
    let most = pages.most();
    // The same pages as they are stored.
    let plain = chunk.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
    let stored = SerializedPageReader::new(pages, &plain, rows, None)?;
    Ok(Box::new(Unpacking { stored, codec, most }))
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
        let n = self.next;
        self.next += 1;
        self.of.groups.get(n).map(|_| self.of.chunk(n, self.column))
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
