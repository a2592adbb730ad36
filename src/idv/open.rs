//! Opening: header, tail, table of contents, lookup tables and annotations, in three or four requests.

use std::{collections::HashMap, ops::Range, sync::Arc};

use bytes::Bytes;

use super::{
    codec_def::Codec,
    codes,
    file::{self, Column, File, Live, Packing},
    raw::{AnnotationEntry, HEADER_BYTES, Header, LOOKUP_BYTES, TAIL_BYTES, TAIL_SIGNATURE, TocEntry},
    source::Source,
};
use crate::{
    check::{Fault, Report},
    codec::deflate::Inflater,
    cursor::Cursor,
    error::{Error, Kind, Result},
    limits::Limits,
    step::{Pieces, Step, Stepper},
    table::{self, Annotation, Schema},
};

/// What is read of the file's end before anything is known: writers put all tables there.
const END_GUESS: u64 = 64 << 10;
/// What is read of a table whose size nothing announces; it grows by fours.
const TABLE_GUESS: u64 = 4 << 10;

/// Opens a file: gives a [`File`], which knows the columns and where their blocks lie.
///
/// ```
/// use forebay::{idv::Opener, step::drive};
/// let file = bytes::Bytes::from(vec![0; 300]);
/// let e = drive(Opener::new(file.len() as u64), &file).unwrap_err();
/// assert_eq!(e.to_string(), "header, byte 0: the header was never written: the writer was interrupted [idv.signature]");
/// ```
#[derive(Debug)]
pub struct Opener {
    file_len: u64,
    limits: Limits,
    pieces: Pieces,
    header: Option<Header>,
    toc: Option<Vec<TocEntry>>,
    toc_guess: u64,
    table_guesses: HashMap<u64, u64>,
    keep_going: bool,
    faults: Vec<Error>,
    /// How many of the faults are the header's, which is looked at only once.
    header_faults: usize,
}

/// For each column its lookup table, where that lies in the file, and its list of annotations.
type Tables = (Vec<Option<Bytes>>, Vec<Vec<AnnotationEntry>>);

/// Why opening cannot go on right now.
enum Stop {
    Need(Vec<Range<u64>>),
    Fail(Error),
}

impl From<Error> for Stop {
    fn from(e: Error) -> Self {
        Stop::Fail(e)
    }
}

impl Stepper for Opener {
    type Output = File;

    fn step(&mut self) -> Result<Step<File>> {
        match self.open() {
            Ok(file) => Ok(Step::Done(file)),
            Err(Stop::Need(ranges)) => Ok(Step::Need(ranges)),
            Err(Stop::Fail(e)) => Err(e),
        }
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }
}

impl Opener {
    /// Opens a file of this many bytes.
    pub fn new(file_len: u64) -> Self {
        Opener {
            file_len,
            limits: Limits::default(),
            pieces: Pieces::default(),
            header: None,
            toc: None,
            toc_guess: TABLE_GUESS,
            table_guesses: HashMap::new(),
            keep_going: false,
            faults: Vec::new(),
            header_faults: 0,
        }
    }

    /// Sets the limits, which reading keeps too.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Opens the file in spite of faults that concern one column or annotation: they are for a
    /// [`Checker`](super::Checker) to report instead of being errors.
    #[must_use]
    pub fn keep_going(mut self) -> Self {
        self.keep_going = true;
        self
    }

    /// What a check reports of a file whose opening ended with this error: that and what was gone past before. A file
    /// that is newer than this reader is not damaged, unless something else shows that it is, and stays an error.
    pub fn report(&self, e: Error) -> Result<Report> {
        if e.kind() == Kind::Unsupported && self.faults.is_empty() {
            return Err(e);
        }
        let mut report = Report::new(0);
        self.faults.iter().chain([&e]).for_each(|e| report.fault(e));
        Ok(report)
    }

    fn open(&mut self) -> Result<File, Stop> {
        // What follows the header is looked at again on every step.
        self.faults.truncate(self.header_faults);
        let header = self.header()?;
        let toc = self.toc(&header)?;
        let rows_per_block = toc.first().map_or(0, |e| e.rows_per_block);
        if let Some(other) = toc.iter().find(|e| e.rows_per_block != rows_per_block) {
            let message = format!("{} rows a block; the first column has {rows_per_block}", other.rows_per_block);
            let e = Error::new(&codes::MIXED_ROWS_PER_BLOCK, message);
            return Err(e.section("toc").column(&other.name).offset(other.at).into());
        }

        let (lookups, tables) = self.tables(&header, &toc, rows_per_block)?;
        let blocks = self.annotation_blocks(&tables)?;

        let mut notes = Vec::new();
        let mut columns: Vec<Column> = Vec::with_capacity(toc.len());
        let mut decoded_bytes = 0;
        for (((entry, lookup), table), blocks) in toc.into_iter().zip(lookups).zip(tables).zip(blocks) {
            let live = match (&entry.codec.codec, Packing::from_code(entry.compression)) {
                (Some(codec), Some(packing)) => Some(Live { codec: codec.clone(), packing }),
                _ => None,
            };
            let mut annotations = Vec::with_capacity(table.len());
            for (item, stored) in table.into_iter().zip(blocks) {
                match self.annotation(&item, &stored, &mut decoded_bytes) {
                    Ok(Some(value)) => annotations.push(value),
                    // ML.NET means to skip these too, but its warning about them throws.
                    Ok(None) => notes.push(Fault::from(&skipped(&item).column(&entry.name))),
                    Err(e) => self.fault(e.column(&entry.name))?,
                }
            }
            let column = Column {
                name: entry.name,
                hidden: false,
                live,
                definition: entry.codec,
                compression: entry.compression,
                annotations,
                at: entry.at,
                lookup_offset: entry.lookup_offset as u64,
                lookup,
            };
            if column.live.is_none() {
                notes.push(Fault::from(&column.dead()));
            }
            columns.push(column);
        }
        hide_repeated(&mut columns);
        let schema = Arc::new(Schema::new(columns.iter().filter_map(Column::field).collect())?);
        let places = (0..columns.len()).filter(|&i| columns.get(i).is_some_and(|c| c.live.is_some())).collect();
        let (limits, faults) = (self.limits.clone(), std::mem::take(&mut self.faults).into());
        Ok(File { header, columns, notes, rows_per_block, schema, places, limits, file_len: self.file_len, faults })
    }

    /// An error, or, if the opener keeps going, one more fault.
    fn fault(&mut self, e: Error) -> Result<()> {
        if !self.keep_going || e.kind() == Kind::Limit {
            return Err(e);
        }
        self.faults.push(e);
        Ok(())
    }

    /// Bytes that must be there before opening goes on.
    fn want(&self, range: Range<u64>) -> Result<Bytes, Stop> {
        self.pieces.get(range.clone()).ok_or_else(|| Stop::Need(self.pieces.lacking(range)))
    }

    fn header(&mut self) -> Result<Header, Stop> {
        if let Some(header) = &self.header {
            return Ok(header.clone());
        }
        // The header and the end come in one request.
        let head = 0..HEADER_BYTES.min(self.file_len);
        let end = self.file_len.saturating_sub(END_GUESS).max(head.end)..self.file_len;
        let lacking: Vec<_> = [head.clone(), end].into_iter().flat_map(|r| self.pieces.lacking(r)).collect();
        if !lacking.is_empty() {
            return Err(Stop::Need(lacking));
        }
        let header = Header::parse(&self.want(head)?)?;
        let tail = header.tail_offset..header.tail_offset.saturating_add(TAIL_BYTES);
        let bad = |message: String| Error::new(&codes::TAIL, message).section("tail").offset(header.tail_offset);
        if tail.end > self.file_len {
            let message = format!("the header places the tail at {}; the file has {} bytes", tail.start, self.file_len);
            return Err(bad(message).into());
        }
        if *self.want(tail)? != TAIL_SIGNATURE {
            self.fault(bad("the tail signature is not here".into()))?;
        }
        self.header_faults = self.faults.len();
        self.header = Some(header.clone());
        Ok(header)
    }

    fn toc(&mut self, header: &Header) -> Result<Vec<TocEntry>, Stop> {
        if let Some(toc) = &self.toc {
            return Ok(toc.clone());
        }
        if header.columns == 0 {
            return Ok(Vec::new());
        }
        loop {
            let start = header.toc_offset;
            let end = start.saturating_add(self.toc_guess).min(self.file_len).max(start);
            self.limits.index(end - start).map_err(|e| e.section("toc").offset(start))?;
            let bytes = self.want(start..end)?;
            let mut c = Cursor::new(&bytes, start, "toc", &codes::TRUNCATED);
            let toc = (0..header.columns).map(|_| TocEntry::parse(&mut c, header.rows, &self.limits)).collect();
            match toc {
                Err(e) if is_short(&e, end, self.file_len) => self.toc_guess = self.toc_guess.saturating_mul(4),
                Err(e) => return Err(Stop::Fail(e)),
                Ok(toc) => {
                    let toc: Vec<TocEntry> = toc;
                    self.toc = Some(toc.clone());
                    return Ok(toc);
                }
            }
        }
    }

    /// The lookup table and the list of annotations of every column.
    fn tables(&mut self, header: &Header, toc: &[TocEntry], rows_per_block: u32) -> Result<Tables, Stop> {
        let lookup_bytes = file::block_count(header.rows, rows_per_block).saturating_mul(LOOKUP_BYTES);
        let mut lacking = Vec::new();
        let (mut lookups, mut tables) = (Vec::with_capacity(toc.len()), Vec::with_capacity(toc.len()));
        let (mut index_bytes, mut table_bytes) = (0u64, 0u64);
        for entry in toc {
            match lookup_range(header, entry, lookup_bytes) {
                Err(e) => {
                    self.fault(e)?;
                    lookups.push(None);
                }
                Ok(range) => {
                    index_bytes = index_bytes.saturating_add(lookup_bytes);
                    self.limits.index(index_bytes).map_err(|e| e.section("lookup").column(&entry.name))?;
                    lookups.push(self.pieces.get(range.clone()));
                    lacking.extend(self.pieces.lacking(range));
                }
            }
            match self.annotation_table(header, entry, &mut table_bytes) {
                Ok(table) => tables.push(table),
                Err(Stop::Need(more)) => {
                    lacking.extend(more);
                    tables.push(Vec::new());
                }
                Err(Stop::Fail(e)) => {
                    self.fault(e)?;
                    tables.push(Vec::new());
                }
            }
        }
        if lacking.is_empty() { Ok((lookups, tables)) } else { Err(Stop::Need(lacking)) }
    }

    fn annotation_table(
        &mut self,
        header: &Header,
        entry: &TocEntry,
        spent: &mut u64,
    ) -> Result<Vec<AnnotationEntry>, Stop> {
        let at = entry.annotations_offset;
        if at == 0 {
            return Ok(Vec::new());
        }
        if at < HEADER_BYTES as i64 || at as u64 > header.tail_offset {
            let message = format!("the header places the annotations at {at}; data ends at {}", header.tail_offset);
            return Err(Error::new(&codes::OFFSET, message).section("toc").column(&entry.name).offset(entry.at).into());
        }
        let start = at as u64;
        loop {
            let guess = self.table_guesses.entry(start).or_insert(TABLE_GUESS);
            let end = start.saturating_add(*guess).min(self.file_len);
            let bytes = match self.pieces.get(start..end) {
                Some(bytes) => bytes,
                None => return Err(Stop::Need(self.pieces.lacking(start..end))),
            };
            let mut c = Cursor::new(&bytes, start, "annotations", &codes::TRUNCATED);
            match AnnotationEntry::parse_table(&mut c, header.tail_offset, &self.limits) {
                Err(e) if is_short(&e, end, self.file_len) => *guess = guess.saturating_mul(4),
                Err(e) => return Err(Stop::Fail(e.column(&entry.name))),
                Ok(table) => {
                    *spent = spent.saturating_add(c.position() as u64);
                    self.limits.metadata(*spent).map_err(|e| e.section("annotations").column(&entry.name))?;
                    return Ok(table);
                }
            }
            let read = spent.saturating_add(*guess);
            self.limits.metadata(read).map_err(|e| e.section("annotations").column(&entry.name))?;
        }
    }

    /// The stored bytes of every annotation.
    fn annotation_blocks(&self, tables: &[Vec<AnnotationEntry>]) -> Result<Vec<Vec<Bytes>>, Stop> {
        let total = tables.iter().flatten().fold(0u64, |sum, a| sum.saturating_add(a.stored_bytes));
        self.limits.metadata(total).map_err(|e| e.section("annotations"))?;
        let range = |a: &AnnotationEntry| a.offset..a.offset.saturating_add(a.stored_bytes);
        let lacking: Vec<_> = tables.iter().flatten().flat_map(|a| self.pieces.lacking(range(a))).collect();
        if !lacking.is_empty() {
            return Err(Stop::Need(lacking));
        }
        let all = tables.iter().map(|t| t.iter().map(|a| self.pieces.get(range(a)).unwrap_or_default()).collect());
        Ok(all.collect())
    }

    /// Decodes an annotation; `None` if its codec or compression is not known.
    fn annotation(&self, entry: &AnnotationEntry, stored: &Bytes, spent: &mut u64) -> Result<Option<Annotation>> {
        let (Some(codec), Some(packing)) = (&entry.codec.codec, Packing::from_code(entry.compression)) else {
            return Ok(None);
        };
        let value = self.annotation_value(entry, codec, packing, stored, spent);
        let value = value.map_err(|e| {
            Error::caused(e.code(), format!("annotation {:?}: {}", entry.kind, e.message()), e.to_string())
                .section("annotations")
                .offset(e.place().offset.unwrap_or(entry.offset))
        })?;
        Ok(Some(Annotation { name: entry.kind.clone(), value }))
    }

    fn annotation_value(
        &self,
        entry: &AnnotationEntry,
        codec: &Codec,
        packing: Packing,
        stored: &Bytes,
        spent: &mut u64,
    ) -> Result<table::Column> {
        let decode = |bytes: &Bytes, base, spent: &mut u64| {
            *spent = spent.saturating_add(bytes.len() as u64);
            self.limits.metadata(*spent)?;
            let mut source = Source::new(bytes, base, "annotations");
            file::decode_bytes(&mut source, codec, 1, &self.limits).map(|decoded| decoded.column)
        };
        match packing {
            Packing::None => decode(stored, entry.offset, spent),
            Packing::Deflate => {
                let left = self.limits.metadata_bytes.saturating_sub(*spent).min(self.limits.item_bytes);
                let limits = self.limits.clone().with_item_bytes(left);
                let bytes = Inflater::default().inflate_all(stored, &limits).map_err(file::unpacked)?;
                decode(&Bytes::from(bytes), 0, spent).map_err(file::inside)
            }
        }
    }
}

fn skipped(entry: &AnnotationEntry) -> Error {
    let AnnotationEntry { kind, codec, compression, .. } = entry;
    let message = format!(
        "the annotation {kind:?} is skipped: codec {:?}, compression {compression}; ML.NET refuses the whole file for it",
        codec.name
    );
    Error::new(&codes::UNKNOWN_ANNOTATION, message).section("annotations").offset(entry.at)
}

/// True where an error only says that more of the file must be read.
fn is_short(e: &Error, end: u64, file_len: u64) -> bool {
    e.code() == &codes::TRUNCATED && end < file_len
}

fn lookup_range(header: &Header, entry: &TocEntry, bytes: u64) -> Result<Range<u64>> {
    if header.rows == 0 {
        return Ok(0..0);
    }
    let at = entry.lookup_offset;
    match (at as u64).checked_add(bytes) {
        Some(end) if at >= HEADER_BYTES as i64 && end <= header.tail_offset => Ok(at as u64..end),
        _ => {
            let message =
                format!("the lookup table of {bytes} bytes is declared at {at}; data ends at {}", header.tail_offset);
            Err(Error::new(&codes::OFFSET, message).section("toc").column(&entry.name).offset(entry.at))
        }
    }
}

/// Of the columns that can be read, the last of a name is the one that the name stands for.
fn hide_repeated(columns: &mut [Column]) {
    let mut seen = std::collections::HashSet::new();
    for column in columns.iter_mut().rev().filter(|c| c.live.is_some()) {
        column.hidden = !seen.insert(column.name.clone());
    }
}
