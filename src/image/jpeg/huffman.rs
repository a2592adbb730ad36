//! Huffman tables, made for speed: one look at the next bits gives up to two coefficients, with their values.
//!
//! Making such a table takes about 20 µs and most files share the same few, so a table is kept until another one is
//! defined in its place.

use super::bits::{Bits, extend};

/// Bits that are looked at in one go.
pub(super) const LOOK: u32 = 11;
const SIZE: usize = 1 << LOOK;
/// The same for what is only read over.
pub(super) const LOOK_OVER: u32 = 13;
const OVER_SIZE: usize = 1 << LOOK_OVER;
/// Bytes of a picture from which on filling a table for that many is worth its time; else it is filled for [`LOOK`].
const MANY: usize = 1 << 18;
/// Added to the place of a coefficient by the end of a block: more than any places.
pub(super) const END: u32 = 129;

/// A table as the file defines it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Code {
    counts: [u8; 16],
    symbols: [u8; 256],
    /// For each length, one more than its last code, with zeros below to 16 bits.
    limits: [u32; 17],
    /// For each length, what to add to a code for its symbol's place.
    offsets: [i32; 17],
}

impl Code {
    /// `None` if there are more codes than fit, one of ones only, which is left free, or other than the symbols.
    pub(super) fn new(counts: [u8; 16], given: &[u8]) -> Option<Code> {
        let mut made = Code { counts, symbols: [0; 256], limits: [0; 17], offsets: [0; 17] };
        made.symbols.get_mut(..given.len())?.copy_from_slice(given);
        let (mut code, mut place) = (0_u32, 0);
        for length in 1..=16 {
            let count = u32::from(counts[length - 1]);
            made.offsets[length] = place - code as i32;
            code += count;
            place += count as i32;
            if count > 0 && code >= 1 << length {
                return None;
            }
            made.limits[length] = code << (16 - length);
            code <<= 1;
        }
        (place as usize == given.len()).then_some(made)
    }

    /// As [`symbol`](Self::symbol), where it is seldom needed.
    #[cold]
    #[inline(never)]
    fn far(&self, next: u32) -> Option<(u8, u32)> {
        self.symbol(next)
    }

    /// The symbol at the top of these 16 bits and its length; `None` if none has such a code.
    #[inline(always)]
    fn symbol(&self, next: u32) -> Option<(u8, u32)> {
        let length = (1..=16).find(|&n| next < self.limits[n])?;
        let place = (next >> (16 - length)) as i32 + self.offsets[length];
        Some((self.symbols[place as usize & 255], length as u32))
    }
}

/// What one look at the bits gives: a symbol with its value where both are short enough.
#[derive(Clone, Copy)]
struct Short {
    /// Bits of both.
    bits: u32,
    symbol: u8,
    value: i16,
}

/// `LOOK` bits that begin with a whole symbol and value.
fn short(code: &Code, index: u32, size: impl Fn(u8) -> u32) -> Option<Short> {
    let (symbol, length) = code.symbol(index << (16 - LOOK))?;
    let size = size(symbol);
    let bits = length + size;
    if bits > LOOK {
        return None;
    }
    let value = (index >> (LOOK - bits)) & ((1 << size) - 1);
    Some(Short { bits, symbol, value: extend(value, size) as i16 })
}

/// For the first coefficient of blocks.
#[derive(Clone)]
pub(super) struct DcTable {
    code: Code,
    /// From the lowest bits: 8 for the bits to skip, 0 if the code or its value are longer; 16 for the value.
    entries: Box<[u32; SIZE]>,
}

impl DcTable {
    pub(super) fn new(code: &Code) -> Self {
        let mut table = DcTable { code: code.clone(), entries: Box::new([0; SIZE]) };
        table.fill();
        table
    }

    /// Makes it the table of another code, in the same memory.
    pub(super) fn become_of(&mut self, code: &Code) {
        self.code.clone_from(code);
        self.fill();
    }

    fn fill(&mut self) {
        for (index, entry) in self.entries.iter_mut().enumerate() {
            let short = short(&self.code, index as u32, u32::from);
            *entry = short.map_or(0, |s| s.bits | u32::from(s.value as u16) << 16);
        }
    }

    pub(super) fn code(&self) -> &Code {
        &self.code
    }

    /// Takes a difference; `None` if the bits are not a code. The bits need to have been refilled.
    #[inline(always)]
    pub(super) fn take(&self, bits: &mut Bits) -> Option<i32> {
        let entry = self.entries[bits.peek(LOOK) as usize & (SIZE - 1)];
        if entry & 0xff != 0 {
            bits.skip(entry & 0xff);
            return Some(i32::from((entry >> 16) as i16));
        }
        let (size, length) = self.code.symbol(bits.peek(16))?;
        bits.skip(length);
        Some(bits.take_signed(u32::from(size)))
    }
}

/// For the others.
#[derive(Clone)]
pub(super) struct AcTable {
    code: Code,
    entries: Box<[u64; SIZE]>,
    /// For reading over them, and how many bits it is filled for.
    over: Box<[Over; OVER_SIZE]>,
    look: u32,
}

/// What is said of the next bits, from the lowest, 8 bits each: how many to skip for two coefficients, 0 if even the
/// first is longer; the places that the first goes on by; those of the second; the bits of the first alone. Then 16
/// each for their values.
///
/// If the second is none, it goes on by 0 and has the value of the first, so that it can be written nevertheless.
/// The end of a block goes on by [`END`], and so does a coefficient that is longer; of that there are, if the code
/// itself is not, the code's length in the fourth byte and its symbol as the value.
#[derive(Clone, Copy)]
pub(super) struct Entry(u64);

impl Entry {
    #[inline(always)]
    pub(super) fn first(self) -> u8 {
        (self.0 >> 8) as u8
    }
    #[inline(always)]
    pub(super) fn second(self) -> u8 {
        (self.0 >> 16) as u8
    }
    #[inline(always)]
    pub(super) fn first_value(self) -> i16 {
        (self.0 >> 32) as i16
    }
    #[inline(always)]
    pub(super) fn second_value(self) -> i16 {
        (self.0 >> 48) as i16
    }
    /// The bits of the first alone.
    #[inline(always)]
    pub(super) fn alone(self) -> u32 {
        (self.0 >> 24) as u32 & 0xff
    }
    /// The lowest byte is the bits of both; what is above it can stay where nobody looks at it.
    #[inline(always)]
    pub(super) fn bits(self) -> u64 {
        self.0
    }
    #[inline(always)]
    pub(super) fn is_long(self) -> bool {
        self.0 & 0xff == 0
    }
}

/// Several coefficients in one go: from the lowest bits 8 for the bits to skip, 8 for the places to go on by; with the
/// end of the block, [`OVER`] more. More places than there are where not even one fits.
type Over = u16;
pub(super) const OVER: u32 = 128 << 8;
const NONE: Over = 255 << 8;

impl AcTable {
    /// For a picture of this many bytes.
    pub(super) fn new(code: &Code, bytes: usize) -> Self {
        let (entries, over) = (Box::new([0; SIZE]), Box::new([0; OVER_SIZE]));
        let mut table = AcTable { code: code.clone(), entries, over, look: 0 };
        table.fill();
        table.suit(bytes);
        table
    }

    /// Makes it the table of another code, in the same memory.
    pub(super) fn become_of(&mut self, code: &Code, bytes: usize) {
        self.code.clone_from(code);
        self.fill();
        self.look = 0;
        self.suit(bytes);
    }

    /// Fills the table for more bits, if there is that much to read.
    pub(super) fn suit(&mut self, bytes: usize) {
        let look = if bytes >= MANY { LOOK_OVER } else { LOOK };
        if self.look < look {
            self.look = look;
            self.fill_over();
        }
    }

    fn fill(&mut self) {
        let code = &self.code;
        // First each coefficient alone, then those that have another behind them.
        for (index, entry) in self.entries.iter_mut().enumerate() {
            let bits = index as u32;
            *entry = if let Some(s) = short(code, bits, |symbol| u32::from(symbol & 15)) {
                let value = u64::from(s.value as u16);
                u64::from(s.bits | advance(s.symbol) << 8 | s.bits << 24) | value << 32 | value << 48
            } else if let Some((symbol, length)) = code.symbol(bits << (16 - LOOK))
                && length <= LOOK
            {
                u64::from(END << 8 | length << 24) | u64::from(symbol) << 32
            } else {
                u64::from(END << 8)
            };
        }
        for index in 0..SIZE {
            let entry = self.entries[index];
            let first = entry & 0xff;
            if first == 0 || (entry >> 8) & 0xff == u64::from(END) {
                continue;
            }
            // Of one that has a second behind it already, the first.
            let second = self.entries[(index << first) & (SIZE - 1)];
            let bits = (second >> 24) & 0xff;
            if second & 0xff != 0 && first + bits <= u64::from(LOOK) {
                let (go, value) = ((second >> 8) & 0xff, (second >> 32) & 0xffff);
                let alone = entry & 0x0000_ffff_ff00_ff00;
                self.entries[index] = alone | (first + bits) | (go << 16) | (value << 48);
            }
        }
    }

    /// As many coefficients as the bits hold, up to the end of a block.
    fn fill_over(&mut self) {
        for (index, same) in self.over.chunks_mut(1 << (LOOK_OVER - self.look)).enumerate() {
            let (mut bits, mut places) = (0, 0);
            loop {
                let entry = Entry(self.entries[(index << bits >> (self.look - LOOK)) & (SIZE - 1)]);
                if entry.is_long() || bits + entry.alone() > self.look {
                    break;
                }
                bits += entry.alone();
                if u32::from(entry.first()) == END {
                    places += OVER >> 8;
                    break;
                }
                places += u32::from(entry.first());
                // Further there are no places, so that a byte holds them.
                if places >= 63 {
                    break;
                }
            }
            same.fill(if bits == 0 { NONE } else { (bits | places << 8) as Over });
        }
    }

    pub(super) fn code(&self) -> &Code {
        &self.code
    }

    #[inline(always)]
    pub(super) fn look(&self, word: u64) -> Entry {
        Entry(self.entries[(word >> (64 - LOOK)) as usize & (SIZE - 1)])
    }

    #[inline(always)]
    pub(super) fn look_over(&self, word: u64) -> Over {
        self.over[(word >> (64 - LOOK_OVER)) as usize & (OVER_SIZE - 1)]
    }

    /// Takes one coefficient that is longer than was looked at: how far it goes on, and its value. `None` if the
    /// bits are not a code.
    #[inline(always)]
    pub(super) fn long(&self, bits: &mut Bits, entry: Entry) -> Option<(u8, i16)> {
        // Mostly the code is short and only the value is long.
        let (symbol, length) = match entry.alone() {
            0 => self.code.far(bits.peek(16))?,
            length => (entry.first_value() as u8, length),
        };
        bits.skip(length);
        let value = bits.take_signed(u32::from(symbol & 15));
        Some((advance(symbol) as u8, value as i16))
    }
}

/// What the symbols of a table are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The first coefficients of blocks.
    First,
    /// The others.
    Others,
    /// Those that are found when the others are refined: of one bit each.
    Found,
}

/// For scans of which a picture has several, each with codes of its own: made quickly, code by code.
#[derive(Clone)]
pub(super) struct Plain {
    code: Code,
    kind: Kind,
    entries: [Look; 1 << Plain::LOOK],
}

/// From the lowest, 8 bits each: how many to skip for a coefficient, 0 if it is longer or none; the places that it goes
/// on by. Then 16 for its value.
///
/// Of one that is longer, or none: the length of the code, 0 if that is longer itself; and the symbol.
#[derive(Clone, Copy)]
pub(super) struct Look(u32);

impl Look {
    #[inline(always)]
    pub(super) fn is_short(self) -> bool {
        self.bits() != 0
    }
    #[inline(always)]
    pub(super) fn bits(self) -> u32 {
        self.0 & 0xff
    }
    #[inline(always)]
    pub(super) fn go(self) -> u32 {
        self.0 >> 8 & 0xff
    }
    #[inline(always)]
    pub(super) fn value(self) -> i16 {
        (self.0 >> 16) as i16
    }
}

impl Plain {
    pub(super) const LOOK: u32 = 9;

    pub(super) fn new(code: &Code, kind: Kind) -> Self {
        let mut entries = [Look(0); 1 << Plain::LOOK];
        let (mut next, mut symbols) = (0, code.symbols.iter());
        for (length, count) in (1..=Plain::LOOK).zip(code.counts) {
            for symbol in symbols.by_ref().take(count.into()) {
                let size = match kind {
                    Kind::First => (*symbol).into(),
                    Kind::Others => u32::from(symbol & 15),
                    Kind::Found if symbol & 15 > 1 => Plain::LOOK,
                    Kind::Found => u32::from(symbol & 15),
                };
                let rest = Plain::LOOK - length;
                let is_short = size <= rest && (size > 0 || kind == Kind::First);
                let of_code = entries.iter_mut().skip(next << rest).take(1 << rest);
                if is_short {
                    let bits = (length + size) | (u32::from(symbol >> 4) + 1) << 8;
                    for (index, entry) in (0_u32..).zip(of_code) {
                        *entry = Look(bits | (extend(index >> (rest - size), size) as u32) << 16);
                    }
                } else {
                    of_code.for_each(|entry| *entry = Look(length << 8 | u32::from(*symbol) << 16));
                }
                next += 1;
            }
            next <<= 1;
        }
        Plain { code: code.clone(), kind, entries }
    }

    /// Whether it was made of this.
    pub(super) fn is_of(&self, code: &Code, kind: Kind) -> bool {
        self.kind == kind && self.code == *code
    }

    #[inline(always)]
    pub(super) fn look(&self, word: u64) -> Look {
        self.entries[(word >> (64 - Plain::LOOK)) as usize % (1 << Plain::LOOK)]
    }

    /// Takes the symbol of what is longer than was looked at, or none. `None` if the bits are not a code.
    #[inline(always)]
    pub(super) fn long(&self, bits: &mut Bits, look: Look) -> Option<u8> {
        let (symbol, length) = match look.go() {
            0 => self.code.far(bits.peek(16))?,
            length => ((look.0 >> 16) as u8, length),
        };
        bits.skip(length);
        Some(symbol)
    }

    /// Takes the difference of a first coefficient. The bits need to have been refilled.
    #[inline(always)]
    pub(super) fn difference(&self, bits: &mut Bits) -> Option<i32> {
        let look = self.look(bits.word);
        if look.is_short() {
            bits.skip(look.bits());
            return Some(look.value().into());
        }
        let size = self.long(bits, look)?;
        Some(bits.take_signed(size.into()))
    }
}

/// How many places a symbol goes on.
fn advance(symbol: u8) -> u32 {
    match (symbol >> 4, symbol & 15) {
        (15, 0) => 16,
        (_, 0) => END,
        (run, _) => u32::from(run) + 1,
    }
}

impl std::fmt::Debug for DcTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DcTable").field("counts", &self.code.counts).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for AcTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AcTable").field("counts", &self.code.counts).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Plain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plain").field("counts", &self.code.counts).finish_non_exhaustive()
    }
}
