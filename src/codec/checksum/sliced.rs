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

//!
//! The loops are written out, and for pairs of words: a page's first module is built for its size, which leaves loops
//! as they stand.

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use std::arch::wasm32::{v128 as Pair, v128_xor as xor};
use std::sync::OnceLock;

/// Two words.
#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
type Pair = u128;

#[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
fn xor(a: Pair, b: Pair) -> Pair {
    a ^ b
}

/// Bytes of a pair.
const PAIR: usize = 16;
/// Pairs folded before the window moves on.
const STEP: usize = 1024;

/// A checksum whose bits come least significant first.
pub(super) struct Sliced<const N: usize> {
    polynomial: u32,
    /// How many pairs behind a pair lie those that it is added to; ascending.
    apart: [usize; N],
    tables: OnceLock<Box<[[u32; 256]; PAIR]>>,
}

/// CRC-32/ISO-HDLC; its users invert before and after. Its polynomial divides x^300 + x^155 + x^117 + x^89 + 1, which
/// moves a bit by 145, 183, 211 and 300; taken 2^7 times, by as many pairs.
pub(super) static CRC32: Sliced<4> = Sliced::new(0xEDB8_8320, [145, 183, 211, 300]);
/// CRC-16/MODBUS. Its polynomial, x^16 + x^15 + x^2 + 1, has few terms itself: it moves a bit by 1, 14 and 16.
pub(super) static CRC16: Sliced<3> = Sliced::new(0xA001, [16, 16 * 14, 16 * 16]);
/// CRC-32C, of which no multiple of few terms is known here: its users go through the tables.
#[cfg(feature = "doors")]
pub(super) static CRC32C: Sliced<3> = Sliced::new(0x82F6_3B78, [1, 1, 1]);

impl<const N: usize> Sliced<N> {
    const fn new(polynomial: u32, apart: [usize; N]) -> Self {
        assert!(N == 3 || N == 4, "the loops are written out");
        Sliced { polynomial, apart, tables: OnceLock::new() }
    }

    /// Table `k` says what a byte has become `k` bytes later.
    fn tables(&self) -> &[[u32; 256]; PAIR] {
        self.tables.get_or_init(|| {
            let mut tables = Box::new([[0; 256]; PAIR]);
            for (byte, entry) in (0u32..).zip(tables[0].iter_mut()) {
                *entry = (0..8).fold(byte, |c, _| if c & 1 == 1 { (c >> 1) ^ self.polynomial } else { c >> 1 });
            }
            for k in 1..PAIR {
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
        let (pairs, rest) = bytes.as_chunks::<PAIR>();
        // Folding leaves as many pairs as it reaches: it must be worth while.
        if pairs.len() < 4 * reach {
            return self.look_up(state, bytes);
        }
        let (folded, last) = pairs.split_at(pairs.len() - reach);
        let window = self.fold(state, folded);
        let mut left = Vec::with_capacity(reach * PAIR);
        for (t, pair) in last.iter().enumerate() {
            let mut sum: Pair = bytemuck::cast(*pair);
            for &d in self.apart.iter().filter(|&&d| t < d) {
                sum = xor(sum, window[reach + t - d]);
            }
            left.extend_from_slice(bytemuck::bytes_of(&sum));
        }
        self.look_up(self.look_up(0, &left), rest)
    }

    /// Takes these pairs away: the last of what each was when its turn came.
    fn fold(&self, state: u32, pairs: &[[u8; PAIR]]) -> Vec<Pair> {
        let reach = self.apart[N - 1];
        let mut window: Vec<Pair> = vec![bytemuck::Zeroable::zeroed(); reach + STEP];
        // What was found before these bytes stands in their first.
        let mut first: Pair = bytemuck::cast([state.to_le(), 0, 0, 0]);
        for pairs in pairs.chunks(STEP) {
            let mut done = 0;
            // None of these is added to another of them.
            for part in pairs.chunks(self.apart[0]) {
                let (before, new) = window.split_at_mut(reach + done);
                let new = &mut new[..part.len()];
                let past = |k: usize| &before[before.len() - self.apart[k]..][..part.len()];
                let (a, b, c) = (past(0), past(1), past(2));
                if N == 3 {
                    add(new, part, |i| xor(xor(a[i], b[i]), c[i]));
                } else {
                    let d = past(N - 1);
                    add(new, part, |i| xor(xor(a[i], b[i]), xor(c[i], d[i])));
                }
                new[0] = xor(new[0], first);
                first = bytemuck::Zeroable::zeroed();
                done += part.len();
            }
            window.copy_within(done..done + reach, 0);
        }
        window
    }

    pub(super) fn look_up(&self, state: u32, bytes: &[u8]) -> u32 {
        let tables = self.tables();
        let (blocks, rest) = bytes.as_chunks::<PAIR>();
        let state = blocks.iter().fold(state, |state, block| {
            let [a, b, c, d] = bytemuck::cast::<_, [u32; 4]>(*block).map(u32::from_le);
            word(tables, 12, a ^ state) ^ word(tables, 8, b) ^ word(tables, 4, c) ^ word(tables, 0, d)
        });
        rest.iter().fold(state, |state, &byte| tables[0][((state ^ u32::from(byte)) & 0xFF) as usize] ^ (state >> 8))
    }
}

/// Each pair, with what belongs to it added.
#[inline(always)]
fn add(new: &mut [Pair], pairs: &[[u8; PAIR]], past: impl Fn(usize) -> Pair) {
    for (i, (new, pair)) in new.iter_mut().zip(pairs).enumerate() {
        *new = xor(bytemuck::cast(*pair), past(i));
    }
}

/// What four bytes have become `k` bytes after them.
#[inline(always)]
fn word(tables: &[[u32; 256]; PAIR], k: usize, word: u32) -> u32 {
    let at = |shift: u32| (word >> shift & 0xFF) as usize;
    tables[k + 3][at(0)] ^ tables[k + 2][at(8)] ^ tables[k + 1][at(16)] ^ tables[k][at(24)]
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
            // Miri needs a minute for what a processor does in a millisecond.
            for end in (start..bytes.len()).step_by(if cfg!(miri) { 97 } else { 1 }) {
                let part = &bytes[start..end];
                assert_eq!(!CRC32.update(!0, part), crc32(part), "{start}..{end}");
                assert_eq!(CRC16.update(0xFFFF, part) as u16, crc16(part), "{start}..{end}");
            }
        }
        assert_eq!(!CRC32.update(CRC32.update(!0, &bytes[..77]), &bytes[77..]), crc32fast::hash(&bytes));
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes hours")]
    fn what_is_long_enough_to_be_folded_has_the_usual_checksums() {
        let bytes = noise(100_000);
        for least in [8 * 4 * 512, 8 * 4 * 600, 8 * (2 * STEP + 600), 8 * (4 * STEP + 512), 90_000] {
            for end in (least - 9..least + 9).chain([least + 290 * 8, least + 32 * 8 + 3]) {
                let part = &bytes[end % 3..end];
                assert_eq!(!CRC32.update(!0, part), crc32(part), "{end}");
                assert_eq!(CRC16.update(0xFFFF, part) as u16, crc16(part), "{end}");
            }
        }
        let (first, second) = bytes.split_at(40_001);
        assert_eq!(!CRC32.update(CRC32.update(!0, first), second), crc32(&bytes));
        #[cfg(feature = "doors")]
        assert_eq!(!CRC32C.look_up(!0, &bytes), super::super::crc32c(&bytes));
        assert_eq!(CRC16.update(CRC16.update(0xFFFF, first), second) as u16, crc16(&bytes));
    }
}
