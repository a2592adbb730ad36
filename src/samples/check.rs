//! Every fault of a file of samples.

use std::ops::Range;

use bytes::Bytes;

use super::{open::Dataset, opened::Opened};
#[cfg(feature = "doors")]
use crate::doors;
#[cfg(feature = "warehouse")]
use crate::warehouse;
#[cfg(feature = "zip")]
use crate::zip;
use crate::{
    check::Report,
    error::{Error, Result, codes},
    step::{Step, Stepper},
    tbl,
};

impl Dataset {
    /// The beginning of a report: what is known without a look at the samples. `damage` is what stopped the scan of a
    /// TAR.
    #[doc(hidden)]
    pub fn report(&self, damage: Option<&Error>) -> Report {
        let mut report = Report::new(self.len());
        self.passed().iter().for_each(|e| report.fault(e));
        damage.into_iter().for_each(|e| report.fault(e));
        #[cfg(feature = "doors")]
        if let Dataset::Door(door) = self {
            door.records().faults().iter().for_each(|e| report.fault(e));
        }
        self.notes().into_iter().for_each(|note| report.note(&Error::new(&codes::NOTE, note)));
        report
    }

    /// Returns remarks about an archive as a whole: what its samples are, how a TAR ends.
    #[doc(hidden)]
    pub fn notes(&self) -> Vec<String> {
        match self {
            Dataset::Tar(tar) => tar.notes(),
            #[cfg(feature = "zip")]
            Dataset::Zip(zip) => zip.notes(),
            #[cfg(feature = "doors")]
            Dataset::Door(door) => door.notes(),
            _ => Vec::new(),
        }
    }
}

/// Finds every fault of a file: [step](Part::step) all of the [parts](Self::parts), each wherever there is a thread for
/// it, and ask what they [need](Self::needs), until that is nothing.
#[derive(Debug)]
pub struct Checker {
    /// Of a TBL, a ZIP or a warehouse. A TAR has no checksums: that its headers could be read is all there is to say.
    parts: Vec<Part>,
    report: Report,
    samples: u64,
}

/// Some samples of a TBL or a ZIP, or some shards of a warehouse.
#[derive(Debug)]
pub struct Part {
    work: Work,
    samples: u64,
    /// What it waits for.
    asked: Vec<Range<u64>>,
    /// What it found, once it is done.
    found: Option<Report>,
}

#[derive(Debug)]
enum Work {
    Tbl(Box<tbl::Checker>),
    #[cfg(feature = "warehouse")]
    Warehouse(Box<warehouse::Checker>),
    #[cfg(feature = "zip")]
    Zip(Box<zip::Checker>),
    #[cfg(feature = "doors")]
    Door(Box<doors::Checker>),
}

impl Work {
    fn step(&mut self) -> Result<Step<Report>> {
        match self {
            Work::Tbl(work) => work.step(),
            #[cfg(feature = "warehouse")]
            Work::Warehouse(work) => work.step(),
            #[cfg(feature = "zip")]
            Work::Zip(work) => work.step(),
            #[cfg(feature = "doors")]
            Work::Door(work) => work.step(),
        }
    }
    fn push(&mut self, start: u64, bytes: Bytes) {
        match self {
            Work::Tbl(work) => work.push(start, bytes),
            #[cfg(feature = "warehouse")]
            Work::Warehouse(work) => work.push(start, bytes),
            #[cfg(feature = "zip")]
            Work::Zip(work) => work.push(start, bytes),
            #[cfg(feature = "doors")]
            Work::Door(work) => work.push(start, bytes),
        }
    }
    fn ahead(&self) -> Vec<Range<u64>> {
        match self {
            Work::Tbl(work) => work.ahead(),
            #[cfg(feature = "warehouse")]
            Work::Warehouse(work) => work.ahead(),
            #[cfg(feature = "zip")]
            Work::Zip(_) => Vec::new(),
            #[cfg(feature = "doors")]
            Work::Door(_) => Vec::new(),
        }
    }
    fn checked(&self) -> u64 {
        match self {
            Work::Tbl(work) => work.checked(),
            #[cfg(feature = "warehouse")]
            Work::Warehouse(work) => work.checked(),
            #[cfg(feature = "zip")]
            Work::Zip(work) => work.checked(),
            #[cfg(feature = "doors")]
            Work::Door(work) => work.checked(),
        }
    }
}

impl Part {
    /// Does what the available bytes allow.
    pub fn step(&mut self) -> Result<()> {
        if self.found.is_none() {
            match self.work.step()? {
                Step::Need(ranges) => self.asked = ranges,
                Step::Done(report) => (self.found, self.asked) = (Some(report), Vec::new()),
            }
        }
        Ok(())
    }

    fn checked(&self) -> u64 {
        if self.found.is_some() { self.samples } else { self.work.checked() }
    }
}

impl Checker {
    /// Checks these samples in this many parts, and with the first and last of the file what belongs to none. Reads
    /// `window` bytes at a time.
    pub fn new(opened: &Opened, samples: Range<u64>, parts: usize, window: Option<u64>) -> Self {
        let count = samples.end - samples.start;
        let report = opened.dataset.report(opened.damage.as_ref());
        let mut checker = Checker { parts: Vec::new(), report, samples: count };
        if let Dataset::Tbl(tbl) = &opened.dataset {
            let parts = (parts as u64).min(count).max(1);
            let cut = |k: u64| samples.start + count * k / parts;
            checker.parts.extend((0..parts).map(|k| cut(k)..cut(k + 1)).map(|part| {
                let (samples, work) = (part.end - part.start, tbl::Checker::part(tbl, part));
                let work = match window {
                    Some(bytes) => work.with_window(bytes),
                    None => work,
                };
                Part { work: Work::Tbl(Box::new(work)), samples, asked: Vec::new(), found: None }
            }));
        }
        #[cfg(feature = "zip")]
        if let Dataset::Zip(zip) = &opened.dataset {
            let work = zip::Checker::part(zip, samples.clone());
            let work = match window {
                Some(bytes) => work.with_window(bytes),
                None => work,
            };
            checker.parts.push(Part {
                work: Work::Zip(Box::new(work)),
                samples: count,
                asked: Vec::new(),
                found: None,
            });
        }
        #[cfg(feature = "doors")]
        if let Dataset::Door(door) = &opened.dataset {
            let parts = (parts as u64).min(count).max(1);
            let cut = |k: u64| samples.start + count * k / parts;
            checker.parts.extend((0..parts).map(|k| cut(k)..cut(k + 1)).map(|part| {
                let (samples, work) = (part.end - part.start, doors::Checker::part(door, part));
                let work = match window {
                    Some(bytes) => work.with_window(bytes),
                    None => work,
                };
                Part { work: Work::Door(Box::new(work)), samples, asked: Vec::new(), found: None }
            }));
        }
        #[cfg(feature = "warehouse")]
        if let Dataset::Warehouse(found) = &opened.dataset {
            // Whole shards, since one SHA-256 is of all of one: those that have samples of the range.
            let shards = found.shards();
            let first = shards.partition_point(|shard| shard.samples().end <= samples.start);
            let last = shards.partition_point(|shard| shard.samples().start < samples.end).max(first);
            let (first, last) = if count == found.len() { (0, shards.len()) } else { (first, last) };
            let (count, parts) = (last - first, parts.min(last - first).max(1));
            checker.parts.extend((0..parts).map(|k| {
                let part = first + count * k / parts..first + count * (k + 1) / parts;
                let inside = shards.get(part.clone()).unwrap_or_default();
                let samples = inside.iter().map(|shard| shard.header().samples).sum();
                let work = warehouse::Checker::part(found, part);
                let work = match window {
                    Some(bytes) => work.with_window(bytes),
                    None => work,
                };
                Part { work: Work::Warehouse(Box::new(work)), samples, asked: Vec::new(), found: None }
            }));
        }
        checker
    }

    /// What is to be stepped.
    pub fn parts(&mut self) -> &mut [Part] {
        &mut self.parts
    }

    /// The ranges of the file that the parts need; nothing when all of them are done.
    pub fn needs(&self) -> Vec<Range<u64>> {
        self.parts.iter().flat_map(|part| part.asked.clone()).collect()
    }
    /// The ranges that will be needed next, so that they can be read meanwhile.
    #[doc(hidden)]
    pub fn ahead(&self) -> Vec<Range<u64>> {
        self.parts.iter().filter(|part| part.found.is_none()).flat_map(|part| part.work.ahead()).collect()
    }

    /// Bytes of the file from `start` on.
    pub fn push(&mut self, start: u64, bytes: Bytes) {
        let end = start + bytes.len() as u64;
        for part in &mut self.parts {
            if part.asked.iter().any(|asked| asked.start < end && start < asked.end) {
                part.work.push(start, bytes.clone());
            }
        }
    }

    /// Samples checked so far.
    #[doc(hidden)]
    pub fn checked(&self) -> u64 {
        if self.parts.is_empty() { self.samples } else { self.parts.iter().map(Part::checked).sum() }
    }

    /// What was found.
    pub fn finish(&mut self) -> Report {
        for part in self.parts.drain(..) {
            self.report.merge(part.found.unwrap_or_default());
        }
        std::mem::take(&mut self.report)
    }
}
