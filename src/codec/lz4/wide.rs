//! LZ4 blocks byte for byte as lz4_flex makes them with 64 bits and the low byte first, for other machines. With 32 bits
//! it finds matches in 64 KiB and more by another hash; with the high byte first all its hashes are others. So what a
//! page or such a machine converts is what the command writes.

/// Entries of the table, and how many bits of a 16-bit hash they leave out.
const ENTRIES: usize = 4096;
const SHIFT: u32 = 4;
/// No match begins in the last bytes of a block, and none reaches its very end.
const LAST_START: usize = 12;
const LAST_BYTES: usize = 6;
const SHORTEST: usize = 4;
const FARTHEST: usize = 0xFFFF;
/// Blocks below this are hashed by four bytes; machines of 32 bits with the low byte first leave them to lz4_flex.
const SMALL: usize = 0xFFFF;
/// After this many misses (as a power of two) the steps become longer.
const PATIENCE: u32 = 5;

fn word(input: &[u8], at: usize) -> u64 {
    input.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Which entry five bytes have, or four of a small block.
fn entry(input: &[u8], at: usize) -> usize {
    let word = word(input, at);
    let hash = match cfg!(any(test, target_endian = "big")) && input.len() < SMALL {
        true => u64::from((word as u32).wrapping_mul(2_654_435_761) >> 16),
        false => (word << 24).wrapping_mul(889_523_592_379) >> 48,
    };
    (hash as usize >> SHIFT) % ENTRIES
}

/// How many bytes from `a` on are those from `b` on, up to `end`.
fn same(input: &[u8], a: usize, b: usize, end: usize) -> usize {
    let (Some(here), Some(there)) = (input.get(a..end), input.get(b..)) else { return 0 };
    let (words, _) = here.as_chunks::<8>();
    let equal = words.iter().zip(there.as_chunks::<8>().0).take_while(|(x, y)| x == y).count() * 8;
    equal + here.iter().zip(there).skip(equal).take_while(|(x, y)| x == y).count()
}

/// A length behind the part of it that fits the token.
fn put_length(out: &mut Vec<u8>, mut n: usize) {
    while n >= 0xFF {
        out.push(0xFF);
        n -= 0xFF;
    }
    out.push(n as u8);
}

fn put(out: &mut Vec<u8>, literals: &[u8], found: Option<(u16, usize)>) {
    let nibble = |n: usize| n.min(0xF) as u8;
    out.push(nibble(literals.len()) << 4 | found.map_or(0, |(_, more)| nibble(more)));
    if literals.len() >= 0xF {
        put_length(out, literals.len() - 0xF);
    }
    out.extend_from_slice(literals);
    if let Some((offset, more)) = found {
        out.extend_from_slice(&offset.to_le_bytes());
        if more >= 0xF {
            put_length(out, more - 0xF);
        }
    }
}

/// Compresses a block.
pub(super) fn compress(input: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(input.len() / 2);
    let mut table = vec![0u32; ENTRIES];
    let (mut literals, mut at) = (0, 1);
    while let Some((start, candidate)) = find(input, at, &mut table) {
        // A match may have begun before the place where it was noticed.
        let before = input[literals..start].iter().rev().zip(input[..candidate].iter().rev());
        let earlier = before.take_while(|(x, y)| x == y).count();
        let (start, candidate) = (start - earlier, candidate - earlier);
        let more = same(input, start + SHORTEST, candidate + SHORTEST, input.len() - LAST_BYTES);
        at = start + SHORTEST + more;
        table[entry(input, at - 2)] = (at - 2) as u32;
        put(&mut out, &input[literals..start], Some(((start - candidate) as u16, more)));
        literals = at;
    }
    put(&mut out, &input[literals..], None);
    out
}

/// The next place from `at` on whose bytes stood somewhere before, and where.
fn find(input: &[u8], mut at: usize, table: &mut [u32]) -> Option<(usize, usize)> {
    let mut misses = 1usize << PATIENCE;
    while at + LAST_START <= input.len() {
        let slot = &mut table[entry(input, at)];
        let candidate = std::mem::replace(slot, at as u32) as usize;
        let near = at - candidate <= FARTHEST;
        if near && input.get(candidate..candidate + SHORTEST) == input.get(at..at + SHORTEST) {
            return Some((at, candidate));
        }
        at += misses >> PATIENCE;
        misses += 1;
    }
    None
}

#[cfg(all(test, target_pointer_width = "64", target_endian = "little"))]
mod tests {
    use super::*;
    use crate::random::Draws;

    /// Bytes that repeat themselves more or less often.
    fn bytes(len: usize, seed: u64, variety: u32) -> Vec<u8> {
        let mut draws = Draws::new(seed);
        let mut out: Vec<u8> = Vec::with_capacity(len);
        while out.len() < len {
            let n = (draws.below(300) + 1) as usize;
            if draws.below(variety) == 0 && out.len() > n {
                let from = draws.below((out.len() - n) as u32) as usize;
                out.extend_from_within(from..from + n);
            } else {
                out.extend((0..n).map(|_| draws.below(variety * 4 + 1) as u8));
            }
        }
        out.truncate(len);
        out
    }

    #[test]
    fn blocks_are_those_that_lz4_flex_makes_with_64_bits() {
        for (seed, variety) in [(1, 2), (2, 3), (3, 8), (4, 60), (5, 1)] {
            for len in [0, 1, 12, 13, 20, 300, 4_000, 65_534, 65_535, 65_536, 65_537, 70_001, 131_072, 300_007] {
                let input = bytes(len, seed, variety);
                assert!(compress(&input) == lz4_flex::block::compress(&input), "{len} bytes of variety {variety}");
            }
        }
        for input in [vec![0; 100_000], (0..100_000u32).flat_map(u32::to_le_bytes).collect()] {
            assert!(compress(&input) == lz4_flex::block::compress(&input));
        }
    }
}
