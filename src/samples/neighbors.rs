//! Samples of an archive beside each other: who reads it tells them apart by their names alone.

use super::archive_files::{ArchiveFile, Renamed};
use crate::{
    error::Result,
    sample::record::{is_media, split},
    tar::webdataset::{Boundary, group},
};

/// What a reader takes for one group so far, at the end of an archive that is being written.
#[derive(Debug, Default)]
pub(super) struct Neighbors {
    boundary: Boundary,
    /// What the files of the group share.
    key: Option<String>,
    /// The group has a picture, whose all sidecars are. Another picture is a sample of its own then.
    pictured: bool,
    /// Samples as they will be read.
    read: u64,
}

/// What became of a sample's files.
#[derive(Debug, Default)]
pub(super) struct Placed {
    /// The name that the first of them had and has.
    pub renamed: Option<Renamed>,
    /// For every file which sample it will be read as a part of.
    pub samples: Vec<u64>,
}

impl Neighbors {
    /// Takes in the files of the next sample, of number `id`. If a reader would take them for a part of the sample before,
    /// all of them get a name of their own: the number is put behind what they share.
    pub fn place(&mut self, files: &mut [ArchiveFile], id: u64) -> Result<Placed> {
        let mut renamed = None;
        let Some(first) = files.first().map(|file| file.name.clone()) else { return Ok(Placed::default()) };
        let (key, extension) = split(&first);
        let alone = files.len() == 1 && is_media(&first) && self.pictured;
        let mut now = key.to_owned();
        while extension.is_some() && self.key.as_deref() == Some(&now) && !alone && !self.ends_before(&first, key, &now)
        {
            now = format!("{now}~{id}");
        }
        if now != key {
            for file in files.iter_mut() {
                if let Some(rest) = file.name.strip_prefix(key) {
                    let name = format!("{now}{rest}");
                    file.rename(name)?;
                }
            }
            renamed = files.first().map(|file| Renamed { was: first.clone(), is: file.name.clone() });
        }
        Ok(Placed { renamed, samples: self.read_as(files)? })
    }

    /// Whether a group ends in front of this file, once it has that key: the group has a file of its name.
    fn ends_before(&self, first: &str, key: &str, now: &str) -> bool {
        let name = format!("{now}{}", first.get(key.len()..).unwrap_or_default());
        self.boundary.clone().begins(&name)
    }

    /// Which sample each file is read as a part of.
    fn read_as(&mut self, files: &[ArchiveFile]) -> Result<Vec<u64>> {
        let mut begins = files.iter().map(|file| self.boundary.begins(&file.name)).collect::<Vec<_>>();
        let joins = begins.first() == Some(&false);
        if let Some(first) = begins.first_mut() {
            *first = true;
        }
        if let Some(last) = files.last() {
            let (key, extension) = split(&last.name);
            self.key = extension.map(|_| key.to_owned());
        }
        let own = begins.iter().rposition(|begins| *begins).unwrap_or_default();
        let pictured = files.iter().skip(own).any(|file| is_media(&file.name));
        self.pictured = pictured || joins && own == 0 && self.pictured;
        let found = group(files.iter().map(|file| (file.name.as_str(), file.content.len() as u64)))?;
        let mut samples = vec![self.read; files.len()];
        for (number, sample) in found.iter().enumerate() {
            for file in sample.in_order() {
                if let Some(place) = samples.get_mut(file) {
                    *place = self.read + number as u64;
                }
            }
        }
        self.read += found.len() as u64;
        Ok(samples)
    }
}
