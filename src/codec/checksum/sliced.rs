//! Both checksums without a processor's help: for WebAssembly, which has no carry-less multiplication.
//!
//! Short runs go through tables, made when they are first used: 24 KiB of tables in the file, which do not compress,
//! would cost a page more than the microseconds in which they are made again.
//!
//! Long runs are folded first. A checksum is a remainder of polynomials, so a multiple of the divisor may be added
//! anywhere in the message. With a multiple of few terms, a bit is taken away by flipping a few bits behind it; and
//! since squaring such a multiple only doubles its exponents, they can be made multiples of whole words: then a word
//! is taken away by adding it to a few words behind it, and nothing is shifted or looked up. What is left at the end
//! are some kilobytes with the same checksum as the whole.

use std::sync::OnceLock;

/// Bytes taken at once from the tables: one table for each.
const STRIDE: usize = 16;
/// Words folded before the window moves on.
const STEP: usize = 2048;

/// A checksum whose bits come least significant first.
pub(super) struct Sliced<const N: usize> {
    polynomial: u32,
    /// How many 64-bit words behind a word lie those that it is added to; ascending.
    apart: [usize; N],
    tables: OnceLock<Box<[[u32; 256]; STRIDE]>>,
}

/// CRC-32/ISO-HDLC; its users invert before and after. Its polynomial divides x^300 + x^155 + x^117 + x^89 + 1, which
/// moves a bit by 145, 183, 211 and 300; taken 2^7 times, by twice as many words.
pub(super) static CRC32: Sliced<4> = Sliced::new(0xEDB8_8320, [2 * 145, 2 * 183, 2 * 211, 2 * 300]);
/// CRC-16/MODBUS. Its polynomial, x^16 + x^15 + x^2 + 1, has few terms itself: it moves a bit by 1, 14 and 16.
pub(super) static CRC16: Sliced<3> = Sliced::new(0xA001, [32, 32 * 14, 32 * 16]);

impl<const N: usize> Sliced<N> {
    const fn new(polynomial: u32, apart: [usize; N]) -> Self {
        Sliced { polynomial, apart, tables: OnceLock::new() }
    }

    /// Table `k` says what a byte has become `k` bytes later.
    fn tables(&self) -> &[[u32; 256]; STRIDE] {
        self.tables.get_or_init(|| {
            let mut tables = Box::new([[0; 256]; STRIDE]);
            for (byte, entry) in (0u32..).zip(tables[0].iter_mut()) {
                *entry = (0..8).fold(byte, |c, _| if c & 1 == 1 { (c >> 1) ^ self.polynomial } else { c >> 1 });
            }
            for k in 1..STRIDE {
                for byte in 0..256 {
                    let before = tables[k - 1][byte];
                    tables[k][byte] = (before >> 8) ^ tables[0][(before & 0xFF) as usize];
                }
            }
            tables
        })
    }

    /// Goes on from `state` over these bytes.
    pub(super) fn update(&self, state: u32, bytes: &[u8]) -> u32 {
        let reach = self.apart[N - 1];
        let (words, rest) = bytes.as_chunks::<8>();
        // Folding leaves as many words as it reaches: it must be worth while.
        if words.len() < 4 * reach {
            return self.look_up(state, bytes);
        }
        let (folded, last) = words.split_at(words.len() - reach);
        let window = self.fold(state, folded);
        let left = last.iter().enumerate().flat_map(|(t, word)| {
            let past = self.apart.iter().filter(|&&d| t < d).map(|d| window[reach + t - d]);
            past.fold(u64::from_le_bytes(*word), |sum, word| sum ^ word).to_le_bytes()
        });
        self.look_up(self.look_up(0, &left.collect::<Vec<u8>>()), rest)
    }

    /// Takes these words away: the last of what each was when its turn came.
    fn fold(&self, state: u32, words: &[[u8; 8]]) -> Vec<u64> {
        let reach = self.apart[N - 1];
        let mut window = vec![0; reach + STEP];
        let mut state = u64::from(state);
        for words in words.chunks(STEP) {
            let mut done = 0;
            // None of these is added to another of them.
            for part in words.chunks(self.apart[0]) {
                let (before, new) = window.split_at_mut(reach + done);
                let past = self.apart.map(|d| &before[before.len() - d..][..part.len()]);
                for (i, (new, word)) in new.iter_mut().zip(part).enumerate() {
                    *new = past.iter().fold(u64::from_le_bytes(*word), |sum, past| sum ^ past[i]);
                }
                // What was found before these bytes stands in their first.
                new[0] ^= std::mem::take(&mut state);
                done += part.len();
            }
            window.copy_within(done..done + reach, 0);
        }
        window
    }

    fn look_up(&self, state: u32, bytes: &[u8]) -> u32 {
        let tables = self.tables();
        let (blocks, rest) = bytes.as_chunks::<STRIDE>();
        let state = blocks.iter().fold(state, |state, block| {
            let mixed = state.to_le_bytes();
            let mut next = 0;
            for (i, &byte) in block.iter().enumerate() {
                let byte = byte ^ mixed.get(i).copied().unwrap_or(0);
                next ^= tables[STRIDE - 1 - i][usize::from(byte)];
            }
            next
        });
        rest.iter().fold(state, |state, &byte| tables[0][((state ^ u32::from(byte)) & 0xFF) as usize] ^ (state >> 8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::checksum::{crc16, crc32};

    fn noise(len: usize) -> Vec<u8> {
        (0..len).map(|i| (i.wrapping_mul(0x9E37_79B1) >> 13) as u8).collect()
    }

    #[test]
    fn every_length_gives_the_usual_checksums() {
        let bytes = noise(1000);
        for start in [0, 1, 5] {
            for end in start..bytes.len() {
                let part = &bytes[start..end];
                assert_eq!(!CRC32.update(!0, part), crc32(part), "{start}..{end}");
                assert_eq!(CRC16.update(0xFFFF, part) as u16, crc16(part), "{start}..{end}");
            }
        }
        assert_eq!(!CRC32.update(CRC32.update(!0, &bytes[..77]), &bytes[77..]), crc32fast::hash(&bytes));
    }

    #[test]
    fn what_is_long_enough_to_be_folded_has_the_usual_checksums() {
        let bytes = noise(100_000);
        for least in [8 * 4 * 512, 8 * 4 * 600, 8 * (STEP + 600), 8 * (2 * STEP + 512), 90_000] {
            for end in (least - 9..least + 9).chain([least + 290 * 8, least + 32 * 8 + 3]) {
                let part = &bytes[end % 3..end];
                assert_eq!(!CRC32.update(!0, part), crc32(part), "{end}");
                assert_eq!(CRC16.update(0xFFFF, part) as u16, crc16(part), "{end}");
            }
        }
        let (first, second) = bytes.split_at(40_001);
        assert_eq!(!CRC32.update(CRC32.update(!0, first), second), crc32(&bytes));
        assert_eq!(CRC16.update(CRC16.update(0xFFFF, first), second) as u16, crc16(&bytes));
    }
}
