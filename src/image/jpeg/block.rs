//! One block of coefficients out of the bits.

use super::{
    bits::Bits,
    huffman::{AcTable, DcTable, END, LOOK, LOOK_OVER, OVER},
};

/// A block's coefficients in lines from top to bottom, and behind them room for what has no place among them: as much as
/// a byte can point to, so that no place needs to be checked against it.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Block([i16; 256]);

impl Block {
    pub(super) const ZERO: Block = Block([0; 256]);

    /// Fills it with a `zero` of which the compiler should not know that it is one: of that it makes, in WebAssembly, a call
    /// into the engine, which is slow.
    #[inline(always)]
    pub(super) fn clear(&mut self, zero: i16) {
        self.0[..64].fill(zero);
    }

    #[inline(always)]
    pub(super) fn coefficients(&self) -> &[i16; 64] {
        let Some(coefficients) = self.0.first_chunk() else { return &[0; 64] };
        coefficients
    }

    #[inline(always)]
    pub(super) fn set_first(&mut self, value: i16) {
        self.0[0] = value;
    }

    /// Writes a coefficient by its place among the stored ones.
    #[inline(always)]
    fn put(&mut self, place: u8, value: i16) {
        self.0[usize::from(PLACES[usize::from(place)])] = value;
    }

    /// The same for one that damage brought beyond the last: it takes its place, as it does in libjpeg.
    #[inline(always)]
    fn put_last(&mut self, place: u8, value: i16) {
        if (64..END as u8).contains(&place) {
            self.0[63] = value;
        }
    }
}
/// Where the coefficients stand, in the order in which they are stored. Damaged pictures may have some beyond the last;
/// those take its place, as they do in libjpeg.
pub(super) const ORDER: [u8; 128] = {
    let mut order = [63; 128];
    let (mut x, mut y, mut i) = (0_usize, 0_usize, 0);
    while i < 64 {
        order[i] = (y * 8 + x) as u8;
        i += 1;
        let up = (x + y) % 2 == 0;
        if up && x == 7 || !up && y == 7 {
            if up { y += 1 } else { x += 1 }
        } else if up && y == 0 {
            x += 1;
        } else if !up && x == 0 {
            y += 1;
        } else if up {
            x += 1;
            y -= 1;
        } else {
            x -= 1;
            y += 1;
        }
    }
    order
};

/// The last place.
const LAST: u8 = 63;

/// As [`ORDER`] for a first of 0, but for places behind the last one, which are outside of a block.
const PLACES: [u8; 256] = {
    let mut places = [64; 256];
    let mut i = 0;
    while i < 64 {
        places[i] = ORDER[i];
        i += 1;
    }
    places
};

/// The place behind which no coefficient is needed for `size` × `size` pixels.
pub(super) const fn enough(size: usize) -> u8 {
    let (mut place, mut last) = (0, 0);
    while place < 64 {
        let at = ORDER[place] as usize;
        if at % 8 < size && at / 8 < size {
            last = place as u8;
        }
        place += 1;
    }
    last
}

/// How a block ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// With only the first coefficient.
    Flat,
    /// As it should.
    Fine,
    /// With bits that are not a code.
    Broken,
}

/// The first coefficient's difference to that of the block before.
#[inline(always)]
pub(super) fn first(bits: &mut Bits, data: &[u8], table: &DcTable) -> Option<i32> {
    bits.refill(data);
    table.take(bits)
}

/// The other coefficients; those behind the place `enough` may be left out.
#[inline(always)]
pub(super) fn others(bits: &mut Bits, data: &[u8], table: &AcTable, block: &mut Block, enough: u8) -> Ended {
    // The place that was written last.
    let mut place = 0_u8;
    'block: loop {
        bits.refill(data);
        let mut word = bits.word;
        // The lowest bytes of entries add up to the bits that were used.
        let mut used = 0_u64;
        // As many looks as the bits of one refilling suffice for.
        for _ in 0..56 / LOOK {
            let entry = table.look(word);
            let one = place.wrapping_add(entry.first());
            let two = one.wrapping_add(entry.second());
            block.put(one, entry.first_value());
            block.put(two, entry.second_value());
            if two >= enough {
                if entry.is_long() {
                    bits.skip(used as u32 & 0xff);
                    bits.refill(data);
                    let Some((go, value)) = table.long(bits, entry) else { return Ended::Broken };
                    place = place.wrapping_add(go);
                    block.put(place, value);
                    block.put_last(place, value);
                } else if one >= LAST {
                    bits.skip((used as u32 & 0xff) + entry.alone());
                    block.put_last(one, entry.first_value());
                    place = one;
                } else {
                    bits.skip(used.wrapping_add(entry.bits()) as u32 & 0xff);
                    block.put_last(two, entry.second_value());
                    place = two;
                }
                if place >= LAST {
                    return if u32::from(place) == END { Ended::Flat } else { Ended::Fine };
                }
                if place >= enough {
                    return over(bits, data, table, place);
                }
                continue 'block;
            }
            place = two;
            word <<= entry.bits() & 63;
            used = used.wrapping_add(entry.bits());
        }
        bits.skip(used as u32 & 0xff);
    }
}

/// Reads over the coefficients behind a place, several at a time.
#[inline(always)]
pub(super) fn over(bits: &mut Bits, data: &[u8], table: &AcTable, place: u8) -> Ended {
    let mut place = u32::from(place);
    'block: loop {
        bits.refill(data);
        let mut word = bits.word;
        let mut used = 0_u32;
        for _ in 0..56 / LOOK_OVER {
            let look = u32::from(table.look_over(word));
            let behind = place + (look >> 8);
            if behind >= u32::from(LAST) {
                if look >= OVER && behind < (OVER >> 8) + u32::from(LAST) {
                    // The block's end, before its last place.
                    bits.skip(used + (look & 0xff));
                    return Ended::Fine;
                }
                // One by one, if the block may end by having all of its coefficients.
                bits.skip(used);
                bits.refill(data);
                let entry = table.look(bits.word);
                if entry.is_long() {
                    let Some((go, _)) = table.long(bits, entry) else { return Ended::Broken };
                    place += u32::from(go);
                } else {
                    bits.skip(entry.alone());
                    place += u32::from(entry.first());
                }
                if place >= u32::from(LAST) {
                    return Ended::Fine;
                }
                continue 'block;
            }
            place = behind;
            word <<= look & 63;
            used += look & 0xff;
        }
        bits.skip(used);
    }
}
