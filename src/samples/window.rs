//! A run of samples with the bytes that they need.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;
use serde_json::Value;

use super::{make::Loaded, open::Dataset, opened::Opened};
use crate::{
    error::{Error, Result},
    image::{HEAD_BYTES, probe},
    limits::Limits,
    sample::SampleInfo,
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
    wants: Wants,
    pub samples: Vec<u64>,
    pieces: Pieces,
}

impl Window {
    /// Takes samples until the window has this many bytes.
    pub fn fill(opened: &Arc<Opened>, wants: Wants, most: u64, next: &mut impl Iterator<Item = u64>) -> Self {
        let mut window = Window { opened: opened.clone(), wants, samples: Vec::new(), pieces: Pieces::default() };
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
        let plan = opened.dataset.plan(i)?;
        let range = plan.range();
        let place = |e: Error| e.section("payload").sample(i).offset(range.start);
        opened.limits.item(range.end - range.start).map_err(place)?;
        let payload = plan.decode(&self.fetch(range)?, &opened.limits)?;
        opened.dataset.load(i, id, payload, opened.metadata.get(), |range| self.fetch(range))
    }

    /// What is known of sample `i`, its size included where that was wanted.
    pub fn info(&self, i: u64) -> Result<SampleInfo> {
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

    /// Sample `i`'s metadata as a value, and why it is shown as text, if it is.
    pub fn value(&self, i: u64) -> Result<Option<(Value, Option<Error>)>> {
        self.opened.dataset.find_value(i, self.opened.metadata.get(), |range| self.fetch(range))
    }
}
