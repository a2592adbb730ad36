//! The samples of arrays.

use std::{borrow::Cow, ops::Range};

use bytes::Bytes;
use serde_json::Value as Json;

use super::{
    array::{Array, Place},
    fit::{Part, parts},
};
use crate::{
    doors::{
        field::Field,
        records::{Fetch, Records, out_of_range},
    },
    error::Result,
    formats::Format,
    limits::Limits,
};

/// The field that a row is.
const ROW: &str = "row";

/// Arrays, opened.
#[derive(Clone, Debug)]
pub struct Arrays {
    arrays: Vec<Array>,
    /// Rows that are samples; without them each array is one.
    parts: Option<Vec<Part>>,
    limits: Limits,
}

impl Arrays {
    pub(super) fn new(arrays: Vec<Array>, limits: &Limits) -> Arrays {
        Arrays { parts: parts(&arrays), arrays, limits: limits.clone() }
    }

    /// The array of sample `i`, the part of it, and the row.
    fn place(&self, i: u64) -> Result<(&Array, Option<&Part>, u64)> {
        let none = || out_of_range(i, self.len());
        let Some(parts) = &self.parts else {
            let array = usize::try_from(i).ok().and_then(|i| self.arrays.get(i)).ok_or_else(none)?;
            return Ok((array, None, 0));
        };
        let at = parts.partition_point(|part| part.first <= i);
        // Of parts without rows the last one begins where the next does.
        let part = at.checked_sub(1).and_then(|at| parts.get(at)).filter(|part| i - part.first < part.rows);
        let part = part.ok_or_else(none)?;
        let array = self.arrays.get(part.array).ok_or_else(none)?;
        Ok((array, Some(part), i - part.first))
    }

    fn labels(&self, part: &Part) -> Option<&Array> {
        self.arrays.get(part.labels?)
    }
}

/// Where a row is, of an array in the file.
fn range(array: &Array, row: u64) -> Range<u64> {
    let Place::File(start) = array.place else { return 0..0 };
    let at = start.saturating_add(row.saturating_mul(array.row_bytes()));
    at..at.saturating_add(array.row_bytes())
}

impl Records for Arrays {
    fn format(&self) -> Format {
        Format::Npy
    }
    fn len(&self) -> u64 {
        match &self.parts {
            Some(parts) => parts.last().map_or(0, |part| part.first.saturating_add(part.rows)),
            None => self.arrays.len() as u64,
        }
    }
    fn range(&self, i: u64) -> Result<Range<u64>> {
        let (array, part, row) = self.place(i)?;
        match (&array.place, part) {
            (Place::File(_), Some(_)) => Ok(range(array, row)),
            (Place::File(start), None) => Ok(*start..start.saturating_add(array.header.bytes().unwrap_or_default())),
            (Place::Memory(_), _) => Ok(0..0),
        }
    }
    fn fields(&self, i: u64, bytes: &Bytes, _: bool) -> Result<Vec<Field>> {
        let (array, part, row) = self.place(i)?;
        if part.is_none() {
            let all = match &array.place {
                Place::File(_) => bytes.clone(),
                Place::Memory(all) => all.clone(),
            };
            return Ok(vec![Field::new(ROW, array.file(&array.header.shape, &all))]);
        }
        let row = array.row(row).unwrap_or_else(|| bytes.clone());
        Ok(vec![Field::new(ROW, array.value(&row, &self.limits)?)])
    }
    fn whole(&self, _: u64, bytes: &Bytes, _: bool) -> Result<Bytes> {
        Ok(bytes.clone())
    }
    fn beside(&self, i: u64) -> Result<Vec<Range<u64>>> {
        let (_, part, row) = self.place(i)?;
        let labels = part.and_then(|part| self.labels(part));
        Ok(labels.map(|labels| range(labels, row)).into_iter().filter(|range| !range.is_empty()).collect())
    }
    fn fields_beside(&self, i: u64, fetch: Fetch<'_>) -> Result<Vec<Field>> {
        let (array, part, row) = self.place(i)?;
        let Some(part) = part else {
            let Json::Object(said) = array.described() else { return Ok(Vec::new()) };
            return Ok(said.into_iter().map(|(name, value)| Field::new(name, value)).collect());
        };
        let mut fields = Vec::new();
        if let Some(labels) = self.labels(part) {
            let bytes = match labels.row(row) {
                Some(bytes) => bytes,
                None => fetch(range(labels, row))?,
            };
            fields.extend(labels.number(&bytes).map(|label| Field::new("label", label)));
        }
        fields.extend(part.split.map(|split| Field::new("split", Json::from(split))));
        Ok(fields)
    }
    fn name(&self, i: u64) -> Option<Cow<'_, str>> {
        let (array, part, row) = self.place(i).ok()?;
        let of = |row: u64, ending: &str| match array.name.as_str() {
            "" => format!("{row:08}{ending}").into(),
            name => format!("{name}/{row:08}{ending}").into(),
        };
        match (part, array.channels()) {
            (None, _) => Some(format!("{}.npy", array.name).into()),
            (Some(_), Some(_)) => Some(of(row, "")),
            (Some(_), None) => Some(of(row, ".npy")),
        }
    }
    fn notes(&self) -> Vec<String> {
        let of = |part: &Part| {
            let name = |array: &Array| if array.name.is_empty() { "the array".to_owned() } else { array.name.clone() };
            let array = self.arrays.get(part.array)?;
            let labels =
                self.labels(part).map_or("without labels".to_owned(), |labels| format!("labels {}", name(labels)));
            Some(format!("{} ({}; {labels})", name(array), array.described()))
        };
        match &self.parts {
            Some(parts) => {
                vec![format!("the rows of {} are samples", parts.iter().filter_map(of).collect::<Vec<_>>().join(", "))]
            }
            None => vec!["no array is images, so each is a sample".to_owned()],
        }
    }
}
