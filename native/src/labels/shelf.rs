//! Where the pictures are that labels are of: files of a folder, or samples of datasets.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use forebay::{
    Result,
    annotations::{Seen, Turn},
    image::{decode::orientation, probe},
    sample::MediaFormat,
};

use super::files::walked;
use crate::{Dataset, Input};

/// Bytes of a picture that normally give its size.
const HEAD_BYTES: u64 = 64 << 10;

/// Pictures, by their names.
#[derive(Clone, Debug)]
pub(super) enum Shelf {
    Folder(PathBuf),
    Samples(Vec<Dataset>),
}

/// Where a picture is.
#[derive(Clone, Debug)]
pub(super) enum Place {
    File(PathBuf),
    /// The dataset and the sample in it.
    Sample(usize, u64),
}

impl Shelf {
    /// Every file or sample that has a name.
    pub fn places(&self) -> Result<HashMap<String, Place>> {
        let mut places = HashMap::new();
        match self {
            Shelf::Folder(folder) => {
                for file in walked(folder)? {
                    places.insert(relative(folder, &file), Place::File(file));
                }
            }
            Shelf::Samples(datasets) => {
                for (of, dataset) in datasets.iter().enumerate() {
                    for i in 0..dataset.len() {
                        if let Some(name) = dataset.sample_name(i)? {
                            places.entry(name).or_insert(Place::Sample(of, i));
                        }
                    }
                }
            }
        }
        Ok(places)
    }

    /// What a picture says of itself; `None` where it is not a picture.
    pub fn seen(&self, place: &Place) -> Result<Option<Seen>> {
        match (place, self) {
            (Place::File(path), _) => seen(path),
            (Place::Sample(of, i), Shelf::Samples(datasets)) => match datasets.get(*of) {
                Some(dataset) => {
                    let info = dataset.info(*i)?;
                    Ok(told(info.format, info.width, info.height, &dataset.lend(*i)?))
                }
                None => Ok(None),
            },
            (Place::Sample(..), Shelf::Folder(_)) => Ok(None),
        }
    }
}

/// What is known of a picture whose size was found, and how EXIF turns it; `None` where there is no size.
pub(super) fn told(format: MediaFormat, width: u32, height: u32, bytes: &[u8]) -> Option<Seen> {
    let turn = match format {
        // Pixels have nothing in front of them.
        MediaFormat::RawU8 => Turn::NONE,
        _ => Turn::from_exif(orientation(bytes) as u32),
    };
    (width > 0 && height > 0).then_some(Seen { width, height, turn })
}

/// A picture's size and how EXIF turns it; `None` where there is no such file, or it is not a picture.
pub(super) fn seen(path: &Path) -> Result<Option<Seen>> {
    if !path.is_file() {
        return Ok(None);
    }
    let input = Input::pieces(path)?;
    let mut bytes: Bytes = input.slice(0..input.len().min(HEAD_BYTES))?;
    let mut probed = probe(&bytes);
    if probed.is_undecided() {
        bytes = input.slice(0..input.len())?;
        probed = probe(&bytes);
    }
    Ok(told(probed.format, probed.width, probed.height, &bytes))
}

/// A file's name in a folder, with `/` between its parts.
pub(super) fn relative(folder: &Path, file: &Path) -> String {
    let inside = file.strip_prefix(folder).unwrap_or(file);
    let parts: Vec<_> = inside.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}
