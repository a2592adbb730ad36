//! The entropy-coded bytes: stuffing taken out first, so that reading bits needs to look at no byte by itself.
//!
//! They are kept last byte first: so eight of them are a number whose first bits come first, as every processor reads it
//! that has the lower half of numbers in front, and WebAssembly, which has no step to turn a number's bytes round.

use fearless_simd::{Simd, prelude::*, u8x32};

/// Zeros behind a segment: more than one block can use up, so that only the end of a block asks where it is.
const PAD: usize = 1024;

/// Bits that count after refilling, at least.
pub(super) const REFILLED: u32 = 56;

/// Bytes that are looked at in one go.
const ABREAST: usize = 32;

/// The segments of a scan, between restart markers, one after the other.
#[derive(Debug)]
pub(super) struct Segments<'a> {
    payload: &'a [u8],
    /// Where the next segment begins.
    at: usize,
    /// At its end the segment without stuffing, backwards; in front of that zeros.
    bytes: &'a mut Vec<u8>,
    /// Where these zeros begin.
    low: usize,
    len: usize,
    /// The marker behind it; `None` if the file ends.
    pub(super) marker: Option<u8>,
}

impl<'a> Segments<'a> {
    pub(super) fn new(payload: &'a [u8], at: usize, bytes: &'a mut Vec<u8>) -> Self {
        let room = payload.len().saturating_sub(at) + PAD;
        if bytes.len() < room {
            bytes.resize(room, 0);
        }
        let low = bytes.len();
        Segments { payload, at, bytes, low, len: 0, marker: None }
    }

    /// Takes the stuffing out of what comes up to the next marker, and goes behind that.
    #[inline(never)]
    pub(super) fn advance<S: Simd>(&mut self, simd: S) {
        simd.vectorize(
            #[inline(always)]
            || self.take(simd),
        );
    }

    #[inline(always)]
    fn take<S: Simd>(&mut self, simd: S) {
        self.marker = None;
        let mut rest = self.payload.get(self.at..).unwrap_or_default();
        let ones = u8x32::splat(simd, 0xff);
        // Where the last byte was written.
        let mut end = self.bytes.len();
        while !rest.is_empty() {
            let mut last = [0; ABREAST];
            let (some, behind) = rest.split_first_chunk().unwrap_or_else(|| {
                last[..rest.len()].copy_from_slice(rest);
                (&last, &[])
            });
            let some = u8x32::from_slice(simd, some);
            // What is too much is written over afterwards.
            if let Some(to) = self.bytes.get_mut(..end).and_then(|bytes| bytes.last_chunk_mut::<ABREAST>()) {
                some.reverse().store_slice(to);
            }
            let found = some.simd_eq(ones).to_bitmask();
            // Nearly always; then the next ones need not wait for what these are.
            if found == 0 && rest.len() >= ABREAST {
                end -= ABREAST;
                rest = behind;
                continue;
            }
            let found = found.trailing_zeros() as usize;
            let most = rest.len().min(ABREAST);
            let (count, is_found) = (found.min(most), found < most);
            end -= count;
            rest = &rest[count..];
            if is_found {
                // Any number of 0xff may stand before a marker.
                let fill = rest.iter().take_while(|b| **b == 0xff).count();
                let code = rest.get(fill).copied();
                rest = rest.get(fill + 1..).unwrap_or_default();
                match code {
                    // One 0xff, which stands there already.
                    Some(0) => end -= 1,
                    None => {}
                    marker => {
                        self.marker = marker;
                        break;
                    }
                }
            }
        }
        self.at = self.payload.len() - rest.len();
        self.len = self.bytes.len() - end;
        self.low = end.saturating_sub(PAD);
        self.bytes[self.low..end].fill(0);
    }

    /// Where the marker behind the segment is, or the end of the file.
    pub(super) fn end(&self) -> usize {
        self.at - if self.marker.is_some() { 2 } else { 0 }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.get(self.low..).unwrap_or_default()
    }

    /// True if the segment has whole bytes that were not read: more than the bits that fill its last one.
    pub(super) fn left_over(&self, bits: &Bits) -> bool {
        self.len * 8 + bits.count as usize >= bits.at * 8 + 8
    }

    /// True where more was read than the segment has.
    #[inline(always)]
    pub(super) fn overrun(&self, bits: &Bits) -> bool {
        bits.at * 8 > self.len * 8 + bits.count as usize
    }
}

/// A place in a segment: the next bits at the top of a word.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bits {
    pub(super) word: u64,
    /// How many of them count. Those below are the ones that follow, or zeros.
    count: u32,
    /// The first byte of which not all bits count.
    at: usize,
}

impl Bits {
    /// Makes at least 56 bits count.
    #[inline(always)]
    pub(super) fn refill(&mut self, data: &[u8]) {
        let from = data.len().wrapping_sub(8).wrapping_sub(self.at);
        let next = match data.get(from..).and_then(|rest| rest.first_chunk()) {
            Some(eight) => u64::from_le_bytes(*eight),
            None => 0,
        };
        self.word |= next >> (self.count & 63);
        self.at += ((63 - self.count) >> 3) as usize;
        self.count |= 56;
    }

    /// Goes on by this many bits, at most those that count.
    #[inline(always)]
    pub(super) fn skip(&mut self, n: u32) {
        self.word <<= n & 63;
        self.count = self.count.wrapping_sub(n) & 63;
    }

    /// The next `n` bits, 1 to 32 of them.
    #[inline(always)]
    pub(super) fn peek(&self, n: u32) -> u32 {
        (self.word >> ((64 - n) & 63)) as u32
    }

    /// Takes `n` bits, 0 to 16 of them.
    #[inline(always)]
    pub(super) fn take(&mut self, n: u32) -> u32 {
        let bits = (self.word >> 32 >> ((32 - n) & 63)) as u32;
        self.skip(n);
        bits
    }

    /// Takes a number of `size` bits, 0 to 16, as JPEG writes those of both signs.
    #[inline(always)]
    pub(super) fn take_signed(&mut self, size: u32) -> i32 {
        extend(self.take(size), size)
    }
}

/// The number that `size` bits stand for: the lower half of their values are the negative ones.
#[inline(always)]
pub(super) fn extend(bits: u32, size: u32) -> i32 {
    let half = (1_u32 << size) >> 1;
    if bits < half { bits as i32 - (1 << size) + 1 } else { bits as i32 }
}
