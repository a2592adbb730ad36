//! A run of samples with the bytes that they need.

use std::{ops::Range, rc::Rc};

use bytes::Bytes;
use forebay::{
    Result, Step, Stepper,
    dataset::Dataset as Core,
    image::{probe, probe::HEAD_BYTES},
    model::SampleInfo,
    step::Pieces,
    tbl::OpenMetadata,
};

#[cfg(feature = "convert")]
use forebay::plan::SamplePlan;

use crate::opened::Opened;

/// Bytes of a window, unless a single sample is larger.
pub(crate) const BYTES: u64 = 8 << 20;
/// Samples of a window.
const SAMPLES: usize = 4096;

/// What is needed of each sample.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wants {
    pub payload: bool,
    /// The size of a TAR's samples, which only their payloads say.
    pub size: bool,
    pub record: bool,
}

/// Opens a TBL's metadata before the first sample is read.
#[derive(Debug, Default)]
pub(crate) struct Gate(Option<OpenMetadata>);

impl Gate {
    pub fn new(opened: &Opened, wanted: bool) -> Self {
        match &opened.core {
            Core::Tbl(tbl) if wanted && opened.metadata.get().is_none() => Gate(Some(OpenMetadata::new(tbl))),
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
pub(crate) struct Window {
    opened: Rc<Opened>,
    wants: Wants,
    pub samples: Vec<u64>,
    pieces: Pieces,
}

impl Window {
    /// Takes samples until the window has so many bytes.
    pub fn fill(opened: &Rc<Opened>, wants: Wants, most: u64, next: &mut impl Iterator<Item = u64>) -> Self {
        let mut window = Window { opened: opened.clone(), wants, samples: Vec::new(), pieces: Pieces::default() };
        let mut bytes = 0;
        while bytes < most && window.samples.len() < SAMPLES {
            let Some(i) = next.next() else { break };
            bytes += window.ranges(i).iter().map(|r| r.end - r.start).sum::<u64>();
            window.samples.push(i);
        }
        window
    }

    pub fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }

    /// Every range that is not here yet; neighbours are one.
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
            && let Ok(plan) = opened.core.plan(i)
        {
            let range = plan.range();
            if opened.limits.item(range.end - range.start).is_ok() {
                ranges.push(range);
            }
        } else if let Some(range) = self.head(i) {
            ranges.push(range);
        }
        if self.wants.record {
            ranges.extend(opened.core.record_ranges(i, opened.metadata.get()).unwrap_or_default());
        }
        ranges.retain(|r| !r.is_empty());
        ranges
    }

    /// The part of a TAR's payload that says its size; all of it where the usual part did not.
    fn head(&self, i: u64) -> Option<Range<u64>> {
        let opened = &self.opened;
        if !self.wants.size || opened.is_tbl() || opened.probe_of(i).is_some() {
            return None;
        }
        let whole = opened.core.info(i).ok()?.range();
        let head = whole.start..whole.end.min(whole.start + HEAD_BYTES as u64);
        let undecided = self.pieces.get(head.clone()).is_some_and(|bytes| probe(&bytes).is_undecided());
        let more = undecided && opened.limits.item(whole.end - whole.start).is_ok();
        Some(if more { whole } else { head })
    }

    fn fetch(&self, range: Range<u64>) -> Result<Bytes> {
        self.pieces.expect(range)
    }

    /// The payloads of all samples, verified.
    #[cfg(feature = "convert")]
    pub fn payloads(&self) -> Vec<Result<Bytes>> {
        let limits = &self.opened.limits;
        let fetched = self.samples.iter().map(|&i| {
            let plan = self.opened.core.plan(i)?;
            let range = plan.range();
            let place = |e: forebay::Error| e.section("payload").sample(i).offset(range.start);
            limits.item(range.end - range.start).map_err(place)?;
            Ok((plan, self.fetch(range)?))
        });
        let decode =
            |fetched: Result<(SamplePlan, Bytes)>| fetched.and_then(|(plan, bytes)| plan.decode(&bytes, limits));
        crate::threads::map(fetched.collect(), decode)
    }

    /// What is known of sample `i`, its size included where that was wanted.
    pub fn info(&self, i: u64) -> Result<SampleInfo> {
        match self.head(i) {
            Some(range) => {
                let info = self.opened.core.info_with(i, &self.fetch(range)?)?;
                self.opened.keep_probe(&info);
                Ok(info)
            }
            None => self.opened.info(i),
        }
    }

    /// Sample `i`'s metadata as a value, and why it is shown as text, where it is.
    pub fn value(&self, i: u64) -> Result<Option<(serde_json::Value, Option<forebay::Error>)>> {
        self.opened.core.find_value(i, self.opened.metadata.get(), |range| self.fetch(range))
    }

    /// Sample `i`'s metadata as that of a sample numbered `id`.
    #[cfg(feature = "convert")]
    pub fn record_as(&self, i: u64, id: u64) -> Result<Option<forebay::samples::FoundRecord>> {
        self.opened.core.find_record_as(i, id, self.opened.metadata.get(), |range| self.fetch(range))
    }
}
