//! A folder of files of records, as one dataset.

use std::{collections::BTreeSet, path::Path};

use forebay::{
    Error, Result,
    detect::{HEAD_LEN, detect},
    doors::open::Opener,
    error::codes,
    formats::Format,
};

use super::{Found, How, chunks, shards, unpack};
use crate::{
    folder::Folder,
    input::{Input, first_bytes, remote},
};

/// The most files that are opened as one.
const MOST_FILES: usize = 100_000;
/// The file of a database of LMDB.
const DATABASE: &str = "data.mdb";
/// Names of files with a line for each class, as TensorFlow Datasets writes them.
const CLASSES: &str = ".labels.txt";

/// The dataset that a folder without pictures is, if it is one.
pub(crate) fn of_folder(folder: &Folder, root: &Path, options: &How) -> Result<Option<Found>> {
    if let Some(found) = shards::of_folder(folder, root, options)? {
        return Ok(Some(found));
    }
    if let Some(found) = chunks::of_folder(folder, root, options)? {
        return Ok(Some(found));
    }
    if let Some(found) = database(folder, root, options)? {
        return Ok(Some(found));
    }
    let base = |name: &str| name.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let files = || folder.files().iter().map(|(name, _)| name.as_str());
    let records: Vec<&str> = files().filter(|name| base(name).contains(".tfrecord")).collect();
    let head = |name: &str| first_bytes(&remote::beneath(root, name), HEAD_LEN).unwrap_or_default();
    match records.first() {
        Some(first) if is_packed(&head(first)) || detect(&head(first)) == Some(Format::TfRecord) => {}
        _ => return Ok(None),
    }
    if records.len() > MOST_FILES {
        let message = format!("{} files are more than {MOST_FILES}; name them one by one", records.len());
        return Err(Error::new(&codes::ARGUMENT, message).file(folder.name()));
    }
    let inputs: Vec<Input> = records.iter().map(|name| open(root, name, options)).collect::<Result<_>>()?;
    let notes = said(&records);
    let labels: Vec<&str> = files().filter(|name| base(name).ends_with(CLASSES)).collect();
    let classes = match labels[..] {
        [one] => lines(root, one, options)?,
        _ => Vec::new(),
    };
    let input = Input::joined(folder.name(), inputs);
    let opener = Opener::new(Format::TfRecord, input.len(), &options.limits, options.keep_going);
    Ok(opener.map(|opener| Found { input, opener: opener.told(classes, notes) }))
}

/// The database that a folder has; what else is in it belongs to that.
fn database(folder: &Folder, root: &Path, options: &How) -> Result<Option<Found>> {
    let is = |name: &&str| name.rsplit('/').next().is_some_and(|base| base == DATABASE);
    let mut found = folder.files().iter().map(|(name, _)| name.as_str()).filter(is);
    let (Some(first), None) = (found.next(), found.next()) else { return Ok(None) };
    let input = options.open(root, first)?;
    if detect(&input.slice(0..input.len().min(HEAD_LEN))?) != Some(Format::Lmdb) {
        return Ok(None);
    }
    let opener = Opener::new(Format::Lmdb, input.len(), &options.limits, options.keep_going);
    Ok(opener.map(|opener| Found { input, opener }))
}

fn is_packed(head: &[u8]) -> bool {
    matches!(detect(head), Some(Format::Gzip | Format::Zstd)) || head.starts_with(&[0x78])
}

/// One of the files, unpacked if it is packed.
fn open(root: &Path, name: &str, options: &How) -> Result<Input> {
    let input = options.open(root, name)?;
    Ok(unpack::unpacked(&input, &options.limits)?.unwrap_or(input))
}

/// The note about files that are read as one. The split comes before the shard's number, as in
/// `fruit-train.tfrecord-00000-of-00003`.
fn said(files: &[&str]) -> Vec<String> {
    if files.len() < 2 {
        return Vec::new();
    }
    let split = |name: &&str| {
        let stem = name.rsplit('/').next()?.split('.').next()?;
        let word =
            stem.split(['-', '_']).rfind(|part| !part.is_empty() && !part.bytes().all(|b| b.is_ascii_digit()))?;
        matches!(word, "train" | "test" | "val" | "valid" | "validation").then(|| word.to_owned())
    };
    let splits: BTreeSet<String> = files.iter().filter_map(split).collect();
    let mut note = format!("{} files of the folder are read as one, in the order of their names", files.len());
    if splits.len() > 1 {
        let splits: Vec<_> = splits.into_iter().collect();
        note += &format!("; they are of several splits ({}), name one of them to read it alone", splits.join(", "));
    }
    vec![note]
}

/// The names of classes, one a line.
fn lines(root: &Path, name: &str, options: &How) -> Result<Vec<String>> {
    let input = Input::pieces(&remote::beneath(root, name))?;
    options.limits.metadata(input.len()).map_err(|e| e.file(input.name()))?;
    let bytes = input.slice(0..input.len())?;
    Ok(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
}
