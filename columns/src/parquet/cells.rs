//! A column of bytes whose rows are read one by one, each from the page that holds it: no row group is unpacked as a whole.
//!
//! Where the pages lie, the file's own index of pages says. Where it has none, the headers of a chunk are passed once, when its
//! bytes are first here; of chunks too large for that, before anything else.

use std::{
    ops::Range,
    sync::{Arc, OnceLock},
};

use bytes::Bytes;
use forebay::{Error, Limits, Result, step::Pieces};
use parquet::{
    arrow::arrow_reader::ArrowReaderMetadata,
    basic::{Encoding, Type},
    file::metadata::ColumnChunkMetaData,
};

use super::{
    kept::{Kept, Shared},
    pages::{Chunk, HEADER, LONGEST_HEADER, Page},
    place,
    runs::{Dictionaries, Runs, Walker},
    values::{Place, Values},
};
use crate::codes;

/// Chunks without an index up to this size are read once as they are.
const READ: u64 = 64 << 20;

/// A column of bytes, of which single values are read.
pub(super) struct Cells {
    leaf: usize,
    len: u64,
    limits: Limits,
    metadata: ArrowReaderMetadata,
    chunks: Arc<[Chunk]>,
    groups: Vec<Group>,
    /// The values that were read last.
    kept: Arc<Kept<(u64, usize, usize), Values>>,
    /// The first part of its keys there.
    number: u64,
}

/// The column in one row group.
struct Group {
    /// Its first row among all, and how many there are.
    first: u64,
    rows: u64,
    chunk: Range<u64>,
    /// Where the file's index of its pages lies.
    index: Option<Range<u64>>,
    /// Known once the index is read, or the headers are.
    runs: OnceLock<Runs>,
}

impl std::fmt::Debug for Cells {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cells").field("leaf", &self.leaf).finish_non_exhaustive()
    }
}

impl Cells {
    /// The stored column of this number, of a file of so many bytes.
    pub fn new(
        metadata: &ArrowReaderMetadata,
        chunks: &Arc<[Chunk]>,
        leaf: usize,
        (len, limits, kept): (u64, &Limits, &Shared),
    ) -> Result<Cells> {
        let mut groups = Vec::with_capacity(metadata.metadata().num_row_groups());
        let mut first = 0_u64;
        for group in metadata.metadata().row_groups() {
            let chunk = group.columns().get(leaf).ok_or_else(|| damaged("a row group lacks a column"))?;
            if chunk.column_type() != Type::BYTE_ARRAY {
                return Err(damaged("the column has no bytes").column(chunk.column_path().string()));
            }
            let rows = u64::try_from(group.num_rows()).unwrap_or(0);
            let lies = place(chunk).filter(|range| range.end <= len);
            let lies = lies.ok_or_else(|| damaged("a column is declared outside of the file"))?;
            let index = chunk.offset_index_range().filter(|range| range.start < range.end && range.end <= len);
            groups.push(Group { first, rows, chunk: lies, index, runs: OnceLock::new() });
            first = first.checked_add(rows).ok_or_else(|| damaged("there are too many rows"))?;
        }
        let (metadata, chunks, limits) = (metadata.clone(), chunks.clone(), limits.clone());
        let (kept, number) = (kept.values.clone(), Shared::number());
        Ok(Cells { leaf, len, limits, metadata, chunks, groups, kept, number })
    }

    /// Where the file's indexes of pages lie, all of them within the limits.
    pub fn indexes(&self) -> Result<Vec<Range<u64>>> {
        let all: Vec<Range<u64>> = self.groups.iter().filter_map(|group| group.index.clone()).collect();
        let bytes = all.iter().fold(0_u64, |sum, range| sum.saturating_add(range.end - range.start));
        self.limits.index(bytes.saturating_mul(8)).map_err(|e| e.section("page index"))?;
        Ok(all)
    }

    /// Takes the indexes, once their bytes are here.
    pub fn learn(&self, pieces: &Pieces) -> Result<()> {
        for (number, group) in self.groups.iter().enumerate() {
            if let Some(range) = &group.index {
                let bytes = pieces.expect(range.clone())?;
                let some = self.dictionaries(number);
                if let Some(runs) = Runs::of_index(&bytes, &group.chunk, group.rows, some) {
                    group.runs.get_or_init(|| runs);
                }
            }
        }
        Ok(())
    }

    /// Which pages need the dictionary of their chunk, as far as it is known.
    fn dictionaries(&self, group: usize) -> Dictionaries {
        let Some(chunk) = self.stored(group) else { return Dictionaries::Some };
        let by = [Encoding::RLE_DICTIONARY, Encoding::PLAIN_DICTIONARY];
        match chunk.page_encoding_stats_mask() {
            Some(pages) if by.iter().any(|encoding| pages.is_only(*encoding)) => Dictionaries::All,
            Some(pages) if !by.iter().any(|encoding| pages.is_set(*encoding)) => Dictionaries::None,
            _ => Dictionaries::Some,
        }
    }

    fn stored(&self, group: usize) -> Option<&ColumnChunkMetaData> {
        self.metadata.metadata().row_groups().get(group)?.columns().get(self.leaf)
    }

    /// A row group and the row's number in it.
    fn locate(&self, row: u64) -> Result<(usize, &Group, u64)> {
        let after = self.groups.partition_point(|group| group.first <= row);
        // Of groups without rows that begin at the same row the last has it.
        let found = after.checked_sub(1).and_then(|at| Some((at, self.groups.get(at)?)));
        let found = found.filter(|(_, group)| row - group.first < group.rows);
        let (at, group) = found.ok_or_else(|| damaged("there is no such row"))?;
        Ok((at, group, row - group.first))
    }

    /// The bytes of the file that a row is read from.
    pub fn range(&self, row: u64) -> Result<Range<u64>> {
        let (_, group, row) = self.locate(row)?;
        let Some(runs) = group.runs.get() else { return Ok(group.chunk.clone()) };
        let run = runs.position(row).and_then(|at| runs.all.get(at)).ok_or_else(|| damaged("no page has the row"))?;
        Ok(runs.bytes(run))
    }

    /// What the values are that a row's are among, if they were read lately.
    pub fn known(&self, row: u64) -> Option<(Arc<Values>, u64)> {
        let (number, group, within) = self.locate(row).ok()?;
        let at = group.runs.get()?.position(within)?;
        Some((self.kept.get((self.number, number, at))?, within))
    }

    /// The values that those of a row are among, and its number among them. `bytes` are those of its [range](Self::range), or of
    /// the whole chunk if that was its range before.
    pub fn read(&self, row: u64, bytes: &Bytes) -> Result<(Arc<Values>, u64)> {
        let (number, group, within) = self.locate(row)?;
        let place = |e: Error| e.block(number as u64);
        let whole = bytes.len() as u64 == group.chunk.end - group.chunk.start;
        let runs = match group.runs.get() {
            Some(runs) => runs,
            None if whole => {
                let runs = self.walk(group, bytes).map_err(place)?;
                group.runs.get_or_init(|| runs)
            }
            None => return Err(place(damaged("the pages of the column are not known"))),
        };
        let at = runs.position(within).ok_or_else(|| place(damaged("no page has the row")))?;
        let run = runs.all.get(at).ok_or_else(|| place(damaged("no page has the row")))?;
        let chunk = self.stored(number).ok_or_else(|| damaged("there is no such row group"))?;
        let start = if whole { group.chunk.start } else { runs.bytes(run).start };
        let (chunks, limits) = (&self.chunks, &self.limits);
        let from = Place { len: self.len, start, bytes, chunk, chunks, limits };
        let values =
            self.kept.get_or((self.number, number, at), Values::memory, || from.values(runs, run)).map_err(place)?;
        Ok((values, within))
    }

    /// Finds the pages of a chunk whose bytes are here.
    fn walk(&self, group: &Group, bytes: &Bytes) -> Result<Runs> {
        let mut walker = self.walker(group);
        while let Some(at) = walker.next() {
            let from = usize::try_from(at - group.chunk.start).unwrap_or(usize::MAX);
            let (page, header) = bytes.get(from..).and_then(Page::read).ok_or_else(|| no_header(at))?;
            walker.take(&page, header)?;
        }
        walker.finish()
    }

    fn walker(&self, group: &Group) -> Walker {
        let repeated = self.stored(0).is_some_and(|chunk| chunk.column_descr().max_rep_level() > 0);
        Walker::new(group.chunk.clone(), group.rows, repeated)
    }

    /// Passes the headers of the chunks without an index that are too large to be read as they are: bytes that are needed, or
    /// nothing once all are passed.
    pub fn pass(&self, walk: &mut Option<(usize, Walker)>, pieces: &mut Pieces) -> Result<Option<Range<u64>>> {
        for (number, group) in self.groups.iter().enumerate() {
            if group.runs.get().is_some() || group.chunk.end - group.chunk.start <= READ {
                continue;
            }
            let place = |e: Error| e.block(number as u64);
            let mut walker = match walk.take() {
                Some((of, walker)) if of == number => walker,
                _ => self.walker(group),
            };
            while let Some(at) = walker.next() {
                pieces.forget_before(at);
                let wanted = |most: u64| at..at.saturating_add(most).min(group.chunk.end);
                let here = pieces.run(at).unwrap_or_default();
                match Page::read(&here) {
                    Some((page, header)) => walker.take(&page, header).map_err(place)?,
                    None => {
                        let most = if here.is_empty() { HEADER } else { (here.len() as u64).saturating_mul(16) };
                        let range = wanted(most);
                        if here.len() as u64 >= (range.end - range.start).min(LONGEST_HEADER) {
                            return Err(place(no_header(at)));
                        }
                        *walk = Some((number, walker));
                        return Ok(Some(range));
                    }
                }
            }
            let runs = walker.finish().map_err(place)?;
            group.runs.get_or_init(|| runs);
        }
        Ok(None)
    }
}

fn no_header(at: u64) -> Error {
    damaged("the header of a page cannot be read").section("page").offset(at)
}

fn damaged(why: &str) -> Error {
    Error::new(&codes::ARROW, why)
}
