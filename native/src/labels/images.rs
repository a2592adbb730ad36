//! Where the pictures are that labels are of: files of a folder, or samples of datasets.

use std::path::{Path, PathBuf};

use forebay::{
    Result,
    annotations::{Seen, Turn},
    image::{decode::orientation, probe},
    sample::MediaFormat,
};

use crate::{Dataset, Input, input::remote};

/// Bytes of a picture that normally give its size.
const HEAD_BYTES: u64 = 64 << 10;

/// Pictures, by their names.
#[derive(Clone, Debug)]
pub(super) enum Images {
    Folder(PathBuf),
    Samples(Vec<Dataset>),
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
    let input = match remote::is_remote(path) {
        true => remote::found(path)?,
        false => path.is_file().then(|| Input::pieces(path)).transpose()?,
    };
    let Some(input) = input else { return Ok(None) };
    let mut bytes = input.slice(0..input.len().min(HEAD_BYTES))?;
    let mut probed = probe(&bytes);
    if probed.is_undecided() {
        bytes = input.slice(0..input.len())?;
        probed = probe(&bytes);
    }
    Ok(told(probed.format, probed.width, probed.height, &bytes))
}
