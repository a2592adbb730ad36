//! Parquet files of images, as Hugging Face's `datasets` writes them: one file, or the shards of a split as one dataset.
//!
//! A shard is called `train-00000-of-00012.parquet`, where `train` is the split. They lie in a folder, or in its folder `data`.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use forebay::{
    Error, Limits, Result,
    detect::{HEAD_LEN, detect},
    doors::{
        Door,
        several::{self, Part},
    },
    error::codes::{ARGUMENT, NOT_SAMPLES},
    formats::Format,
};

#[cfg(feature = "arrow")]
use forebay_columns::parquet::Shared;

use crate::{
    doors::How,
    folder::Folder,
    input::{Input, display, expand, remote},
};

/// Splits that are named in a message.
const NAMED: usize = 5;

/// Whether a file is Parquet, by its first bytes.
pub(crate) fn is_one(input: &Input) -> bool {
    let head = input.lend(0..input.len().min(HEAD_LEN));
    head.is_ok_and(|head| detect(&head) == Some(Format::Parquet))
}

/// Opens a file of images; an error that says so if no column of it holds images.
#[cfg(feature = "arrow")]
pub(crate) fn open(input: &Input, limits: &Limits) -> Result<Door> {
    opened(input, limits, &Shared::new(limits))
}

/// The same, with what others of the dataset keep.
#[cfg(feature = "arrow")]
fn opened(input: &Input, limits: &Limits, kept: &Shared) -> Result<Door> {
    let mut opener = forebay_columns::parquet::SamplesOpener::new(input.len(), limits.clone()).keeping(kept);
    input.drive(&mut opener, |_| 0)
}

/// Opens a file of images, which this build cannot.
#[cfg(not(feature = "arrow"))]
pub(crate) fn open(_: &Input, _: &Limits) -> Result<Door> {
    Err(Error::new(&NOT_SAMPLES, "this build does not read Parquet; the feature `arrow` adds it"))
}

#[cfg(not(feature = "arrow"))]
fn opened(input: &Input, limits: &Limits, _: &Shared) -> Result<Door> {
    open(input, limits)
}

/// What files keep together: nothing here.
#[cfg(not(feature = "arrow"))]
struct Shared;

#[cfg(not(feature = "arrow"))]
impl Shared {
    fn new(_: &Limits) -> Shared {
        Shared
    }
}

/// Whether a Parquet file holds images. What cannot be opened is left to whoever reads tables, who says why.
pub(crate) fn holds_images(path: &Path, limits: &Limits) -> bool {
    cfg!(feature = "arrow") && Input::pieces(path).is_ok_and(|input| is_one(&input) && open(&input, limits).is_ok())
}

/// A shard by its name: its split, and which of how many it is, if it says that.
fn shard(name: &str) -> Option<(&str, Option<(u64, u64)>)> {
    let (stem, extension) = name.rsplit_once('.')?;
    if name.starts_with('.') || !extension.eq_ignore_ascii_case("parquet") {
        return None;
    }
    let numbers = |rest: &str| {
        let mut parts = rest.split('-');
        let (number, of, count) = (parts.next()?, parts.next()?, parts.next()?);
        (of == "of").then_some((number.parse().ok()?, count.parse().ok()?))
    };
    let places = stem.match_indices('-').map(|(at, _)| at);
    let numbered = places.clone().find_map(|at| Some((stem.get(..at)?, numbers(stem.get(at + 1..)?)?)));
    match numbered {
        Some((split, numbers)) => Some((split, Some(numbers))),
        None => Some((stem.split('-').next().unwrap_or(stem), None)),
    }
}

/// The files of each split among those of a folder, in the order of their names: those that lie in it itself, or in one folder
/// below it.
fn splits(files: &Folder, root: &Path, below: &str) -> BTreeMap<String, Vec<PathBuf>> {
    let mut found: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for (name, _) in files.files() {
        let base = name.strip_prefix(below).filter(|base| !base.contains('/'));
        if let Some((split, _)) = base.and_then(shard) {
            found.entry(split.to_owned()).or_default().push(remote::beneath(root, name));
        }
    }
    found
}

/// Whether a file is a table without images, or is only called Parquet. What cannot be opened is said later.
fn is_table(path: &Path, how: &How) -> bool {
    let Ok(input) = Input::pieces(path) else { return false };
    !is_one(&input) || open(&input, &how.limits).is_err_and(|e| e.code() == &NOT_SAMPLES)
}

/// Opens the shards in a folder, or in its folder `data`: the files as one, and what is in them. `None` if there are no Parquet
/// files of images. Several splits are not mixed.
pub(crate) fn of_folder(files: &Folder, root: &Path, how: &How) -> Result<Option<(Input, Door)>> {
    for below in ["", "data/"] {
        let mut found = splits(files, root, below);
        if found.values().flatten().next().is_some_and(|first| is_table(first, how)) {
            return Ok(None);
        }
        let folder = if below.is_empty() { root.to_owned() } else { remote::beneath(root, below) };
        if found.len() > 1 {
            return Err(several_splits(&display(&folder), &found));
        }
        if let Some((_, files)) = found.pop_first() {
            return join(&display(&folder), &files, how).map(Some);
        }
    }
    Ok(None)
}

fn several_splits(folder: &str, found: &BTreeMap<String, Vec<PathBuf>>) -> Error {
    let all: Vec<&str> = found.keys().map(String::as_str).collect();
    let more = if all.len() > NAMED { " and others" } else { "" };
    let (names, first) = (all.iter().take(NAMED).copied().collect::<Vec<_>>().join(", "), all.last().unwrap_or(&""));
    let message = format!(
        "the folder has several splits: {names}{more}; name the files of one, such as {}/{first}-*.parquet",
        folder.trim_end_matches('/')
    );
    Error::new(&ARGUMENT, message).file(folder)
}

/// Opens the Parquet files that a pattern such as `data/train-*.parquet` stands for; `None` if it is no such pattern.
pub(crate) fn of_pattern(path: &Path, how: &How) -> Result<Option<(Input, Door)>> {
    let name = path.to_str().filter(|name| name.contains(['*', '?', '[', '{']) && name.ends_with(".parquet"));
    if name.is_none() || path.exists() {
        return Ok(None);
    }
    join(&display(path), &expand(&[path])?, how).map(Some)
}

/// Opens shards as one.
fn join(name: &str, files: &[PathBuf], how: &How) -> Result<(Input, Door)> {
    if !how.keep_going {
        whole(files).map_err(|e| e.file(name))?;
    }
    let kept = Shared::new(&how.limits);
    let (mut inputs, mut parts) = (Vec::with_capacity(files.len()), Vec::with_capacity(files.len()));
    for path in files {
        let input = Input::open(path, how.io)?;
        let input = how.cache.as_ref().map_or_else(|| input.clone(), |cache| input.cached(cache));
        let door = opened(&input, &how.limits, &kept).map_err(|e| e.file(input.name()))?;
        let base = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        parts.push(Part { name: base, bytes: input.len(), door });
        inputs.push(input);
    }
    let door = several::join(parts, &how.limits).map_err(|e| e.file(name))?;
    Ok((Input::joined(name, inputs), door))
}

/// Refuses shards of which one is missing.
fn whole(files: &[PathBuf]) -> Result<()> {
    let mut sets: BTreeMap<&str, (u64, BTreeSet<u64>)> = BTreeMap::new();
    for name in files.iter().filter_map(|path| path.file_name()?.to_str()) {
        if let Some((split, Some((number, count)))) = shard(name) {
            let set = sets.entry(split).or_insert((count, BTreeSet::new()));
            set.0 = set.0.max(count);
            set.1.insert(number);
        }
    }
    for (split, (count, numbers)) in &sets {
        if let Some(missing) = (0..*count).zip(0..=numbers.len()).map(|(n, _)| n).find(|n| !numbers.contains(n)) {
            let message = format!("shard {missing} of the {count} of {split} is missing");
            return Err(Error::new(&NOT_SAMPLES, message));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_split_and_number() {
        for (name, wanted) in [
            ("train-00003-of-00012.parquet", Some(("train", Some((3, 12))))),
            ("train-00000-of-00001-b42a775f407cee45.parquet", Some(("train", Some((0, 1))))),
            ("de-validation-00001-of-00002.parquet", Some(("de-validation", Some((1, 2))))),
            ("test.parquet", Some(("test", None))),
            ("test-0.PARQUET", Some(("test", None))),
            ("a-of-b.parquet", Some(("a", None))),
            (".train.parquet", None),
            ("train.csv", None),
        ] {
            assert_eq!(shard(name), wanted, "{name}");
        }
    }

    #[test]
    fn a_split_that_lacks_a_shard_is_refused() {
        let files = |numbers: &[u64]| -> Vec<PathBuf> {
            numbers.iter().map(|n| format!("d/train-{n:05}-of-00003.parquet").into()).collect()
        };
        assert!(whole(&files(&[0, 1, 2])).is_ok());
        for (lacking, message) in [(&files(&[0, 2]), "shard 1 of the 3"), (&files(&[0, 1]), "shard 2 of the 3")] {
            assert!(whole(lacking).unwrap_err().message().contains(message));
        }
        let huge = [PathBuf::from("train-00000-of-18446744073709551615.parquet")];
        assert!(whole(&huge).is_err(), "and not for long");
    }
}
