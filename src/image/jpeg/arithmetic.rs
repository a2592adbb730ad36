//! Arithmetic codes: the coefficients of a scan, sequential or progressive, one decision at a time (ITU-T T.81, annexes D, F.2.4
//! and G.2).
//!
//! Hardly anyone writes such pictures, so this is short rather than quick. Which bytes are read, and so what is left over at
//! the end, is as in libjpeg.

use super::{
    block::ORDER,
    header::Header,
    parts::{MOST_PARTS, Spec, damaged, left_over},
    several::Coefficients,
    states::STATES,
    tables::Conditions,
};
use crate::error::{Error, Result};

/// What is remembered of one kind of decision: the state, and above it the more probable outcome.
type Bin = u8;

/// The bytes of a segment as an interval that decisions narrow.
#[derive(Debug)]
struct Interval<'a> {
    payload: &'a [u8],
    at: usize,
    /// The marker that ended the segment, and where it stands; zeros follow it.
    marker: Option<(u8, usize)>,
    code: u32,
    width: u32,
    /// Bits of the code below those that count; before the first two bytes, how many are still to come.
    shift: i32,
}

impl Interval<'_> {
    fn byte(&mut self) -> u32 {
        if self.marker.is_some() {
            return 0;
        }
        let Some(&byte) = self.payload.get(self.at) else { return 0 };
        self.at += 1;
        if byte != 0xff {
            return byte.into();
        }
        while let Some(&code) = self.payload.get(self.at) {
            self.at += 1;
            match code {
                0xff => {}
                0 => return 0xff,
                code => {
                    self.marker = Some((code, self.at - 2));
                    return 0;
                }
            }
        }
        0
    }

    /// Begins behind a marker.
    fn begin(&mut self) {
        (self.marker, self.code, self.width, self.shift) = (None, 0, 0, -16);
    }

    fn decide(&mut self, bin: &mut Bin) -> bool {
        while self.width < 0x8000 {
            self.shift -= 1;
            if self.shift < 0 {
                self.code = self.code << 8 | self.byte();
                self.shift += 8;
                if self.shift < 0 {
                    self.shift += 1;
                    if self.shift == 0 {
                        // Both first bytes are there.
                        self.width = 0x8000;
                    }
                }
            }
            self.width <<= 1;
        }
        let (state, probable) = (usize::from(*bin & 0x7f), *bin >> 7 != 0);
        let (rare, after_rare, after_probable, switch) = STATES[state % STATES.len()];
        let rare = u32::from(rare);
        self.width -= rare;
        let upper = self.width << self.shift;
        let is_rare = if self.code >= upper {
            self.code -= upper;
            // The part that is called rare may be the larger one.
            let is_rare = self.width >= rare;
            self.width = rare;
            is_rare
        } else if self.width < 0x8000 {
            self.width < rare
        } else {
            // Nothing is learned from what was expected.
            return probable;
        };
        let (next, stays) = if is_rare { (after_rare, !switch) } else { (after_probable, true) };
        *bin = next | u8::from(probable == stays) << 7;
        probable != is_rare
    }

    /// A decision between equals, of which nothing is learned.
    fn even(&mut self) -> bool {
        // The first state, whose interval is all but halved.
        self.decide(&mut 0)
    }
}

/// What one scan is read with.
struct Reading<'a> {
    interval: Interval<'a>,
    conditions: &'a Conditions,
    /// By the number of the table.
    first: [[Bin; 64]; 16],
    others: [[Bin; 256]; 16],
    /// The first coefficient of the block before, and of which kind its difference was, for each component.
    before: [i32; MOST_PARTS],
    kind: [u8; MOST_PARTS],
}

/// Bits that are not a code; the rest of the segment cannot be read.
struct Broken;

impl Coefficients {
    /// Reads a scan. Gives where it ends. Where `lenient`, what is there of a damaged one is kept.
    pub(super) fn arithmetic(
        &mut self,
        payload: &[u8],
        header: &Header,
        spec: &Spec,
        conditions: &Conditions,
        lenient: bool,
    ) -> Result<usize> {
        let mut interval = Interval { payload, at: spec.at, marker: None, code: 0, width: 0, shift: 0 };
        interval.begin();
        let (first, others) = ([[0; 64]; 16], [[0; 256]; 16]);
        let mut reading =
            Reading { interval, conditions, first, others, before: [0; MOST_PARTS], kind: [0; MOST_PARTS] };
        let components = header.components();
        let (wide, high) = header.size_of(spec);
        let single = spec.parts().len() == 1;
        let (mut left, mut marker, mut lost) = (header.restart, 0, false);
        for y in 0..high {
            for x in 0..wide {
                if header.restart > 0 && left == 0 {
                    lost = !reading.restart(0xd0 | marker, lenient)?;
                    (left, marker) = (header.restart, (marker + 1) & 7);
                }
                left = left.saturating_sub(1);
                if !lost {
                    self.known.reached = if single { y / components[spec.parts()[0]].stated } else { y };
                }
                for part in if lost { &[] } else { spec.parts() } {
                    let component = &components[*part];
                    let (across, down) = if single { (1, 1) } else { (component.across, component.down) };
                    for n in 0..across * down {
                        let (x, y) = (x * across + n % across, y * down + n / across);
                        let tables = (component.dc % 16, component.ac % 16);
                        let read = self.change(*part, x, y, |block| {
                            reading.block(*part, tables, spec, header.progressive(), block)
                        });
                        if let Some(Err(Broken)) = read {
                            if !lenient {
                                return Err(damaged("the JPEG's pixels are damaged"));
                            }
                            lost = true;
                        }
                    }
                }
            }
        }
        Ok(reading.interval.marker.map_or(reading.interval.at, |(_, at)| at))
    }
}

impl Reading<'_> {
    /// Goes behind a restart marker; false if it is not there.
    fn restart(&mut self, expected: u8, lenient: bool) -> Result<bool> {
        let interval = &mut self.interval;
        if interval.marker.is_none() {
            let rest = interval.payload.get(interval.at..).unwrap_or_default();
            let is_marker = |two: &[u8; 2]| two[0] == 0xff && !matches!(two[1], 0 | 0xff);
            let stray = rest.array_windows().position(is_marker);
            let fill = rest.iter().take_while(|b| **b == 0xff).count();
            if !lenient && stray.is_some_and(|n| n > fill) {
                return Err(left_over());
            }
            let found = stray.and_then(|n| Some((*rest.get(n + 1)?, n)));
            interval.marker = found.map(|(code, n)| (code, interval.at + n));
            interval.at = interval.marker.map_or(interval.payload.len(), |(_, at)| at + 2);
        }
        let found = interval.marker.is_some_and(|(code, _)| code == expected);
        if !found && !lenient {
            return Err(missing());
        }
        if found {
            interval.begin();
            (self.first, self.others) = ([[0; 64]; 16], [[0; 256]; 16]);
            (self.before, self.kind) = ([0; MOST_PARTS], [0; MOST_PARTS]);
        }
        Ok(found)
    }

    /// What the scan says of a block.
    fn block(
        &mut self,
        part: usize,
        (dc, ac): (usize, usize),
        spec: &Spec,
        progressive: bool,
        block: &mut [i16; 64],
    ) -> Result<(), Broken> {
        if spec.first == 0 {
            if spec.refines {
                block[0] |= i16::from(self.interval.even()) << spec.low;
            } else {
                self.difference(part, dc)?;
                block[0] = (self.before[part] << spec.low) as i16;
            }
            if progressive {
                return Ok(());
            }
        }
        if spec.refines { self.refine(ac, spec, block) } else { self.others(ac, spec, block) }
    }

    /// The first coefficient of a block, by how it differs from that of the block before (F.1.4.1).
    fn difference(&mut self, part: usize, table: usize) -> Result<(), Broken> {
        let (interval, bins) = (&mut self.interval, &mut self.first[table]);
        let kind = &mut self.kind[part];
        let at = usize::from(*kind);
        *kind = 0;
        if !interval.decide(&mut bins[at]) {
            return Ok(());
        }
        let negative = interval.decide(&mut bins[at + 1]);
        let mut at = at + 2 + usize::from(negative);
        // Half of the power of two that the size, less one, is below.
        let mut size = i32::from(interval.decide(&mut bins[at]));
        if size > 0 {
            at = 20;
            while interval.decide(&mut bins[at]) {
                size <<= 1;
                if size == 0x8000 {
                    return Err(Broken);
                }
                at += 1;
            }
        }
        let (small, large) = self.conditions.first[table];
        let beyond = |bits: u8| (1 << bits) >> 1;
        *kind = match size {
            _ if size < beyond(small) => 0,
            _ if size > beyond(large) => 12 + 4 * u8::from(negative),
            _ => 4 + 4 * u8::from(negative),
        };
        let value = magnitude(interval, &mut bins[at + 14], size);
        let before = &mut self.before[part];
        *before = (*before + if negative { -value } else { value }) & 0xffff;
        Ok(())
    }

    /// The coefficients from the first of the scan, without their lowest bits (F.1.4.2).
    fn others(&mut self, table: usize, spec: &Spec, block: &mut [i16; 64]) -> Result<(), Broken> {
        let (interval, bins) = (&mut self.interval, &mut self.others[table]);
        let mut k = spec.first.max(1);
        while k <= spec.last {
            if interval.decide(&mut bins[3 * (k - 1)]) {
                // The block's end.
                return Ok(());
            }
            while !interval.decide(&mut bins[3 * (k - 1) + 1]) {
                k += 1;
                if k > spec.last {
                    return Err(Broken);
                }
            }
            let negative = interval.even();
            let mut at = 3 * (k - 1) + 2;
            let mut size = i32::from(interval.decide(&mut bins[at]));
            if size > 0 && interval.decide(&mut bins[at]) {
                size = 2;
                at = if k <= usize::from(self.conditions.others[table]) { 189 } else { 217 };
                while interval.decide(&mut bins[at]) {
                    size <<= 1;
                    if size == 0x8000 {
                        return Err(Broken);
                    }
                    at += 1;
                }
            }
            let value = magnitude(interval, &mut bins[at + 14], size);
            block[usize::from(ORDER[k])] = ((if negative { -value } else { value }) << spec.low) as i16;
            k += 1;
        }
        Ok(())
    }

    /// One more bit of the coefficients that are there, and new ones (G.1.3.3).
    fn refine(&mut self, table: usize, spec: &Spec, block: &mut [i16; 64]) -> Result<(), Broken> {
        let (interval, bins) = (&mut self.interval, &mut self.others[table]);
        let one = 1_i16 << spec.low;
        // Before the last one that is there no block ends.
        let there = (1..=spec.last).rev().find(|k| block[usize::from(ORDER[*k])] != 0).unwrap_or(0);
        let mut k = spec.first;
        while k <= spec.last {
            if k > there && interval.decide(&mut bins[3 * (k - 1)]) {
                return Ok(());
            }
            loop {
                let value = &mut block[usize::from(ORDER[k])];
                let at = 3 * (k - 1);
                if *value != 0 {
                    if interval.decide(&mut bins[at + 2]) {
                        *value = value.wrapping_add(if *value < 0 { -one } else { one });
                    }
                    break;
                }
                if interval.decide(&mut bins[at + 1]) {
                    *value = if interval.even() { -one } else { one };
                    break;
                }
                k += 1;
                if k > spec.last {
                    return Err(Broken);
                }
            }
            k += 1;
        }
        Ok(())
    }
}

/// A size of which the highest bit is known, and one more.
fn magnitude(interval: &mut Interval<'_>, bin: &mut Bin, highest: i32) -> i32 {
    let (mut value, mut bit) = (highest, highest >> 1);
    while bit > 0 {
        if interval.decide(bin) {
            value |= bit;
        }
        bit >>= 1;
    }
    value + 1
}

fn missing() -> Error {
    damaged("a restart marker of the JPEG is missing")
}
