//! A folder of MDS shards, as one dataset.

use std::{
    collections::{BTreeMap, HashSet},
    path::Path,
};

use forebay::{
    Error, Result,
    doors::{codes, mds::Part, open::Opener},
    error,
    sample::record::safe_name,
};
use serde_json::Value;

use super::{Found, How, unpack};
use crate::{
    folder::Folder,
    input::{Input, remote},
};

/// The file that lists the shards.
const INDEX: &str = "index.json";
/// The ending of a shard's name, and of a packed one.
const SHARD: &str = ".mds";

/// A shard of the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Listed {
    /// Its name, as it is unpacked.
    name: String,
    /// The name as it is packed.
    packed: Option<String>,
    samples: Option<u64>,
    bytes: Option<u64>,
}

/// The dataset that a folder of shards is, if it is one.
pub(super) fn of_folder(folder: &Folder, root: &Path, options: &How) -> Result<Option<Found>> {
    let found: Vec<&str> = folder.files().iter().map(|(name, _)| name.as_str()).collect();
    let lying = lying(&found);
    if lying.is_empty() {
        return Ok(None);
    }
    let (mut listed, mut notes) = (Vec::new(), Vec::new());
    for index in found.iter().filter(|name| name.rsplit('/').next() == Some(INDEX)) {
        listed.extend(read_index(root, index, options)?);
    }
    if listed.is_empty() {
        notes.push(format!("there is no {INDEX}, so the shards are taken in the order of their names"));
        listed = lying;
    } else if let Some(other) = unlisted(&lying, &listed) {
        notes.push(format!("{} is not in {INDEX}, and left out", other.name));
    }
    let (mut inputs, mut parts, mut start) = (Vec::new(), Vec::new(), 0);
    for one in listed {
        let input = open(root, &one, &found, options).map_err(|e| e.file(folder.name()))?;
        let end = start + input.len();
        let mut part = Part::new(one.name, start..end);
        (part.samples, part.bytes) = (one.samples, one.bytes);
        parts.push(part);
        inputs.push(input);
        start = end;
    }
    if parts.len() > 1 {
        notes.push(format!("{} shards are read as one", parts.len()));
    }
    let opener = Opener::of_shards(parts, &options.limits, options.keep_going).told(Vec::new(), notes);
    Ok(Some(Found { input: Input::joined(folder.name(), inputs), opener }))
}

/// The first shard of the folder that the index does not list.
fn unlisted<'a>(lying: &'a [Listed], listed: &[Listed]) -> Option<&'a Listed> {
    let names: HashSet<&str> = listed.iter().map(|one| one.name.as_str()).collect();
    lying.iter().find(|one| !names.contains(one.name.as_str()))
}

/// The shards among these files, in the order of their names.
fn lying(files: &[&str]) -> Vec<Listed> {
    let mut shards: BTreeMap<String, Listed> = BTreeMap::new();
    for file in files {
        let base = file.rsplit('/').next().unwrap_or_default();
        let Some(at) = base.find(SHARD) else { continue };
        let (name, packed) = match base.get(at + SHARD.len()..) {
            Some("") => ((*file).to_owned(), None),
            Some(ending) if ending.starts_with('.') => {
                (file.strip_suffix(ending).unwrap_or(file).to_owned(), Some((*file).to_owned()))
            }
            _ => continue,
        };
        let new = || Listed { name: name.clone(), packed: None, samples: None, bytes: None };
        let shard = shards.entry(name.clone()).or_insert_with(new);
        shard.packed = shard.packed.take().or(packed);
    }
    shards.into_values().collect()
}

/// The shards that an index lists, in its order.
fn read_index(root: &Path, index: &str, options: &How) -> Result<Vec<Listed>> {
    let input = Input::pieces(&remote::beneath(root, index))?;
    let wrong = |message: &str| Error::new(&codes::MDS_INDEX, message.to_owned()).file(input.name());
    options.limits.metadata(input.len()).map_err(|e| e.file(input.name()))?;
    let text = input.slice(0..input.len())?;
    // Other programs have files of this name too.
    let said: Value = match serde_json::from_slice(&text) {
        Ok(said) => said,
        Err(e) => {
            let message = format!("the index is not readable JSON: {e}; take it away, and the shards say it all");
            return Err(Error::caused(&codes::MDS_INDEX, message, e).file(input.name()));
        }
    };
    let Some(shards) = said.get("shards").and_then(Value::as_array) else { return Ok(Vec::new()) };
    let folder = index.strip_suffix(INDEX).unwrap_or_default();
    let named = |one: &Value, key: &str| -> Result<Option<String>> {
        let Some(name) = one.get(key).and_then(|data| data.get("basename")).and_then(Value::as_str) else {
            return Ok(None);
        };
        safe_name(name).map_err(|e| e.file(input.name()))?;
        Ok(Some(format!("{folder}{name}")))
    };
    let shard = |one: &Value| {
        let name = named(one, "raw_data")?.ok_or_else(|| wrong("a shard of the index has no name"))?;
        let bytes = one.get("raw_data").and_then(|data| data.get("bytes")).and_then(Value::as_u64);
        let samples = one.get("samples").and_then(Value::as_u64);
        Ok(Listed { name, packed: named(one, "zip_data")?, samples, bytes })
    };
    shards.iter().map(shard).collect()
}

/// A shard's bytes, unpacked.
fn open(root: &Path, one: &Listed, found: &[&str], options: &How) -> Result<Input> {
    // A folder's files are in the order of their names.
    let there = |name: &str| found.binary_search(&name).is_ok();
    let open = |name: &str| options.open(root, name);
    if there(&one.name) {
        return open(&one.name);
    }
    let packed = match &one.packed {
        Some(packed) if there(packed) => packed,
        _ if options.keep_going => return Ok(Input::memory(&*one.name, Vec::new())),
        _ => {
            let message = format!("{} is in {INDEX} and not in the folder", one.name);
            return Err(Error::new(&codes::MDS_INDEX, message).with_options(&["keep_going"]));
        }
    };
    let input = open(packed)?;
    let ending = packed.rsplit('.').next().unwrap_or_default();
    let unpacked = match ending {
        "gz" | "zstd" | "zst" => unpack::whole(&input, &options.limits)?,
        "snappy" => unpack::snappy(&input, &options.limits).map(Some)?,
        "br" => unpack::brotli(&input, &options.limits).map(Some)?,
        _ => None,
    };
    unpacked.ok_or_else(|| match ending {
        "gz" | "zstd" | "zst" => {
            Error::new(&error::codes::UNKNOWN_FORMAT, "the shard is not packed as its name says").file(packed)
        }
        _ => {
            let how = if ending == "bz2" { "bzip2 -dk" } else { "the program that packed it" };
            let message =
                format!("the shard is packed as .{ending}, which is not unpacked here; unpack it first, with {how}");
            Error::new(&codes::MDS_PACKED, message).file(packed)
        }
    })
}
