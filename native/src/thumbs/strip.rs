//! A strip that was made before.

use std::path::Path;

use bytes::Bytes;
use forebay::{Error, Result};

use super::{
    codes::OTHER_FILE,
    label::{Label, digest},
};
use crate::{dataset::Dataset, input::display};

/// The thumbnails of a dataset, in a file of their own.
#[derive(Debug)]
pub struct Strip {
    file: Dataset,
    digest: String,
    size: u32,
}

impl Strip {
    /// Opens the thumbnails of a dataset. Those of another file are refused, and those of this one before it changed.
    pub fn open(path: &Path, of: &Dataset) -> Result<Strip> {
        let refuse = |why: String| {
            let message = format!("these are not the thumbnails of {}: {why}", of.name());
            Error::new(&OTHER_FILE, message).file(display(path))
        };
        let file = Dataset::open(path)?;
        if file.len() != of.len() {
            return Err(refuse(format!("it has {} thumbnails, and there are {} samples", file.len(), of.len())));
        }
        let digest = digest(of)?;
        let size = match of.is_empty() {
            true => 0,
            false => match Label::of(&file.payload(0)?) {
                None => return Err(refuse("its images do not say which samples they show".into())),
                Some(label) if label.digest != digest => {
                    return Err(refuse("it is of another file, or of this one before it changed".into()));
                }
                Some(label) => label.size,
            },
        };
        Ok(Strip { file, digest, size })
    }

    /// How many thumbnails there are.
    pub fn len(&self) -> u64 {
        self.file.len()
    }
    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// No edge of them is longer.
    pub fn size(&self) -> u32 {
        self.size
    }
    /// Bytes on disk.
    pub fn file_len(&self) -> u64 {
        self.file.file_len()
    }

    /// The thumbnail of a sample, a JPEG; nothing where it could not be drawn.
    pub fn get(&self, i: u64) -> Result<Option<Bytes>> {
        let jpeg = self.file.payload(i)?;
        match Label::of(&jpeg) {
            Some(label) if label.sample == i && label.digest == self.digest => {
                // One pixel stands in the place of what could not be drawn.
                let info = self.file.info(i)?;
                Ok((label.picture.is_some() || (info.width, info.height) != (1, 1)).then_some(jpeg))
            }
            _ => {
                let message = format!("its image {i} is of something else");
                Err(Error::new(&OTHER_FILE, message).file(self.file.name()).sample(i))
            }
        }
    }
}
