//! Huffman codes: what a scan says of blocks as symbols and bits (ITU-T T.81, F.1.2 and G.1.2), codes made for them at random, and
//! the bytes that come of it.

use super::{
    random::Random,
    scans::{Scan, least},
};

/// A piece of a scan.
#[derive(Clone, Copy, Debug)]
pub enum Token {
    /// A symbol of a table, by its class and number, and bits behind it: their value and how many.
    Symbol((usize, usize), u8, u32, u32),
    Bits(u32, u32),
    Restart,
}

/// Turns blocks into tokens.
#[derive(Default)]
pub struct Tokens {
    pub list: Vec<Token>,
    before: [i32; 4],
    /// Blocks in a row that have nothing more, and the bits of their coefficients.
    run: u32,
    waiting: Vec<u32>,
    table: usize,
}

impl Tokens {
    /// Ends a segment.
    pub fn restart(&mut self) {
        self.flush();
        self.list.push(Token::Restart);
        self.before = [0; 4];
    }

    pub fn finish(mut self) -> Vec<Token> {
        self.flush();
        self.list
    }

    pub fn block(
        &mut self,
        part: usize,
        (dc, ac): (usize, usize),
        scan: &Scan,
        block: &[i16; 64],
        random: &mut Random,
    ) {
        self.table = ac;
        if scan.first == 0 {
            let value = i32::from(block[0] >> scan.low);
            if scan.high > 0 {
                self.list.push(Token::Bits(value as u32 & 1, 1));
            } else {
                let (bits, size) = signed(value - self.before[part]);
                self.list.push(Token::Symbol((0, dc), size as u8, bits, size));
                self.before[part] = value;
            }
        }
        if scan.last == 0 {
            return;
        }
        if scan.high > 0 {
            self.refine(scan, block);
        } else {
            self.others(scan, block, random);
        }
        // A run need not be as long as it can be.
        if self.run == 0x7fff || self.run > 0 && (!scan.progressive || random.once_in(9)) {
            self.flush();
        }
    }

    fn others(&mut self, scan: &Scan, block: &[i16; 64], random: &mut Random) {
        let mut zeros = 0;
        for value in &block[scan.first.max(1)..=scan.last] {
            let value = least(*value, scan.low);
            if value == 0 {
                zeros += 1;
                continue;
            }
            self.flush();
            while zeros > 15 {
                self.symbol(0xf0, 0, 0);
                zeros -= 16;
            }
            let (bits, size) = signed(value);
            self.symbol((zeros as u8) << 4 | size as u8, bits, size);
            zeros = 0;
        }
        if zeros > 0 {
            // Zeros may be said before the end is.
            while zeros > 16 && random.once_in(40) {
                self.flush();
                self.symbol(0xf0, 0, 0);
                zeros -= 16;
            }
            self.run += 1;
        }
    }

    fn refine(&mut self, scan: &Scan, block: &[i16; 64]) {
        let value = |k: usize| least(block[k], scan.low);
        let last_new = (scan.first..=scan.last).rev().find(|k| value(*k).abs() == 1).unwrap_or(0);
        let (mut zeros, mut bits) = (0, Vec::new());
        for k in scan.first..=scan.last {
            let size = value(k).abs();
            if size == 0 {
                zeros += 1;
                continue;
            }
            while zeros > 15 && k <= last_new {
                self.flush();
                self.symbol(0xf0, 0, 0);
                self.bits(&mut bits);
                zeros -= 16;
            }
            if size > 1 {
                bits.push(size as u32 & 1);
                continue;
            }
            self.flush();
            self.symbol((zeros as u8) << 4 | 1, u32::from(value(k) > 0), 1);
            self.bits(&mut bits);
            zeros = 0;
        }
        if zeros > 0 || !bits.is_empty() {
            self.run += 1;
            self.waiting.append(&mut bits);
        }
    }

    fn symbol(&mut self, symbol: u8, bits: u32, size: u32) {
        self.list.push(Token::Symbol((1, self.table), symbol, bits, size));
    }

    fn bits(&mut self, bits: &mut Vec<u32>) {
        self.list.extend(bits.drain(..).map(|bit| Token::Bits(bit, 1)));
    }

    /// Writes the run of blocks that have nothing more.
    fn flush(&mut self) {
        if self.run > 0 {
            let size = self.run.ilog2();
            self.symbol((size as u8) << 4, self.run - (1 << size), size);
            self.run = 0;
            let mut waiting = std::mem::take(&mut self.waiting);
            self.bits(&mut waiting);
        }
    }
}

/// A number of both signs as JPEG writes it: bits, and how many.
fn signed(value: i32) -> (u32, u32) {
    let size = 32 - value.unsigned_abs().leading_zeros();
    let bits = if value < 0 { value + (1 << size) - 1 } else { value };
    (bits as u32, size)
}

/// A code: for each length how many, and the symbols in their order.
#[derive(Clone, Debug)]
pub struct Code {
    pub counts: [u8; 16],
    pub symbols: Vec<u8>,
}

impl Code {
    /// One at random for these symbols: lengths up to 16, and never ones only.
    pub fn random(mut symbols: Vec<u8>, random: &mut Random) -> Code {
        let mut lengths = vec![0_usize];
        // Deep or flat trees.
        let deep = random.below(4);
        while lengths.len() <= symbols.len() {
            let some = random.below(lengths.len());
            let deepest = (0..lengths.len()).filter(|i| lengths[*i] < 16).max_by_key(|i| lengths[*i]);
            let is_deep = random.below(4) < deep;
            let at = if is_deep { deepest } else { Some(some) }.filter(|i| lengths[*i] < 16);
            let shallow = (0..lengths.len()).min_by_key(|i| lengths[*i]);
            let Some(at) = at.or(shallow) else { break };
            lengths[at] += 1;
            lengths.push(lengths[at]);
        }
        lengths.sort_unstable();
        lengths.pop();
        random.shuffle(&mut symbols);
        let mut counts = [0; 16];
        for length in lengths {
            counts[length.max(1) - 1] += 1;
        }
        Code { counts, symbols }
    }

    /// The code of a symbol, and its length.
    fn of(&self, symbol: u8) -> Option<(u32, u32)> {
        let (mut code, mut place) = (0_u32, 0);
        for (length, count) in (1..).zip(self.counts) {
            for _ in 0..count {
                if self.symbols[place] == symbol {
                    return Some((code, length));
                }
                code += 1;
                place += 1;
            }
            code <<= 1;
        }
        None
    }

    pub fn has(&self, symbols: &[u8]) -> bool {
        symbols.iter().all(|s| self.symbols.contains(s))
    }
}

/// Bits as bytes, with a zero behind every byte of ones.
#[derive(Default)]
struct Bytes {
    out: Vec<u8>,
    word: u64,
    count: u32,
}

impl Bytes {
    fn put(&mut self, bits: u32, count: u32) {
        self.word = self.word << count | u64::from(bits);
        self.count += count;
        while self.count >= 8 {
            self.count -= 8;
            let byte = (self.word >> self.count) as u8;
            self.out.push(byte);
            if byte == 0xff {
                self.out.push(0);
            }
        }
    }

    fn fill(&mut self) {
        let count = (8 - self.count % 8) % 8;
        self.put((1 << count) - 1, count);
    }
}

/// The bytes of a scan.
pub fn bytes(tokens: &[Token], codes: &[[Option<Code>; 4]; 2], random: &mut Random) -> Vec<u8> {
    let mut known: [Vec<Option<(u32, u32)>>; 8] = std::array::from_fn(|i| {
        let code = codes[i / 4][i % 4].as_ref();
        (0..=255).map(|s| code.and_then(|c| c.of(s))).collect()
    });
    let (mut bytes, mut marker) = (Bytes::default(), 0);
    for token in tokens {
        match *token {
            Token::Symbol((class, number), symbol, bits, count) => {
                let (code, length) = known[class * 4 + number][usize::from(symbol)].take().expect("a code for it");
                known[class * 4 + number][usize::from(symbol)] = Some((code, length));
                bytes.put(code, length);
                bytes.put(bits, count);
            }
            Token::Bits(bits, count) => bytes.put(bits, count),
            Token::Restart => {
                bytes.fill();
                // Any number of 0xff may stand before a marker.
                bytes.out.extend(std::iter::repeat_n(0xff, if random.once_in(12) { random.below(4) } else { 0 }));
                bytes.out.extend([0xff, 0xd0 | marker]);
                marker = (marker + 1) & 7;
            }
        }
    }
    bytes.fill();
    bytes.out
}
