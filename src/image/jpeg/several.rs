//! Pictures of several scans: progressive ones, whose coefficients come in parts, and those that store one component
//! after the other. All coefficients are kept until the last scan is read.

use fearless_simd::Simd;

use super::{
    bits::{Bits, Segments},
    block::ORDER,
    header::{Component, Header, Spec, Tables, damaged},
    huffman::Plain,
};
use crate::error::Result;

/// Programs write ten scans; a few kB could ask for thousands of passes over all pixels.
const MOST_SCANS: usize = 100;

/// All coefficients of a picture.
#[derive(Debug, Default)]
pub(super) struct Coefficients {
    parts: [Vec<[i16; 64]>; 3],
    /// Blocks across, whole units.
    across: [usize; 3],
}

/// Where the reading of a scan stands.
struct Place<'a> {
    bits: Bits,
    spec: &'a Spec,
    before: [i32; 3],
    /// Blocks that have nothing more in this scan.
    run: u32,
    /// Units until the next restart marker, and its number.
    left: u32,
    marker: u8,
    /// The rest of the segment cannot be read.
    lost: bool,
}

/// What one component is read with.
#[derive(Clone, Copy)]
struct Reading<'a> {
    dc: Option<&'a Plain>,
    ac: Option<&'a Plain>,
}

impl Coefficients {
    pub(super) fn block(&self, part: usize, x: usize, y: usize) -> &[i16; 64] {
        const NONE: [i16; 64] = [0; 64];
        self.parts[part].get(y * self.across[part] + x).unwrap_or(&NONE)
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
        // Every block needs at least a bit; a few bytes that claim many blocks are not given memory for them.
        let blocks = |c: &Component| units.0 * c.across * units.1 * c.down;
        if !lenient && header.components().iter().map(blocks).sum::<usize>() > payload.len().saturating_mul(8) {
            return Err(damaged("the JPEG's pixels end early"));
        }
        for (i, component) in header.components().iter().enumerate() {
            self.across[i] = units.0 * component.across;
            self.parts[i].clear();
            self.parts[i].resize(self.across[i] * units.1 * component.down, [0; 64]);
        }
        let mut spec = header.scan;
        let mut seen = [false; 3];
        for _ in 0..MOST_SCANS {
            tables.simple(header, &spec);
            for part in spec.parts() {
                seen[*part] |= spec.first == 0;
            }
            let mut segments = Segments::new(payload, spec.at, bytes);
            self.scan(simd, header, &spec, tables, &mut segments, lenient)?;
            match header.next(payload, segments.end(), tables) {
                Ok(Some(next)) => spec = next,
                Ok(None) if lenient || seen.iter().take(header.components().len()).all(|seen| *seen) => return Ok(()),
                Ok(None) => return Err(damaged("the JPEG lacks a component")),
                Err(_) if lenient => return Ok(()),
                Err(e) => return Err(e),
            }
        }
        Err(damaged(format!("the JPEG has more than {MOST_SCANS} scans")))
    }

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
        let components = header.components();
        let (most_across, most_down) = header.unit();
        let (mut wide, mut high) = header.units();
        let single = spec.parts().len() == 1;
        if let [part] = spec.parts() {
            // A component by itself has no blocks that only fill units.
            let own = |full: u32, own: usize, most: usize| (full as usize * own).div_ceil(most * 8);
            let component = &components[*part];
            (wide, high) =
                (own(header.width, component.across, most_across), own(header.height, component.down, most_down));
        }
        let restart = if header.restart == 0 { u32::MAX } else { header.restart };
        let mut place =
            Place { bits: Bits::default(), spec, before: [0; 3], run: 0, left: restart, marker: 0, lost: false };
        segments.advance(simd);
        for y in 0..high {
            for x in 0..wide {
                if place.left == 0 {
                    let expected = 0xd0 | place.marker;
                    match segments.marker {
                        Some(found) if found == expected || (lenient && matches!(found, 0xd0..=0xd7)) => {
                            segments.advance(simd);
                            place.lost = false;
                        }
                        _ if lenient => place.lost = true,
                        _ => return Err(damaged("a restart marker of the JPEG is missing")),
                    }
                    (place.before, place.run, place.bits) = ([0; 3], 0, Bits::default());
                    (place.left, place.marker) = (restart, (place.marker + 1) & 7);
                }
                place.left -= 1;
                if place.lost {
                    if header.restart == 0 {
                        return Ok(());
                    }
                    continue;
                }
                for part in spec.parts() {
                    let component = &components[*part];
                    let reading = Reading { dc: tables.plain(0, component.dc), ac: tables.plain(1, component.ac) };
                    let (across, down) = if single { (1, 1) } else { (component.across, component.down) };
                    for n in 0..across * down {
                        let (x, y) = (x * across + n % across, y * down + n / across);
                        let Some(block) = self.parts[*part].get_mut(y * self.across[*part] + x) else { continue };
                        let read = place.block(segments.bytes(), *part, reading, block, header.progressive());
                        if read.is_none() || segments.overrun(&place.bits) {
                            if !lenient {
                                let early = segments.overrun(&place.bits);
                                let what =
                                    if early { "the JPEG's pixels end early" } else { "the JPEG's pixels are damaged" };
                                return Err(damaged(what));
                            }
                            place.lost = true;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

impl Place<'_> {
    /// What the scan says of one block; `None` where the bits are no code.
    #[inline(always)]
    fn block(
        &mut self,
        data: &[u8],
        part: usize,
        reading: Reading<'_>,
        block: &mut [i16; 64],
        progressive: bool,
    ) -> Option<()> {
        let spec = self.spec;
        if spec.first == 0 {
            self.bits.refill(data);
            if spec.refines {
                block[0] |= (self.bits.take(1) << spec.low) as i16;
            } else {
                let size = reading.dc?.take(&mut self.bits)?;
                self.before[part] += self.bits.take_signed(u32::from(size));
                let value = self.before[part];
                // No picture has such a first coefficient.
                block[0] = i16::try_from(value).ok()? << spec.low;
            }
            if progressive {
                return Some(());
            }
        }
        if spec.refines {
            return self.refine(data, reading.ac?, block);
        }
        self.others(data, reading.ac?, block)?;
        if !progressive {
            // Runs over several blocks are for progressive scans only.
            self.run = 0;
        }
        Some(())
    }

    /// The coefficients from the first of the scan, without their lowest bits.
    #[inline(always)]
    fn others(&mut self, data: &[u8], table: &Plain, block: &mut [i16; 64]) -> Option<()> {
        if self.run > 0 {
            self.run -= 1;
            return Some(());
        }
        let mut k = self.spec.first.max(1);
        while k <= self.spec.last {
            self.bits.refill(data);
            let symbol = table.take(&mut self.bits)?;
            let (zeros, size) = (usize::from(symbol >> 4), u32::from(symbol & 15));
            if size > 0 {
                k += zeros;
                let value = self.bits.take_signed(size) as i16;
                block[usize::from(ORDER[k & 127]) & 63] = value << self.spec.low;
                k += 1;
            } else if zeros == 15 {
                k += 16;
            } else {
                self.run = (1 << zeros) - 1 + self.bits.take(zeros as u32);
                return Some(());
            }
        }
        Some(())
    }

    /// One more bit of the coefficients that are there, and new ones.
    #[inline(always)]
    fn refine(&mut self, data: &[u8], table: &Plain, block: &mut [i16; 64]) -> Option<()> {
        let one = 1_i16 << self.spec.low;
        let mut k = self.spec.first;
        while self.run == 0 && k <= self.spec.last {
            self.bits.refill(data);
            let symbol = table.take(&mut self.bits)?;
            let (mut zeros, size) = (symbol >> 4, symbol & 15);
            let mut new = 0;
            if size > 0 {
                new = if self.bits.take(1) == 1 { one } else { -one };
            } else if zeros < 15 {
                // This block's rest belongs to the run.
                self.run = (1 << zeros) + self.bits.take(u32::from(zeros));
                break;
            }
            while k <= self.spec.last {
                let value = &mut block[usize::from(ORDER[k & 127]) & 63];
                k += 1;
                if *value != 0 {
                    self.bits.refill(data);
                    correct(&mut self.bits, value, one);
                } else if zeros == 0 {
                    *value = new;
                    break;
                } else {
                    zeros -= 1;
                }
            }
        }
        if self.run > 0 {
            for place in ORDER.iter().take(self.spec.last + 1).skip(k) {
                let value = &mut block[usize::from(*place) & 63];
                if *value != 0 {
                    self.bits.refill(data);
                    correct(&mut self.bits, value, one);
                }
            }
            self.run -= 1;
        }
        Some(())
    }
}

/// Takes the next bit of a coefficient.
#[inline(always)]
fn correct(bits: &mut Bits, value: &mut i16, one: i16) {
    if bits.take(1) == 1 && *value & one == 0 {
        *value = value.wrapping_add(if *value > 0 { one } else { -one });
    }
}
