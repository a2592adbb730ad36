//! The footer that Forebay writes behind the columns: names, types, positions, checksums, statistics.
//!
//! ```text
//! footer body (JSON, UTF-8) | u32 length of the body | u32 CRC-32 of the body | "TBFX" 01 00 00 00
//! ```

use std::{ops::Range, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::encoding::Stored;
use crate::{
    codec::checksum::crc32,
    error::{Error, Result},
    table::{DataType, Field, Schema},
    tbf::codes,
};

/// The bytes behind the body.
pub const TRAILER: usize = 16;
/// The last eight of them.
pub const TRAILER_MAGIC: [u8; 8] = *b"TBFX\x01\0\0\0";
/// The most bytes of a text that is kept as a minimum or maximum.
pub const LONGEST_BOUND: usize = 64;
/// A position is noted for each run of this many rows of a column whose values differ in length.
pub const MARK_ROWS: usize = 1024;

/// The footer's body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Footer {
    /// Who wrote the file.
    pub created_by: String,
    /// All rows.
    pub rows: u64,
    /// Names and types.
    pub columns: Vec<ColumnMeta>,
    /// The tables, in order.
    pub groups: Vec<Group>,
}

/// A column's name and type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnMeta {
    /// Its name.
    pub name: String,
    /// Its logical type.
    #[serde(rename = "type")]
    pub dtype: String,
    /// True where values may be missing.
    #[serde(default, skip_serializing_if = "is_false")]
    pub nullable: bool,
}

/// One table of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Where its first byte lies.
    pub position: u64,
    /// Its rows.
    pub rows: u64,
    /// Its columns.
    pub columns: Vec<Chunk>,
}

/// One column of one table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chunk {
    /// How it is stored.
    pub encoding: Stored,
    /// What is added to every stored integer.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub offset: i128,
    /// Where it begins in the file: at its type number.
    pub position: u64,
    /// Its bytes, type number and count included.
    pub length: u64,
    /// The CRC-32 of these bytes.
    pub crc32: u32,
    /// How many rows are missing.
    #[serde(default, skip_serializing_if = "is_zero_u64")]
    pub nulls: u64,
    /// Which rows are there, if any is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validity: Option<Span>,
    /// The smallest value.
    #[serde(default, skip_serializing_if = "Json::is_null")]
    pub min: Json,
    /// The largest value.
    #[serde(default, skip_serializing_if = "Json::is_null")]
    pub max: Json,
    /// How many different values there are, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distinct: Option<u64>,
    /// Where the values (or dictionary indexes) begin, counted from `position`.
    pub values: u64,
    /// Where rows 1024, 2048, ... begin, counted from `values`, in columns whose values differ in length.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<u64>,
}

/// Bytes somewhere in the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// Where they begin.
    pub position: u64,
    /// How many there are.
    pub length: u64,
    /// Their CRC-32.
    pub crc32: u32,
}

fn is_false(b: &bool) -> bool {
    !b
}
fn is_zero(n: &i128) -> bool {
    *n == 0
}
fn is_zero_u64(n: &u64) -> bool {
    *n == 0
}

impl Chunk {
    /// Where it lies in the file.
    pub fn range(&self) -> Range<u64> {
        self.position..self.position.saturating_add(self.length)
    }
}

impl Span {
    /// Where it lies in the file.
    pub fn range(&self) -> Range<u64> {
        self.position..self.position.saturating_add(self.length)
    }
}

impl Footer {
    /// The body, its length, its checksum and the last bytes.
    pub fn encode(&self) -> Result<Vec<u8>> {
        let failed = |e| Error::caused(&codes::CANNOT_HOLD, "the footer cannot be written", e);
        let mut out = serde_json::to_vec(self).map_err(failed)?;
        let length = u32::try_from(out.len())
            .map_err(|_| Error::new(&codes::CANNOT_HOLD, "the footer has 4 GiB or more: write larger groups"))?;
        let crc = crc32(&out);
        out.extend(length.to_le_bytes());
        out.extend(crc.to_le_bytes());
        out.extend(TRAILER_MAGIC);
        Ok(out)
    }

    /// Reads the body, whose checksum the trailer holds. `end` is where the body begins in the file: everything
    /// that the footer points at lies before it.
    pub fn parse(body: &[u8], crc: u32, end: u64) -> Result<Self> {
        let damaged = |why: String| Error::new(&codes::FOOTER, why).section("footer").offset(end);
        if crc32(body) != crc {
            return Err(damaged("its checksum does not match".into()));
        }
        // These bytes are those that were written, so that a word which is not known is a newer writer's.
        let footer: Footer = serde_json::from_slice(body).map_err(|e| match e.to_string() {
            text if text.contains("unknown variant") => {
                Error::new(&codes::VERSION, format!("an encoding that is not known: {text}"))
                    .section("footer")
                    .offset(end)
            }
            text => damaged(format!("it does not parse: {text}")),
        })?;
        footer.validate(end)?;
        Ok(footer)
    }

    /// The schema.
    pub fn schema(&self) -> Result<Arc<Schema>> {
        let field = |c: &ColumnMeta| {
            let dtype = DataType::from_name(&c.dtype).ok_or_else(|| {
                Error::new(&codes::VERSION, format!("type {:?} is not known", c.dtype)).column(&c.name)
            })?;
            let field = Field::new(&c.name, dtype);
            Ok(if c.nullable { field.nullable() } else { field })
        };
        Ok(Arc::new(Schema::new(self.columns.iter().map(field).collect::<Result<_>>()?)?))
    }

    /// Positions are in order and before the footer, types fit, counts add up.
    fn validate(&self, end: u64) -> Result<()> {
        let schema = self.schema()?;
        let mut rows = 0u64;
        for (g, group) in self.groups.iter().enumerate() {
            let bad = |why: &str| Error::new(&codes::FOOTER, why).section("footer").block(g as u64);
            rows = rows.checked_add(group.rows).ok_or_else(|| bad("the rows are beyond counting"))?;
            let expected = if group.rows == 0 { 0 } else { schema.len() };
            if group.columns.len() != expected {
                return Err(bad("the table has another number of columns than the file"));
            }
            if group.position > end || usize::try_from(group.rows).is_err() {
                return Err(bad("the table is after the footer or is too large for this machine"));
            }
            let mut at = group.position;
            for (field, chunk) in schema.fields().iter().zip(&group.columns) {
                chunk.validate(field, group.rows, at, end).map_err(|e| e.block(g as u64).column(&field.name))?;
                at = chunk.range().end;
            }
        }
        if rows != self.rows {
            let message = format!("{} rows in all, {rows} in the tables", self.rows);
            return Err(Error::new(&codes::FOOTER, message).section("footer"));
        }
        Ok(())
    }
}

impl Chunk {
    fn validate(&self, field: &Field, rows: u64, after: u64, end: u64) -> Result<()> {
        let bad = |why: String| Error::new(&codes::FOOTER, why).section("footer");
        let inside = |position: u64, length: u64| position.checked_add(length).is_some_and(|e| e <= end);
        if self.position < after || !inside(self.position, self.length) || self.values > self.length {
            return Err(bad(format!("bytes {}+{} are not its own", self.position, self.length)));
        }
        if !self.encoding.holds(&field.dtype) {
            return Err(bad(format!("{} cannot be stored as {}", field.dtype, self.encoding.name())));
        }
        let room = self.length - self.values;
        let least = match (self.encoding, self.encoding.width()) {
            (_, Some(width)) => rows.checked_mul(width as u64),
            (Stored::Bool, _) => Some(rows.div_ceil(8)),
            _ => Some(rows),
        };
        if least.is_none_or(|least| least > room) {
            return Err(bad(format!("{rows} rows in {room} bytes")));
        }
        let marked = matches!(self.encoding, Stored::VarInt | Stored::Inline);
        let marks = if marked { (rows.saturating_sub(1) / MARK_ROWS as u64) as usize } else { 0 };
        if self.marks.len() != marks || !self.marks.is_sorted() || self.marks.last().is_some_and(|&m| m > room) {
            return Err(bad("its marks are not in order".into()));
        }
        match &self.validity {
            None if self.nulls == 0 => Ok(()),
            Some(span) if field.nullable && self.nulls <= rows && span.length == rows.div_ceil(8) => {
                if inside(span.position, span.length) { Ok(()) } else { Err(bad("its validity lies elsewhere".into())) }
            }
            _ => Err(bad("missing rows and their validity do not agree".into())),
        }
    }
}

/// Reads the last bytes of a file: where the footer's body is and its checksum. `None` if there is no
/// footer.
pub fn trailer(last: &[u8], file_len: u64) -> Result<Option<(Range<u64>, u32)>> {
    let Some(last) = last.last_chunk::<TRAILER>() else { return Ok(None) };
    let [l0, l1, l2, l3, c0, c1, c2, c3, magic @ ..] = *last;
    if magic[..4] != TRAILER_MAGIC[..4] {
        return Ok(None);
    }
    let bad = |why: String| Error::new(&codes::FOOTER, why).section("trailer").offset(file_len - TRAILER as u64);
    if magic != TRAILER_MAGIC {
        let message = "a version of the footer that is not known";
        return Err(Error::new(&codes::VERSION, message).section("trailer").offset(file_len - TRAILER as u64));
    }
    let length = u64::from(u32::from_le_bytes([l0, l1, l2, l3]));
    let end = file_len - TRAILER as u64;
    match end.checked_sub(length) {
        Some(start) => Ok(Some((start..end, u32::from_le_bytes([c0, c1, c2, c3])))),
        None => Err(bad(format!("the footer announces {length} bytes, the file has {file_len}"))),
    }
}
