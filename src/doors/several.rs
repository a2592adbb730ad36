//! Several files of records as one, each after the other.

use std::{borrow::Cow, ops::Range, sync::Arc};

use bytes::Bytes;

use super::{
    door::Door,
    field::{Field, Value},
    records::{Fetch, Records, out_of_range},
};
use crate::{
    error::{Error, Result, codes},
    formats::Format,
    limits::Limits,
};

/// A file of several.
#[derive(Debug)]
pub struct Part {
    /// Its name, for errors.
    pub name: String,
    /// Its bytes.
    pub bytes: u64,
    /// Its records.
    pub door: Door,
}

/// Files that are read as one: the bytes of each begin where those of the one before end.
#[derive(Debug)]
struct Several {
    parts: Vec<(Place, Part)>,
    len: u64,
    passed: Vec<Arc<Error>>,
}

/// Where a file begins.
#[derive(Clone, Copy, Debug)]
struct Place {
    record: u64,
    byte: u64,
}

/// Joins files, which must have the same fields and classes. The first file's choice counts.
pub fn join(parts: Vec<Part>, limits: &Limits) -> Result<Door> {
    let mut place = Place { record: 0, byte: 0 };
    let (mut placed, mut passed): (Vec<(Place, Part)>, Vec<Arc<Error>>) = (Vec::new(), Vec::new());
    for part in parts {
        if let Some((_, first)) = placed.first() {
            fits(first, &part)?;
        }
        passed.extend(part.door.passed().iter().cloned());
        let next =
            Place { record: place.record.saturating_add(part.door.len()), byte: place.byte.saturating_add(part.bytes) };
        placed.push((place, part));
        place = next;
    }
    let choice = placed.first().map(|(_, part)| part.door.choice().clone()).unwrap_or_default();
    let records = Several { parts: placed, len: place.record, passed };
    Ok(Door::new(Arc::new(records), choice, limits))
}

/// Refuses a file of other fields or classes than the first.
fn fits(first: &Part, part: &Part) -> Result<()> {
    let differs = match () {
        () if first.door.choice() != part.door.choice() => "other fields",
        () if first.door.records().classes() != part.door.records().classes() => "other names of classes",
        () => return Ok(()),
    };
    let message = format!("{} has {differs} than {}: they do not become one dataset", part.name, first.name);
    Err(Error::new(&codes::ARGUMENT, message))
}

impl Several {
    /// The file of a record, and the record's number in it.
    fn of(&self, i: u64) -> Result<(&Place, &Part, u64)> {
        if i >= self.len {
            return Err(out_of_range(i, self.len));
        }
        // Of files without records that begin at the same place the last has it.
        let after = self.parts.partition_point(|(place, _)| place.record <= i);
        let found = after.checked_sub(1).and_then(|at| self.parts.get(at)).ok_or_else(|| out_of_range(i, self.len))?;
        Ok((&found.0, &found.1, i - found.0.record))
    }
}

/// Says in which file it is wrong.
fn named(part: &Part) -> impl Fn(Error) -> Error {
    |e| e.member(part.name.clone())
}

fn behind(range: Range<u64>, byte: u64) -> Range<u64> {
    range.start.saturating_add(byte)..range.end.saturating_add(byte)
}

impl Records for Several {
    fn format(&self) -> Format {
        self.parts.first().map_or(Format::Tar, |(_, part)| part.door.format())
    }
    fn len(&self) -> u64 {
        self.len
    }
    fn range(&self, i: u64) -> Result<Range<u64>> {
        let (place, part, i) = self.of(i)?;
        Ok(behind(part.door.records().range(i).map_err(named(part))?, place.byte))
    }
    fn fields(&self, i: u64, bytes: &Bytes, verify: bool) -> Result<Vec<Field>> {
        let (_, part, i) = self.of(i)?;
        part.door.records().fields(i, bytes, verify).map_err(named(part))
    }
    fn field(&self, i: u64, name: &str, bytes: &Bytes, verify: bool) -> Result<Option<Value>> {
        let (_, part, i) = self.of(i)?;
        part.door.records().field(i, name, bytes, verify).map_err(named(part))
    }
    fn kept(&self, i: u64) -> Option<Result<Vec<Field>>> {
        let (_, part, i) = self.of(i).ok()?;
        Some(part.door.records().kept(i)?.map_err(named(part)))
    }
    fn whole(&self, i: u64, bytes: &Bytes, verify: bool) -> Result<Bytes> {
        let (_, part, i) = self.of(i)?;
        part.door.records().whole(i, bytes, verify).map_err(named(part))
    }
    fn beside(&self, i: u64) -> Result<Vec<Range<u64>>> {
        let (place, part, i) = self.of(i)?;
        let ranges = part.door.records().beside(i).map_err(named(part))?;
        Ok(ranges.into_iter().map(|range| behind(range, place.byte)).collect())
    }
    fn fields_beside(&self, i: u64, fetch: Fetch<'_>) -> Result<Vec<Field>> {
        let (place, part, i) = self.of(i)?;
        let from = |range: Range<u64>| fetch(behind(range, place.byte));
        part.door.records().fields_beside(i, &from).map_err(named(part))
    }
    fn name(&self, i: u64) -> Option<Cow<'_, str>> {
        let (_, part, i) = self.of(i).ok()?;
        part.door.records().name(i)
    }
    fn classes(&self) -> &[String] {
        self.parts.first().map_or(&[], |(_, part)| part.door.records().classes())
    }
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for note in self.parts.iter().flat_map(|(_, part)| part.door.records().notes()) {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        notes
    }
    fn passed(&self) -> &[Arc<Error>] {
        &self.passed
    }
    fn faults(&self) -> Vec<Error> {
        let of = |part: &Part| part.door.records().faults().into_iter().map(named(part)).collect::<Vec<_>>();
        self.parts.iter().flat_map(|(_, part)| of(part)).collect()
    }
}
