//! A run of samples with the bytes that they need.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;
use serde_json::Value;

use super::{
    make::Loaded,
    open::Dataset,
    opened::Opened,
    overlay::{Laid, Over},
    records::{FoundRecord, parse_record},
};
use crate::{
    error::{Error, Result},
    image::{HEAD_BYTES, probe, probe_named},
    limits::Limits,
    sample::{MediaFormat, SampleInfo},
    step::{Pieces, Step, Stepper},
    tbl::OpenMetadata,
};

/// Bytes of a window, unless a single sample is larger.
pub(super) const BYTES: u64 = 8 << 20;
/// Samples of a window.
const SAMPLES: usize = 4096;

/// What is needed of each sample.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wants {
    pub payload: bool,
    /// The size of a TAR's samples, which only their payloads say.
    pub size: bool,
    pub record: bool,
}

/// Opens a TBL's metadata before the first sample is read.
#[derive(Debug, Default)]
pub(super) struct Gate(Option<OpenMetadata>);

impl Gate {
    pub fn new(opened: &Opened, wanted: bool) -> Self {
        match &opened.dataset {
            Dataset::Tbl(tbl) if wanted && opened.metadata.get().is_none() => Gate(Some(OpenMetadata::new(tbl))),
            _ => Gate(None),
        }
    }

    pub fn step(&mut self, opened: &Opened) -> Result<Option<Vec<Range<u64>>>> {
        let Some(work) = &mut self.0 else { return Ok(None) };
        match work.step()? {
            Step::Need(ranges) => Ok(Some(ranges)),
            Step::Done(metadata) => {
                opened.metadata.get_or_init(|| metadata);
                self.0 = None;
                Ok(None)
            }
        }
    }

    /// Takes bytes where they are for it; gives them back where they are not.
    pub fn push(&mut self, start: u64, bytes: Bytes) -> Option<Bytes> {
        match &mut self.0 {
            Some(work) => {
                work.push(start, bytes);
                None
            }
            None => Some(bytes),
        }
    }
}

/// The samples of a window, and the bytes that came for them.
#[derive(Debug)]
pub(super) struct Window {
    opened: Arc<Opened>,
    over: Option<Over>,
    wants: Wants,
    pub samples: Vec<u64>,
    pieces: Pieces,
}

impl Window {
    /// Takes samples until the window has this many bytes.
    pub fn fill(
        opened: &Arc<Opened>,
        over: Option<&Over>,
        wants: Wants,
        most: u64,
        next: &mut impl Iterator<Item = u64>,
    ) -> Self {
        let (samples, pieces) = (Vec::new(), Pieces::default());
        let mut window = Window { opened: opened.clone(), over: over.cloned(), wants, samples, pieces };
        let mut bytes = 0;
        while (bytes < most || window.samples.is_empty()) && window.samples.len() < SAMPLES {
            let Some(i) = next.next() else { break };
            bytes += window.ranges(i).iter().map(|r| r.end - r.start).sum::<u64>();
            window.samples.push(i);
        }
        window
    }

    pub fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }

    pub fn limits(&self) -> &Limits {
        &self.opened.limits
    }

    /// Every range that is not here yet; neighbors are one.
    pub fn lacking(&self) -> Vec<Range<u64>> {
        let mut all: Vec<Range<u64>> = Vec::new();
        for range in self.samples.iter().flat_map(|&i| self.ranges(i)).flat_map(|r| self.pieces.lacking(r)) {
            match all.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => all.push(range),
            }
        }
        all
    }

    /// What sample `i` needs. What cannot be planned needs nothing: reading it says why.
    fn ranges(&self, i: u64) -> Vec<Range<u64>> {
        let opened = &self.opened;
        if let Some(laid) = self.laid(i) {
            let mut ranges = vec![if self.wants.payload { laid.bytes } else { self.head_of(&laid) }];
            ranges.retain(|r| !r.is_empty() && opened.limits.item(r.end - r.start).is_ok());
            return ranges;
        }
        let mut ranges = Vec::new();
        if self.wants.payload
            && let Ok(plan) = opened.dataset.plan(i)
        {
            let range = plan.range();
            if opened.limits.item(range.end - range.start).is_ok() {
                ranges.push(range);
            }
        } else if let Some(range) = self.head(i) {
            ranges.push(range);
        }
        if self.wants.record {
            ranges.extend(opened.dataset.record_ranges(i, opened.metadata.get()).unwrap_or_default());
        }
        ranges.retain(|r| !r.is_empty());
        ranges
    }

    /// A sample that is not in the file.
    fn laid(&self, i: u64) -> Option<Laid<'_>> {
        self.over.as_ref()?.laid(i)
    }

    /// The part of it that says its size; all of it where the usual part does not.
    fn head_of(&self, laid: &Laid<'_>) -> Range<u64> {
        let Range { start, end } = laid.bytes;
        let head = start..end.min(start.saturating_add(HEAD_BYTES as u64));
        let seen = self.pieces.get(head.clone()).map(|bytes| probe_named(laid.name, &bytes));
        let more = seen.is_some_and(|seen| seen.is_undecided()) && self.opened.limits.item(end - start).is_ok();
        if more { start..end } else { head }
    }

    /// The part of a TAR's payload that says its size; all of it where the usual part did not.
    fn head(&self, i: u64) -> Option<Range<u64>> {
        let opened = &self.opened;
        if !self.wants.size || opened.dataset.has_index() || opened.probe_of(i).is_some() {
            return None;
        }
        let plan = opened.dataset.plan(i).ok()?;
        let head = plan.front_range(HEAD_BYTES as u64);
        let seen = self.pieces.get(head.clone()).map(|bytes| probe(&plan.front(&bytes, HEAD_BYTES)));
        let more = seen.is_some_and(|seen| seen.is_undecided()) && opened.limits.item(plan.info.bytes).is_ok();
        Some(if more { plan.range() } else { head })
    }

    fn fetch(&self, range: Range<u64>) -> Result<Bytes> {
        self.pieces.expect(range)
    }

    /// Sample `i`, verified, as sample `id` of another file.
    pub fn load(&self, i: u64, id: u64) -> Result<Loaded> {
        let opened = &self.opened;
        if let (Some(laid), Some(over)) = (self.laid(i), &self.over) {
            opened.limits.item(laid.bytes.end - laid.bytes.start)?;
            let payload = self.fetch(laid.bytes)?;
            over.changes.verify(i, &payload)?;
            return Ok(Loaded::from_file(id, laid.name, payload, over.changes.changed(i, id, None)?));
        }
        let plan = opened.dataset.plan(i)?;
        let range = plan.range();
        let place = |e: Error| e.section("payload").sample(i).offset(range.start);
        opened.limits.item(range.end - range.start).map_err(place)?;
        let payload = plan.decode(&self.fetch(range)?, &opened.limits)?;
        let mut loaded = opened.dataset.load(i, id, payload, opened.metadata.get(), |range| self.fetch(range))?;
        if let Some(over) = self.over.as_ref().filter(|over| over.changes.changes(i)) {
            let before = loaded.take_changeable()?;
            loaded.record = Some(over.changes.changed(i, id, before.as_deref())?);
        }
        Ok(loaded)
    }

    /// What is known of sample `i`, its size included where that was wanted.
    pub fn info(&self, i: u64) -> Result<SampleInfo> {
        if let Some(laid) = self.laid(i) {
            let head = self.fetch(self.head_of(&laid))?;
            return Ok(SampleInfo::new(i, MediaFormat::Unknown).probed(probe_named(laid.name, &head)));
        }
        match self.head(i) {
            Some(range) => {
                let plan = self.opened.dataset.plan(i)?;
                let whole = range == plan.range();
                let most = if whole { self.limits().item(plan.info.bytes).unwrap_or(HEAD_BYTES) } else { HEAD_BYTES };
                let front = plan.front(&self.fetch(range)?, most.max(HEAD_BYTES));
                let info = self.opened.dataset.info_with(i, &front)?;
                self.opened.keep_probe(&info);
                Ok(info)
            }
            None => self.opened.info(i),
        }
    }

    /// Whether the size of every sample is known, or was looked for.
    pub fn knows_size(&self, i: u64) -> bool {
        self.wants.size
            || self.opened.dataset.has_index()
            || self.opened.probe_of(i).is_some()
            || self.laid(i).is_some()
    }

    /// Asks for the sizes too, from now on.
    pub fn want_sizes(&mut self) {
        self.wants.size = true;
    }

    /// What `quick` makes of sample `i`'s metadata as text, if no changes lie over it.
    pub fn quickly<T>(&self, i: u64, quick: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>> {
        if self.is_changed(i) {
            return Ok(None);
        }
        self.opened.dataset.quickly(i, self.opened.metadata.get(), |range| self.fetch(range), quick)
    }

    /// Whether changes lie over what the file says of a sample, or it is not in the file.
    pub fn is_changed(&self, i: u64) -> bool {
        self.over.as_ref().is_some_and(|over| over.changes.changes(i) || over.laid(i).is_some())
    }

    /// Sample `i`'s metadata as a value, with what changes there are, as sample `id` of another file.
    pub fn record(&self, i: u64, id: u64) -> Result<Option<Value>> {
        let Some(over) = &self.over else { return Ok(self.value(i)?.map(|(value, _)| value)) };
        if !self.is_changed(i) {
            let found = self.found(i, id)?;
            return found.map(|found| parse_record(i, &found.text)).transpose();
        }
        let found = if over.laid(i).is_some() { None } else { self.found(i, id)? };
        let text = found.map(FoundRecord::changeable).transpose()?;
        parse_record(i, &over.changes.changed(i, id, text.as_deref())?).map(Some)
    }

    fn found(&self, i: u64, id: u64) -> Result<Option<FoundRecord>> {
        self.opened.dataset.find_record_as(i, id, self.opened.metadata.get(), |range| self.fetch(range))
    }

    /// Sample `i`'s metadata as a value, and why it is shown as text, if it is.
    pub fn value(&self, i: u64) -> Result<Option<(Value, Option<Error>)>> {
        self.opened.dataset.find_value(i, self.opened.metadata.get(), |range| self.fetch(range))
    }
}
