//! Which vectors are worth listing slot by slot.
//!
//! A slot that is not listed is its type's default, so a vector may be stored either way; this picks the
//! smaller one. A default is all bits zero: -0.0 is none.

use crate::{
    error::Result,
    table::{Column, ColumnBuilder, ColumnData, DataType, VectorColumn},
};

/// The bits of one value, without the characters of text, which are stored either way.
fn bits(data: &ColumnData) -> u64 {
    match data {
        ColumnData::Bool(_) => 1,
        ColumnData::I8(_) | ColumnData::U8(_) => 8,
        ColumnData::I16(_) | ColumnData::U16(_) => 16,
        ColumnData::I64(_) | ColumnData::U64(_) | ColumnData::F64(_) => 64,
        ColumnData::Offset { .. } => 80,
        ColumnData::U128(_) => 128,
        _ => 32,
    }
}

/// The same vectors, each in the smaller form.
pub(super) fn smaller(v: &VectorColumn) -> Result<VectorColumn> {
    let set = not_default(v.items());
    let width = bits(v.items().data());
    // Defaults that must be written out are taken from behind the last item.
    let default = v.items().len();
    let (mut counts, mut indices, mut take) = (Vec::with_capacity(v.len()), Vec::new(), Vec::new());
    for i in 0..v.len() {
        let row = v.row(i);
        let flags = set.get(row.first..row.first + row.count).unwrap_or_default();
        let kept = flags.iter().filter(|s| **s).count() as u64;
        let slot = |k: usize| row.indices.map_or(k as u32, |s| s.get(k).copied().unwrap_or_default());
        if kept * (width + 32) < u64::from(row.len) * width {
            counts.push(kept as u32);
            for (k, _) in flags.iter().enumerate().filter(|(_, s)| **s) {
                indices.push(slot(k));
                take.push(row.first + k);
            }
        } else {
            counts.push(row.len);
            let mut next = 0;
            for k in 0..row.count {
                take.extend((next..slot(k)).map(|_| default));
                take.push(row.first + k);
                next = slot(k) + 1;
            }
            take.extend((next..row.len).map(|_| default));
        }
    }
    let unchanged = take.len() == v.items().len() && take.iter().enumerate().all(|(i, &t)| i == t);
    let items = match unchanged {
        true => v.items().clone(),
        false => Column::concat(&[v.items().clone(), default_item(v.items().dtype())?])?.take(&take)?,
    };
    VectorColumn::sparse(v.lengths().clone(), &counts, indices.into(), items)
}

/// One item of this type: 0, false or nothing.
fn default_item(dtype: &DataType) -> Result<Column> {
    let mut item = ColumnBuilder::new(dtype);
    item.push_null();
    item.finish()?.with_validity(None)
}

fn not_default(items: &Column) -> Vec<bool> {
    macro_rules! nonzero {
        ($b:expr) => {
            $b.iter().map(|x| *x != 0).collect()
        };
    }
    match items.data() {
        ColumnData::I8(b) => nonzero!(b),
        ColumnData::U8(b) => nonzero!(b),
        ColumnData::I16(b) => nonzero!(b),
        ColumnData::U16(b) => nonzero!(b),
        ColumnData::I32(b) => nonzero!(b),
        ColumnData::U32(b) => nonzero!(b),
        ColumnData::I64(b) => nonzero!(b),
        ColumnData::U64(b) => nonzero!(b),
        ColumnData::U128(b) => nonzero!(b),
        ColumnData::F32(b) => b.iter().map(|x| x.to_bits() != 0).collect(),
        ColumnData::F64(b) => b.iter().map(|x| x.to_bits() != 0).collect(),
        ColumnData::Bool(b) => b.iter().collect(),
        ColumnData::Offset { ticks, minutes } => {
            ticks.iter().zip(minutes.iter()).map(|(t, m)| *t != 0 || *m != 0).collect()
        }
        _ => (0..items.len()).map(|i| items.str(i).is_none_or(|s| !s.is_empty())).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mostly_zero_becomes_sparse_and_mostly_listed_becomes_dense() {
        let mut items = vec![0.0, 0.0, 3.0, 0.0, 0.0, -0.0, 0.0, 0.0];
        items.extend([1.0f32, 2.0, 3.0, 4.0, 5.0]);
        let indices = vec![0, 1, 2, 3, 7].into();
        let v = VectorColumn::sparse(vec![8; 3].into(), &[8, 5, 0], indices, Column::from(items)).unwrap();
        let s = smaller(&v).unwrap();
        assert_eq!(s.row(0).indices, Some(&[2, 5][..]));
        assert_eq!((s.row(1).indices, s.row(2).indices), (None, Some(&[][..])));
        assert_eq!(*s.items(), Column::from(vec![3.0f32, -0.0, 1.0, 2.0, 3.0, 4.0, 0.0, 0.0, 0.0, 5.0]));
    }
}
