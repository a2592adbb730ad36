//! Parquet in.

use std::{collections::HashSet, sync::Arc};

use arrow_array::RecordBatch;
use arrow_schema::Schema as ArrowSchema;
use forebay::{
    Result,
    filter::Filter,
    step::Turn,
    table::{Batch, Schema, TableRows},
};
use forebay_columns::{
    guard::guarded,
    parquet::{self as guarded_parquet, INT96, Pages, ParquetFile, stats},
};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReader};
use serde_json::json;

use super::{
    ColumnFacts, Facts, Foreign, ReadOptions, TableFormat, TableSource,
    arrow::{Changes, Cuts, Unread, not_arrow, read_record_batch},
};
use crate::input::Input;

mod wide;

/// Cells of a batch that is read; of wide tables few rows come at a time.
const BATCH_CELLS: usize = 1 << 23;
/// Rows of a batch of any number of columns.
const FEWEST_ROWS: usize = 64;

/// A Parquet file that is being read.
pub(super) struct ParquetSource {
    pages: Pages<Input>,
    metadata: ArrowReaderMetadata,
    /// All columns of the file.
    whole: Arc<Schema>,
    /// The columns that are read.
    schema: Arc<Schema>,
    unread: Unread,
    changes: Changes,
    /// The columns of INT96.
    old_times: Vec<String>,
    filter: Option<Filter>,
    /// The wanted columns in the order asked for, by their number in the file.
    columns: Option<Vec<usize>>,
    /// Where these come from the reader.
    places: Vec<usize>,
    reader: Option<ParquetRecordBatchReader>,
    /// The few rows that were wanted are read.
    done: bool,
    options: ReadOptions,
    cuts: Cuts,
}

impl std::fmt::Debug for ParquetSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetSource").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl ParquetSource {
    pub fn new(input: Input, options: &ReadOptions) -> Result<ParquetSource> {
        let file = ParquetFile::new(input);
        let (metadata, opaque, old_times) =
            guarded_parquet::load(&file, &options.text.limits).map_err(|e| file.refused().unwrap_or(e))?;
        let pages = guarded(|| Ok(Pages::new(file, metadata.metadata(), &options.text.limits)))?;
        let (schema, unread) = Unread::schema(metadata.schema(), opaque)?;
        let schema = Arc::new(schema);
        let mut changes = Changes::new(metadata.schema(), &schema);
        let old_times = old_times.into_iter().filter_map(|root| schema.fields().get(root)).map(|f| f.name.clone());
        let old_times: Vec<String> = old_times.collect();
        old_times.iter().for_each(|name| changes.say(name, INT96));
        let whole = schema.clone();
        let options = options.clone();
        Ok(ParquetSource {
            pages,
            metadata,
            whole,
            schema,
            unread,
            changes,
            old_times,
            filter: None,
            columns: None,
            places: Vec::new(),
            reader: None,
            done: false,
            options,
            cuts: Cuts::default(),
        })
    }

    /// Arrow's names and types of all columns.
    pub fn arrow_schema(&self) -> &Arc<ArrowSchema> {
        self.metadata.schema()
    }
    /// The columns that are not read.
    pub fn unread_columns(&self) -> &Unread {
        &self.unread
    }

    /// A reader of these columns, or all, and of no more than this many rows.
    fn reader(&self, columns: Option<&[usize]>, most: Option<usize>) -> Result<ParquetRecordBatchReader> {
        // Of very many columns few rows are read at a time.
        let count = columns.map_or(self.whole.len(), <[usize]>::len).max(1);
        let rows = self.options.text.batch_rows.min((BATCH_CELLS / count).max(FEWEST_ROWS)).max(1);
        let wanted = |g: &usize| {
            self.filter.as_ref().is_none_or(|filter| stats::may_match(&self.metadata, &self.whole, *g, filter))
        };
        let groups = (0..self.metadata.metadata().num_row_groups()).filter(wanted).collect();
        // Of a few rows, whole chunks would be too much.
        let whole = most.or(self.options.first_rows).is_none();
        let most = most.map(|most| 0..most);
        guarded(|| guarded_parquet::reader(&self.pages, &self.metadata, groups, columns, rows, most, whole))
            .map_err(|e| self.pages.refused().unwrap_or(e))
    }
}

impl ParquetSource {
    /// The next rows as Arrow's, of the chosen columns.
    pub fn next_record_batch(&mut self) -> Result<Option<RecordBatch>> {
        let next = match self.few_rows() {
            Some(_) if std::mem::replace(&mut self.done, true) => None,
            Some(rows) => self.first_rows(rows)?,
            None => {
                let mut reader = match self.reader.take() {
                    Some(reader) => reader,
                    None => self.reader(self.columns.as_deref(), None)?,
                };
                let next = guarded(|| reader.next().transpose().map_err(not_arrow));
                let next = next.map_err(|e| self.pages.refused().unwrap_or(e))?;
                self.reader = Some(reader);
                next
            }
        };
        Ok(match (next, &self.columns) {
            (Some(batch), Some(_)) => Some(batch.project(&self.places).map_err(not_arrow)?),
            (next, _) => next,
        })
    }
}

impl TableRows for ParquetSource {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
    fn rows(&self) -> Option<u64> {
        u64::try_from(self.metadata.metadata().file_metadata().num_rows()).ok()
    }

    fn select(&mut self, columns: &[usize]) -> Result<()> {
        self.schema = self.whole.project(columns)?;
        self.columns = Some(columns.to_vec());
        // The reader gives each column once, in the file's order.
        let mut sorted = columns.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let place = |column: &usize| sorted.partition_point(|other| other < column);
        self.places = columns.iter().map(place).collect();
        (self.reader, self.done) = (None, false);
        Ok(())
    }

    fn prune(&mut self, filter: &Filter) {
        self.filter = Some(filter.clone());
    }

    fn step(&mut self) -> Result<Turn<Batch>> {
        if self.reader.is_none() {
            self.unread.refuse(self.columns.as_deref())?;
        }
        let Some(batch) = self.next_record_batch()? else { return Ok(Turn::Done) };
        let (schema, lossy, cuts) = (&self.schema, self.options.lossy, &mut self.cuts);
        guarded(|| read_record_batch(&batch, schema, lossy, cuts).map(Turn::Item))
    }

    fn notes(&mut self) -> Vec<String> {
        self.changes.notes(&self.schema).into_iter().chain(self.cuts.notes()).collect()
    }
}

impl TableSource for ParquetSource {
    fn format(&self) -> TableFormat {
        TableFormat::Parquet
    }
    fn unread(&self) -> &[(usize, String)] {
        self.unread.columns()
    }
    fn foreign(&self) -> Vec<Foreign> {
        self.changes.foreign(&self.schema)
    }
    fn arrow_notes(&mut self) -> Vec<String> {
        let read: HashSet<&str> = self.schema.fields().iter().map(|field| field.name.as_str()).collect();
        let read = |name: &&String| read.contains(name.as_str());
        self.old_times.iter().filter(read).map(|name| format!("column {name:?}: {INT96}")).collect()
    }
    fn facts(&self) -> Facts {
        let metadata = self.metadata.metadata();
        let mut columns = vec![ColumnFacts { bytes: Some(0), nulls: Some(0), ..Default::default() }; self.schema.len()];
        for group in metadata.row_groups() {
            for (leaf, chunk) in group.columns().iter().enumerate() {
                let root = self.metadata.parquet_schema().get_column_root_idx(leaf);
                let Some(facts) = columns.get_mut(root) else { continue };
                let size = u64::try_from(chunk.compressed_size()).unwrap_or_default();
                facts.bytes = facts.bytes.map(|n| n + size);
                // What is missing inside of a list or struct is not missing in its column.
                let plain = chunk.column_path().parts().len() == 1;
                let nulls = chunk.statistics().and_then(|s| s.null_count_opt()).filter(|_| plain);
                facts.nulls = facts.nulls.zip(nulls).map(|(a, b)| a + b);
                let words: Vec<String> = chunk.encodings().map(|e| e.to_string()).collect();
                let codec = chunk.compression().to_string();
                facts.encoding.get_or_insert_with(|| format!("{} {}", words.join("+"), codec).to_lowercase());
            }
        }
        for (root, (facts, field)) in columns.iter_mut().zip(self.whole.fields()).enumerate() {
            (facts.min, facts.max) = stats::least_and_greatest(&self.metadata, root, &field.dtype);
        }
        let mut facts = Facts { columns, ..Facts::default() };
        facts.more.insert("groups".into(), json!(metadata.num_row_groups()));
        facts.more.insert("created_by".into(), json!(metadata.file_metadata().created_by()));
        facts
    }
}
