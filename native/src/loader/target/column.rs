//! Memory for named targets: for each column one piece of a batch's memory that its samples share, or lists of any length.
//!
//! A slot has a [`Cell`] for every column. Cells are used again, so that a warm loader allocates nothing for a sample.

use std::sync::Mutex;

use bytes::BytesMut;
use forebay::image::transform::f16;

use crate::loader::{
    Tensor,
    pool::{Pool, join, lock},
};

/// What the numbers of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::loader) enum Number {
    U8,
    F16,
    F32,
    I64,
}

impl Number {
    const fn bytes(self) -> usize {
        match self {
            Number::U8 => 1,
            Number::F16 => 2,
            Number::F32 => 4,
            Number::I64 => 8,
        }
    }

    /// Memory as numbers; none where it lies where numbers may not, which the memory of batches never does.
    fn view(self, bytes: &[u8]) -> Tensor<'_> {
        match self {
            Number::U8 => Tensor::U8(bytes),
            Number::F16 => Tensor::F16(bytemuck::try_cast_slice(bytes).unwrap_or_default()),
            Number::F32 => Tensor::F32(bytemuck::try_cast_slice(bytes).unwrap_or_default()),
            Number::I64 => Tensor::I64(bytemuck::try_cast_slice(bytes).unwrap_or_default()),
        }
    }
}

/// How samples with any number of rows come to one length: that of the longest in their batch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::loader) struct Pad {
    /// The number where a sample has no row.
    pub fill: f64,
    /// Rows that a sample has at most; more are cut off.
    pub longest: usize,
    /// The length is a multiple of this, if that is not more than the longest.
    pub multiple: usize,
}

impl Pad {
    pub fn with(self, fill: f64) -> Pad {
        Pad { fill, ..self }
    }
    /// The length of a batch of which the longest sample has this many rows.
    fn length(&self, rows: usize) -> usize {
        rows.checked_next_multiple_of(self.multiple.max(1)).unwrap_or(rows).min(self.longest)
    }
}

/// One array of a target: its values, or what goes with them.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::loader) struct Column {
    /// Empty for the values themselves.
    pub part: &'static str,
    pub number: Number,
    /// The shape of a sample's numbers; of one row where samples have any number of rows.
    pub shape: Vec<usize>,
    pub ragged: bool,
    /// Samples with any number of rows are brought to one length.
    pub pad: Option<Pad>,
}

impl Column {
    pub fn dense(part: &'static str, number: Number, shape: &[usize]) -> Column {
        Column { part, number, shape: shape.to_vec(), ragged: false, pad: None }
    }
    pub fn ragged(part: &'static str, number: Number, row: &[usize]) -> Column {
        Column { part, number, shape: row.to_vec(), ragged: true, pad: None }
    }
    pub fn padded(part: &'static str, number: Number, row: &[usize], pad: Pad) -> Column {
        Column { pad: Some(pad), ..Column::ragged(part, number, row) }
    }

    /// Whether samples begin where offsets say so.
    pub fn has_offsets(&self) -> bool {
        self.ragged && self.pad.is_none()
    }
    /// The shape of the values of that many samples, which are that many numbers.
    pub fn shape_of(&self, samples: usize, numbers: usize) -> Vec<usize> {
        let rows = numbers / self.numbers().unwrap_or(1).max(1);
        let first = match (self.ragged, &self.pad) {
            (true, Some(_)) => vec![samples, rows / samples.max(1)],
            (true, None) => vec![rows],
            (false, _) => vec![samples],
        };
        first.into_iter().chain(self.shape.iter().copied()).collect()
    }

    /// Numbers in a sample, or in a row.
    pub fn numbers(&self) -> Option<usize> {
        self.shape.iter().try_fold(1_usize, |product, &n| product.checked_mul(n))
    }
    /// Bytes of a sample's part of the shared memory; a ragged column has none. Settings that ask for more than memory can
    /// hold were refused.
    pub fn bytes(&self) -> usize {
        if self.ragged { 0 } else { self.numbers().and_then(|n| n.checked_mul(self.number.bytes())).unwrap_or(0) }
    }
    /// The most bytes that a sample can have of what is padded, if any memory holds them.
    pub fn padded_bytes(&self) -> Option<usize> {
        let Some(pad) = &self.pad else { return Some(0) };
        self.numbers()?.checked_mul(self.number.bytes())?.checked_mul(pad.longest)
    }
}

/// What a sample has in a column.
#[derive(Debug)]
pub(in crate::loader) enum Cell {
    /// A part of the batch's memory.
    Dense(BytesMut),
    Bytes(Vec<u8>),
    Floats(Vec<f32>),
    Integers(Vec<i64>),
}

impl Cell {
    fn new(column: &Column) -> Cell {
        match (column.ragged, column.number) {
            (false, _) => Cell::Dense(BytesMut::new()),
            (true, Number::I64) => Cell::Integers(Vec::new()),
            (true, Number::F32 | Number::F16) => Cell::Floats(Vec::new()),
            (true, Number::U8) => Cell::Bytes(Vec::new()),
        }
    }

    pub fn bytes(&mut self) -> &mut [u8] {
        match self {
            Cell::Dense(memory) => memory,
            Cell::Bytes(list) => list,
            _ => &mut [],
        }
    }
    pub fn floats(&mut self) -> &mut [f32] {
        match self {
            Cell::Dense(memory) => bytemuck::try_cast_slice_mut(memory).unwrap_or_default(),
            Cell::Floats(list) => list,
            _ => &mut [],
        }
    }
    pub fn integers(&mut self) -> &mut [i64] {
        match self {
            Cell::Dense(memory) => bytemuck::try_cast_slice_mut(memory).unwrap_or_default(),
            Cell::Integers(list) => list,
            _ => &mut [],
        }
    }

    /// How many numbers a list has.
    pub fn len(&self) -> usize {
        match self {
            Cell::Dense(_) => 0,
            Cell::Bytes(list) => list.len(),
            Cell::Floats(list) => list.len(),
            Cell::Integers(list) => list.len(),
        }
    }

    /// Forgets what was there: no rows, or zeros.
    pub fn clear(&mut self) {
        match self {
            Cell::Dense(memory) => memory.fill(0),
            Cell::Bytes(list) => list.clear(),
            Cell::Floats(list) => list.clear(),
            Cell::Integers(list) => list.clear(),
        }
    }

    /// Makes room for this many numbers, if it is a list.
    pub fn grow(&mut self, numbers: usize) {
        match self {
            Cell::Dense(_) => {}
            Cell::Bytes(list) => list.resize(numbers, 0),
            Cell::Floats(list) => list.resize(numbers, 0.0),
            Cell::Integers(list) => list.resize(numbers, 0),
        }
    }
}

/// A column of a whole batch.
#[derive(Debug)]
pub(in crate::loader) struct Filled {
    cell: Cell,
    /// Where each sample's rows begin, and where the last ones end, if samples have any number of rows.
    offsets: Vec<i64>,
}

impl Filled {
    pub fn view(&self, column: &Column, samples: usize) -> Tensor<'_> {
        match &self.cell {
            Cell::Dense(memory) => {
                column.number.view(memory.get(..samples.saturating_mul(column.bytes())).unwrap_or_default())
            }
            Cell::Bytes(list) => Tensor::U8(list),
            Cell::Floats(list) => Tensor::F32(list),
            Cell::Integers(list) => Tensor::I64(list),
        }
    }
    pub fn offsets(&self) -> &[i64] {
        &self.offsets
    }

    /// Where samples begin, at least the beginning.
    pub fn offsets_mut(&mut self) -> &mut [i64] {
        if self.offsets.is_empty() {
            self.offsets.push(0);
        }
        &mut self.offsets
    }

    /// The numbers with their shape, to be changed.
    pub fn part_mut(&mut self, column: &Column, samples: usize) -> (Vec<usize>, TargetPart<'_>) {
        let bytes = samples.saturating_mul(column.bytes());
        let part = match &mut self.cell {
            Cell::Bytes(list) => TargetPart::U8(list),
            Cell::Floats(list) => TargetPart::F32(list),
            Cell::Integers(list) => TargetPart::I64(list),
            Cell::Dense(memory) => {
                let memory = memory.get_mut(..bytes).unwrap_or_default();
                match column.number {
                    Number::U8 => TargetPart::U8(memory),
                    Number::F16 => TargetPart::F16(bytemuck::try_cast_slice_mut(memory).unwrap_or_default()),
                    Number::F32 => TargetPart::F32(bytemuck::try_cast_slice_mut(memory).unwrap_or_default()),
                    Number::I64 => TargetPart::I64(bytemuck::try_cast_slice_mut(memory).unwrap_or_default()),
                }
            }
        };
        (column.shape_of(samples, part.len()), part)
    }
}

/// Numbers of a target, to be changed in place.
#[doc(hidden)]
#[derive(Debug)]
pub enum TargetPart<'a> {
    /// Bytes.
    U8(&'a mut [u8]),
    /// Half-precision floats.
    F16(&'a mut [f16]),
    /// Floats.
    F32(&'a mut [f32]),
    /// Whole numbers.
    I64(&'a mut [i64]),
}

impl TargetPart<'_> {
    fn len(&self) -> usize {
        match self {
            TargetPart::U8(all) => all.len(),
            TargetPart::F16(all) => all.len(),
            TargetPart::F32(all) => all.len(),
            TargetPart::I64(all) => all.len(),
        }
    }
}

/// Memory for the columns of batches.
#[derive(Debug, Default)]
pub(in crate::loader) struct TargetMemory {
    columns: Vec<Column>,
    /// For each column; of none that is ragged.
    pools: Vec<Pool>,
    /// Cells of samples, without their memory.
    cells: Mutex<Vec<Vec<Cell>>>,
    filled: Mutex<Vec<Vec<Filled>>>,
    most: usize,
}

impl TargetMemory {
    /// Memory for this many batches of at most this many samples.
    pub fn new(columns: Vec<Column>, samples: usize, batches: usize) -> TargetMemory {
        let pool = |column: &Column| Pool::new(column.bytes().saturating_mul(samples), batches);
        let pools = columns.iter().map(pool).collect();
        TargetMemory { columns, pools, most: samples.saturating_mul(batches), ..TargetMemory::default() }
    }

    /// Whole pieces of memory for a batch, to be cut into samples.
    pub fn take(&self) -> Vec<BytesMut> {
        self.pools.iter().map(Pool::take).collect()
    }

    /// The cells of a sample, with its parts of the memory of a batch.
    pub fn cells(&self, memory: &mut [BytesMut]) -> Vec<Cell> {
        if self.columns.is_empty() {
            return Vec::new();
        }
        let mut cells = lock(&self.cells).pop().unwrap_or_else(|| self.columns.iter().map(Cell::new).collect());
        for ((cell, column), memory) in cells.iter_mut().zip(&self.columns).zip(memory) {
            if let Cell::Dense(part) = cell {
                *part = memory.split_to(column.bytes().min(memory.len()));
            }
        }
        cells
    }

    /// Brings together what became of samples, in their order, of which `kept` says which stay. Their cells are used again.
    pub fn land(&self, all: impl Iterator<Item = (bool, Vec<Cell>)>, mut rest: Vec<BytesMut>) -> Vec<Filled> {
        if self.columns.is_empty() {
            return Vec::new();
        }
        let new = |column: &Column| Filled { cell: Cell::new(column), offsets: Vec::new() };
        let mut filled = lock(&self.filled).pop().unwrap_or_else(|| self.columns.iter().map(new).collect());
        filled.iter_mut().for_each(Filled::clear);
        let mut all: Vec<_> = all.collect();
        for (k, (to, column)) in filled.iter_mut().zip(&self.columns).enumerate() {
            if let Some(pad) = &column.pad {
                to.pad(all.iter().filter(|(kept, _)| *kept).filter_map(|(_, cells)| cells.get(k)), column, pad);
                continue;
            }
            let mut at = 0;
            for (number, (kept, cells)) in all.iter_mut().enumerate() {
                let Some(cell) = cells.get_mut(k) else { continue };
                to.take(cell, *kept);
                if let Cell::Dense(memory) = &mut to.cell {
                    let bytes = column.bytes();
                    if *kept && at != number {
                        memory.copy_within(number * bytes..number * bytes + bytes, at * bytes);
                    }
                    at += usize::from(*kept);
                }
                if column.ragged && *kept {
                    to.end_row(column);
                }
            }
            if let (Cell::Dense(memory), Some(rest)) = (&mut to.cell, rest.get_mut(k)) {
                let pieces = [std::mem::take(memory), std::mem::take(rest)];
                *memory = join(pieces.into_iter().filter(|piece| !piece.is_empty()));
            }
        }
        let mut spare = lock(&self.cells);
        for (_, cells) in all {
            if spare.len() < self.most && cells.len() == self.columns.len() {
                spare.push(cells);
            }
        }
        filled
    }

    /// Takes back the columns of a batch.
    pub fn give(&self, mut filled: Vec<Filled>) {
        if filled.is_empty() {
            return;
        }
        for (one, pool) in filled.iter_mut().zip(&self.pools) {
            if let Cell::Dense(memory) = &mut one.cell {
                pool.give(std::mem::take(memory));
            }
        }
        let mut spare = lock(&self.filled);
        if spare.len() < MOST_SPARE {
            spare.push(filled);
        }
    }
}

/// Columns of batches that wait to be used again.
const MOST_SPARE: usize = 16;

impl Filled {
    fn clear(&mut self) {
        match &mut self.cell {
            Cell::Dense(memory) => *memory = BytesMut::new(),
            list => list.clear(),
        }
        self.offsets.clear();
    }

    /// Takes over what a cell holds. Memory is taken also of a sample that is not kept, since pieces follow each other.
    fn take(&mut self, cell: &mut Cell, kept: bool) {
        match (&mut self.cell, cell) {
            (Cell::Dense(whole), Cell::Dense(part)) => {
                let pieces = [std::mem::take(whole), std::mem::take(part)];
                *whole = join(pieces.into_iter().filter(|piece| !piece.is_empty()));
            }
            (Cell::Bytes(all), Cell::Bytes(these)) if kept => all.extend_from_slice(these),
            (Cell::Floats(all), Cell::Floats(these)) if kept => all.extend_from_slice(these),
            (Cell::Integers(all), Cell::Integers(these)) if kept => all.extend_from_slice(these),
            _ => {}
        }
    }

    /// Takes over what cells hold, each brought to the length of the longest.
    fn pad<'a>(&mut self, cells: impl Iterator<Item = &'a Cell> + Clone, column: &Column, pad: &Pad) {
        let row = column.numbers().unwrap_or(1).max(1);
        let longest = cells.clone().map(|cell| cell.len() / row).max().unwrap_or(0);
        // More than memory holds was refused when the loader was built.
        let length = pad.length(longest).saturating_mul(row);
        for cell in cells {
            match (&mut self.cell, cell) {
                (Cell::Bytes(all), Cell::Bytes(these)) => extend(all, these, (length, pad.fill as u8)),
                (Cell::Floats(all), Cell::Floats(these)) => extend(all, these, (length, pad.fill as f32)),
                (Cell::Integers(all), Cell::Integers(these)) => extend(all, these, (length, pad.fill as i64)),
                _ => {}
            }
        }
    }

    /// Notes where a sample's rows end.
    fn end_row(&mut self, column: &Column) {
        let numbers = self.cell.len();
        if self.offsets.is_empty() {
            self.offsets.push(0);
        }
        let rows = numbers / column.numbers().unwrap_or(1).max(1);
        self.offsets.push(i64::try_from(rows).unwrap_or(i64::MAX));
    }
}

/// Adds a sample's numbers and, up to this length, more of the same.
fn extend<T: Copy>(all: &mut Vec<T>, these: &[T], (length, fill): (usize, T)) {
    let end = all.len().saturating_add(length);
    all.extend_from_slice(these.get(..length).unwrap_or(these));
    all.resize(end, fill);
}
