//! Pictures of several scans: progressive ones, whose coefficients come in parts, and those that store one component
//! after the other. All coefficients are kept until the last scan is read.
//!
//! The first coefficients lie by themselves: scans of them are short and would otherwise touch all memory. Of the others a
//! word says which are not zero (see `passes`), so that blocks of which a scan says nothing are not touched either.

use fearless_simd::Simd;

use super::{
    bits::{Bits, Segments},
    block::ORDER,
    header::Header,
    huffman::Plain,
    parts::{Component, MOST_PARTS, Spec, damaged, left_over},
    passes::{self, Band},
    smooth::Known,
    tables::Tables,
};
use crate::{
    error::{Error, Result},
    image::codes,
};

/// Programs write ten scans; a few kB could ask for thousands of passes over all pixels.
const MOST_SCANS: usize = 100;

/// The most blocks that scans may go over, all together: this many times those of the picture, or this many. Programs
/// stay below eight times; small pictures may have a scan for each coefficient.
const MOST_PASSES: u64 = 24;
const FEW_BLOCKS: u64 = 1 << 22;

/// Blocks that an arithmetic-coded picture may have however few its bytes: 64 MiB of coefficients.
const ARITHMETIC_BLOCKS: usize = 1 << 19;

/// All coefficients of a picture.
#[derive(Debug, Default)]
pub(super) struct Coefficients {
    parts: [Blocks; MOST_PARTS],
    pub(super) known: Known,
}

/// Those of one component.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// Blocks across, whole units.
    across: usize,
    /// The first coefficient of each block.
    firsts: Vec<i16>,
    /// Which of the others are not zero, by their places.
    set: Vec<u64>,
    /// The others, in lines from top to bottom. Of blocks that have none, what was there before.
    others: Vec<i16>,
}

/// A row of blocks.
pub(super) struct Row<'a, T = u64> {
    pub(super) firsts: &'a [i16],
    /// 0 for those that have only the first coefficient.
    pub(super) set: &'a [T],
    /// With room for the first coefficients, which are not there.
    pub(super) others: &'a mut [[i16; 64]],
}

impl Blocks {
    /// Makes room for this many blocks that have nothing yet.
    fn clear(&mut self, across: usize, down: usize) {
        let count = across * down;
        self.across = across;
        self.firsts.clear();
        self.firsts.resize(count, 0);
        self.set.clear();
        self.set.resize(count, 0);
        if self.others.len() < count * 64 {
            // New memory is zero without being written; what was there before is of no use.
            self.others = Vec::new();
            self.others = vec![0; count * 64];
        }
    }

    /// The first coefficients of 5 × 5 blocks, in these lines and around a column of that many.
    pub(super) fn around(&self, lines: [usize; 5], x: usize, across: usize) -> [[i64; 5]; 5] {
        let columns: [usize; 5] = std::array::from_fn(|i| (x + i).saturating_sub(2).min(across - 1));
        let first = |y: usize, x: usize| self.firsts.get(y * self.across + x).copied().unwrap_or_default();
        lines.map(|y| columns.map(|x| first(y, x).into()))
    }

    /// All coefficients of a block.
    pub(super) fn block(&self, x: usize, y: usize) -> [i16; 64] {
        let at = y * self.across + x;
        let mut block = match (self.set.get(at), self.others.as_chunks().0.get(at)) {
            (Some(set), Some(block)) if *set != 0 => *block,
            _ => [0; 64],
        };
        block[0] = self.firsts.get(at).copied().unwrap_or_default();
        block
    }

    /// The blocks of a row from one column on.
    pub(super) fn row(&mut self, y: usize, from: usize) -> Row<'_> {
        let places =
            (y * self.across + from.min(self.across)).min(self.set.len())..((y + 1) * self.across).min(self.set.len());
        Row {
            firsts: self.firsts.get(places.clone()).unwrap_or_default(),
            set: self.set.get(places.clone()).unwrap_or_default(),
            others: by_block(&mut self.others).get_mut(places).unwrap_or_default(),
        }
    }
}

/// Coefficients as blocks. They are not a vector of blocks, whose zeros would be written.
#[inline(always)]
fn by_block(coefficients: &mut [i16]) -> &mut [[i16; 64]] {
    coefficients.as_chunks_mut().0
}

/// Where the reading of a scan stands.
struct Place {
    bits: Bits,
    before: [i32; MOST_PARTS],
    /// Blocks that have nothing more in this scan.
    run: u32,
    /// Units until the next restart marker, and its number.
    left: u32,
    marker: u8,
    /// The rest of the segment cannot be read.
    lost: bool,
}

/// What scans are read from.
struct Reading<'a, 'b> {
    header: &'a Header,
    spec: &'a Spec,
    tables: &'a Tables,
    segments: &'a mut Segments<'b>,
    place: Place,
    lenient: bool,
}

impl Coefficients {
    /// Bytes of the room for coefficients.
    pub(super) fn bytes(&self) -> usize {
        self.parts.iter().map(|part| size_of_val(&part.others[..])).sum()
    }

    pub(super) fn part(&self, part: usize) -> &Blocks {
        &self.parts[part]
    }

    pub(super) fn part_mut(&mut self, part: usize) -> &mut Blocks {
        &mut self.parts[part]
    }

    /// Changes a block; `None` if there is none.
    pub(super) fn change<T>(
        &mut self,
        part: usize,
        x: usize,
        y: usize,
        by: impl FnOnce(&mut [i16; 64]) -> T,
    ) -> Option<T> {
        let blocks = &mut self.parts[part];
        let at = y * blocks.across + x;
        let (first, set, block) =
            (blocks.firsts.get_mut(at)?, blocks.set.get_mut(at)?, by_block(&mut blocks.others).get_mut(at)?);
        if *set == 0 {
            *block = [0; 64];
        }
        block[0] = *first;
        let given = by(block);
        *first = std::mem::take(&mut block[0]);
        let places = ORDER.iter().take(64).enumerate();
        *set = places.fold(0, |set, (place, at)| set | u64::from(block[usize::from(*at) & 63] != 0) << place);
        Some(given)
    }

    /// Reads all scans. Where `lenient`, what is there of a damaged picture is kept.
    #[inline(always)]
    pub(super) fn read<S: Simd>(
        &mut self,
        simd: S,
        payload: &[u8],
        header: &mut Header,
        tables: &mut Tables,
        bytes: &mut Vec<u8>,
        lenient: bool,
    ) -> Result<()> {
        let units = header.units();
        // Every block needs at least a bit, but for arithmetic codes, which say many blocks by one; a few bytes that claim many
        // blocks are not given memory for them.
        let blocks = |c: &Component| units.0 * c.across * units.1 * c.down;
        let all = header.components().iter().map(blocks).sum::<usize>();
        let few = if header.arithmetic() { ARITHMETIC_BLOCKS } else { 0 };
        if !lenient && all > payload.len().saturating_mul(8).max(few) {
            return Err(damaged("the JPEG's pixels end early"));
        }
        for (part, component) in self.parts.iter_mut().zip(header.components()) {
            part.clear(units.0 * component.across, units.1 * component.down);
        }
        self.known = Known::default();
        let mut spec = header.scan;
        let mut seen = [false; MOST_PARTS];
        let most = FEW_BLOCKS.max(all as u64 * MOST_PASSES);
        let mut passed = 0;
        for _ in 0..MOST_SCANS {
            tables.simple(header.components(), &spec);
            self.known.scan(&spec);
            for part in spec.parts() {
                seen[*part] |= spec.first == 0;
                passed += header.components().get(*part).map_or(0, blocks) as u64;
            }
            if passed > most {
                break;
            }
            let end = if header.arithmetic() {
                self.arithmetic(payload, header, &spec, tables.conditions(), lenient)?
            } else {
                let mut segments = Segments::new(payload, spec.at, bytes);
                self.scan(simd, header, &spec, tables, &mut segments, lenient)?;
                segments.end()
            };
            let next = header.next(payload, end, tables);
            if !lenient {
                header.whole()?;
            }
            match next {
                Ok(Some(next)) => spec = next,
                Ok(None) if lenient || seen.iter().take(header.components().len()).all(|seen| *seen) => return Ok(()),
                Ok(None) => return Err(damaged("the JPEG lacks a component")),
                Err(_) if lenient => return Ok(()),
                Err(e) => return Err(e),
            }
        }
        let message =
            format!("the JPEG's scans go over its pixels more than {MOST_PASSES} times, or are over {MOST_SCANS}");
        Err(Error::new(&codes::SCANS, message).section("payload"))
    }

    /// Reads a scan of Huffman codes.
    #[inline(always)]
    fn scan<S: Simd>(
        &mut self,
        simd: S,
        header: &Header,
        spec: &Spec,
        tables: &Tables,
        segments: &mut Segments<'_>,
        lenient: bool,
    ) -> Result<()> {
        let left = if header.restart == 0 { u32::MAX } else { header.restart };
        let place = Place { bits: Bits::default(), before: [0; MOST_PARTS], run: 0, left, marker: 0, lost: false };
        segments.advance(simd);
        let mut reading = Reading { header, spec, tables, segments, place, lenient };
        if spec.first == 0 {
            self.units(simd, &mut reading)?
        } else {
            self.band(simd, &mut reading)?
        }
        reading.used_up()
    }

    /// A scan that has the first coefficients, of all components or one: unit by unit.
    #[inline(always)]
    fn units<S: Simd>(&mut self, simd: S, reading: &mut Reading<'_, '_>) -> Result<()> {
        let (header, spec, tables) = (reading.header, reading.spec, reading.tables);
        let components = header.components();
        let single = spec.parts().len() == 1;
        let (wide, high) = header.size_of(spec);
        for y in 0..high {
            for x in 0..wide {
                if reading.place.left == 0 {
                    reading.restart(simd)?;
                }
                reading.place.left -= 1;
                if reading.place.lost {
                    if header.restart == 0 {
                        return Ok(());
                    }
                    continue;
                }
                self.known.reached = if single { y / components[spec.parts()[0]].stated } else { y };
                for part in spec.parts() {
                    let component = &components[*part];
                    let (dc, ac) = (tables.plain(0, component.dc), tables.plain(1, component.ac));
                    let (across, down) = if single { (1, 1) } else { (component.across, component.down) };
                    let blocks = &mut self.parts[*part];
                    for n in 0..across * down {
                        let at = (y * down + n / across) * blocks.across + x * across + n % across;
                        let Some(first) = blocks.firsts.get_mut(at) else { continue };
                        let mut read = reading.first(*part, dc, first);
                        if !header.progressive()
                            && let (Some(set), Some(block)) =
                                (blocks.set.get_mut(at), by_block(&mut blocks.others).get_mut(at))
                        {
                            read = read.and_then(|()| reading.others(ac?, set, block));
                        }
                        reading.see(read)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// A scan of other coefficients, which is of one component: block by block.
    #[inline(always)]
    fn band<S: Simd>(&mut self, simd: S, reading: &mut Reading<'_, '_>) -> Result<()> {
        let (header, spec) = (reading.header, reading.spec);
        let (wide, high) = header.size_of(spec);
        let [part] = spec.parts() else { return Ok(()) };
        let blocks = &mut self.parts[*part];
        let band = Band::new(spec.first, spec.last, spec.low);
        let missing = || damaged("a table of the JPEG is not defined");
        let component = &header.components()[*part];
        let table = reading.tables.plain(1, component.ac).ok_or_else(missing)?;
        for y in 0..high {
            let from = y * blocks.across;
            let (Some(set), Some(others)) =
                (blocks.set.get_mut(from..from + wide), by_block(&mut blocks.others).get_mut(from..from + wide))
            else {
                break;
            };
            let mut x = 0;
            while x < wide {
                if reading.place.left == 0 {
                    reading.restart(simd)?;
                }
                let end = wide.min(x.saturating_add(reading.place.left as usize));
                if header.restart > 0 {
                    reading.place.left -= (end - x) as u32;
                }
                if reading.place.lost {
                    if header.restart == 0 {
                        return Ok(());
                    }
                    x = end;
                    continue;
                }
                self.known.reached = y / component.stated;
                if spec.refines {
                    reading.refine(table, &band, &mut set[x..end], &mut others[x..end])?;
                } else {
                    reading.begin(table, &band, &mut set[x..end], &mut others[x..end])?;
                }
                x = end;
            }
        }
        Ok(())
    }
}

impl Reading<'_, '_> {
    /// Holds that the segment has nothing more.
    fn used_up(&self) -> Result<()> {
        if !self.lenient && self.segments.left_over(&self.place.bits) { Err(left_over()) } else { Ok(()) }
    }

    /// Goes to the segment behind a restart marker.
    fn restart<S: Simd>(&mut self, simd: S) -> Result<()> {
        self.used_up()?;
        let place = &mut self.place;
        let expected = 0xd0 | place.marker;
        match self.segments.marker {
            Some(found) if found == expected || (self.lenient && matches!(found, 0xd0..=0xd7)) => {
                self.segments.advance(simd);
                place.lost = false;
            }
            _ if self.lenient => place.lost = true,
            _ => return Err(damaged("a restart marker of the JPEG is missing")),
        }
        (place.before, place.run, place.bits) = ([0; MOST_PARTS], 0, Bits::default());
        (place.left, place.marker) = (self.header.restart, (place.marker + 1) & 7);
        Ok(())
    }

    /// Gives up the segment or the picture where a block could not be read.
    #[inline(always)]
    fn see(&mut self, read: Option<()>) -> Result<()> {
        if read.is_none() || self.segments.overrun(&self.place.bits) {
            return self.trouble();
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn trouble(&mut self) -> Result<()> {
        if !self.lenient {
            let early = self.segments.overrun(&self.place.bits);
            return Err(damaged(if early { "the JPEG's pixels end early" } else { "the JPEG's pixels are damaged" }));
        }
        self.place.lost = true;
        Ok(())
    }

    /// The first coefficient of a block.
    #[inline(always)]
    fn first(&mut self, part: usize, table: Option<&Plain>, first: &mut i16) -> Option<()> {
        let place = &mut self.place;
        place.bits.refill(self.segments.bytes());
        if self.spec.refines {
            *first |= (place.bits.take(1) << self.spec.low) as i16;
        } else {
            let before = &mut place.before[part];
            *before += table?.difference(&mut place.bits)?;
            // No picture has another such coefficient.
            *first = i16::try_from(*before).ok()? << self.spec.low;
        }
        Some(())
    }

    /// All others of a block.
    #[inline(always)]
    fn others(&mut self, table: &Plain, set: &mut u64, block: &mut [i16; 64]) -> Option<()> {
        let band = Band::sequential();
        passes::begin(&mut self.place.bits, self.segments.bytes(), table, &band, set, block).map(|_| ())
    }

    /// A row of blocks, or a part of one.
    #[inline(always)]
    fn begin(&mut self, table: &Plain, band: &Band, set: &mut [u64], others: &mut [[i16; 64]]) -> Result<()> {
        let data = self.segments.bytes();
        let mut bits = self.place.bits;
        let mut run = self.place.run as usize;
        let mut x = 0;
        while let Some((set, block)) = set.get_mut(x).zip(others.get_mut(x)) {
            if run == 0 {
                let ended = passes::begin(&mut bits, data, table, band, set, block);
                run = ended.unwrap_or_default() as usize;
                if ended.is_none() || self.segments.overrun(&bits) {
                    self.place.bits = bits;
                    return self.trouble();
                }
            }
            // Of blocks of a run nothing is said.
            let over = run.clamp(1, others.len() - x);
            run -= run.min(over);
            x += over;
        }
        (self.place.bits, self.place.run) = (bits, run as u32);
        Ok(())
    }

    /// The same for one more bit.
    #[inline(always)]
    fn refine(&mut self, table: &Plain, band: &Band, set: &mut [u64], others: &mut [[i16; 64]]) -> Result<()> {
        let data = self.segments.bytes();
        let mut bits = self.place.bits;
        let mut run = self.place.run;
        for (set, block) in set.iter_mut().zip(others) {
            let ended = if run > 0 {
                let there = band.of(*set);
                if there == 0 {
                    run -= 1;
                    continue;
                }
                passes::correct(&mut bits, data, band, there, block);
                Some(run)
            } else {
                passes::refine(&mut bits, data, table, band, set, block)
            };
            run = ended.unwrap_or_default().saturating_sub(1);
            if ended.is_none() || self.segments.overrun(&bits) {
                self.place.bits = bits;
                return self.trouble();
            }
        }
        (self.place.bits, self.place.run) = (bits, run);
        Ok(())
    }
}
