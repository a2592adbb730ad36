//! From the first bytes of a file to a door: where the records lie, and then what the first of them have.

use std::{ops::Range, sync::Arc};

use bytes::Bytes;

use super::{choice::Choice, door::Door, ffcv, field::Field, litdata, lmdb, mds, npy, records::Records, tfrecord};
use crate::{
    error::Result,
    formats::Format,
    limits::Limits,
    step::{Pieces, Step, Stepper},
};

/// Records that are looked at before it is decided which field is the sample.
const LOOKS: u64 = 4;
/// Bytes of them; a single one may have more.
const LOOK_BYTES: u64 = 32 << 20;

/// Opens a file of records of a format that is known.
#[derive(Debug)]
pub struct Opener {
    limits: Limits,
    classes: Vec<String>,
    notes: Vec<String>,
    work: Work,
}

#[derive(Debug)]
enum Work {
    TfRecord(Box<tfrecord::Opener>),
    Mds(Box<mds::Opener>),
    Lmdb(Box<lmdb::Opener>),
    Npy(Box<npy::Opener>),
    Ffcv(Box<ffcv::Opener>),
    Deciding(Deciding),
}

impl Opener {
    /// Opens a file of this format and length; `None` if the format has no records. `keep_going` passes over what is
    /// damaged, where the format allows to find what follows.
    pub fn new(format: Format, file_len: u64, limits: &Limits, keep_going: bool) -> Option<Opener> {
        let work = match format {
            Format::TfRecord => Work::TfRecord(Box::new(tfrecord::Opener::new(file_len, limits, keep_going))),
            Format::Mds => {
                let part = mds::Part::new("", 0..file_len);
                Work::Mds(Box::new(mds::Opener::new(vec![part], limits, keep_going)))
            }
            Format::Lmdb => Work::Lmdb(Box::new(lmdb::Opener::new(file_len, limits))),
            Format::Npy => Work::Npy(Box::new(npy::Opener::new(file_len, limits))),
            Format::Ffcv => Work::Ffcv(Box::new(ffcv::Opener::new(file_len, limits))),
            _ => return None,
        };
        Some(Self::of(work, limits))
    }
    /// For shards of MDS that are read as one file.
    pub fn of_shards(parts: Vec<mds::Part>, limits: &Limits, keep_going: bool) -> Opener {
        Self::of(Work::Mds(Box::new(mds::Opener::new(parts, limits, keep_going))), limits)
    }
    /// For chunks of LitData that are read as one file.
    pub fn of_chunks(parts: Vec<mds::Part>, spec: &litdata::Spec, limits: &Limits, keep_going: bool) -> Opener {
        let opener = mds::Opener::new(parts, limits, keep_going).of_chunks(spec.columns.clone());
        Self::of(Work::Mds(Box::new(opener)), limits)
    }
    /// For an archive of arrays; `None` for one of anything else.
    #[cfg(feature = "zip")]
    pub(crate) fn of_zip(zip: &crate::zip::Zip, limits: &Limits) -> Option<Opener> {
        let is_array = |name: &str| name.ends_with(".npy");
        let all = (0..zip.len()).all(|i| {
            zip.name(i).is_some_and(is_array) && zip.sidecars(i).all(|(ending, _)| ending == "npy" || is_array(ending))
        });
        (all && !zip.is_empty()).then(|| Self::of(Work::Npy(Box::new(npy::Opener::of_zip(zip, limits))), limits))
    }
    fn of(work: Work, limits: &Limits) -> Opener {
        Opener { limits: limits.clone(), classes: Vec::new(), notes: Vec::new(), work }
    }
    /// Adds what neighboring files say: the names of the classes by their numbers, and remarks.
    #[must_use]
    pub fn told(mut self, classes: Vec<String>, notes: Vec<String>) -> Opener {
        (self.classes, self.notes) = (classes, notes);
        self
    }
    /// Whether it walks through the file, so that what follows will be asked for.
    pub fn walks(&self) -> bool {
        matches!(self.work, Work::TfRecord(_))
    }
}

impl Stepper for Opener {
    type Output = Door;

    fn step(&mut self) -> Result<Step<Door>> {
        loop {
            let found: Step<Arc<dyn Records>> = match &mut self.work {
                Work::TfRecord(work) => work.step()?.map(|file| Arc::new(file) as _),
                Work::Mds(work) => work.step()?.map(|file| Arc::new(file) as _),
                Work::Lmdb(work) => work.step()?.map(|file| Arc::new(file) as _),
                Work::Npy(work) => work.step()?.map(|file| Arc::new(file) as _),
                Work::Ffcv(work) => work.step()?.map(|file| Arc::new(file) as _),
                Work::Deciding(work) => {
                    let mut told = || (std::mem::take(&mut self.classes), std::mem::take(&mut self.notes));
                    return Ok(work.step()?.map(|door| {
                        let (classes, notes) = told();
                        door.told(classes, notes)
                    }));
                }
            };
            match found {
                Step::Need(ranges) => return Ok(Step::Need(ranges)),
                Step::Done(records) => self.work = Work::Deciding(Deciding::new(records, &self.limits)),
            }
        }
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        match &mut self.work {
            Work::TfRecord(work) => work.push(start, bytes),
            Work::Mds(work) => work.push(start, bytes),
            Work::Lmdb(work) => work.push(start, bytes),
            Work::Npy(work) => work.push(start, bytes),
            Work::Ffcv(work) => work.push(start, bytes),
            Work::Deciding(work) => work.push(start, bytes),
        }
    }
}

/// Looks at the first records, and decides which field is the sample.
#[derive(Debug)]
pub struct Deciding {
    records: Arc<dyn Records>,
    limits: Limits,
    pieces: Pieces,
}

impl Deciding {
    /// Among the fields of these.
    pub fn new(records: Arc<dyn Records>, limits: &Limits) -> Deciding {
        Deciding { records, limits: limits.clone(), pieces: Pieces::default() }
    }

    /// The bytes of the first records, each with the other bytes that it needs.
    fn looks(&self) -> Vec<(u64, Range<u64>, Vec<Range<u64>>)> {
        let (mut looks, mut bytes) = (Vec::new(), 0_u64);
        for i in 0..self.records.len().min(LOOKS) {
            // Reading a record reports what is wrong with it.
            let (Ok(range), Ok(beside)) = (self.records.range(i), self.records.beside(i)) else { continue };
            let mine = beside.iter().chain([&range]).map(|range| range.end.saturating_sub(range.start)).sum::<u64>();
            bytes = bytes.saturating_add(mine);
            if self.limits.item(mine).is_err() || bytes > LOOK_BYTES && !looks.is_empty() {
                continue;
            }
            looks.push((i, range, beside));
        }
        looks
    }

    fn fields(&self, i: u64, range: Range<u64>) -> Result<Vec<Field>> {
        let mut fields = self.records.fields(i, &self.pieces.expect(range)?, true)?;
        fields.extend(self.records.fields_beside(i, &|range| self.pieces.expect(range))?);
        Ok(fields)
    }
}

impl Stepper for Deciding {
    type Output = Door;

    fn step(&mut self) -> Result<Step<Door>> {
        let looks = self.looks();
        let ranges = looks.iter().flat_map(|(_, range, beside)| beside.iter().chain([range]));
        let lacking: Vec<_> = ranges.flat_map(|range| self.pieces.lacking(range.clone())).collect();
        if !lacking.is_empty() {
            return Ok(Step::Need(lacking));
        }
        let fields = looks.into_iter().filter_map(|(i, range, _)| self.fields(i, range).ok());
        let choice = Choice::of(&fields.collect::<Vec<_>>());
        Ok(Step::Done(Door::new(self.records.clone(), choice, &self.limits)))
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        self.pieces.push(start, bytes);
    }
}
