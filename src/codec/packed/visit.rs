//! The symbols of a channel, one plane after the other: what training counts, and what encoding writes.

use super::{
    Kept,
    channel::{Channel, Shape, last_context, size},
    planes::{AT, BEGIN, CELLS, ESCAPE, FIRST, Kind, LANES, LAST, PLANES, QUAD},
};

/// One symbol.
pub(super) struct Item<'a> {
    pub(super) plane: usize,
    pub(super) lane: usize,
    pub(super) context: usize,
    pub(super) symbol: u16,
    /// The numbers whose sizes it says.
    pub(super) values: &'a [i16],
}

const SAME: [u8; CELLS] = {
    let mut same = [0; CELLS];
    let mut i = 0;
    while i < CELLS {
        same[i] = i as u8;
        i += 1;
    }
    same
};

/// Visits all symbols of a channel whose coefficients are there.
#[inline(always)]
pub(super) fn visit(channel: &mut Channel, mut each: impl FnMut(Item<'_>)) -> Result<(), Kept> {
    let blocks = channel.shape.blocks();
    let mut differences = Vec::with_capacity(blocks);
    channel.firsts(|expected, first| {
        differences.push(i32::from(first) - expected);
        first
    });
    if channel.measure() > 10 || differences.iter().any(|d| size(*d) > 11) {
        return Err(Kept::Damaged);
    }
    let places = channel.shape.places();
    for (place, difference) in channel.raster.iter().zip(&differences) {
        channel.sums[FIRST * places + *place as usize] = size(*difference) as u8;
    }
    let lane = Shape::lane(blocks);
    let mut before = [BEGIN; LANES];
    for (j, difference) in differences.iter().enumerate() {
        let (lane, symbol) = (j / lane, size(*difference));
        let context = std::mem::replace(&mut before[lane], symbol as usize);
        each(Item { plane: 0, lane, context, symbol: symbol as u16, values: &[*difference as i16] });
    }
    let (first, last) = (channel.sum(FIRST), channel.sum(LAST));
    for (j, (place, known)) in channel.raster.iter().zip(&channel.known).enumerate() {
        let place = *place as usize;
        let (left, above) = (last[place - 1], last[place - channel.shape.stride()]);
        let context = last_context(first[place], *known, left, above);
        each(Item { plane: 1, lane: j / lane, context, symbol: last[place].into(), values: &[] });
    }
    channel.sort();
    for plane in 2..PLANES {
        let (count, kind) = (channel.count(plane), Kind::of(plane));
        channel.find_contexts(plane, &SAME);
        let lane = Shape::lane(count);
        for (j, found) in channel.contexts.iter().take(count).enumerate() {
            let (place, context) = ((found >> 8) as usize, (found & 0xff) as usize);
            let block = &channel.blocks[place];
            let at = AT[plane.saturating_sub(QUAD)];
            let all = [block[at], block[at + 1], block[at + 8], block[at + 9]];
            let values = match kind {
                Kind::Pair => &all[1..3],
                Kind::One => &all[3..],
                _ => &all,
            };
            each(Item { plane, lane: j / lane, context, symbol: symbol(kind, values), values });
        }
    }
    Ok(())
}

/// The symbol of these values.
#[inline(always)]
fn symbol(kind: Kind, values: &[i16]) -> u16 {
    let (bits, most) = if kind == Kind::Quad { (3, 6) } else { (4, 10) };
    let mut symbol = 0;
    for (i, value) in values.iter().enumerate() {
        let size = size((*value).into());
        if size > most {
            return ESCAPE;
        }
        symbol |= size << (bits * i as u32);
    }
    symbol as u16
}
