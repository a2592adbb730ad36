//! Parts of columns and columns put together.

use super::{Bitmap, BitmapBuilder, Buffer, Column, ColumnData, StringsBuilder, VectorColumn, codes};
use crate::error::{Error, Result};

#[doc(hidden)]
impl Column {
    /// Some of the rows, sharing the memory.
    #[must_use]
    pub fn slice(&self, start: usize, len: usize) -> Self {
        macro_rules! cut {
            ($($variant:ident)*) => {
                match self.data() {
                    $(ColumnData::$variant(b) => ColumnData::$variant(b.slice(start, len)),)*
                    ColumnData::Offset { ticks, minutes } => ColumnData::Offset {
                        ticks: ticks.slice(start, len),
                        minutes: minutes.slice(start, len),
                    },
                }
            };
        }
        let data = cut!(Bool I8 I16 I32 I64 U8 U16 U32 U64 F32 F64 U128 Str Dict Bytes Vector);
        Column::from_parts(self.dtype().clone(), data, self.validity().map(|v| v.slice(start, len)))
    }

    /// The rows with these numbers, in this order.
    pub fn take(&self, rows: &[usize]) -> Result<Self> {
        if let Some(&i) = rows.iter().find(|&&i| i >= self.len()) {
            let message = format!("row {i} of {}", self.len());
            return Err(Error::new(&crate::error::codes::OUT_OF_RANGE, message).row(i as u64));
        }
        let pick = || rows.iter().copied();
        macro_rules! numbers {
            ($($variant:ident)*) => {
                match self.data() {
                    $(ColumnData::$variant(b) => ColumnData::$variant({
                        let b = b.as_slice();
                        rows.iter().map(|&i| b.get(i).copied().unwrap_or_default()).collect()
                    }),)*
                    ColumnData::Bool(b) => ColumnData::Bool(pick().map(|i| b.get(i)).collect()),
                    ColumnData::Str(s) => ColumnData::Str(s.take(pick())?),
                    ColumnData::Dict(d) => ColumnData::Dict(d.take(pick())),
                    ColumnData::Bytes(b) => ColumnData::Bytes(b.take(pick())?),
                    ColumnData::Offset { ticks, minutes } => ColumnData::Offset {
                        ticks: pick().map(|i| ticks.get(i).copied().unwrap_or_default()).collect(),
                        minutes: pick().map(|i| minutes.get(i).copied().unwrap_or_default()).collect(),
                    },
                    ColumnData::Vector(v) => ColumnData::Vector(v.take(pick())?),
                }
            };
        }
        let data = numbers!(I8 I16 I32 I64 U8 U16 U32 U64 F32 F64 U128);
        Ok(Column::from_parts(self.dtype().clone(), data, self.validity().map(|v| pick().map(|i| v.get(i)).collect())))
    }

    /// Columns of one type, one after the other.
    pub fn concat(columns: &[Column]) -> Result<Self> {
        let Some(first) = columns.first() else {
            return Err(Error::new(&codes::SHAPE, "no columns to put together"));
        };
        if columns.len() == 1 {
            return Ok(first.clone());
        }
        if let Some(other) = columns.iter().find(|c| c.dtype() != first.dtype()) {
            let message = format!("a column of {} cannot follow one of {}", other.dtype(), first.dtype());
            return Err(Error::new(&codes::SHAPE, message));
        }
        let validity = columns.iter().any(|c| c.validity().is_some()).then(|| validity_of(columns));
        Ok(Column::from_parts(first.dtype().clone(), concat_data(columns)?, validity))
    }
}

fn validity_of(columns: &[Column]) -> Bitmap {
    let mut all = BitmapBuilder::with_capacity(columns.iter().map(Column::len).sum());
    for c in columns {
        match c.validity() {
            None => all.push_n(true, c.len()),
            Some(v) => all.extend(v.iter()),
        }
    }
    all.finish()
}

fn concat_data(columns: &[Column]) -> Result<ColumnData> {
    let differ = || Error::new(&codes::SHAPE, "columns of one type are stored in different ways");
    macro_rules! joined {
        ($($variant:ident)*) => {
            match columns[0].data() {
                $(ColumnData::$variant(_) => {
                    let mut all = Vec::with_capacity(columns.iter().map(Column::len).sum());
                    for c in columns {
                        let ColumnData::$variant(b) = c.data() else { return Err(differ()) };
                        all.extend_from_slice(b);
                    }
                    ColumnData::$variant(all.into())
                })*
                ColumnData::Bool(_) => {
                    let mut all = BitmapBuilder::with_capacity(columns.iter().map(Column::len).sum());
                    for c in columns {
                        let ColumnData::Bool(b) = c.data() else { return Err(differ()) };
                        all.extend(b.iter());
                    }
                    ColumnData::Bool(all.finish())
                }
                ColumnData::Str(_) | ColumnData::Dict(_) | ColumnData::Bytes(_) => concat_strings(columns)?,
                ColumnData::Offset { .. } => {
                    let (mut all_ticks, mut all_minutes) = (vec![], vec![]);
                    for c in columns {
                        let ColumnData::Offset { ticks, minutes } = c.data() else { return Err(differ()) };
                        all_ticks.extend_from_slice(ticks);
                        all_minutes.extend_from_slice(minutes);
                    }
                    ColumnData::Offset { ticks: all_ticks.into(), minutes: all_minutes.into() }
                }
                ColumnData::Vector(_) => concat_vectors(columns)?,
            }
        };
    }
    Ok(joined!(I8 I16 I32 I64 U8 U16 U32 U64 F32 F64 U128))
}

fn concat_strings(columns: &[Column]) -> Result<ColumnData> {
    let bytes = columns.iter().map(|c| match c.data() {
        ColumnData::Str(s) => s.as_binary().used().len(),
        ColumnData::Bytes(b) => b.used().len(),
        _ => 0,
    });
    let mut out = StringsBuilder::with_capacity(columns.iter().map(Column::len).sum(), bytes.sum());
    let mut is_text = true;
    for c in columns {
        match c.data() {
            ColumnData::Str(s) => out.append(s.as_binary())?,
            ColumnData::Dict(d) => (0..d.len()).try_for_each(|i| out.push(d.get(i)))?,
            ColumnData::Bytes(b) => {
                is_text = false;
                out.append(b)?;
            }
            _ => {}
        }
    }
    Ok(if is_text { ColumnData::Str(out.finish()) } else { ColumnData::Bytes(out.finish_binary()) })
}

fn concat_vectors(columns: &[Column]) -> Result<ColumnData> {
    let (mut lengths, mut counts, mut indices, mut items) = (vec![], vec![], vec![], vec![]);
    for c in columns {
        let ColumnData::Vector(v) = c.data() else { continue };
        let mut used = Vec::new();
        for i in 0..v.len() {
            let row = v.row(i);
            lengths.push(row.len);
            counts.push(row.count as u32);
            indices.extend_from_slice(row.indices.unwrap_or_default());
            used.extend(row.first..row.first + row.count);
        }
        items.push(v.items().take(&used)?);
    }
    Ok(ColumnData::Vector(VectorColumn::sparse(
        lengths.into(),
        &counts,
        Buffer::from(indices),
        Column::concat(&items)?,
    )?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_taken_with_their_validity() {
        let c = Column::strings([Some("a"), None, Some("c")]);
        let t = c.take(&[2, 1, 1, 0]).unwrap();
        assert_eq!(t, Column::strings([Some("c"), None, None, Some("a")]));
        assert_eq!(t.slice(1, 2).null_count(), 2);
        assert_eq!(Column::concat(&[c.slice(0, 1), c.slice(1, 2)]).unwrap(), c);
        assert!(Column::concat(&[c, Column::from(vec![1u8])]).is_err());
    }
}
