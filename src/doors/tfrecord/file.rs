//! The records of a file.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;

use super::{HEAD, TAIL, example, masked};
use crate::{
    doors::{
        codes,
        field::{Field, Value},
        records::{Records, out_of_range},
    },
    error::{Error, Result},
    formats::Format,
    limits::Limits,
};

/// The kind of the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// `tf.train.Example` or `SequenceExample`.
    Example,
    /// Bytes of an unknown kind.
    Raw,
}

impl Body {
    /// By the first records, heads included: they are maps if all of them read as such, and one of them has something.
    pub fn of(records: impl Iterator<Item = Bytes>, limits: &Limits) -> Body {
        let mut features = 0;
        for record in records {
            let Some(data) = data(&record) else { return Body::Raw };
            match example::fields(&data, limits) {
                Ok(fields) => features += fields.len(),
                Err(e) if e.code() == &codes::EXAMPLE => return Body::Raw,
                Err(_) => {}
            }
        }
        if features > 0 { Body::Example } else { Body::Raw }
    }
}

/// A record without head and tail.
fn data(record: &Bytes) -> Option<Bytes> {
    let end = record.len().checked_sub(TAIL as usize)?;
    (end >= HEAD as usize).then(|| record.slice(HEAD as usize..end))
}

/// A file of records.
#[derive(Clone, Debug)]
pub struct TfRecord {
    places: Vec<Range<u64>>,
    body: Body,
    passed: Vec<Arc<Error>>,
    limits: Limits,
}

impl TfRecord {
    pub(super) fn new(places: Vec<Range<u64>>, body: Body, passed: Vec<Arc<Error>>, limits: &Limits) -> TfRecord {
        TfRecord { places, body, passed, limits: limits.clone() }
    }

    /// The bytes of a record, which are compared with their checksum.
    fn data(&self, record: &Bytes, verify: bool) -> Result<Bytes> {
        let data = data(record).ok_or_else(|| Error::new(&codes::TRUNCATED, "the record has no room for its head"))?;
        if verify {
            let said = record.last_chunk::<4>().map_or(0, |said| u32::from_le_bytes(*said));
            let found = masked(&data);
            if said != found {
                let message = format!("the checksum of the record is {found:08x}, the file says {said:08x}");
                return Err(Error::new(&codes::DATA, message));
            }
        }
        Ok(data)
    }
}

impl Records for TfRecord {
    fn format(&self) -> Format {
        Format::TfRecord
    }
    fn len(&self) -> u64 {
        self.places.len() as u64
    }
    fn range(&self, i: u64) -> Result<Range<u64>> {
        let place = usize::try_from(i).ok().and_then(|i| self.places.get(i));
        place.cloned().ok_or_else(|| out_of_range(i, self.len()))
    }
    fn fields(&self, _: u64, bytes: &Bytes, verify: bool) -> Result<Vec<Field>> {
        let data = self.data(bytes, verify)?;
        match self.body {
            Body::Example => example::fields(&data, &self.limits),
            Body::Raw => Ok(Vec::new()),
        }
    }
    fn field(&self, _: u64, name: &str, bytes: &Bytes, verify: bool) -> Result<Option<Value>> {
        let data = self.data(bytes, verify)?;
        match self.body {
            Body::Example => example::field(&data, name, &self.limits),
            Body::Raw => Ok(None),
        }
    }
    fn whole(&self, _: u64, bytes: &Bytes, verify: bool) -> Result<Bytes> {
        self.data(bytes, verify)
    }
    fn notes(&self) -> Vec<String> {
        let raw = self.body == Body::Raw && !self.places.is_empty();
        raw.then(|| "the records are no tf.train.Example".to_owned()).into_iter().collect()
    }
    fn passed(&self) -> &[Arc<Error>] {
        &self.passed
    }
}
