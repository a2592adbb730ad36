//! The dictionary of a column of texts, and whether it is worth having.

use super::numbering::Numbering;
use crate::{
    error::Result,
    table::{Binary, Bitmap, Column, DictIndices, DictStrings, Strings, StringsBuilder},
};

/// Rows after which it is first asked whether a dictionary is still worth while.
const PROBE_ROWS: usize = 8192;

/// A dictionary and what each row has of it.
#[derive(Debug)]
pub(super) struct Dictionary {
    pub entries: Binary,
    pub indices: DictIndices,
    /// Which entries some row has; the others are there because missing rows need one, or for nothing.
    pub used: Vec<bool>,
}

impl Dictionary {
    /// Numbers the texts. `limit` is the size that the column would have without a dictionary: `None` is
    /// returned once it is clear that a dictionary would be no smaller.
    pub fn build(values: &Binary, validity: Option<&Bitmap>, limit: Option<usize>) -> Result<Option<Self>> {
        let rows = values.len();
        let mut numbering = Numbering::default();
        let mut indices = Vec::with_capacity(rows);
        let mut empty_is_used = false;
        for (block, offsets) in Blocks::of(values.offsets()) {
            for (i, w) in offsets.windows(2).enumerate() {
                let &[start, end] = w else { continue };
                let valid = validity.is_none_or(|v| v.get(block * PROBE_ROWS + i));
                let end = if valid { end } else { start };
                empty_is_used |= valid && start == end;
                indices.push(numbering.number_within(values.data(), start as usize, end as usize)?);
            }
            let seen = indices.len();
            if seen.is_multiple_of(PROBE_ROWS) && limit.is_some_and(|limit| is_hopeless(&numbering, seen, rows, limit))
            {
                return Ok(None);
            }
        }
        let entries = numbering.finish();
        if limit.is_some_and(|limit| size(entries.data().len(), entries.len(), rows) >= limit) {
            return Ok(None);
        }
        let mut used = vec![true; entries.len()];
        if validity.is_some() && !empty_is_used {
            used.iter_mut().zip(entries.iter()).filter(|(_, s)| s.is_empty()).for_each(|(used, _)| *used = false);
        }
        let indices = DictIndices::narrowest(indices, entries.len());
        Ok(Some(Dictionary { entries, indices, used }))
    }

    /// What a column already knows. Rows that are missing get the empty text.
    pub fn from_column(column: &DictStrings, validity: Option<&Bitmap>) -> Result<Self> {
        let entries = column.values().as_binary().clone();
        let mut used = vec![false; entries.len()];
        let mut mark = |i: usize| {
            if let Some(used) = used.get_mut(i) {
                *used = true;
            }
        };
        let indices = column.indices();
        let Some(validity) = validity else {
            indices.for_each(|_, i| mark(i));
            let indices = match indices.width() == super::decode::index_width(entries.len()) {
                true => indices.clone(),
                false => DictIndices::narrowest(indices.to_vec(), entries.len()),
            };
            return Ok(Dictionary { entries, indices, used });
        };
        indices.for_each(|row, i| {
            if validity.get(row) {
                mark(i);
            }
        });
        let empty = entries.iter().position(<[u8]>::is_empty);
        let (entries, empty) = match empty {
            Some(empty) => (entries, empty),
            None => {
                let mut longer = StringsBuilder::with_capacity(entries.len() + 1, entries.used().len());
                entries.iter().try_for_each(|s| longer.push_bytes(s))?;
                longer.push_bytes(&[])?;
                used.push(false);
                (longer.finish_binary(), entries.len())
            }
        };
        let mut all = indices.to_vec();
        all.iter_mut().enumerate().filter(|(row, _)| !validity.get(*row)).for_each(|(_, n)| *n = empty as u32);
        let indices = DictIndices::narrowest(all, entries.len());
        Ok(Dictionary { entries, indices, used })
    }

    /// How many different texts there are among the rows that exist.
    pub fn distinct(&self) -> u64 {
        self.used.iter().filter(|used| **used).count() as u64
    }
}

/// The offsets of [`PROBE_ROWS`] texts at a time, the end of the last included.
struct Blocks;

impl Blocks {
    fn of(offsets: &[u32]) -> impl Iterator<Item = (usize, &[u32])> {
        let rows = offsets.len().saturating_sub(1);
        (0..rows.div_ceil(PROBE_ROWS)).map(move |block| {
            let start = block * PROBE_ROWS;
            (block, offsets.get(start..=(start + PROBE_ROWS).min(rows)).unwrap_or_default())
        })
    }
}

/// The bytes of a column with a dictionary.
fn size(bytes: usize, entries: usize, rows: usize) -> usize {
    bytes + entries + rows * super::decode::index_width(entries)
}

/// True if the dictionary so far is already too large, or grows so fast that it will be.
fn is_hopeless(numbering: &Numbering, seen: usize, rows: usize, limit: usize) -> bool {
    let bytes = numbering.bytes() + numbering.len();
    let certain = size(numbering.bytes(), numbering.len(), rows);
    let nearly_all_differ = numbering.len() > seen / 10 * 9;
    let projected = bytes as f64 * (rows as f64 / seen as f64);
    certain >= limit || nearly_all_differ && projected + rows as f64 > limit as f64
}

/// Texts as they come, numbered while that is worth while.
#[derive(Debug)]
pub struct TextBuilder {
    /// How many will come.
    rows: usize,
    /// The bytes of all texts.
    bytes: usize,
    numbering: Option<Numbering>,
    indices: Vec<u32>,
    plain: StringsBuilder,
}

impl TextBuilder {
    /// For about this many texts.
    pub(super) fn new(rows: usize) -> Self {
        TextBuilder {
            rows,
            bytes: 0,
            numbering: Some(Numbering::default()),
            indices: Vec::with_capacity(rows),
            plain: StringsBuilder::default(),
        }
    }

    /// Adds texts.
    pub(super) fn extend<'a>(&mut self, texts: impl Iterator<Item = &'a str>) -> Result<()> {
        for s in texts {
            match &mut self.numbering {
                Some(numbering) => self.indices.push(numbering.number(s.as_bytes())?),
                None => self.plain.push(s)?,
            }
            self.bytes += s.len();
            if self.numbering.is_some() && self.indices.len().is_multiple_of(PROBE_ROWS) {
                self.probe()?;
            }
        }
        Ok(())
    }

    #[cold]
    fn probe(&mut self) -> Result<()> {
        let seen = self.indices.len();
        let rows = self.rows.max(seen);
        let limit = (self.bytes as f64 / seen as f64 * rows as f64) as usize + rows;
        match &self.numbering {
            Some(numbering) if is_hopeless(numbering, seen, rows, limit) => self.give_up(),
            _ => Ok(()),
        }
    }

    /// Goes on without a dictionary.
    fn give_up(&mut self) -> Result<()> {
        let Some(numbering) = self.numbering.take() else { return Ok(()) };
        let rows = self.rows.max(self.indices.len());
        self.plain = StringsBuilder::with_capacity(rows, self.bytes);
        std::mem::take(&mut self.indices).into_iter().try_for_each(|n| self.plain.push_bytes(numbering.get(n as usize)))
    }

    /// The column: with a dictionary where that is smaller in a file.
    pub(super) fn finish(mut self) -> Result<Column> {
        let rows = self.indices.len();
        let too_large = |n: &Numbering| size(n.bytes(), n.len(), rows) >= self.bytes + rows;
        if self.numbering.as_ref().is_some_and(too_large) {
            self.give_up()?;
        }
        match self.numbering {
            Some(numbering) => {
                let values = Strings::from_texts(numbering.finish());
                Ok(DictStrings::new(DictIndices::narrowest(self.indices, values.len()), values)?.into())
            }
            None => Ok(self.plain.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_stand_in_the_order_of_first_use() {
        let s: Strings = ["b", "a", "b", "", "a"].into_iter().collect();
        let d = Dictionary::build(s.as_binary(), None, None).unwrap().unwrap();
        assert_eq!(d.indices.to_vec(), [0, 1, 0, 2, 1]);
        assert_eq!(d.entries.iter().collect::<Vec<_>>(), [b"b".as_slice(), b"a", b""]);
        let validity: Bitmap = [true, true, true, false, true].into_iter().collect();
        let d = Dictionary::build(s.as_binary(), Some(&validity), None).unwrap().unwrap();
        assert_eq!((d.distinct(), d.used), (2, vec![true, true, false]));
    }

    #[test]
    fn texts_that_hardly_repeat_get_no_dictionary() {
        let s: Strings = (0..20_000).map(|i| format!("text number {i}")).collect();
        let limit = Some(s.as_binary().used().len() + s.len());
        assert!(Dictionary::build(s.as_binary(), None, limit).unwrap().is_none());
        assert_eq!(Dictionary::build(s.as_binary(), None, None).unwrap().unwrap().distinct(), 20_000);
        let mut builder = TextBuilder::new(20_000);
        builder.extend(s.iter()).unwrap();
        assert_eq!(builder.finish().unwrap(), Column::from(s));
    }

    #[test]
    fn a_dictionary_at_hand_serves_rows_that_are_missing() {
        let mut builder = TextBuilder::new(4);
        builder.extend(["long enough", "again and again", "long enough", "again and again"].into_iter()).unwrap();
        let column = builder.finish().unwrap();
        let crate::table::ColumnData::Dict(d) = column.data() else { panic!("{column:?}") };
        let validity: Bitmap = [true, false, true, false].into_iter().collect();
        let d = Dictionary::from_column(d, Some(&validity)).unwrap();
        assert_eq!((d.indices.to_vec(), d.distinct()), (vec![0, 2, 0, 2], 1));
        assert_eq!(d.entries.get(2), b"");
    }
}
