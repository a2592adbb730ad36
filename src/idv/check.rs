//! Every fault of a file: tables, annotations, and each block of each column.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use bytes::Bytes;

use super::{
    codes,
    file::{Column, Decoded, File},
    raw::TAIL_BYTES,
};
use crate::{
    check::Report,
    codec::deflate::Inflater,
    error::{Code, Error, Result},
    step::{Pieces, Step, Stepper},
    table::{self, ColumnData},
};

/// Stored bytes that are asked for at a time.
const WINDOW: u64 = 8 << 20;
/// Blocks that are asked for at a time.
const WINDOW_BLOCKS: usize = 4096;

/// Checks an opened file, in windows of bounded size. What concerns one column or block is reported and gone past.
///
/// For every fault of a file it was opened to [keep going](super::Opener::keep_going); damage to the header or the table of
/// contents then is an error, of which [`Opener::report`](super::Opener::report) makes a report.
///
/// ```
/// use forebay::{idv::{Checker, Opener, WriteOptions, Writer}, step::drive, table::{DataType, Field, Schema}};
/// let schema = Schema::new(vec![Field::new("id", DataType::U32)])?;
/// let mut bytes = Vec::new();
/// let header = Writer::new(schema.into(), WriteOptions::default())?.finish(&mut bytes)?;
/// bytes[..256].copy_from_slice(&header);
/// let bytes = bytes::Bytes::from(bytes);
/// let file = drive(Opener::new(bytes.len() as u64).keep_going(), &bytes)?;
/// assert!(drive(Checker::new(file), &bytes)?.ok);
/// # Ok::<(), forebay::Error>(())
/// ```
#[derive(Debug)]
pub struct Checker {
    file: Arc<File>,
    report: Report,
    pieces: Pieces,
    inflater: Inflater,
    /// The next block, and within it the next column.
    next: (u64, usize),
    /// Blocks that some lookup table lists, found once: it takes a look at every column.
    listed: u64,
    /// What was seen of each column that is not a fault: how often, and where first.
    seen: BTreeMap<(usize, &'static str), Seen>,
}

#[derive(Debug)]
struct Seen {
    code: &'static Code,
    message: &'static str,
    times: u64,
    first_block: u64,
}

impl Checker {
    /// Checks this file.
    pub fn new(file: File) -> Self {
        let mut report = Report::new(file.rows());
        file.faults.iter().for_each(|e| report.fault(e));
        let end = file.header.tail_offset.saturating_add(TAIL_BYTES);
        if end < file.file_len {
            let message = format!("{} bytes after the tail signature", file.file_len - end);
            report.note(&Error::new(&codes::TRAILING, message).section("tail").offset(end));
        }
        report.notes.extend(file.notes.iter().cloned());
        file.columns.iter().filter_map(odd_annotation).for_each(|e| report.note(&e));
        let listed = file.listed_blocks();
        Checker {
            file: Arc::new(file),
            report,
            pieces: Pieces::default(),
            inflater: Inflater::default(),
            next: (0, 0),
            listed,
            seen: BTreeMap::new(),
        }
    }

    /// Rows checked so far.
    pub fn checked(&self) -> u64 {
        self.file.rows_of(self.next.0).start
    }

    /// The blocks from `next` on that fit a window: what to read, and where the window ends.
    fn window(file: &File, listed: u64, mut next: (u64, usize)) -> ((u64, usize), Vec<Range<u64>>) {
        let (mut ranges, mut bytes, mut blocks) = (Vec::new(), 0, 0);
        while next.0 < listed && bytes < WINDOW && blocks < WINDOW_BLOCKS {
            if let Ok(entry) = file.entry(next.1, next.0)
                && file.live(next.1).is_ok()
                && entry.stored_bytes > 0
            {
                bytes += u64::from(entry.stored_bytes);
                ranges.push(entry.range());
            }
            blocks += 1;
            next = after(file, next);
        }
        (next, ranges)
    }

    fn look(&mut self, file: &File, end: (u64, usize)) -> Option<Vec<Range<u64>>> {
        while self.next != end {
            let (block, column) = self.next;
            let first = file.rows_of(block).start;
            match file.entry(column, block) {
                Err(_) if file.column(column).is_ok_and(|c| c.lookup.is_none()) => {}
                Err(e) => self.report.fault(&e.row(first)),
                Ok(entry) if file.live(column).is_ok() => {
                    let Some(stored) = self.pieces.get(entry.range()) else {
                        return Some(self.pieces.lacking(entry.range()));
                    };
                    match file.decode_block(column, block, &stored, &mut self.inflater) {
                        Err(e) => self.report.fault(&e.row(first)),
                        Ok(values) => self.odd_values(file, column, block, &values),
                    }
                }
                Ok(_) => {}
            }
            self.next = after(file, self.next);
        }
        None
    }

    fn odd_values(&mut self, file: &File, column: usize, block: u64, values: &Decoded) {
        let Ok((_, live)) = file.live(column) else { return };
        let mut note = |code: &'static Code, message, times: u64| {
            if times > 0 {
                let new = Seen { code, message, times: 0, first_block: block };
                self.seen.entry((column, message)).or_insert(new).times += times;
            }
        };
        let losses = values.losses;
        note(&codes::TEXT_REPLACED, "blocks with malformed UTF-8, replaced by U+FFFD", losses.malformed.into());
        note(&codes::TEXT_REPLACED, "texts that end inside a surrogate pair, now U+FFFD", losses.split_pairs);
        note(&codes::OLD_MISSING, "values marked as missing, which read as empty, false or 0", losses.missing);
        if let Some(count) = live.codec.item.key_count {
            note(&codes::KEY_RANGE, "keys over the column's count", over(&values.column, count));
        }
    }

    fn finish(&mut self, file: &File) -> Report {
        for ((column, _), seen) in std::mem::take(&mut self.seen) {
            let name = file.columns.get(column).map(|c| c.name.clone()).unwrap_or_default();
            let e = Error::new(seen.code, format!("{} {}", seen.times, seen.message));
            self.report.note(&e.section("block").column(name).block(seen.first_block));
        }
        std::mem::take(&mut self.report)
    }
}

impl Stepper for Checker {
    type Output = Report;

    fn step(&mut self) -> Result<Step<Report>> {
        let file = Arc::clone(&self.file);
        loop {
            let (end, ranges) = Self::window(&file, self.listed, self.next);
            let lacking: Vec<_> = ranges.into_iter().flat_map(|r| self.pieces.lacking(r)).collect();
            if !lacking.is_empty() {
                return Ok(Step::Need(lacking));
            }
            if let Some(lacking) = self.look(&file, end) {
                return Ok(Step::Need(lacking));
            }
            self.pieces = Pieces::default();
            // What no table lists was reported with the table, once and not for each of the blocks that it claims.
            if self.next.0 >= self.listed {
                return Ok(Step::Done(self.finish(&file)));
            }
        }
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }
}

fn after(file: &File, (block, column): (u64, usize)) -> (u64, usize) {
    if column + 1 < file.columns.len() { (block, column + 1) } else { (block + 1, 0) }
}

/// How many keys are over the count.
fn over(keys: &table::Column, count: u64) -> u64 {
    let times = match keys.data() {
        ColumnData::U8(v) => v.iter().filter(|&&k| u64::from(k) > count).count(),
        ColumnData::U16(v) => v.iter().filter(|&&k| u64::from(k) > count).count(),
        ColumnData::U32(v) => v.iter().filter(|&&k| u64::from(k) > count).count(),
        ColumnData::U64(v) => v.iter().filter(|&&k| k > count).count(),
        ColumnData::Vector(v) => return over(v.items(), count),
        _ => 0,
    };
    times as u64
}

/// Names of slots or values of keys that are not as many as there are slots or keys. ML.NET does not look.
fn odd_annotation(column: &Column) -> Option<Error> {
    let codec = &column.live.as_ref()?.codec;
    let slots = codec.vector_size().filter(|&n| n > 0).map(u64::from);
    let odd = |kind: &str, expected: Option<u64>| {
        let (expected, ColumnData::Vector(v)) = (expected?, column.annotation(kind)?.data()) else { return None };
        let found = u64::from(v.row(0).len);
        let message = format!("{kind} has {found} slots for {expected}");
        (found != expected).then(|| Error::new(&codes::ANNOTATION_SIZE, message).section("annotations"))
    };
    let e = odd("SlotNames", slots).or_else(|| odd("KeyValues", codec.item.key_count))?;
    Some(e.column(&column.name))
}
