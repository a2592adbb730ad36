//! An open file of layout D with its footer: columns by their positions, rows by arithmetic.

use std::{ops::Range, sync::Arc};

use super::{
    decode::{Shape, indices, values},
    encoding::Stored,
    footer::{Chunk, Footer, Group, MARK_ROWS, Span, TRAILER},
};
use crate::{
    codec::checksum::crc32,
    cursor::Cursor,
    error::{Error, Result},
    filter::Filter,
    limits::Limits,
    step::Pieces,
    table::{Batch, Bitmap, Column, DataType, Decoding, Schema, TableFile},
    tbf::{
        codes,
        raw::{self, MAGIC_TBF, put_long_varint, put_varint},
    },
};

/// A file of layout D with a footer.
#[derive(Debug)]
pub struct ColumnsFile {
    footer: Footer,
    schema: Arc<Schema>,
    /// The first row of each group, and the row after the last.
    starts: Vec<u64>,
    /// Where the footer's body begins.
    end: u64,
    limits: Limits,
}

/// Which bytes of a column's chunk some of its rows need.
struct Cut {
    /// The dictionary, if there is one.
    dictionary: Option<Range<u64>>,
    values: Range<u64>,
    /// Values in front of the wanted ones that must be passed over.
    skip: usize,
    /// Values to read after those, bits before the first included.
    rows: usize,
}

impl ColumnsFile {
    pub(in crate::tbf) fn new(footer: Footer, end: u64, limits: Limits) -> Result<Self> {
        let schema = footer.schema()?;
        if schema.is_empty() && footer.rows > 0 {
            return Err(Error::new(&codes::FOOTER, "rows without columns").section("footer"));
        }
        let mut starts = vec![0];
        starts.extend(footer.groups.iter().scan(0u64, |sum, g| {
            *sum += g.rows;
            Some(*sum)
        }));
        Ok(ColumnsFile { footer, schema, starts, end, limits })
    }

    /// What the footer says.
    pub fn footer(&self) -> &Footer {
        &self.footer
    }

    fn group(&self, group: usize) -> Result<&Group> {
        self.footer.groups.get(group).ok_or_else(|| {
            let message = format!("group {group} of {}", self.footer.groups.len());
            Error::new(&crate::error::codes::OUT_OF_RANGE, message).block(group as u64)
        })
    }

    fn chunk<'a>(&'a self, group: &'a Group, column: usize) -> Result<&'a Chunk> {
        self.schema.field(column)?;
        group.columns.get(column).ok_or_else(|| Error::new(&codes::FOOTER, "a column without a place"))
    }

    /// The bytes before the first column; they are read (and compared) when all columns are. A table without rows
    /// has nothing else, and its count is one byte longer than it must be, except in the oldest files.
    fn head(&self, index: usize, group: &Group) -> (Range<u64>, Vec<u8>) {
        let mut head = MAGIC_TBF.to_vec();
        if group.rows > 0 {
            put_varint(&mut head, group.rows);
            put_varint(&mut head, self.schema.len() as u64);
        } else {
            let room = self.group_end(index).saturating_sub(group.position);
            let longer = room > head.len() as u64 + 1;
            put_long_varint(&mut head, 0, usize::from(longer));
        }
        (group.position..group.position.saturating_add(head.len() as u64), head)
    }

    /// Where the next group begins, or the footer.
    fn group_end(&self, index: usize) -> u64 {
        self.footer.groups.get(index + 1).map_or(self.end, |next| next.position)
    }

    fn wants_head(&self, columns: &[usize]) -> bool {
        // In linear time: a table may have very many columns.
        let mut lacking = self.schema.len();
        if columns.len() < lacking {
            return false;
        }
        let mut seen = vec![false; lacking];
        for &column in columns {
            if let Some(seen) = seen.get_mut(column)
                && !std::mem::replace(seen, true)
            {
                lacking -= 1;
            }
        }
        lacking == 0
    }

    fn check_head(&self, index: usize, group: &Group, bytes: &Pieces) -> Result<()> {
        let (range, head) = self.head(index, group);
        if range.end > self.end || bytes.expect(range)? != head {
            let message = "the table does not begin as the footer says";
            let e = Error::new(&codes::FOOTER, message).section("header").offset(group.position);
            return Err(e.block(index as u64));
        }
        Ok(())
    }

    fn validity(&self, span: &Span, rows: usize, bytes: &Pieces) -> Result<Bitmap> {
        let bits = bytes.expect(span.range())?;
        if crc32(&bits) != span.crc32 {
            return Err(Error::new(&codes::CHECKSUM, "the checksum of the missing rows does not match")
                .section("validity")
                .offset(span.position));
        }
        Ok(Bitmap::new(bits, rows))
    }

    fn column(&self, group: &Group, column: usize, bytes: &Pieces) -> Result<Column> {
        let field = self.schema.field(column)?;
        let chunk = self.chunk(group, column)?;
        self.limits.item(chunk.length)?;
        let stored = bytes.expect(chunk.range())?;
        if crc32(&stored) != chunk.crc32 {
            let message = "the column's checksum does not match";
            return Err(Error::new(&codes::CHECKSUM, message).section("columns").offset(chunk.position));
        }
        let mut c = Cursor::new(&stored, chunk.position, "columns", &codes::TRUNCATED);
        let (tag, count) = (raw::varint(&mut c)?, raw::varint(&mut c)?);
        if tag != u64::from(chunk.encoding.tag()) || count != group.rows {
            return Err(c.error(&codes::FOOTER, "the column does not begin as the footer says"));
        }
        let data = values(&mut c, &stored, shape(chunk, &field.dtype, group.rows as usize))?;
        if !c.is_empty() {
            return Err(c.error(&codes::TRAILING, format!("{} bytes after the last value", c.remaining())));
        }
        let validity = match &chunk.validity {
            Some(span) => Some(self.validity(span, group.rows as usize, bytes)?),
            None => None,
        };
        if validity.as_ref().is_some_and(|v| (v.len() - v.count_ones()) as u64 != chunk.nulls) {
            return Err(Error::new(&codes::FOOTER, "another number of rows is missing than the footer says"));
        }
        Column::new(field.dtype.clone(), data, validity)
    }

    /// Where a fault of a column is; the row that it may name is counted from the group's first.
    fn located(&self, e: Error, group: usize, column: usize) -> Error {
        let e = e.block(group as u64).row_after(self.start(group));
        match self.schema.field(column) {
            Ok(field) => e.column(&field.name),
            Err(_) => e,
        }
    }

    /// A group's first row.
    fn start(&self, group: usize) -> u64 {
        self.starts.get(group).copied().unwrap_or_default()
    }

    fn cut(&self, group: &Group, chunk: &Chunk, rows: &Range<usize>) -> Cut {
        let first = chunk.position + chunk.values;
        let span = |a: u64, b: u64| first.saturating_add(a)..first.saturating_add(b);
        let n = rows.len();
        let by_width = |width: u64| span(rows.start as u64 * width, rows.end as u64 * width);
        let plain = |values| Cut { dictionary: None, values, skip: 0, rows: n };
        if let Some(width) = chunk.encoding.width() {
            return plain(by_width(width as u64));
        }
        match chunk.encoding {
            Stored::Bool => {
                let values = span(rows.start as u64 / 8, (rows.end as u64).div_ceil(8));
                Cut { dictionary: None, values, skip: rows.start % 8, rows: n }
            }
            Stored::Dictionary => {
                // The indexes end the column, so their width follows from the room they take.
                let width = (chunk.length - chunk.values) / group.rows.max(1);
                Cut { dictionary: Some(chunk.position..first), values: by_width(width), skip: 0, rows: n }
            }
            _ => {
                let mark = |k: usize| match k.checked_sub(1) {
                    None => 0,
                    Some(k) => chunk.marks.get(k).copied().unwrap_or(chunk.length - chunk.values),
                };
                let block = rows.start / MARK_ROWS;
                let values = span(mark(block), mark(rows.end.div_ceil(MARK_ROWS)));
                Cut { dictionary: None, values, skip: rows.start - block * MARK_ROWS, rows: n }
            }
        }
    }

    fn validity_cut(span: &Span, rows: &Range<usize>) -> Range<u64> {
        let at = |row: u64| span.position.saturating_add(row);
        at(rows.start as u64 / 8)..at((rows.end as u64).div_ceil(8))
    }

    /// Some rows of a column. Checksums belong to whole columns and are not looked at here.
    fn some_rows(&self, group: &Group, column: usize, rows: &Range<usize>, bytes: &Pieces) -> Result<Column> {
        let field = self.schema.field(column)?;
        let chunk = self.chunk(group, column)?;
        let cut = self.cut(group, chunk, rows);
        self.limits.item(cut.values.end - cut.values.start)?;
        let stored = bytes.expect(cut.values.clone())?;
        let mut c = Cursor::new(&stored, cut.values.start, "columns", &codes::TRUNCATED);
        let data = match &cut.dictionary {
            Some(range) => {
                let dictionary = bytes.expect(range.clone())?;
                let mut d = Cursor::new(&dictionary, range.start, "columns", &codes::TRUNCATED);
                raw::varint(&mut d)?;
                raw::varint(&mut d)?;
                indices(&mut c, &stored, cut.rows, raw::dictionary(&mut d)?)
            }
            None => values(&mut c, &stored, shape(chunk, &field.dtype, cut.skip + cut.rows)),
        };
        let data = data.map_err(|e| e.row_after((rows.start - cut.skip) as u64))?;
        let validity = match &chunk.validity {
            Some(span) => {
                let bits = bytes.expect(Self::validity_cut(span, rows))?;
                let skip = rows.start % 8;
                Some(Bitmap::new(bits, skip + rows.len()).slice(skip, rows.len()))
            }
            None => None,
        };
        let column = Column::new(field.dtype.clone(), data, None)?.slice(cut.skip, cut.rows);
        column.with_validity(validity)
    }

    fn rows_in(&self, group: &Group, rows: Range<usize>) -> Range<usize> {
        let end = rows.end.min(group.rows as usize);
        rows.start.min(end)..end
    }

    /// Every fault of the file: the columns' bytes and values, and bytes that belong to nothing.
    pub fn check(&self, group: usize, bytes: &Pieces) -> Vec<Error> {
        let mut faults = Vec::new();
        let Ok(g) = self.group(group) else { return faults };
        faults.extend(self.check_head(group, g, bytes).err());
        for i in (0..self.schema.len()).filter(|_| g.rows > 0) {
            faults.extend(self.column(g, i, bytes).err().map(|e| self.located(e, group, i)));
        }
        // What is wrong with all of a group is so from its first row on.
        if g.rows > 0 {
            faults = faults.into_iter().map(|e| e.row(self.start(group))).collect();
        }
        let mut covered = vec![self.head(group, g).0];
        covered.extend(g.columns.iter().map(Chunk::range));
        covered.extend(g.columns.iter().filter_map(|c| c.validity.as_ref()).map(Span::range));
        let end = self.group_end(group);
        let at = covered.iter().fold(g.position, |at, r| if r.start == at { r.end } else { at });
        if at != end || (group == 0 && g.position != 0) {
            let message = "there are bytes between the columns that belong to nothing";
            faults.push(Error::new(&codes::TRAILING, message).block(group as u64).offset(at));
        }
        faults
    }

    /// The file's length.
    pub fn file_len(&self, body: usize) -> u64 {
        self.end + (body + TRAILER) as u64
    }
}

fn shape<'a>(chunk: &Chunk, dtype: &'a DataType, rows: usize) -> Shape<'a> {
    Shape { stored: chunk.encoding, rows, dtype, offset: chunk.offset }
}

/// Ranges in order, those that touch put together.
fn coalesced(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.retain(|r| r.start < r.end);
    ranges.sort_by_key(|r| r.start);
    let mut out: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
    for r in ranges {
        match out.last_mut() {
            Some(last) if r.start <= last.end => last.end = last.end.max(r.end),
            _ => out.push(r),
        }
    }
    out
}

impl TableFile for ColumnsFile {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
    fn rows(&self) -> u64 {
        self.footer.rows
    }
    fn groups(&self) -> usize {
        self.footer.groups.len()
    }
    fn group_rows(&self, group: usize) -> Result<Range<u64>> {
        self.group(group)?;
        match self.starts.get(group..group + 2) {
            Some(&[a, b]) => Ok(a..b),
            _ => Ok(0..0),
        }
    }

    fn plan(&self, group: usize, columns: &[usize]) -> Result<Vec<Range<u64>>> {
        let g = self.group(group)?;
        let mut ranges = Vec::new();
        if self.wants_head(columns) {
            ranges.push(self.head(group, g).0);
        }
        for &column in columns.iter().filter(|_| g.rows > 0) {
            let chunk = self.chunk(g, column)?;
            ranges.push(chunk.range());
            ranges.extend(chunk.validity.as_ref().map(Span::range));
        }
        Ok(coalesced(ranges))
    }

    fn decode(&self, group: usize, columns: &[usize], bytes: &Pieces) -> Result<Batch> {
        self.decode_with(group, columns, bytes, &|count, one| (0..count).map(one).collect())
    }

    fn decode_with(&self, group: usize, columns: &[usize], bytes: &Pieces, by: Decoding<'_>) -> Result<Batch> {
        let g = self.group(group)?;
        let schema = self.schema.project(columns)?;
        if self.wants_head(columns) {
            self.check_head(group, g, bytes)?;
        }
        let one = |k: usize| {
            let i = columns.get(k).copied().unwrap_or(usize::MAX);
            if g.rows == 0 {
                return crate::table::ColumnBuilder::new(&self.schema.field(i)?.dtype).finish();
            }
            self.column(g, i, bytes).map_err(|e| self.located(e, group, i))
        };
        Batch::with_rows(schema, by(columns.len(), &one)?, g.rows as usize)
    }

    fn plan_rows(&self, group: usize, columns: &[usize], rows: Range<usize>) -> Result<Vec<Range<u64>>> {
        let g = self.group(group)?;
        let rows = self.rows_in(g, rows);
        let mut ranges = Vec::new();
        for &column in columns.iter().filter(|_| !rows.is_empty()) {
            let chunk = self.chunk(g, column)?;
            let cut = self.cut(g, chunk, &rows);
            ranges.extend(cut.dictionary);
            ranges.push(cut.values);
            ranges.extend(chunk.validity.as_ref().map(|span| Self::validity_cut(span, &rows)));
        }
        Ok(coalesced(ranges))
    }

    fn decode_rows(&self, group: usize, columns: &[usize], rows: Range<usize>, bytes: &Pieces) -> Result<Batch> {
        let g = self.group(group)?;
        let rows = self.rows_in(g, rows);
        let schema = self.schema.project(columns)?;
        let decoded = columns
            .iter()
            .map(|&i| {
                if rows.is_empty() {
                    return crate::table::ColumnBuilder::new(&self.schema.field(i)?.dtype).finish();
                }
                self.some_rows(g, i, &rows, bytes).map_err(|e| self.located(e, group, i))
            })
            .collect::<Result<_>>()?;
        Batch::with_rows(schema, decoded, rows.len())
    }

    fn may_match(&self, group: usize, filter: &Filter) -> bool {
        let Ok(g) = self.group(group) else { return true };
        filter.may_match(&|path| {
            let column = self.schema.position(path.name()?)?;
            let chunk = g.columns.get(column)?;
            super::bounds::of(chunk, &self.schema.field(column).ok()?.dtype, g.rows)
        })
    }
}
