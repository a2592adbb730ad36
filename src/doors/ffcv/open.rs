//! From the head to both tables.

use std::ops::Range;

use bytes::Bytes;

use super::{
    FIELD, HEAD,
    file::{Beton, Column, Kind, Span},
};
use crate::{
    doors::codes,
    error::{self, Error, Result},
    limits::Limits,
    step::{Pieces, Step, Stepper},
};

/// Bytes of an entry of the table of places.
const SPAN: u64 = 24;

/// Opens a file.
#[derive(Debug)]
pub struct Opener {
    file_len: u64,
    limits: Limits,
    pieces: Pieces,
}

impl Opener {
    /// For a file of this many bytes.
    pub fn new(file_len: u64, limits: &Limits) -> Opener {
        Opener { file_len, limits: limits.clone(), pieces: Pieces::default() }
    }

    fn read(&self, range: Range<u64>) -> std::result::Result<Bytes, Vec<Range<u64>>> {
        self.pieces.get(range.clone()).ok_or_else(|| self.pieces.lacking(range))
    }
}

fn wrong(message: impl Into<String>, at: u64) -> Error {
    Error::new(&codes::FFCV_HEAD, message).section("header").offset(at)
}

fn long(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|bytes| bytes.first_chunk()).map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// The columns, by their descriptions, and how many bytes a row has.
fn columns(bytes: &[u8]) -> Result<(Vec<Column>, u64)> {
    let (mut columns, mut at, mut most) = (Vec::new(), 0_u64, 1_u64);
    for (k, said) in bytes.chunks_exact(FIELD as usize).enumerate() {
        let place = HEAD + k as u64 * FIELD;
        let (number, name) = (said.first().copied().unwrap_or_default(), said.get(1..17).unwrap_or_default());
        let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
        let name = String::from_utf8_lossy(name).into_owned();
        let (kind, size, align) = match number {
            0 => (Kind::Float, 8, 8),
            1 => (Kind::Int, 8, 8),
            2 => (Kind::Image, 13, 1),
            3 => (Kind::Bytes, 16, 8),
            4 | 6 => (Kind::Array, 8, 8),
            5 => (Kind::Json, 16, 8),
            255 => {
                let message = "the field is of a type that somebody wrote for himself, which only his code reads; write the \
                               file again with one of FFCV's own types";
                return Err(Error::new(&codes::FFCV_UNSUPPORTED, message).column(name).offset(place));
            }
            other => {
                let message = format!("the field has the type {other}, which is not known");
                return Err(Error::new(&codes::FFCV_UNSUPPORTED, message).column(name).offset(place));
            }
        };
        at = at.next_multiple_of(align);
        columns.push(Column { name, kind, at: at as usize });
        (at, most) = (at + size, most.max(align));
    }
    Ok((columns, at.next_multiple_of(most)))
}

impl Stepper for Opener {
    type Output = Beton;

    fn step(&mut self) -> Result<Step<Beton>> {
        if self.file_len < HEAD {
            let code = if self.file_len == 0 { &error::codes::EMPTY } else { &codes::FFCV_HEAD };
            return Err(Error::new(code, format!("the file has {} bytes", self.file_len)).offset(0));
        }
        let head = match self.read(0..HEAD) {
            Ok(head) => head,
            Err(lacking) => return Ok(Step::Need(lacking)),
        };
        let fields = u64::from(long(&head, 0) as u32 >> 16);
        let (samples, table) = (long(&head, 8), long(&head, 16));
        let rows = HEAD + fields * FIELD;
        if long(&head, 0) as u16 != 2 || fields == 0 || rows > self.file_len || table > self.file_len || table < rows {
            return Err(wrong("the head of the file is damaged, or the file ends too early", 0));
        }
        let said = match self.read(HEAD..rows) {
            Ok(said) => said,
            Err(lacking) => return Ok(Step::Need(lacking)),
        };
        let (columns, stride) = columns(&said)?;
        let end = samples.checked_mul(stride).and_then(|bytes| rows.checked_add(bytes));
        let Some(end) = end.filter(|&end| end <= table) else {
            return Err(wrong(format!("{samples} samples of {stride} bytes are announced, and have no room"), 8));
        };
        let spans = (self.file_len - table) / SPAN * SPAN;
        self.limits.index(end - rows + spans).map_err(|e| e.section("header"))?;
        let (rows, spans) = match (self.read(rows..end), self.read(table..table + spans)) {
            (Ok(rows), Ok(spans)) => (rows, spans),
            (rows, spans) => {
                let lacking = rows.err().into_iter().chain(spans.err()).flatten().collect();
                return Ok(Step::Need(lacking));
            }
        };
        let span = |bytes: &[u8]| Span { at: long(bytes, 8), len: long(bytes, 16) };
        let mut spans: Vec<Span> = spans.chunks_exact(SPAN as usize).map(span).collect();
        spans.sort_unstable_by_key(|span| span.at);
        let sound = |span: &Span| span.at.checked_add(span.len).is_some_and(|end| end <= table);
        if let Some(first) = spans.iter().find(|span| !sound(span)) {
            return Err(wrong(format!("{} bytes at {} are announced, and not there", first.len, first.at), table));
        }
        Beton::new(columns, stride, samples, rows, spans, &self.limits).map(Step::Done)
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }
}
