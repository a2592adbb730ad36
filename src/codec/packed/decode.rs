//! One segment's coefficients out of its streams, four lanes in step.

use std::sync::LazyLock;

use fearless_simd::Simd;

use super::{
    bits::peek,
    channel::{Channel, Shape, last_context},
    planes::{ACROSS, AT, BEGIN, BELOW, CELLS, ESCAPE, LANES, LAST, PLANES, QUAD, RIGHT, band, level},
    tables::{LOOK, MOST_CODES, Tables},
};

/// Where the streams of a segment are, and what they are read with.
pub(super) struct Streams<'a> {
    pub(super) data: &'a [u8],
    pub(super) tables: &'a Tables,
    /// Where the lanes of a level begin, and behind them where the last one ends.
    pub(super) starts: &'a dyn Fn(usize) -> Option<&'a [usize; LANES + 1]>,
}

/// Decodes of each channel the bands up to one; `None` if that is damaged.
#[inline(never)]
pub(super) fn decode<S: Simd>(
    simd: S,
    streams: &Streams<'_>,
    bands: [usize; 2],
    channels: &mut [Channel; 2],
) -> Option<()> {
    // No vectors by hand, but the processor's own steps for shifting bits.
    simd.vectorize(
        #[inline(always)]
        || all(streams, bands, channels),
    )
}

#[inline(always)]
fn all(streams: &Streams<'_>, bands: [usize; 2], channels: &mut [Channel; 2]) -> Option<()> {
    let mut lanes = Lanes::begin(streams, 0)?;
    for (c, channel) in channels.iter_mut().enumerate().filter(|(_, channel)| channel.shape.parts > 0) {
        firsts(&mut lanes, &streams.tables.map[c][0], channel);
    }
    lanes.end()?;
    for (c, channel) in channels.iter_mut().enumerate().filter(|(_, channel)| channel.shape.parts > 0) {
        if bands[c] == 0 {
            // Nothing is known of what else a block has, so that it has nothing.
            let places = channel.shape.places();
            channel.sums[LAST * places..(LAST + 1) * places].fill(0);
        }
        for wanted in 1..=bands[c].min(3) {
            let planes = (1..PLANES).filter(|plane| band(*plane) == wanted);
            let mut lanes = Lanes::begin(streams, level(c, if wanted == 1 { 1 } else { [0, 1, 4, 7][wanted] }))?;
            for plane in planes {
                let map = &streams.tables.map[c][plane];
                match plane {
                    1 => lasts(&mut lanes, map, channel),
                    2 => pairs(&mut lanes, map, channel)?,
                    3 => ones(&mut lanes, map, channel)?,
                    _ => quads(&mut lanes, plane, map, channel)?,
                }
            }
            lanes.end()?;
        }
    }
    Some(())
}

/// The lanes of a level, each at a bit.
struct Lanes<'a> {
    data: &'a [u8],
    looks: &'a [[u32; 1 << LOOK]; MOST_CODES],
    at: [usize; LANES],
    starts: &'a [usize; LANES + 1],
}

impl<'a> Lanes<'a> {
    #[inline(always)]
    fn begin(streams: &Streams<'a>, level: usize) -> Option<Lanes<'a>> {
        let starts = (streams.starts)(level)?;
        let at = std::array::from_fn(|lane| starts[lane] * 8);
        // Bytes that are not there are not read as zeros.
        streams.data.get(..starts[LANES])?;
        Some(Lanes { data: streams.data, looks: &streams.tables.looks, at, starts })
    }

    /// Holds that each lane was read to its end.
    #[inline(always)]
    fn end(&self) -> Option<()> {
        let ends = self.at.iter().zip(&self.starts[1..]);
        ends.into_iter().all(|(at, end)| at.div_ceil(8) == *end).then_some(())
    }

    /// Calls for every item with its number, the item, its lane, and the lane's next bit, and takes where that goes on.
    #[inline(always)]
    fn each(&mut self, items: &[u32], mut each: impl FnMut(usize, u32, usize, usize) -> usize) {
        let lane = Shape::lane(items.len());
        let [mut a, mut b, mut c, mut d] = self.at;
        if let (Some(first), Some(rest)) = (items.get(..lane), items.get(lane..))
            && let (Some(second), Some(rest)) = (rest.get(..lane), rest.get(lane..))
            && let (Some(third), Some(fourth)) = (rest.get(..lane), rest.get(lane..))
        {
            for (i, (((one, two), three), four)) in first.iter().zip(second).zip(third).zip(fourth).enumerate() {
                a = each(i, *one, 0, a);
                b = each(lane + i, *two, 1, b);
                c = each(2 * lane + i, *three, 2, c);
                d = each(3 * lane + i, *four, 3, d);
            }
        }
        self.at = [a, b, c, d];
        // The last lane may be shorter.
        for i in items.len().saturating_sub(3 * lane)..lane {
            for l in 0..LANES - 1 {
                if let Some(item) = items.get(l * lane + i) {
                    self.at[l] = each(l * lane + i, *item, l, self.at[l]);
                }
            }
        }
    }
}

/// What a look at the bits gives.
#[derive(Clone, Copy)]
struct Entry(u32);

impl Entry {
    #[inline(always)]
    fn of(looks: &[[u32; 1 << LOOK]; MOST_CODES], code: u8, word: u64) -> Entry {
        Entry(looks[usize::from(code) % MOST_CODES][word as usize % (1 << LOOK)])
    }
    #[inline(always)]
    fn symbol(self) -> u32 {
        self.0 >> 16
    }
    /// Bits of the code.
    #[inline(always)]
    fn code(self) -> u32 {
        self.0 >> 8 & 0xff
    }
    /// Bits of the code and what follows it.
    #[inline(always)]
    fn all(self) -> u32 {
        self.0 & 0xff
    }
}

/// The number that `size` bits at the bottom of a word stand for.
#[inline(always)]
fn extend(word: u64, size: u32) -> i16 {
    let mask = (1_u32 << size) - 1;
    let bits = word as u32 & mask;
    if bits <= mask >> 1 { (bits as i16).wrapping_sub(mask as i16) } else { bits as i16 }
}

#[inline(always)]
fn firsts(lanes: &mut Lanes<'_>, map: &[u8; CELLS], channel: &mut Channel) {
    let (data, looks) = (lanes.data, lanes.looks);
    let Channel { first, sums, raster, .. } = channel;
    let mut before = [BEGIN as u8; LANES];
    lanes.each(
        raster,
        #[inline(always)]
        |_, place, lane, at| {
            let word = peek(data, at);
            let entry = Entry::of(looks, map[usize::from(before[lane]) % CELLS], word);
            let (symbol, place) = (entry.symbol(), place as usize);
            before[lane] = symbol as u8;
            if let (Some(first), Some(sum)) = (first.get_mut(place), sums.get_mut(place)) {
                *first = extend(word >> entry.code(), symbol & 15);
                *sum = symbol as u8;
            }
            at + entry.all() as usize
        },
    );
    channel.firsts(|expected, difference| (expected + i32::from(difference)) as i16);
}

#[inline(always)]
fn lasts(lanes: &mut Lanes<'_>, map: &[u8; CELLS], channel: &mut Channel) {
    let (data, looks, places, stride) = (lanes.data, lanes.looks, channel.shape.places(), channel.shape.stride());
    let Channel { sums, raster, known, .. } = channel;
    let (first, last) = sums.split_at_mut(places);
    let known = &known[..raster.len()];
    lanes.each(
        raster,
        #[inline(always)]
        |j, place, _, at| {
            let place = place as usize;
            let context = last_context(first[place], known[j], last[place - 1], last[place - stride]);
            let entry = Entry::of(looks, map[context % CELLS], peek(data, at));
            last[place] = entry.symbol() as u8;
            at + entry.all() as usize
        },
    );
    channel.sort();
}

/// What follows an escape at a bit: sizes of four bits each, then the values. `None` if one is too large.
#[cold]
#[inline(never)]
fn escaped<const N: usize>(data: &[u8], at: usize) -> Option<([i16; N], [u32; N], usize)> {
    let word = peek(data, at);
    let sizes: [u32; N] = std::array::from_fn(|i| (word >> (4 * i)) as u32 & 15);
    let mut at = at + 4 * N;
    let mut values = [0; N];
    for (value, size) in values.iter_mut().zip(sizes) {
        if size > 10 {
            return None;
        }
        *value = extend(peek(data, at), size);
        at += size as usize;
    }
    Some((values, sizes, at))
}

#[inline(always)]
fn pairs(lanes: &mut Lanes<'_>, map: &[u8; CELLS], channel: &mut Channel) -> Option<()> {
    let (data, looks, places, count) = (lanes.data, lanes.looks, channel.shape.places(), channel.count(2));
    channel.find_contexts(2, map);
    let Channel { blocks, sums, contexts, .. } = channel;
    let (right, below) = sums.split_at_mut(BELOW * places);
    let (right, below) = (&mut right[RIGHT * places..], &mut below[..places]);
    right.fill(0);
    below.fill(0);
    let mut fine = true;
    lanes.each(
        contexts.get(..count)?,
        #[inline(always)]
        |_, item, _, at| {
            let (word, place) = (peek(data, at), (item >> 8) as usize);
            let entry = Entry::of(looks, item as u8, word);
            let (values, sizes, next) = if entry.symbol() == u32::from(ESCAPE) {
                let Some(found) = escaped::<2>(data, at + entry.code() as usize) else {
                    fine = false;
                    return at;
                };
                found
            } else {
                let sizes = [entry.symbol() & 15, entry.symbol() >> 4 & 15];
                let raw = word >> entry.code();
                ([extend(raw, sizes[0]), extend(raw >> sizes[0], sizes[1])], sizes, at + entry.all() as usize)
            };
            if let Some(block) = blocks.get_mut(place) {
                *block = [0; 64];
                (block[1], block[8]) = (values[0], values[1]);
            }
            (right[place], below[place]) = (sizes[0] as u8, sizes[1] as u8);
            next
        },
    );
    fine.then_some(())
}

#[inline(always)]
fn ones(lanes: &mut Lanes<'_>, map: &[u8; CELLS], channel: &mut Channel) -> Option<()> {
    let (data, looks, places, count) = (lanes.data, lanes.looks, channel.shape.places(), channel.count(3));
    channel.find_contexts(3, map);
    let Channel { blocks, sums, contexts, .. } = channel;
    let across = &mut sums[ACROSS * places..(ACROSS + 1) * places];
    across.fill(0);
    lanes.each(
        contexts.get(..count)?,
        #[inline(always)]
        |_, item, _, at| {
            let (word, place) = (peek(data, at), (item >> 8) as usize);
            let entry = Entry::of(looks, item as u8, word);
            if let Some(block) = blocks.get_mut(place) {
                block[9] = extend(word >> entry.code(), entry.symbol() & 15);
            }
            across[place] = entry.symbol() as u8;
            at + entry.all() as usize
        },
    );
    Some(())
}

#[inline(always)]
fn quads(lanes: &mut Lanes<'_>, plane: usize, map: &[u8; CELLS], channel: &mut Channel) -> Option<()> {
    let (data, looks, places, count) = (lanes.data, lanes.looks, channel.shape.places(), channel.count(plane));
    channel.find_contexts(plane, map);
    let quad = (plane - QUAD) % 16;
    let Channel { blocks, sums, contexts, .. } = channel;
    let sums = &mut sums[(ACROSS + quad) * places..(ACROSS + quad + 1) * places];
    sums.fill(0);
    let (blocks, halves) = (&mut blocks[..places], &**HALVES);
    let corner = AT[quad] & 54;
    let mut fine = true;
    lanes.each(
        contexts.get(..count)?,
        #[inline(always)]
        |_, item, _, at| {
            let (word, place) = (peek(data, at), (item >> 8) as usize);
            let entry = Entry::of(looks, item as u8, word);
            let block = &mut blocks[place];
            if entry.symbol() == u32::from(ESCAPE) {
                let Some((values, sizes, next)) = escaped::<4>(data, at + entry.code() as usize) else {
                    fine = false;
                    return at;
                };
                (block[corner], block[corner + 1]) = (values[0], values[1]);
                (block[corner + 8], block[corner + 9]) = (values[2], values[3]);
                sums[place] = sizes.iter().sum::<u32>() as u8;
                return next;
            }
            let raw = word >> entry.code();
            let (two, used) = halves.look(entry.symbol(), raw);
            (block[corner], block[corner + 1]) = (two as i16, (two >> 16) as i16);
            let (two, _) = halves.look(entry.symbol() >> 6, raw >> used);
            (block[corner + 8], block[corner + 9]) = (two as i16, (two >> 16) as i16);
            sums[place] = (entry.all() - entry.code()) as u8;
            at + entry.all() as usize
        },
    );
    fine.then_some(())
}

/// Two numbers of at most six bits each, for all their sizes and bits.
struct Halves {
    /// By both sizes, three bits each: the bits that they have together, and above those where their values begin.
    begin: [u32; 64],
    values: [u32; 1 << 14],
}

static HALVES: LazyLock<Box<Halves>> = LazyLock::new(Halves::new);

impl Halves {
    fn new() -> Box<Halves> {
        let mut made = Box::new(Halves { begin: [0; 64], values: [0; 1 << 14] });
        let mut at = 0;
        for sizes in 0..64 {
            let (one, two) = (sizes & 7, sizes >> 3);
            if one < 7 && two < 7 {
                made.begin[sizes as usize] = (at as u32) << 8 | (one + two);
                for bits in 0..1_u64 << (one + two) {
                    let values = [extend(bits, one), extend(bits >> one, two)].map(|value| u32::from(value as u16));
                    made.values[at] = values[0] | values[1] << 16;
                    at += 1;
                }
            }
        }
        made
    }

    /// Both numbers, 16 bits each, and how many bits they have.
    #[inline(always)]
    fn look(&self, sizes: u32, raw: u64) -> (u32, u32) {
        let begin = self.begin[sizes as usize % 64];
        let bits = raw as u32 & ((1 << (begin & 15)) - 1);
        (self.values[((begin >> 8) + bits) as usize % (1 << 14)], begin & 15)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_numbers_are_those_one_by_one() {
        for symbol in 0..1_u32 << 12 {
            let sizes = [symbol & 7, symbol >> 3 & 7, symbol >> 6 & 7, symbol >> 9];
            if sizes.contains(&7) {
                continue;
            }
            for raw in [0, 0x5555_5555, !0, 0x1234_5678_9abc_def0_u64] {
                let (one, used) = HALVES.look(symbol, raw);
                let (two, _) = HALVES.look(symbol >> 6, raw >> used);
                let mut rest = raw;
                for (value, size) in [one, one >> 16, two, two >> 16].into_iter().zip(sizes) {
                    assert_eq!(value as i16, extend(rest, size), "{sizes:?} {raw:x}");
                    rest >>= size;
                }
            }
        }
    }
}
