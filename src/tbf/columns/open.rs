//! Finding the footer at the end of a file.

use std::ops::Range;

use super::footer::{self, Footer};
use crate::{error::Result, limits::Limits, step::Pieces};

/// What is read of the end of a file at once: enough for the footer of most files.
const TAIL: u64 = 64 << 10;

/// What is at the end of a file.
pub(in crate::tbf) enum Found {
    /// A footer, and where it begins.
    Footer(Box<Footer>, u64),
    None,
    /// Bytes that would tell.
    Lacking(Range<u64>),
}

/// Looks for the footer of a file of `len` bytes.
pub(in crate::tbf) fn find_footer(pieces: &Pieces, len: u64, limits: &Limits) -> Result<Found> {
    let tail = len.saturating_sub(TAIL)..len;
    let Some(last) = pieces.get(tail.clone()) else { return Ok(Found::Lacking(tail)) };
    let Some((body, crc)) = footer::trailer(&last, len)? else { return Ok(Found::None) };
    limits.metadata(body.end - body.start)?;
    match pieces.get(body.clone()) {
        Some(bytes) => Ok(Found::Footer(Box::new(Footer::parse(&bytes, crc, body.start)?), body.start)),
        None => Ok(Found::Lacking(body)),
    }
}
