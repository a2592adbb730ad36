//! What a loader shall do: what is opened, and the settings that are not one value. The others follow from the
//! [list](super::settings).

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use forebay::{
    Error, Limits, Result,
    error::codes as common,
    filter::Filter,
    image::transform::{Mixing, Out},
    order,
    warehouse::Transform,
};

use super::{
    DecodedCache, Image, Loader, LoaderSettings, State, Target,
    content::{Content, Sample},
    settings::{Builder, Shuffled},
};
use crate::{
    Dataset,
    cache::Cache,
    input::{display, expand, is_pipe, remote::is_remote},
};

impl Loader {
    /// Settings for a loader over a TBL, a TAR, a folder of pictures, a tensor warehouse (its manifest, or the folder that
    /// has it), or all that a pattern such as `shards/*.tbl` finds, in the order of their names: samples in stored order,
    /// in batches of 32 on as many threads as there are cores. They may lie [elsewhere](crate::remote), as in
    /// `s3://bucket/train-*.tbl`.
    pub fn open(path: impl AsRef<Path>) -> Result<Builder> {
        Self::open_all([path])
    }

    /// Settings for a loader over several files as one, in this order.
    pub fn open_all(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<Builder> {
        let mut all = Vec::new();
        for path in paths {
            let path = path.as_ref();
            match path.to_str() {
                Some(text) => all.extend(expand(&[text.to_owned()])?),
                None => all.push(path.to_owned()),
            }
        }
        if all.is_empty() {
            return Err(Error::new(&common::ARGUMENT, "a loader needs at least one file"));
        }
        // What is a pipe says so when it is opened.
        if let Some(absent) = all.iter().find(|path| !is_remote(path) && !path.exists() && !is_pipe(path)) {
            return Err(Error::new(&common::IO, "there is no such file").file(display(absent)));
        }
        Ok(Builder::new(all, Vec::new()))
    }

    /// Settings for a loader over datasets that are open already, such as those of a [`Source`](crate::input::Source) of
    /// one's own. What is found by the names of files, or decides how they are opened, is refused: with
    /// [`build`](Builder::build) [`annotations`](Builder::annotations), targets of objects, [`io`](Builder::io) and
    /// [`class_level`](Builder::class_level), and warehouses at once; give their paths to [`open`](Self::open).
    pub fn over(datasets: impl IntoIterator<Item = Dataset>) -> Result<Builder> {
        let datasets: Vec<Dataset> = datasets.into_iter().collect();
        if datasets.is_empty() {
            return Err(Error::new(&common::ARGUMENT, "a loader needs at least one dataset"));
        }
        if let Some(warehouse) = datasets.iter().find(|dataset| dataset.warehouse().is_some()) {
            let message = "a tensor warehouse is proven when it is opened: give its path to Loader::open";
            return Err(Error::new(&common::ARGUMENT, message).file(warehouse.name()));
        }
        Ok(Builder::new(Vec::new(), datasets))
    }
}

impl Builder {
    pub(crate) fn new(paths: Vec<PathBuf>, datasets: Vec<Dataset>) -> Builder {
        let (settings, limits) = Default::default();
        Builder { paths, datasets, settings, content: None, limits, cache: None, resume: None }
    }

    /// Takes all of these settings, in place of those that were made before.
    pub fn settings(mut self, settings: LoaderSettings) -> Self {
        (self.settings, self.content) = (settings, None);
        self
    }

    /// In which order samples come, but for what they are drawn by.
    pub(crate) fn order_settings(&self) -> Result<order::Settings> {
        self.settings.order()
    }

    /// What samples become: the last one of these counts.
    fn content(mut self, content: Option<Content>, transform: Option<Transform>) -> Self {
        (self.content, self.settings.warehouse_transform, self.settings.size) = (content, transform, None);
        self
    }

    /// Takes only the samples that a filter accepts, such as `width >= 224 && height >= 224`. Building is refused if
    /// no sample has a field that it names, and if it selects none at all, unless [`allow_empty`](Self::allow_empty)
    /// says otherwise.
    pub fn filter(mut self, text: &str) -> Result<Self> {
        Filter::parse(text)?;
        self.settings.r#where = Some(text.to_owned());
        Ok(self)
    }
    /// Shuffles fully, another way in every epoch.
    pub fn shuffle(self, seed: u64) -> Self {
        self.shuffled(Shuffled::Seed(seed))
    }
    /// Shuffles blocks of `block` neighbors, and the samples inside each window of `window` blocks, so that reads stay
    /// local: for disks that seek.
    pub fn shuffle_blocks(self, seed: u64, block: u64, window: u64) -> Self {
        self.shuffled(Shuffled::Blocks { seed, block, window })
    }
    fn shuffled(mut self, shuffled: Shuffled) -> Self {
        (self.settings.shuffle, self.settings.seed) = (Some(shuffled), None);
        self
    }
    /// Decides what is random about samples where their order is not shuffled.
    pub fn seed(mut self, seed: u64) -> Self {
        match &mut self.settings.shuffle {
            Some(shuffled) => *shuffled = shuffled.seeded(seed),
            None => self.settings.seed = Some(seed),
        }
        self
    }
    /// Which share of every step this process takes: `rank` of `world`, from 0.
    pub fn shard(mut self, rank: u64, world: u64) -> Self {
        (self.settings.rank, self.settings.world) = (rank, world);
        self
    }
    /// Draws from the files in fixed proportions instead of one after the other: one weight a file.
    pub fn mix(mut self, weights: impl Into<Vec<u32>>, epoch_samples: u64) -> Self {
        (self.settings.mix, self.settings.epoch_samples) = (Some(weights.into()), Some(epoch_samples));
        self
    }
    /// Decodes pictures and makes them tensors.
    pub fn image(self, image: Image) -> Self {
        self.content(Some(Content::Images(Box::new(image))), None)
    }
    /// Mixes a sample with another of its epoch, by MixUp or CutMix and with this chance: pictures, boxes, masks, key points and
    /// [labels](super::Batch::soft_labels).
    pub fn mixed(mut self, mixing: Mixing, probability: f64) -> Self {
        self.settings.mixed = Some((mixing, probability));
        self
    }
    /// Makes of pictures and their boxes what the builder of a warehouse makes of them, to the last bit: decoded in full,
    /// turned as EXIF says unless [`orient`](Self::orient) says otherwise, resized as this says, with places for
    /// `max_boxes` boxes. Where no [`annotations`](Self::annotations) are given they are those that are with the samples.
    ///
    /// A warehouse that was made with another transform is refused, so that a trainer can be told one path or the other.
    pub fn warehouse_transform(self, transform: Transform) -> Self {
        self.content(None, Some(transform))
    }
    /// Gives payloads as they are: for raw pixels without a copy, or to decode them oneself. This is the default.
    pub fn payloads(self) -> Self {
        self.content(Some(Content::Payloads), None)
    }
    /// Makes each sample's numbers, of this shape, by a function, on the workers. Memory holds anything before.
    pub fn made_by<F>(self, shape: impl Into<Vec<usize>>, make: F) -> Self
    where
        F: Fn(Sample<'_>, Out<'_>) -> Result<()> + Send + Sync + 'static,
    {
        self.content(Some(Content::Made { shape: shape.into(), make: Arc::new(make) }), None)
    }
    /// Gives every sample a target of this name too, as often as it is called: a [`Target`], or its
    /// [text](Target#impl-FromStr-for-Target), such as `"float:json.speed"`. Building is refused if no sample has it; a sample
    /// without it is a broken one.
    pub fn target(mut self, name: impl Into<String>, target: impl Into<Target>) -> Self {
        self.settings.targets.push((name.into(), target.into()));
        self
    }
    /// Bounds on what files may cost.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
    /// Keeps decoded pictures for later epochs, as far as nothing about them is random: at the tensor's size where pictures
    /// are placed the same way in every epoch, and whole where they are cut out by chance. No number of any batch changes.
    pub fn decoded_cache(mut self, cache: DecodedCache) -> Self {
        (self.settings.decoded_cache, self.settings.decoded_cache_file) = cache.parts();
        self
    }
    /// Keeps bytes of files elsewhere in a cache on this machine, so that later epochs do not fetch them.
    pub fn cache(mut self, cache: &Cache) -> Self {
        self.cache = Some(cache.clone());
        self.datasets = self.datasets.iter().map(|dataset| dataset.by(|input| input.cached(cache))).collect();
        self
    }
    /// Goes on where a saved run stood. Building is refused, by name, if anything differs that decides which
    /// sample comes when; batch and world may change as long as their product does not.
    pub fn resume(mut self, state: State) -> Self {
        self.resume = Some(state);
        self
    }
}
