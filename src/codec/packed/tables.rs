//! The tables of a dataset: which code each context has, the codes, and parts of headers that many pictures share.

use std::sync::{Arc, OnceLock};

use super::{
    bits::{Bytes, put_number},
    corrupt,
    planes::{CELLS, ESCAPE, Kind, PLANES},
};
use crate::{codec::checksum::crc32, error::Result};

/// Codes of a set of tables, at most.
pub(super) const MOST_CODES: usize = 32;
/// Bits of a code, at most.
pub(super) const LOOK: u32 = 11;
/// Parts of headers, and bytes of one set of tables, at most.
pub(super) const MOST_SHARED: usize = 250;
const MOST_BYTES: usize = 1 << 20;
const VERSION: u8 = 1;
/// What stands before the bytes that the digest is of.
const FRONT: usize = 5;

/// By channel, plane and context: the number of a code.
pub(super) type Map = [[[u8; CELLS]; PLANES]; 2];
/// By the next bits, from the lowest of an entry: 8 bits for the length of the code and what follows it, 8 for that of the
/// code alone, 16 for the symbol.
type Look = [u32; 1 << LOOK];

/// What packed pictures are read and written with. One set serves all pictures of a dataset.
#[derive(Clone)]
pub struct Tables {
    bytes: Vec<u8>,
    digest: u32,
    pub(super) shared: Vec<Vec<u8>>,
    pub(super) map: Box<Map>,
    pub(super) looks: Box<[Look; MOST_CODES]>,
    /// By code, then by symbol: its bits, and above [`LOOK`] of them their number; 0 if it has none.
    words: Vec<Vec<u16>>,
}

/// A code before it is written down: its symbols in their order, and the lengths of their bits.
#[derive(Clone, Debug)]
pub(super) struct Lengths {
    pub(super) kind: Kind,
    pub(super) symbols: Vec<(u16, u8)>,
}

impl Tables {
    /// Reads what [`bytes`](Self::bytes) gave.
    pub fn read(bytes: &[u8]) -> Result<Tables> {
        let found = bytes.get(1..FRONT).and_then(|b| b.first_chunk()).map(|b| u32::from_le_bytes(*b));
        if bytes.len() > MOST_BYTES || bytes.first() != Some(&VERSION) {
            return Err(corrupt("these tables are too long, or not of a version that is known"));
        }
        let rest = bytes.get(FRONT..).unwrap_or_default();
        let digest = crc32(rest);
        if found != Some(digest) {
            return Err(corrupt("the tables do not match their digest"));
        }
        let mut made = Tables {
            bytes: bytes.to_vec(),
            digest,
            shared: Vec::new(),
            map: Box::new([[[0; CELLS]; PLANES]; 2]),
            looks: vec![[0; 1 << LOOK]; MOST_CODES].try_into().map_err(|_| corrupt("no room for the tables"))?,
            words: Vec::new(),
        };
        made.parse(Bytes(rest)).ok_or_else(|| corrupt("the tables are damaged"))?;
        Ok(made)
    }

    fn parse(&mut self, mut bytes: Bytes<'_>) -> Option<()> {
        for _ in 0..Some(bytes.number()?).filter(|n| *n <= MOST_SHARED)? {
            let length = bytes.number()?;
            self.shared.push(bytes.take(length)?.to_vec());
        }
        let mut cells = self.map.as_flattened_mut().as_flattened_mut();
        while !cells.is_empty() {
            let &[code, more] = bytes.take(2)? else { return None };
            let (run, rest) = cells.split_at_mut_checked(usize::from(more) + 1)?;
            run.fill(code);
            cells = rest;
        }
        let count = usize::from(bytes.byte()?);
        let mut kinds = Vec::with_capacity(MOST_CODES);
        for look in self.looks.iter_mut().take(count) {
            let kind = *Kind::ALL.get(usize::from(bytes.byte()?))?;
            kinds.push(kind);
            self.words.push(code(kind, &mut bytes, look)?);
        }
        let planes = self.map.iter().flat_map(|channel| channel.iter().enumerate());
        let fits = |(plane, cells): (usize, &[u8; CELLS])| {
            cells.iter().all(|code| kinds.get(usize::from(*code)) == Some(&Kind::of(plane)))
        };
        (count == kinds.len() && planes.into_iter().all(fits) && bytes.0.is_empty()).then_some(())
    }

    /// Makes tables of what was found out.
    pub(super) fn new(shared: Vec<Vec<u8>>, map: &Map, codes: &[Lengths]) -> Result<Tables> {
        let mut rest = Vec::new();
        put_number(shared.len(), &mut rest);
        for part in shared {
            put_number(part.len(), &mut rest);
            rest.extend(part);
        }
        for run in map.as_flattened().as_flattened().chunk_by(|a, b| a == b) {
            for run in run.chunks(256) {
                rest.extend([run[0], (run.len() - 1) as u8]);
            }
        }
        rest.push(codes.len() as u8);
        for Lengths { kind, symbols } in codes {
            rest.push(*kind as u8);
            put_number(symbols.len(), &mut rest);
            let mut next = 0;
            for (symbol, length) in symbols {
                let skipped = usize::from(*symbol - next);
                rest.push((skipped.min(15) as u8) << 4 | length);
                if skipped >= 15 {
                    put_number(skipped - 15, &mut rest);
                }
                next = symbol + 1;
            }
        }
        let mut bytes = vec![VERSION];
        bytes.extend(crc32(&rest).to_le_bytes());
        bytes.extend(rest);
        Tables::read(&bytes)
    }

    /// The bytes that a dataset keeps.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Those that the library brings, for datasets of few pictures.
    pub fn standard() -> Result<Arc<Tables>> {
        static STANDARD: OnceLock<Arc<Tables>> = OnceLock::new();
        if let Some(tables) = STANDARD.get() {
            return Ok(tables.clone());
        }
        let read = Arc::new(Tables::read(include_bytes!("standard.tables"))?);
        Ok(STANDARD.get_or_init(|| read).clone())
    }

    /// What tells these tables from others.
    pub fn digest(&self) -> u32 {
        self.digest
    }

    /// The bits of a symbol and their number, 0 if it has none.
    #[inline(always)]
    pub(super) fn word(&self, code: u8, symbol: u16) -> (u32, u32) {
        let word = self.words.get(usize::from(code)).and_then(|words| words.get(usize::from(symbol)));
        let word = word.copied().map_or(0, u32::from);
        (word & ((1 << LOOK) - 1), word >> LOOK)
    }
}

/// Reads a code, and fills its table for reading; gives that for writing.
fn code(kind: Kind, bytes: &mut Bytes<'_>, look: &mut Look) -> Option<Vec<u16>> {
    let count = Some(bytes.number()?).filter(|n| (2..=1 << LOOK).contains(n))?;
    let mut symbols = Vec::with_capacity(count);
    let mut next = 0;
    for _ in 0..count {
        let byte = bytes.byte()?;
        let skipped = usize::from(byte >> 4);
        next += if skipped < 15 { skipped } else { 15 + bytes.number()? };
        symbols.push((u16::try_from(next).ok()?, byte & 15));
        next += 1;
    }
    let mut words = vec![0; usize::from(ESCAPE) + 1];
    symbols.sort_unstable_by_key(|(symbol, length)| (*length, *symbol));
    // The next code, its first bit on top, of 32 bits.
    let mut code = 0_u64;
    for (symbol, length) in symbols {
        let (bits, raw) = (u32::from(length), kind.raw(symbol)?);
        if !(1..=LOOK).contains(&bits) || code >= 1 << 32 {
            return None;
        }
        let reversed = (code as u32).reverse_bits();
        *words.get_mut(usize::from(symbol))? = (bits << LOOK | reversed) as u16;
        for entry in look.iter_mut().skip(reversed as usize).step_by(1 << bits) {
            *entry = u32::from(symbol) << 16 | bits << 8 | (bits + raw);
        }
        code += 1 << (32 - bits);
    }
    let whole = code == 1 << 32 && kind.needed().all(|symbol| words.get(usize::from(symbol)).is_some_and(|w| *w != 0));
    whole.then_some(words)
}

impl PartialEq for Tables {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Tables {}

impl std::fmt::Debug for Tables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tables").field("digest", &self.digest).finish_non_exhaustive()
    }
}
