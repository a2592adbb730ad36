//! What becomes of a sample's payload: a picture's tensor, the payload itself, or what the user's function makes.

use std::{fmt, sync::Arc};

use bytes::Bytes;
use forebay::{
    Error, Result,
    image::transform::{Layout, Out},
};

use super::{Dtype, Image, codes};

/// What a user's function sees of a sample.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Sample<'a> {
    /// The payload, verified and decompressed.
    pub payload: &'a Bytes,
    /// Its number among all samples of all sources.
    pub index: u64,
    /// The key of everything random about it in this epoch; see [`forebay::random::Draws`].
    pub key: u64,
    /// Width and height of raw pixels, where the index says that the payload is that.
    pub raw: Option<(u32, u32)>,
}

/// A user's function: payload in, numbers out. It runs on the workers, many at a time.
pub(super) type Make = dyn Fn(Sample<'_>, Out<'_>) -> Result<()> + Send + Sync;

#[derive(Clone, Default)]
pub(super) enum Content {
    /// The payloads as they are.
    #[default]
    Payloads,
    Images(Box<Image>),
    Made {
        shape: Vec<usize>,
        make: Arc<Make>,
    },
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Content::Payloads => f.write_str("Payloads"),
            Content::Images(image) => f.debug_tuple("Images").field(image).finish(),
            Content::Made { shape, .. } => f.debug_struct("Made").field("shape", shape).finish_non_exhaustive(),
        }
    }
}

impl Content {
    /// The same at another size; only pictures have one.
    pub(super) fn sized(&self, (width, height): (u32, u32)) -> Content {
        let mut content = self.clone();
        if let Content::Images(image) = &mut content {
            (image.width, image.height) = (width, height);
        }
        content
    }

    /// The shape of one sample; empty where there is no tensor.
    pub(super) fn shape(&self) -> Vec<usize> {
        match self {
            Content::Payloads => Vec::new(),
            Content::Images(image) => {
                let (width, height) = (image.width as usize, image.height as usize);
                match image.layout {
                    Layout::Nchw => vec![3, height, width],
                    Layout::Nhwc => vec![height, width, 3],
                }
            }
            Content::Made { shape, .. } => shape.clone(),
        }
    }

    /// Bytes of one sample's slot; 0 where there is no tensor. Refused where a batch of them is beyond reason.
    pub(super) fn slot_bytes(&self, dtype: Dtype, batch: u64) -> Result<usize> {
        if matches!(self, Content::Payloads) {
            return Ok(0);
        }
        let values = self.shape().iter().try_fold(1_usize, |product, &n| product.checked_mul(n));
        let slot = values.and_then(|n| n.checked_mul(dtype.bytes())).filter(|&n| n > 0);
        let whole = slot.and_then(|n| u64::try_from(n).ok()?.checked_mul(batch)).filter(|&n| n <= MOST_BATCH_BYTES);
        match (slot, whole) {
            (Some(slot), Some(_)) => Ok(slot),
            _ => {
                let message = format!("batches of {batch} × {:?} numbers make no sense", self.shape());
                Err(Error::new(&codes::SETTINGS, message))
            }
        }
    }
}

/// A batch of more than this is a mistake in the settings.
const MOST_BATCH_BYTES: u64 = 1 << 38;
