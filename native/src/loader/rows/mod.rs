//! Rows of tables as batches: columns as tensors, in the order of all loaders.
//!
//! ```no_run
//! use forebay_native::loader::Rows;
//! let mut rows = Rows::open("train.parquet")?
//!     .columns(["age", "pixels", "tokens", "label"])
//!     .filter("age >= 18")?
//!     .batch(256).shuffle(42).shard(0, 1)
//!     .build()?;
//! for epoch in 0..10 {
//!     for batch in rows.epoch(epoch)? {
//!         let Some(ages) = batch.column("age") else { continue };
//!         let (numbers, there) = (ages.values().i64(), ages.mask());
//!     }
//! }
//! # Ok::<(), forebay::Error>(())
//! ```
//!
//! The wanted columns are read once, when it is built, and stay in memory; a batch is gathered when it is asked for.

mod batch;
mod held;
mod numbers;

use std::path::{Path, PathBuf};

pub use batch::{RowBatch, RowColumn};
use forebay::{
    Error, Result,
    codec::checksum::fnv1a,
    filter::Filter,
    order::{self, Order, Position, Settings, Shuffle, Source, Tail},
    tables::Scan,
};
use held::Held;

use super::{
    build::{fits_in_memory, most_in_a_step},
    codes,
    content::batch_bytes,
    state::State,
};
use crate::{
    input::display,
    tables::{ReadOptions, Scanned, open},
};

/// Columns of more than this are refused unless the settings say otherwise.
const MOST_BYTES: u64 = 8 << 30;

/// Settings of [`Rows`]. Each setter takes and gives the builder.
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until it is built"]
pub struct RowsBuilder {
    path: PathBuf,
    read: ReadOptions,
    columns: Option<Vec<String>>,
    filter: Option<Filter>,
    settings: Settings,
    rank: u64,
    window: u64,
    stride: u64,
    group: Option<String>,
    most_bytes: u64,
    resume: Option<State>,
}

impl RowsBuilder {
    /// Only these columns, in this order; all of them otherwise.
    pub fn columns(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.columns = Some(names.into_iter().map(Into::into).collect());
        self
    }
    /// Only the rows that a filter accepts, which may name other columns.
    pub fn filter(mut self, text: &str) -> Result<Self> {
        self.filter = Some(Filter::parse(text)?);
        self.settings.filter = Some(text.to_owned());
        Ok(self)
    }
    /// How the file is read: its format, types of columns, what text stands for a missing value.
    pub fn read(mut self, options: ReadOptions) -> Self {
        self.read = options;
        self
    }
    /// Samples in a batch of this rank; 32 otherwise.
    pub fn batch(mut self, samples: u64) -> Self {
        self.settings.batch = samples;
        self
    }
    /// Shuffles fully, another way in every epoch.
    pub fn shuffle(mut self, seed: u64) -> Self {
        (self.settings.seed, self.settings.shuffle) = (seed, Shuffle::Full);
        self
    }
    /// Which share of every step this process takes: `rank` of `world`, from 0.
    pub fn shard(mut self, rank: u64, world: u64) -> Self {
        (self.rank, self.settings.world) = (rank, world);
        self
    }
    /// Sets the rule for samples that do not fill a batch on every rank; they are dropped otherwise.
    pub fn tail(mut self, tail: Tail) -> Self {
        self.settings.tail = tail;
        self
    }
    /// Makes a sample of `length` rows that follow each other, such as the frames of a run; the next one begins `stride` rows
    /// later. Columns that have any number of values in a row are refused then.
    pub fn windows(mut self, length: u64, stride: u64) -> Self {
        (self.window, self.stride) = (length, stride);
        self
    }
    /// With [windows](Self::windows): none reaches over rows where this column changes, such as the name of a run.
    pub fn within(mut self, column: impl Into<String>) -> Self {
        self.group = Some(column.into());
        self
    }
    /// How many bytes the columns may take in memory: 8 GiB otherwise.
    pub fn most_bytes(mut self, bytes: u64) -> Self {
        self.most_bytes = bytes;
        self
    }
    /// Goes on where a saved run stood.
    pub fn resume(mut self, state: State) -> Self {
        self.resume = Some(state);
        self
    }

    /// Reads the columns, and checks that all fits together.
    pub fn build(self) -> Result<Rows> {
        let refuse = |message: String| Err(Error::new(&codes::SETTINGS, message).file(display(&self.path)));
        if self.rank >= self.settings.world {
            return refuse(format!("there is no rank {} of {}", self.rank, self.settings.world));
        }
        if self.window == 0 || self.stride == 0 {
            return refuse(format!("windows of {} rows, each {} later, are invalid", self.window, self.stride));
        }
        if self.group.is_some() && self.window == 1 {
            return refuse("`within` needs `windows`".to_owned());
        }
        let (columns, group, rows) = self.read_columns()?;
        if let Some(ragged) = columns.iter().find(|column| self.window > 1 && column.is_ragged()) {
            return refuse(format!(
                "the column {:?} has any number of values in a row: windows take none",
                ragged.name
            ));
        }
        let starts = self.starts(rows, group.as_ref());
        let samples = starts.as_ref().map_or(rows, Vec::len) as u64;
        let name =
            self.path.file_name().map_or_else(|| display(&self.path), |name| name.to_string_lossy().into_owned());
        let source = Source::new(name, samples).identity(self.identity(&columns, rows, starts.as_deref()));
        let order = Order::new(vec![source], self.settings.clone())?;
        if order.steps() == 0 {
            let (n, batch, world) = (order.epoch_samples(), self.settings.batch, self.settings.world);
            return refuse(format!("{n} samples do not fill a batch of {batch} on each of {world} ranks"));
        }
        let held: usize = columns.iter().map(Held::bytes).sum();
        let row = held.div_ceil(rows.max(1)).saturating_mul(usize::try_from(self.window).unwrap_or(usize::MAX));
        let most = most_in_a_step(&order);
        let batch = batch_bytes(row.saturating_add(size_of::<order::Item>() + size_of::<u64>()), most)?;
        fits_in_memory(batch, order.steps(), 0)?;
        let next = match &self.resume {
            Some(state) => state.position(&order, None)?,
            None => Position { epoch: 0, step: 0 },
        };
        let resumed = self.resume.is_some();
        Ok(Rows { columns, starts, window: self.window, order, rank: self.rank, next, resumed })
    }

    /// The wanted columns, that of groups, and how many rows there are.
    fn read_columns(&self) -> Result<(Vec<Held>, Option<Held>, usize)> {
        let mut names = self.columns.clone();
        // It is read also where nobody wants it as a tensor.
        let extra = match (&mut names, &self.group) {
            (Some(names), Some(group)) if !names.contains(group) => {
                names.push(group.clone());
                true
            }
            _ => false,
        };
        let mut table = Scanned::new(open(&self.path, &self.read)?, &Scan::new(names, self.filter.clone()))
            .map_err(|e| e.file(display(&self.path)))?;
        let fields = table.schema().fields().iter().map(|field| Held::new(&field.name, &field.dtype));
        let mut columns = fields.collect::<Result<Vec<_>>>().map_err(|e| e.file(display(&self.path)))?;
        let mut rows = 0_usize;
        while let Some(batch) = table.next_batch()? {
            for (held, column) in columns.iter_mut().zip(batch.columns()) {
                held.add(column).map_err(|e| e.file(display(&self.path)))?;
            }
            rows += batch.rows();
            let bytes: usize = columns.iter().map(Held::bytes).sum();
            if bytes as u64 > self.most_bytes {
                let most = self.most_bytes;
                let message = format!("the columns take more than {most} bytes; ask for fewer, or raise most_bytes");
                return Err(Error::new(&codes::SETTINGS, message).file(display(&self.path)));
            }
        }
        let group = match &self.group {
            Some(name) => {
                let at = columns.iter().position(|column| column.name == *name);
                Some(at.ok_or_else(|| Error::new(&codes::SETTINGS, format!("there is no column {name:?}")))?)
            }
            None => None,
        };
        let group = match (group, extra) {
            (Some(at), true) => Some(columns.remove(at)),
            (Some(at), false) => Some(columns[at].copy()),
            (None, _) => None,
        };
        Ok((columns, group, rows))
    }

    /// The first rows of windows; none where every row is a sample.
    fn starts(&self, rows: usize, group: Option<&Held>) -> Option<Vec<u64>> {
        if self.window == 1 && self.stride == 1 {
            return None;
        }
        let (window, stride) = (self.window, self.stride);
        let mut starts = Vec::new();
        let mut begin = 0_u64;
        for row in 1..=rows {
            if row == rows || group.is_some_and(|group| group.begins(row)) {
                let end = row as u64;
                let last = end.checked_sub(window).filter(|last| *last >= begin);
                let step = usize::try_from(stride).unwrap_or(usize::MAX);
                starts.extend(last.into_iter().flat_map(|last| (begin..=last).step_by(step)));
                begin = end;
            }
        }
        Some(starts)
    }

    /// What tells these rows from others: their columns, all that these hold, and where windows begin.
    fn identity(&self, columns: &[Held], rows: usize, starts: Option<&[u64]>) -> String {
        let names = columns.iter().flat_map(|column| column.name.bytes().chain([0]));
        let mut sum = crc32fast::Hasher::new();
        columns.iter().for_each(|column| column.sum(&mut sum));
        starts.into_iter().flatten().for_each(|start| sum.update(&start.to_le_bytes()));
        let hash = fnv1a(names.chain(sum.finalize().to_le_bytes()));
        format!("{rows} rows, windows of {} by {}, columns {hash:016x}", self.window, self.stride)
    }
}

/// Makes batches of the rows of a table.
#[derive(Debug)]
pub struct Rows {
    columns: Vec<Held>,
    starts: Option<Vec<u64>>,
    window: u64,
    order: Order,
    rank: u64,
    next: Position,
    resumed: bool,
}

impl Rows {
    /// Settings for the rows of a table in any format that [`tables`](crate::tables) opens: Parquet, Arrow, CSV, JSON lines,
    /// TBF, IDV. In stored order, in batches of 32.
    pub fn open(path: impl AsRef<Path>) -> Result<RowsBuilder> {
        Ok(RowsBuilder {
            path: path.as_ref().to_owned(),
            read: ReadOptions::default(),
            columns: None,
            filter: None,
            settings: Settings::default().with_shuffle(Shuffle::None).with_batch(32),
            rank: 0,
            window: 1,
            stride: 1,
            group: None,
            most_bytes: MOST_BYTES,
            resume: None,
        })
    }

    /// The order of samples.
    pub fn order(&self) -> &Order {
        &self.order
    }
    /// Batches of every epoch, on this rank.
    pub fn steps(&self) -> u64 {
        self.order.steps_on(self.rank)
    }
    /// Where the run stands: behind the last batch that was given.
    pub fn state(&self) -> State {
        State {
            order: self.order.state(self.next.epoch, self.next.step),
            version: super::state::VERSION,
            groups: None,
            skipped: 0,
        }
    }

    /// The batches of one epoch; after resuming in the middle of it what is left of it, once.
    pub fn epoch(&mut self, epoch: u64) -> Result<RowBatches<'_>> {
        self.order.epoch(epoch)?;
        if !(std::mem::take(&mut self.resumed) && self.next.epoch == epoch) {
            self.next = Position { epoch, step: 0 };
        }
        Ok(RowBatches { rows: self })
    }

    /// Where it stands: the epoch, and the step that comes next.
    pub fn position(&self) -> Position {
        self.next
    }
    /// The next batch of the epoch that it stands in; none at its end.
    pub fn next_batch(&mut self) -> Option<RowBatch> {
        let epoch = self.order.epoch(self.next.epoch).ok()?;
        while self.next.step < epoch.steps() {
            let step = self.next.step;
            self.next.step += 1;
            let items: Vec<order::Item> = epoch.batch(step, self.rank).collect();
            // An uneven tail may be too small for all ranks.
            if items.is_empty() {
                continue;
            }
            let start = |item: &order::Item| match &self.starts {
                None => item.sample,
                Some(starts) => usize::try_from(item.sample).ok().and_then(|i| starts.get(i)).copied().unwrap_or(0),
            };
            let places: Vec<u64> = items.iter().map(start).collect();
            let columns =
                self.columns.iter().map(|held| (held.name.clone(), held.gather(&places, self.window))).collect();
            return Some(RowBatch { epoch: epoch.number(), step, items, columns });
        }
        None
    }
}

/// The batches of one epoch, in order.
#[derive(Debug)]
pub struct RowBatches<'a> {
    rows: &'a mut Rows,
}

impl RowBatches<'_> {
    /// The loader, to ask for its state between batches.
    pub fn rows(&self) -> &Rows {
        self.rows
    }
}

impl Iterator for RowBatches<'_> {
    type Item = RowBatch;

    fn next(&mut self) -> Option<RowBatch> {
        self.rows.next_batch()
    }
}
