//! Bits, one a row: booleans and validity.

use bytes::Bytes;

/// Immutable, shared bits, the first in the lowest bit of the first byte.
#[derive(Clone, Default)]
pub struct Bitmap {
    bytes: Bytes,
    start: usize,
    len: usize,
}

impl Bitmap {
    /// The first `len` bits of `bytes`; bits that are not there are 0.
    pub fn new(bytes: Bytes, len: usize) -> Self {
        let bytes = if bytes.len() < len.div_ceil(8) {
            let mut longer = bytes.to_vec();
            longer.resize(len.div_ceil(8), 0);
            longer.into()
        } else {
            bytes
        };
        Bitmap { bytes, start: 0, len }
    }

    /// `len` equal bits.
    pub fn filled(bit: bool, len: usize) -> Self {
        Bitmap { bytes: vec![if bit { 0xff } else { 0 }; len.div_ceil(8)].into(), start: 0, len }
    }

    /// How many bits there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True without bits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bit at `i`; false past the end.
    #[inline]
    pub fn get(&self, i: usize) -> bool {
        let at = self.start + i;
        i < self.len && self.bytes.get(at / 8).is_some_and(|b| b >> (at % 8) & 1 != 0)
    }

    /// The bits one after the other.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = bool> + '_ {
        (0..self.len).map(|i| self.get(i))
    }

    /// How many bits are 1.
    pub fn count_ones(&self) -> usize {
        let packed = self.to_packed();
        packed.iter().map(|b| b.count_ones() as usize).sum()
    }

    /// The bits from `start`, `len` of them or as many as there are, sharing the memory.
    #[must_use]
    pub fn slice(&self, start: usize, len: usize) -> Self {
        let start = start.min(self.len);
        let len = len.min(self.len - start);
        Bitmap { bytes: self.bytes.clone(), start: self.start + start, len }
    }

    /// The bits from bit 0 of the first byte, the rest of the last byte 0: what files store. Copies only
    /// where a slice begins inside of a byte or ends before the last one's end.
    pub fn to_packed(&self) -> Bytes {
        let n = self.len.div_ceil(8);
        let first = self.start / 8;
        let whole = self.bytes.slice(first.min(self.bytes.len())..);
        let tail_bits = self.len % 8;
        let tail_is_clear = tail_bits == 0 || whole.get(n - 1).is_some_and(|b| u32::from(*b) >> tail_bits == 0);
        if self.start.is_multiple_of(8) && tail_is_clear && whole.len() >= n {
            return whole.slice(..n);
        }
        let shift = self.start % 8;
        let mut out: Vec<u8> = (0..n)
            .map(|i| {
                let at = |i: usize| whole.get(i).copied().map_or(0, u16::from);
                ((at(i) | at(i + 1) << 8) >> shift) as u8
            })
            .collect();
        if let Some(last) = out.last_mut()
            && tail_bits != 0
        {
            *last &= (1u8 << tail_bits) - 1;
        }
        out.into()
    }
}

impl FromIterator<bool> for Bitmap {
    fn from_iter<I: IntoIterator<Item = bool>>(iter: I) -> Self {
        let iter = iter.into_iter();
        let mut builder = BitmapBuilder::with_capacity(iter.size_hint().0);
        builder.extend(iter);
        builder.finish()
    }
}

impl std::fmt::Debug for Bitmap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter().map(u8::from)).finish()
    }
}

impl PartialEq for Bitmap {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.to_packed() == other.to_packed()
    }
}

/// Bits as they come.
#[derive(Clone, Debug, Default)]
pub struct BitmapBuilder {
    bytes: Vec<u8>,
    len: usize,
}

impl BitmapBuilder {
    /// With room for `bits`.
    pub fn with_capacity(bits: usize) -> Self {
        BitmapBuilder { bytes: Vec::with_capacity(bits.div_ceil(8)), len: 0 }
    }
    /// Adds a bit.
    #[inline]
    pub fn push(&mut self, bit: bool) {
        if self.len.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << (self.len % 8);
        }
        self.len += 1;
    }
    /// Adds `n` equal bits.
    pub(crate) fn push_n(&mut self, bit: bool, n: usize) {
        self.extend(std::iter::repeat_n(bit, n));
    }
    /// How many bits there are.
    pub fn len(&self) -> usize {
        self.len
    }
    /// True without bits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// The bits.
    pub fn finish(self) -> Bitmap {
        Bitmap::new(self.bytes.into(), self.len)
    }
}

impl Extend<bool> for BitmapBuilder {
    /// Eight bits make a byte before it is put away.
    fn extend<I: IntoIterator<Item = bool>>(&mut self, bits: I) {
        let mut bits = bits.into_iter();
        while !self.len.is_multiple_of(8) {
            let Some(bit) = bits.next() else { return };
            self.push(bit);
        }
        self.bytes.reserve(bits.size_hint().0.div_ceil(8));
        let (mut byte, mut len) = (0, self.len);
        bits.for_each(|bit| {
            byte |= u8::from(bit) << (len % 8);
            len += 1;
            if len.is_multiple_of(8) {
                self.bytes.push(byte);
                byte = 0;
            }
        });
        if !len.is_multiple_of(8) {
            self.bytes.push(byte);
        }
        self.len = len;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_pack_to_the_same_bits() {
        let bits: Vec<bool> = (0..43).map(|i| i % 3 == 0 || i % 7 == 2).collect();
        let map: Bitmap = bits.iter().copied().collect();
        for start in 0..43 {
            for len in 0..43 - start {
                let cut = map.slice(start, len);
                assert_eq!(cut.iter().collect::<Vec<_>>(), bits[start..start + len]);
                assert_eq!(cut, bits[start..start + len].iter().copied().collect());
                assert_eq!(cut.count_ones(), bits[start..start + len].iter().filter(|b| **b).count());
            }
        }
        for cut in 0..43 {
            let mut parts = BitmapBuilder::default();
            parts.extend(bits[..cut].iter().copied());
            parts.extend(bits[cut..].iter().copied());
            assert_eq!(parts.finish(), map);
        }
        assert_eq!(Bitmap::filled(true, 11).count_ones(), 11);
        assert!(!map.get(1000));
    }
}
