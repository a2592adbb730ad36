//! Zstandard frames: the C library where it is built in, else ruzstd for reading.

use super::codes;
use crate::{
    error::{Error, Result},
    limits::Limits,
};

pub(super) fn decompress(stored: &[u8], size: u64, limits: &Limits) -> Result<Vec<u8>> {
    let size = limits.item(size)?;
    expand(stored, size)
}

#[cfg(feature = "zstd")]
fn expand(stored: &[u8], size: usize) -> Result<Vec<u8>> {
    // The bulk call refuses frames whose own content size is over the capacity before it writes a byte.
    let out = zstd::bulk::decompress(stored, size)
        .map_err(|e| Error::caused(&codes::CORRUPT, format!("Zstandard: {e}"), e))?;
    if out.len() != size {
        return Err(super::size_mismatch(size as u64, out.len() as u64));
    }
    Ok(out)
}

#[cfg(not(any(feature = "zstd", feature = "unzstd")))]
fn expand(_: &[u8], _: usize) -> Result<Vec<u8>> {
    Err(Error::new(&codes::UNAVAILABLE, "reading Zstandard needs the feature `zstd` or `unzstd`"))
}

#[cfg(all(feature = "unzstd", not(feature = "zstd")))]
fn expand(stored: &[u8], size: usize) -> Result<Vec<u8>> {
    use std::io::Read as _;
    let corrupt = |e: String| Error::new(&codes::CORRUPT, format!("Zstandard: {e}"));
    let decoder = ruzstd::decoding::StreamingDecoder::new(stored).map_err(|e| corrupt(e.to_string()))?;
    let mut out = Vec::new();
    // One byte more than announced is enough to see that the announcement was wrong.
    decoder.take(size as u64 + 1).read_to_end(&mut out).map_err(|e| corrupt(e.to_string()))?;
    if out.len() != size {
        return Err(super::size_mismatch(size as u64, out.len() as u64));
    }
    Ok(out)
}

#[cfg(feature = "zstd")]
pub(super) fn compress(payload: &[u8], level: u8) -> Result<Option<Vec<u8>>> {
    zstd::bulk::compress(payload, i32::from(level))
        .map(Some)
        .map_err(|e| Error::caused(&codes::CORRUPT, format!("Zstandard: {e}"), e))
}

#[cfg(not(feature = "zstd"))]
pub(super) fn compress(_: &[u8], _: u8) -> Result<Option<Vec<u8>>> {
    Err(Error::new(&codes::UNAVAILABLE, "writing Zstandard needs the feature `zstd`"))
}
