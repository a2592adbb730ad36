//! Vectors in a block: lengths, sparse or dense, and all their values as one run.

use super::{
    codec_def::Codec,
    codes,
    values::{self, Values},
};
use crate::{
    cursor::Cursor,
    error::{Error, Result},
    limits::Limits,
};

/// Vectors, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Vectors {
    /// How many slots each has.
    pub lengths: Lengths,
    /// For each how many of its slots are listed; -1 where all are.
    pub counts: Vec<i32>,
    /// The slots that are listed, for the sparse ones, increasing within each.
    pub indices: Vec<u32>,
    /// The values of all of them: every slot of the dense ones, the listed slots of the sparse ones.
    pub values: Values,
}

/// How long vectors are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// All the same.
    All(u32),
    /// Each its own.
    Each(Vec<u32>),
}

impl Lengths {
    /// The length of vector `i`.
    pub fn get(&self, i: usize) -> u32 {
        match self {
            Lengths::All(n) => *n,
            Lengths::Each(each) => each.get(i).copied().unwrap_or_default(),
        }
    }
}

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
pub fn read(c: &mut Cursor<'_>, codec: &Codec, n: usize, limits: &Limits) -> Result<Vectors> {
    let size = codec.vector_size().unwrap_or_default();
    let start = c.clone();
    let announced = c.i32()?;
    if usize::try_from(announced) != Ok(n) {
        return Err(start.error(&codes::COUNT, format!("{announced} vectors announced, {n} expected")));
    }
    let lengths = lengths(c, n, size)?;
    let counts_at = c.clone();
    let counts: Vec<i32> = ints(c, n)?.collect();
    let (mut listed, mut total) = (0u64, 0u64);
    for (i, &count) in counts.iter().enumerate() {
        let length = lengths.get(i);
        match u32::try_from(count) {
            Err(_) if count == -1 => total += u64::from(length),
            Ok(count) if count < length => {
                listed += u64::from(count);
                total += u64::from(count);
            }
            _ => return Err(fault(&counts_at, i, format!("vector {i} lists {count} of {length} slots"))),
        }
    }
    let indices = indices(c, &lengths, &counts, listed)?;
    // A value takes at least a bit, so this only spares later sums from overflowing.
    if total > c.remaining() as u64 * 8 {
        let message = format!("vectors of {total} values in {} bytes", c.remaining());
        return Err(c.error(&codes::TRUNCATED, message));
    }
    let values = values::read(c, codec.item.layout, total as usize, true, limits)?;
    Ok(Vectors { lengths, counts, indices, values })
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
        return Ok(Lengths::All(common));
    }
    let at = c.clone();
    let each = ints(c, n)?;
    if let Some((i, bad)) = each.clone().enumerate().find(|(_, length)| *length < 0) {
        return Err(fault(&at, i, format!("vector {i} has {bad} slots")));
    }
    Ok(Lengths::Each(each.map(|length| length as u32).collect()))
}

fn indices(c: &mut Cursor<'_>, lengths: &Lengths, counts: &[i32], listed: u64) -> Result<Vec<u32>> {
    let at = c.clone();
    let announced = c.i32()?;
    if u64::try_from(announced).map_or(true, |n| n < listed) {
        return Err(fault(&at, 0, format!("{announced} slots announced, {listed} listed")));
    }
    let at = c.clone();
    // More than are listed are accepted and left alone.
    let mut all = ints(c, announced as usize)?;
    let mut out = Vec::with_capacity(listed as usize);
    for (i, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let mut least = 0;
        for index in all.by_ref().take(count as usize) {
            if index < least || index as u32 >= lengths.get(i) {
                let length = lengths.get(i);
                let message = format!("vector {i} lists slot {index}; it has {length}, in increasing order");
                return Err(fault(&at, out.len(), message));
            }
            least = index + 1;
            out.push(index as u32);
        }
    }
    Ok(out)
}
