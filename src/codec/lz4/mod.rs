//! LZ4 blocks: lz4_flex for level 1 and reading, the C library for HC.

#[cfg(any(test, not(all(target_pointer_width = "64", target_endian = "little"))))]
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

/// Level 1.
#[cfg(all(target_pointer_width = "64", target_endian = "little"))]
fn fast(payload: &[u8]) -> Vec<u8> {
    lz4_flex::block::compress(payload)
}

/// Level 1, as it is packed above. lz4_flex packs less than 64 KiB the same with 32 bits, and nothing the same where
/// numbers stand the other way around.
#[cfg(not(all(target_pointer_width = "64", target_endian = "little")))]
fn fast(payload: &[u8]) -> Vec<u8> {
    let same = cfg!(target_endian = "little") && payload.len() < usize::from(u16::MAX);
    if same { lz4_flex::block::compress(payload) } else { wide::compress(payload) }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{codec::checksum::crc32, random::Draws};

    #[test]
    fn every_machine_packs_the_same_bytes() {
        let mut draws = Draws::new(7);
        let bytes: Vec<u8> = (0..200_000).map(|i| if i % 40 < 23 { b'a' } else { draws.below(5) as u8 }).collect();
        let packed = [0, 12, 13, 1000, 65_534, 65_535, 200_000].map(|len| crc32(&fast(&bytes[..len])));
        let told = [0xd202_ef8d, 0x9fa5_3e27, 0xd4d3_4355, 0xa033_54a7, 0x4a16_ad86, 0xd908_1baf, 0x437f_5f61];
        assert_eq!(packed, told, "what lz4_flex packs with 64 bits, the low byte first");
    }
}
