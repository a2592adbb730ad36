//! One view over every image container, and the stepper that opens whichever it is.
//!
//! ```
//! use bytes::Bytes;
//! use forebay::{Limits, samples::Opener, step::{Step, Stepper}};
//! # fn demo(host: impl Fn(std::ops::Range<u64>) -> Bytes, file_len: u64) -> forebay::Result<()> {
//! let mut open = Opener::new(file_len);
//! let dataset = loop {
//!     match open.step()? {
//!         Step::Need(ranges) => ranges.into_iter().for_each(|r| open.push(r.start, host(r))),
//!         Step::Done(dataset) => break dataset,
//!     }
//! };
//! let plan = dataset.plan(17)?;
//! let payload = plan.decode(&host(plan.range()), &Limits::default())?;
//! # Ok(()) }
//! ```

use bytes::Bytes;

#[cfg(feature = "doors")]
use crate::doors::{self, Door};
#[cfg(feature = "warehouse")]
use crate::warehouse::Warehouse;
#[cfg(feature = "zip")]
use crate::zip::{self, Zip};
use crate::{
    detect::{HEAD_LEN, detect},
    error::{Error, Result, codes},
    foreign::foreign,
    formats::Format,
    limits::Limits,
    sample::{SampleInfo, SamplePlan},
    step::{Pieces, Step, Stepper},
    tar::{self, Tar},
    tbl::{self, Tbl, raw::HEADER_LEN},
};

/// An opened image container. Cloning is cheap for a TBL and a warehouse; a TAR's member list is shared.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Dataset {
    /// A TBL of either layout.
    Tbl(Tbl),
    /// A tar archive, its files grouped into samples.
    Tar(Tar),
    /// A ZIP archive, its files grouped into samples.
    #[cfg(feature = "zip")]
    Zip(Zip),
    /// Records of another program's format.
    #[cfg(feature = "doors")]
    Door(Door),
    /// A tensor warehouse. It is several files, so an opener of its own gives it: [`warehouse::Opener`](crate::warehouse::Opener).
    #[cfg(feature = "warehouse")]
    Warehouse(Warehouse),
}

impl Dataset {
    /// Which format it is.
    pub fn format(&self) -> Format {
        match self {
            Dataset::Tbl(_) => Format::Tbl,
            Dataset::Tar(_) => Format::Tar,
            #[cfg(feature = "zip")]
            Dataset::Zip(_) => Format::Zip,
            #[cfg(feature = "doors")]
            Dataset::Door(door) => door.format(),
            #[cfg(feature = "warehouse")]
            Dataset::Warehouse(_) => Format::Warehouse,
        }
    }
    /// The TBL, if it is one.
    #[doc(hidden)]
    pub fn tbl(&self) -> Option<&Tbl> {
        match self {
            Dataset::Tbl(tbl) => Some(tbl),
            _ => None,
        }
    }
    /// The archive, if it is one.
    #[doc(hidden)]
    pub fn tar(&self) -> Option<&Tar> {
        match self {
            Dataset::Tar(tar) => Some(tar),
            _ => None,
        }
    }
    /// The ZIP archive, if it is one.
    #[cfg(feature = "zip")]
    #[doc(hidden)]
    pub fn zip(&self) -> Option<&Zip> {
        match self {
            Dataset::Zip(zip) => Some(zip),
            _ => None,
        }
    }
    /// The records of another program's format, if they are some.
    #[cfg(feature = "doors")]
    #[doc(hidden)]
    pub fn door(&self) -> Option<&Door> {
        match self {
            Dataset::Door(door) => Some(door),
            _ => None,
        }
    }
    /// The name of the file in an archive that is sample `i`.
    #[doc(hidden)]
    pub fn file_name(&self, i: u64) -> Option<&str> {
        match self {
            Dataset::Tar(tar) => tar.name(i),
            #[cfg(feature = "zip")]
            Dataset::Zip(zip) => zip.name(i),
            _ => None,
        }
    }
    /// The warehouse, if it is one.
    #[cfg(feature = "warehouse")]
    pub fn warehouse(&self) -> Option<&Warehouse> {
        match self {
            #[cfg(feature = "warehouse")]
            Dataset::Warehouse(warehouse) => Some(warehouse),
            _ => None,
        }
    }
    /// Whether the index says the size of pictures, and the metadata their names: in an archive it is the other way round.
    pub fn has_index(&self) -> bool {
        #[cfg(feature = "zip")]
        if let Dataset::Zip(_) = self {
            return false;
        }
        #[cfg(feature = "doors")]
        if let Dataset::Door(_) = self {
            return false;
        }
        !matches!(self, Dataset::Tar(_))
    }
    /// Whether the names of samples stand in their metadata.
    #[doc(hidden)]
    pub fn names_in_metadata(&self) -> bool {
        #[cfg(feature = "doors")]
        if let Dataset::Door(_) = self {
            return true;
        }
        self.has_index()
    }
    /// How many samples there are.
    pub fn len(&self) -> u64 {
        match self {
            Dataset::Tbl(tbl) => tbl.len(),
            Dataset::Tar(tar) => tar.len(),
            #[cfg(feature = "zip")]
            Dataset::Zip(zip) => zip.len(),
            #[cfg(feature = "doors")]
            Dataset::Door(door) => door.len(),
            #[cfg(feature = "warehouse")]
            Dataset::Warehouse(warehouse) => warehouse.len(),
        }
    }
    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// What opening passed over.
    #[doc(hidden)]
    pub fn passed(&self) -> &[std::sync::Arc<Error>] {
        #[cfg(feature = "doors")]
        if let Dataset::Door(door) = self {
            return door.passed();
        }
        self.tar().map_or(&[], |tar| &tar.archive().passed)
    }
    /// Returns the description of sample `i` without reading it. A TAR's headers have no width and height.
    pub fn info(&self, i: u64) -> Result<SampleInfo> {
        match self {
            Dataset::Tbl(tbl) => tbl.info(i),
            Dataset::Tar(tar) => tar.info(i, None),
            #[cfg(feature = "zip")]
            Dataset::Zip(zip) => zip.info(i, None),
            #[cfg(feature = "doors")]
            Dataset::Door(door) => door.info(i),
            #[cfg(feature = "warehouse")]
            Dataset::Warehouse(warehouse) => warehouse.info(i),
        }
    }
    /// Plans the read of sample `i`'s payload.
    pub fn plan(&self, i: u64) -> Result<SamplePlan> {
        match self {
            Dataset::Tbl(tbl) => tbl.plan(i),
            Dataset::Tar(tar) => tar.plan(i),
            #[cfg(feature = "zip")]
            Dataset::Zip(zip) => zip.plan(i),
            #[cfg(feature = "doors")]
            Dataset::Door(door) => door.plan(i),
            #[cfg(feature = "warehouse")]
            Dataset::Warehouse(warehouse) => warehouse.plan(i),
        }
    }
}

/// Opens an image container of any format, found out by content.
#[derive(Debug)]
pub struct Opener {
    file_len: u64,
    limits: Limits,
    keep_going: bool,
    pieces: Pieces,
    work: Work,
}

#[derive(Debug)]
enum Work {
    Detect,
    /// What an earlier scan found, not yet compared with the file.
    Kept(Box<tar::Archive>),
    Tbl(tbl::Opener),
    Tar(Box<tar::Opener>),
    #[cfg(feature = "zip")]
    Zip(zip::Opener),
    #[cfg(feature = "doors")]
    Door(Box<doors::open::Opener>),
}

impl Opener {
    /// For a file of this many bytes, with the limits usual for this host.
    pub fn new(file_len: u64) -> Self {
        let (limits, pieces) = (Limits::default(), Pieces::default());
        Opener { file_len, limits, keep_going: false, pieces, work: Work::Detect }
    }
    /// Of records whose format and place are known already.
    #[cfg(feature = "doors")]
    #[doc(hidden)]
    pub fn of_records(open: doors::open::Opener) -> Self {
        Opener { work: Work::Door(Box::new(open)), ..Opener::new(0) }
    }
    /// With other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
    /// Goes on behind damaged headers of a TAR and members of it that are not read: [`Dataset::passed`] lists them.
    #[doc(hidden)]
    #[must_use]
    pub fn keep_going(mut self) -> Self {
        self.keep_going = true;
        self
    }
    /// With what an earlier scan of the same archive found, as [`tar::Archive::to_kept`] gave it: the file then opens
    /// with one look at two headers. Bytes that do not fit this file are not a fault; it is scanned.
    #[must_use]
    pub fn with_kept(mut self, kept: &[u8]) -> Self {
        if let Some(archive) = tar::Archive::from_kept(kept, self.file_len, &self.limits) {
            self.work = Work::Kept(Box::new(archive));
        }
        self
    }
    /// The archive that is being scanned, if the file is one: its members so far can be shown, and what came
    /// before an error kept.
    #[doc(hidden)]
    pub fn scanner(&self) -> Option<&tar::Opener> {
        match &self.work {
            Work::Tar(scanner) => Some(scanner),
            _ => None,
        }
    }
    /// Whether it walks through the file, so that what follows will be asked for.
    #[doc(hidden)]
    pub fn walks(&self) -> bool {
        #[cfg(feature = "doors")]
        if let Work::Door(open) = &self.work {
            return open.walks();
        }
        self.scanner().is_some()
    }
    /// As [`scanner`](Self::scanner), giving it away.
    pub(crate) fn into_scanner(self) -> Option<tar::Opener> {
        match self.work {
            Work::Tar(scanner) => Some(*scanner),
            _ => None,
        }
    }

    /// The samples before the damage of a TAR, if that stopped it.
    #[doc(hidden)]
    pub fn into_partial(self) -> Option<Result<Dataset>> {
        Some(Tar::new(self.into_scanner()?.into_partial()).map(Dataset::Tar))
    }

    /// Compares what was kept with the file: ranges that are still needed, or whether it is of this file.
    fn compare(&self, archive: &tar::Archive) -> std::result::Result<bool, Vec<std::ops::Range<u64>>> {
        let wanted = tar::kept::proof(archive);
        let lacking: Vec<_> = wanted.iter().flat_map(|range| self.pieces.lacking(range.clone())).collect();
        if !lacking.is_empty() {
            return Err(lacking);
        }
        let same = |range: &std::ops::Range<u64>| {
            let header = self.pieces.get(range.clone());
            header.is_some_and(|header| tar::kept::proves(archive, &header, range.start, &self.limits))
        };
        Ok(!wanted.is_empty() && wanted.iter().all(same))
    }

    /// What opens a file of that format, if it holds records.
    #[cfg(feature = "doors")]
    fn door(&self, format: Format) -> Option<doors::open::Opener> {
        doors::open::Opener::new(format, self.file_len, &self.limits, self.keep_going)
    }

    /// Reads a TBL's 64 bytes first, so that opening one reads its header and index and nothing else.
    fn detect(&mut self) -> Result<Option<Vec<std::ops::Range<u64>>>> {
        if self.file_len == 0 {
            return Err(Error::new(&codes::EMPTY, "the file has no bytes").offset(0));
        }
        let mut known = None;
        for wanted in [HEADER_LEN, HEAD_LEN] {
            let range = 0..wanted.min(self.file_len);
            let Some(head) = self.pieces.get(range.clone()) else {
                return Ok(Some(self.pieces.lacking(range)));
            };
            self.work = match detect(&head) {
                Some(Format::Tbl) => {
                    let mut open = tbl::Opener::new(self.file_len).with_limits(self.limits.clone());
                    open.push(0, head);
                    Work::Tbl(open)
                }
                Some(Format::Tar) => {
                    let mut scanner = tar::Opener::new(self.file_len).with_limits(self.limits.clone());
                    if self.keep_going {
                        scanner = scanner.keep_going();
                    }
                    scanner.push(0, head);
                    Work::Tar(Box::new(scanner))
                }
                #[cfg(feature = "zip")]
                Some(Format::Zip) => {
                    let mut open = zip::Opener::new(self.file_len).with_limits(self.limits.clone());
                    open.push(0, head);
                    Work::Zip(open)
                }
                #[cfg(not(feature = "zip"))]
                Some(Format::Zip) => {
                    let message = "this build does not read ZIP archives; the feature `zip` adds it";
                    return Err(Error::new(&crate::codec::codes::UNAVAILABLE, message));
                }
                Some(Format::Warehouse) => {
                    let message =
                        "this is a part of a tensor warehouse, which is opened by its manifest and all its shards";
                    return Err(Error::new(&codes::NOT_SAMPLES, message));
                }
                #[cfg(feature = "doors")]
                Some(format) if let Some(mut open) = self.door(format) => {
                    open.push(0, head);
                    Work::Door(Box::new(open))
                }
                #[cfg(not(feature = "doors"))]
                Some(other) if other.holds() == crate::formats::Holds::Samples => {
                    let message = format!(
                        "this build does not read {}; the command does: forebay convert FILE out.tbl",
                        other.name()
                    );
                    return Err(Error::new(&crate::codec::codes::UNAVAILABLE, message));
                }
                Some(other) => {
                    return Err(Error::new(
                        &codes::NOT_SAMPLES,
                        format!("this is {}, not a container of samples", other.name()),
                    ));
                }
                None => {
                    known = foreign(&head);
                    continue;
                }
            };
            return Ok(None);
        }
        let message = known.unwrap_or_else(|| "the first bytes belong to no format that Forebay reads".to_owned());
        Err(Error::new(&codes::UNKNOWN_FORMAT, message).offset(0))
    }
}

impl Stepper for Opener {
    type Output = Dataset;

    fn step(&mut self) -> Result<Step<Dataset>> {
        if let Work::Kept(archive) = &self.work {
            match self.compare(archive) {
                Err(lacking) => return Ok(Step::Need(lacking)),
                Ok(same) => {
                    let kept = std::mem::replace(&mut self.work, Work::Detect);
                    if let (true, Work::Kept(archive)) = (same, kept) {
                        return Ok(Step::Done(Dataset::Tar(Tar::new(*archive)?)));
                    }
                }
            }
        }
        if matches!(self.work, Work::Detect)
            && let Some(need) = self.detect()?
        {
            return Ok(Step::Need(need));
        }
        Ok(match &mut self.work {
            Work::Tbl(open) => match open.step()? {
                Step::Need(ranges) => Step::Need(ranges),
                Step::Done(tbl) => Step::Done(Dataset::Tbl(tbl)),
            },
            Work::Tar(scanner) => match scanner.step()? {
                Step::Need(ranges) => Step::Need(ranges),
                Step::Done(archive) => Step::Done(Dataset::Tar(Tar::new(archive)?)),
            },
            #[cfg(feature = "zip")]
            Work::Zip(open) => match open.step()? {
                Step::Need(ranges) => Step::Need(ranges),
                #[cfg(feature = "doors")]
                Step::Done(zip) if let Some(arrays) = doors::open::Opener::of_zip(&zip, &self.limits) => {
                    self.work = Work::Door(Box::new(arrays));
                    return self.step();
                }
                Step::Done(zip) => Step::Done(Dataset::Zip(zip)),
            },
            #[cfg(feature = "doors")]
            Work::Door(open) => open.step()?.map(Dataset::Door),
            Work::Detect | Work::Kept(_) => Step::Need(self.pieces.lacking(0..HEADER_LEN.min(self.file_len))),
        })
    }

    fn push(&mut self, start: u64, bytes: Bytes) {
        match &mut self.work {
            Work::Detect | Work::Kept(_) => self.pieces.push(start, bytes),
            Work::Tbl(open) => open.push(start, bytes),
            Work::Tar(scanner) => scanner.push(start, bytes),
            #[cfg(feature = "zip")]
            Work::Zip(open) => open.push(start, bytes),
            #[cfg(feature = "doors")]
            Work::Door(open) => open.push(start, bytes),
        }
    }
}
