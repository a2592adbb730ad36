//! What pictures say of themselves.

use std::path::Path;

use forebay::{
    Result,
    annotations::{Seen, Turn},
    image::{decode::orientation, probe},
};

use crate::Input;

/// Bytes of a picture that normally give its size.
const HEAD_BYTES: u64 = 64 << 10;

/// A picture's size and how EXIF turns it; `None` where there is no such file, or it is not a picture.
pub(super) fn seen(path: &Path) -> Result<Option<Seen>> {
    if !path.is_file() {
        return Ok(None);
    }
    let input = Input::pieces(path)?;
    let mut bytes = input.slice(0..input.len().min(HEAD_BYTES))?;
    let mut probed = probe(&bytes);
    if probed.is_undecided() {
        bytes = input.slice(0..input.len())?;
        probed = probe(&bytes);
    }
    if probed.width == 0 {
        return Ok(None);
    }
    let turn = Turn::from_exif(orientation(&bytes) as u32);
    Ok(Some(Seen { width: probed.width, height: probed.height, turn }))
}
