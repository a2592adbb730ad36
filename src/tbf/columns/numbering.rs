//! Texts and their numbers in the order of first use: how dictionaries are made.
//!
//! Most texts that repeat are short, so those of at most 32 bytes are held as four words in a small open table: to
//! find one takes a multiplication and a comparison of words, and touches no other memory. Longer ones, and those
//! that no longer fit the small table, are found by their hash and compared where they stand.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::{
    error::Result,
    table::{Binary, StringsBuilder},
};

/// The longest text that is held as words.
const SHORT: usize = 32;
/// Texts that the small table takes: its memory is bounded, whatever comes.
const MOST_SHORT: usize = 1 << 14;

/// A text of at most 32 bytes: the first 16, and of longer ones the last 16, so that all of it is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Words {
    first: [u64; 2],
    last: [u64; 2],
    len: u32,
}

impl Words {
    /// A text that stands alone: nothing behind it may be read.
    #[inline]
    fn of(s: &[u8]) -> Option<Words> {
        if s.len() > 16 {
            return Self::long(s);
        }
        let first = match (s.first_chunk::<8>(), s.last_chunk::<8>(), s.first_chunk::<4>(), s.last_chunk::<4>()) {
            (Some(a), Some(b), ..) => {
                // The last eight bytes without those that the first eight hold already.
                let rest = u64::from_le_bytes(*b).checked_shr(8 * (16 - s.len() as u32)).unwrap_or(0);
                [u64::from_le_bytes(*a), rest]
            }
            (.., Some(a), Some(b)) => {
                let (a, b) = (u32::from_le_bytes(*a), u32::from_le_bytes(*b));
                [u64::from(a) | u64::from(b) << (8 * (s.len() - 4)), 0]
            }
            _ => [s.iter().rev().fold(0, |word, b| word << 8 | u64::from(*b)), 0],
        };
        Some(Words { first, last: [0; 2], len: s.len() as u32 })
    }

    /// The text `start..end` of `data`: where bytes follow it, they are read with it and masked out, which needs no
    /// decision on its length.
    #[inline]
    fn within(data: &[u8], start: usize, end: usize) -> Option<Words> {
        let len = end.saturating_sub(start);
        match (data.get(start..).and_then(|rest| rest.first_chunk::<16>()), MASKS.get(len)) {
            (Some(bytes), Some(mask)) => {
                let all = u128::from_le_bytes(*bytes);
                let first = [all as u64 & mask[0], (all >> 64) as u64 & mask[1]];
                Some(Words { first, last: [0; 2], len: len as u32 })
            }
            _ => Self::of(data.get(start..end).unwrap_or_default()),
        }
    }

    fn long(s: &[u8]) -> Option<Words> {
        let pair = |bytes: &[u8; 16]| {
            let all = u128::from_le_bytes(*bytes);
            [all as u64, (all >> 64) as u64]
        };
        match (s.first_chunk::<16>(), s.last_chunk::<16>()) {
            (Some(first), Some(last)) if s.len() <= SHORT => {
                Some(Words { first: pair(first), last: pair(last), len: s.len() as u32 })
            }
            _ => None,
        }
    }

    #[inline]
    fn hash(&self, seeds: [u64; 2]) -> u64 {
        let h = folded(self.first[0] ^ seeds[0], self.first[1] ^ seeds[1] ^ u64::from(self.len));
        if self.len > 16 { folded(self.last[0] ^ h, self.last[1] ^ seeds[0]) } else { h }
    }
}

/// Both halves of the product.
#[inline]
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// The bytes of a text of 0 to 16 bytes among 16 that were read.
const MASKS: [[u64; 2]; 17] = {
    let mut masks = [[0; 2]; 17];
    let mut len = 1;
    while len <= 16 {
        let all = u128::MAX >> (128 - 8 * len);
        masks[len] = [all as u64, (all >> 64) as u64];
        len += 1;
    }
    masks
};

/// A place of the small table; `number` is one more than the text's, 0 if the place is free.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    words: Words,
    number: u32,
}

/// Gives every text a number.
#[derive(Debug)]
pub(super) struct Numbering {
    slots: Vec<Slot>,
    short: usize,
    others: HashTable<(u32, u64)>,
    hasher: DefaultHashBuilder,
    seeds: [u64; 2],
    entries: StringsBuilder,
}

impl Default for Numbering {
    fn default() -> Self {
        let hasher = DefaultHashBuilder::default();
        // Not the same in every process, so that no file can be made of texts that meet in one place.
        let seeds = [hasher.hash_one(1u64), hasher.hash_one(2u64)];
        Numbering {
            slots: vec![Slot::default(); 256],
            short: 0,
            others: HashTable::new(),
            hasher,
            seeds,
            entries: StringsBuilder::default(),
        }
    }
}

impl Numbering {
    /// The number of a text that stands alone.
    #[inline]
    pub fn number(&mut self, s: &[u8]) -> Result<u32> {
        match Words::of(s) {
            Some(words) => self.by_words(words, s),
            None => self.by_hash(s),
        }
    }

    /// The number of a text among others.
    #[inline]
    pub fn number_within(&mut self, data: &[u8], start: usize, end: usize) -> Result<u32> {
        match Words::within(data, start, end) {
            Some(words) => self.by_words(words, data.get(start..end).unwrap_or_default()),
            None => self.by_hash(data.get(start..end).unwrap_or_default()),
        }
    }

    /// How many different texts there were.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
    /// The bytes of all of them.
    pub fn bytes(&self) -> usize {
        self.entries.data_len()
    }
    /// The text of a number.
    pub fn get(&self, number: usize) -> &[u8] {
        self.entries.get(number)
    }
    /// The texts in the order of their numbers.
    pub fn finish(self) -> Binary {
        self.entries.finish_binary()
    }

    #[inline]
    fn by_words(&mut self, words: Words, s: &[u8]) -> Result<u32> {
        let mask = self.slots.len() - 1;
        let mut at = words.hash(self.seeds) as usize;
        // At most half of the places are taken, so this ends.
        while let Some(slot) = self.slots.get(at & mask) {
            if slot.words == words && slot.number > 0 {
                return Ok(slot.number - 1);
            }
            if slot.number == 0 {
                break;
            }
            at += 1;
        }
        self.new_words(words, s, at & mask)
    }

    #[cold]
    fn new_words(&mut self, words: Words, s: &[u8], at: usize) -> Result<u32> {
        if self.short >= MOST_SHORT {
            return self.by_hash(s);
        }
        let number = self.entries.len() as u32;
        self.entries.push_bytes(s)?;
        if let Some(slot) = self.slots.get_mut(at) {
            *slot = Slot { words, number: number + 1 };
        }
        self.short += 1;
        if self.short * 2 > self.slots.len() {
            self.grow();
        }
        Ok(number)
    }

    fn grow(&mut self) {
        let mut wider = vec![Slot::default(); self.slots.len() * 2];
        let mask = wider.len() - 1;
        for slot in self.slots.iter().filter(|slot| slot.number > 0) {
            let mut at = slot.words.hash(self.seeds) as usize;
            while wider.get(at & mask).is_some_and(|s| s.number > 0) {
                at += 1;
            }
            if let Some(free) = wider.get_mut(at & mask) {
                *free = *slot;
            }
        }
        self.slots = wider;
    }

    fn by_hash(&mut self, s: &[u8]) -> Result<u32> {
        let hash = self.hasher.hash_one(s);
        let entries = &self.entries;
        if let Some(&(number, _)) = self.others.find(hash, |&(n, h)| h == hash && entries.get(n as usize) == s) {
            return Ok(number);
        }
        let number = self.entries.len() as u32;
        self.entries.push_bytes(s)?;
        self.others.insert_unique(hash, (number, hash), |&(_, h)| h);
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn texts_of_every_length_keep_their_numbers() {
        // Texts that differ only in length, in their first byte or in their last, and zeros at their ends.
        let mut texts: Vec<Vec<u8>> = Vec::new();
        for len in 0..70usize {
            for (at, byte) in [(0, 0u8), (0, 7), (len / 2, 9), (len.saturating_sub(1), 1), (len.saturating_sub(1), 0)] {
                for filler in [0u8, b'a'] {
                    let mut text = vec![filler; len];
                    if let Some(b) = text.get_mut(at) {
                        *b = byte;
                    }
                    texts.push(text);
                }
            }
        }
        let (mut alone, mut among) = (Numbering::default(), Numbering::default());
        let mut known: HashMap<Vec<u8>, u32> = HashMap::new();
        let data = texts.concat();
        for _ in 0..2 {
            let mut start = 0;
            for text in &texts {
                let next = known.len() as u32;
                let expected = *known.entry(text.clone()).or_insert(next);
                assert_eq!(alone.number(text).unwrap(), expected);
                assert_eq!(among.number_within(&data, start, start + text.len()).unwrap(), expected);
                assert_eq!(alone.get(expected as usize), text);
                start += text.len();
            }
        }
        assert_eq!(alone.len(), known.len());
        assert_eq!(alone.finish(), among.finish());
    }

    #[test]
    fn more_texts_than_the_small_table_takes_keep_their_numbers() {
        let mut numbering = Numbering::default();
        for _ in 0..2 {
            for i in 0..50_000u32 {
                assert_eq!(numbering.number(format!("text {i}").as_bytes()).unwrap(), i);
            }
        }
        assert!(numbering.slots.len() <= 4 * MOST_SHORT);
    }
}
