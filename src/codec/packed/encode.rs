//! From a JPEG to the packed picture.

use fearless_simd::{Level, Simd as _, dispatch};

use super::{
    Kept,
    bits::{Bits, PAD, folded, put_number},
    channel::{Channel, size},
    layout::{levels, segments, shapes},
    picture::{Picture, part},
    planes::{ESCAPE, LANES, LEVELS, level},
    restore::restore,
    scan::Reader,
    tables::Tables,
    visit::{Item, visit},
};
use crate::codec::checksum::crc32;

/// Blocks of brightness that a segment has at most, where a row of units has not more.
const BLOCKS: usize = 1000;

/// Packs pictures.
#[derive(Debug, Default)]
pub struct Packer {
    channels: [Channel; 2],
    streams: Streams,
}

/// Rows of units in each segment, as a power of two.
pub(super) fn rows_of(picture: &Picture) -> u32 {
    let row = picture.components().first().map_or(1, |c| picture.units().0 * c.across * c.down);
    if row * 4 <= BLOCKS {
        2
    } else if row * 2 <= BLOCKS {
        1
    } else {
        0
    }
}

/// Reads the coefficients of a JPEG segment by segment, and calls with each. Gives what follows the scan.
pub(super) fn read<'a>(
    picture: &Picture,
    jpeg: &'a [u8],
    channels: &mut [Channel; 2],
    mut each: impl FnMut(&mut [Channel; 2]) -> Result<(), Kept>,
) -> Result<&'a [u8], Kept> {
    let mut reader = Reader::new(picture, jpeg);
    let mut behind: &[u8] = &[];
    for rows in segments(picture, 1 << rows_of(picture)) {
        for (channel, shape) in channels.iter_mut().zip(shapes(picture, rows)) {
            channel.begin(shape);
        }
        for y in 0..rows {
            reader.row(y, channels)?;
        }
        each(channels)?;
        behind = reader.behind();
    }
    Ok(jpeg.get(jpeg.len() - behind.len()..).unwrap_or_default())
}

/// A picture's streams: of the segment, and those that are done.
#[derive(Debug, Default)]
struct Streams {
    own: [[Bits; LANES]; LEVELS],
    done: [Vec<u8>; LEVELS],
    directory: Vec<u8>,
}

impl Streams {
    #[inline(always)]
    fn put(&mut self, tables: &Tables, channel: usize, item: &Item<'_>) {
        let code = tables.map[channel][item.plane][item.context];
        let bits = &mut self.own[level(channel, item.plane)][item.lane];
        let (mut word, mut length) = tables.word(code, item.symbol);
        let escapes = length == 0 || item.symbol == ESCAPE;
        if escapes {
            (word, length) = tables.word(code, ESCAPE);
        }
        bits.put(word, length);
        if escapes {
            item.values.iter().for_each(|value| bits.put(size((*value).into()), 4));
        }
        for value in item.values {
            let (value, size) = (i32::from(*value), size((*value).into()));
            bits.put((value - i32::from(value < 0)) as u32 & ((1 << size) - 1), size);
        }
    }

    /// Ends a segment.
    fn end(&mut self, levels: impl Iterator<Item = usize>) {
        for level in levels {
            let mut before = None;
            for bits in &mut self.own[level] {
                bits.end();
                let length = bits.bytes.len();
                match before {
                    None => put_number(length, &mut self.directory),
                    Some(before) => put_number(folded(length as isize - before as isize), &mut self.directory),
                }
                before = Some(length);
                self.done[level].append(&mut bits.bytes);
            }
        }
    }
}

impl Packer {
    /// The packed picture; or why there is none, or none that gives this JPEG back byte for byte and is smaller.
    pub fn pack(&mut self, jpeg: &[u8], tables: &Tables) -> Result<Vec<u8>, Kept> {
        let out = self.pack_anyway(jpeg, tables)?;
        if out.len() < jpeg.len() { Ok(out) } else { Err(Kept::Larger) }
    }

    /// The same of one that may be larger.
    #[doc(hidden)]
    pub fn pack_anyway(&mut self, jpeg: &[u8], tables: &Tables) -> Result<Vec<u8>, Kept> {
        let picture = Picture::read(jpeg)?;
        let colors = picture.components().len() > 1;
        self.streams.directory.clear();
        self.streams.done.iter_mut().for_each(Vec::clear);
        let Packer { channels, streams } = self;
        let level = Level::new();
        let behind = read(&picture, jpeg, channels, |channels| {
            for (c, channel) in channels.iter_mut().enumerate().filter(|(_, channel)| channel.shape.parts > 0) {
                // The processor's own steps for counting and shifting bits.
                dispatch!(level, simd => simd.vectorize(
                    #[inline(always)]
                    || visit(channel, |item| streams.put(tables, c, &item))
                ))?;
            }
            streams.end(levels(colors));
            Ok(())
        })?;
        let mut out = vec![rows_of(&picture) as u8];
        out.extend((tables.digest() as u16).to_le_bytes());
        out.extend(crc32(jpeg).to_le_bytes());
        header(jpeg, picture.scan, tables, &mut out);
        put_number(behind.len(), &mut out);
        out.extend(behind);
        out.extend(&self.streams.directory);
        self.streams.done.iter().for_each(|level| out.extend(level));
        out.extend([0; PAD]);
        let same = restore(&out, jpeg.len(), tables, &mut self.channels).is_ok_and(|restored| restored == jpeg);
        if same { Ok(out) } else { Err(Kept::Damaged) }
    }
}

/// Writes the marker segments, those that the tables have by their numbers.
fn header(jpeg: &[u8], scan: usize, tables: &Tables, out: &mut Vec<u8>) {
    let mut at = 2;
    let mut parts = Vec::new();
    while at < scan
        && let Some(part) = part(jpeg, at)
    {
        at += part.len();
        parts.push(part);
    }
    put_number(parts.len(), out);
    for part in parts {
        match tables.shared.iter().position(|shared| shared == part) {
            Some(n) => put_number(n + 1, out),
            None => {
                put_number(0, out);
                put_number(part.len(), out);
                out.extend(part);
            }
        }
    }
}

impl Tables {
    /// Packs a JPEG; or says why it is stored as it is.
    pub fn pack(&self, jpeg: &[u8]) -> Result<Vec<u8>, Kept> {
        Packer::default().pack(jpeg, self)
    }
}
