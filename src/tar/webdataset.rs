//! Which files make one sample, by their names and lengths alone, so that every host groups alike and no payload is read.
//!
//! WebDataset's rule: files that follow one another and share everything up to the first dot of the last path
//! component, the *key*, belong together. Here
//!
//! * a dot that begins the last component is part of the key (see [`record::split`]): `.jpg` is a key without an
//!   extension, and a file without an extension is a group of its own;
//! * a group ends where another key comes, and where a name comes that the group has already: the last key of one
//!   archive and the same first key of the next stay two groups, and nothing is lost;
//! * every file of a group whose last extension is that of an image or video is a sample of its own. So
//!   `photo.2020.jpg` and `photo.2021.jpg` are two samples, and so are `a.jpg` and its mask `a.seg.png`;
//! * the other files of a group are sidecars of its first sample. Where no file is an image or video, the sample is the
//!   one whose last extension is not that of a sidecar (`json`, `cls`, `txt`, ...): the `flac` of `a.cls`, `a.flac` and
//!   `a.json`. If that leaves several files or none, it is the largest of them, which is a guess and said in a note.
//!
//! So every file is exactly once a sample or a sidecar.
//!
//! ```
//! use forebay::tar::webdataset::group;
//! let files = [("a.cls", 1), ("a.jpg", 9_000), ("a.seg.png", 800), ("a.json", 30), ("b.jpg", 9_000)];
//! let groups = group(files)?;
//! let first = groups.get(0).unwrap();
//! assert_eq!((first.primary, first.sidecars, first.before), (1, &[0, 3][..], 1));
//! assert_eq!(groups.get(1).unwrap().primary, 2);
//! assert_eq!(groups.len(), 3);
//! # Ok::<(), forebay::Error>(())
//! ```

use std::{borrow::Borrow, collections::HashSet, hash::Hash};

use crate::{
    error::{Error, Result},
    limits,
    sample::record,
};

/// A file and what belongs to it, by the files' numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample<'a> {
    /// The file that is the sample.
    pub primary: usize,
    /// Its sidecars, in the order of the files.
    pub sidecars: &'a [u32],
    /// How many of the sidecars stand before the primary.
    pub before: usize,
}

impl Sample<'_> {
    /// The files of this sample in the order of the archive.
    pub fn in_order(&self) -> impl Iterator<Item = usize> {
        let (before, after) = self.sidecars.split_at(self.before.min(self.sidecars.len()));
        let number = |&i: &u32| i as usize;
        before.iter().map(number).chain([self.primary]).chain(after.iter().map(number))
    }
}

/// Eight bytes a sample, four a sidecar or guess.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups {
    primaries: Vec<u32>,
    /// Where the sidecars of each sample end.
    ends: Vec<u32>,
    sidecars: Vec<u32>,
    /// The files that were guessed to be samples.
    guesses: Vec<u32>,
}

/// A file that is not an image or video by its name.
#[derive(Clone, Copy, Debug)]
struct Other {
    file: u32,
    bytes: u64,
    is_sidecar: bool,
}

/// The sample of a group without an image or video, and whether that is a guess.
fn sample_of(others: &[Other]) -> Option<(u32, bool)> {
    let open = others.iter().filter(|other| !other.is_sidecar).count();
    // Of two as large the first.
    let candidates = others.iter().rev().filter(|other| open == 0 || !other.is_sidecar);
    let largest = candidates.max_by_key(|other| other.bytes)?;
    Some((largest.file, others.len() > 1 && open != 1))
}

impl Groups {
    /// Takes in the files of one group.
    fn close(&mut self, media: &mut Vec<u32>, others: &mut Vec<Other>) {
        let Some((first, guess)) = media.first().map(|&first| (first, false)).or_else(|| sample_of(others)) else {
            return;
        };
        if guess {
            self.guesses.push(first);
        }
        self.primaries.push(first);
        self.sidecars.extend(others.iter().map(|other| other.file).filter(|file| *file != first));
        self.ends.push(self.sidecars.len() as u32);
        for &other in media.iter().skip(1) {
            self.primaries.push(other);
            self.ends.push(self.sidecars.len() as u32);
        }
        media.clear();
        others.clear();
    }

    /// Keeps only some of the samples; the files of the others.
    #[doc(hidden)]
    pub fn retain(&mut self, keep: impl Fn(Sample<'_>) -> bool) -> Vec<u32> {
        let (mut kept, mut dropped) = (Groups::default(), Vec::new());
        for sample in self.iter() {
            if keep(sample) {
                kept.primaries.push(sample.primary as u32);
                kept.sidecars.extend(sample.sidecars);
                kept.ends.push(kept.sidecars.len() as u32);
            } else {
                dropped.extend(sample.in_order().map(|file| file as u32));
            }
        }
        kept.guesses = std::mem::take(&mut self.guesses);
        dropped.sort_unstable();
        kept.guesses.retain(|guess| dropped.binary_search(guess).is_err());
        *self = kept;
        dropped
    }

    /// What is to be said of the samples of an archive whose files have these names: which are guesses, and whether they are
    /// images at all.
    #[doc(hidden)]
    pub fn notes<'a>(&self, name: impl Fn(usize) -> Option<&'a str>) -> Vec<String> {
        let mut tally = Tally::default();
        tally.add(self, name);
        tally.notes()
    }

    /// How many samples there are.
    pub fn len(&self) -> usize {
        self.primaries.len()
    }
    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.primaries.is_empty()
    }
    /// How many files there are in all samples.
    pub fn files(&self) -> usize {
        self.primaries.len() + self.sidecars.len()
    }
    /// Sample number `i`.
    pub fn get(&self, i: usize) -> Option<Sample<'_>> {
        let primary = *self.primaries.get(i)?;
        let end = *self.ends.get(i)? as usize;
        let start = i.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |&end| end as usize);
        let sidecars = self.sidecars.get(start..end)?;
        let before = sidecars.partition_point(|&sidecar| sidecar < primary);
        Some(Sample { primary: primary as usize, sidecars, before })
    }
    /// Every sample in order.
    pub fn iter(&self) -> impl Iterator<Item = Sample<'_>> {
        (0..self.len()).filter_map(|i| self.get(i))
    }
    /// The files sample by sample, each sample's in the order of the archive.
    pub fn file_order(&self) -> impl Iterator<Item = usize> {
        self.iter().flat_map(|sample| sample.in_order().collect::<Vec<_>>())
    }
    /// True when writing sample after sample, each with its sidecars around it as [`Sample::before`] says, gives
    /// the files in their first order. Only a group of several images can make it false; then whoever wants the
    /// order back must keep the files' numbers.
    pub fn is_in_order(&self) -> bool {
        self.iter()
            .try_fold(0, |next, sample| {
                sample.in_order().try_fold(next, |next, file| (file == next).then_some(next + 1))
            })
            .is_some()
    }
}

/// What is worth knowing of the samples of archives: how many are guesses, and how many no images by their names.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct Tally {
    samples: u64,
    guessed: u64,
    first_guess: String,
    others: u64,
    first_other: String,
}

impl Tally {
    /// Takes in groups of files that have these names.
    pub fn add<'a>(&mut self, groups: &Groups, name: impl Fn(usize) -> Option<&'a str>) {
        let named = |file: u32| name(file as usize).unwrap_or_default();
        if let (0, Some(first)) = (self.guessed, groups.guesses.first()) {
            self.first_guess = named(*first).to_owned();
        }
        self.guessed += groups.guesses.len() as u64;
        self.samples += groups.len() as u64;
        for other in groups.primaries.iter().map(|&file| named(file)).filter(|name| !record::is_media(name)) {
            if self.others == 0 {
                self.first_other = other.to_owned();
            }
            self.others += 1;
        }
    }

    /// What is to be said of them.
    pub fn notes(&self) -> Vec<String> {
        let Tally { samples, guessed, first_guess, others, first_other } = self;
        let guess = "no image or video by name, and the largest of several files was taken for the sample";
        let guess = match guessed {
            0 => None,
            1 => Some(format!("1 sample has {guess}: {first_guess}")),
            n => Some(format!("{n} samples have {guess}; the first: {first_guess}")),
        };
        let other = match *others {
            0 => None,
            _ if is_archive(first_other) => {
                Some(format!("{first_other} is an archive itself, and a sample as it is; unpack the outer one first"))
            }
            n if n == *samples => Some(
                "no file of the archive has the name of an image or video; each sample is a file as it is".to_owned(),
            ),
            1 => Some(format!("1 sample has no name of an image or video: {first_other}")),
            n => Some(format!("{n} samples have no names of images or videos; the first: {first_other}")),
        };
        guess.into_iter().chain(other).collect()
    }
}

fn is_archive(name: &str) -> bool {
    [".tar", ".tgz", ".tar.gz", ".tar.zst", ".zip", ".tbl"].iter().any(|end| name.to_ascii_lowercase().ends_with(end))
}

/// Groups files by their names and bytes, which come in the order of the archive or folder. Fails only over 2^32 files.
pub fn group<'a>(files: impl IntoIterator<Item = (&'a str, u64)>) -> Result<Groups> {
    grouped(files, true)
}

/// As [`group`], without the last group: what can no longer change while further names come.
pub fn finished<'a>(files: impl IntoIterator<Item = (&'a str, u64)>) -> Result<Groups> {
    grouped(files, false)
}

fn grouped<'a>(files: impl IntoIterator<Item = (&'a str, u64)>, last: bool) -> Result<Groups> {
    let mut groups = Groups::default();
    let mut boundary = Boundary::<&str>::default();
    let (mut media, mut others) = (Vec::new(), Vec::new());
    for (file, (name, bytes)) in files.into_iter().enumerate() {
        let file = u32::try_from(file)
            .map_err(|_| Error::new(&limits::codes::INDEX, "more than 2^32 files cannot be grouped"))?;
        if boundary.begins(name) {
            groups.close(&mut media, &mut others);
        }
        match record::is_media(name) {
            true => media.push(file),
            false => others.push(Other { file, bytes, is_sidecar: record::is_sidecar(name) }),
        }
    }
    if last {
        groups.close(&mut media, &mut others);
    }
    Ok(groups)
}

/// Says where groups begin while the names come: all that a stream needs, since the files of one group, given to
/// [`group`], are the same samples as in the whole archive. `S` is how names are kept, borrowed or owned.
///
/// ```
/// use forebay::tar::webdataset::Boundary;
/// let mut boundary = Boundary::<String>::default();
/// assert_eq!(["a.jpg", "a.cls", "b.jpg"].map(|name| boundary.begins(name)), [true, false, true]);
/// ```
#[derive(Clone, Debug)]
pub struct Boundary<S = String> {
    key: Option<S>,
    /// A group of few files looks its extensions through; a larger one keeps a set of the further ones.
    few: Vec<S>,
    many: HashSet<S>,
}

const FEW: usize = 12;

impl<S> Default for Boundary<S> {
    fn default() -> Self {
        Boundary { key: None, few: Vec::new(), many: HashSet::new() }
    }
}

impl<S: Borrow<str> + Eq + Hash> Boundary<S> {
    /// True when the file of this name, the next one, begins a group.
    pub fn begins<'a>(&mut self, name: &'a str) -> bool
    where
        S: From<&'a str>,
    {
        let (key, extension) = record::split(name);
        // Without an extension no other file could be told from this one once it is a sidecar.
        let Some(extension) = extension else {
            self.key = None;
            return true;
        };
        let same_key = self.key.as_ref().is_some_and(|k| k.borrow() == key);
        let is_new = !self.few.iter().any(|e| e.borrow() == extension) && !self.many.contains(extension);
        let begins = !same_key || !is_new;
        if begins {
            self.few.clear();
            self.many.clear();
        }
        if !same_key {
            self.key = Some(key.into());
        }
        if self.few.len() < FEW {
            self.few.push(extension.into());
        } else {
            self.many.insert(extension.into());
        }
        begins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(names: &[&'static str]) -> Vec<(&'static str, Vec<&'static str>)> {
        let groups = group(names.iter().map(|name| (*name, 0))).unwrap();
        assert_eq!(groups.files(), names.len());
        groups.iter().map(|s| (names[s.primary], s.sidecars.iter().map(|&i| names[i as usize]).collect())).collect()
    }

    #[test]
    fn sidecars_belong_to_the_first_image_of_their_group_wherever_they_stand() {
        assert_eq!(
            samples(&["1.cls", "1.jpg", "1.json", "2.jpg", "3.txt", "3.cls"]),
            [("1.jpg", vec!["1.cls", "1.json"]), ("2.jpg", vec![]), ("3.txt", vec!["3.cls"])]
        );
    }

    #[test]
    fn the_sample_of_a_group_without_an_image_is_no_sidecar_or_else_the_largest() {
        let of = |files: &[(&'static str, u64)]| {
            let groups = group(files.iter().copied()).unwrap();
            let sample = groups.get(0).unwrap();
            let sidecars: Vec<_> = sample.sidecars.iter().map(|&i| files[i as usize].0).collect();
            (groups.len(), files[sample.primary].0, sidecars, sample.before, groups.guesses.len())
        };
        // As webdataset sorts them.
        let audio = [("a.cls", 1), ("a.flac", 2), ("a.json", 3)];
        assert_eq!(of(&audio), (1, "a.flac", vec!["a.cls", "a.json"], 1, 0));
        assert_eq!(of(&[("a.cls", 1), ("a.emb.NPY", 1)]), (1, "a.emb.NPY", vec!["a.cls"], 1, 0));
        assert_eq!(of(&[("a.json", 7), ("a.npy", 5), ("a.wav", 6)]), (1, "a.wav", vec!["a.json", "a.npy"], 2, 1));
        assert_eq!(of(&[("a.cls", 1), ("a.txt", 2)]), (1, "a.txt", vec!["a.cls"], 1, 1));
        assert_eq!(of(&[("a.npy", 5), ("a.wav", 5)]), (1, "a.npy", vec!["a.wav"], 0, 1));
        assert_eq!(of(&[("a.cls", 1)]), (1, "a.cls", vec![], 0, 0));
        let notes = |files: &[(&'static str, u64)]| {
            let names: Vec<_> = files.iter().map(|(name, _)| *name).collect();
            group(files.iter().copied()).unwrap().notes(|i| names.get(i).copied())
        };
        assert!(notes(&[("a.cls", 1), ("a.jpg", 1)]).is_empty());
        assert!(notes(&[("a.npy", 5), ("a.wav", 5)])[0].ends_with(": a.npy"));
        assert!(notes(&audio)[0].starts_with("no file of the archive has the name of an image"));
        assert!(notes(&[("a.tar", 5), ("b.tar", 5)])[0].contains("is an archive itself"));
        assert!(notes(&[("a.jpg", 5), ("labels/a.txt", 5)])[0].ends_with(": labels/a.txt"));
    }

    #[test]
    fn every_image_of_a_group_is_a_sample() {
        assert_eq!(
            samples(&["p.2020.jpg", "p.2021.jpg", "p.json", ".jpg"]),
            [("p.2020.jpg", vec!["p.json"]), ("p.2021.jpg", vec![]), (".jpg", vec![])]
        );
    }

    #[test]
    fn finished_samples_stay_as_they_are_whatever_comes() {
        let names = ["1.cls", "1.jpg", "1.json", "2.jpg", "2.seg.png", "2.cls", "3", "4.txt", "4.cls"];
        let all: Vec<_> =
            group(names.map(|name| (name, 0))).unwrap().iter().map(|s| (s.primary, s.sidecars.to_vec())).collect();
        for n in 0..=names.len() {
            let some: Vec<_> = finished(names[..n].iter().map(|name| (*name, 0)))
                .unwrap()
                .iter()
                .map(|s| (s.primary, s.sidecars.to_vec()))
                .collect();
            assert_eq!(some, all[..some.len()], "after {n} names");
        }
        assert_eq!(finished(names.map(|name| (name, 0))).unwrap().len(), all.len() - 1);
    }

    #[test]
    fn a_name_that_comes_again_begins_a_group() {
        assert_eq!(samples(&["a", "a.jpg", "a"]).len(), 3);
        let names = ["a.jpg", "a.json", "a.jpg", "a.json", "b.txt", "b.txt", "a.json"];
        let expected = [
            ("a.jpg", vec!["a.json"]),
            ("a.jpg", vec!["a.json"]),
            ("b.txt", vec![]),
            ("b.txt", vec![]),
            ("a.json", vec![]),
        ];
        assert_eq!(samples(&names), expected);
    }

    #[test]
    fn the_order_of_files_is_known_to_need_keeping_or_not() {
        let of = |names: &[&'static str]| group(names.iter().map(|name| (*name, 0))).unwrap();
        assert!(of(&["a.cls", "a.jpg", "a.json", "a.seg.png", "b.jpg"]).is_in_order());
        let mixed = of(&["a.cls", "a.jpg", "a.seg.png", "a.json"]);
        assert!(!mixed.is_in_order());
        assert_eq!(mixed.file_order().collect::<Vec<_>>(), [0, 1, 3, 2]);
    }

    #[test]
    fn a_hundred_thousand_images_of_one_key_are_grouped_quickly() {
        let names: Vec<String> = (0..100_000).map(|i| format!("video.{i}.jpg")).collect();
        assert_eq!(group(names.iter().map(|name| (name.as_str(), 0))).unwrap().len(), names.len());
    }
}
