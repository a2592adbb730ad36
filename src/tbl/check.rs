//! Every fault of a TBL: header, index, order and overlap, payloads, gaps, metadata.
//!
//! [`Tbl::check_index`] and [`Tbl::check_metadata`] look at the structure, [`Tbl::check_sample`] at one
//! payload: pure functions that a host may spread over threads. [`Checker`] is all of it as one stepper, in
//! windows of bounded size.

use std::ops::Range;

use bytes::Bytes;

use super::{
    Tbl, codes,
    raw::{Entry, Layout, MetadataFormat, entry_flag, header_oddities},
    spans,
};
use crate::{
    check::Report,
    cursor::Cursor,
    error::{Error, Result},
    image::probe,
    sample::{
        MediaFormat,
        holds::{LEVELS, holds},
    },
    step::{Pieces, Step, Stepper},
};

/// Payload bytes that a [`Checker`] asks for at a time, if it is not told otherwise.
const WINDOW: u64 = 8 << 20;

/// Bytes that belong to nothing.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Gap {
    /// Where they are.
    pub range: Range<u64>,
    /// They lie behind the payloads, where a change in place that was ended leaves its bytes or the old ones.
    behind: bool,
}

#[doc(hidden)]
impl Tbl {
    /// Checks the header and every index entry, the order and overlap of payloads. Returns the ranges that
    /// belong to nothing: their bytes must be zero ([`check_gap`](Self::check_gap)).
    pub fn check_index(&self, report: &mut Report) -> Vec<Gap> {
        header_oddities(self.head(), self.header()).iter().for_each(|e| report.fault(e));
        if let Some(fault) = &self.header().metadata_fault {
            report.fault(&fault.error());
        }
        let mut taken: Vec<(Range<u64>, Option<u64>)> = Vec::new();
        for i in 0..self.len() {
            let place = |e: Error| e.section("index").sample(i).offset(self.entry_offset(i));
            match self.entry(i) {
                Ok(entry) => {
                    self.odd_entry(i, &entry).into_iter().for_each(|e| report.fault(&place(e)));
                    if let Some(e) = odd_pixels(&entry) {
                        report.note(&place(e));
                    }
                    let end = entry.offset + u64::from(entry.stored) + self.trailer_len();
                    if end > entry.offset {
                        match taken.last_mut() {
                            // Payloads in order, one after the other, are one run: the usual file needs no memory here.
                            Some((run, last)) if run.end == entry.offset => {
                                run.end = end;
                                *last = Some(i);
                            }
                            _ => taken.push((entry.offset..end, Some(i))),
                        }
                    }
                }
                Err(e) => report.fault(&place(e)),
            }
        }
        taken.push((0..self.index_end(), None));
        taken.extend(self.sections().map(|s| (s.clone(), None)));
        taken.sort_by_key(|(range, _)| (range.start, range.end));
        let payloads = taken.iter().filter(|(_, sample)| sample.is_some()).map(|(range, _)| range.end).max();
        let payloads = payloads.unwrap_or_default().max(self.index_end());
        let gap = |range: Range<u64>| Gap { behind: range.start >= payloads, range };
        let mut gaps = Vec::new();
        let mut end = 0;
        for (range, sample) in &taken {
            if range.start < end {
                let mut e = Error::new(
                    &codes::PAYLOAD_OVERLAP,
                    format!("bytes {}..{} belong to two", range.start, end.min(range.end)),
                )
                .section("index")
                .offset(range.start);
                if let Some(i) = sample {
                    e = e.sample(*i);
                }
                report.fault(&e);
            } else if range.start > end {
                gaps.push(gap(end..range.start));
            }
            end = end.max(range.end);
        }
        if end < self.file_len() {
            gaps.push(gap(end..self.file_len()));
        }
        if self.layout() == Layout::Turboloader {
            // Its raw view depends on payloads without gaps, and nothing follows the last section.
            for gap in gaps.drain(..) {
                let message = format!(
                    "{} bytes belong to nothing; payloads of this layout follow each other",
                    gap.range.end - gap.range.start
                );
                report.fault(&Error::new(&codes::GAP, message).section("payload").offset(gap.range.start));
            }
        }
        gaps
    }

    fn odd_entry(&self, i: u64, entry: &Entry) -> Vec<Error> {
        let mut odd = Vec::new();
        let mut say = |message: String| odd.push(Error::new(&codes::ENTRY, message));
        let format = MediaFormat::from_code(entry.format);
        if format.is_none() {
            say(format!("there is no media format {}", entry.format));
        }
        match self.layout() {
            Layout::Guide => {
                if self.raw_entry(i).is_ok_and(|(raw, _)| raw.get(23) != Some(&0)) {
                    say("the reserved byte of the entry is not zero".into());
                }
            }
            Layout::Turboloader => {
                if entry.flags & !entry_flag::ALL != 0 {
                    say(format!("flags {:#04x} have no meaning", entry.flags));
                }
            }
        }
        odd
    }

    /// Checks that bytes of a gap are zero; whether they are. What lies behind the payloads is a note: nobody reads it, and
    /// the next change in place clears it.
    pub fn check_gap(&self, gap: &Gap, at: u64, bytes: &[u8], report: &mut Report) -> bool {
        let Some(n) = bytes.iter().position(|b| *b != 0) else { return true };
        let wrong = |message: String| Error::new(&codes::GAP, message).section("payload").offset(at + n as u64);
        let count = bytes.len();
        match gap.behind {
            true => report.note(&wrong(format!(
                "{count} bytes after the payloads belong to nothing and are not zero: a change in place that was ended \
                 leaves such, and the next one clears them"
            ))),
            false => report.fault(&wrong(format!("{count} bytes belong to nothing and are not zero"))),
        }
        false
    }

    /// Checks one payload: the bytes of its [`plan`](Self::plan)'s range. An entry that cannot be planned is left
    /// to [`check_index`](Self::check_index). Returns what is odd about a sound payload: another format or size than
    /// the index says.
    pub fn check_sample(&self, i: u64, bytes: &Bytes) -> Result<Option<Error>> {
        let Ok(plan) = self.plan(i) else { return Ok(None) };
        let payload = plan.decode(bytes, self.limits())?;
        let (said, seen) = (&plan.info, probe(&payload));
        let odd = |message: String| {
            Some(Error::new(&codes::ENTRY, message).section("index").sample(i).offset(self.entry_offset(i)))
        };
        Ok(match said.format {
            MediaFormat::RawU8 | MediaFormat::Unknown => None,
            _ if seen.format == MediaFormat::Unknown => None,
            format if format != seen.format => {
                odd(format!("the index says {}, the payload is {}", format.name(), seen.format.name()))
            }
            _ if said.width == 0 || seen.width == 0 || (said.width, said.height) == (seen.width, seen.height) => None,
            _ => odd(format!(
                "the index says {} x {}, the payload is {} x {}",
                said.width, said.height, seen.width, seen.height
            )),
        })
    }

    /// Checks the metadata: `section` and `index` are the bytes of the two sections that the header names,
    /// empty if it names none.
    pub fn check_metadata(&self, section: &[u8], index: &[u8], report: &mut Report) {
        let header = self.header();
        let Some(range) = &header.metadata else {
            if self.layout() == Layout::Turboloader && header.metadata_fault.is_none() {
                self.check_flags(&[], report);
            }
            return;
        };
        if let Err(e) = self.verify_metadata(section) {
            report.fault(&e);
        }
        match (self.layout(), header.metadata_format) {
            (Layout::Turboloader, _) => {
                let mut has = vec![0u64; (self.len() as usize).div_ceil(64)];
                let walked = spans::walk_blocks(section, range.start, self.len(), |i, span| {
                    if let Some(word) = has.get_mut(i as usize / 64) {
                        *word |= 1 << (i % 64);
                    }
                    let Some(span) = span else { return Ok(()) };
                    let at = range.start + span.start;
                    let bytes =
                        section.get(span.start as usize..).and_then(|s| s.get(..span.len as usize)).unwrap_or_default();
                    let place = |e: Error| e.section("metadata").sample(i).offset(at);
                    match self.odd_block(span.format, bytes) {
                        Some(e) => report.fault(&place(e)),
                        None => self.unread(span.format, bytes).into_iter().for_each(|e| report.note(&place(e))),
                    }
                    Ok(())
                });
                match walked {
                    Ok(()) => self.check_flags(&has, report),
                    Err(e) => report.fault(&e),
                }
            }
            (Layout::Guide, Some(format)) => self.check_document(format, section, index, range.start, report),
            (Layout::Guide, None) => {}
        }
    }

    fn odd_block(&self, format: MetadataFormat, bytes: &[u8]) -> Option<Error> {
        let bad = |what: &str| Some(Error::new(&codes::METADATA, format!("a block is not {what}")));
        match format {
            // The peer writes an empty text for "nothing".
            _ if bytes.is_empty() => None,
            MetadataFormat::Json if serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_err() => bad("JSON"),
            MetadataFormat::Msgpack => {
                let cursor = Cursor::new(bytes, 0, "metadata", &codes::METADATA);
                let mut reader = crate::msgpack::Reader::new(cursor, &codes::METADATA, self.limits());
                match reader.skip() {
                    Ok(()) if reader.cursor.is_empty() => None,
                    _ => bad("MessagePack"),
                }
            }
            _ => None,
        }
    }

    /// What is sound and yet more than a reader here holds, so that it is shown as text: `1e400`, half of a surrogate
    /// pair, values nested too deeply.
    fn unread(&self, format: MetadataFormat, bytes: &[u8]) -> Option<Error> {
        if bytes.is_empty() {
            return None;
        }
        let why = match format {
            MetadataFormat::Json => holds(std::str::from_utf8(bytes).ok()?, LEVELS).err()?.to_string(),
            MetadataFormat::Msgpack => {
                let cursor = Cursor::new(bytes, 0, "metadata", &codes::METADATA);
                let mut reader = crate::msgpack::Reader::new(cursor, &codes::METADATA, self.limits());
                match reader.value(0) {
                    Ok(value) => holds(&value.to_string(), LEVELS).err()?.to_string(),
                    Err(e) => e.message().to_owned(),
                }
            }
            MetadataFormat::Protobuf | MetadataFormat::Custom => return None,
        };
        Some(Error::new(
            &codes::METADATA,
            format!("the sample's metadata is shown as text, since values do not hold it: {why}"),
        ))
    }

    /// Turboloader: each entry's flag says whether the metadata has a block for it.
    fn check_flags(&self, has: &[u64], report: &mut Report) {
        for i in 0..self.len() {
            let Ok((_, entry)) = self.raw_entry(i) else { continue };
            let found = has.get(i as usize / 64).is_some_and(|word| word >> (i % 64) & 1 == 1);
            if found != (entry.flags & entry_flag::METADATA != 0) {
                let message = match found {
                    true => "the metadata has a block for this sample, its index entry denies it",
                    false => "the index entry announces metadata, the file has none for this sample",
                };
                report
                    .fault(&Error::new(&codes::ENTRY, message).section("index").sample(i).offset(self.entry_offset(i)));
            }
        }
    }

    fn check_document(&self, format: MetadataFormat, section: &[u8], index: &[u8], base: u64, report: &mut Report) {
        let Some(scan) = report.keep(spans::scan(section, base, format, false, self.limits())) else { return };
        if scan.spans.len() as u64 > self.len() {
            let message = format!("the document describes {} samples of {}", scan.spans.len(), self.len());
            report.fault(&Error::new(&codes::METADATA, message).section("metadata").offset(base));
        }
        for (i, span) in scan.spans.iter().enumerate() {
            let Some(span) = span else { continue };
            let bytes = section.get(span.start as usize..).and_then(|s| s.get(..span.len as usize)).unwrap_or_default();
            if let Some(e) = self.unread(span.format, bytes) {
                report.note(&e.section("metadata").sample(i as u64).offset(base + span.start));
            }
        }
        let Some(index_range) = &self.header().sample_index else { return };
        let mut c = Cursor::new(index, index_range.start, "sample-metadata index", &codes::METADATA_INDEX);
        for i in 0..self.len() {
            let at = c.offset();
            let (Ok(start), Ok(len)) = (c.u32(), c.u32()) else { return };
            let said = (len > 0).then_some((u64::from(start), len));
            let found = scan.spans.get(i as usize).copied().flatten().map(|s| (s.start, s.len));
            if said != found || (len == 0 && start != 0) {
                let message = match found {
                    Some((start, len)) => format!("the sample's metadata is {len} bytes at {start} of the section"),
                    None => "the document has nothing for this sample".into(),
                };
                let e =
                    Error::new(&codes::METADATA_INDEX, message).section("sample-metadata index").sample(i).offset(at);
                report.fault(&e);
            }
        }
    }
}

/// Raw pixels of another number than the size says: worth knowing, but writers take what they are given.
fn odd_pixels(entry: &Entry) -> Option<Error> {
    let pixels = u64::from(entry.width) * u64::from(entry.height) * 3;
    let raw = MediaFormat::from_code(entry.format) == Some(MediaFormat::RawU8);
    (raw && pixels != u64::from(entry.bytes)).then(|| {
        Error::new(&codes::ENTRY, format!("{} raw bytes are not {} x {} x 3", entry.bytes, entry.width, entry.height))
    })
}

/// The whole check as one stepper, for hosts without threads.
#[derive(Debug)]
pub struct Checker {
    tbl: Tbl,
    samples: Range<u64>,
    report: Report,
    pieces: Pieces,
    stage: Stage,
    gaps: Vec<Gap>,
    window: u64,
}

#[derive(Debug)]
enum Stage {
    Index,
    Samples { next: u64, end: u64 },
    Gaps { next: usize, at: u64 },
    Metadata,
}

impl Checker {
    /// Checks an opened file.
    pub fn new(tbl: &Tbl) -> Self {
        Self::part(tbl, 0..tbl.len())
    }

    /// Checks a part of an opened file, so that several workers may share it: these samples; with the first of the
    /// file also header and index, with the last also gaps and metadata. The reports of all parts, one
    /// [merged](Report::merge) behind the other, are that of the whole.
    #[doc(hidden)]
    pub fn part(tbl: &Tbl, samples: Range<u64>) -> Self {
        Checker {
            report: Report::new(tbl.len()),
            samples: samples.start..samples.end.min(tbl.len()),
            tbl: tbl.clone(),
            pieces: Pieces::default(),
            stage: Stage::Index,
            gaps: Vec::new(),
            window: WINDOW,
        }
    }

    /// Asks for this many payload bytes at a time: few where they come as a stream that is read ahead, many where each
    /// request takes its time.
    #[must_use]
    #[doc(hidden)]
    pub fn with_window(mut self, bytes: u64) -> Self {
        self.window = bytes;
        self
    }

    /// Samples checked so far, of those of the part.
    #[doc(hidden)]
    pub fn checked(&self) -> u64 {
        let next = match self.stage {
            Stage::Index => self.samples.start,
            Stage::Samples { next, .. } => next,
            _ => self.samples.end,
        };
        next.saturating_sub(self.samples.start)
    }

    /// What the step after the next will need, as far as is known: a host may read it while this one works.
    #[doc(hidden)]
    pub fn ahead(&self) -> Vec<Range<u64>> {
        match self.stage {
            Stage::Samples { end, .. } => self.samples_from(end).1,
            _ => Vec::new(),
        }
    }

    /// Whether the part has the last sample.
    fn ends(&self) -> bool {
        self.samples.end >= self.tbl.len()
    }

    /// The samples from `next` on whose payloads fit a window, and their ranges.
    fn samples_from(&self, next: u64) -> (u64, Vec<Range<u64>>) {
        let (mut end, mut bytes, mut ranges) = (next, 0, Vec::<Range<u64>>::new());
        while end < self.samples.end && (bytes < self.window || end == next) && ranges.len() < 4096 {
            if let Ok(plan) = self.tbl.plan(end) {
                let range = plan.range();
                bytes += range.end - range.start;
                match ranges.last_mut() {
                    Some(last) if last.end == range.start => last.end = range.end,
                    _ if range.is_empty() => {}
                    _ => ranges.push(range),
                }
            }
            end += 1;
        }
        (end, ranges)
    }

    fn metadata(&mut self) -> Result<Step<Report>> {
        let sections: Vec<_> = self.tbl.sections().cloned().collect();
        let asked = sections.iter().map(|s| s.end - s.start).fold(0, u64::saturating_add);
        if let Err(e) = self.tbl.limits().metadata(asked) {
            self.report.fault(&e.section("metadata"));
            return Ok(Step::Done(std::mem::take(&mut self.report)));
        }
        let lacking: Vec<_> = sections.iter().flat_map(|s| self.pieces.lacking(s.clone())).collect();
        if !lacking.is_empty() {
            return Ok(Step::Need(lacking));
        }
        let header = self.tbl.header();
        let bytes = |range: &Option<Range<u64>>| range.clone().and_then(|r| self.pieces.get(r)).unwrap_or_default();
        let (section, index) = (bytes(&header.metadata), bytes(&header.sample_index));
        self.tbl.check_metadata(&section, &index, &mut self.report);
        Ok(Step::Done(std::mem::take(&mut self.report)))
    }
}

impl Stepper for Checker {
    type Output = Report;

    fn step(&mut self) -> Result<Step<Report>> {
        let ends = self.ends();
        loop {
            match &mut self.stage {
                Stage::Index => {
                    let start = self.samples.start;
                    self.gaps = match (start, ends) {
                        (0, _) => self.tbl.check_index(&mut self.report),
                        // The faults are told by the first part; the gaps belong to this one.
                        (_, true) => self.tbl.check_index(&mut Report::default()),
                        (_, false) => Vec::new(),
                    };
                    let (end, ranges) = self.samples_from(start);
                    self.stage = Stage::Samples { next: start, end };
                    if !ranges.is_empty() {
                        return Ok(Step::Need(ranges));
                    }
                }
                Stage::Samples { next, end } if *next < self.samples.end => {
                    let (first, end) = (*next, *end);
                    for i in first..end {
                        // An entry that cannot be planned was reported with the index.
                        let Ok(plan) = self.tbl.plan(i) else { continue };
                        match self.pieces.get(plan.range()) {
                            Some(bytes) => {
                                if let Some(odd) = self.report.keep(self.tbl.check_sample(i, &bytes)).flatten() {
                                    self.report.note(&odd);
                                }
                            }
                            None => {
                                self.stage = Stage::Samples { next: i, end };
                                return Ok(Step::Need(self.pieces.lacking(plan.range())));
                            }
                        }
                    }
                    self.pieces = Pieces::default();
                    let (after, ranges) = self.samples_from(end);
                    self.stage = Stage::Samples { next: end, end: after };
                    if !ranges.is_empty() {
                        return Ok(Step::Need(ranges));
                    }
                }
                Stage::Samples { .. } if !ends => return Ok(Step::Done(std::mem::take(&mut self.report))),
                Stage::Samples { .. } => self.stage = Stage::Gaps { next: 0, at: 0 },
                Stage::Gaps { next, at } => match self.gaps.get(*next) {
                    Some(gap) => {
                        let start = gap.range.start.max(*at);
                        let range = start..gap.range.end.min(start.saturating_add(self.window.max(1)));
                        let Some(bytes) = self.pieces.get(range.clone()) else {
                            return Ok(Step::Need(self.pieces.lacking(range)));
                        };
                        let is_zero = self.tbl.check_gap(gap, range.start, &bytes, &mut self.report);
                        // One fault a gap is enough.
                        let over = !is_zero || range.end == gap.range.end;
                        *at = range.end;
                        *next += usize::from(over);
                        self.pieces = Pieces::default();
                    }
                    None => self.stage = Stage::Metadata,
                },
                Stage::Metadata => return self.metadata(),
            }
        }
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }
}
