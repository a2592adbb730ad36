//! What becomes of a sample's payload: a picture's tensor, the payload itself, or what the user's function makes.

use std::{fmt, sync::Arc};

use bytes::Bytes;
use forebay::{Error, Result, image::transform::Out, warehouse::Transform};

use serde_json::Value;

use super::{Dtype, Image, codes};
use crate::Dataset;

/// A sample as a user's function sees it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Sample<'a> {
    /// The payload, verified and decompressed.
    pub payload: &'a Bytes,
    /// Its number among all samples of all sources.
    pub index: u64,
    /// The key of everything random about it in this epoch; see [`forebay::random::Draws`].
    pub key: u64,
    /// Width and height of raw pixels, if the index says that the payload is that.
    pub raw: Option<(u32, u32)>,
    /// Its label; 0 if the loader reads none.
    pub label: i64,
    pub(super) dataset: &'a Dataset,
    pub(super) number: u64,
}

impl Sample<'_> {
    /// Its name, if it has one: read when this is called.
    pub fn name(&self) -> Result<Option<String>> {
        self.dataset.sample_name(self.number)
    }
    /// Its metadata, if it has any: read when this is called.
    pub fn metadata(&self) -> Result<Option<Value>> {
        self.dataset.metadata_value(self.number)
    }
}

/// A user's function: payload in, numbers out. It runs on the workers, many at a time.
pub(super) type Make = dyn Fn(Sample<'_>, Out<'_>) -> Result<()> + Send + Sync;

#[derive(Clone, Default)]
pub(super) enum Content {
    /// The payloads as they are.
    #[default]
    Payloads,
    Images(Box<Image>),
    /// What the builder of a warehouse makes of a picture.
    Prepared(Box<Transform>),
    /// What a warehouse of this width and height holds.
    Stored(u32, u32),
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
            Content::Prepared(transform) => f.debug_tuple("Prepared").field(transform).finish(),
            Content::Stored(width, height) => f.debug_tuple("Stored").field(width).field(height).finish(),
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

    /// The shape of one sample; empty if there is no tensor.
    pub(super) fn shape(&self) -> Vec<usize> {
        match self {
            Content::Payloads => Vec::new(),
            Content::Images(image) => image.layout.shape(image.width as usize, image.height as usize).to_vec(),
            Content::Prepared(transform) => {
                let [width, height] = transform.target_size.unwrap_or_default();
                vec![3, height as usize, width as usize]
            }
            Content::Stored(width, height) => vec![3, *height as usize, *width as usize],
            Content::Made { shape, .. } => shape.clone(),
        }
    }
    /// How pictures are placed on their tensors, if that is by a recipe.
    pub(super) fn image(&self) -> Option<&Image> {
        if let Content::Images(image) = self { Some(image) } else { None }
    }
    /// The method of the builder that says so.
    pub(super) fn setting(&self) -> &'static str {
        match self {
            Content::Images(_) => "image",
            Content::Made { .. } => "made_by",
            _ => "payloads",
        }
    }
    /// Whether it is pictures that were placed on their tensors by a recipe.
    pub(super) fn is_placed(&self) -> bool {
        matches!(self, Content::Images(_))
    }

    /// Bytes of one sample's slot; 0 if there is no tensor.
    pub(super) fn slot_bytes(&self, dtype: Dtype) -> Result<usize> {
        if matches!(self, Content::Payloads) {
            return Ok(0);
        }
        let values = self.shape().iter().try_fold(1_usize, |product, &n| product.checked_mul(n));
        let slot = values.and_then(|n| n.checked_mul(dtype.bytes())).filter(|&n| n > 0);
        slot.filter(|n| *n as u64 <= MOST_BATCH_BYTES).ok_or_else(|| {
            let message = format!("samples of {:?} numbers are empty, or larger than any memory", self.shape());
            Error::new(&codes::SETTINGS, message)
        })
    }

    /// Refuses settings that would be passed over.
    pub(super) fn check(&self, dtype: Dtype) -> Result<()> {
        let Content::Images(image) = self else { return Ok(()) };
        if dtype == Dtype::U8 && image.normalize.is_some() {
            let message = "bytes are not normalized: leave `normalize` out, or take Dtype::F32 or Dtype::F16";
            return Err(Error::new(&codes::SETTINGS, message));
        }
        Ok(())
    }
}

/// Memory for a batch of this many samples; refused if that is beyond reason.
pub(super) fn batch_bytes(slot_bytes: usize, samples: usize) -> Result<usize> {
    let bytes = slot_bytes.checked_mul(samples).filter(|&n| n as u64 <= MOST_BATCH_BYTES);
    bytes.ok_or_else(|| {
        let message = format!("a batch of {samples} samples of {slot_bytes} bytes each is more than any memory holds");
        Error::new(&codes::SETTINGS, message)
    })
}

/// A batch of more than this is a mistake in the settings.
const MOST_BATCH_BYTES: u64 = 1 << 38;
