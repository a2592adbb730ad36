//! Bits, the lowest first.

/// Zeros behind the last stream, so that eight bytes can be loaded at each of its places.
pub(super) const PAD: usize = 8;

/// The next 57 bits and a few more, from a place in bits.
#[inline(always)]
pub(super) fn peek(data: &[u8], at: usize) -> u64 {
    match data.get(at >> 3..).and_then(|rest| rest.first_chunk()) {
        Some(eight) => u64::from_le_bytes(*eight) >> (at & 7),
        None => 0,
    }
}

/// Writes bits.
#[derive(Debug, Default)]
pub(super) struct Bits {
    pub(super) bytes: Vec<u8>,
    word: u64,
    count: u32,
}

impl Bits {
    /// Puts at most 32 bits.
    #[inline(always)]
    pub(super) fn put(&mut self, bits: u32, length: u32) {
        self.word |= u64::from(bits) << self.count;
        self.count += length;
        if self.count >= 32 {
            self.bytes.extend_from_slice(&(self.word as u32).to_le_bytes());
            (self.word, self.count) = (self.word >> 32, self.count - 32);
        }
    }

    /// Fills the last byte with zeros.
    pub(super) fn end(&mut self) {
        while self.count > 0 {
            self.bytes.push(self.word as u8);
            (self.word, self.count) = (self.word >> 8, self.count.saturating_sub(8));
        }
        self.word = 0;
    }
}

/// Writes a number, seven bits a byte, the lowest first.
pub(super) fn put_number(mut number: usize, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// The bytes that are not read yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (some, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(some)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|byte| byte[0])
    }

    /// A number of at most 28 bits.
    #[inline(always)]
    pub(super) fn number(&mut self) -> Option<usize> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = usize::from(self.byte()?);
            number |= (byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
            shift += 7;
            if shift > 21 {
                return None;
            }
        }
    }
}

/// A difference as a number: 0, -1, 1, -2 and so on.
pub(super) fn folded(difference: isize) -> usize {
    ((difference << 1) ^ (difference >> (isize::BITS - 1))) as usize
}

pub(super) fn unfolded(number: usize) -> isize {
    (number >> 1) as isize ^ -((number & 1) as isize)
}
