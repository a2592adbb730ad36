//! The trait of a format with records.

use std::{borrow::Cow, fmt::Debug, ops::Range, sync::Arc};

use bytes::Bytes;

use super::field::{Field, Value};
use crate::{
    error::{self, Error, Result},
    formats::Format,
};

/// Reads bytes of the file, which the caller has.
pub type Fetch<'a> = &'a dyn Fn(Range<u64>) -> Result<Bytes>;

/// The records of an opened file, or of several as one: where each lies, and what it has.
///
/// Nothing in here reads. Of a record its [range](Self::range) is fetched, and [`fields`](Self::fields) cuts that up; what
/// lies elsewhere, such as the other columns of a row, is [beside](Self::beside) it.
pub trait Records: Debug + Send + Sync {
    /// The format.
    fn format(&self) -> Format;
    /// How many records there are.
    fn len(&self) -> u64;
    /// True when there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The bytes that the payload of record `i` is in, with what proves them.
    fn range(&self, i: u64) -> Result<Range<u64>>;
    /// The fields of record `i` that are in the bytes of its range, in their order. `verify` says that checksums are compared.
    fn fields(&self, i: u64, bytes: &Bytes, verify: bool) -> Result<Vec<Field>>;
    /// One field of record `i`; `None` if the record has none of that name.
    fn field(&self, i: u64, name: &str, bytes: &Bytes, verify: bool) -> Result<Option<Value>> {
        let fields = self.fields(i, bytes, verify)?;
        Ok(fields.into_iter().find(|field| field.name == name).map(|field| field.value))
    }
    /// The [`fields`](Self::fields), if they are here without the record's bytes: unpacked together with another record.
    fn kept(&self, _i: u64) -> Option<Result<Vec<Field>>> {
        None
    }
    /// The record as it is, where no field of it is a payload.
    fn whole(&self, i: u64, bytes: &Bytes, verify: bool) -> Result<Bytes>;
    /// Further ranges of the file with fields of record `i`, which only its metadata needs.
    fn beside(&self, _i: u64) -> Result<Vec<Range<u64>>> {
        Ok(Vec::new())
    }
    /// The fields that are in these, and those that are known without reading.
    fn fields_beside(&self, _i: u64, _fetch: Fetch<'_>) -> Result<Vec<Field>> {
        Ok(Vec::new())
    }
    /// The name of record `i`, if it is known without reading.
    fn name(&self, _i: u64) -> Option<Cow<'_, str>> {
        None
    }
    /// The names of the classes, by their numbers, if the dataset says them.
    fn classes(&self) -> &[String] {
        &[]
    }
    /// Remarks about the file as a whole.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
    /// The faults that opening passed over.
    fn passed(&self) -> &[Arc<Error>] {
        &[]
    }
    /// The faults of the file outside of its records, for a check.
    fn faults(&self) -> Vec<Error> {
        Vec::new()
    }
}

/// The error for a number beyond the last record.
pub fn out_of_range(i: u64, len: u64) -> Error {
    let message = format!("there are {len} samples, so none has the number {i}");
    Error::new(&error::codes::OUT_OF_RANGE, message).sample(i)
}
