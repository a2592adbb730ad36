//! A Parquet file as the core's table: its row groups are the groups, and of each only the chunks of the wanted columns are
//! asked for.

use std::{
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use bytes::Bytes;
use forebay::{
    Error, Limits, Result,
    filter::Filter,
    formats::Format,
    limits::codes::ITEM,
    step::{Pieces, Step, Stepper},
    table::{Batch, Schema, TableFile},
    tables::{Foreign, OtherTable},
};
use parquet::{
    arrow::arrow_reader::ArrowReaderMetadata,
    file::metadata::{ColumnChunkMetaData, RowGroupMetaData},
};

use super::{
    file::ParquetFile,
    footer,
    open::{INT96, load},
    pages::{Chunk, Pages},
    place, stats,
    unpack::reader,
};
use crate::{
    arrow::{Changes, Cuts, Unread, not_arrow, read_record_batch},
    codes,
    guard::guarded,
    hugging,
    ranges::Fetched,
};

/// Bytes of the file's end that are read at first: most footers lie in them.
const END: u64 = 64 << 10;
/// Cells of a batch that Parquet's crate makes at a time.
const BATCH_CELLS: usize = 1 << 21;
/// Rows of such a batch of any number of columns.
const FEWEST_ROWS: usize = 64;
/// Groups that become more than this are not kept.
const LARGE: u64 = 48 << 20;

/// Opens a file by its footer.
#[derive(Debug)]
pub struct ParquetOpener {
    len: u64,
    limits: Limits,
    pieces: Pieces,
}

impl ParquetOpener {
    /// For a file of this many bytes.
    pub fn new(len: u64, limits: Limits) -> ParquetOpener {
        ParquetOpener { len, limits, pieces: Pieces::default() }
    }
}

impl Stepper for ParquetOpener {
    type Output = ParquetTable;

    fn step(&mut self) -> Result<Step<ParquetTable>> {
        let lacking = self.pieces.lacking(self.len.saturating_sub(END)..self.len);
        if !lacking.is_empty() {
            return Ok(Step::Need(lacking));
        }
        let fetched = Fetched::new(self.len, &self.pieces);
        let footer = footer::place(&fetched)?;
        self.limits.metadata(footer.end - footer.start).map_err(|e| e.section("footer"))?;
        let lacking = self.pieces.lacking(footer);
        if !lacking.is_empty() {
            return Ok(Step::Need(lacking));
        }
        ParquetTable::new(&ParquetFile::new(fetched), self.len, &self.limits).map(Step::Done)
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }
}

/// An opened file. Columns that are not read are left out, and said.
pub struct ParquetTable {
    len: u64,
    limits: Limits,
    metadata: ArrowReaderMetadata,
    chunks: Arc<[Chunk]>,
    schema: Arc<Schema>,
    /// The columns that are read, by their numbers in the file.
    shown: Vec<usize>,
    /// All columns of the file, for its statistics.
    whole: Arc<Schema>,
    changes: Changes,
    left_out: Vec<String>,
    /// Where each row group begins, and the last ends.
    starts: Vec<u64>,
    cuts: Mutex<Cuts>,
}

impl std::fmt::Debug for ParquetTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetTable").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl ParquetTable {
    fn new(file: &ParquetFile<Fetched>, len: u64, limits: &Limits) -> Result<ParquetTable> {
        let (metadata, opaque, old_times) = load(file, limits).map_err(|e| file.refused().unwrap_or(e))?;
        let mut starts = vec![0_u64];
        for group in metadata.metadata().row_groups() {
            let rows = u64::try_from(group.num_rows()).ok();
            let end = rows.and_then(|rows| starts.last().copied().unwrap_or(0).checked_add(rows));
            starts.push(end.ok_or_else(|| damaged("a row group has an impossible number of rows"))?);
            for chunk in group.columns() {
                place(chunk).filter(|range| range.end <= len).ok_or_else(|| {
                    damaged("a column is declared outside of the file").column(chunk.column_path().string())
                })?;
            }
        }
        let chunks = guarded(|| Ok(Pages::<Fetched>::chunks(metadata.metadata())))?;
        let (whole, unread) = Unread::schema(metadata.schema(), opaque)?;
        let whole = Arc::new(whole);
        let mut changes = Changes::new(metadata.schema(), &whole);
        let names = old_times.iter().filter_map(|&root| whole.fields().get(root));
        names.for_each(|field| changes.say(&field.name, INT96));
        let missing: Vec<usize> = unread.columns().iter().map(|(i, _)| *i).collect();
        let shown: Vec<usize> = (0..whole.len()).filter(|i| !missing.contains(i)).collect();
        if shown.is_empty() {
            unread.refuse(None)?;
        }
        let name = |i: usize| whole.fields().get(i).map_or("", |field| &field.name);
        let left_out = unread.columns().iter().map(|(i, what)| format!("column {:?}: {what} is not read", name(*i)));
        let (left_out, schema) = (left_out.collect(), whole.project(&shown)?);
        let (limits, cuts) = (limits.clone(), Mutex::default());
        Ok(ParquetTable { len, limits, metadata, chunks, schema, shown, whole, changes, left_out, starts, cuts })
    }

    /// What is known of the file.
    #[cfg(feature = "samples")]
    pub(super) fn opened(&self) -> (&ArrowReaderMetadata, &Arc<[Chunk]>, u64, &Limits) {
        (&self.metadata, &self.chunks, self.len, &self.limits)
    }

    /// The number of a column of the file among those that are read.
    #[cfg(feature = "samples")]
    pub(super) fn shown(&self, root: usize) -> Option<usize> {
        self.shown.binary_search(&root).ok()
    }

    /// The columns that are not read, in words.
    #[cfg(feature = "samples")]
    pub(super) fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// What `datasets` says.
    pub(super) fn said(&self) -> Option<&str> {
        let pairs = self.metadata.metadata().file_metadata().key_value_metadata()?;
        pairs.iter().find(|pair| pair.key == hugging::KEY)?.value.as_deref()
    }

    fn group(&self, group: usize) -> Result<&RowGroupMetaData> {
        self.metadata.metadata().row_groups().get(group).ok_or_else(|| damaged("there is no such row group"))
    }

    /// The columns in the file's numbers, each once and in their order.
    fn roots(&self, columns: &[usize]) -> Result<Vec<usize>> {
        let root = |column: &usize| self.shown.get(*column).copied().ok_or_else(|| damaged("there is no such column"));
        let mut roots = columns.iter().map(root).collect::<Result<Vec<_>>>()?;
        roots.sort_unstable();
        roots.dedup();
        Ok(roots)
    }

    /// The stored columns of these roots in a group.
    fn stored<'a>(
        &'a self,
        group: &'a RowGroupMetaData,
        roots: &[usize],
    ) -> impl Iterator<Item = &'a ColumnChunkMetaData> {
        let of = self.metadata.parquet_schema();
        let chunks = group.columns().iter().enumerate();
        chunks
            .filter(move |(leaf, _)| roots.binary_search(&of.get_column_root_idx(*leaf)).is_ok())
            .map(|(_, chunk)| chunk)
    }

    /// What the columns of a group become.
    pub(super) fn unpacked(&self, group: usize, columns: &[usize]) -> Result<u64> {
        let (group, roots) = (self.group(group)?, self.roots(columns)?);
        Ok(self.stored(group, &roots).map(|chunk| u64::try_from(chunk.uncompressed_size()).unwrap_or(0)).sum())
    }

    /// Some rows of a group, each of the columns once, as Arrow's.
    fn record_batch(&self, number: usize, roots: &[usize], rows: Range<usize>, bytes: &Pieces) -> Result<RecordBatch> {
        let file = ParquetFile::new(Fetched::new(self.len, bytes));
        let pages = Pages::of(file, self.chunks.clone(), &self.limits);
        let read = || {
            let at_once = rows.len().min((BATCH_CELLS / roots.len().max(1)).max(FEWEST_ROWS));
            let reader = reader(&pages, &self.metadata, vec![number], Some(roots), at_once, Some(rows.clone()), false)?;
            let schema = arrow_array::RecordBatchReader::schema(&reader);
            let batches = reader.collect::<std::result::Result<Vec<_>, _>>().map_err(not_arrow)?;
            concat_batches(&schema, &batches).map_err(not_arrow)
        };
        let batch = guarded(read).map_err(|e| pages.refused().unwrap_or(e)).map_err(|e| e.block(number as u64))?;
        if batch.num_rows() != rows.len() {
            let message = format!("a row group has {} rows where {} are announced", batch.num_rows(), rows.len());
            return Err(damaged(&message).block(number as u64));
        }
        Ok(batch)
    }

    fn read(&self, group: usize, columns: &[usize], rows: Range<usize>, bytes: &Pieces) -> Result<Batch> {
        let schema = self.schema.project(columns)?;
        if columns.is_empty() || rows.is_empty() {
            let columns = schema.fields().iter().map(|f| forebay::table::ColumnBuilder::new(&f.dtype).finish());
            return Batch::with_rows(schema.clone(), columns.collect::<Result<_>>()?, rows.len());
        }
        let roots = self.roots(columns)?;
        let batch = self.record_batch(group, &roots, rows, bytes)?;
        let position = |column: &usize| {
            let root = self.shown.get(*column).copied().unwrap_or_default();
            roots.partition_point(|other| *other < root)
        };
        let places: Vec<usize> = columns.iter().map(position).collect();
        let mut cuts = self.cuts.lock().unwrap_or_else(PoisonError::into_inner);
        guarded(|| read_record_batch(&batch.project(&places).map_err(not_arrow)?, &schema, true, &mut cuts))
    }
}

fn damaged(why: &str) -> Error {
    Error::new(&codes::ARROW, why)
}

impl TableFile for ParquetTable {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
    fn rows(&self) -> u64 {
        self.starts.last().copied().unwrap_or(0)
    }
    fn groups(&self) -> usize {
        self.starts.len() - 1
    }
    fn group_rows(&self, group: usize) -> Result<Range<u64>> {
        match self.starts.get(group..group + 2) {
            Some(&[start, end]) => Ok(start..end),
            _ => Err(damaged("there is no such row group")),
        }
    }

    fn plan(&self, group: usize, columns: &[usize]) -> Result<Vec<Range<u64>>> {
        let (group, roots) = (self.group(group)?, self.roots(columns)?);
        let mut ranges: Vec<Range<u64>> =
            self.stored(group, &roots).filter_map(place).filter(|range| !range.is_empty()).collect();
        ranges.sort_unstable_by_key(|range| range.start);
        let mut merged: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        Ok(merged)
    }

    fn decode(&self, group: usize, columns: &[usize], bytes: &Pieces) -> Result<Batch> {
        let becomes = self.unpacked(group, columns)?;
        if becomes > self.limits.index_bytes {
            let most = self.limits.index_bytes;
            let message = format!("the columns of a row group become {becomes} bytes, over the limit of {most}");
            return Err(Error::new(&ITEM, message).block(group as u64).with_options(&["columns"]));
        }
        let rows = self.group_rows(group)?;
        let rows = usize::try_from(rows.end - rows.start).map_err(|_| damaged("a row group has too many rows"))?;
        self.read(group, columns, 0..rows, bytes)
    }

    fn decode_rows(&self, group: usize, columns: &[usize], rows: Range<usize>, bytes: &Pieces) -> Result<Batch> {
        self.read(group, columns, rows, bytes)
    }

    fn is_large(&self, group: usize, columns: &[usize]) -> bool {
        self.unpacked(group, columns).is_ok_and(|bytes| bytes > LARGE)
    }

    fn may_match(&self, group: usize, filter: &Filter) -> bool {
        stats::may_match(&self.metadata, &self.whole, group, filter)
    }
}

impl OtherTable for ParquetTable {
    fn format(&self) -> Format {
        Format::Parquet
    }
    fn encoding(&self, column: usize) -> Option<String> {
        let root = *self.shown.get(column)?;
        let group = self.metadata.metadata().row_groups().first()?;
        let chunk = self.stored(group, &[root]).next()?;
        let words: Vec<String> = chunk.encodings().map(|e| e.to_string()).collect();
        Some(format!("{} {}", words.join("+"), chunk.compression()).to_lowercase())
    }
    fn created_by(&self) -> Option<String> {
        self.metadata.metadata().file_metadata().created_by().map(str::to_owned)
    }
    fn notes(&self) -> Vec<String> {
        let cuts = self.cuts.lock().unwrap_or_else(PoisonError::into_inner);
        self.left_out.iter().cloned().chain(self.changes.notes(&self.schema)).chain(cuts.notes()).collect()
    }
    fn foreign(&self) -> Vec<Foreign> {
        self.changes.foreign(&self.schema)
    }
    fn pictures(&self) -> Vec<usize> {
        let found = hugging::pictures(self.metadata.schema(), self.said());
        found.into_iter().filter_map(|root| self.shown.binary_search(&root).ok()).collect()
    }
    fn classes(&self, column: usize) -> Option<Vec<String>> {
        hugging::classes(&self.schema.field(column).ok()?.name, self.said())
    }
}
