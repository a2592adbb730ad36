//! An Arrow file or stream as the core's table: its batches are the groups.
//!
//! A file says at its end where its batches are, a stream does not: there the descriptions of all messages are walked through,
//! and their bodies gone past. Either way the number of rows stands only in front of each batch.

use std::{
    ops::Range,
    sync::{Arc, Mutex, PoisonError},
};

use arrow_buffer::Buffer;
use arrow_ipc::{MessageHeader, root_as_footer};
use bytes::Bytes;
use forebay::{
    Error, Limits, Result,
    formats::Format,
    step::{Pieces, Step, Stepper},
    table::{Batch, ColumnBuilder, Schema, TableFile},
    tables::{Foreign, OtherTable},
};

use super::{
    damaged,
    messages::{CONTINUATION, Decoder, TAIL, apart, description, footer, parse, places},
};
use crate::{
    arrow::{Changes, Cuts, Unread, read_record_batch},
    codes,
    guard::guarded,
    hugging,
    ranges::Fetched,
};

/// Bytes of the file's end that are read at first, and of a stream from each message on.
const AHEAD: u64 = 64 << 10;

/// Where the parts of a message lie, and how many rows it has.
#[derive(Clone, Debug)]
struct Place {
    head: Range<u64>,
    body: Range<u64>,
    first: u64,
    rows: u64,
}

/// Opens a file or a stream.
pub struct IpcOpener {
    len: u64,
    limits: Limits,
    pieces: Pieces,
    work: Work,
}

impl std::fmt::Debug for IpcOpener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IpcOpener").field("len", &self.len).finish_non_exhaustive()
    }
}

enum Work {
    Footer,
    /// Dictionaries and batches of a file, in the order in which they are read.
    Blocks {
        found: Box<Found>,
        dictionaries: Vec<arrow_ipc::Block>,
        batches: Vec<arrow_ipc::Block>,
    },
    /// A stream up to this place.
    Stream {
        found: Option<Box<Found>>,
        at: u64,
    },
    Ended,
}

/// What is known so far.
struct Found {
    decoder: Decoder,
    batches: Vec<Place>,
    rows: u64,
    stream: bool,
    note: Option<&'static str>,
}

impl Found {
    fn add(&mut self, head: Range<u64>, body: Range<u64>, rows: i64) -> Result<()> {
        let rows = u64::try_from(rows).map_err(|_| damaged(format!("a batch of {rows} rows")).offset(head.start))?;
        let first = self.rows;
        self.rows = first.checked_add(rows).ok_or_else(|| damaged("there are too many rows"))?;
        let memory = (self.batches.len() as u64 + 1) * size_of::<Place>() as u64;
        self.decoder.limits.index(memory)?;
        self.batches.push(Place { head, body, first, rows });
        Ok(())
    }
}

impl IpcOpener {
    /// For a file of this many bytes.
    pub fn file(len: u64, limits: Limits) -> IpcOpener {
        IpcOpener { len, limits, pieces: Pieces::default(), work: Work::Footer }
    }
    /// For a stream of this many bytes.
    pub fn stream(len: u64, limits: Limits) -> IpcOpener {
        IpcOpener { len, limits, pieces: Pieces::default(), work: Work::Stream { found: None, at: 0 } }
    }

    /// What is lacking of these ranges.
    fn lacking(&self, ranges: impl IntoIterator<Item = Range<u64>>) -> Option<Vec<Range<u64>>> {
        let lacking: Vec<_> = ranges.into_iter().flat_map(|range| self.pieces.lacking(range)).collect();
        (!lacking.is_empty()).then_some(lacking)
    }

    fn footer(&mut self) -> Result<Option<Vec<Range<u64>>>> {
        let end = self.len.saturating_sub(AHEAD.max(TAIL))..self.len;
        if let Some(lacking) = self.lacking([end]) {
            return Ok(Some(lacking));
        }
        let place = footer(&Fetched::new(self.len, &self.pieces))?;
        self.limits.metadata(place.end - place.start).map_err(|e| e.section("footer"))?;
        if let Some(lacking) = self.lacking([place.clone()]) {
            return Ok(Some(lacking));
        }
        let bytes = self.pieces.expect(place)?;
        let footer = root_as_footer(&bytes).map_err(|e| damaged(e.to_string()).section("footer"))?;
        let schema = footer.schema().ok_or_else(|| damaged("there is no schema").section("footer"))?;
        let decoder = Decoder::new(schema, &self.limits)?;
        let dictionaries = footer.dictionaries().into_iter().flatten().copied().collect();
        let batches = footer.recordBatches().into_iter().flatten().copied().collect();
        let found = Found { decoder, batches: Vec::new(), rows: 0, stream: false, note: None };
        self.work = Work::Blocks { found: Box::new(found), dictionaries, batches };
        Ok(None)
    }

    /// Reads the dictionaries, and the descriptions of the batches, all at once.
    fn blocks(&mut self) -> Result<Option<Vec<Range<u64>>>> {
        let len = self.len;
        let Work::Blocks { dictionaries, batches, .. } = &self.work else { return Ok(None) };
        apart(dictionaries.iter().chain(batches), len)?;
        let mut wanted = Vec::new();
        for block in dictionaries {
            let (head, body) = places(block, len)?;
            wanted.extend([head, body]);
        }
        for block in batches {
            let head = places(block, len)?.0;
            self.limits.metadata(head.end - head.start)?;
            wanted.push(head);
        }
        wanted.retain(|range| !range.is_empty());
        if let Some(lacking) = self.lacking(wanted) {
            return Ok(Some(lacking));
        }
        let Work::Blocks { found, dictionaries, batches, .. } = &mut self.work else { return Ok(None) };
        for block in dictionaries.iter() {
            let (head, body) = places(block, len)?;
            let at = head.start;
            let text = description(&self.pieces.expect(head)?, at)?;
            let message = parse(&text).map_err(|e| e.offset(at))?;
            if message.header_type() != MessageHeader::DictionaryBatch {
                return Err(damaged("the footer says that a dictionary is here").section("dictionary").offset(at));
            }
            found.decoder.take(message, &Buffer::from(self.pieces.expect(body)?), at)?;
        }
        for block in batches.iter() {
            let (head, body) = places(block, len)?;
            let at = head.start;
            let text = description(&self.pieces.expect(head.clone())?, at)?;
            let message = parse(&text).map_err(|e| e.offset(at))?;
            let Some(batch) = message.header_as_record_batch() else {
                return Err(damaged("the footer says that rows are here").section("record batch").offset(at));
            };
            found.add(head, body, batch.length())?;
        }
        Ok(None)
    }

    /// Walks on through a stream; what is lacking for that.
    fn walk(&mut self) -> Result<std::result::Result<(), Vec<Range<u64>>>> {
        loop {
            let Work::Stream { found, at } = &self.work else { return Ok(Ok(())) };
            let (at, first) = (*at, found.is_none());
            if at == self.len {
                self.end(
                    at,
                    (!first).then_some("the stream has no mark at its end; its writer may have been interrupted"),
                )?;
                return Ok(Ok(()));
            }
            let ahead = at..at.saturating_add(AHEAD).min(self.len);
            if self.pieces.get(at..at.saturating_add(8).min(self.len)).is_none() {
                self.pieces.forget_before(at);
                return Ok(Err(self.pieces.lacking(ahead)));
            }
            let word = |from: u64| {
                let bytes = self.pieces.get(from..from.saturating_add(4).min(self.len))?;
                bytes.first_chunk::<4>().copied()
            };
            let cut = || damaged("the stream ends in the middle of a message").offset(self.len);
            let mark = word(at).ok_or_else(cut)?;
            let (prefix, length) = match mark == CONTINUATION {
                true => (8, word(at + 4).ok_or_else(cut)?),
                false => (4, mark),
            };
            let length = u64::from(u32::from_le_bytes(length));
            if length == 0 {
                let odd = at + prefix < self.len;
                self.end(at, odd.then_some("bytes follow the end of the stream, and are not read"))?;
                return Ok(Ok(()));
            }
            self.limits.metadata(length).map_err(|e| e.offset(at))?;
            let head = at..at + prefix + length;
            if head.end > self.len {
                return Err(cut());
            }
            let Some(text) = self.pieces.get(head.start + prefix..head.end) else {
                return Ok(Err(self.pieces.lacking(head.start..head.end.max(ahead.end))));
            };
            let message = parse(&text).map_err(|e| e.offset(at))?;
            let length = u64::try_from(message.bodyLength()).ok().and_then(|n| head.end.checked_add(n));
            let Some(end) = length.filter(|&end| end <= self.len) else { return Err(cut()) };
            let body = head.end..end;
            let is_dictionary = message.header_type() == MessageHeader::DictionaryBatch;
            if is_dictionary && let Some(lacking) = self.lacking(Some(body.clone()).filter(|body| !body.is_empty())) {
                return Ok(Err(lacking));
            }
            let Work::Stream { found, at: next } = &mut self.work else { return Ok(Ok(())) };
            match found {
                None => {
                    let schema = message.header_as_schema();
                    let schema = schema.ok_or_else(|| damaged("the stream does not begin with its schema"))?;
                    let decoder = Decoder::new(schema, &self.limits)?;
                    let note = None;
                    *found = Some(Box::new(Found { decoder, batches: Vec::new(), rows: 0, stream: true, note }));
                }
                Some(found) if is_dictionary => {
                    let more = message.header_as_dictionary_batch().is_some_and(|batch| !batch.isDelta());
                    if more && !found.batches.is_empty() {
                        let message = "a dictionary that takes the place of another between rows is not read here; \
                                       the command reads the stream from front to back";
                        return Err(Error::new(&codes::ROUTE, message).section("dictionary").offset(at));
                    }
                    found.decoder.take(message, &Buffer::from(self.pieces.expect(body.clone())?), at)?;
                }
                Some(found) => match message.header_as_record_batch() {
                    Some(batch) => found.add(head, body.clone(), batch.length())?,
                    None => return Err(damaged("a message that has no rows").section("record batch").offset(at)),
                },
            }
            *next = body.end;
        }
    }

    fn end(&mut self, at: u64, note: Option<&'static str>) -> Result<()> {
        match &mut self.work {
            Work::Stream { found: Some(found), .. } => {
                found.note = note;
                Ok(())
            }
            _ => Err(damaged("the stream has no schema").section("schema").offset(at)),
        }
    }
}

impl Stepper for IpcOpener {
    type Output = IpcTable;

    fn step(&mut self) -> Result<Step<IpcTable>> {
        if let Work::Footer = self.work
            && let Some(need) = self.footer()?
        {
            return Ok(Step::Need(need));
        }
        if let Some(need) = self.blocks()? {
            return Ok(Step::Need(need));
        }
        if let Err(need) = self.walk()? {
            return Ok(Step::Need(need));
        }
        match std::mem::replace(&mut self.work, Work::Ended) {
            Work::Blocks { found, .. } | Work::Stream { found: Some(found), .. } => {
                IpcTable::new(*found, self.len).map(Step::Done)
            }
            _ => Err(damaged("there is no schema")),
        }
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }
}

/// An opened file or stream. Columns that are not read are left out, and said.
pub struct IpcTable {
    len: u64,
    decoder: Decoder,
    batches: Vec<Place>,
    rows: u64,
    stream: bool,
    schema: Arc<Schema>,
    /// The columns that are read, by their numbers in the file.
    shown: Vec<usize>,
    changes: Changes,
    notes: Vec<String>,
    cuts: Mutex<Cuts>,
}

impl std::fmt::Debug for IpcTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IpcTable").field("schema", &self.schema).finish_non_exhaustive()
    }
}

impl IpcTable {
    fn new(found: Found, len: u64) -> Result<IpcTable> {
        let Found { mut decoder, batches, rows, stream, note } = found;
        decoder.settle()?;
        let (whole, unread) = Unread::schema(&decoder.schema, decoder.opaque.clone())?;
        let whole = Arc::new(whole);
        let changes = Changes::new(&decoder.schema, &whole);
        let missing: Vec<usize> = unread.columns().iter().map(|(i, _)| *i).collect();
        let shown: Vec<usize> = (0..whole.len()).filter(|i| !missing.contains(i)).collect();
        if shown.is_empty() && !whole.is_empty() {
            unread.refuse(None)?;
        }
        let name = |i: usize| whole.fields().get(i).map_or("", |field| &field.name);
        let left_out = unread.columns().iter().map(|(i, what)| format!("column {:?}: {what} is not read", name(*i)));
        let notes = left_out.chain(note.map(str::to_owned)).collect();
        let schema = whole.project(&shown)?;
        let cuts = Mutex::default();
        Ok(IpcTable { len, decoder, batches, rows, stream, schema, shown, changes, notes, cuts })
    }

    /// What `datasets` says.
    fn said(&self) -> Option<&str> {
        self.decoder.schema.metadata().get(hugging::KEY).map(String::as_str)
    }

    fn place(&self, group: usize) -> Result<&Place> {
        self.batches.get(group).ok_or_else(|| damaged("there is no such batch"))
    }
}

impl TableFile for IpcTable {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
    fn rows(&self) -> u64 {
        self.rows
    }
    fn groups(&self) -> usize {
        self.batches.len()
    }
    fn group_rows(&self, group: usize) -> Result<Range<u64>> {
        let place = self.place(group)?;
        Ok(place.first..place.first + place.rows)
    }

    fn plan(&self, group: usize, _: &[usize]) -> Result<Vec<Range<u64>>> {
        let place = self.place(group)?;
        let batch = place.head.start..place.body.end.min(self.len);
        Ok(vec![batch])
    }

    fn decode(&self, group: usize, columns: &[usize], bytes: &Pieces) -> Result<Batch> {
        let place = self.place(group)?;
        let schema = self.schema.project(columns)?;
        let rows = usize::try_from(place.rows).map_err(|_| damaged("a batch has too many rows"))?;
        if columns.is_empty() {
            return Batch::with_rows(schema, Vec::new(), rows);
        }
        if rows == 0 {
            let columns = schema.fields().iter().map(|f| ColumnBuilder::new(&f.dtype).finish());
            return Batch::with_rows(schema.clone(), columns.collect::<Result<_>>()?, 0);
        }
        let at = place.head.start;
        let text = description(&bytes.expect(place.head.clone())?, at)?;
        let body = Buffer::from(bytes.expect(place.body.clone())?);
        let wanted = columns.iter().map(|&c| self.shown.get(c).copied().ok_or_else(|| damaged("no such column")));
        let wanted = wanted.collect::<Result<Vec<_>>>()?;
        let read = || {
            let message = parse(&text).map_err(|e| e.offset(at))?;
            let batch = self.decoder.rows(message, &body, at, Some(&wanted))?;
            let mut cuts = self.cuts.lock().unwrap_or_else(PoisonError::into_inner);
            read_record_batch(&batch, &schema, true, &mut cuts)
        };
        let batch = guarded(read).map_err(|e| e.block(group as u64))?;
        if batch.rows() != rows {
            let message = format!("a batch has {} rows where {rows} are announced", batch.rows());
            return Err(damaged(message).block(group as u64));
        }
        Ok(batch)
    }
}

impl OtherTable for IpcTable {
    fn format(&self) -> Format {
        if self.stream { Format::Arrows } else { Format::Arrow }
    }
    fn encoding(&self, _: usize) -> Option<String> {
        None
    }
    fn created_by(&self) -> Option<String> {
        None
    }
    fn notes(&self) -> Vec<String> {
        let cuts = self.cuts.lock().unwrap_or_else(PoisonError::into_inner);
        self.notes.iter().cloned().chain(self.changes.notes(&self.schema)).chain(cuts.notes()).collect()
    }
    fn foreign(&self) -> Vec<Foreign> {
        self.changes.foreign(&self.schema)
    }
    fn pictures(&self) -> Vec<usize> {
        let found = hugging::pictures(&self.decoder.schema, self.said());
        found.into_iter().filter_map(|root| self.shown.binary_search(&root).ok()).collect()
    }
    fn classes(&self, column: usize) -> Option<Vec<String>> {
        hugging::classes(&self.schema.field(column).ok()?.name, self.said())
    }
}
