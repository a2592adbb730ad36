//! The samples of a file.

use std::ops::Range;

use bytes::Bytes;
use serde_json::{Number, Value as Json};

use crate::{
    doors::{
        codes,
        field::{Field, Value, json_of},
        png::Pixels,
        records::{Fetch, Records, out_of_range},
    },
    error::{Error, Result},
    formats::Format,
    limits::Limits,
};

/// The content of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Float,
    Int,
    Image,
    Bytes,
    Array,
    Json,
}

/// A column of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub name: String,
    pub kind: Kind,
    /// Where in a row it begins.
    pub at: usize,
}

/// Bytes that were written together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub at: u64,
    pub len: u64,
}

/// A file, opened.
#[derive(Clone, Debug)]
pub struct Beton {
    columns: Vec<Column>,
    stride: u64,
    samples: u64,
    rows: Bytes,
    spans: Vec<Span>,
    /// The column whose bytes are a sample.
    main: Option<usize>,
    limits: Limits,
}

/// A row's description of an image.
struct Image {
    is_raw: bool,
    width: u32,
    height: u32,
}

impl Beton {
    pub(super) fn new(
        columns: Vec<Column>,
        stride: u64,
        samples: u64,
        rows: Bytes,
        spans: Vec<Span>,
        limits: &Limits,
    ) -> Result<Beton> {
        let of = |kind: Kind| columns.iter().position(|column| column.kind == kind);
        let main = of(Kind::Image).or_else(|| of(Kind::Bytes)).or_else(|| of(Kind::Array));
        let beton = Beton { columns, stride, samples, rows, spans, main, limits: limits.clone() };
        beton.refuse_shared()?;
        Ok(beton)
    }

    /// Refuses rows that have the same bytes again and again: a small file would become a large one.
    fn refuse_shared(&self) -> Result<()> {
        let there = self.spans.iter().fold(0_u64, |all, span| all.saturating_add(span.len));
        let mut wanted = 0_u64;
        for i in 0..self.samples {
            // What is wrong with a row is said when it is read.
            let range = self.range(i).unwrap_or_default();
            wanted = wanted.saturating_add(range.end - range.start);
            if wanted > there {
                let message = "the rows have more bytes than the table at the end, so several have the same";
                return Err(Error::new(&codes::FFCV_HEAD, message).sample(i));
            }
        }
        Ok(())
    }

    fn row(&self, i: u64) -> Result<&[u8]> {
        let start =
            i.checked_mul(self.stride).and_then(|start| usize::try_from(start).ok()).filter(|_| i < self.samples);
        let row = start.and_then(|start| self.rows.get(start..start + self.stride as usize));
        row.ok_or_else(|| out_of_range(i, self.samples))
    }

    /// How many bytes lie at that place.
    fn len_at(&self, at: u64) -> Option<u64> {
        let k = self.spans.binary_search_by_key(&at, |span| span.at).ok()?;
        self.spans.get(k).map(|span| span.len)
    }

    /// Where the bytes of a column are; a number has no place.
    fn place(&self, column: &Column, row: &[u8]) -> Result<Range<u64>> {
        let wrong = |at: u64| {
            let message = format!("the row places its value at {at}, where the table at the end has no entry");
            Error::new(&codes::FFCV_PLACE, message).column(column.name.as_str())
        };
        let number = |at: usize| {
            let bytes = row.get(column.at + at..).and_then(|rest| rest.first_chunk());
            bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
        };
        let (at, len) = match column.kind {
            Kind::Float | Kind::Int => return Ok(0..0),
            Kind::Image => {
                let image = image(column, row);
                let at = number(5);
                let len = self.len_at(at).ok_or_else(|| wrong(at))?;
                let pixels = u64::from(image.width) * u64::from(image.height) * 3;
                if image.is_raw && len != pixels {
                    return Err(wrong(at));
                }
                (at, len)
            }
            Kind::Array => (number(0), self.len_at(number(0)).ok_or_else(|| wrong(number(0)))?),
            // Of nothing there is no entry.
            Kind::Bytes | Kind::Json if number(8) == 0 => return Ok(0..0),
            Kind::Bytes | Kind::Json => {
                let len = self.len_at(number(0)).filter(|&len| len >= number(8));
                (number(0), len.map(|_| number(8)).ok_or_else(|| wrong(number(0)))?)
            }
        };
        Ok(at..at + len)
    }

    /// The value of a column of a row, by the bytes of its place.
    fn value(&self, column: &Column, row: &[u8], bytes: Bytes) -> Result<Value> {
        let eight = || row.get(column.at..).and_then(|rest| rest.first_chunk()).copied().unwrap_or_default();
        Ok(match column.kind {
            Kind::Float => Json::from(Number::from_f64(f64::from_le_bytes(eight()))).into(),
            Kind::Int => Json::from(i64::from_le_bytes(eight())).into(),
            Kind::Bytes | Kind::Array => bytes.into(),
            Kind::Json => {
                let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
                let wrong = || {
                    let message = "the value is not readable JSON";
                    Error::new(&codes::FFCV_PLACE, message).column(column.name.as_str())
                };
                json_of(text).ok_or_else(wrong)?.into()
            }
            Kind::Image => {
                let Image { is_raw, width, height } = image(column, row);
                match is_raw {
                    true => Pixels { width, height, channels: 3, bits: 8, data: bytes }.into(),
                    false => bytes.into(),
                }
            }
        })
    }

    fn others(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().enumerate().filter(|(k, _)| Some(*k) != self.main).map(|(_, column)| column)
    }
}

fn image(column: &Column, row: &[u8]) -> Image {
    let byte = |at: usize| row.get(column.at + at).copied().unwrap_or_default();
    let short = |at: usize| u32::from(byte(at)) | u32::from(byte(at + 1)) << 8;
    Image { is_raw: byte(0) == 1, width: short(1), height: short(3) }
}

impl Records for Beton {
    fn format(&self) -> Format {
        Format::Ffcv
    }
    fn len(&self) -> u64 {
        self.samples
    }
    fn range(&self, i: u64) -> Result<Range<u64>> {
        let row = self.row(i)?;
        match self.main.and_then(|main| self.columns.get(main)) {
            Some(column) => self.place(column, row),
            None => Ok(0..0),
        }
    }
    fn fields(&self, i: u64, bytes: &Bytes, _: bool) -> Result<Vec<Field>> {
        let row = self.row(i)?;
        let Some(column) = self.main.and_then(|main| self.columns.get(main)) else { return Ok(Vec::new()) };
        self.limits.item(bytes.len() as u64)?;
        Ok(vec![Field::new(column.name.as_str(), self.value(column, row, bytes.clone())?)])
    }
    fn whole(&self, i: u64, bytes: &Bytes, _: bool) -> Result<Bytes> {
        if bytes.is_empty() { Ok(Bytes::copy_from_slice(self.row(i)?)) } else { Ok(bytes.clone()) }
    }
    fn beside(&self, i: u64) -> Result<Vec<Range<u64>>> {
        let row = self.row(i)?;
        let places = self.others().map(|column| self.place(column, row));
        places.filter(|place| place.as_ref().map_or(true, |place| !place.is_empty())).collect()
    }
    fn fields_beside(&self, i: u64, fetch: Fetch<'_>) -> Result<Vec<Field>> {
        let row = self.row(i)?;
        let field = |column: &Column| {
            let place = self.place(column, row)?;
            self.limits.item(place.end - place.start)?;
            let bytes = if place.is_empty() { Bytes::new() } else { fetch(place)? };
            Ok(Field::new(column.name.as_str(), self.value(column, row, bytes)?))
        };
        self.others().map(field).collect()
    }
}
