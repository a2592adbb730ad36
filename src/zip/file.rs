//! The members of an archive, and the samples that they are.

use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;

use super::{
    codes,
    entry::{Entry, LOCAL_LEN, What},
};
use crate::{
    codec::Codec,
    error::{self, Error, Result},
    image::Probe,
    limits::{self, Limits},
    sample::{ClassLevel, Frame, FrameCodes, MediaFormat, Member, Proof, SampleInfo, SamplePlan, record},
    tar::webdataset::{Groups, Sample, group},
};

/// A local header's extra fields have at most this many bytes.
const LONGEST_EXTRA: u64 = 0xffff;

const FRAME: FrameCodes = FrameCodes { header: &codes::MEMBER };

/// What an archive holds beside files, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOut {
    /// Folders.
    pub directories: u64,
    /// Symbolic links.
    pub links: u64,
    /// Hidden files, and what macOS keeps of its own.
    pub hidden: u64,
    /// Text, labels and lists that belong to no image, where there are images.
    pub others: u64,
}

impl LeftOut {
    /// All of them together.
    pub fn total(&self) -> u64 {
        self.directories + self.links + self.hidden + self.others
    }
}

/// 48 bytes a member; the names stand one after the other in a single text.
#[derive(Clone, Copy, Debug)]
struct Place {
    header: u64,
    /// From the header to where the next member may begin.
    room: u64,
    stored: u64,
    size: u64,
    crc: u32,
    name_end: u32,
    name_len: u16,
    deflated: bool,
}

/// Files that are left out are named up to this many.
const NAMED: usize = 3;

/// An opened archive: every file of it is exactly once a sample or a sidecar, or describes the images that there are
/// without being one's own, as `data.yaml` does, and is left out. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Zip(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    names: String,
    places: Vec<Place>,
    groups: Groups,
    left_out: LeftOut,
    /// The members that describe the images and are no sample's own.
    others: Vec<u32>,
    classes: ClassLevel,
    limits: Limits,
}

impl Zip {
    /// The entries of a directory that begins at `directory`, in any order.
    pub(super) fn new(mut entries: Vec<Entry>, directory: u64, limits: &Limits) -> Result<Zip> {
        let rooms = Rooms::new(&entries, directory)?;
        let mut left_out = LeftOut::default();
        entries.retain(|entry| {
            match entry.what {
                What::File => return true,
                What::Folder => left_out.directories += 1,
                What::Link => left_out.links += 1,
                What::Hidden => left_out.hidden += 1,
            }
            false
        });
        // Of members with one name the directory's order stays.
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        let too_many = || Error::new(&limits::codes::INDEX, "the members' names need more than 4 GiB");
        let (mut names, mut places) = (String::new(), Vec::with_capacity(entries.len()));
        for entry in &entries {
            names.push_str(&entry.name);
            places.push(Place {
                header: entry.header,
                room: rooms.room(entry),
                stored: entry.stored,
                size: entry.size,
                crc: entry.crc,
                name_end: u32::try_from(names.len()).map_err(|_| too_many())?,
                name_len: entry.name_len,
                deflated: entry.deflated,
            });
        }
        let mut groups = group(entries.iter().map(|entry| (entry.name.as_str(), entry.size)))?;
        let is_media = |member: usize| entries.get(member).is_some_and(|entry| record::is_media(&entry.name));
        let any = groups.iter().any(|sample| is_media(sample.primary));
        let others = groups.retain(|sample| !any || is_media(sample.primary));
        left_out.others = others.len() as u64;
        let media = groups.iter().filter_map(|sample| entries.get(sample.primary)).map(|entry| entry.name.as_str());
        let media: Vec<&str> = media.filter(|name| record::is_media(name)).collect();
        let classes = ClassLevel::of(media.into_iter(), None);
        Ok(Zip(Arc::new(Inner { names, places, groups, left_out, others, classes, limits: limits.clone() })))
    }

    /// How many samples there are.
    pub fn len(&self) -> u64 {
        self.0.groups.len() as u64
    }
    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.0.groups.is_empty()
    }
    /// How many files there are.
    pub fn members(&self) -> u64 {
        self.0.places.len() as u64
    }
    /// Bytes of all files once unpacked, and how many of these files are deflated.
    pub fn payload(&self) -> (u64, u64) {
        let places = self.0.places.iter();
        places.fold((0, 0), |(bytes, n), p| (u64::saturating_add(bytes, p.size), n + u64::from(p.deflated)))
    }
    /// The classes, where its folders are classes.
    pub fn classes(&self) -> &[String] {
        &self.0.classes.classes
    }
    /// What else there was.
    pub fn left_out(&self) -> LeftOut {
        self.0.left_out
    }
    /// The bounds that reading keeps.
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }
    /// What is worth knowing: guesses, and samples that are not images by name.
    pub fn notes(&self) -> Vec<String> {
        let first: Vec<&str> = self.others().take(NAMED).map(|(name, _)| name).collect();
        let others = match (first.as_slice(), self.0.others.len()) {
            ([], _) => None,
            ([one], 1) => Some(format!("1 file belongs to no image or video and is left out: {one}")),
            (some, n) => {
                Some(format!("{n} files belong to no image or video and are left out; the first: {}", some.join(", ")))
            }
        };
        let classes = self.0.classes.note.clone();
        self.0.groups.notes(|file| self.member_name(file)).into_iter().chain(classes).chain(others).collect()
    }

    /// The files that describe the images and are no sample's own.
    fn others(&self) -> impl Iterator<Item = (&str, SamplePlan)> {
        self.0.others.iter().filter_map(|&member| self.file(member as usize))
    }

    /// The name of member number `member`, and the plan of its read.
    #[doc(hidden)]
    pub fn file(&self, member: usize) -> Option<(&str, SamplePlan)> {
        Some((self.member_name(member)?, self.plan_member(0, member)?))
    }

    /// The members' numbers of sample `i`.
    pub fn sample(&self, i: u64) -> Option<Sample<'_>> {
        self.0.groups.get(usize::try_from(i).ok()?)
    }
    /// The name of member number `member`.
    pub(crate) fn member_name(&self, member: usize) -> Option<&str> {
        let end = self.0.places.get(member)?.name_end as usize;
        let start =
            member.checked_sub(1).and_then(|before| self.0.places.get(before)).map_or(0, |p| p.name_end as usize);
        self.0.names.get(start..end)
    }
    /// The name of sample `i`.
    pub fn name(&self, i: u64) -> Option<&str> {
        self.member_name(self.sample(i)?.primary)
    }
    /// The sidecars of sample `i` in the order of their names, each with its name behind the key and the plan of its read.
    pub fn sidecars(&self, i: u64) -> impl Iterator<Item = (&str, SamplePlan)> {
        let numbers = self.sample(i).map_or(&[][..], |sample| sample.sidecars);
        numbers.iter().filter_map(move |&number| {
            let plan = self.plan_member(i, number as usize)?;
            Some((record::split(self.member_name(number as usize)?).1.unwrap_or_default(), plan))
        })
    }

    /// What is known of sample `i`; the size of a picture is what `probe`, the look at it, says.
    pub fn info(&self, i: u64, probe: Option<Probe>) -> Result<SampleInfo> {
        let info = self.plan(i)?.info;
        Ok(match probe {
            Some(probe) => info.probed(probe),
            None => info,
        })
    }

    /// Plans the read of sample `i`'s payload.
    pub fn plan(&self, i: u64) -> Result<SamplePlan> {
        let plan = self.sample(i).and_then(|sample| self.plan_member(i, sample.primary));
        plan.ok_or_else(|| {
            let message = format!("there are {} samples, so none has the number {i}", self.len());
            Error::new(&error::codes::OUT_OF_RANGE, message).sample(i)
        })
    }

    /// Plans the read of a member, which belongs to sample `i`.
    fn plan_member(&self, i: u64, member: usize) -> Option<SamplePlan> {
        let place = self.0.places.get(member)?;
        let info = SampleInfo {
            index: i,
            format: MediaFormat::from_name(self.member_name(member)?),
            width: 0,
            height: 0,
            bytes: place.size,
            stored_bytes: place.stored,
            offset: place.header,
            codec: if place.deflated { Codec::Deflate } else { Codec::None },
        };
        let lead = LOCAL_LEN + u64::from(place.name_len);
        let frame = Frame::Member(Member { room: place.room, lead, codes: &FRAME });
        Some(SamplePlan::new(info, Proof::Crc32(place.crc), &codes::CRC, &codes::PACKED).framed(frame))
    }

    /// Every file of sample `i`, by its name: what a check reads. With the last come those that are no sample's own.
    pub(super) fn files(&self, i: u64) -> impl Iterator<Item = (&str, SamplePlan)> {
        let members = self.sample(i).map(|sample| sample.in_order().collect::<Vec<_>>()).unwrap_or_default();
        let own = members
            .into_iter()
            .filter_map(move |member| Some((self.member_name(member)?, self.plan_member(i, member)?)));
        own.chain(self.others().take(if i + 1 == self.len() { usize::MAX } else { 0 }))
    }

    /// Sample `i`'s record, by the bytes of its sidecars.
    pub fn record(&self, i: u64, fetch: impl Fn(std::ops::Range<u64>) -> Result<Bytes>) -> Result<Option<String>> {
        let (Some(name), Some(sample)) = (self.name(i), self.sample(i)) else { return Ok(None) };
        let mut owned = Vec::new();
        for (extension, plan) in self.sidecars(i) {
            owned.push((extension, plan.decode(&fetch(plan.range())?, &self.0.limits)?));
        }
        let sidecars: Vec<_> = owned.iter().map(|(extension, bytes)| record::Sidecar { extension, bytes }).collect();
        let classes = self.0.classes.fields(name, &sidecars);
        Ok(Some(record::compose(i, name, &sidecars, sample.before, &classes)))
    }
}

/// Where members lie: each from its header to the next one's.
struct Rooms {
    /// Where each begins, in that order, and the directory behind them.
    starts: Vec<u64>,
}

impl Rooms {
    /// Refuses members that claim the same bytes.
    fn new(entries: &[Entry], directory: u64) -> Result<Rooms> {
        let mut order: Vec<&Entry> = entries.iter().collect();
        order.sort_by_key(|entry| entry.header);
        let nexts = order.iter().skip(1).map(|next| next.header).chain([directory]);
        for (entry, next) in order.iter().zip(nexts) {
            if entry.least_end().is_none_or(|end| end > next) {
                let message = format!(
                    "the member has {} bytes after its header at {}, and the next part begins at {next}",
                    entry.stored, entry.header
                );
                let e = Error::new(&codes::OVERLAP, message).section("directory");
                return Err(e.member(entry.name.as_str()).offset(entry.header));
            }
        }
        Ok(Rooms { starts: order.iter().map(|entry| entry.header).chain([directory]).collect() })
    }

    /// How many bytes may belong to a member: extra fields in its header are not known beforehand.
    fn room(&self, entry: &Entry) -> u64 {
        let next = self.starts.get(self.starts.partition_point(|&start| start <= entry.header));
        let most = entry.least_end().map_or(0, |end| end.saturating_add(LONGEST_EXTRA) - entry.header);
        next.map_or(most, |next| most.min(next - entry.header))
    }
}
