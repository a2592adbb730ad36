//! One block of coefficients out of the bits.

use super::{
    bits::Bits,
    huffman::{AcTable, DcTable, LOOK},
};

/// A block's coefficients in lines from top to bottom.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Block(pub(super) [i16; 64]);

impl Block {
    pub(super) const ZERO: Block = Block([0; 64]);

    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.0 = [0; 64];
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

/// How a block ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// With only the first coefficient.
    Flat,
    /// As it should.
    Fine,
    /// With bits that are no code.
    Broken,
}

/// The first coefficient's difference to that of the block before.
#[inline(always)]
pub(super) fn first(bits: &mut Bits, data: &[u8], table: &DcTable) -> Option<i32> {
    bits.refill(data);
    table.take(bits)
}

/// The other coefficients; where `STORE` is false they are only read. From the place `last` on they are not stored.
#[inline(always)]
pub(super) fn others<const STORE: bool>(bits: &mut Bits, data: &[u8], table: &AcTable, block: &mut Block) -> Ended {
    let mut place = 1_u32;
    let mut put = |place: u32, value: u64| {
        if STORE {
            block.0[usize::from(ORDER[place as usize & 127]) & 63] = value as i16;
        }
    };
    'block: loop {
        bits.refill(data);
        let mut word = bits.word;
        // The lowest bytes of entries add up to the bits that were used.
        let mut used = 0_u64;
        // As many looks as the bits of one refilling suffice for.
        for _ in 0..56 / LOOK {
            let entry = table.look(word);
            if entry & 0xff == 0 {
                bits.skip(used as u32 & 0xff);
                bits.refill(data);
                let Some((go, value)) = table.long(bits, entry) else { return Ended::Broken };
                place += go;
                put(place - 1, value as u64);
                if place > 63 {
                    break 'block;
                }
                continue 'block;
            }
            let behind = place + (entry >> 16) as u32 % 256;
            put(behind - 1, entry >> 32);
            if behind > 63 {
                bits.skip((used + (entry >> 8)) as u32 & 0xff);
                place = behind;
                break 'block;
            }
            place = behind + (entry >> 24) as u32 % 256;
            put(place - 1, entry >> 48);
            word <<= entry & 63;
            used = used.wrapping_add(entry & 0xff);
            if place > 63 {
                bits.skip(used as u32 & 0xff);
                break 'block;
            }
        }
        bits.skip(used as u32 & 0xff);
    }
    match place {
        130 => Ended::Flat,
        _ => Ended::Fine,
    }
}
