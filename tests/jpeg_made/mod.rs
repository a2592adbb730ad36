//! Makes JPEGs of every structure that the standard allows, out of random coefficients: an encoder of structures, written from
//! ITU-T T.81, that knows nothing of pictures. The same number makes the same bytes on every machine.

mod arithmetic;
mod huffman;
mod random;
mod scans;
#[path = "../../src/image/jpeg/standard.rs"]
mod standard;
#[path = "../../src/image/jpeg/states.rs"]
mod states;

use huffman::{Code, Tokens};
pub use random::Random;
use scans::Scan;

/// One color.
struct Component {
    id: u8,
    /// Blocks across and down in each unit.
    across: usize,
    down: usize,
    /// The number of its quantisation table.
    quant: usize,
    /// Blocks from line to line, with those that only fill units, and those that are its own.
    wide: usize,
    own: (usize, usize),
    /// In the order in which they are stored.
    blocks: Vec<[i16; 64]>,
    /// It was in a scan.
    begun: bool,
}

/// What a picture is made of while it is written.
struct Maker {
    random: Random,
    out: Vec<u8>,
    size: (usize, usize),
    unit: (usize, usize),
    components: Vec<Component>,
    progressive: bool,
    arithmetic: bool,
    /// Without Huffman tables, as frames of moving pictures are.
    bare: bool,
    /// The largest value in quantisation tables.
    coarsest: usize,
    quant: [bool; 4],
    codes: [[Option<Code>; 4]; 2],
    conditions: arithmetic::Conditions,
    restart: usize,
}

/// A picture that is as the standard wants it.
pub fn picture(number: u64) -> Vec<u8> {
    let mut maker = Maker::new(Random::new(number));
    maker.write();
    maker.out
}

impl Maker {
    fn new(mut random: Random) -> Maker {
        let side = |random: &mut Random| if random.once_in(5) { 1 + random.below(9) } else { 1 + random.below(70) };
        let size = (side(&mut random), side(&mut random));
        let count = random.pick(&[1, 3, 3, 3, 3, 3, 4, 4]);
        let (progressive, arithmetic) = (random.once_in(2), random.once_in(4));
        let bare = !progressive && !arithmetic && random.once_in(6);
        // How large coefficients are, so that most of them make pixels and some are beyond any.
        let coarsest = random.pick(&[1, 4, 16, 64, 255, 255, 65535]);
        let largest = if random.once_in(12) { 1023 } else { (3000 / coarsest).clamp(1, 1023) };
        let factors = sampling(count, &mut random);
        let most = |of: fn(&(usize, usize)) -> usize| factors.iter().map(of).max().unwrap_or(1);
        let unit = (most(|f| f.0), most(|f| f.1));
        let ids = ids(count, &mut random);
        let components = factors.iter().zip(ids).map(|(&(across, down), id)| {
            // A single component has units of one block whatever it says.
            let own = |full: usize, own: usize, most: usize| (full * own).div_ceil(most * 8);
            let units = (size.0.div_ceil(8 * unit.0), size.1.div_ceil(8 * unit.1));
            let wide = units.0 * across;
            Component {
                id,
                across,
                down,
                quant: random.below(4),
                wide,
                own: (own(size.0, across, unit.0), own(size.1, down, unit.1)),
                blocks: blocks(wide * units.1 * down, largest as i32, &mut random),
                begun: false,
            }
        });
        let components = components.collect();
        let conditions = arithmetic::Conditions { first: [(0, 1); 16], others: [5; 16] };
        Maker {
            random,
            out: vec![0xff, 0xd8],
            size,
            unit,
            components,
            progressive,
            arithmetic,
            bare,
            coarsest,
            quant: [false; 4],
            codes: Default::default(),
            conditions,
            restart: 0,
        }
    }

    fn write(&mut self) {
        let mut labels = self.labels();
        // Before the frame or behind it.
        if self.random.below(4) > 0 {
            for label in labels.drain(..) {
                self.passing();
                self.segment(label.0, &label.1);
            }
        }
        self.passing();
        self.frame();
        for label in labels.drain(..) {
            self.segment(label.0, &label.1);
        }
        let blocks: Vec<usize> = self.components.iter().map(|c| c.across * c.down).collect();
        let scans = if self.progressive {
            scans::progressive(&blocks, &mut self.random)
        } else {
            scans::sequential(&blocks, &mut self.random)
        };
        for (n, scan) in scans.iter().enumerate() {
            if n > 0 && self.random.once_in(8) {
                // Too late to say what colors are.
                let transform = self.random.below(3) as u8;
                self.segment(0xee, &[b"Adobe\0\x64\0\0\0\0".as_slice(), &[transform]].concat());
            }
            self.passing();
            self.scan(scan);
        }
        self.passing();
        self.fill();
        self.out.extend([0xff, 0xd9]);
        if self.random.once_in(6) {
            self.out.extend(b"behind the end \xff\xd8\xff\xda");
        }
    }

    /// What says which colors components are.
    fn labels(&mut self) -> Vec<(u8, Vec<u8>)> {
        let jfif = (0xe0, b"JFIF\0\x01\x02\0\0\x01\0\x01\0\0".to_vec());
        let transform = self.random.pick(&[0, 0, 1, 1, 2, 2, 3]);
        let adobe = (0xee, [b"Adobe\0\x64\0\0\0\0".as_slice(), &[transform]].concat());
        let short = (0xe0, b"JFIF\0\x01\x02".to_vec());
        match self.random.below(6) {
            0 => vec![],
            1 => vec![jfif],
            2 => vec![adobe],
            3 => vec![jfif, adobe],
            4 => vec![adobe, jfif],
            _ => vec![short],
        }
    }

    fn frame(&mut self) {
        let code = match (self.progressive, self.arithmetic) {
            (false, false) => self.random.pick(&[0xc0, 0xc1]),
            (true, false) => 0xc2,
            (false, true) => 0xc9,
            (true, true) => 0xca,
        };
        let mut body = vec![8];
        body.extend((self.size.1 as u16).to_be_bytes());
        body.extend((self.size.0 as u16).to_be_bytes());
        body.push(self.components.len() as u8);
        for c in &self.components {
            body.extend([c.id, (c.across << 4 | c.down) as u8, c.quant as u8]);
        }
        self.segment(code, &body);
    }

    /// Markers that say nothing of the pixels.
    fn passing(&mut self) {
        while self.random.once_in(4) {
            let length = self.random.below(40);
            let bytes: Vec<u8> = (0..length).map(|_| self.random.next() as u8).collect();
            match self.random.below(8) {
                0 => self.segment(0xfe, &bytes),
                1 => self.segment(0xe1, &[b"Exif\0\0".as_slice(), &bytes].concat()),
                2 => self.out.extend([0xff, 0x01]),
                3 if self.components.iter().any(|c| c.begun) => {
                    let height = (self.size.1 as u16).to_be_bytes();
                    self.segment(0xdc, &height);
                }
                4 if !self.arithmetic => self.segment(0xcc, &[0x00, 0x31, 0x12, 0x07]),
                5 if self.arithmetic => {
                    let (counts, symbols) = standard::CODES[0][0];
                    self.segment(0xc4, &[&[0][..], counts, symbols].concat());
                }
                n => self.segment(0xe2 + n as u8, &bytes),
            }
        }
    }

    /// Bytes that may stand before any marker.
    fn fill(&mut self) {
        let count = if self.random.once_in(10) { self.random.below(5) } else { 0 };
        self.out.extend(std::iter::repeat_n(0xff, count));
    }

    fn segment(&mut self, code: u8, body: &[u8]) {
        self.fill();
        self.out.extend([0xff, code]);
        self.out.extend((body.len() as u16 + 2).to_be_bytes());
        self.out.extend(body);
    }

    fn scan(&mut self, scan: &Scan) {
        self.tables(scan);
        let number = |random: &mut Random, most| random.below(most);
        let most = if self.arithmetic { 16 } else { 4 };
        let most = if self.bare { 2 } else { most };
        let numbers: Vec<(usize, usize)> =
            scan.parts.iter().map(|_| (number(&mut self.random, most), number(&mut self.random, most))).collect();
        let restart = match self.random.below(6) {
            0 => 1 + self.random.below(3),
            1 => 1 + self.random.below(60),
            2 => 0,
            _ => self.restart,
        };
        if restart != self.restart {
            self.segment(0xdd, &(restart as u16).to_be_bytes());
            self.restart = restart;
        }
        if self.arithmetic && self.random.once_in(2) {
            self.condition();
        }
        let mut body = vec![scan.parts.len() as u8];
        for (part, (dc, ac)) in scan.parts.iter().zip(&numbers) {
            body.extend([self.components[*part].id, (dc << 4 | ac) as u8]);
        }
        if !self.progressive && self.random.once_in(12) {
            // So some programs write it.
            body.extend([0; 3]);
        } else {
            body.extend([scan.first as u8, scan.last as u8, (scan.high << 4 | scan.low) as u8]);
        }
        if self.arithmetic {
            self.segment(0xda, &body);
            self.arithmetic(scan, &numbers);
        } else {
            self.huffman(scan, &numbers, &body);
        }
    }

    /// The quantisation that the scan's new components need; and what must not be looked at any more.
    fn tables(&mut self, scan: &Scan) {
        let mut body = Vec::new();
        for number in 0..4 {
            let is_new = |c: &Component| c.quant == number && !c.begun;
            let needed = scan.parts.iter().any(|p| is_new(&self.components[*p]));
            if needed && (!self.quant[number] || self.random.once_in(2)) || self.random.once_in(7) {
                self.quant[number] = true;
                let wide = self.coarsest > 255 || self.random.once_in(5);
                body.push(u8::from(wide) << 4 | number as u8);
                for _ in 0..64 {
                    let value = 1 + self.random.below(self.coarsest) as u16;
                    body.extend(if wide { value.to_be_bytes().to_vec() } else { vec![value as u8] });
                }
                if self.random.once_in(2) {
                    self.segment(0xdb, &std::mem::take(&mut body));
                }
            }
        }
        if !body.is_empty() {
            self.segment(0xdb, &body);
        }
        for part in &scan.parts {
            self.components[*part].begun = true;
        }
    }

    fn condition(&mut self) {
        let mut body = Vec::new();
        for _ in 0..1 + self.random.below(8) {
            let number = self.random.below(16);
            if self.random.once_in(2) {
                let low = self.random.below(16) as u8;
                let high = low + self.random.below(16 - usize::from(low)) as u8;
                self.conditions.first[number] = (low, high);
                body.extend([number as u8, high << 4 | low]);
            } else {
                let last = 1 + self.random.below(63) as u8;
                self.conditions.others[number] = last;
                body.extend([0x10 | number as u8, last]);
            }
        }
        self.segment(0xcc, &body);
    }

    /// The places of a scan's blocks, unit by unit: component, then where in it.
    fn places(&self, scan: &Scan) -> Vec<Vec<(usize, usize)>> {
        if let [part] = scan.parts[..] {
            let c = &self.components[part];
            let (wide, high) =
                if self.components.len() == 1 { (self.size.0.div_ceil(8), self.size.1.div_ceil(8)) } else { c.own };
            return (0..wide * high).map(|n| vec![(part, n / wide * c.wide + n % wide)]).collect();
        }
        let units = (self.size.0.div_ceil(8 * self.unit.0), self.size.1.div_ceil(8 * self.unit.1));
        let unit = |n: usize| {
            let (x, y) = (n % units.0, n / units.0);
            let blocks = |part: &usize| {
                let (part, c) = (*part, &self.components[*part]);
                (0..c.across * c.down)
                    .map(move |n| (part, (y * c.down + n / c.across) * c.wide + x * c.across + n % c.across))
            };
            scan.parts.iter().flat_map(blocks).collect()
        };
        (0..units.0 * units.1).map(unit).collect()
    }

    fn arithmetic(&mut self, scan: &Scan, numbers: &[(usize, usize)]) {
        let places = self.places(scan);
        let every = if self.restart == 0 { places.len() } else { self.restart };
        for (n, units) in places.chunks(every).enumerate() {
            if n > 0 {
                self.fill();
                self.out.extend([0xff, 0xd0 | (n - 1) as u8 & 7]);
            }
            let mut writer = arithmetic::Writer::new(&self.conditions);
            for (part, at) in units.iter().flatten() {
                let place = scan.parts.iter().position(|p| p == part).expect("a part of the scan");
                writer.block(*part, numbers[place], scan, &self.components[*part].blocks[*at]);
            }
            self.out.extend(writer.finish());
        }
    }

    fn huffman(&mut self, scan: &Scan, numbers: &[(usize, usize)], header: &[u8]) {
        let mut tokens = Tokens::default();
        for (n, unit) in self.places(scan).iter().enumerate() {
            if n > 0 && self.restart > 0 && n % self.restart == 0 {
                tokens.restart();
            }
            for (part, at) in unit {
                let place = scan.parts.iter().position(|p| p == part).expect("a part of the scan");
                let block = &self.components[*part].blocks[*at];
                tokens.block(*part, numbers[place], scan, block, &mut self.random);
            }
        }
        let tokens = tokens.finish();
        self.define(&tokens);
        self.segment(0xda, header);
        let bytes = huffman::bytes(&tokens, &self.codes, &mut self.random);
        self.out.extend(bytes);
    }

    /// The codes that the scan needs.
    fn define(&mut self, tokens: &[huffman::Token]) {
        let mut needed: [[Vec<u8>; 4]; 2] = Default::default();
        for token in tokens {
            if let huffman::Token::Symbol((class, number), symbol, ..) = *token
                && !needed[class][number].contains(&symbol)
            {
                needed[class][number].push(symbol);
            }
        }
        if self.bare {
            for (class, number) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let (counts, symbols) = standard::CODES[class][number];
                self.codes[class][number] = Some(Code { counts: *counts, symbols: symbols.to_vec() });
            }
            return;
        }
        let mut body = Vec::new();
        // A table that has nothing in this scan is still asked for by sequential ones.
        for (class, number) in (0..8).map(|n| (n / 4, n % 4)) {
            let needed = &mut needed[class][number];
            let there = self.codes[class][number].as_ref().is_some_and(|code| code.has(needed));
            if there && !self.random.once_in(4) {
                continue;
            }
            let most = if class == 0 { 16 } else { 256 };
            for _ in 0..self.random.pick(&[1, 1, 2, 9, 60]) {
                let symbol = self.random.below(most) as u8;
                if !needed.contains(&symbol) {
                    needed.push(symbol);
                }
            }
            needed.sort_unstable();
            let code = Code::random(std::mem::take(needed), &mut self.random);
            body.push((class << 4 | number) as u8);
            body.extend(code.counts);
            body.extend(&code.symbols);
            self.codes[class][number] = Some(code);
            if self.random.once_in(2) {
                self.segment(0xc4, &std::mem::take(&mut body));
            }
        }
        if !body.is_empty() {
            self.segment(0xc4, &body);
        }
    }
}

/// Blocks across and down in a unit, for each component: those of all are multiples of each.
fn sampling(count: usize, random: &mut Random) -> Vec<(usize, usize)> {
    if count == 1 {
        return vec![(1 + random.below(4), 1 + random.below(4))];
    }
    let usual = [(1, 1), (2, 1), (2, 2), (1, 2), (4, 1), (4, 2)];
    if random.once_in(2) {
        let mut factors = vec![(1, 1); count];
        factors[0] = random.pick(&usual);
        if count == 4 {
            factors[3] = factors[0];
        }
        return factors;
    }
    let divisors = |n: usize| (1..=n).filter(|d| n.is_multiple_of(*d)).collect::<Vec<_>>();
    let most = (1 + random.below(4), 1 + random.below(4));
    let mut factors: Vec<_> =
        (0..count).map(|_| (random.pick(&divisors(most.0)), random.pick(&divisors(most.1)))).collect();
    factors[random.below(count)].0 = most.0;
    factors[random.below(count)].1 = most.1;
    factors
}

fn ids(count: usize, random: &mut Random) -> Vec<u8> {
    match random.below(4) {
        0 if count == 3 => b"RGB".to_vec(),
        1 => {
            let first = random.below(250) as u8;
            (first..).take(count).collect()
        }
        _ => (1..).take(count).collect(),
    }
}

/// Blocks at random: many with little, some with much.
fn blocks(count: usize, largest: i32, random: &mut Random) -> Vec<[i16; 64]> {
    let density = random.pick(&[0, 1, 2, 6, 20, 63]);
    let mut first = 0;
    let block = |_| {
        let mut block = [0; 64];
        if !random.once_in(3) {
            first = (first + random.between(-largest, largest) / 4).clamp(-largest, largest);
            if random.once_in(8) {
                first = random.between(-largest, largest);
            }
        }
        block[0] = first as i16;
        let some = if random.once_in(4) { 0 } else { random.below(density + 1) };
        for _ in 0..some {
            let (at, small) = (1 + random.below(63), random.below(3) > 0);
            let size = if small { largest.min(3) } else { largest };
            // More in front, as pictures have it.
            let at = if random.once_in(3) { at } else { 1 + at / 5 };
            block[at] = random.between(-size, size) as i16;
        }
        block
    };
    (0..count).map(block).collect()
}
