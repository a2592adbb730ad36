//! The records of a CSV text, with what is needed to tell a missing value from an empty text: which fields
//! stood in quotes.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::fields::{Ends, Span};
use crate::{
    error::Result,
    limits::Limits,
    step::Turn,
    text::{chunks::Chunks, cut::newlines},
};

/// Memory that a field takes beside its bytes: where it ends, while it is read and in its record.
const FIELD_COST: usize = 24;

/// One record: its fields, and where it stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    /// All fields, one after the other, without quotes.
    text: Vec<u8>,
    /// Where each field ends, and whether it stood in quotes.
    ends: Vec<(usize, bool)>,
    /// The line on which it begins, from 1.
    pub line: u64,
    /// A quote that opens is never closed.
    pub open: bool,
}

impl Record {
    /// How many fields there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }
    /// The fields, and whether each stood in quotes.
    pub fn fields(&self) -> impl ExactSizeIterator<Item = (&[u8], bool)> {
        let mut start = 0;
        self.ends.iter().map(move |&(end, quoted)| {
            let field = self.text.get(start..end).unwrap_or_default();
            start = end;
            (field, quoted)
        })
    }
    /// The bytes that the record takes in memory.
    pub fn bytes(&self) -> usize {
        self.text.len() + 8 * self.ends.len()
    }
}

/// Reads records one after the other.
pub(super) struct Records {
    core: Reader,
    delimiter: u8,
    /// The bytes of the record in the file, as far as it was read.
    read: u64,
    quotes: Quotes,
    /// Its fields without quotes, as many bytes as `bytes` says.
    text: Vec<u8>,
    /// Where they end, as many as `fields` says.
    ends: Vec<usize>,
    bytes: usize,
    fields: usize,
    /// The line on which reading it began; absent between records.
    begun: Option<u64>,
    /// The mark in front of the text was passed over, if there is one.
    unmarked: bool,
    /// The fields of a record that is read where it lies.
    spans: Vec<Span>,
    limits: Limits,
}

/// A record that is read where it lies, at the front of the bytes in memory.
pub(super) struct InPlace<'a> {
    /// The line on which it begins, from 1.
    pub line: u64,
    pub fields: &'a [Span],
    /// Its bytes with the one that ends it.
    pub read: usize,
}

impl InPlace<'_> {
    /// As [`Record::bytes`].
    pub fn bytes(&self) -> usize {
        self.fields.iter().map(|span| span.end - span.start + 8).sum()
    }
}

impl Records {
    pub fn new(delimiter: u8, limits: &Limits) -> Records {
        let mut core = ReaderBuilder::new().delimiter(delimiter).build();
        let (mut text, mut ends) = (vec![0; 1024], vec![0; 32]);
        // The crate looks for a byte order mark in the first bytes that it sees, and takes bytes that are nothing else
        // for the end of the text. It sees an empty line first, which is not a record; the mark is dealt with here.
        core.read_record(b"\n", &mut text, &mut ends);
        core.set_line(1);
        Records {
            core,
            delimiter,
            read: 0,
            quotes: Quotes::default(),
            text,
            ends,
            bytes: 0,
            fields: 0,
            begun: None,
            unmarked: false,
            spans: Vec::new(),
            limits: limits.clone(),
        }
    }

    /// For the rest of a text from a line on, at the beginning of a record.
    pub fn at_line(delimiter: u8, limits: &Limits, line: u64) -> Records {
        let mut records = Records::new(delimiter, limits);
        records.core.set_line(line);
        records.unmarked = true;
        records
    }

    /// The line on which the next record begins, between records.
    pub fn line(&self) -> u64 {
        self.core.line()
    }
    /// What stands between fields.
    pub fn delimiter(&self) -> u8 {
        self.delimiter
    }
    /// What a record may cost.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The next record where it lies, if it lies in one piece and its quotes are plain; [`next`](Self::next) reads any.
    /// It is the next one until [`passed`](Self::passed).
    pub fn in_place(&mut self, chunks: &mut Chunks) -> Option<InPlace<'_>> {
        if !self.unmarked || self.begun.is_some() {
            return None;
        }
        self.pass_blank_lines(chunks)?;
        let text = chunks.fill()?;
        let most = usize::try_from(self.limits.item_bytes).unwrap_or(usize::MAX);
        let read = 1 + Ends::new(self.delimiter).record(text, &mut self.spans, most / FIELD_COST)?;
        if read + FIELD_COST * self.spans.len() > most {
            return None;
        }
        Some(InPlace { line: self.core.line(), fields: &self.spans, read })
    }

    /// Goes past the record of this many bytes that was read where it lies.
    pub fn passed(&mut self, chunks: &mut Chunks, read: usize) {
        let record = chunks.fill().and_then(|text| text.get(..read)).unwrap_or_default();
        let lines = match self.spans.iter().any(|span| span.quoted) {
            true => newlines(record),
            // Without quotes the only line that can end is its own.
            false => u64::from(record.last() == Some(&b'\n')),
        };
        self.core.set_line(self.core.line() + lines);
        chunks.consume(read);
    }

    /// The next record, into `record`.
    pub fn next(&mut self, chunks: &mut Chunks, record: &mut Record) -> Result<Turn<(), ()>> {
        if !self.unmarked {
            if chunks.skip_mark()?.is_none() {
                return Ok(Turn::Need(()));
            }
            self.unmarked = true;
        }
        if self.begun.is_none() && self.pass_blank_lines(chunks).is_none() {
            return Ok(Turn::Need(()));
        }
        let first_line = *self.begun.get_or_insert_with(|| {
            self.quotes.clear();
            (self.read, self.bytes, self.fields) = (0, 0, 0);
            self.core.line()
        });
        let at_end = loop {
            let Some(input) = chunks.fill() else { return Ok(Turn::Need(())) };
            let at_end = input.is_empty();
            let (text, ends) = (&mut self.text[self.bytes..], &mut self.ends[self.fields..]);
            let (result, read, written, ended) = self.core.read_record(input, text, ends);
            self.quotes.take(&input[..read], self.delimiter);
            self.read += read as u64;
            chunks.consume(read);
            self.bytes += written;
            self.fields += ended;
            // What a record takes: its bytes, and the places of its fields, which may be empty.
            let taken = self.read + (FIELD_COST * self.fields) as u64;
            self.limits.item(taken.min(self.limits.item_bytes.saturating_add(1))).map_err(|e| e.row(first_line))?;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => {
                    let size = self.limits.item(2 * self.text.len() as u64).map_err(|e| e.row(first_line))?;
                    self.text.resize(size, 0);
                }
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::Record => break at_end,
                ReadRecordResult::End => return Ok(Turn::Done),
            }
        };
        self.begun = None;
        record.line = first_line;
        record.text.clear();
        record.text.extend_from_slice(&self.text[..self.bytes]);
        record.ends.clear();
        // An empty field at the end of the text has no byte.
        let quoted = self.quotes.fields.iter().copied().chain(std::iter::repeat(false));
        record.ends.extend(self.ends[..self.fields].iter().copied().zip(quoted));
        record.open = at_end && self.quotes.place == Place::Quoted;
        Ok(Turn::Item(()))
    }
}

impl Records {
    /// Goes past the ends of lines in front of a record, of which there may be any number: nothing of them is kept.
    /// `None` if more bytes must come to tell.
    fn pass_blank_lines(&mut self, chunks: &mut Chunks) -> Option<()> {
        loop {
            let input = chunks.fill()?;
            // Most records begin where the last one ended.
            if input.first().is_some_and(|b| !matches!(b, b'\n' | b'\r')) {
                return Some(());
            }
            let blank = input.iter().take_while(|b| matches!(b, b'\n' | b'\r')).count();
            let lines = input[..blank].iter().filter(|b| **b == b'\n').count() as u64;
            let whole = blank == input.len() && blank > 0;
            self.core.set_line(self.core.line() + lines);
            chunks.consume(blank);
            if !whole {
                return Some(());
            }
        }
    }
}

impl std::fmt::Debug for Records {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Records").field("begun", &self.begun).finish_non_exhaustive()
    }
}

/// Which fields of a record stand in quotes, found out as its bytes come.
#[derive(Default)]
struct Quotes {
    place: Place,
    fields: Vec<bool>,
}

/// Where in a field reading stands.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Start,
    /// Not in quotes, or behind them.
    Plain,
    Quoted,
    /// Behind a quote that closes, if no other follows.
    Closing,
}

impl Quotes {
    fn clear(&mut self) {
        self.place = Place::Start;
        self.fields.clear();
    }

    fn take(&mut self, bytes: &[u8], delimiter: u8) {
        for &byte in bytes {
            if self.place == Place::Start {
                self.fields.push(byte == b'"');
            }
            self.place = match (self.place, byte) {
                (Place::Start | Place::Closing, b'"') => Place::Quoted,
                (Place::Quoted, b'"') => Place::Closing,
                (Place::Quoted, _) => Place::Quoted,
                (_, byte) if byte == delimiter => Place::Start,
                _ => Place::Plain,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Read = (u64, Vec<(String, bool)>, bool);

    fn chunks(text: &str) -> Chunks {
        let mut chunks = Chunks::default();
        chunks.push(text.to_owned().into());
        chunks.end();
        chunks
    }

    fn read(text: &str) -> Vec<Read> {
        let (mut records, mut chunks) = (Records::new(b',', &Limits::host()), chunks(text));
        let (mut record, mut all) = (Record::default(), Vec::new());
        while let Turn::Item(()) = records.next(&mut chunks, &mut record).unwrap() {
            let fields = record.fields().map(|(f, q)| (String::from_utf8(f.to_vec()).unwrap(), q)).collect();
            all.push((record.line, fields, record.open));
        }
        all
    }

    fn plain(fields: &[&str]) -> Vec<(String, bool)> {
        fields.iter().map(|f| (f.to_string(), false)).collect()
    }

    #[test]
    fn quotes_lines_and_blank_lines_are_told_apart() {
        let rows = read("a,b\r\n1,\"\"\r\n\r\n\n\"x\n\"\"y\"\"\",z\n,\n");
        assert_eq!(rows[0], (1, plain(&["a", "b"]), false));
        assert_eq!(rows[1], (2, vec![("1".into(), false), (String::new(), true)], false));
        assert_eq!(rows[2], (5, vec![("x\n\"y\"".into(), true), ("z".into(), false)], false));
        assert_eq!(rows[3], (7, plain(&["", ""]), false));
        assert_eq!(rows.len(), 4);
    }

    #[test]
    fn a_quote_that_never_closes_is_seen() {
        let rows = read("a,b\n1,\"open\n2,3\n");
        assert_eq!((rows.len(), rows[1].2), (2, true));
        assert!(!read("a,\"b\"")[0].2);
    }

    #[test]
    fn a_record_of_nothing_but_fields_is_bounded_too() {
        let limits = Limits::host().with_item_bytes(100_000);
        let mut records = Records::new(b',', &limits);
        let e = records.next(&mut chunks(&",".repeat(5_000)), &mut Record::default()).unwrap_err();
        assert_eq!((e.code().id(), e.place().row), ("limit.item", Some(1)));
        assert_eq!(read(&",".repeat(3_000))[0].1.len(), 3_001);
    }

    #[test]
    fn blank_lines_of_any_number_and_kind_are_counted_and_not_kept() {
        let text = format!("\r\n\n{}a,b\r{}1,2\r\n\r\n", "\n".repeat(70_000), "\r\n".repeat(70_000));
        let (mut records, mut chunks) = (Records::new(b',', &Limits::host()), chunks(&text));
        let mut record = Record::default();
        for line in [70_003, 140_003] {
            assert!(matches!(records.next(&mut chunks, &mut record).unwrap(), Turn::Item(())));
            assert_eq!((record.line, record.len()), (line, 2));
            assert!(records.quotes.fields.len() < 10, "{}", records.quotes.fields.len());
        }
        assert!(matches!(records.next(&mut chunks, &mut record).unwrap(), Turn::Done));
    }

    #[test]
    fn long_fields_grow_up_to_the_limit() {
        let text = "x".repeat(100_000);
        assert_eq!(read(&text)[0].1[0].0.len(), 100_000);
        let limits = Limits::host().with_item_bytes(50_000);
        let mut records = Records::new(b',', &limits);
        assert_eq!(records.next(&mut chunks(&text), &mut Record::default()).unwrap_err().code().id(), "limit.item");
    }
}
