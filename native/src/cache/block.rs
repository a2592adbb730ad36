//! One block on disk: a head that says what it is, with a checksum for every part, and the bytes.
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `FBCACHE1` |
//! | 32 | the key of the source, as in the folder's name |
//! | 8 | the block's number |
//! | 4 | how many bytes it holds |
//! | 64 | the CRC-32 of each part of 64 KiB; 0 behind the last |
//! | 4 | the CRC-32 of all of the head before it |
//!
//! Numbers are little-endian. A read checks the head and the parts that it touches, so that a small one costs little.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    ops::Range,
};

use forebay::codec::checksum::crc32;

use super::key::Key;

/// Bytes of a source that are kept together. An object's store needs about as long to send that many as to begin; and a
/// hundred gigabytes of such files are a folder that can still be listed.
pub(super) const BLOCK: u64 = 1 << 20;
const PART: usize = 64 << 10;
const PARTS: usize = BLOCK as usize / PART;
const MAGIC: &[u8; 8] = b"FBCACHE1";
const SUMS: usize = 8 + 32 + 8 + 4;
const HEAD: usize = SUMS + 4 * PARTS + 4;

/// Which block, and how many bytes it holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name<'a> {
    pub key: &'a Key,
    pub number: u64,
    pub len: usize,
}

impl Name<'_> {
    fn head(&self, sums: impl IntoIterator<Item = u32>) -> Vec<u8> {
        let mut head = Vec::with_capacity(HEAD);
        head.extend_from_slice(MAGIC);
        head.extend_from_slice(self.key.as_str().as_bytes());
        head.extend_from_slice(&self.number.to_le_bytes());
        head.extend_from_slice(&u32::try_from(self.len).unwrap_or(u32::MAX).to_le_bytes());
        sums.into_iter().for_each(|sum| head.extend_from_slice(&sum.to_le_bytes()));
        head.resize(HEAD - 4, 0);
        let sum = crc32(&head);
        head.extend_from_slice(&sum.to_le_bytes());
        head
    }

    /// Writes the block.
    pub fn write(&self, to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
        to.write_all(&self.head(bytes.chunks(PART).map(crc32)))?;
        to.write_all(bytes)
    }

    /// Fills `out` with the block's bytes from `at` on; false if this is another block or a damaged one.
    pub fn read(&self, mut file: &File, at: usize, out: &mut [u8]) -> io::Result<bool> {
        let len = (HEAD + self.len) as u64;
        let end = at.saturating_add(out.len());
        if file.metadata()?.len() != len || end > self.len {
            return Ok(false);
        }
        let mut head = [0; HEAD];
        file.read_exact(&mut head)?;
        let sums: Vec<u32> =
            head[SUMS..HEAD - 4].as_chunks::<4>().0.iter().map(|sum| u32::from_le_bytes(*sum)).collect();
        if *self.head(sums.iter().copied()) != head {
            return Ok(false);
        }
        let mut part = Vec::new();
        let mut at_part = at / PART;
        file.seek(SeekFrom::Start((HEAD + at_part * PART) as u64))?;
        while at_part * PART < end {
            let held = at_part * PART..((at_part + 1) * PART).min(self.len);
            let wanted = held.start.max(at)..held.end.min(end);
            let to = &mut out[wanted.start - at..wanted.end - at];
            let sum = if wanted == held {
                file.read_exact(to)?;
                crc32(to)
            } else {
                part.resize(held.len(), 0);
                file.read_exact(&mut part)?;
                to.copy_from_slice(&part[within(&wanted, held.start)]);
                crc32(&part)
            };
            if sums.get(at_part) != Some(&sum) {
                return Ok(false);
            }
            at_part += 1;
        }
        Ok(true)
    }
}

fn within(range: &Range<usize>, start: usize) -> Range<usize> {
    range.start - start..range.end - start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_a_block_is_held_to_its_checksum() {
        let key = Key::of("somewhere", 200_000);
        let bytes: Vec<u8> = (0..200_000_u64).map(|i| ((i * i) >> 7) as u8).collect();
        let name = Name { key: &key, number: 3, len: bytes.len() };
        let mut whole = Vec::new();
        name.write(&mut whole, &bytes).unwrap();
        let read = |name: &Name<'_>, content: &[u8], range: Range<usize>| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(content).unwrap();
            file.rewind().unwrap();
            let mut out = vec![0; range.len()];
            name.read(&file, range.start, &mut out).unwrap().then_some(out)
        };
        for range in [0..1, 0..200_000, 65_535..65_537, 65_536..131_072, 199_999..200_000, 70_000..190_000, 5..5] {
            assert_eq!(read(&name, &whole, range.clone()).as_deref(), Some(&bytes[range]));
        }
        assert_eq!(read(&name, &whole, 199_999..200_001), None);
        for at in (0..HEAD).chain([HEAD, HEAD + 1, HEAD + 65_536, whole.len() - 1]) {
            let mut bad = whole.clone();
            bad[at] ^= 1;
            assert_eq!(read(&name, &bad, 0..200_000), None, "{at}");
        }
        for len in [0, 1, HEAD, whole.len() - 1] {
            assert_eq!(read(&name, &whole[..len], 0..10), None, "{len}");
        }
        assert_eq!(read(&Name { number: 4, ..name }, &whole, 0..10), None);
        assert_eq!(read(&Name { key: &Key::of("elsewhere", 200_000), ..name }, &whole, 0..10), None);
    }
}
