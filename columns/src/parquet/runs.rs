//! Which page of a column holds which rows: as the file's own index of pages says it, or found by passing from the header of one
//! page to that of the next.

use std::ops::Range;

use forebay::{Error, Result};

use super::pages::Page;
use crate::{
    codes,
    thrift::{Compact, LIST, STRUCT},
};

/// The encodings whose values are numbers of a dictionary: PLAIN_DICTIONARY and RLE_DICTIONARY.
const OF_DICTIONARIES: [i64; 2] = [2, 8];

/// Bytes behind a dictionary in which pages are looked for that need it, where nothing says which do: such pages hold numbers, and
/// take little room.
const NUMBERS: u64 = 1 << 20;

/// Pages that are read together: mostly one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// Where they lie in the file.
    pub bytes: Range<u64>,
    /// Their rows, counted from the first of the row group.
    pub rows: Range<u64>,
    /// Whether their values are in the dictionary of the chunk.
    pub by_dictionary: bool,
}

/// The pages of one column in one row group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Runs {
    /// In the order of their rows, without gaps.
    pub all: Vec<Run>,
    /// Where the dictionary lies.
    pub dictionary: Option<Range<u64>>,
}

impl Runs {
    /// The number of the run that holds a row.
    pub fn position(&self, row: u64) -> Option<usize> {
        let at = self.all.partition_point(|run| run.rows.end <= row);
        self.all.get(at).filter(|run| run.rows.contains(&row)).map(|_| at)
    }

    /// The bytes that a run is read from: it, and the dictionary in front where it needs that.
    pub fn bytes(&self, run: &Run) -> Range<u64> {
        match &self.dictionary {
            Some(dictionary) if run.by_dictionary => dictionary.start.min(run.bytes.start)..run.bytes.end,
            _ => run.bytes.clone(),
        }
    }

    /// All pages together, for a column of which no page says how many rows it has.
    pub fn whole(chunk: &Range<u64>, rows: u64) -> Runs {
        let run = Run { bytes: chunk.clone(), rows: 0..rows, by_dictionary: false };
        Runs { all: vec![run], dictionary: None }
    }

    /// What the file's index of pages says. Every page is said to lie behind the one before; `None` if the index does not hold
    /// together, for the pages are found without it too.
    pub fn of_index(index: &[u8], chunk: &Range<u64>, rows: u64, some: Dictionaries) -> Option<Runs> {
        let (mut c, mut last) = (Compact(index), 0);
        let n = loop {
            match c.field(&mut last)?? {
                (1, LIST) => break c.list().filter(|(_, kind)| *kind == STRUCT)?.0,
                (_, kind) => c.skip(kind)?,
            }
        };
        // A place takes four bytes.
        let mut places: Vec<(Range<u64>, u64)> = Vec::with_capacity(usize::try_from(n).ok()?.min(index.len() / 4));
        for _ in 0..n {
            let (mut last, mut place) = (0, [None; 3]);
            while let Some((number, kind)) = c.field(&mut last)? {
                match (usize::try_from(number - 1).ok().and_then(|i| place.get_mut(i)), kind) {
                    (Some(value), 5 | 6) => *value = Some(u64::try_from(c.zigzag()?).ok()?),
                    (_, kind) => c.skip(kind)?,
                }
            }
            let [Some(at), Some(len), Some(first)] = place else { return None };
            let end = at.checked_add(len)?;
            let (start, before) = places.last().map_or((chunk.start, None), |(range, row)| (range.end, Some(*row)));
            let follows = at >= start && end <= chunk.end && len > 0;
            if !follows || before.map_or(first != 0, |before| first < before) || first > rows {
                return None;
            }
            places.push((at..end, first));
        }
        let front = chunk.start..places.first().map_or(chunk.end, |(range, _)| range.start);
        let dictionary = (!front.is_empty() && some != Dictionaries::None).then_some(front);
        let ends = places.iter().skip(1).map(|(_, first)| *first).chain([rows]);
        let mut runs = Runs { all: Vec::with_capacity(places.len()), dictionary };
        for ((bytes, first), end) in places.iter().cloned().zip(ends) {
            let by_dictionary = match (&runs.dictionary, some) {
                (None, _) | (_, Dictionaries::None) => false,
                (_, Dictionaries::All) => true,
                (Some(dictionary), Dictionaries::Some) => bytes.start - dictionary.end < NUMBERS,
            };
            // A page of no rows says nothing.
            if first < end {
                runs.all.push(Run { bytes, rows: first..end, by_dictionary });
            }
        }
        (rows == 0 || !runs.all.is_empty()).then_some(runs)
    }
}

/// Which pages of a chunk need its dictionary, as far as its statistics say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dictionaries {
    /// None.
    None,
    /// Some: those in front, until the dictionary was full.
    Some,
    /// All.
    All,
}

/// Passes from header to header.
#[derive(Clone, Debug)]
pub(super) struct Walker {
    chunk: Range<u64>,
    rows: u64,
    /// One row may have several values.
    repeated: bool,
    at: u64,
    row: u64,
    found: Runs,
}

impl Walker {
    /// From the first page of a chunk.
    pub fn new(chunk: Range<u64>, rows: u64, repeated: bool) -> Walker {
        Walker { at: chunk.start, chunk, rows, repeated, row: 0, found: Runs::default() }
    }

    /// Where the next header begins; `None` behind the last.
    pub fn next(&self) -> Option<u64> {
        (self.at < self.chunk.end && self.row < self.rows).then_some(self.at)
    }

    /// Takes what the header there says; it has so many bytes.
    pub fn take(&mut self, page: &Page, header: usize) -> Result<()> {
        let end = self.at.checked_add(header as u64).and_then(|at| at.checked_add(page.stored));
        let end = end.filter(|end| *end <= self.chunk.end).ok_or_else(|| {
            let bytes = page.stored;
            damaged(format!("a page of {bytes} bytes does not fit into what its column has")).offset(self.at)
        })?;
        let bytes = self.at..end;
        self.at = end;
        if page.dictionary {
            self.found.dictionary = Some(bytes);
            return Ok(());
        }
        let Some(encoding) = page.encoding else { return Ok(()) };
        if self.repeated && page.rows.is_none() {
            // Only the levels inside say where rows begin, and a row may go on in the next page.
            (self.found, self.row) = (Runs::whole(&self.chunk, self.rows), self.rows);
            return Ok(());
        }
        let rows = page.rows.unwrap_or(page.values);
        let rows = self.row..self.row.saturating_add(rows).min(self.rows);
        self.row = rows.end;
        if !rows.is_empty() {
            self.found.all.push(Run { bytes, rows, by_dictionary: OF_DICTIONARIES.contains(&encoding) });
        }
        Ok(())
    }

    /// The pages that were passed.
    pub fn finish(self) -> Result<Runs> {
        if self.row < self.rows {
            let (row, rows) = (self.row, self.rows);
            let message = format!("the pages of a column have {row} rows, and its row group declares {rows}");
            return Err(damaged(message).offset(self.chunk.start));
        }
        Ok(self.found)
    }
}

fn damaged(message: String) -> Error {
    Error::new(&codes::ARROW, message).section("page")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(out: &mut Vec<u8>, head: u8, value: i64) {
        out.push(head);
        let mut n = (value << 1 ^ value >> 63) as u64;
        while n > 0x7f {
            out.push(n as u8 | 0x80);
            n >>= 7;
        }
        out.push(n as u8);
    }

    /// An index of pages: where each lies, its bytes and its first row.
    fn index(pages: &[(i64, i64, i64)]) -> Vec<u8> {
        let mut out = vec![0x19, (pages.len() as u8) << 4 | STRUCT];
        for &(at, len, first) in pages {
            put(&mut out, 0x16, at);
            put(&mut out, 0x15, len);
            put(&mut out, 0x16, first);
            out.push(0);
        }
        out.push(0);
        out
    }

    #[test]
    fn an_index_tells_the_pages_and_one_that_contradicts_itself_is_not_believed() {
        let of = |pages: &[(i64, i64, i64)], some| Runs::of_index(&index(pages), &(100..200), 10, some);
        let runs = of(&[(110, 20, 0), (130, 30, 4), (160, 40, 9)], Dictionaries::All).unwrap();
        assert_eq!(runs.dictionary, Some(100..110));
        assert_eq!([0, 3, 4, 9, 10].map(|row| runs.position(row)), [Some(0), Some(0), Some(1), Some(2), None]);
        assert_eq!(runs.bytes(&runs.all[1]), 100..160);
        let plain = of(&[(110, 20, 0), (130, 30, 4), (160, 40, 9)], Dictionaries::None).unwrap();
        assert_eq!(plain.bytes(&plain.all[1]), 130..160);
        for wrong in [
            &[(110, 20, 1)][..],
            &[(110, 20, 0), (129, 30, 4)],
            &[(110, 20, 0), (130, 30, 4), (160, 41, 9)],
            &[(110, 20, 0), (130, 30, 11)],
            &[(110, 20, 0), (130, 30, 4), (160, 40, 3)],
            &[(110, 0, 0)],
            &[(99, 20, 0)],
            &[(-110, 20, 0)],
            &[],
        ] {
            assert_eq!(of(wrong, Dictionaries::None), None, "{wrong:?}");
        }
        let whole = index(&[(110, 20, 0), (130, 30, 4)]);
        (0..whole.len() - 1).for_each(|n| drop(Runs::of_index(&whole[..n], &(100..200), 10, Dictionaries::Some)));
    }

    #[test]
    fn headers_tell_the_pages_where_there_is_no_index() {
        let page = |stored, values, encoding| Page { stored, values, encoding: Some(encoding), ..Page::default() };
        let dictionary = Page { stored: 8, values: 2, dictionary: true, ..Page::default() };
        let mut walker = Walker::new(100..200, 10, false);
        for (page, at) in [(&dictionary, 100), (&page(20, 4, 8), 110), (&page(30, 6, 0), 132)] {
            assert_eq!(walker.next(), Some(at));
            walker.take(page, 2).unwrap();
        }
        assert_eq!(walker.next(), None);
        let runs = walker.finish().unwrap();
        assert_eq!((runs.bytes(&runs.all[0]), runs.bytes(&runs.all[1])), (100..132, 132..164));
        let mut short = Walker::new(100..200, 10, false);
        short.take(&page(20, 4, 0), 2).unwrap();
        assert!(short.clone().take(&page(77, 4, 0), 2).is_err(), "it ends after the chunk");
        assert!(short.finish().is_err());
        let mut lists = Walker::new(100..200, 10, true);
        lists.take(&page(20, 40, 0), 2).unwrap();
        assert_eq!((lists.next(), lists.finish().unwrap()), (None, Runs::whole(&(100..200), 10)));
    }
}
