//! Vectors in a block: lengths, sparse or dense, and all their values as one run.

use super::{codec_def::Codec, codes, source::Source, values};
use crate::{
    cursor::Cursor,
    error::{Error, Result},
    limits::Limits,
    table::{Buffer, Column, VectorColumn},
};

fn ints<'a>(c: &mut Cursor<'a>, n: usize) -> Result<impl Iterator<Item = i32> + Clone + use<'a>> {
    Ok(c.take_u64(n as u64 * 4)?.as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b)))
}

/// An error at the `i`-th of the 32-bit numbers that begin at `at`.
fn fault(at: &Cursor<'_>, i: usize, message: String) -> Error {
    let mut at = at.clone();
    match at.take(i * 4) {
        Ok(_) => at.error(&codes::VECTOR, message),
        Err(e) => e,
    }
}

/// Reads `n` vectors of a type; `codec` must be a vector.
pub(super) fn read(source: &mut Source<'_>, codec: &Codec, n: usize, limits: &Limits) -> Result<VectorColumn> {
    let size = codec.vector_size().unwrap_or_default();
    let c = &mut source.cursor;
    let start = c.clone();
    let announced = c.i32()?;
    if usize::try_from(announced) != Ok(n) {
        return Err(start.error(&codes::COUNT, format!("{announced} vectors announced, {n} expected")));
    }
    let Lengths { common, each } = lengths(c, n, size)?;
    let counts_at = c.clone();
    let mut counts = Vec::with_capacity(c.remaining().min(n * 4) / 4);
    let mut total = 0u64;
    for (i, count) in ints(c, n)?.enumerate() {
        let length = if common > 0 { common } else { each.get(i).copied().unwrap_or_default() };
        counts.push(match u32::try_from(count) {
            Err(_) if count == -1 => length,
            Ok(count) if count < length => count,
            _ => return Err(fault(&counts_at, i, format!("vector {i} lists {count} of {length} slots"))),
        });
        total += u64::from(counts.last().copied().unwrap_or_default());
    }
    let lengths: Buffer<u32> = if common > 0 { vec![common; n].into() } else { each };
    let indices = indices(c, &lengths, &counts)?;
    // A value takes at least a bit, so this only spares later sums from overflowing.
    if total > (c.remaining() as u64 * 8).min(i32::MAX as u64) {
        let message = format!("vectors of {total} values in {} bytes", c.remaining());
        return Err(c.error(&codes::TRUNCATED, message));
    }
    let items = values::read(source, codec.item.layout, total as usize, true, limits)?;
    let misfit = |e: Error| start.error(&codes::VECTOR, e.message());
    let items = Column::new(codec.item.dtype(), items, None).map_err(misfit)?;
    let vectors = match indices {
        None => VectorColumn::dense(lengths, items),
        Some(indices) => VectorColumn::sparse(lengths, &counts, indices, items),
    };
    vectors.map_err(misfit)
}

/// How long vectors are: all the same, or, if that is 0, each its own.
struct Lengths {
    common: u32,
    each: Buffer<u32>,
}

fn lengths(c: &mut Cursor<'_>, n: usize, size: u32) -> Result<Lengths> {
    let at = c.clone();
    let common = c.i32()?;
    let Ok(common) = u32::try_from(common) else {
        return Err(fault(&at, 0, format!("vectors of {common} slots")));
    };
    if size > 0 && common != size {
        return Err(fault(&at, 0, format!("vectors of {common} slots in a column of {size}")));
    }
    if common > 0 {
        return Ok(Lengths { common, each: Buffer::default() });
    }
    let at = c.clone();
    let each = ints(c, n)?;
    if let Some((i, bad)) = each.clone().enumerate().find(|(_, length)| *length < 0) {
        return Err(fault(&at, i, format!("vector {i} has {bad} slots")));
    }
    Ok(Lengths { common, each: each.map(|length| length as u32).collect() })
}

/// The slots that sparse vectors list; `None` if no vector is sparse.
fn indices(c: &mut Cursor<'_>, lengths: &Buffer<u32>, counts: &[u32]) -> Result<Option<Buffer<u32>>> {
    let sparse = || counts.iter().zip(lengths.iter()).enumerate().filter(|(_, (count, length))| count < length);
    let listed: u64 = sparse().map(|(_, (count, _))| u64::from(*count)).sum();
    let at = c.clone();
    let announced = c.i32()?;
    if u64::try_from(announced).map_or(true, |n| n < listed) {
        return Err(fault(&at, 0, format!("{announced} slots announced, {listed} listed")));
    }
    let at = c.clone();
    // More than are listed are accepted and left alone.
    let mut all = ints(c, announced as usize)?;
    if sparse().next().is_none() {
        return Ok(None);
    }
    let mut out = Vec::with_capacity(listed as usize);
    for (i, (&count, &length)) in sparse() {
        let mut least = 0;
        for index in all.by_ref().take(count as usize) {
            if index < least || index as u32 >= length {
                let message = format!("vector {i} lists slot {index}; it has {length}, in increasing order");
                return Err(fault(&at, out.len(), message));
            }
            least = index + 1;
            out.push(index as u32);
        }
    }
    Ok(Some(out.into()))
}
