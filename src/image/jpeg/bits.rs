//! The entropy-coded bytes: stuffing taken out first, so that reading bits needs to look at no byte by itself.

/// Zeros behind a segment: more than one block can use up, so that only the end of a block asks where it is.
const PAD: usize = 1024;

/// The segments of a scan, between restart markers, one after the other.
#[derive(Debug)]
pub(super) struct Segments<'a> {
    payload: &'a [u8],
    /// Where the next segment begins.
    at: usize,
    /// The segment without stuffing, and zeros.
    bytes: &'a mut Vec<u8>,
    len: usize,
    /// The marker behind it; `None` where the file ends.
    pub(super) marker: Option<u8>,
}

impl<'a> Segments<'a> {
    pub(super) fn new(payload: &'a [u8], at: usize, bytes: &'a mut Vec<u8>) -> Self {
        bytes.clear();
        bytes.resize(PAD, 0);
        Segments { payload, at, bytes, len: 0, marker: None }
    }

    /// Takes the stuffing out of what comes up to the next marker, and goes behind that.
    pub(super) fn advance(&mut self) {
        self.bytes.clear();
        self.marker = None;
        let mut rest = self.payload.get(self.at..).unwrap_or_default();
        while let Some(found) = memchr::memchr(0xff, rest) {
            let (before, from) = rest.split_at(found);
            self.bytes.extend_from_slice(before);
            // Any number of 0xff may stand before a marker.
            let fill = from.iter().take_while(|b| **b == 0xff).count();
            let Some(&code) = from.get(fill) else {
                rest = &[];
                break;
            };
            rest = from.get(fill + 1..).unwrap_or_default();
            if code != 0 {
                self.marker = Some(code);
                break;
            }
            self.bytes.push(0xff);
        }
        if self.marker.is_none() {
            self.bytes.extend_from_slice(rest);
            rest = &[];
        }
        self.at = self.payload.len() - rest.len();
        self.len = self.bytes.len();
        self.bytes.resize(self.len + PAD, 0);
    }

    /// Where the marker behind the segment is, or the end of the file.
    pub(super) fn end(&self) -> usize {
        self.at - if self.marker.is_some() { 2 } else { 0 }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes
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
        let next = match data.get(self.at..self.at + 8) {
            Some(&[a, b, c, d, e, f, g, h]) => u64::from_be_bytes([a, b, c, d, e, f, g, h]),
            _ => 0,
        };
        self.word |= next >> (self.count & 63);
        self.at += ((63 - self.count) >> 3) as usize;
        self.count |= 56;
    }

    /// Goes on by so many bits, at most those that count.
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
