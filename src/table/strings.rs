//! Texts and byte strings: all of them in one run, and where each begins. Texts that repeat may be stored once.

use bytes::Bytes;

use super::{Buffer, codes};
use crate::error::{Error, Result};

/// Byte strings. `offsets` has one more entry than there are strings.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Binary {
    offsets: Buffer<u32>,
    data: Bytes,
}

impl Binary {
    /// Checks that the offsets are in order and inside of `data`.
    pub fn new(offsets: Buffer<u32>, data: Bytes) -> Result<Self> {
        let shape = |why: String| Error::new(&codes::SHAPE, why);
        let (Some(first), Some(last)) = (offsets.first(), offsets.last()) else {
            return Err(shape("strings need at least one offset".into()));
        };
        if *last as usize > data.len() || *last > i32::MAX as u32 {
            return Err(shape(format!("the last string ends at {last} of {} bytes", data.len())));
        }
        // Branch-free, so that it is vectorised; the place is looked for only when it is wanted.
        let backwards = offsets.windows(2).fold(0u8, |bad, w| bad | u8::from(w[0] > w[1]));
        if backwards != 0 || first > last {
            let row = offsets.windows(2).position(|w| w[0] > w[1]).unwrap_or_default();
            return Err(shape("a string ends before it begins".into()).row(row as u64));
        }
        Ok(Binary { offsets, data })
    }

    /// How many strings there are.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }
    /// True without strings.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Where each string begins and the last one ends, in [`data`](Self::data).
    pub fn offsets(&self) -> &Buffer<u32> {
        &self.offsets
    }
    /// The bytes that the offsets point into.
    pub fn data(&self) -> &Bytes {
        &self.data
    }
    /// The string at `i`; empty past the end.
    #[inline]
    pub fn get(&self, i: usize) -> &[u8] {
        match self.offsets.as_slice().get(i..i.saturating_add(2)) {
            Some(&[a, b]) => self.data.get(a as usize..b as usize).unwrap_or_default(),
            _ => &[],
        }
    }
    /// The strings one after the other.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> + '_ {
        self.offsets.as_slice().windows(2).map(|w| match w {
            &[a, b] => self.data.get(a as usize..b as usize).unwrap_or_default(),
            _ => &[],
        })
    }
    /// All bytes of the strings, without what lies before or after them.
    pub fn used(&self) -> Bytes {
        match (self.offsets.first(), self.offsets.last()) {
            (Some(&a), Some(&b)) => self.data.slice(a as usize..b as usize),
            _ => Bytes::new(),
        }
    }
    /// Some of the strings, sharing the memory.
    #[must_use]
    pub fn slice(&self, start: usize, len: usize) -> Self {
        let start = start.min(self.len());
        let len = len.min(self.len() - start);
        Binary { offsets: self.offsets.slice(start, len + 1), data: self.data.clone() }
    }
    /// The strings with these numbers; a number past the end gives an empty one.
    pub fn take(&self, rows: impl Iterator<Item = usize>) -> Result<Self> {
        let mut out = StringsBuilder::with_capacity(rows.size_hint().0, 0);
        for i in rows {
            out.push_bytes(self.get(i))?;
        }
        Ok(out.finish_binary())
    }
}

/// Texts: byte strings that are UTF-8, which is checked once when they are made.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Strings(Binary);

impl Strings {
    /// Checks the offsets and that every text by itself is UTF-8.
    pub fn new(offsets: Buffer<u32>, data: Bytes) -> Result<Self> {
        let binary = Binary::new(offsets, data)?;
        let used = binary.used();
        // One pass over all bytes and then a look at each cut is much faster than one check a text.
        let Ok(all) = std::str::from_utf8(&used) else {
            return Err(first_fault(&binary));
        };
        if !all.is_ascii() {
            let base = binary.offsets.first().copied().unwrap_or_default();
            if !binary.offsets.iter().all(|&at| all.is_char_boundary((at - base) as usize)) {
                return Err(first_fault(&binary));
            }
        }
        Ok(Strings(binary))
    }

    /// Texts that were pushed as such.
    pub(crate) fn from_texts(binary: Binary) -> Self {
        Strings(binary)
    }
    /// The texts as byte strings.
    pub fn as_binary(&self) -> &Binary {
        &self.0
    }
    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }
    /// True without texts.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// The text at `i`; empty past the end.
    #[inline]
    pub fn get(&self, i: usize) -> &str {
        text(self.0.get(i))
    }
    /// The texts one after the other.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + '_ {
        self.0.iter().map(text)
    }
    /// Some of the texts, sharing the memory.
    #[must_use]
    pub fn slice(&self, start: usize, len: usize) -> Self {
        Strings(self.0.slice(start, len))
    }
    /// The texts with these numbers.
    pub fn take(&self, rows: impl Iterator<Item = usize>) -> Result<Self> {
        self.0.take(rows).map(Strings)
    }
}

/// Texts were checked when they were made; without `unsafe` that cannot be told to the compiler, and the
/// check of a short text is cheap.
fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

fn first_fault(binary: &Binary) -> Error {
    let row = binary.iter().position(|s| std::str::from_utf8(s).is_err()).unwrap_or_default();
    Error::new(&codes::UTF8, "a text is not UTF-8").row(row as u64)
}

impl<S: AsRef<str>> FromIterator<S> for Strings {
    /// Texts beyond 2^31 - 1 bytes are left empty; use a [`StringsBuilder`] to hear of it.
    fn from_iter<I: IntoIterator<Item = S>>(iter: I) -> Self {
        let mut out = StringsBuilder::default();
        for s in iter {
            if out.push(s.as_ref()).is_err() {
                break;
            }
        }
        out.finish()
    }
}

/// Texts or byte strings as they come.
#[derive(Clone, Debug)]
pub struct StringsBuilder {
    offsets: Vec<u32>,
    data: Vec<u8>,
}

impl Default for StringsBuilder {
    fn default() -> Self {
        Self::with_capacity(0, 0)
    }
}

impl StringsBuilder {
    /// With room for `strings` of `bytes` together.
    pub fn with_capacity(strings: usize, bytes: usize) -> Self {
        let mut offsets = Vec::with_capacity(strings.saturating_add(1));
        offsets.push(0);
        StringsBuilder { offsets, data: Vec::with_capacity(bytes) }
    }
    /// Adds a text.
    #[inline]
    pub fn push(&mut self, s: &str) -> Result<()> {
        self.push_bytes(s.as_bytes())
    }
    /// Adds a byte string; [`finish`](Self::finish) is only for builders that saw nothing but texts.
    #[inline]
    pub fn push_bytes(&mut self, s: &[u8]) -> Result<()> {
        let end = self.data.len() + s.len();
        if end > i32::MAX as usize {
            return Err(Error::new(&codes::SIZE, "more than 2^31 - 1 bytes of text in a column of one batch")
                .row(self.len() as u64));
        }
        self.data.extend_from_slice(s);
        self.offsets.push(end as u32);
        Ok(())
    }
    /// Adds all of other strings, as [`push_bytes`](Self::push_bytes) does one by one.
    pub(crate) fn append(&mut self, other: &Binary) -> Result<()> {
        let used = other.used();
        let (begin, first) = (self.data.len(), other.offsets.first().copied().unwrap_or_default());
        if begin + used.len() > i32::MAX as usize {
            return other.iter().try_for_each(|s| self.push_bytes(s));
        }
        self.data.extend_from_slice(&used);
        // Offsets are in order, and the last is where the bytes end.
        self.offsets.extend(other.offsets.iter().skip(1).map(|at| begin as u32 + (at - first)));
        Ok(())
    }
    /// How many strings there are.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }
    /// True without strings.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// How many bytes all strings have.
    pub(crate) fn data_len(&self) -> usize {
        self.data.len()
    }
    /// The string at `i`; empty past the end.
    pub(crate) fn get(&self, i: usize) -> &[u8] {
        match self.offsets.get(i..i.saturating_add(2)) {
            Some(&[a, b]) => self.data.get(a as usize..b as usize).unwrap_or_default(),
            _ => &[],
        }
    }
    /// The texts. What was pushed as bytes and is not text reads as empty.
    pub fn finish(self) -> Strings {
        Strings(self.finish_binary())
    }
    /// The byte strings.
    pub fn finish_binary(self) -> Binary {
        Binary { offsets: self.offsets.into(), data: self.data.into() }
    }
}

/// The numbers of the texts in a dictionary, as narrow as the file stores them.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum DictIndices {
    U8(Buffer<u8>),
    U16(Buffer<u16>),
    U32(Buffer<u32>),
}

impl DictIndices {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        match self {
            DictIndices::U8(b) => b.len(),
            DictIndices::U16(b) => b.len(),
            DictIndices::U32(b) => b.len(),
        }
    }
    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The number in row `i`; 0 past the end.
    #[inline]
    pub fn get(&self, i: usize) -> usize {
        match self {
            DictIndices::U8(b) => b.get(i).map_or(0, |n| usize::from(*n)),
            DictIndices::U16(b) => b.get(i).map_or(0, |n| usize::from(*n)),
            DictIndices::U32(b) => b.get(i).map_or(0, |n| *n as usize),
        }
    }
    /// The numbers as narrow as a dictionary of this many texts allows.
    pub fn narrowest(numbers: Vec<u32>, texts: usize) -> Self {
        match texts {
            ..=0x100 => DictIndices::U8(numbers.into_iter().map(|n| n as u8).collect()),
            0x101..=0x1_0000 => DictIndices::U16(numbers.into_iter().map(|n| n as u16).collect()),
            _ => DictIndices::U32(numbers.into()),
        }
    }
    /// The numbers as wide as they can be.
    pub fn to_vec(&self) -> Vec<u32> {
        match self {
            DictIndices::U8(b) => b.iter().map(|n| u32::from(*n)).collect(),
            DictIndices::U16(b) => b.iter().map(|n| u32::from(*n)).collect(),
            DictIndices::U32(b) => b.to_vec(),
        }
    }
    /// Bytes of one number.
    pub fn width(&self) -> usize {
        match self {
            DictIndices::U8(_) => 1,
            DictIndices::U16(_) => 2,
            DictIndices::U32(_) => 4,
        }
    }
    /// Calls for every row with its number, several times as fast as [`get`](Self::get) for each.
    pub(crate) fn for_each(&self, mut with: impl FnMut(usize, usize)) {
        match self {
            DictIndices::U8(b) => b.iter().enumerate().for_each(|(row, n)| with(row, usize::from(*n))),
            DictIndices::U16(b) => b.iter().enumerate().for_each(|(row, n)| with(row, usize::from(*n))),
            DictIndices::U32(b) => b.iter().enumerate().for_each(|(row, n)| with(row, *n as usize)),
        }
    }
    fn max(&self) -> Option<usize> {
        if self.is_empty() {
            return None;
        }
        // Folded by value, so that many are compared at once.
        Some(match self {
            DictIndices::U8(b) => b.iter().fold(0, |m, &n| n.max(m)).into(),
            DictIndices::U16(b) => b.iter().fold(0, |m, &n| n.max(m)).into(),
            DictIndices::U32(b) => b.iter().fold(0, |m, &n| n.max(m)) as usize,
        })
    }
    fn slice(&self, start: usize, len: usize) -> Self {
        match self {
            DictIndices::U8(b) => DictIndices::U8(b.slice(start, len)),
            DictIndices::U16(b) => DictIndices::U16(b.slice(start, len)),
            DictIndices::U32(b) => DictIndices::U32(b.slice(start, len)),
        }
    }
}

/// Texts that are stored once each, and which of them each row has.
#[derive(Clone, Debug, PartialEq)]
pub struct DictStrings {
    indices: DictIndices,
    values: Strings,
}

impl DictStrings {
    /// Checks that every index has a text.
    pub fn new(indices: DictIndices, values: Strings) -> Result<Self> {
        if let Some(max) = indices.max()
            && max >= values.len()
        {
            let row = (0..indices.len()).find(|&i| indices.get(i) >= values.len()).unwrap_or_default();
            let message = format!("text {} of a dictionary of {}", indices.get(row), values.len());
            return Err(Error::new(&codes::SHAPE, message).row(row as u64));
        }
        Ok(DictStrings { indices, values })
    }
    /// Which text each row has.
    pub fn indices(&self) -> &DictIndices {
        &self.indices
    }
    /// The texts, each once.
    pub fn values(&self) -> &Strings {
        &self.values
    }
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.indices.len()
    }
    /// True without rows.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }
    /// The text of row `i`; empty past the end.
    #[inline]
    pub fn get(&self, i: usize) -> &str {
        if i < self.len() { self.values.get(self.indices.get(i)) } else { "" }
    }
    /// Some of the rows, sharing the memory and the dictionary.
    #[must_use]
    pub fn slice(&self, start: usize, len: usize) -> Self {
        DictStrings { indices: self.indices.slice(start, len), values: self.values.clone() }
    }
    /// The rows with these numbers.
    #[must_use]
    pub fn take(&self, rows: impl Iterator<Item = usize>) -> Self {
        let indices = match &self.indices {
            DictIndices::U8(b) => DictIndices::U8(rows.map(|i| b.get(i).copied().unwrap_or_default()).collect()),
            DictIndices::U16(b) => DictIndices::U16(rows.map(|i| b.get(i).copied().unwrap_or_default()).collect()),
            DictIndices::U32(b) => DictIndices::U32(rows.map(|i| b.get(i).copied().unwrap_or_default()).collect()),
        };
        DictStrings { indices, values: self.values.clone() }
    }
    /// Every row with its own copy of its text. A small dictionary can stand for a lot of text, so the size
    /// is computed and refused before it is allocated.
    pub fn expand(&self) -> Result<Strings> {
        let lengths: Vec<u32> =
            self.values.as_binary().offsets().windows(2).map(|w| w[1].saturating_sub(w[0])).collect();
        let length = |i: usize| lengths.get(self.indices.get(i)).copied().unwrap_or_default() as usize;
        let bytes = (0..self.len()).fold(0usize, |sum, i| sum.saturating_add(length(i)));
        if bytes > i32::MAX as usize {
            return Err(Error::new(&codes::SIZE, format!("the dictionary's texts come to {bytes} bytes")));
        }
        let binary = self.values.as_binary();
        match lengths.iter().max() {
            Some(0..=16) => return Ok(self.expand_short::<16>(bytes)),
            Some(0..=32) => return Ok(self.expand_short::<32>(bytes)),
            _ => {}
        }
        let mut out = StringsBuilder::with_capacity(self.len(), bytes);
        for i in 0..self.len() {
            out.push_bytes(binary.get(self.indices.get(i)))?;
        }
        Ok(out.finish())
    }

    /// If no text has more than `N` bytes, each is copied with `N`, and the next overwrites what is too much.
    fn expand_short<const N: usize>(&self, bytes: usize) -> Strings {
        let mut texts: Vec<([u8; N], u32)> = Vec::with_capacity(self.values.len());
        for s in self.values.as_binary().iter() {
            let mut padded = [0; N];
            padded.iter_mut().zip(s).for_each(|(to, from)| *to = *from);
            texts.push((padded, s.len() as u32));
        }
        let mut offsets = Vec::with_capacity(self.len() + 1);
        let mut data = vec![0; bytes + N];
        let mut at = 0;
        offsets.push(0);
        self.indices.for_each(|_, i| {
            let (text, len) = texts.get(i).copied().unwrap_or(([0; N], 0));
            if let Some(slot) = data.get_mut(at..at + N) {
                slot.copy_from_slice(&text);
            }
            at += len as usize;
            offsets.push(at as u32);
        });
        data.truncate(bytes);
        Strings(Binary { offsets: offsets.into(), data: data.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_inside_of_a_character_is_no_text() {
        let e = Strings::new(vec![0, 1, 2].into(), "é".into()).unwrap_err();
        assert_eq!((e.code().id(), e.place().row), ("table.utf8", Some(0)));
        assert!(Strings::new(vec![0, 2, 2].into(), "é".into()).is_ok());
        assert!(Strings::new(vec![0, 5, 2].into(), "abcdef".into()).is_err());
        assert!(Strings::new(vec![0, 7].into(), "abcdef".into()).is_err());
        assert!(Strings::new(vec![].into(), "abcdef".into()).is_err());
    }

    #[test]
    fn dictionaries_expand_and_refuse_what_they_do_not_hold() {
        let values: Strings = ["x", "yz"].into_iter().collect();
        let d = DictStrings::new(DictIndices::U8(vec![1, 0, 1].into()), values.clone()).unwrap();
        assert_eq!(d.expand().unwrap().iter().collect::<Vec<_>>(), ["yz", "x", "yz"]);
        assert_eq!(d.slice(1, 2).get(1), "yz");
        for longest in [0, 1, 15, 16, 17, 32, 33] {
            let values: Strings = (0..=longest).map(|n| "x".repeat(n)).collect();
            let rows: Vec<u8> = (0..200).map(|i| (i * 7 % (longest + 1)) as u8).collect();
            let d = DictStrings::new(DictIndices::U8(rows.clone().into()), values).unwrap();
            assert!(d.expand().unwrap().iter().zip(rows).all(|(s, n)| s == "x".repeat(n.into())));
        }
        let e = DictStrings::new(DictIndices::U16(vec![1, 2].into()), values).unwrap_err();
        assert_eq!(e.place().row, Some(1));
    }
}
