//! What several settings say together, and which of them mean nothing somewhere.

use forebay::{
    Error, Result,
    error::codes::ARGUMENT,
    order::{Mix, Settings, Shuffle},
};

use super::{ImageSettings, LoaderSettings};
use crate::{
    cache::Cache,
    loader::{Annotations, DecodedCache, Image, codes},
};

/// Where a setting may mean nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::loader) enum There {
    /// Over a tensor warehouse, whose samples are made already.
    Warehouse,
    /// Over anything else.
    Samples,
    /// Over datasets that were open already.
    Opened,
    /// Where payloads are given as they are stored.
    Payloads,
    /// Where a function makes the numbers.
    Made,
    /// Where images are padded.
    Padded,
    /// Where broken samples are errors.
    Raising,
}

fn refuse<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::new(&ARGUMENT, message.into()))
}

impl LoaderSettings {
    /// Refuses the first setting that was made and means nothing there.
    pub(in crate::loader) fn refuse_idle(&self, there: There) -> Result<()> {
        // Not to turn images is what happens anyway.
        let turned = |name| name != "orient" || self.orient == Some(true);
        match self.said().find(|setting| setting.idle.contains(&there) && turned(setting.name)) {
            Some(setting) => Err(there.refusal(setting.name)),
            None => Ok(()),
        }
    }

    /// In which order samples come, but for what they are drawn by.
    pub(in crate::loader) fn order(&self) -> Result<Settings> {
        let (shuffle, seed) = match (self.shuffle, self.seed) {
            (None, seed) => (Shuffle::None, seed.unwrap_or(0)),
            (Some(shuffled), None) => shuffled.parts(),
            (Some(_), Some(_)) => {
                return refuse("the shuffle has the seed; `seed` is for a loader that does not shuffle");
            }
        };
        let settings = Settings::default().with_shuffle(shuffle).with_seed(seed).with_tail(self.tail);
        let mut settings = settings.with_batch(self.batch).with_world(self.world).with_repeats(self.repeated);
        settings.mix = match (&self.mix, self.epoch_samples) {
            (None, None) => None,
            (Some(weights), Some(epoch_samples)) => Some(Mix { weights: weights.clone(), epoch_samples }),
            _ => return refuse("mix and epoch_samples are given together, or neither"),
        };
        (settings.filter, settings.draws) = (self.r#where.clone(), self.draws);
        Ok(settings)
    }

    /// What becomes of images, if a document says it; several of them on one tensor are noted.
    pub(in crate::loader) fn image(&mut self) -> Result<Option<Image>> {
        let has_views = self.targets.iter().any(|(_, target)| target.is_view());
        let Some(size) = self.size else {
            let said = ["augment", "normalize", "resampling", "fill", "layout"];
            let said =
                self.said().find(|setting| said.contains(&setting.name) && !(setting.name == "layout" && has_views));
            return match said {
                Some(setting) => {
                    refuse(format!("`{}` is for images that become tensors: it needs a size", setting.name))
                }
                None => Ok(None),
            };
        };
        if self.warehouse_transform.is_some() {
            return refuse("size and warehouse_transform each say what images become: give one");
        }
        let image = ImageSettings {
            size,
            augment: std::mem::take(&mut self.augment),
            normalize: self.normalize,
            resampling: self.resampling.take(),
            fill: self.fill,
            layout: Some(std::mem::take(&mut self.layout)),
        };
        (self.mosaic, self.mixed) = (image.mosaic(), image.mixing());
        image.recipe().map(Some)
    }

    /// Where boxes come from, and how they are read.
    pub(in crate::loader) fn annotations(&mut self) -> Result<Option<Annotations>> {
        match (self.annotations.take(), self.annotation_format, self.annotation_boxes.take()) {
            (Some(annotations), format, boxes) => Ok(Some(annotations.read_as(format, boxes))),
            (None, None, None) => Ok(None),
            (None, Some(_), _) => refuse("annotation_format needs annotations"),
            (None, None, Some(_)) => refuse("annotation_boxes needs annotations"),
        }
    }

    /// The cache for files elsewhere.
    pub(in crate::loader) fn cache(&mut self) -> Result<Option<Cache>> {
        match (self.cache.take(), self.cache_bytes) {
            (None, None) => Ok(None),
            (None, Some(_)) => refuse("`cache_bytes` needs a `cache`"),
            (Some(folder), None) => Cache::open(folder).map(Some),
            (Some(folder), Some(most)) => Ok(Some(Cache::open(folder)?.bytes(most))),
        }
    }

    /// What is kept of decoded images.
    pub(in crate::loader) fn decoded(&self) -> Result<Option<DecodedCache>> {
        match (self.decoded_cache, &self.decoded_cache_file) {
            (Some(bytes), None) => Ok(Some(DecodedCache::memory(bytes))),
            (Some(bytes), Some(path)) => Ok(Some(DecodedCache::file(path, bytes))),
            (None, None) => Ok(None),
            (None, Some(_)) => {
                refuse("`decoded_cache_file` is where a `decoded_cache` lies, which says how many bytes it may have")
            }
        }
    }
}

impl There {
    /// The error of a setting that means nothing here.
    pub(in crate::loader) fn refusal(self, setting: &str) -> Error {
        let (code, message) = match self {
            There::Warehouse => {
                let hint = match setting {
                    "io" => "`mode` says how its shards are held",
                    "verify" => "`allow_unproven` goes on without checksums",
                    "image" | "size" => "leave it out, or give `warehouse_transform`, which says the same of images",
                    _ => "leave it out, or load the images that it was built of",
                };
                let made = "the samples of a tensor warehouse are made already";
                (&codes::IDLE, format!("{made}, so `{setting}` means nothing: {hint}"))
            }
            There::Samples => {
                let message = "is about the shards of a tensor warehouse, and this is not one; leave it out";
                (&codes::SETTINGS, format!("`{setting}` {message}"))
            }
            There::Opened => {
                let message = "says how files are opened, and these datasets were open already";
                (&codes::SETTINGS, format!("`{setting}` {message}"))
            }
            There::Payloads => {
                let what = "payloads are given as they are stored";
                (&codes::IDLE, format!("{what}, so `{setting}` means nothing: give images a size, or leave it out"))
            }
            There::Made => {
                let what = "`made_by` does its own decoding";
                (&codes::IDLE, format!("{what}, so `{setting}` means nothing: give `image`, or leave it out"))
            }
            There::Raising => {
                let what = "every broken sample is an error";
                (&codes::IDLE, format!("{what}, so `{setting}` means nothing: skip or replace them, or leave it out"))
            }
            There::Padded => (&codes::SETTINGS, format!("`padded` images do not go together with `{setting}` yet")),
        };
        Error::new(code, message)
    }
}
