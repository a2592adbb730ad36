//! From the first bytes to the arrays.

use std::ops::Range;

use bytes::Bytes;

use super::{
    array::{Array, Place, in_rows},
    file::Arrays,
    header::{Header, len, read},
};
use crate::{
    doors::codes,
    error::{self, Error, Result},
    limits::Limits,
    step::{Pieces, Step, Stepper},
};
#[cfg(feature = "zip")]
use crate::{sample::SamplePlan, zip::Zip};

/// Bytes of an array that have its header in them, mostly.
const HEAD: u64 = 4096;

/// Opens an array, or an archive of some.
#[derive(Debug)]
pub struct Opener {
    limits: Limits,
    pieces: Pieces,
    waiting: std::vec::IntoIter<Waiting>,
    now: Option<Waiting>,
    arrays: Vec<Array>,
    in_memory: u64,
}

/// An array that is to be opened.
#[derive(Debug)]
enum Waiting {
    /// Part of the file, as it is.
    Plain { name: String, range: Range<u64> },
    /// A member of an archive.
    #[cfg(feature = "zip")]
    Member { name: String, plan: SamplePlan },
}

impl Opener {
    /// For a file of this many bytes that is one array.
    pub fn new(file_len: u64, limits: &Limits) -> Opener {
        Self::of(vec![Waiting::Plain { name: String::new(), range: 0..file_len }], limits)
    }

    /// For an archive.
    #[cfg(feature = "zip")]
    pub(crate) fn of_zip(zip: &Zip, limits: &Limits) -> Opener {
        use crate::sample::record::split;
        let mut arrays = Vec::new();
        for i in 0..zip.len() {
            let Some(name) = zip.name(i) else { continue };
            let stem = split(name).0;
            let plain = |name: &str| name.strip_suffix(".npy").unwrap_or(name).to_owned();
            arrays.extend(zip.plan(i).ok().map(|plan| Waiting::Member { name: plain(name), plan }));
            let beside = zip.sidecars(i);
            arrays.extend(beside.map(|(ext, plan)| Waiting::Member { name: plain(&format!("{stem}.{ext}")), plan }));
        }
        Self::of(arrays, limits)
    }

    fn of(arrays: Vec<Waiting>, limits: &Limits) -> Opener {
        let mut waiting = arrays.into_iter();
        let now = waiting.next();
        Opener { limits: limits.clone(), pieces: Pieces::default(), waiting, now, arrays: Vec::new(), in_memory: 0 }
    }

    fn array(&mut self, waiting: &Waiting) -> Result<Step<Array>> {
        match waiting {
            Waiting::Plain { name, range } => self.plain(name, range.clone()),
            #[cfg(feature = "zip")]
            Waiting::Member { name, plan } => self.member(name, plan).map_err(|e| e.member(name.as_str())),
        }
    }

    /// An array that lies in the file as it is.
    fn plain(&mut self, name: &str, range: Range<u64>) -> Result<Step<Array>> {
        if range.is_empty() {
            return Err(Error::new(&error::codes::EMPTY, "the file has no bytes").offset(range.start));
        }
        let all = range.end - range.start;
        let wanted = range.start..range.start + HEAD.min(all);
        let Some(head) = self.pieces.get(wanted.clone()) else { return Ok(Step::Need(self.pieces.lacking(wanted))) };
        let long = len(&head).map_err(|e| e.offset(range.start))?;
        self.limits.metadata(long)?;
        let wanted = range.start..range.start + long.min(all);
        let Some(head) = self.pieces.get(wanted.clone()) else { return Ok(Step::Need(self.pieces.lacking(wanted))) };
        let header = read(&head).map_err(|e| e.offset(range.start))?;
        let (start, size) = (range.start + header.len, expected(&header, all)?);
        if !header.is_fortran || header.shape.len() < 2 {
            return Ok(Step::Done(Array { name: name.to_owned(), header, place: Place::File(start) }));
        }
        // The values of a row lie all over the array.
        self.charge(size)?;
        let wanted = start..start + size;
        let Some(values) = self.pieces.get(wanted.clone()) else { return Ok(Step::Need(self.pieces.lacking(wanted))) };
        self.in_memory += size;
        let place = Place::Memory(in_rows(&header, &values));
        Ok(Step::Done(Array { name: name.to_owned(), header, place }))
    }

    /// An array of an archive: one that is stored is read row by row, and one that is packed is unpacked now.
    #[cfg(feature = "zip")]
    fn member(&mut self, name: &str, plan: &SamplePlan) -> Result<Step<Array>> {
        let range = plan.range();
        if plan.info.codec == crate::codec::Codec::None {
            let wanted = plan.front_range(0);
            let Some(head) = self.pieces.get(wanted.clone()) else {
                return Ok(Step::Need(self.pieces.lacking(wanted)));
            };
            let short = |at: usize| head.get(at..)?.first_chunk().map(|bytes| u64::from(u16::from_le_bytes(*bytes)));
            let lead = short(26).zip(short(28)).map(|(name, extra)| 30 + name + extra);
            let start = lead.map(|lead| range.start + lead);
            let end = start.and_then(|start| start.checked_add(plan.info.stored_bytes));
            let place = start.zip(end).filter(|(_, end)| *end <= range.end);
            let (start, end) = place.ok_or_else(|| {
                Error::new(&codes::NPY_DATA, "the header of the archive's member is not readable").offset(range.start)
            })?;
            return self.plain(name, start..end);
        }
        self.charge(plan.info.bytes)?;
        let Some(bytes) = self.pieces.get(range.clone()) else { return Ok(Step::Need(self.pieces.lacking(range))) };
        let file = plan.decode(&bytes, &self.limits)?;
        let header = read(&file)?;
        let size = expected(&header, file.len() as u64)?;
        self.in_memory += plan.info.bytes;
        let values = file.slice(header.len as usize..(header.len + size) as usize);
        let is_fortran = header.is_fortran && header.shape.len() > 1;
        let place = Place::Memory(if is_fortran { in_rows(&header, &values) } else { values });
        Ok(Step::Done(Array { name: name.to_owned(), header, place }))
    }

    /// Charges an array that is held in memory.
    fn charge(&self, bytes: u64) -> Result<()> {
        let all = self.in_memory.saturating_add(bytes);
        let advice = "arrays that are packed, or in the order of Fortran, are held in memory: write them with numpy.savez, \
                      which packs nothing";
        self.limits.item(all).map(drop).map_err(|e| e.more(advice))
    }
}

/// How many bytes the values have, which must be there.
fn expected(header: &Header, all: u64) -> Result<u64> {
    let left = all.saturating_sub(header.len);
    // The size of a type of several fields is not known here.
    let size = if header.descr.starts_with('[') { Some(left) } else { header.bytes() };
    size.filter(|&size| size <= left).ok_or_else(|| {
        let size = size.unwrap_or(u64::MAX);
        Error::new(&codes::NPY_DATA, format!("the array's values have {size} bytes, and {left} are left"))
    })
}

impl Stepper for Opener {
    type Output = Arrays;

    fn step(&mut self) -> Result<Step<Arrays>> {
        while let Some(waiting) = self.now.take() {
            match self.array(&waiting)? {
                Step::Need(ranges) => {
                    self.now = Some(waiting);
                    return Ok(Step::Need(ranges));
                }
                Step::Done(array) => self.arrays.push(array),
            }
            self.pieces = Pieces::default();
            self.now = self.waiting.next();
        }
        Ok(Step::Done(Arrays::new(std::mem::take(&mut self.arrays), &self.limits)))
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }
}
