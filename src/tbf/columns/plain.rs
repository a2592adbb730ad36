//! Layout D as it is documented, without a footer: the columns have no names, and the file is read as a whole.

use std::sync::Arc;

use bytes::Bytes;

use super::{
    decode::{Shape, values},
    encoding::Stored,
};
use crate::{
    cursor::Cursor,
    error::{Error, Result},
    limits::Limits,
    table::{Batch, Column, Field, Schema},
    tbf::{
        codes,
        raw::{self, MAGIC_TBF},
    },
};

/// The tables of a file, one after the other, and how each column of the first is stored.
pub(in crate::tbf) fn read(file: &Bytes, limits: &Limits) -> Result<(Vec<Batch>, Vec<Stored>)> {
    match tables(file, 0, limits) {
        Ok(found) => Ok(found),
        // An overview of the format shows a version byte behind the magic; only an exact fit tells.
        Err(e) if file.get(4) == Some(&1) => tables(file, 1, limits).map_err(|_| e),
        Err(e) => Err(e),
    }
}

fn tables(file: &Bytes, extra: usize, limits: &Limits) -> Result<(Vec<Batch>, Vec<Stored>)> {
    let mut c = Cursor::new(file, 0, "columns", &codes::TRUNCATED);
    let (mut batches, mut stored): (Vec<Batch>, Vec<Stored>) = (vec![], vec![]);
    let mut rows = 0;
    while !c.is_empty() || batches.is_empty() {
        let start = c.clone();
        if c.array::<4>()? != MAGIC_TBF {
            return Err(start.error(&codes::TRAILING, "the next part is neither a table nor a footer"));
        }
        c.take(extra)?;
        let (batch, how) = table(&mut c, file, limits).map_err(|e| e.block(batches.len() as u64).row_after(rows))?;
        rows += batch.rows() as u64;
        match batches.first() {
            Some(first) if batch.rows() > 0 && first.schema() != batch.schema() => {
                return Err(start.error(&codes::COUNT, "tables of different columns follow each other"));
            }
            _ if batch.rows() == 0 && !batches.is_empty() => {}
            _ => {
                stored = if batches.is_empty() { how } else { stored };
                batches.push(batch);
            }
        }
    }
    Ok((batches, stored))
}

/// A count that is longer than it needs to be, in the first column or in a table without rows, says that a footer
/// follows; only what was cut off behind a table can lack it.
fn promises_no_footer(before: &Cursor<'_>, after: &Cursor<'_>, count: u64) -> Result<()> {
    if after.offset() - before.offset() == raw::varint_len(count) as u64 {
        return Ok(());
    }
    Err(before.error(&codes::TRUNCATED, "the table says that a footer follows, but the file ends: it was cut"))
}

fn table(c: &mut Cursor<'_>, file: &Bytes, limits: &Limits) -> Result<(Batch, Vec<Stored>)> {
    let start = c.clone();
    let rows = raw::varint(c)?;
    if rows == 0 {
        promises_no_footer(&start, c, 0)?;
        return Ok((Batch::new(Arc::new(Schema::default()), vec![])?, vec![]));
    }
    let before = c.clone();
    let columns = raw::count(c, 3, 0, "columns")?;
    // Every row of a column takes at least a bit.
    let Some(rows) = usize::try_from(rows).ok().filter(|_| columns > 0 && rows / 8 <= before.remaining() as u64) else {
        return Err(before.error(&codes::COUNT, format!("{rows} rows of {columns} columns do not fit the file")));
    };
    let (mut fields, mut decoded, mut how) = (vec![], vec![], vec![]);
    for i in 0..columns {
        let name = format!("c{i}");
        let at = c.clone();
        let tag = raw::varint(c)?;
        let Some(stored) = Stored::from_tag(tag) else {
            return Err(at.error(&codes::TAG, format!("there is no column type {tag}")).column(name));
        };
        let before = c.clone();
        let count = raw::varint(c)?;
        if i == 0 {
            promises_no_footer(&before, c, count)?;
        }
        if count != rows as u64 {
            return Err(at.error(&codes::COUNT, format!("{count} values in a table of {rows} rows")).column(name));
        }
        let dtype = stored.plain_type();
        limits.item((rows as u64).saturating_mul(stored.width().unwrap_or(1) as u64))?;
        let data =
            values(c, file, Shape { stored, rows, dtype: &dtype, offset: 0 }).map_err(|e: Error| e.column(&name))?;
        decoded.push(Column::new(dtype.clone(), data, None)?);
        fields.push(Field::new(name, dtype));
        how.push(stored);
    }
    Ok((Batch::new(Arc::new(Schema::new(fields)?), decoded)?, how))
}
