//! Vectors in rows: each dense, with all its items, or sparse, with the items that are not the default.

use super::{Buffer, Column, VectorColumn, VectorRow, codes};
use crate::error::{Error, Result};

impl VectorColumn {
    /// Vectors that are all dense, of these lengths.
    pub fn dense(lengths: Buffer<u32>, items: Column) -> Result<Self> {
        let item_offsets = running(lengths.iter().copied(), items.len())?;
        let none = Buffer::default();
        Ok(VectorColumn { lengths, item_offsets, index_offsets: none.clone(), indices: none, items: Box::new(items) })
    }

    /// Dense and sparse vectors: `counts[i]` items of row `i` are explicit. If that is less than
    /// `lengths[i]`, the next `counts[i]` of `indices` say where they belong, rising.
    pub fn sparse(lengths: Buffer<u32>, counts: &[u32], indices: Buffer<u32>, items: Column) -> Result<Self> {
        let shape = |row: usize, why: String| Error::new(&codes::SHAPE, why).row(row as u64);
        if lengths.len() != counts.len() {
            return Err(shape(0, format!("{} vectors with {} counts", lengths.len(), counts.len())));
        }
        let item_offsets = running(counts.iter().copied(), items.len())?;
        let explicit = lengths.iter().zip(counts).map(|(&len, &count)| if count < len { count } else { 0 });
        let index_offsets = running(explicit, indices.len())?;
        for (row, (&len, &count)) in lengths.iter().zip(counts).enumerate() {
            let own = span(&index_offsets, row).and_then(|r| indices.get(r)).unwrap_or_default();
            if count > len || own.windows(2).any(|w| w[0] >= w[1]) || own.last().is_some_and(|&i| i >= len) {
                return Err(shape(row, format!("{count} items do not fit a vector of {len}, or are not in order")));
            }
        }
        Ok(VectorColumn { lengths, item_offsets, index_offsets, indices, items: Box::new(items) })
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }
    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }
    /// The explicit items of all rows.
    pub fn items(&self) -> &Column {
        &self.items
    }
    /// The same vectors of other items, as many as there are.
    pub(crate) fn with_items(&self, items: Column) -> Result<Self> {
        if items.len() != self.items.len() {
            let message = format!("{} items in place of {}", items.len(), self.items.len());
            return Err(Error::new(&codes::SHAPE, message));
        }
        Ok(VectorColumn { items: Box::new(items), ..self.clone() })
    }
    /// How long each vector is.
    pub fn lengths(&self) -> &Buffer<u32> {
        &self.lengths
    }
    /// True if no row is sparse.
    pub fn is_dense(&self) -> bool {
        // A sparse row may list nothing at all, so that the indices alone do not tell.
        (0..self.len()).all(|i| self.row(i).indices.is_none())
    }
    /// The vector in row `i`; an empty one past the end.
    pub fn row(&self, i: usize) -> VectorRow<'_> {
        let len = self.lengths.get(i).copied().unwrap_or_default();
        let items = span(&self.item_offsets, i).unwrap_or_default();
        let sparse = (items.len() as u64) < u64::from(len);
        let indices =
            sparse.then(|| span(&self.index_offsets, i).and_then(|r| self.indices.get(r)).unwrap_or_default());
        VectorRow { len, first: items.start, count: items.len(), indices }
    }
    /// Some of the rows, sharing the memory.
    #[must_use]
    pub fn slice(&self, start: usize, len: usize) -> Self {
        let start = start.min(self.len());
        let len = len.min(self.len() - start);
        let cut = |b: &Buffer<u32>| if b.is_empty() { b.clone() } else { b.slice(start, len + 1) };
        VectorColumn {
            lengths: self.lengths.slice(start, len),
            item_offsets: cut(&self.item_offsets),
            index_offsets: cut(&self.index_offsets),
            indices: self.indices.clone(),
            items: self.items.clone(),
        }
    }
    /// The rows with these numbers.
    pub fn take(&self, rows: impl Iterator<Item = usize>) -> Result<Self> {
        let (mut lengths, mut counts, mut indices, mut items) = (vec![], vec![], vec![], vec![]);
        for i in rows {
            let row = self.row(i);
            lengths.push(row.len);
            counts.push(row.count as u32);
            indices.extend_from_slice(row.indices.unwrap_or_default());
            items.extend(row.first..row.first + row.count);
        }
        Self::sparse(lengths.into(), &counts, indices.into(), self.items.take(&items)?)
    }
    /// The same vectors with every item explicit. `size` lets the caller refuse what would be too large.
    pub fn to_dense(&self, default: &Column, max_items: u64) -> Result<Self> {
        let total = self.lengths.iter().map(|&n| u64::from(n)).sum::<u64>();
        if total > max_items.min(i32::MAX as u64) {
            return Err(Error::new(&codes::SIZE, format!("the dense vectors have {total} items")));
        }
        // The default is appended as the item after the last, so that one `take` does it all.
        let items = Column::concat(&[(*self.items).clone(), default.slice(0, 1)])?;
        let filler = self.items.len();
        let mut picked = Vec::with_capacity(total as usize);
        for i in 0..self.len() {
            let row = self.row(i);
            let start = picked.len();
            match row.indices {
                None => picked.extend(row.first..row.first + row.count),
                Some(indices) => {
                    picked.resize(start + row.len as usize, filler);
                    for (k, &at) in indices.iter().enumerate() {
                        if let Some(slot) = picked.get_mut(start + at as usize) {
                            *slot = row.first + k;
                        }
                    }
                }
            }
        }
        Self::dense(self.lengths.clone(), items.take(&picked)?)
    }
}

/// Where runs of these lengths begin; together they must be `total` long.
fn running(lengths: impl ExactSizeIterator<Item = u32>, total: usize) -> Result<Buffer<u32>> {
    let mut offsets = Vec::with_capacity(lengths.len() + 1);
    let mut at = 0u64;
    offsets.push(0);
    for n in lengths {
        at += u64::from(n);
        if at > total as u64 || at > i32::MAX as u64 {
            break;
        }
        offsets.push(at as u32);
    }
    if at != total as u64 {
        return Err(Error::new(&codes::SHAPE, format!("vectors of {at} items or more hold {total}")));
    }
    Ok(offsets.into())
}

fn span(offsets: &Buffer<u32>, i: usize) -> Option<std::ops::Range<usize>> {
    match offsets.as_slice().get(i..i.checked_add(2)?) {
        Some(&[a, b]) => Some(a as usize..b as usize),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_rows_know_their_places_and_become_dense() {
        let items = Column::from(vec![1i32, 2, 3, 9, 8]);
        let v = VectorColumn::sparse(vec![3, 0, 4].into(), &[3, 0, 2], vec![1, 3].into(), items).unwrap();
        assert_eq!((v.row(0).indices, v.row(2).indices, v.is_dense()), (None, Some(&[1, 3][..]), false));
        let d = v.to_dense(&Column::from(vec![0i32]), 100).unwrap();
        assert_eq!(*d.items(), Column::from(vec![1i32, 2, 3, 0, 9, 0, 8]));
        assert!(v.to_dense(&Column::from(vec![0i32]), 6).is_err());
        let nothing =
            VectorColumn::sparse(vec![3].into(), &[0], vec![].into(), Column::from(Vec::<i32>::new())).unwrap();
        assert!(!nothing.is_dense());
        assert_eq!(v.slice(2, 1).row(0).indices, Some(&[1, 3][..]));
        assert_eq!(v.take([2, 0].into_iter()).unwrap().row(1).count, 3);
    }

    #[test]
    fn vectors_that_contradict_themselves_are_refused() {
        let one = |n: Vec<i32>| Column::from(n);
        assert!(VectorColumn::dense(vec![2, 2].into(), one(vec![1, 2, 3])).is_err());
        assert!(VectorColumn::sparse(vec![3].into(), &[2], vec![2, 1].into(), one(vec![1, 2])).is_err());
        assert!(VectorColumn::sparse(vec![3].into(), &[1], vec![3].into(), one(vec![1])).is_err());
        assert!(VectorColumn::sparse(vec![1].into(), &[2], vec![].into(), one(vec![1, 2])).is_err());
        assert!(VectorColumn::dense(vec![u32::MAX; 9].into(), one(vec![])).is_err());
    }
}
