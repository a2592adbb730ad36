//! A folder of LitData's chunks, as one dataset.

use std::path::Path;

use forebay::{
    Error, Result,
    doors::{codes, litdata::Spec, mds::Part, open::Opener},
    sample::record::safe_name,
};

use super::{Found, How, unpack};
use crate::{
    folder::Folder,
    input::{Input, remote},
};

/// The file that lists the chunks.
const INDEX: &str = "index.json";
/// The beginning of the names of chunks.
const CHUNK: &str = "chunk-";

/// The dataset that a folder of chunks is, if it is one.
pub(super) fn of_folder(folder: &Folder, root: &Path, options: &How) -> Result<Option<Found>> {
    let found: Vec<&str> = folder.files().iter().map(|(name, _)| name.as_str()).collect();
    let base = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
    if !found.iter().any(|name| base(name).starts_with(CHUNK)) {
        return Ok(None);
    }
    let mut first: Option<Spec> = None;
    let (mut inputs, mut parts, mut start) = (Vec::new(), Vec::new(), 0);
    for index in found.iter().filter(|name| base(name) == INDEX) {
        let Some(spec) = read_index(root, index, options)? else { continue };
        if first.as_ref().is_some_and(|first| !first.fits(&spec)) {
            let message = format!("{index} has other leaves than the index before it: they do not become one dataset");
            return Err(Error::new(&codes::LITDATA_INDEX, message).file(folder.name()));
        }
        let beside = index.strip_suffix(INDEX).unwrap_or_default();
        for chunk in spec.chunks() {
            safe_name(&chunk.name).map_err(|e| e.file(*index))?;
            let name = format!("{beside}{}", chunk.name);
            let input = open(root, &name, &found, options).map_err(|e| e.file(folder.name()))?;
            let end = start + input.len();
            let mut part = Part::new(name, start..end);
            part.samples = chunk.items;
            parts.push(part);
            inputs.push(input);
            start = end;
        }
        first = first.or(Some(spec));
    }
    let Some(spec) = first else { return Ok(None) };
    let mut notes = Vec::new();
    if parts.len() > 1 {
        notes.push(format!("{} chunks are read as one", parts.len()));
    }
    let opener = Opener::of_chunks(parts, &spec, &options.limits, options.keep_going).told(Vec::new(), notes);
    Ok(Some(Found { input: Input::joined(folder.name(), inputs), opener }))
}

fn read_index(root: &Path, index: &str, options: &How) -> Result<Option<Spec>> {
    let input = Input::pieces(&remote::beneath(root, index))?;
    options.limits.metadata(input.len()).map_err(|e| e.file(input.name()))?;
    Spec::of(&input.slice(0..input.len())?).map_err(|e| e.file(input.name()))
}

/// A chunk's bytes, unpacked: as a whole, or in batches of items.
fn open(root: &Path, name: &str, found: &[&str], options: &How) -> Result<Input> {
    if !found.contains(&name) {
        if options.keep_going {
            return Ok(Input::memory(name, Vec::new()));
        }
        let message = format!("{name} is in {INDEX} and not in the folder");
        return Err(Error::new(&codes::LITDATA_INDEX, message).with_options(&["keep_going"]));
    }
    let input = options.open(root, name)?;
    let head = input.slice(0..input.len().min(4))?;
    match &head[..] {
        [0x28, 0xb5, 0x2f, 0xfd] => Ok(unpack::whole(&input, &options.limits)?.unwrap_or(input)),
        b"LDFZ" => unpack::batches(&input, &options.limits),
        _ => Ok(input),
    }
}
