//! The scan of a JPEG: from its bits to coefficients, and back to the same bits.

use super::{
    Kept,
    channel::{Channel, size},
    picture::{Code, MOST_PARTS, ORDER, Picture},
    planes::AT,
};

/// Zeros behind the bytes of an interval, so that eight can be loaded at every place.
const PAD: usize = 16;

/// Where one component's blocks of a unit go: the channel, and which part of it.
pub(super) fn channel_of(component: usize) -> (usize, usize) {
    (usize::from(component > 0), component.saturating_sub(1))
}

/// Reads a scan, row of units by row of units.
pub(super) struct Reader<'a> {
    picture: &'a Picture,
    rest: &'a [u8],
    /// The interval up to the next restart marker, without stuffing.
    bytes: Vec<u8>,
    /// The next bit of it, and how many it has.
    at: usize,
    end: usize,
    before: [i32; MOST_PARTS],
    left: usize,
    marker: u8,
}

impl<'a> Reader<'a> {
    pub(super) fn new(picture: &'a Picture, jpeg: &'a [u8]) -> Reader<'a> {
        let rest = jpeg.get(picture.scan..).unwrap_or_default();
        let (bytes, left) = (Vec::new(), picture.restart);
        let mut reader = Reader { picture, rest, bytes, at: 0, end: 0, before: [0; MOST_PARTS], left, marker: 0 };
        reader.advance();
        reader
    }

    /// What follows the scan.
    pub(super) fn behind(&self) -> &'a [u8] {
        self.rest
    }

    /// Takes the stuffing out of what comes up to the next marker.
    fn advance(&mut self) {
        self.bytes.clear();
        loop {
            let found = memchr::memchr(0xff, self.rest).unwrap_or(self.rest.len());
            let (some, rest) = self.rest.split_at(found);
            self.bytes.extend_from_slice(some);
            self.rest = rest;
            let [0xff, 0, rest @ ..] = self.rest else { break };
            self.bytes.push(0xff);
            self.rest = rest;
        }
        (self.at, self.end) = (0, self.bytes.len() * 8);
        self.bytes.extend([0; PAD]);
    }

    /// Reads a row of units to the row `y` of a segment.
    pub(super) fn row(&mut self, y: usize, channels: &mut [Channel; 2]) -> Result<(), Kept> {
        let picture = self.picture;
        for unit in 0..picture.units().0 {
            if picture.restart > 0 && self.left == 0 {
                self.restart()?;
            }
            self.left = self.left.saturating_sub(1);
            for (i, component) in picture.components().iter().enumerate() {
                let (dc, ac) = picture.codes(component).ok_or(Kept::Damaged)?;
                let (c, part) = channel_of(i);
                for n in 0..component.across * component.down {
                    let (x, y) =
                        (unit * component.across + n % component.across, y * component.down + n / component.across);
                    let (first, block) = channels[c].block_mut(part, x, y).ok_or(Kept::Damaged)?;
                    *block = [0; 64];
                    *first = self.block(i, dc, ac, block).ok_or(Kept::Damaged)?;
                }
            }
        }
        if self.at > self.end { Err(Kept::Damaged) } else { Ok(()) }
    }

    /// Goes behind a restart marker.
    fn restart(&mut self) -> Result<(), Kept> {
        let [0xff, marker, rest @ ..] = self.rest else { return Err(Kept::Damaged) };
        if self.at > self.end || *marker != 0xd0 | self.marker {
            return Err(Kept::Damaged);
        }
        self.rest = rest;
        self.advance();
        (self.left, self.marker, self.before) = (self.picture.restart, (self.marker + 1) & 7, [0; MOST_PARTS]);
        Ok(())
    }

    /// The next 57 bits and a few more, at the top of a word.
    #[inline(always)]
    fn peek(&self) -> u64 {
        match self.bytes.get(self.at >> 3..).and_then(|rest| rest.first_chunk()) {
            Some(eight) => u64::from_be_bytes(*eight) << (self.at & 7),
            None => 0,
        }
    }

    /// Reads a block, but for the first coefficient, which it gives.
    fn block(&mut self, part: usize, dc: &Code, ac: &Code, block: &mut [i16; 64]) -> Option<i16> {
        let word = self.peek();
        let (size, length) = dc.symbol(word)?;
        if size > 11 {
            return None;
        }
        self.at += (length + size) as usize;
        self.before[part] += extend(word << length, size);
        let first = i16::try_from(self.before[part]).ok()?;
        let mut k = 0;
        while k < 63 {
            let word = self.peek();
            let (symbol, length) = ac.symbol(word)?;
            let (run, size) = (symbol >> 4, symbol & 15);
            self.at += (length + size) as usize;
            if size == 0 {
                if run < 15 {
                    return (run == 0).then_some(first);
                }
                k += 16;
                continue;
            }
            k += run as usize + 1;
            if size > 10 {
                return None;
            }
            *block.get_mut(usize::from(*ORDER.get(k)?))? = extend(word << length, size) as i16;
        }
        (k == 63).then_some(first)
    }
}

/// The number that the upper `size` bits of a word stand for: the lower half of their values are the negative ones.
#[inline(always)]
fn extend(word: u64, size: u32) -> i32 {
    let bits = (word >> 32 >> ((32 - size) & 63)) as i32;
    if word >> 63 == 0 { bits - (1 << size) + 1 } else { bits }
}

/// Writes a scan, row of units by row of units.
pub(super) struct Writer<'a> {
    picture: &'a Picture,
    /// No more than this is written.
    most: usize,
    /// Bits at the top of a word that are not written yet, and how many.
    word: u64,
    count: u32,
    before: [i32; MOST_PARTS],
    left: usize,
    marker: u8,
}

impl<'a> Writer<'a> {
    pub(super) fn new(picture: &'a Picture, most: usize) -> Writer<'a> {
        Writer { picture, most, word: 0, count: 0, before: [0; MOST_PARTS], left: picture.restart, marker: 0 }
    }

    /// Writes the row `y` of a segment; `None` if its coefficients have no code, or are too many.
    pub(super) fn row(&mut self, y: usize, channels: &[Channel; 2], out: &mut Vec<u8>) -> Option<()> {
        let picture = self.picture;
        for unit in 0..picture.units().0 {
            if picture.restart > 0 && self.left == 0 {
                self.end(out);
                out.extend([0xff, 0xd0 | self.marker]);
                (self.left, self.marker, self.before) = (picture.restart, (self.marker + 1) & 7, [0; MOST_PARTS]);
            }
            self.left = self.left.saturating_sub(1);
            for (i, component) in picture.components().iter().enumerate() {
                let (dc, ac) = picture.codes(component)?;
                let (c, part) = channel_of(i);
                for n in 0..component.across * component.down {
                    let (x, y) =
                        (unit * component.across + n % component.across, y * component.down + n / component.across);
                    self.block(i, (dc, ac), channels[c].block(part, x, y)?, out)?;
                }
            }
            if out.len() > self.most {
                return None;
            }
        }
        Some(())
    }

    /// Fills the last byte with ones.
    pub(super) fn end(&mut self, out: &mut Vec<u8>) {
        let odd = self.count % 8;
        if odd > 0 {
            self.put((1 << (8 - odd)) - 1, 8 - odd, out);
        }
        while self.count > 0 {
            byte((self.word >> 56) as u8, out);
            (self.word, self.count) = (self.word << 8, self.count - 8);
        }
    }

    /// Puts at most 27 bits.
    #[inline(always)]
    fn put(&mut self, bits: u32, length: u32, out: &mut Vec<u8>) {
        self.word |= u64::from(bits) << ((64 - self.count - length) & 63);
        self.count += length;
        if self.count >= 32 {
            let four = ((self.word >> 32) as u32).to_be_bytes();
            if four.contains(&0xff) {
                four.into_iter().for_each(|b| byte(b, out));
            } else {
                out.extend_from_slice(&four);
            }
            (self.word, self.count) = (self.word << 32, self.count - 32);
        }
    }

    #[inline(always)]
    fn block(
        &mut self,
        part: usize,
        (dc, ac): (&Code, &Code),
        (first, last, block): (i16, u8, &[i16; 64]),
        out: &mut Vec<u8>,
    ) -> Option<()> {
        let first = i32::from(first);
        let difference = first - self.before[part];
        self.before[part] = first;
        let bits = size(difference);
        self.coefficient(dc.words.get(bits as usize)?, difference, bits, out)?;
        // Which there are, by their places in the order of a JPEG.
        let mut there = 0_u64;
        for (at, places) in AT.iter().zip(&PLACES).take(last.into()) {
            for (at, place) in [*at, at + 1, at + 8, at + 9].into_iter().zip(places) {
                there |= u64::from(block[at & 63] != 0) << (place & 63);
            }
        }
        there &= !1;
        let mut k = 1;
        while there != 0 {
            let next = there.trailing_zeros();
            there &= there - 1;
            let mut run = next - k;
            k = next + 1;
            while run > 15 {
                self.coefficient(&ac.words[0xf0], 0, 0, out)?;
                run -= 16;
            }
            let value = i32::from(block[usize::from(ORDER[next as usize & 63]) & 63]);
            let size = size(value);
            self.coefficient(&ac.words[(run << 4 | size & 15) as usize & 255], value, size, out)?;
        }
        if k < 64 { self.coefficient(&ac.words[0], 0, 0, out) } else { Some(()) }
    }

    #[inline(always)]
    fn coefficient(&mut self, &(code, length): &(u16, u8), value: i32, size: u32, out: &mut Vec<u8>) -> Option<()> {
        if length == 0 || size > 11 {
            return None;
        }
        let bits = (value - i32::from(value < 0)) as u32 & ((1 << size) - 1);
        self.put(u32::from(code) << size | bits, u32::from(length) + size, out);
        Some(())
    }
}

/// Of each quad's coefficients, their places in the order of a JPEG.
const PLACES: [[u8; 4]; 16] = {
    let mut places = [[0; 4]; 16];
    let mut k = 0;
    while k < 64 {
        let mut quad = 0;
        while quad < 16 {
            let at = ORDER[k] as usize;
            let mut i = 0;
            while i < 4 {
                if at == AT[quad] + [0, 1, 8, 9][i] {
                    places[quad][i] = k as u8;
                }
                i += 1;
            }
            quad += 1;
        }
        k += 1;
    }
    places
};

fn byte(byte: u8, out: &mut Vec<u8>) {
    out.push(byte);
    if byte == 0xff {
        out.push(0);
    }
}
