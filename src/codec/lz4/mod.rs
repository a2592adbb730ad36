//! LZ4 blocks: lz4_flex for level 1 and reading, the C library for HC.

#[cfg(any(test, not(any(target_pointer_width = "64", target_endian = "big"))))]
mod wide;

use super::{codes, size_mismatch};
use crate::{
    error::{Error, Result},
    limits::Limits,
};

/// An LZ4 block cannot grow by more than this: a run's length costs one byte per 255.
fn most(stored: usize) -> u64 {
    (stored as u64).saturating_mul(255).saturating_add(64)
}

pub(super) fn decompress(stored: &[u8], size: u64, limits: &Limits) -> Result<Vec<u8>> {
    if size > most(stored.len()) {
        return Err(Error::new(
            &codes::SIZE,
            format!("{size} bytes announced, but {} LZ4 bytes cannot hold them", stored.len()),
        ));
    }
    let mut out = vec![0; limits.item(size)?];
    let n = lz4_flex::block::decompress_into(stored, &mut out)
        .map_err(|e| Error::caused(&codes::CORRUPT, format!("LZ4: {e}"), e))?;
    if n as u64 != size {
        return Err(size_mismatch(size, n as u64));
    }
    Ok(out)
}

pub(super) fn compress(payload: &[u8], level: u8) -> Result<Option<Vec<u8>>> {
    if level <= 1 {
        return Ok(Some(fast(payload)));
    }
    hc(payload, level)
}

/// Level 1. Below 64 KiB lz4_flex packs the same everywhere.
#[cfg(any(target_pointer_width = "64", target_endian = "big"))]
fn fast(payload: &[u8]) -> Vec<u8> {
    lz4_flex::block::compress(payload)
}

/// Level 1, as it is packed with 64 bits.
#[cfg(not(any(target_pointer_width = "64", target_endian = "big")))]
fn fast(payload: &[u8]) -> Vec<u8> {
    if payload.len() < usize::from(u16::MAX) { lz4_flex::block::compress(payload) } else { wide::compress(payload) }
}

#[cfg(feature = "lz4-hc")]
fn hc(payload: &[u8], level: u8) -> Result<Option<Vec<u8>>> {
    let mut out = Vec::new();
    lzzzz::lz4_hc::compress_to_vec(payload, &mut out, i32::from(level))
        .map_err(|e| Error::caused(&codes::CORRUPT, format!("LZ4 HC: {e}"), e))?;
    Ok(Some(out))
}

#[cfg(not(feature = "lz4-hc"))]
fn hc(_: &[u8], level: u8) -> Result<Option<Vec<u8>>> {
    Err(Error::new(&codes::UNAVAILABLE, format!("LZ4 level {level} needs the feature `lz4-hc`; use level 1")))
}
