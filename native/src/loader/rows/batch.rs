//! A batch of rows.

use forebay::{Error, Result, order::Item};

use super::{
    super::{Tensor, codes},
    numbers::Numbers,
};

/// Rows, ready for training: a tensor for each column.
#[derive(Debug)]
pub struct RowBatch {
    pub(super) epoch: u64,
    pub(super) step: u64,
    pub(super) items: Vec<Item>,
    pub(super) columns: Vec<(String, RowColumn)>,
}

impl RowBatch {
    /// How many samples: rows, or windows of them.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// True without samples.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// The epoch that it belongs to.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }
    /// Which step of its epoch it is.
    pub fn step(&self) -> u64 {
        self.step
    }
    /// Where each sample comes from, and which only fill the tail.
    pub fn items(&self) -> &[Item] {
        &self.items
    }
    /// The columns with their names, in the order in which they were asked for.
    pub fn columns(&self) -> impl Iterator<Item = (&str, &RowColumn)> {
        self.columns.iter().map(|(name, column)| (name.as_str(), column))
    }
    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<&RowColumn> {
        self.columns.iter().find(|(known, _)| known == name).map(|(_, column)| column)
    }
}

/// One column of a batch.
#[derive(Debug)]
pub struct RowColumn {
    pub(super) values: Numbers,
    pub(super) shape: Vec<usize>,
    pub(super) offsets: Option<Vec<i64>>,
    pub(super) there: Option<Vec<u8>>,
    pub(super) is_text: bool,
}

impl RowColumn {
    /// The numbers: whole ones and times `i64`, floats `f32`, truth values and bytes `u8`; 0 where a value is missing.
    pub fn values(&self) -> Tensor<'_> {
        match &self.values {
            Numbers::I64(all) => Tensor::I64(all),
            Numbers::F32(all) => Tensor::F32(all),
            Numbers::U8(all) => Tensor::U8(all),
        }
    }
    /// The samples first, then the rows of a window, then the dimensions of vectors. Where rows have any number of values, how
    /// many there are in all.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }
    /// Where rows begin and the last one ends, for rows with any number of values: text, bytes, vectors.
    pub fn offsets(&self) -> Option<&[i64]> {
        self.offsets.as_deref()
    }
    /// 1 for each row that has a value and 0 for the others; none in a column in which no value is missing.
    pub fn mask(&self) -> Option<&[u8]> {
        self.there.as_deref()
    }
    /// The text of each row.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let bytes = match &self.values {
            Numbers::U8(all) if self.is_text => all.as_slice(),
            _ => &[],
        };
        let offsets = self.offsets.as_deref().filter(|_| self.is_text).unwrap_or_default();
        offsets.array_windows::<2>().map(move |[from, to]| {
            let part = usize::try_from(*from).ok().zip(usize::try_from(*to).ok());
            let part = part.and_then(|(from, to)| bytes.get(from..to)).unwrap_or_default();
            std::str::from_utf8(part).unwrap_or_default()
        })
    }

    /// Tokens and other whole numbers brought to the length of the longest row of the batch, but at most `most`: the
    /// numbers, `[n, length]`, what is in front of `most` where there are more; 1 where there is one, and the length.
    pub fn padded(&self, fill: i64, most: usize) -> Result<(Vec<i64>, Vec<u8>, usize)> {
        let (Numbers::I64(all), Some(offsets)) = (&self.values, &self.offsets) else {
            let message = "only rows with any number of whole numbers are padded";
            return Err(Error::new(&codes::SETTINGS, message));
        };
        let at = |offset: i64| usize::try_from(offset).unwrap_or(0).min(all.len());
        let rows = || offsets.array_windows::<2>().map(|[from, to]| &all[at(*from)..at(*to).max(at(*from))]);
        let longest = rows().map(<[i64]>::len).max().unwrap_or(0).min(most);
        let (mut values, mut mask) = (Vec::new(), Vec::new());
        for row in rows() {
            let kept = row.get(..row.len().min(longest)).unwrap_or_default();
            values.extend_from_slice(kept);
            mask.extend(std::iter::repeat_n(1, kept.len()));
            values.extend(std::iter::repeat_n(fill, longest - kept.len()));
            mask.extend(std::iter::repeat_n(0, longest - kept.len()));
        }
        Ok((values, mask, longest))
    }
}
