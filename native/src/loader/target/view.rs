//! What a batch shows of its targets.

use super::{
    TargetKind,
    column::{Column, Filled},
};
use crate::loader::Tensor;

/// One target of the samples of a batch, without copying.
#[derive(Clone, Copy, Debug)]
pub struct TargetView<'a> {
    kind: TargetKind,
    samples: usize,
    columns: &'a [Column],
    filled: &'a [Filled],
}

impl<'a> TargetView<'a> {
    pub(in crate::loader) fn new(
        kind: TargetKind,
        samples: usize,
        columns: &'a [Column],
        filled: &'a [Filled],
    ) -> TargetView<'a> {
        TargetView { kind, samples, columns, filled }
    }

    /// What it is.
    pub fn kind(&self) -> TargetKind {
        self.kind
    }

    /// The numbers, as [`TargetKind`] says them; of text its bytes.
    pub fn values(&self) -> Tensor<'a> {
        self.part("").map_or(Tensor::U8(&[]), |(values, _)| values)
    }
    /// The shape of the values: the samples, or, where these have any number of rows and are not padded, all rows, first.
    pub fn shape(&self) -> Vec<usize> {
        self.part("").map(|(_, shape)| shape).unwrap_or_default()
    }
    /// Where the rows of each sample begin and the last ones end, one more than there are samples, if samples have any
    /// number of rows and are not padded.
    pub fn offsets(&self) -> Option<&'a [i64]> {
        let has_offsets = self.columns.first()?.has_offsets();
        self.filled.first().filter(|_| has_offsets).map(|filled| match filled.offsets() {
            [] => &[0][..],
            offsets => offsets,
        })
    }
    /// Where there is an object, `[n, places]`, or a number that is not [padding](super::Target::padded), `[n, length]`: 1, or 0 where
    /// there is none.
    pub fn mask(&self) -> Option<&'a [u8]> {
        self.part("mask")?.0.u8()
    }
    /// The classes of objects, `[n, places]` or one for each row: -1 where there is no object, or nobody knows its class.
    pub fn classes(&self) -> Option<&'a [i64]> {
        self.part("classes")?.0.i64()
    }
    /// The text of each sample.
    pub fn texts(&self) -> impl Iterator<Item = &'a str> {
        let bytes = if self.kind == TargetKind::Text { self.values().u8().unwrap_or_default() } else { &[] };
        let offsets = if self.kind == TargetKind::Text { self.offsets().unwrap_or_default() } else { &[] };
        offsets.array_windows::<2>().map(move |[from, to]| {
            let part = usize::try_from(*from).ok().zip(usize::try_from(*to).ok());
            let bytes = part.and_then(|(from, to)| bytes.get(from..to)).unwrap_or_default();
            std::str::from_utf8(bytes).unwrap_or_default()
        })
    }

    /// The names of what it has beside its values: `mask`, `classes`.
    pub fn parts(&self) -> impl Iterator<Item = &'static str> {
        self.columns.iter().map(|column| column.part).filter(|part| !part.is_empty())
    }
    /// A part of it by its name, with its shape; the values by an empty one.
    pub fn part(&self, name: &str) -> Option<(Tensor<'a>, Vec<usize>)> {
        let (column, filled) = self.columns.iter().zip(self.filled).find(|(column, _)| column.part == name)?;
        let values = filled.view(column, self.samples);
        let shape = column.shape_of(self.samples, values.len());
        Some((values, shape))
    }
}

/// Brings samples with any number of rows to the length of the longest: `[n, longest, row]`, and that length.
///
/// ```
/// use forebay_native::loader::padded;
/// assert_eq!(padded(&[7, 8, 9], &[0, 2, 2, 3], 1, 0), (vec![7, 8, 0, 0, 9, 0], 2));
/// ```
pub fn padded<T: Copy>(values: &[T], offsets: &[i64], row: usize, fill: T) -> (Vec<T>, usize) {
    let at = |offset: i64| usize::try_from(offset).unwrap_or(0).saturating_mul(row).min(values.len());
    let lengths = offsets.array_windows::<2>().map(|[from, to]| at(*to).saturating_sub(at(*from)));
    let longest = lengths.max().unwrap_or(0);
    let mut all = Vec::with_capacity(longest.saturating_mul(offsets.len().saturating_sub(1)));
    for [from, to] in offsets.array_windows::<2>() {
        let end = all.len() + longest;
        all.extend_from_slice(values.get(at(*from)..at(*to)).unwrap_or_default());
        all.resize(end, fill);
    }
    (all, longest / row.max(1))
}
