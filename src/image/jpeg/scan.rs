//! The scan: unit by unit from bits to pixels of each component, and line by line to the picture.

use std::ops::Range;

use fearless_simd::Simd;

use super::{
    bits::{Bits, Segments},
    block::{self, Block, Ended},
    header::Header,
    huffman::{AcTable, DcTable},
    idct,
    lines::Lining,
    parts::{MOST_PARTS, damaged, left_over},
    plan::{Lines, Plan},
    scaled::{self, Factors},
    several::{Coefficients, Row},
    smooth,
    tables::Tables,
};
use crate::error::Result;

/// Blocks of a unit, as the standard bounds them.
pub(super) const MOST: usize = 10;

/// What a component's blocks are made with.
#[derive(Clone, Copy)]
struct Making<'a> {
    /// For reading and showing at once.
    codes: Option<(&'a DcTable, &'a AcTable)>,
    quant: &'a [u16; 64],
    factors: Factors,
    /// The last place of a coefficient that is needed.
    enough: u8,
}

/// What is done with a block of every unit.
#[derive(Clone, Copy)]
struct Step<'a> {
    component: usize,
    making: &'a Making<'a>,
    /// Where its pixels begin in the first unit; how much further in the next unit, and in the next row of units.
    at: usize,
    aside: usize,
    below: usize,
    /// Its pixels across and down, and from line to line.
    size: usize,
    stride: usize,
}

/// One decoding.
pub(super) struct Scan<'a> {
    pub(super) header: &'a Header,
    pub(super) plan: &'a Plan,
    pub(super) tables: &'a Tables,
    pub(super) segments: Segments<'a>,
    /// For each component the lines of two rows of units, in turns.
    pub(super) rings: &'a mut [Vec<u8>; MOST_PARTS],
    pub(super) lining: Lining<'a>,
    /// Those of a unit; all zero between units, but for the first coefficients.
    pub(super) blocks: &'a mut [Block; MOST],
    /// Takes what is there.
    pub(super) damaged: bool,
}

/// Where the reading stands.
struct Place {
    bits: Bits,
    /// The first coefficient of the block before, for each component.
    before: [i32; 4],
    /// Units until the next restart marker.
    left: u32,
    /// The number of that marker.
    marker: u8,
    /// The rest of the segment cannot be read.
    lost: bool,
    /// No segment follows.
    over: bool,
}

impl<'a> Scan<'a> {
    /// Decodes everything that is wanted into `out`, lines of the wanted part's width. Gives where the scan ends, if it was
    /// read to its end.
    #[inline(always)]
    pub(super) fn run<S: Simd>(&mut self, simd: S, out: &mut [u8]) -> Result<Option<usize>> {
        let plan = self.plan;
        let made = self.making();
        let (steps, count) = self.steps(&made);
        let steps = &steps[..count];
        let left = if self.header.restart == 0 { u32::MAX } else { self.header.restart };
        let mut place = Place { bits: Bits::default(), before: [0; 4], left, marker: 0, lost: false, over: false };
        *self.blocks = [Block::ZERO; MOST];
        self.segments.advance(simd);
        for row in 0..plan.lines.end {
            let wanted = plan.lines.contains(&row);
            let mut at = 0;
            while at < plan.units {
                if place.left == 0 {
                    self.restart(simd, &mut place)?;
                }
                let end = plan.units.min(at.saturating_add(place.left as usize));
                if self.header.restart > 0 {
                    place.left -= (end - at) as u32;
                }
                let (left, right) = (plan.columns.start.clamp(at, end), plan.columns.end.clamp(at, end));
                if wanted {
                    self.skip(steps, &mut place, at..left)?;
                    self.units(simd, steps, &mut place, row, left..right)?;
                    self.skip(steps, &mut place, right..end)?;
                } else {
                    self.skip(steps, &mut place, at..end)?;
                }
                at = end;
            }
            if wanted {
                self.lining.row(simd, plan, self.rings, row, out);
            }
        }
        if plan.lines.end < plan.rows {
            return Ok(None);
        }
        self.used_up(&place)?;
        Ok(Some(self.segments.end()))
    }

    /// Holds that the segment has nothing more.
    fn used_up(&self, place: &Place) -> Result<()> {
        if !self.damaged && self.segments.left_over(&place.bits) { Err(left_over()) } else { Ok(()) }
    }

    /// Makes the pixels of coefficients that were all kept, into `out`.
    #[inline(always)]
    pub(super) fn show<S: Simd>(&mut self, simd: S, kept: &mut Coefficients, out: &mut [u8]) {
        let plan = self.plan;
        let made = self.making();
        let quants: [_; MOST_PARTS] = std::array::from_fn(|i| self.tables.quant(i));
        let smooths = self.header.progressive() && kept.known.is_needed(&quants[..plan.count]);
        for row in plan.lines.clone() {
            for (i, making) in made.iter().flatten().enumerate() {
                let part = &plan.parts[i];
                for y in 0..part.down {
                    let top = ((row & 1) * part.rows() + y * part.size) * part.stride;
                    let ring = self.rings[i].get_mut(top..).unwrap_or_default();
                    if smooths {
                        smooth_line(simd, (self.header, plan, kept), making, (i, row, y), ring);
                        continue;
                    }
                    let blocks = kept.part_mut(i).row(row * part.down + y, plan.columns.start * part.across);
                    line(simd, making, part, plan.columns.len() * part.across, blocks, ring);
                }
            }
            self.lining.row(simd, plan, self.rings, row, out);
        }
    }

    /// Makes the pixels of packed coefficients, into `out`: of those only the bands and the segments that are needed.
    #[cfg(feature = "packed")]
    #[inline(always)]
    pub(super) fn show_packed<S: Simd>(
        &mut self,
        simd: S,
        packed: &mut crate::codec::packed::Coefficients<'_>,
        out: &mut [u8],
    ) -> Result<()> {
        let plan = self.plan;
        let made = self.making();
        // How far from the first one coefficients are needed for a block of this size.
        let band = |part: &Lines| match part.size {
            0 | 1 => 0,
            2 => 1,
            3 | 4 => 2,
            _ => 3,
        };
        let (first, others) = plan.parts[..plan.count].split_at(1.min(plan.count));
        let bands = [first, others].map(|parts| parts.iter().map(band).max().unwrap_or(0));
        let (rows, mut at) = (packed.rows().max(1), None);
        for row in plan.lines.clone() {
            if at != Some(row / rows) {
                packed.segment(row / rows, bands)?;
                at = Some(row / rows);
            }
            for (i, making) in made.iter().flatten().enumerate() {
                let part = &plan.parts[i];
                for y in 0..part.down {
                    let top = ((row & 1) * part.rows() + y * part.size) * part.stride;
                    let ring = self.rings[i].get_mut(top..).unwrap_or_default();
                    let found = packed.row(i, row % rows * part.down + y, plan.columns.start * part.across);
                    let blocks = Row { firsts: found.firsts, set: found.lasts, others: found.others };
                    line(simd, making, part, plan.columns.len() * part.across, blocks, ring);
                }
            }
            self.lining.row(simd, plan, self.rings, row, out);
        }
        Ok(())
    }

    /// What each component is made with.
    fn making(&self) -> [Option<Making<'a>>; MOST_PARTS] {
        let tables = self.tables;
        let mut made = [None; MOST_PARTS];
        let components = self.header.components().iter().enumerate();
        for ((making, (i, component)), part) in made.iter_mut().zip(components).zip(&self.plan.parts) {
            *making = Some(Making {
                codes: tables.dc(component.dc).zip(tables.ac(component.ac)),
                quant: tables.quant(i),
                factors: Factors::new(part.size),
                enough: block::enough(part.size),
            });
        }
        made
    }

    /// Goes to the segment behind a restart marker.
    fn restart<S: Simd>(&mut self, simd: S, place: &mut Place) -> Result<()> {
        self.used_up(place)?;
        let expected = 0xd0 | place.marker;
        match self.segments.marker {
            Some(found) if found == expected || (self.damaged && matches!(found, 0xd0..=0xd7)) => {
                self.segments.advance(simd);
                place.lost = false;
            }
            _ if !self.damaged => return Err(damaged("a restart marker of the JPEG is missing")),
            _ => (place.lost, place.over) = (true, true),
        }
        place.marker = (place.marker + 1) & 7;
        place.left = self.header.restart;
        place.before = [0; 4];
        place.bits = Bits::default();
        Ok(())
    }

    /// What is done with each block of a unit, in the order in which they are stored.
    fn steps<'b>(&self, made: &'b [Option<Making<'a>>; MOST_PARTS]) -> ([Option<Step<'b>>; MOST], usize) {
        let (mut steps, mut count) = ([None; MOST], 0);
        for (i, (making, part)) in made.iter().zip(&self.plan.parts).enumerate() {
            let Some(making) = making else { continue };
            for n in 0..part.across * part.down {
                let (x, y) = (n % part.across, n / part.across);
                let at = (y * part.stride + x) * part.size;
                let step = Step {
                    component: i,
                    making,
                    at,
                    aside: part.across * part.size,
                    below: part.rows() * part.stride,
                    size: part.size,
                    stride: part.stride,
                };
                if let Some(to) = steps.get_mut(count) {
                    *to = Some(step);
                    count += 1;
                }
            }
        }
        (steps, count)
    }

    /// Reads over units.
    #[inline(always)]
    fn skip(&self, steps: &[Option<Step<'_>>], place: &mut Place, units: Range<usize>) -> Result<()> {
        let mut bits = place.bits;
        let data = self.segments.bytes();
        for _ in units {
            if place.lost {
                return Ok(());
            }
            // Loops over numbers: what iterators do is not always compiled in place.
            let mut n = 0;
            while n < steps.len() {
                let Some(Step { making: Making { codes: Some((dc, ac)), .. }, component, .. }) = &steps[n] else {
                    break;
                };
                n += 1;
                let before = &mut place.before[component & 3];
                let first = block::first(&mut bits, data, dc);
                let ended = block::over(&mut bits, data, ac, 0);
                *before += first.unwrap_or(0);
                if first.is_none() || ended == Ended::Broken || self.segments.overrun(&bits) || beyond(*before) {
                    place.bits = bits;
                    return trouble(&self.segments, place, self.damaged);
                }
            }
        }
        place.bits = bits;
        Ok(())
    }

    /// Decodes units to the lines of their components.
    #[inline(always)]
    fn units<S: Simd>(
        &mut self,
        simd: S,
        steps: &[Option<Step<'_>>],
        place: &mut Place,
        row: usize,
        units: Range<usize>,
    ) -> Result<()> {
        let mut bits = place.bits;
        let data = self.segments.bytes();
        let left = self.plan.columns.start;
        // See `Block::clear`.
        let zero = if cfg!(target_arch = "wasm32") { std::hint::black_box(0) } else { 0 };
        for unit in units {
            // First all bits of the unit, then all transforms: a block that was just written is slow to read.
            let mut ends = [Ended::Broken; MOST];
            if !place.lost {
                let mut n = 0;
                while n < steps.len().min(MOST) {
                    let (end, block) = (&mut ends[n], &mut self.blocks[n]);
                    let Some(Step { making, component, .. }) = &steps[n] else { break };
                    n += 1;
                    let Some((dc, ac)) = making.codes else { break };
                    let before = &mut place.before[component & 3];
                    let first = block::first(&mut bits, data, dc);
                    let ended = block::others(&mut bits, data, ac, block, making.enough);
                    *before += first.unwrap_or(0);
                    if first.is_none() || ended == Ended::Broken || self.segments.overrun(&bits) || beyond(*before) {
                        place.bits = bits;
                        trouble(&self.segments, place, self.damaged)?;
                        block.clear(zero);
                        break;
                    }
                    block.set_first(*before as i16);
                    *end = ended;
                }
            }
            let mut n = 0;
            while n < steps.len().min(MOST) {
                let (ended, block) = (&ends[n], &mut self.blocks[n]);
                let Some(step) = &steps[n] else { break };
                n += 1;
                let at = step.at + (unit - left) * step.aside + (row & 1) * step.below;
                let to = self.rings[step.component].get_mut(at..).unwrap_or_default();
                paint(simd, step.making, (step.size, step.stride), block.coefficients(), *ended, to);
                if *ended == Ended::Fine {
                    block.clear(zero);
                }
            }
        }
        place.bits = bits;
        Ok(())
    }
}

/// Makes the pixels of blocks side by side.
#[inline(always)]
fn line<S: Simd, T: Copy + Default + PartialEq>(
    simd: S,
    making: &Making<'_>,
    part: &Lines,
    count: usize,
    row: Row<'_, T>,
    ring: &mut [u8],
) {
    /// How far ahead of the transform the first coefficient is put to the others: what was just written is slow to read.
    const AHEAD: usize = 4;
    let count = count.min(row.set.len()).min(row.firsts.len()).min(row.others.len());
    let (firsts, set, others) = (&row.firsts[..count], &row.set[..count], &mut row.others[..count]);
    let mut n = 0;
    while n < count + AHEAD {
        if n < count && set[n] != T::default() {
            others[n][0] = firsts[n];
        }
        if let Some(x) = n.checked_sub(AHEAD)
            && let Some(to) = ring.get_mut(x * part.size..)
        {
            if set[x] == T::default() {
                fill(to, part.stride, part.size, idct::flat(firsts[x], making.quant[0]));
            } else {
                paint(simd, making, (part.size, part.stride), &others[x], Ended::Fine, to);
            }
        }
        n += 1;
    }
}

/// The same where some coefficients are estimated.
#[inline(never)]
fn smooth_line<S: Simd>(
    simd: S,
    (header, plan, kept): (&Header, &Plan, &Coefficients),
    making: &Making<'_>,
    (i, row, y): (usize, usize, usize),
    ring: &mut [u8],
) {
    let (part, component) = (&plan.parts[i], &header.components()[i]);
    let ((most_across, most_down), blocks) = (header.unit(), kept.part(i));
    let own = |full: u32, own: usize, most: usize| (full as usize * own).div_ceil(most * 8);
    let (across, down) = (own(header.width, part.across, most_across), own(header.height, part.down, most_down));
    // The row of units in which libjpeg has this line, and all such rows.
    let line = row * part.down + y;
    let (unit, units) = (line / component.stated, (plan.rows * part.down).div_ceil(component.stated));
    let lines = smooth::lines(component.stated, down, units, unit, line % component.stated);
    let from = plan.columns.start * part.across;
    for x in from..plan.columns.end * part.across {
        let mut block = blocks.block(x, line);
        if x < across && line < down {
            kept.known.smooth(i, unit, &blocks.around(lines, x, across), making.quant, &mut block);
        }
        if let Some(to) = ring.get_mut((x - from) * part.size..) {
            paint(simd, making, (part.size, part.stride), &block, Ended::Fine, to);
        }
    }
}

/// Makes a block's pixels.
#[inline(always)]
fn paint<S: Simd>(
    simd: S,
    making: &Making<'_>,
    (size, stride): (usize, usize),
    block: &[i16; 64],
    ended: Ended,
    out: &mut [u8],
) {
    match (ended, size) {
        (Ended::Broken, _) => fill(out, stride, size, 128),
        (Ended::Fine, 8) => idct::whole(simd, block, making.quant, out, stride),
        (Ended::Fine, 2) => scaled::two(simd, block, making.quant, &making.factors, out, stride),
        (Ended::Fine, 3..) => scaled::part(simd, size, block, making.quant, &making.factors, out, stride),
        _ => fill(out, stride, size, idct::flat(block[0], making.quant[0])),
    }
}

/// Gives up the segment, or the picture.
#[cold]
#[inline(never)]
fn trouble(segments: &Segments<'_>, place: &mut Place, damaged_too: bool) -> Result<()> {
    if !damaged_too {
        let early = segments.overrun(&place.bits);
        return Err(damaged(if early { "the JPEG's pixels end early" } else { "the JPEG's pixels are damaged" }));
    }
    place.lost = true;
    Ok(())
}

/// True for a first coefficient that no picture has.
#[inline(always)]
fn beyond(coefficient: i32) -> bool {
    coefficient != i32::from(coefficient as i16)
}

/// A block of one color.
#[inline(always)]
fn fill(out: &mut [u8], stride: usize, size: usize, value: u8) {
    match size {
        8 => fill_lines::<8>(out, stride, value),
        4 => fill_lines::<4>(out, stride, value),
        2 => fill_lines::<2>(out, stride, value),
        1 => fill_lines::<1>(out, stride, value),
        _ => out
            .chunks_mut(stride.max(1))
            .take(size)
            .for_each(|line| line.iter_mut().take(size).for_each(|p| *p = value)),
    }
}

/// The same of a known size: a store for each line.
#[inline(always)]
fn fill_lines<const N: usize>(out: &mut [u8], stride: usize, value: u8) {
    let Some(out) = out.get_mut(..(N - 1) * stride + N) else { return };
    for y in 0..N {
        out[y * stride..y * stride + N].fill(value);
    }
}
