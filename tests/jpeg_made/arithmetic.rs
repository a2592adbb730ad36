//! An arithmetic encoder (ITU-T T.81, annex D.1) and what it is told about blocks (F.1.4, G.1.3).

use super::{
    scans::{Scan, least},
    states::STATES,
};

/// A state, and the more probable decision.
type Bin = (u8, bool);

/// The encoder of one segment.
struct Encoder {
    width: u32,
    code: u32,
    left: u32,
    /// Bytes of ones that wait for a carry.
    waiting: usize,
    last: Option<u8>,
    out: Vec<u8>,
}

impl Encoder {
    fn new() -> Self {
        Encoder { width: 0x10000, code: 0, left: 11, waiting: 0, last: None, out: Vec::new() }
    }

    fn code(&mut self, bin: &mut Bin, decision: bool) {
        let (state, probable) = *bin;
        let (rare, after_rare, after_probable, switch) = STATES[usize::from(state)];
        let rare = u32::from(rare);
        self.width -= rare;
        if decision == probable {
            if self.width >= 0x8000 {
                return;
            }
            if self.width < rare {
                self.code += self.width;
                self.width = rare;
            }
            *bin = (after_probable, probable);
        } else {
            if self.width >= rare {
                self.code += self.width;
                self.width = rare;
            }
            *bin = (after_rare, probable != switch);
        }
        while self.width < 0x8000 {
            self.width <<= 1;
            self.code <<= 1;
            self.left -= 1;
            if self.left == 0 {
                self.byte();
                self.left = 8;
            }
        }
    }

    fn even(&mut self, decision: bool) {
        self.code(&mut (0, false), decision);
    }

    fn byte(&mut self) {
        let top = self.code >> 19;
        if top == 0xff {
            self.waiting += 1;
        } else {
            let carry = top > 0xff;
            if let Some(last) = self.last {
                let last = last + u8::from(carry);
                self.out.push(last);
                if last == 0xff {
                    self.out.push(0);
                }
            }
            for _ in 0..self.waiting {
                self.out.extend_from_slice(if carry { &[0] } else { &[0xff, 0] });
            }
            self.waiting = 0;
            self.last = Some(top as u8);
        }
        self.code &= 0x7ffff;
    }

    fn finish(mut self) -> Vec<u8> {
        // Of all codes in the interval the one with the most zeros at its end.
        let mut code = (self.code + self.width - 1) & 0xffff_0000;
        if code < self.code {
            code += 0x8000;
        }
        self.code = code << self.left;
        self.byte();
        self.code <<= 8;
        self.byte();
        // What is in waiting comes out with a byte behind it; zeros at the end go without saying.
        self.code = 0;
        self.byte();
        while self.out.last() == Some(&0) && self.out.len() > 1 && self.out[self.out.len() - 2] != 0xff {
            self.out.pop();
        }
        if self.out == [0] {
            self.out.clear();
        }
        self.out
    }
}

/// From which sizes on differences and coefficients are told apart, by table.
#[derive(Clone, Copy, Debug)]
pub struct Conditions {
    pub first: [(u8, u8); 16],
    pub others: [u8; 16],
}

/// What is known between the blocks of a segment.
pub struct Writer<'a> {
    conditions: &'a Conditions,
    encoder: Encoder,
    first: Box<[[Bin; 64]; 16]>,
    others: Box<[[Bin; 256]; 16]>,
    before: [i32; 4],
    kind: [usize; 4],
}

impl<'a> Writer<'a> {
    pub fn new(conditions: &'a Conditions) -> Self {
        Writer {
            conditions,
            encoder: Encoder::new(),
            first: Box::new([[(0, false); 64]; 16]),
            others: Box::new([[(0, false); 256]; 16]),
            before: [0; 4],
            kind: [0; 4],
        }
    }

    pub fn finish(self) -> Vec<u8> {
        self.encoder.finish()
    }

    /// A block, of which coefficients are in the order in which they are stored.
    pub fn block(&mut self, part: usize, (dc, ac): (usize, usize), scan: &Scan, block: &[i16; 64]) {
        if scan.first == 0 {
            if scan.high > 0 {
                self.encoder.even(block[0] >> scan.low & 1 != 0);
            } else {
                self.difference(part, dc, i32::from(block[0] >> scan.low));
            }
        }
        if scan.last == 0 {
            return;
        }
        if scan.high > 0 { self.refine(ac, scan, block) } else { self.others(ac, scan, block) }
    }

    fn difference(&mut self, part: usize, table: usize, value: i32) {
        let (encoder, bins) = (&mut self.encoder, &mut self.first[table]);
        let difference = value - self.before[part];
        self.before[part] = value;
        let at = self.kind[part];
        self.kind[part] = 0;
        encoder.code(&mut bins[at], difference != 0);
        if difference == 0 {
            return;
        }
        let negative = difference < 0;
        encoder.code(&mut bins[at + 1], negative);
        let mut at = at + 2 + usize::from(negative);
        let rest = difference.abs() - 1;
        let mut size = 0;
        if rest > 0 {
            encoder.code(&mut bins[at], true);
            (size, at) = (1, 20);
            while size * 2 <= rest {
                encoder.code(&mut bins[at], true);
                size *= 2;
                at += 1;
            }
        }
        encoder.code(&mut bins[at], false);
        let (small, large) = self.conditions.first[table];
        self.kind[part] = match size {
            _ if size < (1 << small) >> 1 => 0,
            _ if size > (1 << large) >> 1 => 12 + 4 * usize::from(negative),
            _ => 4 + 4 * usize::from(negative),
        };
        magnitude(encoder, &mut bins[at + 14], rest, size);
    }

    fn others(&mut self, table: usize, scan: &Scan, block: &[i16; 64]) {
        let (encoder, bins) = (&mut self.encoder, &mut self.others[table]);
        let value = |k: usize| least(block[k], scan.low);
        let from = scan.first.max(1);
        let end = (from..=scan.last).rev().find(|k| value(*k) != 0).map_or(from, |k| k + 1);
        let mut k = from;
        while k < end {
            encoder.code(&mut bins[3 * (k - 1)], false);
            while value(k) == 0 {
                encoder.code(&mut bins[3 * (k - 1) + 1], false);
                k += 1;
            }
            encoder.code(&mut bins[3 * (k - 1) + 1], true);
            encoder.even(value(k) < 0);
            let mut at = 3 * (k - 1) + 2;
            let rest = value(k).abs() - 1;
            let mut size = 0;
            if rest > 0 {
                encoder.code(&mut bins[at], true);
                size = 1;
                if rest > 1 {
                    encoder.code(&mut bins[at], true);
                    size = 2;
                    at = if k <= usize::from(self.conditions.others[table]) { 189 } else { 217 };
                    while size * 2 <= rest {
                        encoder.code(&mut bins[at], true);
                        size *= 2;
                        at += 1;
                    }
                }
            }
            encoder.code(&mut bins[at], false);
            magnitude(encoder, &mut bins[at + 14], rest, size);
            k += 1;
        }
        if k <= scan.last {
            encoder.code(&mut bins[3 * (k - 1)], true);
        }
    }

    fn refine(&mut self, table: usize, scan: &Scan, block: &[i16; 64]) {
        let (encoder, bins) = (&mut self.encoder, &mut self.others[table]);
        let value = |k: usize| least(block[k], scan.low);
        let end = (scan.first..=scan.last).rev().find(|k| value(*k) != 0).map_or(scan.first, |k| k + 1);
        let there = (1..=scan.last).rev().find(|k| value(*k).abs() > 1).unwrap_or(0);
        let mut k = scan.first;
        while k < end {
            if k > there {
                encoder.code(&mut bins[3 * (k - 1)], false);
            }
            while value(k) == 0 {
                encoder.code(&mut bins[3 * (k - 1) + 1], false);
                k += 1;
            }
            let at = 3 * (k - 1);
            if value(k).abs() > 1 {
                encoder.code(&mut bins[at + 2], value(k) & 1 != 0);
            } else {
                encoder.code(&mut bins[at + 1], true);
                encoder.even(value(k) < 0);
            }
            k += 1;
        }
        if k <= scan.last {
            encoder.code(&mut bins[3 * (k - 1)], true);
        }
    }
}

/// The bits of a number below its highest.
fn magnitude(encoder: &mut Encoder, bin: &mut Bin, rest: i32, highest: i32) {
    let mut bit = highest >> 1;
    while bit > 0 {
        encoder.code(bin, rest & bit != 0);
        bit >>= 1;
    }
}
