//! An opened file of records.

use std::{borrow::Cow, ops::Range, sync::Arc};

use bytes::Bytes;
use serde_json::{Map, Value};

use super::{choice::Choice, codes, compose::compose, inner::Inner, records::Records};
use crate::{
    error::{Error, Result},
    formats::Format,
    limits::Limits,
    sample::{Frame, MediaFormat, Proof, SampleInfo, SamplePlan, classes_document},
};

/// Records as samples. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Door(Arc<Inner>);

impl Door {
    /// Makes samples of records, with the fields that were chosen.
    pub fn new(records: Arc<dyn Records>, choice: Choice, limits: &Limits) -> Door {
        Door(Arc::new(Inner { records, choice, limits: limits.clone(), classes: Vec::new(), notes: Vec::new() }))
    }
    /// Adds what neighboring files say.
    #[must_use]
    pub(super) fn told(self, classes: Vec<String>, notes: Vec<String>) -> Door {
        let Inner { records, choice, limits, .. } = &*self.0;
        let (records, choice, limits) = (records.clone(), choice.clone(), limits.clone());
        Door(Arc::new(Inner { records, choice, limits, classes, notes }))
    }
    /// The document of a TBL of it: the names of the classes.
    pub fn document(&self) -> Map<String, Value> {
        classes_document(self.0.classes())
    }
    /// The records.
    pub fn records(&self) -> &dyn Records {
        &*self.0.records
    }
    /// Which fields were chosen.
    pub fn choice(&self) -> &Choice {
        &self.0.choice
    }
    /// The format.
    pub fn format(&self) -> Format {
        self.0.records.format()
    }
    /// How many samples there are.
    pub fn len(&self) -> u64 {
        self.0.records.len()
    }
    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.0.records.is_empty()
    }
    /// The bounds that reading keeps.
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }
    /// The faults that opening passed over.
    pub fn passed(&self) -> &[Arc<Error>] {
        self.0.records.passed()
    }
    /// Remarks: which fields were chosen, and the format's own.
    pub fn notes(&self) -> Vec<String> {
        let chosen = (!self.is_empty()).then(|| self.0.choice.note());
        chosen.into_iter().chain(self.0.notes.iter().cloned()).chain(self.0.records.notes()).collect()
    }
    /// The name of sample `i`, if it is known without reading its record.
    pub fn name(&self, i: u64) -> Option<Cow<'_, str>> {
        self.0.records.name(i)
    }

    /// Describes sample `i` without reading: its place and bytes are those of its record.
    pub fn info(&self, i: u64) -> Result<SampleInfo> {
        let range = self.0.records.range(i).map_err(|e| e.sample(i))?;
        let format = self.name(i).map_or(MediaFormat::Unknown, |name| MediaFormat::from_name(&name));
        Ok(SampleInfo::unread(i, range.start, range.end.saturating_sub(range.start), format))
    }

    /// Plans the read of sample `i`'s payload.
    pub fn plan(&self, i: u64) -> Result<SamplePlan> {
        let info = self.info(i)?;
        // Nothing is read of what is too large to be held.
        self.0.limits.item(info.stored_bytes).map_err(|e| e.section("payload").sample(i).offset(info.offset))?;
        let plan = SamplePlan::new(info, Proof::Inside, &codes::NO_PAYLOAD, &codes::NO_PAYLOAD);
        Ok(plan.framed(Frame::Record(self.0.clone())))
    }

    /// The payload of sample `i`, if it is here without reading.
    pub fn kept(&self, i: u64) -> Option<Result<Bytes>> {
        let payload = self.0.choice.payload.as_ref()?;
        let found = match self.0.records.kept(i)? {
            Ok(fields) => fields.into_iter().find(|field| field.name == *payload)?.value.payload(&self.0.limits),
            Err(e) => Err(e),
        };
        Some(found.map_err(|e| e.section("payload").sample(i)))
    }

    /// The bytes of the file that [`record`](Self::record) asks for.
    pub fn record_ranges(&self, i: u64) -> Result<Vec<Range<u64>>> {
        let records = &self.0.records;
        let mut ranges = vec![records.range(i)?];
        ranges.extend(records.beside(i)?);
        ranges.retain(|range| range.start < range.end);
        Ok(ranges)
    }

    /// Sample `i`'s metadata: the other fields of its record.
    pub fn record(&self, i: u64, fetch: impl Fn(Range<u64>) -> Result<Bytes>) -> Result<String> {
        let Inner { records, limits, .. } = &*self.0;
        let range = records.range(i)?;
        limits.item(range.end.saturating_sub(range.start))?;
        let offset = range.start;
        let (bytes, fields) = match records.kept(i) {
            Some(fields) => (Bytes::new(), fields),
            None => {
                let bytes = if range.start < range.end { fetch(range)? } else { Bytes::new() };
                let fields = records.fields(i, &bytes, true);
                (bytes, fields)
            }
        };
        let mut fields = fields.map_err(|e| e.offset(offset))?;
        fields.extend(records.fields_beside(i, &fetch)?);
        compose(&self.0, i, &bytes, fields)
    }
}
