//! What one scan of a progressive picture says of one block.
//!
//! For each block a word says which of its coefficients are not zero, by their places in the order in which they are stored.
//! So a scan that refines finds the coefficients that it has a bit for, and the zeros that it counts, without looking at
//! any; and a coefficient that is not in the word need not have been written.

use super::{
    bits::{Bits, REFILLED},
    block::ORDER,
    huffman::Plain,
};

/// The places that a scan is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Band {
    first: u32,
    last: u32,
    /// The bits below those that the scan gives.
    low: u32,
    places: u64,
    /// Blocks end together.
    runs: bool,
}

impl Band {
    /// Of the coefficients but the first one of a block.
    pub(super) fn new(first: usize, last: usize, low: u32) -> Band {
        let (first, last) = (first.clamp(1, 63) as u32, last.min(63) as u32);
        Band { first, last, low, places: (!0 << first) & (!0 >> (63 - last)), runs: true }
    }

    /// All that a block of a sequential scan has, which ends by itself.
    pub(super) fn sequential() -> Band {
        Band { runs: false, ..Band::new(1, 63, 0) }
    }

    /// Those of the places that a block has something at.
    #[inline(always)]
    pub(super) fn of(&self, set: u64) -> u64 {
        set & self.places
    }
}

/// Coefficients without their lowest bits. Gives how many blocks are at their end with it, this one counted; `None` if
/// the bits are not a code.
#[inline(always)]
pub(super) fn begin(
    bits: &mut Bits,
    data: &[u8],
    table: &Plain,
    band: &Band,
    set: &mut u64,
    block: &mut [i16; 64],
) -> Option<u32> {
    if *set == 0 {
        *block = [0; 64];
    }
    // One more than the last place.
    let (mut k, mut found) = (band.first, 0_u64);
    let run = 'block: loop {
        bits.refill(data);
        let (mut word, mut used) = (bits.word, 0);
        // As many looks as the bits of one refilling suffice for.
        for _ in 0..REFILLED / Plain::LOOK {
            let entry = table.look(word);
            if !entry.is_short() {
                bits.skip(used);
                bits.refill(data);
                let symbol = table.long(bits, entry)?;
                let (zeros, size) = (u32::from(symbol >> 4), u32::from(symbol & 15));
                if size > 0 {
                    k += zeros + 1;
                    found |= put(block, k - 1, (bits.take_signed(size) as i16) << band.low);
                } else if zeros == 15 {
                    k += 16;
                } else {
                    break 'block if band.runs { (1 << zeros) + bits.take(zeros) } else { 1 };
                }
                if k > band.last {
                    break 'block 0;
                }
                continue 'block;
            }
            word <<= entry.bits() & 63;
            used += entry.bits();
            k += entry.go();
            found |= put(block, k - 1, entry.value() << band.low);
            if k > band.last {
                bits.skip(used);
                break 'block 0;
            }
        }
        bits.skip(used);
    };
    *set |= found;
    Some(run)
}

/// One more bit of the coefficients that are there, and new ones. Gives how many blocks are at their end with it, this one
/// counted; `None` if the bits are not a code.
#[inline(always)]
pub(super) fn refine(
    bits: &mut Bits,
    data: &[u8],
    table: &Plain,
    band: &Band,
    set: &mut u64,
    block: &mut [i16; 64],
) -> Option<u32> {
    if *set == 0 {
        *block = [0; 64];
    }
    let there = *set;
    let mut found = 0_u64;
    // The places that are still to be read.
    let mut ahead = band.places;
    while ahead != 0 {
        bits.refill(data);
        let entry = table.look(bits.word);
        let (zeros, new) = if entry.is_short() {
            bits.skip(entry.bits());
            (entry.go() - 1, entry.value())
        } else {
            let symbol = table.long(bits, entry)?;
            let (zeros, size) = (u32::from(symbol >> 4), symbol & 15);
            match size {
                0 if zeros < 15 => {
                    let run = (1 << zeros) + bits.take(zeros);
                    correct(bits, data, band, there & ahead, block);
                    *set |= found;
                    return Some(run);
                }
                0 => (15, 0),
                1 => (zeros, bits.take_signed(1) as i16),
                // A new one has a single bit.
                _ => return None,
            }
        };
        // The zero behind as many others.
        let mut free = ahead & !there;
        for _ in 0..zeros {
            free &= free.wrapping_sub(1);
        }
        let upto = free ^ free.wrapping_sub(1);
        correct(bits, data, band, there & ahead & upto, block);
        if new != 0 {
            // Behind the last place as libjpeg has it, which does not look.
            let place = if free == 0 { band.last + 1 } else { free.trailing_zeros() };
            found |= put(block, place, new << band.low);
        }
        ahead &= !upto;
    }
    *set |= found;
    Some(0)
}

/// The next bit of each coefficient at these places.
#[inline(always)]
pub(super) fn correct(bits: &mut Bits, data: &[u8], band: &Band, mut places: u64, block: &mut [i16; 64]) {
    while places != 0 {
        bits.refill(data);
        let mut word = bits.word;
        let count = places.count_ones().min(REFILLED);
        bits.skip(count);
        for _ in 0..count {
            let value = &mut block[usize::from(ORDER[places.trailing_zeros() as usize & 63]) & 63];
            places &= places.wrapping_sub(1);
            // Away from zero, unless the bit is there already.
            let sign = *value >> 15;
            let more = (((word >> 63) as i16) << band.low) & !*value;
            *value = value.wrapping_add((more ^ sign).wrapping_sub(sign));
            word <<= 1;
        }
    }
}

/// Writes a coefficient; gives its place as a bit.
#[inline(always)]
fn put(block: &mut [i16; 64], place: u32, value: i16) -> u64 {
    // Damaged pictures may have some beyond the last; those take its place, as they do in libjpeg.
    block[usize::from(ORDER[place as usize & 127]) & 63] = value;
    1 << place.min(63)
}
