//! What proves that a shard is what was written: the SHA-256 of the whole, and CRC-32 of each block and image.

use std::fmt::Write as _;

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use super::codes;
use crate::{
    codec::checksum::crc32,
    cursor::Cursor,
    error::{Error, Result},
};

/// The first bytes of the block.
pub const CHECKSUMS_MAGIC: [u8; 4] = *b"TWC1";
/// Bytes of the block but the checksums of the images.
pub const CHECKSUMS_FIXED: u64 = 44;
/// CRC-32 as in gzip; there is no other kind.
const KIND: u32 = 1;

/// The SHA-256 of bytes that come piece by piece.
#[derive(Clone, Debug, Default)]
pub struct Digest(Sha256);

impl Digest {
    /// Takes the next bytes in.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
    /// The digest as 64 hexadecimal digits.
    pub fn finish(self) -> String {
        self.0.finalize().iter().fold(String::with_capacity(64), |mut hex, byte| {
            // Writing to a text does not fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }
}

/// The checksums of a shard's blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checksums {
    /// Of the 80 bytes of the header.
    pub header: u32,
    /// Of the boxes.
    pub boxes: u32,
    /// Of the masks.
    pub mask: u32,
    /// Of the block of metadata; 0 where there is none.
    pub meta: u32,
    /// Of each image.
    pub images: Vec<u32>,
}

impl Checksums {
    /// Bytes of the block for this many samples.
    pub(crate) fn len_of(samples: u64) -> Option<u64> {
        samples.checked_mul(4)?.checked_add(CHECKSUMS_FIXED)
    }

    /// The block.
    pub fn encode(&self) -> Vec<u8> {
        let samples = self.images.len() as u64;
        let mut block = Vec::with_capacity(CHECKSUMS_FIXED as usize + 4 * self.images.len());
        block.extend(CHECKSUMS_MAGIC);
        block.extend(KIND.to_le_bytes());
        block.extend((CHECKSUMS_FIXED + 4 * samples).to_le_bytes());
        block.extend(samples.to_le_bytes());
        let fixed = [self.header, self.boxes, self.mask, self.meta];
        block.extend(fixed.iter().chain(&self.images).flat_map(|crc| crc.to_le_bytes()));
        block.extend(crc32(&block).to_le_bytes());
        block
    }

    /// Reads the block, which begins at `offset` of the shard and has a place for each of `samples`.
    pub fn parse(block: &Bytes, offset: u64, samples: u64) -> Result<Self> {
        let mut c = Cursor::new(block, offset, "checksums", &codes::BLOCK_CHECKSUM);
        let bad = |c: &Cursor<'_>, message: String| Err(c.error(&codes::BLOCK_CHECKSUM, message));
        if c.array::<4>()? != CHECKSUMS_MAGIC || c.u32()? != KIND {
            return bad(&c, "the block does not begin with TWC1 and kind 1".into());
        }
        let (len, count) = (c.u64()?, c.u64()?);
        if count != samples || Some(len) != Self::len_of(samples) || len != block.len() as u64 {
            return bad(&c, format!("the block is {len} bytes for {count} samples, the shard has {samples}"));
        }
        let (header, boxes, mask, meta) = (c.u32()?, c.u32()?, c.u32()?, c.u32()?);
        let mut images = Vec::with_capacity(c.remaining() / 4);
        for _ in 0..samples {
            images.push(c.u32()?);
        }
        let found = crc32(&block[..c.position()]);
        let said = c.u32()?;
        if found != said {
            let message = format!("CRC-32 of the checksums is {found:08x}, the file says {said:08x}");
            return Err(Error::new(&codes::BLOCK_CHECKSUM, message).section("checksums").offset(offset));
        }
        Ok(Checksums { header, boxes, mask, meta, images })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_come_back_and_prove_themselves() {
        let sums = Checksums { header: 1, boxes: 2, mask: 3, meta: 0, images: vec![5, 6, 7] };
        let block = sums.encode();
        assert_eq!(Some(block.len() as u64), Checksums::len_of(3));
        assert_eq!(Checksums::parse(&block.clone().into(), 0, 3).unwrap(), sums);
        assert!(Checksums::parse(&block.clone().into(), 0, 2).is_err());
        for k in 0..block.len() {
            let mut bad = block.clone();
            bad[k] ^= 1;
            assert!(Checksums::parse(&bad.into(), 0, 3).is_err(), "byte {k}");
        }
    }
}
