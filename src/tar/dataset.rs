//! An archive as samples.

use std::collections::HashSet;

use super::{
    codes,
    file::{Archive, Member},
    webdataset::{Groups, Sample, finished, group},
};
use crate::{
    codec::Codec,
    error::{self, Error, Result},
    image::Probe,
    sample::{MediaFormat, Proof, SampleInfo, SamplePlan, record},
};

/// A scanned archive and its samples: every file of it is exactly once a sample or a sidecar.
///
/// ```
/// use bytes::Bytes;
/// use forebay::{Limits, tar::{self, Tar}};
/// let file = [tar::header_for("a.jpg", 0)?, tar::header_for("a.cls", 0)?, tar::END.to_vec()].concat();
/// let tar = Tar::new(tar::scan(&Bytes::from(file), &Limits::default())?)?;
/// assert_eq!((tar.len(), tar.name(0)), (1, Some("a.jpg")));
/// assert_eq!(tar.sidecars(0).map(|(extension, _)| extension).collect::<Vec<_>>(), ["cls"]);
/// # Ok::<(), forebay::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tar {
    archive: Archive,
    groups: Groups,
}

/// Sidecars apart from their pictures: [`Tar::stray`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stray {
    /// How many.
    pub count: u64,
    /// The first of them.
    pub first: String,
}

impl Stray {
    /// What is to be said of it.
    pub fn note(&self) -> String {
        let (are, first) =
            if self.count == 1 { ("file is a sample", "") } else { ("files are samples", "the first is ") };
        format!(
            "{} {are} by being apart from the images of the same name ({first}{}): the files of a sample follow each \
             other in an archive, so sort it by name",
            self.count, self.first
        )
    }
}

impl Tar {
    /// Groups an archive's members by their names.
    pub fn new(archive: Archive) -> Result<Self> {
        let groups = group(archive.members.iter().map(|member| (member.name, member.size)))?;
        Ok(Tar { archive, groups })
    }
    /// Groups the members of an archive that is still being scanned. The last group is left out, since it may go on:
    /// so the samples that are there keep their numbers and their sidecars however far the scan goes.
    #[doc(hidden)]
    pub fn growing(archive: Archive) -> Result<Self> {
        let groups = finished(archive.members.iter().map(|member| (member.name, member.size)))?;
        Ok(Tar { archive, groups })
    }

    /// Sidecars that are samples of their own because they lie apart from their pictures: the files of a sample follow
    /// each other in an archive.
    #[doc(hidden)]
    pub fn stray(&self) -> Option<Stray> {
        let name = |i: usize| self.groups.get(i).and_then(|s| self.archive.members.name(s.primary));
        let others = || (0..self.groups.len()).filter_map(name).filter(|name| !record::is_media(name));
        // Most archives have none, and no names are kept to see it.
        others().next()?;
        let keys: HashSet<&str> = (0..self.groups.len())
            .filter_map(name)
            .filter(|n| record::is_media(n))
            .map(|n| record::split(n).0)
            .collect();
        let mut apart = others().filter(|name| keys.contains(record::split(name).0));
        let first = apart.next()?.to_owned();
        Some(Stray { count: 1 + apart.count() as u64, first })
    }

    /// How many samples there are.
    pub fn len(&self) -> u64 {
        self.groups.len() as u64
    }
    /// True when there is none.
    #[doc(hidden)]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
    /// What the scan found.
    #[doc(hidden)]
    pub fn archive(&self) -> &Archive {
        &self.archive
    }
    /// What is worth knowing: guesses, samples that are not images by name, how the archive ends.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = self.groups.notes(|file| self.archive.members.name(file));
        notes.extend(self.archive.ending.note());
        notes
    }
    /// Which members make which samples.
    #[doc(hidden)]
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// The members' numbers of sample `i`.
    #[doc(hidden)]
    pub fn sample(&self, i: u64) -> Option<Sample<'_>> {
        self.groups.get(usize::try_from(i).ok()?)
    }
    /// The member that is sample `i`.
    #[doc(hidden)]
    pub fn primary(&self, i: u64) -> Option<Member<'_>> {
        self.archive.members.get(self.sample(i)?.primary)
    }
    /// The name of sample `i`.
    pub fn name(&self, i: u64) -> Option<&str> {
        self.archive.members.name(self.sample(i)?.primary)
    }
    /// The sidecars of sample `i` in the order of the archive, each with its name behind the key: `json`, `seg.txt`.
    pub fn sidecars(&self, i: u64) -> impl Iterator<Item = (&str, Member<'_>)> {
        let numbers = self.sample(i).map_or(&[][..], |sample| sample.sidecars);
        numbers.iter().filter_map(|&number| {
            let member = self.archive.members.get(number as usize)?;
            Some((record::split(member.name).1.unwrap_or_default(), member))
        })
    }

    /// What is known of sample `i`. An archive has no index of sizes: width and height are those of `probe`, the
    /// look at the payload's first bytes, and 0 without one; the format is by content where a probe knows it, and
    /// by name otherwise.
    #[doc(hidden)]
    pub fn info(&self, i: u64, probe: Option<Probe>) -> Result<SampleInfo> {
        let Some(member) = self.primary(i) else {
            let message = format!("there are {} samples, so none has the number {i}", self.len());
            return Err(Error::new(&error::codes::OUT_OF_RANGE, message).sample(i));
        };
        let probe = probe.unwrap_or_default();
        let format = match probe.format {
            MediaFormat::Unknown => MediaFormat::from_name(member.name),
            known => known,
        };
        Ok(SampleInfo {
            index: i,
            format,
            width: probe.width,
            height: probe.height,
            bytes: member.size,
            stored_bytes: member.size,
            offset: member.offset,
            codec: Codec::None,
        })
    }

    /// Plans the read of sample `i`'s payload. An archive has no checksums of payloads.
    #[doc(hidden)]
    pub fn plan(&self, i: u64) -> Result<SamplePlan> {
        Ok(SamplePlan::new(self.info(i, None)?, Proof::None, &codes::TRUNCATED, &codes::TRUNCATED))
    }
}
