//! LZ4 blocks: lz4_flex for level 1 and reading, the C library for HC.

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
        return Ok(Some(lz4_flex::block::compress(payload)));
    }
    hc(payload, level)
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
