//! Texts that repeat, numbered in the order of their first use.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::{
    error::Result,
    table::{Binary, Bitmap, DictStrings, StringsBuilder},
};

/// Rows after which it is first asked whether a dictionary is still worth while.
const PROBE_ROWS: usize = 8192;

/// A dictionary and what each row has of it.
#[derive(Debug)]
pub(super) struct Dictionary {
    pub entries: Binary,
    pub indices: Vec<u32>,
    /// How many different texts there are among the rows that exist.
    pub distinct: u64,
    /// The entry that is there only because missing rows need one.
    pub filler: Option<usize>,
}

impl Dictionary {
    /// Numbers the texts. `limit` is the size that the column would have without a dictionary: `None` is
    /// returned once it is clear that a dictionary would be no smaller.
    pub fn build(values: &Binary, validity: Option<&Bitmap>, limit: Option<usize>) -> Result<Option<Self>> {
        let rows = values.len();
        let hasher = DefaultHashBuilder::default();
        let mut table: HashTable<(u32, u64)> = HashTable::with_capacity(1024);
        let mut entries = StringsBuilder::default();
        // The entries are compared where they stand among the rows, so that no copy is needed to look.
        let mut first_rows: Vec<u32> = Vec::new();
        let mut indices = Vec::with_capacity(rows);
        let mut empty_is_used = false;
        for (row, s) in values.iter().enumerate() {
            let valid = validity.is_none_or(|v| v.get(row));
            let s = if valid { s } else { &[] };
            empty_is_used |= valid && s.is_empty();
            let hash = hasher.hash_one(s);
            let same = |&(n, h): &(u32, u64)| {
                h == hash && first_rows.get(n as usize).is_some_and(|&r| stands(values, validity, r as usize) == s)
            };
            let n = match table.find(hash, same) {
                Some(&(n, _)) => n,
                None => {
                    let n = first_rows.len() as u32;
                    table.insert_unique(hash, (n, hash), |&(_, h)| h);
                    first_rows.push(row as u32);
                    entries.push_bytes(s)?;
                    n
                }
            };
            indices.push(n);
            if (row + 1) % PROBE_ROWS == 0
                && let Some(limit) = limit
                && Self::is_hopeless(entries.data_len() + entries.len(), first_rows.len(), row + 1, rows, limit)
            {
                return Ok(None);
            }
        }
        let entries = entries.finish_binary();
        let size = entries.data().len() + entries.len() + rows * super::decode::index_width(entries.len());
        if limit.is_some_and(|limit| size >= limit) {
            return Ok(None);
        }
        let filler =
            (validity.is_some() && !empty_is_used).then(|| entries.iter().position(<[u8]>::is_empty)).flatten();
        let distinct = entries.len() as u64 - u64::from(filler.is_some());
        Ok(Some(Dictionary { entries, indices, distinct, filler }))
    }

    /// True where the dictionary so far is already too large, or grows so fast that it will be.
    fn is_hopeless(bytes: usize, entries: usize, seen: usize, rows: usize, limit: usize) -> bool {
        let certain = bytes + rows * super::decode::index_width(entries);
        let nearly_all_differ = entries > seen / 10 * 9;
        let projected = bytes as f64 * (rows as f64 / seen as f64);
        certain >= limit || nearly_all_differ && projected + rows as f64 > limit as f64
    }

    /// What a column already knows.
    pub fn from_column(column: &DictStrings) -> Self {
        let entries = column.values().as_binary().clone();
        let indices: Vec<u32> = (0..column.len()).map(|i| column.indices().get(i) as u32).collect();
        let mut used = vec![false; entries.len()];
        for &i in &indices {
            if let Some(u) = used.get_mut(i as usize) {
                *u = true;
            }
        }
        let distinct = used.iter().filter(|u| **u).count() as u64;
        Dictionary { entries, indices, distinct, filler: None }
    }
}

fn stands<'a>(values: &'a Binary, validity: Option<&Bitmap>, row: usize) -> &'a [u8] {
    if validity.is_none_or(|v| v.get(row)) { values.get(row) } else { &[] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Strings;

    #[test]
    fn entries_stand_in_the_order_of_first_use() {
        let s: Strings = ["b", "a", "b", "", "a"].into_iter().collect();
        let d = Dictionary::build(s.as_binary(), None, None).unwrap().unwrap();
        assert_eq!(d.indices, [0, 1, 0, 2, 1]);
        assert_eq!(d.entries.iter().collect::<Vec<_>>(), [b"b".as_slice(), b"a", b""]);
        let validity: Bitmap = [true, true, true, false, true].into_iter().collect();
        let d = Dictionary::build(s.as_binary(), Some(&validity), None).unwrap().unwrap();
        assert_eq!((d.distinct, d.filler), (2, Some(2)));
    }

    #[test]
    fn texts_that_hardly_repeat_get_no_dictionary() {
        let s: Strings = (0..20_000).map(|i| format!("text number {i}")).collect();
        let limit = Some(s.as_binary().used().len() + s.len());
        assert!(Dictionary::build(s.as_binary(), None, limit).unwrap().is_none());
        assert_eq!(Dictionary::build(s.as_binary(), None, None).unwrap().unwrap().distinct, 20_000);
    }
}
