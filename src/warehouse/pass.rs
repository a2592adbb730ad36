//! One pass over a shard from front to back: what proves it, and what is in its blocks.

use std::ops::Range;

use bytes::{Bytes, BytesMut};

use super::{
    Dtype,
    checksums::{Checksums, Digest},
    codes,
    element::to_f32,
    file::{Shard, Warehouse},
    proof::mismatch,
    raw::ShardHeader,
    write::is_box,
};
use crate::{
    check::Report,
    codec::checksum::Crc32,
    error::{Error, Result},
};

/// Values that are looked at at a time.
const RUN: usize = 1024;

/// A part of a shard's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Header,
    Images,
    Boxes,
    Mask,
    Checksums,
    Metadata,
    /// Belongs to nothing.
    Gap,
    /// Blocks share bytes: only the whole can be looked at.
    Anything,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Part::Header => "header",
            Part::Images => "images",
            Part::Boxes => "boxes",
            Part::Mask => "mask",
            Part::Checksums => "checksums",
            Part::Metadata => "metadata",
            Part::Gap | Part::Anything => "shard",
        }
    }
}

/// Looks at a shard.
#[derive(Debug)]
pub(super) struct Pass {
    shard: Shard,
    path: String,
    /// The SHA-256 that the manifest gives.
    announced: Option<String>,
    parts: Vec<(Part, Range<u64>)>,
    at: u64,
    digest: Digest,
    found: Checksums,
    crc: Crc32,
    checksums: BytesMut,
    /// The beginning of a box that goes on in the next piece.
    half_box: BytesMut,
    /// The gap in which something was found.
    odd_gap: Option<u64>,
    bad: Option<Bad>,
    values: Vec<f32>,
}

/// Bad values of a sample.
#[derive(Debug)]
struct Bad {
    part: Part,
    sample: u64,
    count: u64,
    offset: u64,
    what: String,
}

impl Pass {
    pub fn new(warehouse: &Warehouse, shard: &Shard, report: &mut Report) -> Self {
        let entry = warehouse.entry(shard);
        let mut pass = Pass {
            shard: shard.clone(),
            path: entry.map(|entry| entry.relative_path.clone()).unwrap_or_default(),
            announced: entry.and_then(|entry| entry.checksum_sha256.clone()),
            parts: Vec::new(),
            at: 0,
            digest: Digest::default(),
            found: Checksums::default(),
            crc: Crc32::default(),
            checksums: BytesMut::new(),
            half_box: BytesMut::new(),
            odd_gap: None,
            bad: None,
            values: vec![0.0; RUN],
        };
        pass.lay_out(report);
        pass
    }

    fn say(&self, report: &mut Report, e: Error) {
        report.fault(&e.member(&self.path));
    }

    /// Cuts the file into parts.
    fn lay_out(&mut self, report: &mut Report) {
        let (shard, header) = (&self.shard, self.shard.header());
        let mut taken = vec![
            (Part::Header, 0..header.len),
            (Part::Images, shard.blocks.images.clone()),
            (Part::Boxes, shard.blocks.boxes.clone()),
            (Part::Mask, shard.blocks.mask.clone()),
        ];
        taken.extend(shard.records.as_ref().map(|records| (Part::Metadata, records.range())));
        if header.checksum_offset > 0 {
            match Warehouse::checksums_of(shard) {
                Some(range) => taken.push((Part::Checksums, range)),
                None => {
                    let message =
                        format!("the checksums begin at {}, the file ends at {}", header.checksum_offset, shard.len);
                    let e = Error::new(&codes::BLOCK_CHECKSUM, message).section("header").offset(72);
                    self.say(report, e);
                }
            }
        }
        let was_said = !header.blocks(shard.len).1.is_empty();
        taken.retain(|(_, range)| !range.is_empty());
        taken.sort_by_key(|(_, range)| (range.start, range.end));
        let (mut parts, mut end) = (Vec::new(), 0);
        for (part, range) in taken {
            if range.start < end {
                if !was_said {
                    let message = format!("the block begins at {}, the one before it ends at {end}", range.start);
                    let e = Error::new(&codes::OVERLAP, message).section(part.name()).offset(range.start);
                    self.say(report, e);
                }
                self.parts = vec![(Part::Anything, 0..self.shard.len)];
                return;
            }
            if end < range.start {
                parts.push((Part::Gap, end..range.start));
            }
            end = range.end;
            parts.push((part, range));
        }
        if end < self.shard.len {
            parts.push((Part::Gap, end..self.shard.len));
        }
        self.parts = parts;
    }

    /// The part that is next.
    fn next_part(&self) -> Option<(Part, Range<u64>)> {
        let k = self.parts.partition_point(|(_, range)| range.end <= self.at);
        self.parts.get(k).cloned()
    }

    /// The bytes that are next, at most `most`, by their place behind the manifest; none at the end.
    pub fn wants(&self, most: u64) -> Option<Range<u64>> {
        let (_, range) = self.next_part()?;
        // Numbers are not cut: a part begins with one, and pieces of it are of whole ones.
        let most = (most & !7).max(8);
        let base = self.shard.base;
        Some(base + self.at..base + range.end.min(self.at.saturating_add(most)))
    }

    /// Where the shard ends, behind the manifest.
    pub fn end(&self) -> u64 {
        self.shard.base + self.shard.len
    }

    /// Takes the bytes that it wanted.
    pub fn take(&mut self, bytes: &Bytes, report: &mut Report) {
        let Some((part, range)) = self.next_part() else { return };
        let start = self.at;
        self.digest.add(bytes);
        self.at += bytes.len() as u64;
        match part {
            Part::Images => self.images(bytes, start - range.start, report),
            Part::Boxes => {
                self.crc.update(bytes);
                self.boxes(bytes, start - range.start, report);
            }
            Part::Mask => {
                self.crc.update(bytes);
                self.mask(bytes, start - range.start, report);
            }
            Part::Header | Part::Metadata => self.crc.update(bytes),
            Part::Checksums => self.checksums.extend_from_slice(bytes),
            Part::Gap => {
                if let Some(n) = bytes.iter().position(|b| *b != 0)
                    && self.odd_gap != Some(range.start)
                {
                    // One fault a gap is enough.
                    self.odd_gap = Some(range.start);
                    let message = format!("{} bytes belong to nothing and are not zero", range.end - range.start);
                    let e = Error::new(&codes::GAP, message).section("shard").offset(start + n as u64);
                    self.say(report, e);
                }
            }
            Part::Anything => {}
        }
        if self.at >= range.end {
            self.flush(report);
            let crc = std::mem::take(&mut self.crc).finish();
            match part {
                Part::Header => self.found.header = crc,
                Part::Boxes => self.found.boxes = crc,
                Part::Mask => self.found.mask = crc,
                Part::Metadata => self.found.meta = crc,
                _ => {}
            }
        }
    }

    /// Reports the bad values of a sample, once all of them are known.
    fn flush(&mut self, report: &mut Report) {
        let Some(Bad { part, sample, count, offset, what }) = self.bad.take() else { return };
        let (code, things) = match part {
            Part::Images => (&codes::PIXEL, "values"),
            Part::Boxes => (&codes::BOX, "boxes"),
            _ => (&codes::MASK, "values"),
        };
        let more = if count > 1 { format!(", the first of {count} such {things}") } else { String::new() };
        let e = Error::new(code, format!("{what}{more}")).section(part.name()).offset(offset);
        self.say(report, e.sample(self.shard.first + sample));
    }

    fn is_bad(&mut self, part: Part, sample: u64, offset: u64, what: impl FnOnce() -> String, report: &mut Report) {
        if let Some(bad) = self.bad.as_mut().filter(|bad| bad.sample == sample && bad.part == part) {
            bad.count += 1;
            return;
        }
        self.flush(report);
        self.bad = Some(Bad { part, sample, count: 1, offset, what: what() });
    }

    /// Gives numbers to `each`, with the place of the first among those of the block.
    fn numbers(&mut self, dtype: Dtype, bytes: &[u8], first: u64, mut each: impl FnMut(&mut Self, u64, &[f32])) {
        let size = dtype.size() as usize;
        let endianness = self.shard.header.shape.endianness;
        let mut values = std::mem::take(&mut self.values);
        for (k, run) in bytes.chunks(RUN * size).enumerate() {
            let len = run.len() / size;
            if let Some(values) = values.get_mut(..len) {
                to_f32(dtype, endianness, run, values);
                each(self, first + (k * RUN) as u64, values);
            }
        }
        self.values = values;
    }

    fn images(&mut self, bytes: &[u8], from: u64, report: &mut Report) {
        let shape = self.shard.header.shape;
        let len = shape.image_len().unwrap_or(1).max(1);
        let mut done = 0usize;
        while done < bytes.len() {
            let at = from + done as u64;
            let (sample, inside) = (at / len, at % len);
            let n = usize::try_from(len - inside).unwrap_or(usize::MAX).min(bytes.len() - done);
            let part = &bytes[done..done + n];
            done += n;
            self.crc.update(part);
            if shape.dtype != Dtype::U8 {
                self.pixels(part, at, sample, report);
            }
            if inside + n as u64 == len {
                self.found.images.push(std::mem::take(&mut self.crc).finish());
            }
        }
    }

    fn pixels(&mut self, bytes: &[u8], from: u64, sample: u64, report: &mut Report) {
        let dtype = self.shard.header.shape.dtype;
        let size = dtype.size();
        let base = self.shard.blocks.images.start;
        self.numbers(dtype, bytes, from / size, |pass, first, values| {
            // What is not a number is in no range.
            if values.iter().all(|x| (0.0..=1.0).contains(x)) {
                return;
            }
            for (k, x) in values.iter().enumerate().filter(|(_, x)| !(0.0..=1.0).contains(*x)) {
                let offset = base + (first + k as u64) * size;
                pass.is_bad(Part::Images, sample, offset, || format!("a pixel is {x}, not between 0 and 1"), report);
            }
        });
    }

    fn boxes(&mut self, bytes: &[u8], from: u64, report: &mut Report) {
        let shape = self.shard.header.shape;
        let size = shape.boxes_dtype.size();
        let (base, places) = (self.shard.blocks.boxes.start, u64::from(shape.max_boxes).max(1));
        let mut whole = std::mem::take(&mut self.half_box);
        let held = whole.len() as u64;
        whole.extend_from_slice(bytes);
        let from = from - held;
        let rest = whole.split_off(whole.len() - whole.len() % (4 * size as usize));
        self.numbers(shape.boxes_dtype, &whole, from / size, |pass, first, values| {
            for (k, corners) in values.as_chunks::<4>().0.iter().enumerate().filter(|(_, b)| !is_box(b)) {
                let number = first / 4 + k as u64;
                let offset = base + number * 4 * size;
                let what = || {
                    format!("{corners:?} is not a box: corners lie from 0 to 1, left before right, top before bottom")
                };
                pass.is_bad(Part::Boxes, number / places, offset, what, report);
            }
        });
        self.half_box = rest;
    }

    fn mask(&mut self, bytes: &[u8], from: u64, report: &mut Report) {
        let shape = self.shard.header.shape;
        let size = shape.boxes_dtype.size();
        let (base, places) = (self.shard.blocks.mask.start, u64::from(shape.max_boxes).max(1));
        self.numbers(shape.boxes_dtype, bytes, from / size, |pass, first, values| {
            for (k, x) in values.iter().enumerate().filter(|(_, x)| **x != 0.0 && **x != 1.0) {
                let number = first + k as u64;
                let what = || format!("a value of the mask is {x}, neither 0 nor 1");
                pass.is_bad(Part::Mask, number / places, base + number * size, what, report);
            }
        });
    }

    /// Compares what was found with what was announced, once everything was seen. Returns how many samples there were.
    pub fn finish(mut self, report: &mut Report) -> u64 {
        self.flush(report);
        let found = std::mem::take(&mut self.digest).finish();
        if let Some(announced) = &self.announced
            && !announced.eq_ignore_ascii_case(&found)
        {
            let message = format!("SHA-256 of the shard is {found}, the manifest says {announced}");
            self.say(report, Error::new(&codes::CHECKSUM, message).section("shard"));
        }
        let metadata: Vec<Error> = (0..self.shard.header.samples)
            .filter_map(|k| self.odd_record(k).err().map(|e| e.sample(self.shard.first + k)))
            .collect();
        metadata.into_iter().for_each(|e| self.say(report, e));
        if self.parts.iter().any(|(part, _)| *part == Part::Checksums) {
            let block = std::mem::take(&mut self.checksums).freeze();
            let ShardHeader { checksum_offset, samples, .. } = *self.shard.header();
            match Checksums::parse(&block, checksum_offset, samples) {
                Ok(said) => self.compare(&said, report),
                Err(e) => self.say(report, e),
            }
        }
        self.shard.header.samples
    }

    /// A record that does not read, or that speaks of more boxes than there are places.
    fn odd_record(&self, k: u64) -> Result<()> {
        let Some(records) = &self.shard.records else { return Ok(()) };
        let (record, places) = (records.get(k)?, self.shard.header.shape.max_boxes);
        if record.classes.len() > places as usize {
            let message = format!("there are classes for {} boxes, and places for {places}", record.classes.len());
            return Err(Error::new(&codes::METADATA, message).section("metadata").offset(records.text(k)?.1));
        }
        Ok(())
    }

    fn compare(&self, said: &Checksums, report: &mut Report) {
        let has_meta = self.shard.header.meta_offset > 0;
        let blocks = [
            ("header", self.found.header, said.header, self.shard.header.len == super::raw::HEADER_LEN),
            ("boxes", self.found.boxes, said.boxes, true),
            ("mask", self.found.mask, said.mask, true),
            ("metadata", self.found.meta, said.meta, has_meta),
        ];
        for (name, found, said, _) in blocks.into_iter().filter(|(_, found, said, there)| *there && found != said) {
            self.say(report, mismatch(name, found, said));
        }
        for (k, (found, said)) in self.found.images.iter().zip(&said.images).enumerate() {
            if found != said {
                let e = mismatch("images", *found, *said).offset(self.shard.image(k as u64).start);
                self.say(report, e.sample(self.shard.first + k as u64));
            }
        }
    }
}
