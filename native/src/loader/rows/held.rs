//! Columns of a table as numbers in memory, of which rows are gathered.

use forebay::{
    Error, Result,
    table::{Column, ColumnData, DataType, Value},
};

use super::{super::codes, batch::RowColumn, numbers::Numbers};

/// One column.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) name: String,
    numbers: Numbers,
    /// Numbers in a row, if all rows have as many.
    shape: Vec<usize>,
    /// Where each row begins and the last one ends, where rows have any number of them.
    offsets: Option<Vec<usize>>,
    pub(super) is_text: bool,
    /// 1 for each row that has a value; none as long as all have.
    there: Option<Vec<u8>>,
    rows: usize,
}

/// What a type becomes.
fn numbers(dtype: &DataType) -> Option<Numbers> {
    use DataType as D;
    Some(match dtype {
        D::F32 | D::F64 => Numbers::F32(Vec::new()),
        D::Bool | D::String | D::Json | D::Bytes => Numbers::U8(Vec::new()),
        D::I8 | D::I16 | D::I32 | D::I64 | D::U8 | D::U16 | D::U32 | D::U64 => Numbers::I64(Vec::new()),
        D::Date | D::TimeUs | D::TimestampMs | D::TimestampUs | D::TimestampNs => Numbers::I64(Vec::new()),
        D::Ticks | D::DateTime | D::Key { .. } => Numbers::I64(Vec::new()),
        _ => return None,
    })
}

impl Held {
    pub(super) fn new(name: &str, dtype: &DataType) -> Result<Held> {
        let refuse = || {
            let message = format!("the column {name:?} has the type {dtype}, which does not become a tensor");
            Error::new(&codes::SETTINGS, message)
        };
        let is_text = matches!(dtype, DataType::String | DataType::Json);
        let (numbers, shape, ragged) = match dtype {
            DataType::Vector { item, dims } => {
                let ragged = dims.is_empty() || dims.contains(&0);
                let shape = if ragged { Vec::new() } else { dims.iter().map(|&n| n as usize).collect() };
                let items =
                    numbers(item).filter(|_| !matches!(**item, DataType::String | DataType::Json | DataType::Bytes));
                (items.ok_or_else(refuse)?, shape, ragged)
            }
            DataType::Bytes => (Numbers::U8(Vec::new()), Vec::new(), true),
            other => (numbers(other).ok_or_else(refuse)?, Vec::new(), is_text),
        };
        let offsets = ragged.then(|| vec![0]);
        Ok(Held { name: name.to_owned(), numbers, shape, offsets, is_text, there: None, rows: 0 })
    }

    /// The same once more.
    pub(super) fn copy(&self) -> Held {
        Held {
            name: self.name.clone(),
            numbers: self.numbers.clone(),
            shape: self.shape.clone(),
            offsets: self.offsets.clone(),
            is_text: self.is_text,
            there: self.there.clone(),
            rows: self.rows,
        }
    }
    pub(super) fn is_ragged(&self) -> bool {
        self.offsets.is_some()
    }
    fn each(&self) -> usize {
        self.shape.iter().product()
    }
    /// About how much memory it takes.
    pub(super) fn bytes(&self) -> usize {
        self.numbers.bytes()
            + self.offsets.as_ref().map_or(0, |all| all.len() * 8)
            + self.there.as_ref().map_or(0, Vec::len)
    }

    /// Adds the rows of a part of the table.
    pub(super) fn add(&mut self, column: &Column) -> Result<()> {
        let first = self.rows;
        for i in 0..column.len() {
            let is_null = column.is_null(i);
            if is_null && self.there.is_none() {
                self.there = Some(vec![1; self.rows]);
            }
            if let Some(there) = &mut self.there {
                there.push(u8::from(!is_null));
            }
            let wrong = |why: &str| {
                let message = format!("row {} of the column {:?} {why}", first + i, self.name);
                Error::new(&codes::SETTINGS, message)
            };
            match column.value(i) {
                Value::Null => match &self.offsets {
                    Some(_) => {}
                    None => zeros(&mut self.numbers, self.shape.iter().product()),
                },
                Value::Str(text) | Value::Json(text) => bytes(&mut self.numbers, text.as_bytes()),
                Value::Bytes(all) => bytes(&mut self.numbers, all),
                Value::Vector { row, items } => {
                    let len = row.len as usize;
                    if self.offsets.is_none() && len != self.shape.iter().product::<usize>() {
                        return Err(wrong("has a vector of another length"));
                    }
                    let begin = self.numbers.len();
                    match row.indices {
                        None => {
                            for k in row.first..row.first + row.count {
                                number(&mut self.numbers, items, k).map_err(wrong)?;
                            }
                        }
                        Some(indices) => {
                            zeros(&mut self.numbers, len);
                            for (k, &at) in (row.first..row.first + row.count).zip(indices) {
                                place(&mut self.numbers, items, k, begin + at as usize).map_err(wrong)?;
                            }
                        }
                    }
                }
                _ => number(&mut self.numbers, column, i).map_err(wrong)?,
            }
            if let Some(offsets) = &mut self.offsets {
                offsets.push(self.numbers.len());
            }
            self.rows += 1;
        }
        Ok(())
    }

    /// Gathers rows: of each place `length` that follow each other.
    pub(super) fn gather(&self, places: &[u64], length: u64) -> RowColumn {
        let rows =
            || places.iter().flat_map(|&first| (first..first + length).filter_map(|row| usize::try_from(row).ok()));
        let mut shape = vec![places.len()];
        if length > 1 {
            shape.push(usize::try_from(length).unwrap_or(usize::MAX));
        }
        let there = self.there.as_ref().map(|there| rows().map(|row| there.get(row).copied().unwrap_or(0)).collect());
        let Some(offsets) = &self.offsets else {
            let each = self.each();
            let mut values = self.numbers.none(places.len() * each);
            // Rows that follow each other lie side by side.
            for first in places.iter().filter_map(|first| usize::try_from(*first).ok()) {
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                values.add(&self.numbers, first * each..(first + length) * each);
            }
            shape.extend_from_slice(&self.shape);
            return RowColumn { values, shape, offsets: None, there, is_text: false };
        };
        let span = |row: usize| {
            let at = |k: usize| offsets.get(k).copied().unwrap_or(0);
            at(row)..at(row + 1)
        };
        let mut values = self.numbers.none(rows().map(|row| span(row).len()).sum());
        let mut ends = Vec::with_capacity(places.len() + 1);
        ends.push(0);
        for row in rows() {
            values.add(&self.numbers, span(row));
            ends.push(i64::try_from(values.len()).unwrap_or(i64::MAX));
        }
        RowColumn { shape: vec![values.len()], values, offsets: Some(ends), there, is_text: self.is_text }
    }

    /// Takes all that it holds into a checksum.
    pub(super) fn sum(&self, sum: &mut crc32fast::Hasher) {
        match &self.numbers {
            Numbers::I64(all) => sum.update(bytemuck::cast_slice(all)),
            Numbers::F32(all) => sum.update(bytemuck::cast_slice(all)),
            Numbers::U8(all) => sum.update(all),
        }
        // Whether memory counts in 32 or 64 bits.
        self.offsets.iter().flatten().for_each(|offset| sum.update(&(*offset as u64).to_le_bytes()));
        sum.update(self.there.as_deref().unwrap_or_default());
    }

    /// Where a row differs from the one before it, which begins a group.
    pub(super) fn begins(&self, row: usize) -> bool {
        let of = |row: usize| self.gather(&[row as u64], 1);
        row == 0 || {
            let (one, before) = (of(row), of(row - 1));
            one.there != before.there || !one.values.same(&before.values)
        }
    }
}

impl Numbers {
    fn same(&self, other: &Numbers) -> bool {
        match (self, other) {
            (Numbers::I64(a), Numbers::I64(b)) => a == b,
            (Numbers::F32(a), Numbers::F32(b)) => a.iter().map(|v| v.to_bits()).eq(b.iter().map(|v| v.to_bits())),
            (Numbers::U8(a), Numbers::U8(b)) => a == b,
            _ => false,
        }
    }
}

fn zeros(to: &mut Numbers, count: usize) {
    match to {
        Numbers::I64(to) => to.resize(to.len() + count, 0),
        Numbers::F32(to) => to.resize(to.len() + count, 0.0),
        Numbers::U8(to) => to.resize(to.len() + count, 0),
    }
}

fn bytes(to: &mut Numbers, from: &[u8]) {
    if let Numbers::U8(to) = to {
        to.extend_from_slice(from);
    }
}

/// Adds a number.
fn number(to: &mut Numbers, column: &Column, i: usize) -> Result<(), &'static str> {
    let at = to.len();
    zeros(to, 1);
    place(to, column, i, at)
}

/// Puts a number in its place.
fn place(to: &mut Numbers, column: &Column, i: usize, at: usize) -> Result<(), &'static str> {
    const MISSING: &str = "has a vector with a missing number";
    const LARGE: &str = "has a number beyond 64 bits with a sign";
    const GREAT: &str = "has a number beyond floats of 32 bits";
    if column.is_null(i) {
        return Err(MISSING);
    }
    use ColumnData as C;
    macro_rules! whole {
        ($buffer:expr) => {
            $buffer.get(i).map(|n| i64::from(*n))
        };
    }
    match to {
        Numbers::I64(to) => {
            let found = match column.data() {
                C::I8(b) => whole!(b),
                C::I16(b) => whole!(b),
                C::I32(b) => whole!(b),
                C::I64(b) => whole!(b),
                C::U8(b) => whole!(b),
                C::U16(b) => whole!(b),
                C::U32(b) => whole!(b),
                C::U64(b) => match b.get(i).map(|n| i64::try_from(*n)) {
                    Some(Err(_)) => return Err(LARGE),
                    other => other.and_then(std::result::Result::ok),
                },
                _ => None,
            };
            if let Some(place) = to.get_mut(at) {
                *place = found.unwrap_or(0);
            }
        }
        Numbers::F32(to) => {
            let found = match column.data() {
                C::F32(b) => b.get(i).copied(),
                C::F64(b) => match b.get(i) {
                    Some(n) if n.is_finite() && !(*n as f32).is_finite() => return Err(GREAT),
                    found => found.map(|n| *n as f32),
                },
                _ => None,
            };
            if let Some(place) = to.get_mut(at) {
                *place = found.unwrap_or(0.0);
            }
        }
        Numbers::U8(to) => {
            if let (Some(place), C::Bool(b)) = (to.get_mut(at), column.data()) {
                *place = u8::from(b.get(i));
            }
        }
    }
    Ok(())
}
