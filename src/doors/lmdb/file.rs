//! The entries.

use std::{borrow::Cow, collections::HashMap, ops::Range};

use bytes::Bytes;

use super::datum;
use crate::{
    doors::{
        codes,
        field::Field,
        records::{Fetch, Records, out_of_range},
    },
    error::{Error, Result},
    formats::Format,
    limits::Limits,
};

/// Where sets for text recognition have their images, and what is written in each.
const IMAGE: &str = "image-";
const LABEL: &str = "label-";
/// And how many they are.
const COUNT: &str = "num-samples";

/// A value's place, and where its key ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub at: u64,
    pub len: u64,
    pub key_end: u64,
}

impl Entry {
    fn range(&self) -> Range<u64> {
        self.at..self.at + self.len
    }
}

/// An opened database.
#[derive(Clone, Debug)]
pub struct Lmdb {
    entries: Vec<Entry>,
    keys: Vec<u8>,
    /// The entries that are samples, each with its label, if they are not all.
    samples: Option<Vec<(u32, Option<u32>)>>,
    datum: bool,
    databases: usize,
    limits: Limits,
}

impl Lmdb {
    pub(super) fn new(
        entries: Vec<Entry>,
        keys: Vec<u8>,
        datum: bool,
        databases: usize,
        limits: &Limits,
    ) -> Result<Lmdb> {
        let mut lmdb = Lmdb { entries, keys, samples: None, datum, databases, limits: limits.clone() };
        lmdb.refuse_shared()?;
        lmdb.samples = lmdb.labeled();
        Ok(lmdb)
    }

    /// Refuses values that have bytes in common: a small file would become a large one.
    fn refuse_shared(&self) -> Result<()> {
        let mut places: Vec<Range<u64>> = self.entries.iter().map(Entry::range).filter(|r| !r.is_empty()).collect();
        places.sort_unstable_by_key(|place| place.start);
        let shared = places.iter().zip(places.iter().skip(1)).find(|(one, next)| next.start < one.end);
        match shared {
            Some((one, _)) => {
                let message = "two values have bytes in common";
                Err(Error::new(&codes::LMDB_PAGE, message).offset(one.start))
            }
            None => Ok(()),
        }
    }

    /// The images and their labels of a set for text recognition, if it is one.
    fn labeled(&self) -> Option<Vec<(u32, Option<u32>)>> {
        let count = u32::try_from(self.entries.len()).ok()?;
        let mut labels = HashMap::new();
        let (mut images, mut counted) = (Vec::new(), false);
        for k in 0..count {
            let key = self.key(k as usize);
            if key == COUNT.as_bytes() {
                counted = true;
            } else if let Some(number) = key.strip_prefix(LABEL.as_bytes()) {
                labels.insert(number, k);
            } else if let Some(number) = key.strip_prefix(IMAGE.as_bytes()) {
                images.push((k, number));
            }
        }
        let is_all = images.len() + labels.len() + usize::from(counted) == self.entries.len();
        let is = counted && !images.is_empty() && is_all && labels.len() <= images.len();
        is.then(|| images.into_iter().map(|(k, number)| (k, labels.get(number).copied())).collect())
    }

    fn key(&self, k: usize) -> &[u8] {
        let end = |k: usize| self.entries.get(k).map_or(0, |entry| entry.key_end as usize);
        let start = k.checked_sub(1).map_or(0, end);
        self.keys.get(start..end(k)).unwrap_or_default()
    }

    /// The entry that is sample `i`, and the one of its label.
    fn sample(&self, i: u64) -> Result<(usize, Option<usize>)> {
        let at = usize::try_from(i).ok();
        let found = match &self.samples {
            None => at.filter(|&at| at < self.entries.len()).map(|at| (at, None)),
            Some(samples) => {
                at.and_then(|at| samples.get(at)).map(|&(k, label)| (k as usize, label.map(|label| label as usize)))
            }
        };
        found.ok_or_else(|| out_of_range(i, self.len()))
    }

    fn place(&self, k: usize) -> Range<u64> {
        self.entries.get(k).map_or(0..0, Entry::range)
    }
}

impl Records for Lmdb {
    fn format(&self) -> Format {
        Format::Lmdb
    }
    fn len(&self) -> u64 {
        self.samples.as_ref().map_or(self.entries.len(), Vec::len) as u64
    }
    fn range(&self, i: u64) -> Result<Range<u64>> {
        Ok(self.place(self.sample(i)?.0))
    }
    fn fields(&self, _: u64, bytes: &Bytes, _: bool) -> Result<Vec<Field>> {
        if self.datum { datum::fields(bytes, &self.limits) } else { Ok(Vec::new()) }
    }
    fn whole(&self, _: u64, bytes: &Bytes, _: bool) -> Result<Bytes> {
        Ok(bytes.clone())
    }
    fn beside(&self, i: u64) -> Result<Vec<Range<u64>>> {
        Ok(self.sample(i)?.1.map(|label| self.place(label)).into_iter().filter(|range| !range.is_empty()).collect())
    }
    fn fields_beside(&self, i: u64, fetch: Fetch<'_>) -> Result<Vec<Field>> {
        let Some(label) = self.sample(i)?.1.map(|label| self.place(label)) else { return Ok(Vec::new()) };
        let text = if label.is_empty() { Bytes::new() } else { fetch(label)? };
        Ok(vec![Field::new("label", text)])
    }
    fn name(&self, i: u64) -> Option<Cow<'_, str>> {
        let key = self.key(self.sample(i).ok()?.0);
        match std::str::from_utf8(key) {
            Ok(text) if !text.contains(char::is_control) => Some(text.into()),
            _ => Some(key.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()),
        }
    }
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.databases > 0 {
            notes.push(format!("the keys of {} named databases follow their names", self.databases));
        }
        if self.samples.is_some() {
            notes.push(format!("the keys {IMAGE}… are the samples, and {LABEL}… what is written in each"));
        }
        if self.datum {
            notes.push("the values are messages of Caffe (Datum)".to_owned());
        }
        notes
    }
}
